const list = document.getElementById("members");

for (const member of members) {
  const item = document.createElement("li");
  item.textContent = member.name + " (" + (member.address?.city || "") + ")";
  list.append(item);
}

document.getElementById("number").textContent = list.children.length + " members";
