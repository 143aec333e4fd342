export function weightText(grams) {
  return (grams / 1000).toFixed(1) + " kg";
}
