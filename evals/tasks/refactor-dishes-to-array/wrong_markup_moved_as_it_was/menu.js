document.getElementById("dishes").innerHTML = [`
<li class="dish" data-diet="meat"><span class="name">Lasagne</span> <span class="price">9.80</span></li>
<li class="dish" data-diet="vegetarian"><span class="name">Lentil soup</span> <span class="price">6.40</span></li>
<li class="dish" data-diet="fish"><span class="name">Fried trout</span> <span class="price">13.20</span></li>
<li class="dish" data-diet="vegetarian"><span class="name">Mushroom risotto</span> <span class="price">10.50</span></li>
<li class="dish" data-diet="meat"><span class="name">Goulash</span> <span class="price">11.90</span></li>
<li class="dish" data-diet="vegetarian"><span class="name">Apple pancake</span> <span class="price">7.60</span></li>
`].join("");
