export function speedText(value) {
  return (value / 100).toFixed(1) + " km/h";
}
