// Used by loans.html and children.html; each page brings its own loanFee.
document.getElementById("calculate").addEventListener("click", () => {
  const days = Number(document.getElementById("days").value);
  document.getElementById("fee").textContent = Math.min(loanFee(days), 10).toFixed(2);
});
