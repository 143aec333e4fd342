const deposit = 0.3;
function bookingFee(price) {
  return price * deposit;
}
