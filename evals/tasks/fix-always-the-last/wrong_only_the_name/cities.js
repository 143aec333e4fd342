var cities = [
  { name: "Lyon", people: "520 000" },
  { name: "Porto", people: "230 000" },
  { name: "Ghent", people: "260 000" },
  { name: "Turin", people: "850 000" },
];

for (var i = 0; i < cities.length; i++) {
  var city = cities[i];
  var button = document.createElement("button");
  button.textContent = city.name;
  button.addEventListener("click", function () {
    document.getElementById("info").textContent = this.textContent + ": " + city.people + " inhabitants";
  });
  document.getElementById("buttons").append(button);
}
