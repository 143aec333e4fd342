const field = document.getElementById("new-item");
document.getElementById("add").addEventListener("click", () => {
  const text = field.value.trim();
  if (!text) return;
  const entry = document.createElement("li");
  entry.textContent = text + " ";
  const button = document.createElement("button");
  button.textContent = "Delete";
  button.onclick = () => entry.remove();
  entry.append(button);
  document.getElementById("items").append(entry);
  field.value = "";
});
