// calc turns a net price into a gross price.
function calc(net) {
  return net * 1.2;
}

function calcNote(net) {
  return "Tax: " + (calc(net) - net).toFixed(2);
}
