export function sizeText(mm) {
  return (mm / 10).toFixed(1) + " cm";
}
