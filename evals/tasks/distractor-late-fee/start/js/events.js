fetch("data/events.json")
  .then((answer) => answer.json())
  .then((events) => {
    for (const event of events) {
      const item = document.createElement("li");
      item.textContent = event.title + " (" + event.fee.toFixed(2) + " euros)";
      document.getElementById("events").append(item);
    }
  });
