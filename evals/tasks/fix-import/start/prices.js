export const prices = {
  Hammer: 12,
  Saw: 18,
  Ladder: 60,
  Bucket: 5,
};

export function withTax(price) {
  return price * 1.25;
}
