export function volumeText(value) {
  return (value / 1000).toFixed(1) + " l";
}
