let rolls = 0;

function rollDice() {
  return 1 + Math.floor(Math.random() * 6);
}

document.getElementById("roll").addEventListener("click", () => {
  rolls += 1;
  document.getElementById("result").textContent = rollDice();
  document.getElementById("rolls").textContent = rolls;
});
