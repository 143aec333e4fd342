const entries = document.querySelectorAll(".dish");
const number = document.getElementById("number");
let vegetarianOnly = false;

function showEntries() {
  let shown = 0;
  for (const entry of entries) {
    entry.hidden = vegetarianOnly && entry.dataset.diet !== "vegetarian";
    if (!entry.hidden) shown++;
  }
  number.textContent = shown;
}

document.getElementById("vegetarian").addEventListener("click", () => {
  vegetarianOnly = !vegetarianOnly;
  showEntries();
});
showEntries();
