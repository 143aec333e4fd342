export function volumeText(value) {
  return (value / 100).toFixed(1) + " l";
}
