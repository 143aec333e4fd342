const days = [["Monday", 12], ["Tuesday", 15], ["Wednesday", 9]];
for (const [day, degrees] of days) {
  const entry = document.createElement("li");
  entry.textContent = day + ": " + degrees + " degrees";
  document.getElementById("days").append(entry);
}
