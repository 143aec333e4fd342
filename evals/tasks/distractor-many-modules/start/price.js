export function priceText(value) {
  return (value / 100).toFixed(1) + " EUR";
}
