const people = [{ name: "Mia", city: "Graz" }];

function show() {
  const rows = document.getElementById("rows");
  rows.replaceChildren();
  for (const person of people) {
    const row = rows.insertRow();
    row.insertCell().textContent = person.name;
    row.insertCell().textContent = person.city;
  }
}

document.getElementById("add").addEventListener("submit", (event) => {
  event.preventDefault();
  people.push({ name: document.getElementById("name").value, city: document.getElementById("city").value });
  show();
});

show();
