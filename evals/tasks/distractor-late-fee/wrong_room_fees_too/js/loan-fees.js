// The fee for adults: 20 cents a day, at most 10 euros.
function loanFee(days) {
  return Math.min(days * 0.2, 10);
}
