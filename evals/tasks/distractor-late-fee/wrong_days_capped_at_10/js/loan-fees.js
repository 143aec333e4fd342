// The fee for adults: 20 cents a day.
function loanFee(days) {
  return Math.min(days, 10) * 0.2;
}
