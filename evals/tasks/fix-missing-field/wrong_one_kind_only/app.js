const list = document.getElementById("members");

for (const member of members) {
  const item = document.createElement("li");
  if (member.address) {
    item.textContent = member.name + " (" + member.address.city + ")";
  } else {
    item.textContent = member.name;
  }
  list.append(item);
}

document.getElementById("number").textContent = list.children.length + " members";
