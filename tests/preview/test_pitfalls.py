"""Mistakes of scripts that no console shows, and right code that looks like them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.preview.pitfalls import doubtful_places, script_pitfalls
from roomcode.preview.references import parse_sources

_PAGE = """<!doctype html><title>A</title>
<input id="name"><input id="first" type="number"><input id="second" type="number">
<input id="left"><input id="right"><p id="shown">0</p><p id="total"></p><select id="kind"></select>
<script src="app.js"></script>
"""


def _found(script: str) -> list[str]:
    return [str(one) for one in script_pitfalls(parse_sources({"index.html": _PAGE, "app.js": script}))]


def _doubts(script: str) -> list[str]:
    return [str(one) for one in doubtful_places(parse_sources({"index.html": _PAGE, "app.js": script}))]


_BY_ID = 'document.getElementById("{}")'
_A, _B, _SHOWN = _BY_ID.format("first"), _BY_ID.format("second"), _BY_ID.format("shown")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            "const points = [40, 7, 100];\npoints.sort();",
            "2 sort() puts numbers in the order of text, 100 before 7: write sort((a, b) => a - b), or b - a for the "
            "largest first",
        ),
        (
            "const points = [40, 7, -100];\n[...points].sort().reverse();",
            "2 sort() puts numbers in the order of text, 100 before 7: write sort((a, b) => a - b)",
        ),
        (
            "let list = 'a b'.split(' ').map(Number);\nlist = list.slice().sort();",
            "2 sort() puts numbers in the order of text, 100 before 7: write sort((a, b) => a - b), or b - a for the "
            "largest first",
        ),
        (
            "x.sort((a, b) => a.age > b.age);",
            "1 sort needs a number and gets true or false: write a.age > b.age ? 1 : -1 there",
        ),
        ("x.addEventListener('onclick', go);", '1 no event is called "onclick": write "click" there'),
        ("x.addEventListener('Click', go);", '1 no event is called "Click": write "click" there'),
        (
            "function go() { shown(); }\nx.addEventListener('click', go());",
            "2 go() is called at once and not later: write go there",
        ),
        (
            "function go(n) { if (n) { return; } shown(n); }\nsetTimeout(go(1), 100);",
            "2 go(1) is called at once and not later: write () => go(1) there",
        ),
        ("function go() { shown(); }\nx.onclick = go();", "2 go() is called at once and not later: write go there"),
        (
            "const notes = [];\nlocalStorage.setItem('notes', notes);",
            "2 setItem stores a list or object as useless text: write JSON.stringify(notes) there",
        ),
        (
            "localStorage.setItem('a', {b: 1});",
            "1 setItem stores a list or object as useless text: write JSON.stringify({b: 1}) there",
        ),
        ("for (let i = 0; i < a.lenght; i++) go(a[i]);", "1 there is no property lenght: write length there"),
        ("x.innerHtml = '';", "1 there is no property innerHtml: write innerHTML there"),
        (f"{_SHOWN}.textcontent = 1;", "1 there is no property textcontent: write textContent there"),
        (f"const box = {_A};\nbox.Value = 1;", "2 there is no property Value: write value there"),
        (f"go({_SHOWN}.value);", "1 #shown is a <p> and has no value: write textContent there"),
        (
            f"const name = {_BY_ID.format('name')};\ngo(name.textContent);",
            "2 #name is an <input> and its text is its value: write value there",
        ),
        ("if (x = 5) { go(); }", "1 x = 5 sets and does not compare: write x === 5 there"),
        ("while (name = 'a') { go(); }", "1 name = 'a' sets and does not compare: write name === 'a' there"),
        ("if (x === 'a' || 'b') { go(); }", "1 || 'b' is always true: write || x === 'b' there"),
        ("if (x === NaN) { go(); }", "1 nothing equals NaN: write Number.isNaN(x) there"),
        ("on(event => event.key === 'escape' && go());", '1 event.key is never "escape": write "Escape" there'),
        ("on(e => { if (e.key === 'left') go(); });", '1 event.key is never "left": write "ArrowLeft" there'),
        (
            f"go({_A}.value + {_B}.value);",
            f"1 {_A}.value + {_B}.value puts two texts side by side, 1 + 2 is 12: "
            f"write Number({_A}.value) + Number({_B}.value) there",
        ),
        (
            f"const a = {_A}.value, b = {_B}.value;\ngo(a + b);",
            "2 a + b puts two texts side by side, 1 + 2 is 12: write Number(a) + Number(b) there",
        ),
        (
            f"const a = {_A}.value;\ngo(a.toString(16) + a.length.toString(16) + (5).toString(2) + a.toString());",
            "2 a.toString(16) is text and stays as it is: write Number(a).toString(16) there",
        ),
        (
            f"const f = () => {{ const a = 1 - {_A}.value; }};\n"
            f"function g() {{\n  const a = {_A}.value;\n  go(a.toString(16));\n}}",
            "4 a.toString(16) is text and stays as it is: write Number(a).toString(16) there",
        ),
        (
            f"const s = {_SHOWN};\ns.textContent = s.textContent + 1;",
            "2 s.textContent is text, so 1 is put behind it and not added: write Number(s.textContent) + 1 there",
        ),
        (
            f"const s = {_SHOWN};\ns.textContent += 1;",
            "2 s.textContent is text, so 1 is put behind it and not added: "
            "write s.textContent = Number(s.textContent) + 1 there",
        ),
        (
            "let n = localStorage.getItem('n') || 0;\nn += 1;",
            "2 n is text, so 1 is put behind it and not added: write n = Number(n) + 1 there",
        ),
        (
            "for (let i = 0; i <= a.length; i++) { go(a[i]); }",
            "1 the loop runs one past the end of a: write i < a.length there",
        ),
        (
            "function go() { a(); }\nfunction go() { b(); }",
            "2 function go is declared in line 1 too: take one of them out",
        ),
        (
            "x.addEventListener('click', () => {\n  n += 1;\n});\n"
            "x.addEventListener('click', () => {\n  n += 1;\n  show();\n});",
            "4 n += 1 runs twice for each click, the handler in line 1 does it too: take one of them out",
        ),
        (
            f"const n = parseInt({_SHOWN}.textContent);\nshow(n + {_A}.value);",
            f"2 {_A}.value is text and is put behind the number, 1 + 2 is 12: write n + Number({_A}.value) there",
        ),
        (
            "for (var i = 0; i < 3; i++) {\n  var one = all[i];\n  one.onclick = function () { show(one); };\n}",
            "2 one is one var for all rounds of the loop, a handler sees its last value: write let one there",
        ),
        (
            "for (var i = 0; i < 3; i++) {\n  setTimeout(() => show(i), 100);\n}",
            "1 i is one var for all rounds of the loop, a handler sees its last value: write let i there",
        ),
        (
            "for (var one of all) {\n  one.addEventListener('click', () => show(one));\n}",
            "1 one is one var for all rounds of the loop, a handler sees its last value: write let one there",
        ),
        (
            "list.childNodes.forEach(one => one.remove());",
            "1 childNodes holds the spaces between elements too: write [...list.children] there",
        ),
        (
            "shown.textContent = list.childNodes.length;",
            "1 childNodes holds the spaces between elements too: write list.children there",
        ),
    ],
)
def test_what_is_wrong_is_told_with_what_to_write(script: str, said: str) -> None:
    assert _found(script) == [f"app.js:{said}"]


@pytest.mark.parametrize(
    "script",
    [
        "const names = ['b', 'a'];\nnames.sort();",
        "const points = [40, 7];\npoints.sort((a, b) => a - b);",
        "function show(points) { points.sort(); }\nconst points = [1, 2];",
        "const one = [5];\none.sort();",
        "x.sort((a, b) => a > b ? 1 : -1);",
        "x.addEventListener('online', go);",
        "x.addEventListener('one', go);",
        "function go() { return () => 1; }\nx.addEventListener('click', go());",
        "const go = () => 1;\nsetTimeout(go(), 1);",
        "function go() {}\nfunction other(go) { setTimeout(go(), 1); }",
        "async function go() { await x; }\nx.onclick = go();",
        "function save() { localStorage.setItem('a', JSON.stringify([])); }",
        "let text = '';\nlocalStorage.setItem('a', text);",
        "const a = { Value: 1, lengthy: 2 };\na.Value = 2;",
        "const CLASSNAME = x.CLASSNAME;",
        f"go({_A}.value);",
        f"go({_BY_ID.format('kind')}.value);",
        f"go({_SHOWN}.textContent);",
        f"{_SHOWN}.value2 = 1;",
        "if ((x = next())) { go(); }",
        "if (x = next()) { go(); }",
        "const a = x || 'b';",
        "if (x || 'b') { go(); }",
        "on(event => event.key === 'a' && go());",
        "on(event => event.key === 'Escape' && go());",
        "const row = {key: 'left'};\nif (row.key === 'left') go();",
        f"go({_BY_ID.format('left')}.value + {_BY_ID.format('right')}.value);",
        f"go({_A}.value + ' ' + {_B}.value);",
        f"let a = Number({_A}.value);\ngo(a + 1);",
        f"let n = {_SHOWN}.textContent;\nn = Number(n);\ngo(n + 1);",
        f"const s = {_SHOWN};\ns.textContent += '!';",
        f"const s = {_SHOWN};\ns.textContent++;",
        "let n = Number(localStorage.getItem('n'));\nn += 1;",
        "for (let i = 0; i <= a.length; i++) { go(i); }",
        "for (let i = 0; i <= a.length - 1; i++) { go(a[i]); }",
        "for (let i = 1; i < a.length; i++) { go(a[i]); }",
        "points.sort(",
        "for (let i = 0; i < 3; i++) {\n  let one = all[i];\n  one.onclick = () => show(one, i);\n}",
        "for (var i = 0; i < 3; i++) {\n  all[i].onclick = () => show(this);\n}",
        "for (var i = 0; i < 3; i++) {\n  var one = all[i];\n  one.onclick = () => show(one);\n}\nshow(one);",
        "for (var i = 0; i < 3; i++) {\n  all.map(one => show(one, i));\n}",
        "for (var i = 0; i < 3; i++) {\n  all[i].onclick = i => show(i);\n}",
        f"const n = parseInt({_SHOWN}.textContent);\nshow(n + Number({_A}.value));",
        f"const n = parseInt({_SHOWN}.textContent);\nshow(n + {_BY_ID.format('left')}.value);",
        f"const n = {_SHOWN}.textContent;\nshow(n + {_A}.value);",
        "if (a) { function go() {} } else { function go() {} }",
        "x.addEventListener('click', () => { n += 1; });\ny.addEventListener('click', () => { n += 1; });",
        "x.addEventListener('click', () => { n += 1; });\nx.addEventListener('keyup', () => { n += 1; });",
        "x.addEventListener('click', go);\nx.addEventListener('click', () => { show(); });",
        "list.childNodes.forEach(one => one.nodeType === 1 && go(one));",
        "if (list.childNodes.length === 0) { go(); }",
        "while (list.childNodes.length) { list.removeChild(list.childNodes[0]); }",
        "if (list.childNodes.length && go()) { go(); }",
        "let list = list.slice();\nlist.sort();",
        "var n = n || 0;\nn += 1;",
        "let a = b.slice();\nlet b = a.slice();\na.sort();\nb.sort();",
    ],
)
def test_right_code_is_left_alone(script: str) -> None:
    assert _found(script) == []


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("for (let i = 1; i < a.length; i++) { go(a[i]); }", "1 the loop leaves out a[0]: write i = 0 there"),
        (
            "for (let i = 0; i < a.length - 1; i++) { go(a[i]); }",
            "1 the loop leaves out the last of a: write i < a.length there",
        ),
        (
            f"const sum = {_BY_ID.format('left')}.value + {_BY_ID.format('right')}.value;",
            f"1 {_BY_ID.format('left')}.value + {_BY_ID.format('right')}.value puts two texts side by side, 1 + 2 is "
            f"12: write Number({_BY_ID.format('left')}.value) + Number({_BY_ID.format('right')}.value) there",
        ),
    ],
)
def test_what_may_be_meant_is_a_doubt(script: str, said: str) -> None:
    assert _found(script) == []
    assert _doubts(script) == [f"app.js:{said}"]


@pytest.mark.parametrize(
    "script",
    [
        "for (let i = 1; i < a.length; i++) { go(a[i] - a[i - 1]); }",
        "let most = a[0];\nfor (let i = 1; i < a.length; i++) { if (a[i] > most) most = a[i]; else go(a[0]); }",
        "for (let i = 0; i < a.length - 1; i++) { go(a[i], a[i + 1]); }",
        "for (let i = 0; i < a.length; i++) { go(a[i]); }",
        f"const full = {_BY_ID.format('left')}.value + {_BY_ID.format('right')}.value;",
    ],
)
def test_what_is_usually_meant_is_no_doubt(script: str) -> None:
    assert _doubts(script) == []


def test_places_of_a_page_count_its_lines() -> None:
    page = "<!doctype html>\n<p id='a'>0</p>\n<script>\n\nx.innerHtml = 1;\n</script>"
    assert [str(one) for one in script_pitfalls(parse_sources({"index.html": page}))] == [
        "index.html:5 there is no property innerHtml: write innerHTML there"
    ]


def test_files_that_no_page_loads_and_broken_ones_say_nothing() -> None:
    assert script_pitfalls(parse_sources({"index.html": "<p>", "app.js": "x.innerHtml = 1;"})) == []
    assert _found("x.innerHtml = 1; (") == []


def test_an_id_that_is_two_things_on_two_pages_says_nothing() -> None:
    other = '<select id="shown"></select><script src="app.js"></script>'
    sources = parse_sources({"index.html": _PAGE, "other.html": other, "app.js": f"go({_SHOWN}.value);"})
    assert script_pitfalls(sources) == []


@given(st.text(alphabet="abix=<>+-.;(){}[]'\" \n1for let=ifsort", max_size=120))
def test_no_text_breaks_it(text: str) -> None:
    for one in (*_found(text), *_doubts(text)):
        assert one.startswith("app.js:")
