const scores = [7, 100, 25, 9, 81];

function show() {
  document.getElementById("scores").innerHTML = scores.map((score) => `<li>${score}</li>`).join("");
}

document.getElementById("sort").addEventListener("click", () => {
  scores.sort((a, b) => b - a);
  show();
});

show();
