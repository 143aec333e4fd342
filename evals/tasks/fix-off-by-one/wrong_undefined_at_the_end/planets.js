const planets = ["Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"];
const list = document.getElementById("planets");
for (let i = 1; i <= planets.length; i++) {
  const entry = document.createElement("li");
  entry.textContent = planets[i];
  list.append(entry);
}
document.getElementById("number").textContent = list.children.length + " planets";
