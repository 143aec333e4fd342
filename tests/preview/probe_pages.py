"""Pages that were used once: what is to be told of them, and right ones of which nothing is."""

from collections.abc import Mapping

__all__ = ["FAULTS", "RIGHT", "Files", "html"]

Files = Mapping[str, str]


def html(body: str, script: str = "") -> dict[str, str]:
    """A page whose script's first line is line 1 of app.js."""
    return {"index.html": f"<!doctype html><title>t</title>{body}<script src=app.js></script>", "app.js": script}


FAULTS: dict[str, tuple[Files, int, int, list[str]]] = {
    # Files, fields that are filled, controls that are clicked, lines.
    "one of three buttons has no handler": (
        html(
            "<button id=a>Home</button><button id=b>News</button><button id=c>Contact</button><p id=p></p>",
            "for (const one of [a, b]) one.addEventListener('click', () => { p.textContent = one.id });",
        ),
        0,
        3,
        ['the button "Contact" has no click handler'],
    ),
    "only the first of many got its handler": (
        html(
            "".join(f"<button class=tab>Tab {n}</button>" for n in range(6)),
            "document.querySelector('.tab').onclick = () => {};",
        ),
        0,
        6,
        ['the buttons "Tab 1", "Tab 2", "Tab 3" and 2 more have no click handler'],
    ),
    "buttons of all kinds": (
        html(
            "<input type=button value=Go><div role=button tabindex=0 id=x style='height:9px'></div>"
            "<form action=save.html><button type=button title='Add one'></button></form>",
        ),
        0,
        3,
        ['the buttons "Go", #x and "Add one" have no click handler'],
    ),
    "buttons that were made by a script": (
        html(
            "<button id=add>Add</button><ul id=list></ul>",
            "add.onclick = () => { list.innerHTML = '<li>Milk <button>Delete</button></li>' };",
        ),
        0,
        2,
        ['the button "Delete" has no click handler'],
    ),
    "fields that nothing listens to, where there is nothing to press": (
        html("<input type=number id=kilo><input id=pound><p id=p></p>", "p.textContent = kilo.value;"),
        2,
        0,
        ["the fields #kilo and #pound have no input handler"],
    ),
    "a field without any script": (
        {"index.html": "<title>t</title><input id=q>"},
        1,
        0,
        ["the field #q has no input handler"],
    ),
    "a table whose rows lack a cell": (
        html(
            "<table id=t><thead><tr><th>Name<th>City<th>Phone</thead><tbody></tbody></table>",
            "t.tBodies[0].innerHTML = '<tr><td>Mia<td>Graz</tr>';",
        ),
        0,
        0,
        ["the table #t has a row of 2 cells under a header of 3"],
    ),
    "a filter that never brings its entries back": (
        html(
            "<input id=filter><ul id=list><li>Rye<li>Spelt<li>Oat</ul>",
            "filter.addEventListener('input', () => { for (const one of [...list.children]) "
            "if (!one.textContent.includes(filter.value)) one.remove(); });",
        ),
        1,
        0,
        [
            "typing into #filter takes 3 entries away, and emptying it does not bring them back: hide them with "
            "style.display and show them again"
        ],
    ),
    "a list that is emptied before it is filtered": (
        html(
            "<input id=seek><ul id=list><li>Ada</li><li>Bob</li></ul>",
            "seek.oninput = () => { list.innerHTML = ''; for (const li of list.children) list.append(li) };",
        ),
        1,
        0,
        [
            "typing into #seek takes 2 entries away, also where all of them match: hide them with style.display and "
            "show them again"
        ],
    ),
    "a count of entries that counts what is hidden": (
        html(
            "<input id=seek><ul id=list><li>Ada</li><li>Bob</li></ul><p id=hits>2 hits</p>",
            "seek.oninput = () => { for (const li of list.children) li.hidden = !li.textContent.includes(seek.value);\n"
            "hits.textContent = list.children.length + ' hits' };",
        ),
        1,
        0,
        ["#hits counts all entries when #seek hides them: count only those that match"],
    ),
    "a result that is empty until a slider is moved": (
        html(
            "<input type=range id=red value=8><output id=code></output>",
            "red.oninput = () => { code.textContent = '#' + red.value; };",
        ),
        0,
        0,
        ["#code is empty until #red is changed: call what fills it once at the start of the script"],
    ),
    "a number that is wrong until something is typed": (
        html(
            "<input id=filter><p>Hits: <b id=hits>0</b></p><ul id=list><li>Rye<li>Spelt</ul>",
            "filter.oninput = () => { hits.textContent = [...list.children].filter("
            "one => one.textContent.includes(filter.value)).length };",
        ),
        1,
        0,
        ['index.html: #hits shows "0" until something is typed, then "2": write "2" there'],
    ),
    "headings that are sorted like the rows": (
        html(
            "<table id=t><tr><th>Name<th>Age</tr><tr><td>Al<td>3</tr><tr><td>Bo<td>2</tr></table>"
            "<button id=sort>Sort</button>",
            "sort.onclick = () => { const rows = [...t.rows];\n"
            "rows.sort((a, b) => a.cells[1].textContent < b.cells[1].textContent ? -1 : 1);\n"
            "rows.forEach(row => t.tBodies[0].append(row)) };",
        ),
        0,
        1,
        ["the row of headings of the table #t is moved by a click: sort only the rows below it"],
    ),
    "an error in a handler": (
        html(
            "<button onclick=calculate()>Calculate</button>",
            "function calculate() {\n  document.getElementById('result').textContent = 1;\n}",
        ),
        0,
        1,
        ["after a click on \"Calculate\": app.js:2 TypeError: Cannot set properties of null (setting 'textContent')"],
    ),
    "the same error of many buttons": (
        html(
            "".join(f"<button onclick=press({n})>{n}</button>" for n in range(4)), "function press(n) {\n  shown(n);\n}"
        ),
        0,
        4,
        ['after a click on "0": app.js:2 ReferenceError: shown is not defined'],
    ),
    "a rejected promise": (
        html(
            "<button id=b>Save</button>",
            "b.addEventListener('click', async () => {\n  await null;\n  throw new Error('not saved');\n});",
        ),
        0,
        1,
        ['after a click on "Save": app.js:3 Uncaught (in promise) Error: not saved'],
    ),
    "an error that was caught and logged": (
        html(
            "<button id=b>Save</button>",
            "b.onclick = () => {\n  try {\n    nope();\n  } catch (e) { console.error('failed', e) }\n};",
        ),
        0,
        1,
        ['after a click on "Save": app.js:3 failed ReferenceError: nope is not defined'],
    ),
    "an error after a short while": (
        html("<button id=b>Start</button>", "b.onclick = () => setTimeout(() => {\n  tick();\n}, 30);"),
        0,
        1,
        ['after a click on "Start": app.js:2 ReferenceError: tick is not defined'],
    ),
    "a file that is not there": (
        html("<button id=b>Load</button>", "b.onclick = async () => {\n  await fetch('data.json');\n};"),
        0,
        1,
        ['after a click on "Load": app.js:2 data.json not found'],
    ),
    "a page that is not there": (
        html("<button onclick=\"location.href = 'result.html'\">Result</button><p>x"),
        0,
        1,
        ['after a click on "Result": result.html not found'],
    ),
    "a press of the mouse": (
        html("<button id=b>Draw</button>", "b.onpointerdown = () => {\n  pen.down();\n};"),
        0,
        1,
        ['after a click on "Draw": app.js:2 ReferenceError: pen is not defined'],
    ),
    "typing": (
        html(
            "<input id=celsius type=number><p id=out></p>",
            "celsius.addEventListener('input', () => {\n  result.textContent = celsius.value;\n});",
        ),
        1,
        0,
        ["after typing into #celsius: app.js:2 ReferenceError: result is not defined"],
    ),
    "keys and changes": (
        html(
            "<input name=city><select id=unit><option value=''>unit<option>m</select>",
            "document.querySelector('input').onkeyup = () => {\n  keys();\n};\nunit.onchange = () => {\n  units();\n};",
        ),
        2,
        0,
        [
            'after typing into "city": app.js:2 ReferenceError: keys is not defined',
            "after typing into #unit: app.js:5 ReferenceError: units is not defined",
        ],
    ),
    "a sum that is no number": (
        html(
            "<input id=bill type=number><button id=b>Calculate</button><p id=total></p>",
            "b.onclick = () => { total.textContent = '$' + (bill.valeu * 1.2).toFixed(2) };",
        ),
        1,
        1,
        ['after a click on "Calculate" the page shows NaN in #total'],
    ),
    "a sum that is no number, also with numbers in a field of text": (
        html(
            "<input id=what><button id=b>Calculate</button><p id=total></p>",
            "b.onclick = () => { total.textContent = what.value * total.size };",
        ),
        1,
        1,
        ['after a click on "Calculate" the page shows NaN in #total'],
    ),
    "values that are not there": (
        html(
            "<input id=who><button id=b>Greet</button><p><b></b></p><p id=o></p>",
            "const bold = document.querySelector('b');\n"
            "b.onclick = () => { bold.textContent = `Hello ${who.text}!`; o.textContent = {} + 1 };",
        ),
        1,
        1,
        [
            'after a click on "Greet" the page shows undefined',
            'after a click on "Greet" the page shows [object Object] in #o',
        ],
    ),
    "a broken result in a field and in a dialog": (
        html(
            "<button id=a>A</button><button id=b>B</button><input id=r readonly>",
            "a.onclick = () => { r.value = Number('x') }; b.onclick = () => alert('Total: ' + undefined);",
        ),
        0,
        2,
        [
            'after a click on "A" the page shows NaN in #r',
            'after a click on "B" an alert shows undefined',
        ],
    ),
    "a broken result while typing": (
        html(
            "<input id=f type=number><p id=c></p>",
            "f.oninput = () => { c.textContent = Math.round((f.val - 32) / 1.8) };",
        ),
        1,
        0,
        ["after typing into #f the page shows NaN in #c"],
    ),
    "a broken value at once": (
        html("<p id=note></p>", "note.textContent = localStorage.getItem('note');\nnote.textContent += null;"),
        0,
        0,
        ["the page shows null in #note"],
    ),
    "a form that throws away what was typed": (
        html(
            "<form id=f><input type=email name=mail required><button>Sign up</button></form><p id=p></p>",
            "f.addEventListener('submit', () => { p.textContent = 'Thanks' });",
        ),
        1,
        1,
        [
            'a click on "Sign up" reloads the page: call event.preventDefault() in the submit handler, or give the '
            'button type="button"'
        ],
    ),
    "a form that nobody handles": (
        html("<form><input name=mail><button>Sign up</button></form>"),
        1,
        1,
        ['a click on "Sign up" reloads the page: the form has no submit handler'],
    ),
    "a form that nobody handles and that cannot be sent": (
        html("<form action=#><label><input type=checkbox required>I agree</label><button>Join</button></form>"),
        0,
        1,
        ['the form of the button "Join" has no submit handler'],
    ),
    "a link to a part that is not there": (
        html("<nav><a href=#home>Home</a> <a href=#news>News</a> <a href=#>Top</a></nav><h2 id=home>Home</h2>"),
        0,
        0,
        ['the link "News" leads nowhere: no element has id="news"'],
    ),
    "links to parts that stay hidden": (
        html(
            "<style>div{display:none}</style><a href=#home>Home</a><a href=#news>News</a><div id=home>a</div>"
            "<div id=news>b</div>",
            "document.querySelector('a').click();",
        ),
        0,
        0,
        [
            'the link "Home" does nothing: #home is hidden and no click handler shows it',
            'the link "News" does nothing: #news is hidden and no click handler shows it',
        ],
    ),
    "tabs of a library that is not there": (
        html(
            "<a role=tab data-toggle=tab href=#a>A</a><a role=tab data-toggle=tab href=#b>B</a>"
            "<a data-bs-toggle=collapse href=#b>C</a><p id=a>a</p><p id=b>b</p>",
        ),
        0,
        3,
        ['the tabs "A" and "B" have no click handler', 'the link "C" has no click handler'],
    ),
    "a shadow tree": (
        html(
            "<x-card></x-card>",
            "customElements.define('x-card', class extends HTMLElement {\n  connectedCallback() {\n"
            "    const root = this.attachShadow({mode: 'open'});\n"
            "    root.innerHTML = '<button id=a>A</button><button id=b>B</button><p></p>';\n"
            "    root.querySelector('#a').onclick = () => {\n      root.querySelector('p').textContent = this.sum();\n"
            "    };\n  }\n});",
        ),
        0,
        2,
        [
            'after a click on "A": app.js:6 TypeError: this.sum is not a function',
            'the button "B" has no click handler',
        ],
    ),
    "a picture that is not there is told by the load": (
        html("<img src=no.png><button>Go</button>"),
        0,
        1,
        ['the button "Go" has no click handler'],
    ),
}


RIGHT: dict[str, tuple[Files, int, int]] = {
    # Files, fields that are filled, controls that are clicked.
    "results that are there from the start, or wait for something to be typed": (
        html(
            "<input type=range id=red value=8><output id=code>#8</output><input id=who><p id=hello></p>",
            "red.oninput = () => { code.textContent = '#' + red.value; };"
            "who.oninput = () => { hello.textContent = 'Hello ' + who.value; };",
        ),
        1,
        0,
    ),
    "a filter that brings its entries back": (
        html(
            "<input id=filter><input id=other><ul id=list><li>Rye<li>Spelt<li>Oat</ul>",
            "filter.addEventListener('input', () => { for (const one of list.children) "
            "one.style.display = one.textContent.includes(filter.value) ? '' : 'none'; });"
            "other.oninput = () => { list.innerHTML = other.value ? '' : '<li>Rye<li>Spelt<li>Oat'; };",
        ),
        2,
        0,
    ),
    "a field that takes what was typed into a list": (
        html("<input id=one><ul id=list></ul>", "one.onkeyup = () => { list.append(document.createElement('li')); };"),
        1,
        0,
    ),
    "fields without buttons that are listened to in many ways": (
        html(
            "<div id=all><input type=number><input></div><input id=k onkeyup='p.textContent = this.value'><p id=p></p>",
            "all.addEventListener('change', () => {});",
        ),
        3,
        0,
    ),
    "a field that only shows a result": (
        html("<input type=number id=c><input type=number id=f>", "c.oninput = () => { f.value = c.value * 1.8 + 32 };"),
        1,
        0,
    ),
    "tables of many shapes": (
        {
            "index.html": "<title>t</title><table><tr><th>A<th>B<tr><th>x<td>1<tr><td>2<td>3</table>"
            "<table><tr><th colspan=2>A<tr><td>1<td>2</table><table><tr><td>A<tr><td>1<td>2</table>"
            "<table><tr><th>A<th>B<tr><td>none<tfoot><tr><td>sum</tfoot></table>"
        },
        0,
        0,
    ),
    "a count of entries that can be seen": (
        html(
            "<input id=seek><ul id=list><li>Ada</li><li>Bob</li></ul><p id=hits>2 hits</p><p id=all>2 in all</p>",
            "seek.oninput = () => { let n = 0; for (const li of list.children) {\n"
            "li.hidden = !li.textContent.includes(seek.value); n += !li.hidden }; hits.textContent = n + ' hits' };",
        ),
        1,
        0,
    ),
    "numbers that typing may change": (
        html(
            "<textarea id=note></textarea><p id=left>100 left</p><input id=name><p id=length></p><p id=clock>1</p>"
            "<p>Edits: <b id=edits>0</b></p><p id=lot>5</p><p id=made></p>",
            "note.oninput = () => { left.textContent = 100 - note.value.length + ' left' };\n"
            "document.getElementById('name').oninput = event => { length.textContent = event.target.value.length };\n"
            "document.getElementById('name').addEventListener('input', event => { event.data.length;\n"
            "edits.textContent = +edits.textContent + 1; lot.textContent = Math.random() * 1e9 | 0;\n"
            "made.textContent = note.value.length + 7 });\nmade.textContent = 3;\n"
            "setInterval(() => { clock.textContent = +clock.textContent + 1 }, 5);",
        ),
        2,
        0,
    ),
    "a heading row that stays, under a title row": (
        html(
            "<table id=t><tr><th>Name<th>Age</tr><tr><td>Al<td>3</tr></table><button id=more>More</button>",
            "more.onclick = () => { t.tBodies[0].insertAdjacentHTML('afterbegin', '<tr><th colspan=2>All</tr>') };",
        ),
        0,
        1,
    ),
    "a field of a form": ({"index.html": "<title>t</title><form><input name=q></form>"}, 1, 0),
    "a plain text": ({"index.html": "<h1>Tips</h1><p>Bill</p><details><summary>More</summary>x</details>"}, 0, 0),
    "handlers of many kinds": (
        html(
            "<button onclick='p.textContent = 1'>A</button><button id=b>B</button><button id=c>C</button>"
            "<button id=d>D</button><p id=p></p>",
            "b.onclick = () => {}; c.addEventListener('mousedown', () => {});\n"
            "d.addEventListener('touchstart', () => {});",
        ),
        0,
        4,
    ),
    "handlers of a parent, the document and the window": (
        html(
            "<div id=keys><button>1</button><button>2</button></div><nav><button data-page=x>x</button></nav>",
            "keys.addEventListener('click', e => { document.title = e.target.innerText });\n"
            "window.addEventListener('click', () => {}, true);",
        ),
        0,
        3,
    ),
    "handlers of a module that comes later": (
        {
            "index.html": "<button id=b>B</button><script type=module src=main.mjs></script>",
            "main.mjs": "import {start} from './lib.js';\nconst data = await (await fetch('data.json')).json();\n"
            "requestAnimationFrame(() => start(data));",
            "lib.js": "const b = document.getElementById('b');\n"
            "export const start = data => b.addEventListener('click', () => data);",
            "data.json": "{}",
        },
        0,
        1,
    ),
    "handlers that are set long after the load": (
        html(
            "<button id=b>B</button>",
            "document.addEventListener('DOMContentLoaded', () => setTimeout(() => { b.onclick = () => {} }, 400));",
        ),
        0,
        1,
    ),
    "handlers that are set by another button": (
        html(
            "<button id=b>Stop</button><button id=a>Start</button>",
            "a.onclick = () => { b.onclick = () => {} };",
        ),
        0,
        2,
    ),
    "handlers that are used once": (
        html(
            "<button id=a>A</button><button id=b>B</button><button id=c>C</button>",
            "a.addEventListener('click', () => {}, {once: true}); b.onclick = () => { b.onclick = null };"
            "c.onclick = () => c.remove();",
        ),
        0,
        3,
    ),
    "a whole app that is drawn anew after each click": (
        html(
            "<div id=app></div>",
            "let n = 0;\nfunction render() {\n  app.innerHTML = `<p>${n}</p>`;\n  for (const d of [1, -1]) {\n"
            "    const b = document.createElement('button');\n    b.textContent = d > 0 ? 'more' : 'less';\n"
            "    b.onclick = () => { n += d; render() };\n    app.append(b);\n  }\n}\nrender();",
        ),
        0,
        2,
    ),
    "a game that ends with buttons that do nothing more": (
        html(
            "<div id=board></div>",
            "function draw(over) {\n  board.innerHTML = '<button>?</button><button>?</button>';\n"
            "  if (!over) for (const b of board.children) b.onclick = () => draw(true);\n}\ndraw(false);",
        ),
        0,
        2,
    ),
    "buttons that the browser itself handles": (
        html(
            "<button popovertarget=p>Menu</button><div popover id=p>x</div><form><input id=i value=1>"
            "<button type=reset>Reset</button></form><a href=other.html><button>Other</button></a>"
            "<dialog open><form method=dialog><button>Close</button></form></dialog>",
        )
        | {"other.html": "<p>x"},
        0,
        4,
    ),
    "a menu made by styles alone": (
        html("<button>Menu</button><ul><li>x</ul><style>ul{display:none} button:focus + ul{display:block}</style>"),
        0,
        1,
    ),
    "disabled, hidden, covered": (
        html(
            "<button disabled>A</button><fieldset disabled><button>B</button></fieldset><button hidden>C</button>"
            "<button style='visibility:hidden'>D</button><button aria-disabled=true>E</button>"
            "<div inert><button>F</button></div><div style='position:fixed;inset:0'></div>"
            "<button onclick='no()'>G</button>",
        ),
        0,
        0,
    ),
    "tabs": (
        html(
            "<button data-for=a>A</button><button data-for=b>B</button><p id=a>a</p><p id=b hidden>b</p>",
            "document.querySelectorAll('button').forEach(one => one.addEventListener('click', () =>\n"
            "  document.querySelectorAll('p').forEach(p => { p.hidden = p.id !== one.dataset.for })));",
        ),
        0,
        2,
    ),
    "a modal that covers the page": (
        html(
            "<button id=open>Open</button><button id=more>More</button><div id=m style='position:fixed;inset:0' hidden>"
            "<button id=close>Close</button></div>",
            "const on = (id, act) => document.getElementById(id).addEventListener('click', act);\n"
            "on('open', () => { m.hidden = false }); on('close', () => { m.hidden = true }); on('more', () => {});",
        ),
        0,
        3,
    ),
    "dialogs": (
        html(
            "<button id=a>Delete</button><button id=b>Rename</button><p id=p>x</p>",
            "a.onclick = () => { if (confirm('Sure?')) p.remove(); };\n"
            "b.onclick = () => { p.textContent = prompt('Name?').trim() };",
        ),
        0,
        2,
    ),
    "a question that got no answer": (
        html("<button id=b>Hi</button><p id=p></p>", "b.onclick = () => { p.textContent = 'Hi ' + prompt('Name?') };"),
        0,
        1,
    ),
    "popups, downloads, printing, close": (
        html(
            "<button id=a>A</button><button id=b>B</button><button id=c>C</button><button id=d>D</button>",
            "a.onclick = () => window.open('x.html');\n"
            "b.onclick = () => {\n  const link = document.createElement('a');\n"
            "  link.href = URL.createObjectURL(new Blob(['1']));\n  link.download = 'r.csv';\n  link.click();\n};\n"
            "c.onclick = () => window.print();\nd.onclick = () => window.close();",
        )
        | {"x.html": "<script>nope()</script>"},
        0,
        4,
    ),
    "what a person has to allow": (
        html(
            "<button id=a>Copy</button><button id=b>Full</button><button id=c>Where</button><button id=d>Look</button>",
            "a.onclick = () => navigator.clipboard.writeText('x');\n"
            "b.onclick = () => document.body.requestFullscreen();\n"
            "c.onclick = () => navigator.geolocation.getCurrentPosition(() => {});\n"
            "d.onclick = async () => { await navigator.mediaDevices.getUserMedia({video: true}) };",
        ),
        0,
        4,
    ),
    "a server that is to be built later": (
        html(
            "<form id=f><input name=who><button>Send</button></form>",
            "f.onsubmit = async e => {\n  e.preventDefault();\n"
            "  const answer = await (await fetch('/api/send', {method: 'POST'})).json();\n};",
        ),
        1,
        1,
    ),
    "another machine": (
        html(
            "<button id=a>Weather</button><button id=b>Away</button>",
            "a.onclick = async () => { await fetch('https://weather.example/now') };\n"
            "b.onclick = () => { location.href = 'https://weather.example/' };",
        ),
        0,
        2,
    ),
    "a form with a place to go": (
        html("<form action=/thanks.html><input name=q><button>Send</button></form>") | {"thanks.html": "<p>x"},
        1,
        1,
    ),
    "a search that reads its own address": (
        html(
            "<form><input name=q><button>Search</button></form><p id=p></p>",
            "p.textContent = new URLSearchParams(location.search).get('q') ?? '';",
        ),
        1,
        1,
    ),
    "a form that stores and starts afresh": (
        html(
            "<form id=f><input id=n><button>Add</button></form>",
            "f.onsubmit = () => localStorage.setItem('n', n.value);",
        ),
        1,
        1,
    ),
    "a fresh start that is wanted": (
        html("<button onclick='location.reload()'>Play again</button><button onclick='history.back()'>Back</button>"),
        0,
        2,
    ),
    "a form with checks": (
        html(
            "<form id=f><input id=user required pattern='[a-z]{3,8}'><input id=age type=number min=18 max=99 required>"
            "<input type=password id=p1 minlength=8><input type=password id=p2><input type=date id=day required>"
            "<select id=s required><option value=''>Choose</option><option>one</select><textarea id=t></textarea>"
            "<input type=radio name=r value=1><input type=radio name=r value=2><button>Send</button></form>"
            "<p id=out></p>",
            "f.addEventListener('submit', e => {\n  e.preventDefault();\n"
            "  if (p1.value !== p2.value || p1.value.length < 8) throw new Error('passwords');\n"
            "  if (!(age.value >= 18 && day.valueAsDate && s.value && t.value)) throw new Error('empty');\n"
            "  out.textContent = document.querySelector('[name=r]:checked').value + user.value;\n});",
        ),
        8,
        1,
    ),
    "numbers in fields of text": (
        html(
            "<input id=x1><input id=x2 placeholder=Price><button id=b>Add</button><p id=p></p>",
            "b.onclick = () => { p.textContent = Number(x1.value) + Number(x2.value) };",
        ),
        2,
        1,
    ),
    "texts that are no numbers are refused": (
        html(
            "<textarea id=t></textarea><button id=b>Format</button>",
            "b.onclick = () => { t.value = JSON.stringify(JSON.parse(t.value)) };",
        ),
        1,
        1,
    ),
    "broken words that are meant": (
        html(
            "<button id=b>Next</button><p id=p></p><p id=q hidden>null is a value</p><pre id=r></pre>",
            "b.onclick = () => { p.textContent = 'typeof x is undefined'; q.hidden = false;\n"
            "  r.textContent = JSON.stringify({a: NaN}) };",
        ),
        0,
        1,
    ),
    "a calculator": (
        html(
            "<input id=show readonly>" + "".join(f"<button>{one}</button>" for one in "=789/456*1230"),
            "document.body.addEventListener('click', e => {\n  if (!e.target.matches('button')) return;\n"
            "  show.value = e.target.innerText === '=' ? eval(show.value) : show.value + e.target.innerText;\n});",
        ),
        0,
        13,
    ),
    "a console message that is no error": (
        html(
            "<input id=i><button id=b>Find</button>", "b.onclick = () => console.error('nothing found for', i.value);"
        ),
        1,
        1,
    ),
    "a canvas game": (
        html(
            "<canvas id=c width=99 height=99></canvas><button id=b>Start</button>",
            "let on = false;\nb.onclick = () => { on = true };\naddEventListener('keydown', () => {});\n"
            "(function draw() {\n  c.getContext('2d').fillRect(0, 0, on ? 9 : 1, 9);\n"
            "  requestAnimationFrame(draw);\n})();",
        ),
        0,
        1,
    ),
    "a countdown and a clock": (
        html(
            "<button id=a>Start</button><button id=b>Stop</button><p id=p>3</p><p id=q></p>",
            "let id;\na.onclick = () => { clearInterval(id); id = setInterval(() => { p.textContent -= 1 }, 50) };\n"
            "b.onclick = () => clearInterval(id);\n"
            "setInterval(() => { q.textContent = new Date().toISOString() }, 10);",
        ),
        0,
        2,
    ),
    "routes in the address": (
        html("<a href=#about>About</a><p id=p></p>", "addEventListener('hashchange', () => { p.textContent = 'x' });"),
        0,
        0,
    ),
    "parts that a style shows": (
        html("<style>p{display:none} p:target{display:block}</style><a href=#a>A</a><p id=a>a</p>"),
        0,
        0,
    ),
    "a library that listens on the document": (
        html(
            "<a role=tab data-toggle=tab href=#a>A</a><p id=a hidden>a</p>",
            "document.addEventListener('click', e => { if (e.target.dataset.toggle) a.hidden = false });",
        ),
        0,
        1,
    ),
    "an element that was put into a slot": (
        html(
            "<x-bar><button>A</button></x-bar>",
            "customElements.define('x-bar', class extends HTMLElement {\n  constructor() {\n    super();\n"
            "    const root = this.attachShadow({mode: 'open'});\n"
            "    root.innerHTML = '<div><slot></slot></div>';\n"
            "    root.firstChild.addEventListener('click', () => {});\n  }\n});",
        ),
        0,
        1,
    ),
    "a button for a file": (
        html(
            "<button id=b>Choose</button><input type=file id=f hidden><label>x <input type=color></label>",
            "b.onclick = () => f.click();",
        ),
        0,
        1,
    ),
    "a page that is written anew": (
        html("<button id=b>Go</button>", "b.onclick = () => { document.write('<p>done</p>'); document.close() };"),
        0,
        1,
    ),
}
