const dishes = [
  { name: "Lasagne", price: "9.80", diet: "meat" },
  { name: "Lentil soup", price: "6.40", diet: "vegetarian" },
  { name: "Fried trout", price: "13.20", diet: "fish" },
  { name: "Mushroom risotto", price: "10.50", diet: "vegetarian" },
  { name: "Goulash", price: "11.90", diet: "meat" },
  { name: "Apple pancake", price: "7.60", diet: "vegetarian" },
];

for (const dish of dishes) {
  const entry = document.createElement("li");
  entry.className = "dish";
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = dish.name;
  const price = document.createElement("span");
  price.className = "price";
  price.textContent = dish.price;
  entry.append(name, " ", price);
  document.getElementById("dishes").append(entry);
}
