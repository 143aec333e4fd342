const list = document.getElementById("members");

for (const member of members) {
  const item = document.createElement("li");
  const city = member.address?.city;
  item.textContent = city ? member.name + " (" + city + ")" : member.name;
  list.append(item);
}

document.getElementById("number").textContent = list.children.length + " members";
