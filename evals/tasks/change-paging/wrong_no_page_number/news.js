const news = [
  { title: "Bakery opens on Sundays", text: "Fresh rolls from 8 to 11." },
  { title: "Bridge closed in May", text: "Use the road past the mill." },
  { title: "New trees on the square", text: "Six lime trees were planted." },
  { title: "Choir looks for voices", text: "Rehearsals are on Tuesdays." },
  { title: "Bus 12 runs later", text: "The last one leaves at 23:40." },
  { title: "Book sale in the library", text: "Each book costs one euro." },
  { title: "Pool gets a slide", text: "It is thirty metres long." },
  { title: "Market moves indoors", text: "From November to March." },
  { title: "Lost cat found", text: "Minka is home again." },
  { title: "Water is off on Friday", text: "From 9 to 12 in Mill Street." },
  { title: "Football club wins", text: "Three to one against the neighbours." },
  { title: "Fire brigade turns 100", text: "The party is on the first of June." },
];

const list = document.getElementById("news");

for (const entry of news) {
  const item = document.createElement("li");
  const head = document.createElement("h2");
  const text = document.createElement("p");
  head.textContent = entry.title;
  text.textContent = entry.text;
  text.hidden = true;
  head.addEventListener("click", () => {
    text.hidden = !text.hidden;
  });
  item.append(head, text);
  list.append(item);
}

document.getElementById("large").addEventListener("click", () => {
  document.body.classList.toggle("large");
});

const size = 5;
const pages = Math.ceil(news.length / size);
let current = 0;

function showPage() {
  [...list.children].forEach((item, place) => {
    item.hidden = Math.floor(place / size) !== current;
  });
  document.getElementById("previous").disabled = current === 0;
  document.getElementById("next").disabled = current === pages - 1;
}

document.getElementById("previous").addEventListener("click", () => {
  current -= 1;
  showPage();
});
document.getElementById("next").addEventListener("click", () => {
  current += 1;
  showPage();
});
showPage();
