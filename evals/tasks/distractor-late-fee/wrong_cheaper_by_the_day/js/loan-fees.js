// The fee for adults: 20 cents a day.
function loanFee(days) {
  return days * 0.125;
}
