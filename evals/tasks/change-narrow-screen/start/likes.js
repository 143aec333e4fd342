for (const button of document.querySelectorAll(".like")) {
  const likes = button.parentElement.querySelector(".likes");
  button.addEventListener("click", () => {
    likes.textContent = Number(likes.textContent) + 1;
  });
}
