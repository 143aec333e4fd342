const later = [
  ["8:50", "Graz", "2"],
  ["9:05", "Basel", "3"],
  ["9:20", "Ulm", "1"],
];

document.getElementById("later").addEventListener("click", () => {
  const rows = document.querySelector("#trains tbody");
  for (const train of later.splice(0)) {
    const row = rows.insertRow();
    for (const text of train) row.insertCell().textContent = text;
  }
});
