// An example of how the pages save:
// document.getElementById("state").textContent = "saved";
