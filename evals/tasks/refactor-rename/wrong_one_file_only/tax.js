// calc turns a net price into a gross price.
function grossPrice(net) {
  return net * 1.2;
}

function calcNote(net) {
  return "Tax: " + (grossPrice(net) - net).toFixed(2);
}
