"""Slips of scripts that no console shows, what the next edit makes of them, and right code that looks like them."""

import re

import pytest

from roomcode.cures import cure
from roomcode.preview.pitfalls import doubtful_places, script_pitfalls
from roomcode.preview.references import Sources, parse_sources

_PAGE = """<!doctype html><title>A</title><input id="a" type="number"><input id="b" type="number">
<script src="app.js"></script>
"""
_A, _B = 'document.getElementById("a").value', 'document.getElementById("b").value'


def _project(script: str) -> Sources:
    return parse_sources({"index.html": _PAGE, "app.js": script})


def _mended(script: str) -> str:
    """The script after the change that its one finding asks for."""
    found = [str(one) for one in script_pitfalls(_project(script))]
    assert len(found) == 1, found
    change = cure(found[0])
    assert change is not None, found
    match = re.search(change.within, script)
    assert match is not None
    return script[: match.start(1)] + re.sub(*change.becomes, match[1], count=1) + script[match.end(1) :]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            "f.onsubmit = event => {\n  event.preventDefault;\n};",
            "f.onsubmit = event => {\n  event.preventDefault();\n};",
        ),
        ("function draw() {\n  x();\n}\ndraw;", "function draw() {\n  x();\n}\ndraw();"),
        ("let name = read();\nname.trim();", "let name = read();\nname = name.trim();"),
        ("var t = read();\nt.replace(',', '.');", "var t = read();\nt = t.replace(',', '.');"),
        ("let open = all();\nopen.filter(t => !t.done);", "let open = all();\nopen = open.filter(t => !t.done);"),
        ("const big = list.filter(n => { n > 3 });", "const big = list.filter(n => { return n > 3 });"),
        ("show(list.map(n => {\n  n * 2;\n}));", "show(list.map(n => {\n  return n * 2;\n}));"),
        ("show(`${d.getDate()}.${d.getMonth()}.`);", "show(`${d.getDate()}.${(d.getMonth() + 1)}.`);"),
        ("show('Month ' + d.getMonth());", "show('Month ' + (d.getMonth() + 1));"),
        ("show(d.getYear());", "show(d.getFullYear());"),
        ("count =+ 1;", "count += 1;"),
        (
            "li.innerText = one.name + ' (' + (one.home && one.home.city) || 'no city' + ')';",
            "li.innerText = one.name + ' (' + ((one.home && one.home.city) || 'no city') + ')';",
        ),
        ("show('Hello ' + name || 'you');", "show('Hello ' + (name || 'you'));"),
        ("left =- 2 * n;", "left -= 2 * n;"),
        (
            "const list = ['a', 'b'];\nfor (const one in list) show(one);",
            "const list = ['a', 'b'];\nfor (const one of list) show(one);",
        ),
        ("if (list.indexOf(x)) go();", "if (list.includes(x)) go();"),
        ("if (!list.indexOf(x)) go();", "if (!list.includes(x)) go();"),
        ("show(list[Math.random() * list.length]);", "show(list[Math.floor(Math.random() * list.length)]);"),
        (
            "const i = Math.round(Math.random() * list.length);\nshow(list[i]);",
            "const i = Math.floor(Math.random() * list.length);\nshow(list[i]);",
        ),
        (f"if ({_A} < {_B}) go();", f"if (Number({_A}) < Number({_B})) go();"),
        (
            "let total = 0;\nfunction add(n) {\n  let total = n;\n}\nshow(() => total);",
            "let total = 0;\nfunction add(n) {\n  total = n;\n}\nshow(() => total);",
        ),
        (
            "let timer;\nfunction start() {\n  timer = setInterval(tick, 1000);\n}",
            "let timer;\nfunction start() {\n  clearInterval(timer);\n  timer = setInterval(tick, 1000);\n}",
        ),
        (
            "let t;\ngo.addEventListener('click', () => {\n  t = setInterval(tick, 1000);\n});",
            "let t;\ngo.addEventListener('click', () => {\n  clearInterval(t);\n  t = setInterval(tick, 1000);\n});",
        ),
        (
            "switch (x) {\n  case 1:\n    word = 'one';\n  case 2:\n    word = 'two';\n}",
            "switch (x) {\n  case 1:\n    word = 'one';\n    break;\n  case 2:\n    word = 'two';\n}",
        ),
    ],
)
def test_a_slip_is_told_and_the_next_edit_mends_it(wrong: str, right: str) -> None:
    assert _mended(wrong) == right
    assert script_pitfalls(_project(right)) == []


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            "const name = read();\nname.trim();",
            "2 name.trim() changes nothing by itself, name stays as it is: use what it",
        ),
        (
            "go(list.filter(n => { const m = n; m > 2; }));",
            "1 the function for filter gives nothing back, write return",
        ),
        (
            "go.onclick = () => { t = setInterval(tick, 1000); };",
            "1 a click while it runs starts a second timer beside",
        ),
        (
            "function f() {\n  return\n    (a + b);\n}",
            "2 return ends here and gives nothing back: what it gives has to",
        ),
    ],
)
def test_a_slip_that_may_be_mended_in_several_ways_is_told(script: str, said: str) -> None:
    assert [str(one)[: len(said) + 7] for one in script_pitfalls(_project(script))] == [f"app.js:{said}"]


@pytest.mark.parametrize(
    "script",
    [
        "let t;\nfunction start() {\n  if (t) return;\n  t = setInterval(tick, 1000);\n}",
        "let t;\ngo.onclick = () => {\n  go.disabled = true;\n  t = setInterval(tick, 1000);\n};",
        "let t = setInterval(tick, 1000);\nfunction load() {\n  t = setInterval(tick, 1000);\n}\nload();",
        "show('Hello ' + (name || 'you')); show(a + b || 'none'); show(name || 'A' + 'B'); go(a === 'b' || c);",
        "location.replace('a', 'b'); el.classList.replace('a', 'b'); list.sort(); list.reverse(); list.push(1);",
        "'use strict';\nlet a; a; node.remove(); let timer = setInterval(tick, 1000);",
        "let text = read();\ntext = text.trim();\nconst low = text.toLowerCase();",
        "let open = all();\nopen.filter(t => t.remove());",
        "list.map(n => { show(n); });\nlist.forEach(n => { n > 3 });",
        "const big = list.filter(n => { return n > 3; });\nconst sum = list.reduce((a, b) => a + b, 0);",
        "const all = list.map(async n => { await go(n); });\nlist.find(n => { if (n) { return true; } });",
        "show(names[d.getMonth()]); show(`${d.getMonth() + 1}`); show('a' + (d.getMonth() + 1)); go(d.getMonth());",
        "function f() {\n  if (a) return\n  go();\n}",
        "function f() {\n  return;\n  go();\n}",
        "x = -1; y =-1; z = +t; a += 1; b =  - 2;",
        "const list = [1, 2];\nfor (const i in list) show(list[i]);\nfor (const key in data) show(key);",
        "if (list.indexOf(x) === -1) go(); if (list.indexOf(x) >= 0) go(); if (text.indexOf('@') > 0) go();",
        "show(list[Math.floor(Math.random() * list.length)]); x = Math.round(Math.random() * list.length);",
        f"if (Number({_A}) < Number({_B})) go(); if ({_A} === {_B}) go(); if ({_A} < 10) go();",
        "let total = 0;\nfunction add(n) {\n  let total = n;\n  show(total);\n}",
        "const name = 1;\nfunction add(n) {\n  const name = n;\n}",
        "let n = 0;\nfunction a() {\n  const n = 2;\n  return { n };\n}",
        "function a() {\n  let n = 1;\n  go(n);\n}\nfunction b() {\n  let n = 1;\n}",
        "switch (x) {\n  case 1:\n  case 2:\n    word = 'a';\n    break;\n  default:\n    word = 'b';\n}",
        "switch (x) {\n  case 1: f(); break;\n  case 2: { a = 1; break; }\n  case 3: a = 2;\n}",
    ],
)
def test_right_code_is_left_alone(script: str) -> None:
    assert script_pitfalls(_project(script)) == []


def test_a_case_that_does_something_else_and_runs_on_is_a_doubt() -> None:
    script = "switch (x) {\n  case 1:\n    first();\n  case 2:\n    second();\n}"
    assert script_pitfalls(_project(script)) == []
    assert [str(one) for one in doubtful_places(_project(script))] == [
        "app.js:3 this case runs on into the next one: write break; behind this line"
    ]
