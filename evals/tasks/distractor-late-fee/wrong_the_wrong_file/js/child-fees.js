// The fee for children: 5 cents a day.
function loanFee(days) {
  return Math.min(days * 0.05, 10);
}
