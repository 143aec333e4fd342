document.getElementById("remove-last").addEventListener("click", () => {
  const entries = document.querySelectorAll("#cart li");
  if (entries.length) entries[entries.length - 1].remove();
});
document.getElementById("empty").addEventListener("click", () => {
  document.getElementById("cart").replaceChildren();
});
