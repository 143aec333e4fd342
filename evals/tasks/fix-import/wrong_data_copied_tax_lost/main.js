const prices = { Hammer: 12, Saw: 18, Ladder: 60, Bucket: 5 };
const withTax = (price) => price;

function show(change) {
  const rows = document.getElementById("prices");
  rows.replaceChildren();
  for (const [name, price] of Object.entries(prices)) {
    const row = rows.insertRow();
    row.insertCell().textContent = name;
    row.insertCell().textContent = change(price).toFixed(2);
  }
}

document.getElementById("tax").addEventListener("click", () => show(withTax));
show((price) => price);
