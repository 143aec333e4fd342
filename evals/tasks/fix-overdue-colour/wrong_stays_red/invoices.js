const invoices = [
  { number: 301, customer: "Bakery Lund", amount: "120.00", overdue: false },
  { number: 302, customer: "Hotel Krone", amount: "840.50", overdue: true },
  { number: 303, customer: "Garage Weiss", amount: "65.20", overdue: false },
  { number: 304, customer: "School of Music", amount: "310.00", overdue: true },
];

const rows = document.querySelector("#invoices tbody");

for (const invoice of invoices) {
  const row = rows.insertRow();
  for (const text of [invoice.number, invoice.customer, invoice.amount]) row.insertCell().textContent = text;
  row.classList.toggle("overdue", invoice.overdue);
  if (invoice.overdue) for (const cell of row.cells) cell.style.color = "rgb(200, 0, 0)";
  const paid = document.createElement("button");
  paid.textContent = "Paid";
  paid.addEventListener("click", () => {
    row.classList.remove("overdue");
    paid.remove();
  });
  row.insertCell().append(paid);
}
