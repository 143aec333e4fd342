const keys = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", p: "pause" };
let lives = settings.lives;
let paused = false;

document.addEventListener("keydown", (event) => {
  const action = keys[event.key];
  if (action === "pause") paused = !paused;
});
