export function powerText(value) {
  return (value / 100).toFixed(1) + " kW";
}
