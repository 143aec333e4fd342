export function areaText(value) {
  return (value / 100).toFixed(1) + " ha";
}
