fetch("data/hours.json")
  .then((answer) => answer.json())
  .then((hours) => {
    document.getElementById("hours").textContent = "Open from " + hours.from + " to " + hours.to + ".";
  });
