const button = document.getElementById("greet");
button.addEventListener("click", () => {
  document.getElementById("greeting").textContent = "Hello, " + document.getElementById("who").value + "!";
});
