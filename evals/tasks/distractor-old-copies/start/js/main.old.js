document.getElementById("hello").onclick = function () {
  document.getElementById("text").textContent = "Good morning";
};
