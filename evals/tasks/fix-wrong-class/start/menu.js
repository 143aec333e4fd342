const menu = document.getElementById("menu");
document.getElementById("menu-button").addEventListener("click", () => {
  menu.classList.toggle("close");
});
