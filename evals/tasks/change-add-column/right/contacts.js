const people = [{ name: "Mia", city: "Graz", phone: "555-0100" }];

function show() {
  const rows = document.getElementById("rows");
  rows.replaceChildren();
  for (const person of people) {
    const row = rows.insertRow();
    row.insertCell().textContent = person.name;
    row.insertCell().textContent = person.city;
    row.insertCell().textContent = person.phone;
  }
}

document.getElementById("add").addEventListener("submit", (event) => {
  event.preventDefault();
  people.push({ name: document.getElementById("name").value, city: document.getElementById("city").value, phone: document.getElementById("phone").value });
  show();
});

show();
