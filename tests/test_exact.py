"""What a line becomes that holds a mistake, from what is told of it to the text that is written."""

import re

import pytest

from roomcode.exact import replaced


@pytest.mark.parametrize(
    ("finding", "line", "after"),
    [
        (
            'a.css:6 trains matches no element, the page has id="trains": write #trains there',
            "trains tbody tr:last-child { color: red; }",
            "#trains tbody tr:last-child { color: red; }",
        ),
        (
            'a.css:6 #box matches nothing, the page has class="box": write .box there',
            "p #box, .boxes { }",
            "p .box, .boxes { }",
        ),
        ("a.css:1 colour is no CSS property: write color there", "p { colour: red }", "p { color: red }"),
        (
            "a.css:1 width: 5 has no unit: write 5px there",
            "p { width: 5; height: 5em }",
            "p { width: 5px; height: 5em }",
        ),
        (
            'a.js:3 no rule has .close, the element has class="closed": write closed there',
            'menu.classList.toggle("close"); // close',
            'menu.classList.toggle("closed"); // close',
        ),
        ("a.js:1 there is no property innerHtml: write innerHTML there", "x.innerHtml = y;", "x.innerHTML = y;"),
        ('a.js:1 no event is called "onclick": write "click" there', "x.on('onclick', go)", "x.on('click', go)"),
        (
            'a.js:1 event.key is never "esc": write "Escape" there',
            "if (e.key === 'esc') {",
            "if (e.key === 'Escape') {",
        ),
        ("a.js:2 go() is called at once and not later: write go there", "x.on('click', go());", "x.on('click', go);"),
        ("a.js:1 a = 5 sets and does not compare: write a === 5 there", "if (a=5) {", "if (a === 5) {"),
        (
            "a.js:1 a.value + b.value puts two texts side by side, 1 + 2 is 12: write Number(a.value) + Number(b.value)"
            " there",
            "show(a.value+b.value);",
            "show(Number(a.value) + Number(b.value));",
        ),
        (
            "a.js:1 r.toString(16) is text and stays as it is: write Number(r).toString(16) there",
            "code = r.toString(16) + g.toString(16);",
            "code = Number(r).toString(16) + g.toString(16);",
        ),
        (
            'a.js:1 a.style.display is "" at first: write a.style.display !== "block" there',
            "if (a.style.display == 'none') {",
            'if (a.style.display !== "block") {',
        ),
        (
            "a.js:1 s.textContent is text, so 1 is put behind it and not added: write s.textContent = "
            "Number(s.textContent) + 1 there",
            "s.textContent += 1;",
            "s.textContent = Number(s.textContent) + 1;",
        ),
        (
            "a.js:1 f.value is text and is put behind the number, 1 + 2 is 12: write n + Number(f.value) there",
            "show(n + f.value);",
            "show(n + Number(f.value));",
        ),
        (
            "a.js:1 the loop leaves out a[0]: write i = 0 there",
            "for (let i=1; i < a.length; i++) {",
            "for (let i = 0; i < a.length; i++) {",
        ),
        (
            "a.js:1 the loop runs one past the end of a: write i < a.length there",
            "for (let i = 0; i <= a.length; i++) {",
            "for (let i = 0; i < a.length; i++) {",
        ),
        (
            "a.js:1 the loop leaves out the last of a.b: write i < a.b.length there",
            "for (let i = 0; i < a.b.length - 1; i++) {",
            "for (let i = 0; i < a.b.length; i++) {",
        ),
        ("a.js:1 #p is a <p> and has no value: write textContent there", "x.y(p.value);", "x.y(p.textContent);"),
        ("a.js:1 #p is a <p> and has no value: write textContent there", "p.value = q.value;", "p.value = q.value;"),
        ("a.js:1 #f is an <input> and its text is its value: write value there", "f.innerText = 1;", "f.value = 1;"),
        (
            "a.js:1 childNodes holds the spaces between elements too: write [...list.children] there",
            "list.childNodes.forEach(one => one);",
            "[...list.children].forEach(one => one);",
        ),
        (
            "a.js:1 setItem stores a list or object as useless text: write JSON.stringify(items) there",
            "localStorage.setItem('a', items);",
            "localStorage.setItem('a', JSON.stringify(items));",
        ),
        (
            "a.js:2 one is one var for all rounds of the loop, a handler sees its last value: write let one there",
            "var one = all[i];",
            "let one = all[i];",
        ),
        # Another line than the finding speaks of stays as it is.
        ("a.css:1 colour is no CSS property: write color there", "p { color: red }", "p { color: red }"),
    ],
)
def test_what_a_line_becomes(finding: str, line: str, after: str) -> None:
    pattern, replacement = replaced(finding)
    assert pattern
    assert re.sub(pattern, replacement, line, count=1) == after


@pytest.mark.parametrize("finding", ["", "a.js:1 go() is not defined", "a.js:1 #p: write there"])
def test_other_findings_say_nothing_of_it(finding: str) -> None:
    assert replaced(finding) == ("", "")
