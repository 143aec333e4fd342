const country = document.getElementById("country");
for (const name of Object.values(zones).flat().sort()) country.append(new Option(name));

function zoneOf(name) {
  return Object.keys(zones).find((zone) => zones[zone].includes(name));
}

document.getElementById("parcel").addEventListener("submit", async (event) => {
  event.preventDefault();
  const rates = await (await fetch("rates.json")).json();
  const weight = Number(document.getElementById("weight").value);
  const rate = rates[zoneOf(country.value)].find((one) => weight <= one.upTo);
  document.getElementById("price").textContent = rate ? rate.price.toFixed(2) + " euros" : "Too heavy";
});
