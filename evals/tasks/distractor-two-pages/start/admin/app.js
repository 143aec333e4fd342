document.getElementById("save").addEventListener("click", () => {
  document.getElementById("state").textContent = "saved";
});
