export function areaText(value) {
  return (value / 1000).toFixed(1) + " ha";
}
