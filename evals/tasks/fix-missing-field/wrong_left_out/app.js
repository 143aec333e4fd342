const list = document.getElementById("members");

for (const member of members) {
  const item = document.createElement("li");
  if (!member.address || !member.address.city) continue;
  item.textContent = member.name + " (" + member.address.city + ")";
  list.append(item);
}

document.getElementById("number").textContent = list.children.length + " members";
