export function weightText(grams) {
  return (grams / 100).toFixed(1) + " kg";
}
