document.getElementById("show").addEventListener("click", () => {
  const net = Number(document.getElementById("net").value);
  document.getElementById("gross").textContent = grossPrice(net).toFixed(2);
  document.getElementById("note").textContent = calcNote(net);
});
