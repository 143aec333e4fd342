document.getElementById("hello").onclick = () => {
  document.getElementById("text").textContent = "Good morning";
};
