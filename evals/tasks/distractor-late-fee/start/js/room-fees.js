// The fee for a reading room: 4 euros an hour, at most 20 euros. Not in use before summer.
function roomFee(hours) {
  return Math.min(hours * 4, 20);
}
