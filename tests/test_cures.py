"""What the lines that tell of a fault make the next change be."""

import re

import pytest

from roomcode.cures import MARKUP, Unfinished, cure
from tests.preview.advice_cases import CASES, Case


def told(case: Case) -> str:
    return f"{case.error} Fix: {case.cure}"


def place(unfinished: Unfinished, text: str) -> str | None:
    found = re.search(unfinished.within, text)
    return found[min(1, found.re.groups)] if found else None


KNOWN = [case for case in CASES if cure(told(case)) is not None]


def test_many_kinds_of_advice_are_a_change() -> None:
    assert len(KNOWN) >= 20
    kinds = {tuple(re.sub(r"\W.*", "", text) for text in found.texts) for case in KNOWN if (found := cure(told(case)))}
    assert len(kinds) >= 8


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case.name)
def test_a_cure_names_a_file_and_a_place_that_are_there(case: Case) -> None:
    found = cure(told(case))
    assert found is not None
    assert found.texts or found.within
    assert set(found.edit) <= set(case.files)
    for name in found.edit:
        where = place(found, case.files[name])
        assert where is not None, found.within
        assert not found.within or where.strip()
        assert not any(text in where for text in found.texts), "it would be there already"


@pytest.mark.parametrize(
    ("line", "text", "where"),
    [
        (
            'a.css no page loads it; add <link rel="stylesheet" href="a.css"> to index.html',
            '<html><head>\n<title>t</title>\n</head><body><p id="a"></p></body>',
            "<head>\n<title>t</title>\n</head>",
        ),
        (
            'app.js no page loads it; add <script src="app.js"></script> to index.html',
            '<body><p></p>\n<script src="b.js"></script>\n</body></html>',
            '<script src="b.js"></script>\n</body>',
        ),
        (
            'index.html:3 loads js/app.js before <p id="a"> exists: add defer to that script tag',
            '<head><script src="b.js"></script><script src="js/app.js"></script></head>',
            '<script src="js/app.js">',
        ),
        (
            'index.html:3 loads a.js before <p id="a"> exists: add defer to all script tags',
            '<script defer src="a.js"></script><script src="b.js"></script>',
            '<script src="b.js">',
        ),
        (
            "index.html:4 TypeError: Assignment to constant variable. Fix: n is const in index.html:2: write let there",
            "<script>\n  const n = 1;\n  n = 2;",
            "const n",
        ),
        (
            'after a click on "Go": index.html:2 ReferenceError: sho is not defined. '
            "Fix: nothing is called sho; did you mean show?",
            "function show() {}\nsho();\nshow();",
            "sho();",
        ),
        (
            'index.html: #hits shows "0" until something is typed, then "6": write "6" there',
            '<p>Hits: <b class="n" id="hits">0</b></p>',
            "0</b>",
        ),
        (
            "index.html:2 the browser's own check of the form comes before yours, so your messages are not seen: "
            "write novalidate into <form>",
            "<p>\n <b></b><form id=a>\n<form>",
            "<form id=a>",
        ),
        (
            "index.html:2 sort() puts numbers in the order of text, 100 before 7: write sort((a, b) => a - b), or "
            "b - a for the largest first",
            "let a;\na.sort();\n",
            "a.sort();",
        ),
        (
            'nothing reads localStorage "a" back; call localStorage.getItem("a") at the start of the script in '
            "index.html",
            "<script src='a.js'></script>\n<script>\nlet a;\n</script>",
            "<script>",
        ),
        (
            'nothing reads localStorage "a" back; write document.getElementById("a").value = '
            'localStorage.getItem("a") || ""; at the start of the script in index.html',
            "<script src='a.js'></script>\n<script>\nlet a;\n</script>",
            "<script>",
        ),
        (
            'index.html:9 no element in index.html has id="start": write id="start" into <button> in index.html:2',
            '<button>Stop</button>\n<button id="b">Go</button> <button onclick="start()">Start</button>',
            '<button onclick="start()">',
        ),
        (
            'index.html: #box is to be hidden at first: write style="display: none" into its tag',
            '<div id="boxes"></div>\n<div class="a" id="box">x</div>',
            '<div class="a" id="box">',
        ),
        (
            "index.html:2 is the second heading: write Two there",
            "<h2>One</h2>\n<h2>Deux</h2>\n",
            "<h2>Deux</h2>",
        ),
        ("index.html:1 colour is no CSS property: write color there", "p { colour: red }\n", "p { colour: red }"),
    ],
)
def test_the_place_of_a_cure(line: str, text: str, where: str) -> None:
    found = cure(line)
    assert found is not None
    assert found.edit == ("index.html",)
    assert place(found, text) == where


@pytest.mark.parametrize(
    "line",
    [
        "",
        'the text "stored", which the request names, is nowhere',
        "nothing is called sho; did you mean show?",
        'no element in index.html has id="a"; did you mean "b"?',
        "app.js:3 SyntaxError: Unexpected token '}'",
        'after a click on "A": TypeError: x is null: write y there',
    ],
)
def test_what_says_no_place_or_leaves_a_choice_is_no_cure(line: str) -> None:
    assert cure(line) is None


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("nothing reacts to the arrow key; add a keydown listener that looks for event.key Arrow", "Arrow"),
        (
            'nothing stores localStorage "a"; call localStorage.setItem("a", ...) when it changes',
            "localStorage.setItem",
        ),
    ],
)
def test_what_may_come_anywhere(line: str, text: str) -> None:
    assert cure(line) == Unfinished(texts=(text,))


def test_what_was_moved_is_replaced_as_a_whole() -> None:
    text = '<script src="a.js"></script>\n<script>\nlet a = 1;\n</script>\n<style>p {}</style>'
    tag = '<script src="b.js"></script>'
    found = cure(f"index.html:2 still holds the <script> that b.js has now; write {tag} in its place")
    assert found is not None
    assert (found.texts, found.edit, found.entire) == ((tag,), ("index.html",), True)
    assert place(found, text) == "<script>\nlet a = 1;\n</script>"
    found = cure("index.html:5 still holds the <style> that a.css has now; take it out")
    assert found is not None
    assert (found.texts, found.entire) == ((), True)
    assert place(found, text) == "<style>p {}</style>"


def test_the_elements_of_a_page_are_what_stands_before_its_scripts() -> None:
    page = "<html><body class=a>\n<p>1</p>\n<p>2</p>\n<script>\nlet a = '<p>';\n</script>\n</body></html>"
    found = re.search(MARKUP, page)
    assert found is not None
    assert found[1] == "<p>1</p>\n<p>2</p>"


@pytest.mark.parametrize(
    ("line", "text", "after"),
    [
        (
            'a.js:9 no element in a.html has id="go": write id="go" into <button> in a.html:2',
            "<p>x</p>\n<button\n class=b>Go</button>",
            '<button\n class=b id="go">',
        ),
        (
            'a.html: #box is to be hidden at first: write style="x" into its tag',
            '<p id="box" >',
            '<p id="box" style="display: none">',
        ),
        ('a.html: #box is to be hidden at first: write style="x" into its tag', '<p id="box" style="color: red">', ""),
        ("a.html:2 is the last heading: write A \\\\ B there", "<p>\n  <h2>Old <b>x</b></h2>", ""),
        ("a.html:2 is the last heading: write A \\\\ B there", "<p>\n  <h2>Old</h2>\n", "<h2>A \\\\ B</h2>"),
        ("a.html:1 is the heading: write A < B & C there", "<h1>Old</h1>", "<h1>A &lt; B &amp; C</h1>"),
        ("b.json:2 not JSON: a comma is missing at the end of this line", '[\n  {"a": 1} \n{}]', '{"a": 1},'),
        ("a.js:9 TypeError. Fix: n is const in a.js:1: write let there", "const n = 1;", "let n"),
        (
            "x has a row of 1 cells under a header of 2: add the missing cell behind a.js:2, write add(one.city);",
            "if (x) {\n  add(one.name);\n}",
            "  add(one.name);\n  add(one.city);",
        ),
        (
            "a.html:1 clear() is a method of the browser in onclick and not your function: write window.clear( there",
            '<button id=clear onclick="clear()">Clear</button>',
            '<button id=clear onclick="window.clear()">Clear</button>',
        ),
        ("a.html:1 the form: write novalidate into <form>", "<form id=a>", "<form id=a novalidate>"),
        (
            'nothing reads localStorage "a" back; write x.value = "\\\\n"; at the start of the script in a.html',
            "<script>\nlet a;\n</script>",
            '<script>\nx.value = "\\\\n";',
        ),
    ],
)
def test_what_a_place_becomes(line: str, text: str, after: str) -> None:
    """Nothing: it is not known."""
    found = cure(line)
    assert found is not None
    assert found.entire
    pattern, replacement = found.becomes
    piece = place(found, text)
    made = re.sub(pattern, replacement, piece, count=1)
    assert made == (after or piece)


@pytest.mark.parametrize(
    "line",
    [
        "nothing reacts to the Escape key; add a keydown listener that looks for event.key Escape",
        "after the Escape key #box can still be seen, and should be hidden",
    ],
)
def test_a_key_is_listened_for_at_the_beginning_of_a_script(line: str) -> None:
    found = cure(line)
    assert found is not None
    assert found.insert.endswith('if (event.key === "Escape")')
    assert place(found, "<!doctype html>\n<script src=a.js></script>\n<script>\nlet a;") == "<script>"
    assert place(found, "let a;\nlet b;") == "let a;"


def test_a_name_that_is_known_only_inside_becomes_the_script_s_own() -> None:
    text = (
        "go.onclick = () => {\n  let timer = setInterval(tick, 1000);\n};\nstop.onclick = () => clearInterval(timer);\n"
    )
    known = "timer is known only in the function or block around app.js:2: declare it outside, above that"
    change = cure(f"app.js:4 ReferenceError: timer is not defined. Fix: {known}")
    assert change is not None
    match = re.search(change.within, text)
    assert match is not None
    assert re.sub(*change.becomes, match[1]) == "timer = setInterval(tick, 1000);"
