function showTotal() {
  let total = 0;
  for (const entry of document.querySelectorAll("#cart li")) total += Number(entry.dataset.price);
  document.getElementById("total").textContent = total.toFixed(2);
}
document.getElementById("remove-last").addEventListener("click", () => {
  const entries = document.querySelectorAll("#cart li");
  if (entries.length) entries[entries.length - 1].remove();
  showTotal();
});
showTotal();
