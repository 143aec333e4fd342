document.getElementById("equals").addEventListener("click", () => {
  const first = document.getElementById("first").value;
  const second = document.getElementById("second").value;
  document.getElementById("sum").textContent = Number(first) + Number(second);
});
