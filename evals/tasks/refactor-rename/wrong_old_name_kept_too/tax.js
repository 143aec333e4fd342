// calc turns a net price into a gross price.
const calc = grossPrice;
function grossPrice(net) {
  return net * 1.2;
}

function calcNote(net) {
  return "Tax: " + (calc(net) - net).toFixed(2);
}
