const dishes = [
  { name: "Lasagne", price: 9.8, diet: "meat" },
  { name: "Lentil soup", price: 6.4, diet: "vegetarian" },
  { name: "Fried trout", price: 13.2, diet: "fish" },
  { name: "Mushroom risotto", price: 10.5, diet: "vegetarian" },
  { name: "Goulash", price: 11.9, diet: "meat" },
  { name: "Apple pancake", price: 7.6, diet: "vegetarian" },
];

for (const dish of dishes) {
  const entry = document.createElement("li");
  entry.className = "dish";
  entry.dataset.diet = dish.diet;
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = dish.name;
  const price = document.createElement("span");
  price.className = "price";
  price.textContent = dish.price;
  entry.append(name, " ", price);
  document.getElementById("dishes").append(entry);
}
