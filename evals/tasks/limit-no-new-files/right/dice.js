let rolls = 0;
let sum = 0;

function rollDice() {
  return 1 + Math.floor(Math.random() * 6);
}

document.getElementById("roll").addEventListener("click", () => {
  rolls += 1;
  const rolled = rollDice();
  sum += rolled;
  document.getElementById("result").textContent = rolled;
  document.getElementById("rolls").textContent = rolls;
  document.getElementById("average").textContent = (sum / rolls).toFixed(1);
});
