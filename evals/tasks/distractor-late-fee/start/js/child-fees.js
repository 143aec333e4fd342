// The fee for children: 5 cents a day.
function loanFee(days) {
  return days * 0.05;
}
