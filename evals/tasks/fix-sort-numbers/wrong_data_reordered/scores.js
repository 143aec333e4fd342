const scores = [100, 81, 25, 9, 7];

function show() {
  document.getElementById("scores").innerHTML = scores.map((score) => `<li>${score}</li>`).join("");
}

document.getElementById("sort").addEventListener("click", () => {
  
  show();
});

show();
