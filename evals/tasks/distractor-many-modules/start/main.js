import { sizeText } from "./size.js";
import { weightText } from "./weight.js";
document.getElementById("size").textContent = sizeText(30);
document.getElementById("weight").textContent = weightText(1500);
