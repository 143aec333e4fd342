let shown = 0;
const words = ["red", "green", "blue"];
document.getElementById("next").addEventListener("click", () => {
  shown = (shown + 1) % words.length;
  document.getElementById("word").textContent = words[shown];
});
