"""Pages with a fault, the line that Chromium shows for it, and the cure that is told with it."""

from dataclasses import dataclass

__all__ = ["CASES", "Case", "page"]


@dataclass(frozen=True)
class Case:
    name: str
    files: dict[str, str]
    error: str
    cure: str


def page(head: str = "", body: str = "") -> str:
    """Lines: the head's begin at 4, the body's follow after one line."""
    return (
        f"<!doctype html>\n<html>\n<head>\n<meta charset=utf-8><title>t</title>\n{head}\n</head>\n<body>\n"
        f"<h1>Title</h1>\n{body}\n</body>\n</html>\n"
    )


def _cases(*rows: tuple[str, dict[str, str], str, str]) -> tuple[Case, ...]:
    return tuple(Case(*row) for row in rows)


BUTTON = '<button id="greet">Hi</button>'
HEAD = '<script src="app.js"></script>'
LISTEN = "const button = document.getElementById('greet');\nbutton.addEventListener('click', () => 1);\n"
NULL = "TypeError: Cannot read properties of null (reading 'addEventListener')"

NULLS = _cases(
    (
        "script in head",
        {"index.html": page(HEAD, BUTTON), "app.js": LISTEN},
        f"app.js:2 {NULL}",
        'index.html:5 loads app.js before <button id="greet"> exists: add defer to that script tag',
    ),
    (
        "two scripts in head",
        {"index.html": page(HEAD + '\n<script src="b.js"></script>', BUTTON), "app.js": LISTEN, "b.js": ""},
        f"app.js:2 {NULL}",
        'index.html:5 loads app.js before <button id="greet"> exists: add defer to all script tags',
    ),
    (
        "inline later",
        {"index.html": page(HEAD, BUTTON + "\n<script>1</script>"), "app.js": LISTEN},
        f"app.js:2 {NULL}",
        'index.html:5 loads app.js before <button id="greet"> exists: move that script tag below line 9',
    ),
    (
        "inline in head",
        {
            "index.html": page(
                "<script>\ndocument.querySelector('.card').textContent = '1';\n</script>", "<p class='big card'>a</p>"
            )
        },
        "index.html:6 TypeError: Cannot set properties of null (setting 'textContent')",
        'index.html:5 this script runs before <p class="big card"> exists: move it to the end of <body>',
    ),
    (
        "in a function called at once",
        {
            "index.html": page(HEAD, BUTTON),
            "app.js": "function init() {\n  const b = document.querySelector('#greet');\n"
            "  b.addEventListener('click', init);\n}\ninit();\n",
        },
        f"app.js:3 {NULL}",
        'index.html:5 loads app.js before <button id="greet"> exists: add defer to that script tag',
    ),
    (
        "helper",
        {
            "index.html": page(HEAD, BUTTON),
            "app.js": "const $ = (id) => document.getElementById(id);\n"
            "$('greet').addEventListener('click', () => 1);\n",
        },
        f"app.js:2 {NULL}",
        'index.html:5 loads app.js before <button id="greet"> exists: add defer to that script tag',
    ),
    (
        "variable of another script",
        {
            "index.html": page('<script src="a.js"></script>', BUTTON + HEAD),
            "a.js": "const button = document.getElementById('greet');",
            "app.js": "button.addEventListener('click', () => 1);",
        },
        f"app.js:1 {NULL}",
        'index.html:5 loads a.js before <button id="greet"> exists: add defer to all script tags',
    ),
    (
        "misspelt id",
        {"index.html": page("", BUTTON + HEAD), "app.js": LISTEN.replace("greet", "gret")},
        f"app.js:2 {NULL}",
        'no element in index.html has id="gret"; did you mean "greet"?',
    ),
    (
        "unknown id",
        {"index.html": page("", BUTTON + HEAD), "app.js": LISTEN.replace("greet", "zebra")},
        f"app.js:2 {NULL}",
        'no element in index.html has id="zebra": add id="zebra" to the element that is meant',
    ),
    (
        "hash in getElementById",
        {"index.html": page("", BUTTON + HEAD), "app.js": LISTEN.replace("greet", "#greet")},
        f"app.js:2 {NULL}",
        'getElementById takes the id alone: write getElementById("greet")',
    ),
    (
        "selector without hash",
        {"index.html": page("", BUTTON + HEAD), "app.js": LISTEN.replace("getElementById", "querySelector")},
        f"app.js:2 {NULL}",
        'write querySelector("#greet"): an id needs a #',
    ),
    (
        "misspelt class",
        {
            "index.html": page("", "<p class='cards'></p>" + HEAD),
            "app.js": LISTEN.replace("getElementById('greet", "querySelector('.card"),
        },
        f"app.js:2 {NULL}",
        'no element in index.html has class="card"; did you mean "cards"?',
    ),
)

UNDEFINED = _cases(
    (
        "not loaded",
        {"index.html": page("", HEAD), "app.js": "let n = roll();", "dice.js": "function roll() { return 1 }"},
        "app.js:1 ReferenceError: roll is not defined",
        'roll is in dice.js, which index.html does not load: add <script src="dice.js"></script> before line 9',
    ),
    (
        "loaded later",
        {
            "index.html": page("", HEAD + '\n<script src="dice.js"></script>'),
            "app.js": "let n = roll();",
            "dice.js": "function roll() { return 1 }",
        },
        "app.js:1 ReferenceError: roll is not defined",
        "index.html:10 loads dice.js after app.js: move it above line 9",
    ),
    (
        "deferred",
        {
            "index.html": page('<script defer src="dice.js"></script>', "<script>\nroll();\n</script>"),
            "dice.js": "function roll() { return 1 }",
        },
        "index.html:10 ReferenceError: roll is not defined",
        "dice.js has defer and runs later: take defer out of index.html:5",
    ),
    (
        "in a module",
        {
            "index.html": page('<script type="module" src="dice.js"></script>', HEAD.replace("src", "defer src")),
            "app.js": "roll();",
            "dice.js": "export function roll() { return 1 }",
        },
        "app.js:1 ReferenceError: roll is not defined",
        'dice.js is a module: give the tag of app.js type="module" too, '
        'and begin it with import { roll } from "./dice.js"',
    ),
    (
        "not imported",
        {
            "index.html": page('<script type="module" src="app.js"></script>'),
            "app.js": "roll();",
            "lib/dice.js": "export function roll() { return 1 }",
        },
        "app.js:1 ReferenceError: roll is not defined",
        'roll is in lib/dice.js: add import { roll } from "./lib/dice.js"',
    ),
    (
        "not exported",
        {
            "index.html": page('<script type="module" src="app.js"></script>'),
            "app.js": "import { a } from './dice.js';\nroll(a);",
            "dice.js": "export const a = 1;\nfunction roll() { return 1 }",
        },
        "app.js:2 ReferenceError: roll is not defined",
        'write export before roll in dice.js:2, and import { roll } from "./dice.js"; in app.js',
    ),
    (
        "handler of a module",
        {
            "index.html": page(
                '<script type="module" src="app.js"></script>',
                '<button id="b" onclick="roll()">b</button>\n<script>setTimeout(() => b.click(), 50)</script>',
            ),
            "app.js": "function roll() { return 1 }",
        },
        "index.html:9 ReferenceError: roll is not defined",
        "roll is in a module and not known here; add window.roll = roll to app.js",
    ),
    (
        "handler inside a function",
        {
            "index.html": page(
                "", '<button id="b" onclick="roll()">b</button>' + HEAD + "\n<script>b.click()</script>"
            ),
            "app.js": "document.addEventListener('DOMContentLoaded', () => {\n  function roll() { return 1 }\n});",
        },
        "index.html:9 ReferenceError: roll is not defined",
        "roll() is inside another function (app.js:2): add window.roll = roll; after it",
    ),
    (
        "known in a function",
        {
            "index.html": page("", HEAD),
            "app.js": "function start() {\n  let score = 1;\n}\nstart();\nconsole.log(score);",
        },
        "app.js:5 ReferenceError: score is not defined",
        "score is known only in the function or block around app.js:2: declare it outside, above that",
    ),
    (
        "misspelt",
        {"index.html": page("", HEAD), "app.js": "function rollDice() {}\nrolDice();"},
        "app.js:2 ReferenceError: rolDice is not defined",
        "nothing is called rolDice; did you mean rollDice?",
    ),
    (
        "misspelt global",
        {"index.html": page("", HEAD), "app.js": "documnet.title = 'x';"},
        "app.js:1 ReferenceError: documnet is not defined",
        "nothing is called documnet; did you mean document?",
    ),
    (
        "function nowhere",
        {"index.html": page("", HEAD), "app.js": "updateAll();"},
        "app.js:1 ReferenceError: updateAll is not defined",
        "no script defines updateAll(): write function updateAll() in app.js",
    ),
    (
        "variable nowhere",
        {"index.html": page("", HEAD), "app.js": "let a = wobble + 1;"},
        "app.js:1 ReferenceError: wobble is not defined",
        "nothing declares wobble: declare it before app.js:1",
    ),
    (
        "jquery",
        {"index.html": page("", HEAD), "app.js": "$('#a').hide();"},
        "app.js:1 ReferenceError: $ is not defined",
        "jQuery is not here: write document.querySelector(...) instead of $(...)",
    ),
    (
        "require",
        {"index.html": page("", HEAD), "app.js": "const d = require('./dice');"},
        "app.js:1 ReferenceError: require is not defined",
        'browsers have no require: load the file with its own <script src="..."> tag',
    ),
    (
        "module.exports",
        {"index.html": page("", HEAD), "app.js": "module.exports = { a: 1 };"},
        "app.js:1 ReferenceError: module is not defined",
        "browsers have no module.exports: take that line out; all scripts of a page share their functions",
    ),
    (
        "process",
        {"index.html": page("", HEAD), "app.js": "const k = process.env.KEY;"},
        "app.js:1 ReferenceError: process is not defined",
        "browsers have no process: take it out",
    ),
    (
        "file that does not parse",
        {
            "index.html": page("", '<script src="dice.js"></script>' + HEAD),
            "app.js": "roll();",
            "dice.js": "function roll() { return 1 ",
        },
        "app.js:1 ReferenceError: roll is not defined",
        "roll is in dice.js, which does not parse: mend that first",
    ),
)

FUNCTIONS = _cases(
    (
        "misspelt method",
        {"index.html": page("", BUTTON + HEAD), "app.js": LISTEN.replace("addEventListener", "addEventlistener")},
        "app.js:2 TypeError: button.addEventlistener is not a function",
        "there is no addEventlistener; did you mean addEventListener?",
    ),
    (
        "misspelt getElementById",
        {"index.html": page("", BUTTON + HEAD), "app.js": "document.getElementByID('greet');"},
        "app.js:1 TypeError: document.getElementByID is not a function",
        "there is no getElementByID; did you mean getElementById?",
    ),
    (
        "misspelt querySelectorAll",
        {"index.html": page("", BUTTON + HEAD), "app.js": "document.querySelectorALL('b');"},
        "app.js:1 TypeError: document.querySelectorALL is not a function",
        "there is no querySelectorALL; did you mean querySelectorAll?",
    ),
    (
        "own method",
        {
            "index.html": page("", HEAD),
            "app.js": "class Game { startRound() {} }\nconst game = new Game();\ngame.startRund();",
        },
        "app.js:3 TypeError: game.startRund is not a function",
        "there is no startRund; did you mean startRound?",
    ),
    (
        "list",
        {
            "index.html": page("", BUTTON + HEAD),
            "app.js": "const all = document.querySelectorAll('button');\nall.addEventListener('click', () => 1);",
        },
        "app.js:2 TypeError: all.addEventListener is not a function",
        "querySelectorAll gives a list: call addEventListener on each of its elements with forEach",
    ),
    (
        "collection",
        {
            "index.html": page("", BUTTON + HEAD),
            "app.js": "const all = document.getElementsByClassName('x');\nall.forEach((one) => one.remove());",
        },
        "app.js:2 TypeError: all.forEach is not a function",
        "this list has no forEach: write [...all].forEach",
    ),
    (
        "text",
        {
            "index.html": page("", '<input id="bill" value="3">' + HEAD),
            "app.js": "const bill = document.getElementById('bill').value;\nbill.toFixed(2);",
        },
        "app.js:2 TypeError: bill.toFixed is not a function",
        "bill is no number: write Number(bill).toFixed",
    ),
    (
        "stored",
        {
            "index.html": page("", HEAD),
            "app.js": "localStorage.setItem('notes', 'x');\nconst notes = localStorage.getItem('notes') || [];\n"
            "notes.push('a');",
        },
        "app.js:3 TypeError: notes.push is not a function",
        "what is stored is text: read it with JSON.parse(...)",
    ),
    (
        "hidden by an id in a form",
        {
            "index.html": page("", '<form><button id="calc" type="button" onclick="calc()">b</button></form>' + HEAD),
            "app.js": "function calc() {}\ndocument.querySelector('button').click();",
        },
        "index.html:9 TypeError: calc is not a function",
        'id="calc" in index.html:9 hides the function: write window.calc() here',
    ),
    (
        "an element and no function",
        {"index.html": page("", BUTTON + HEAD), "app.js": "greet();"},
        "app.js:1 TypeError: greet is not a function",
        "greet is the element of index.html:9, no function; write function greet()",
    ),
    (
        "a variable",
        {"index.html": page("", HEAD), "app.js": "let total = 0;\ntotal();"},
        "app.js:2 TypeError: total is not a function",
        "total is a variable (app.js:1), no function: rename it, or call another function",
    ),
)

DECLARATIONS = _cases(
    (
        "loaded twice",
        {"index.html": page("", HEAD + "\n" + HEAD), "app.js": "const a = 1;"},
        "app.js:1 SyntaxError: Identifier 'a' has already been declared",
        "index.html loads app.js twice, lines 9 and 10: remove one",
    ),
    (
        "two files",
        {
            "index.html": page("", '<script src="a.js"></script>\n' + HEAD),
            "a.js": "const total = 1;",
            "app.js": "let x = 1;\nlet total = 2;",
        },
        "app.js:1 SyntaxError: Identifier 'total' has already been declared",
        "total is declared in a.js:1 and app.js:2, and one page loads both: remove or rename one",
    ),
    (
        "one file",
        {"index.html": page("", HEAD), "app.js": "let x = 1;\nfunction f() {\n  let q = 1;\n  const q = 2;\n}\n"},
        "app.js:4 SyntaxError: Identifier 'q' has already been declared",
        "q is declared in app.js:3 and again in line 4: remove or rename the second",
    ),
    (
        "parameter",
        {"index.html": page("", HEAD), "app.js": "function f(q) {\n  const q = 2;\n}\n"},
        "app.js:2 SyntaxError: Identifier 'q' has already been declared",
        "q is already a parameter (app.js:1): rename the one in line 2",
    ),
    (
        "const",
        {"index.html": page("", HEAD), "app.js": "const score = 0;\nfunction add() {\n  score += 1;\n}\nadd();"},
        "app.js:3 TypeError: Assignment to constant variable.",
        "score is const in app.js:1: write let there",
    ),
    (
        "const of another file",
        {
            "index.html": page("", '<script src="a.js"></script>' + HEAD),
            "a.js": "const score = 0;",
            "app.js": "score++;",
        },
        "app.js:1 TypeError: Assignment to constant variable.",
        "score is const in a.js:1: write let there",
    ),
    (
        "too soon",
        {"index.html": page("", HEAD), "app.js": "console.log(score);\nlet score = 1;"},
        "app.js:1 ReferenceError: Cannot access 'score' before initialization",
        "app.js:2 declares score: move that line up, above line 1",
    ),
    (
        "too soon in a function",
        {
            "index.html": page("", HEAD),
            "app.js": "show();\nfunction show() {\n  console.log(score);\n}\nlet score = 1;",
        },
        "app.js:3 ReferenceError: Cannot access 'score' before initialization",
        "app.js:5 declares score: move that line up, above line 1",
    ),
    (
        "made of itself",
        {
            "index.html": page("", HEAD),
            "app.js": "function total() { return 1 }\nfunction show() {\n  const total = total();\n}\nshow();",
        },
        "app.js:3 ReferenceError: Cannot access 'total' before initialization",
        "line 3 uses total to make total: give the new one another name",
    ),
)

SYNTAX = _cases(
    (
        "import",
        {"index.html": page("", HEAD), "app.js": "import { a } from './a.js';", "a.js": "export const a = 1;"},
        "app.js:1 SyntaxError: Cannot use import statement outside a module",
        'add type="module" to the script tag of app.js in index.html:9',
    ),
    (
        "inline import",
        {"index.html": page("", "<script>\nimport { a } from './a.js';\n</script>"), "a.js": "export const a = 1;"},
        "index.html:10 SyntaxError: Cannot use import statement outside a module",
        'add type="module" to the script tag in index.html:9',
    ),
    (
        "export",
        {"index.html": page("", HEAD), "app.js": "export const a = 1;"},
        "app.js:1 SyntaxError: Unexpected token 'export'",
        'add type="module" to the script tag of app.js in index.html:9',
    ),
    (
        "needless export",
        {
            "index.html": page("", '<script src="a.js"></script>' + HEAD),
            "a.js": "export function roll() {}",
            "app.js": "function f() { roll() }",
        },
        "a.js:1 SyntaxError: Unexpected token 'export'",
        "nothing imports a.js: take the word export out of it",
    ),
    (
        "await",
        {"index.html": page("", HEAD), "app.js": "function load() {\n  const r = await fetch('x');\n}"},
        "app.js:2 SyntaxError: await is only valid in async functions and the top level bodies of modules",
        "write async before the function load() in line 1",
    ),
    (
        "await at top",
        {"index.html": page("", HEAD), "app.js": "const r = await fetch('x');"},
        "app.js:1 SyntaxError: await is only valid in async functions and the top level bodies of modules",
        'await needs a module: add type="module" to the script tag of app.js in index.html:9',
    ),
    (
        "tags in a script",
        {"index.html": page("", HEAD), "app.js": "<script>\nlet a = 1;\n</script>"},
        "app.js:1 SyntaxError: Unexpected token '<'",
        "app.js begins with <script>: it may hold only JavaScript, no tags",
    ),
    (
        "open block",
        {"index.html": page("", HEAD), "app.js": "function a() {\n  if (1) {\n    b();\n}\nfunction b() {\n}\n"},
        "app.js:7 SyntaxError: Unexpected end of input",
        "the { of app.js:2 is never closed: add }",
    ),
    (
        "brace too many",
        {"index.html": page("", HEAD), "app.js": "function a() {\n}\n}\n"},
        "app.js:3 SyntaxError: Unexpected token '}'",
        "the } in app.js:3 is too many: remove it",
    ),
    (
        "open call",
        {"index.html": page("", HEAD), "app.js": "if (1) {\n  alert('a';\n}\n"},
        "app.js:2 SyntaxError: missing ) after argument list",
        "the ( of app.js:2 is not closed: add ) before the } of line 3",
    ),
    (
        "apostrophe",
        {"index.html": page("", HEAD), "app.js": "let a = 1;\nconsole.log('it's');\n"},
        "app.js:2 SyntaxError: missing ) after argument list",
        "the ' in it's ends the text: put double quotes around that text in line 2",
    ),
    (
        "curly quotes",
        {"index.html": page("", HEAD), "app.js": "let a = \u201cx\u201d;\n"},
        "app.js:1 SyntaxError: Invalid or unexpected token",
        "line 1 has a curly quote \u201c: write plain quotes",
    ),
    (
        "line numbers",
        {"index.html": page("", HEAD), "app.js": "1: let a = 1;\n2: let b = 1;\n"},
        "app.js:1 SyntaxError: Unexpected token ':'",
        'app.js:1 all lines begin with line numbers like "1:": write the file again without them',
    ),
    (
        "fence",
        {"index.html": page("", HEAD), "app.js": "let a = 1;\n```\n"},
        "app.js:3 SyntaxError: Unexpected end of input",
        "app.js:2 ``` is no code: remove that line",
    ),
)

MODULE = '<script type="module" src="app.js"></script>'
RELATIVE = 'Relative references must start with either "/", "./", or "../".'
MODULES = _cases(
    (
        "package",
        {"index.html": page("", MODULE), "app.js": "import * as T from 'three';"},
        f'index.html:1 TypeError: Failed to resolve module specifier "three". {RELATIVE}',
        'there are no packages here: take the import of "three" out and write what it does yourself',
    ),
    (
        "file without a dot",
        {"index.html": page("", MODULE), "app.js": "import {a} from 'lib/a.js';", "lib/a.js": "export const a = 1;"},
        f'index.html:1 TypeError: Failed to resolve module specifier "lib/a.js". {RELATIVE}',
        'write "./lib/a.js" instead of "lib/a.js" in app.js',
    ),
    (
        "misspelt export",
        {
            "index.html": page("", MODULE),
            "app.js": "import { rol } from './dice.js';",
            "dice.js": "export function roll() {}",
        },
        "app.js:1 SyntaxError: The requested module './dice.js' does not provide an export named 'rol'",
        "dice.js exports no rol; did you mean roll?",
    ),
    (
        "no export",
        {
            "index.html": page("", MODULE),
            "app.js": "import { roll } from './dice.js';",
            "dice.js": "let a;\nfunction roll() {}",
        },
        "app.js:1 SyntaxError: The requested module './dice.js' does not provide an export named 'roll'",
        "write export before roll in dice.js:2",
    ),
    (
        "no default",
        {
            "index.html": page("", MODULE),
            "app.js": "import dice from './dice.js';",
            "dice.js": "export function roll() {}",
        },
        "app.js:1 SyntaxError: The requested module './dice.js' does not provide an export named 'default'",
        'dice.js has no default export: write import { roll } from "./dice.js"',
    ),
    (
        "only a default",
        {
            "index.html": page("", MODULE),
            "app.js": "import { dice } from './dice.js';",
            "dice.js": "export default class {}",
        },
        "app.js:1 SyntaxError: The requested module './dice.js' does not provide an export named 'dice'",
        'dice.js has a default export: write import dice from "./dice.js" without braces',
    ),
    (
        "other exports",
        {
            "index.html": page("", MODULE),
            "app.js": "import { zebra } from './dice.js';",
            "dice.js": "export const a = 1, b = 2;",
        },
        "app.js:1 SyntaxError: The requested module './dice.js' does not provide an export named 'zebra'",
        "dice.js exports only a, b: import one of these, or write zebra there",
    ),
)

LOAD = "fetch('data.json').then((r) => r.json()).then((d) => console.log(d));\n"
DATA = _cases(
    (
        "broken data",
        {"index.html": page("", HEAD), "app.js": LOAD, "data.json": '{\n "a": 1,\n "b": 2,\n}'},
        "index.html:4 Uncaught (in promise) SyntaxError: Expected double-quoted property name "
        "in JSON at position 20 (line 4 column 1)",
        "data.json:3 is not JSON: take away the comma before the }",
    ),
    (
        "a page for data",
        {
            "index.html": page("", HEAD),
            "app.js": LOAD.replace("data.json", "a.html"),
            "a.html": "<!doctype html><title>a</title>",
        },
        "index.html:1 Uncaught (in promise) SyntaxError: Unexpected token '<', \"<!doctype \"... is not valid JSON",
        "a.html is a page, no JSON: fetch a .json file",
    ),
)

CASES = (*NULLS, *UNDEFINED, *FUNCTIONS, *DECLARATIONS, *SYNTAX, *MODULES, *DATA)
