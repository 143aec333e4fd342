"""The cure beside an error, from the error's line and the project's texts; with the same pages in Chromium."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.preview import Entry
from roomcode.preview.advice import advise, advise_all, error_in
from roomcode.preview.references import check, loading_faults, parse_sources
from roomcode.preview.report import entry_line

from .advice_cases import BUTTON, CASES, HEAD, LISTEN, NULL, Case, page
from .conftest import Project

LOADS = 4
"""A busy machine may not open a page in time."""


def cure(error: str, files: dict[str, str], shown: str = "index.html") -> str:
    return advise(error_in(error), parse_sources(files), shown)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_cure_names_the_place_and_what_to_do(case: Case) -> None:
    text = cure(case.error, case.files)
    assert text == case.cure
    assert 20 < len(text) <= 140


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_chromium_shows_such_an_error_and_the_report_holds_its_cure(case: Case, project: Project) -> None:
    report = await project.load(case.files)
    for _ in range(LOADS):
        if report.state != "no_answer":
            break
        report = await project.load(case.files)
    told = {entry_line(entry): entry.advice for entry in report.errors}
    assert told.get(case.error) == case.cure, told


SET = "TypeError: Cannot set properties of null (setting 'textContent')"
SILENT = {
    "asked for only when it is used": (
        {"index.html": page(HEAD, BUTTON), "app.js": f"function late() {{\n{LISTEN}}}\nwindow.onload = late;\n"},
        f"app.js:3 {NULL}",
    ),
    "the element is there before": ({"index.html": page("", BUTTON + HEAD), "app.js": LISTEN}, f"app.js:2 {NULL}"),
    "deferred": ({"index.html": page(HEAD.replace("src", "defer src"), BUTTON), "app.js": LISTEN}, f"app.js:2 {NULL}"),
    "in a template": (
        {"index.html": page(HEAD, f"<template>{BUTTON}</template>"), "app.js": LISTEN + "x.id = 'greet'"},
        f"app.js:2 {NULL}",
    ),
    "made by a script": (
        {"index.html": page("", HEAD), "app.js": LISTEN + "const b = make('b');\nb.id = 'greet';"},
        f"app.js:2 {NULL}",
    ),
    "two of them in a line": (
        {
            "index.html": page("", HEAD),
            "app.js": "document.querySelector('#a').textContent = document.querySelector('#b').textContent;",
        },
        f"app.js:1 {SET}",
    ),
    "a name that is computed": (
        {"index.html": page("", HEAD), "app.js": "document.getElementById(name + 1).textContent = 1;"},
        f"app.js:1 {SET}",
    ),
    "a selector that is not plain": (
        {"index.html": page("", HEAD), "app.js": "document.querySelector('ul > li:nth-child(2)').textContent = 1;"},
        f"app.js:1 {SET}",
    ),
    "a class that a script may give": (
        {
            "index.html": page("", HEAD),
            "app.js": "p.className = 'card';\ndocument.querySelector('.card').textContent = 1",
        },
        f"app.js:2 {SET}",
    ),
    "a script from elsewhere": (
        {"index.html": page('<script src="https://cdn.example/x.js"></script>', HEAD), "app.js": "roll();"},
        "app.js:1 ReferenceError: roll is not defined",
    ),
    "two files that hold the name": (
        {"index.html": page("", HEAD), "app.js": "roll()", "a.js": "let roll", "b.js": "let roll"},
        "app.js:1 ReferenceError: roll is not defined",
    ),
    "a script that no tag loads": (
        {"index.html": page(), "app.js": "roll()", "dice.js": "let roll"},
        "app.js:1 ReferenceError: roll is not defined",
    ),
    "a base address": (
        {"index.html": page('<base href="/x/">' + HEAD, BUTTON), "app.js": LISTEN},
        f"app.js:2 {NULL}",
    ),
    "a method that exists elsewhere": (
        {"index.html": page("", HEAD), "app.js": "const a = load();\na.push(1);"},
        "app.js:2 TypeError: a.push is not a function",
    ),
    "a short name": (
        {"index.html": page("", HEAD), "app.js": "const o = {go() {}};\no.do();"},
        "app.js:2 TypeError: o.do is not a function",
    ),
    "a parameter": (
        {"index.html": page("", HEAD), "app.js": "function f(done) {\n  done();\n}\nf(1);"},
        "app.js:2 TypeError: done is not a function",
    ),
    "data that is right": (
        {"index.html": page("", HEAD), "app.js": "fetch('a.json'); JSON.parse(x)", "a.json": "{}"},
        "app.js:1 SyntaxError: Unexpected token 'x', \"x\" is not valid JSON",
    ),
    "another page": ({"index.html": page(HEAD, BUTTON), "app.js": LISTEN}, f"other.js:2 {NULL}"),
    "an error of the page's own": (
        {"index.html": page("", HEAD), "app.js": "throw new Error('x')"},
        "app.js:1 Error: x",
    ),
}


@pytest.mark.parametrize("case", SILENT)
def test_where_the_cause_is_not_sure_nothing_is_said(case: str) -> None:
    files, error = SILENT[case]
    assert cure(error, files) == ""


def test_a_page_that_is_not_known_gets_no_advice() -> None:
    assert cure(f"app.js:2 {NULL}", {"app.js": LISTEN}) == ""
    assert cure(f"app.js:2 {NULL}", {"index.html": page(HEAD, BUTTON), "app.js": LISTEN}, "a.html") == ""


def test_the_same_cause_is_told_once_and_plain_lines_get_none() -> None:
    files = {"index.html": page(HEAD, BUTTON), "app.js": LISTEN + LISTEN.replace("const button =", "window.again =")}
    error = error_in(f"app.js:2 {NULL}")
    entries = [Entry("info", "console", NULL, "app.js", 2), error, error]
    assert [bool(text) for text in advise_all(entries, parse_sources(files), "index.html")] == [False, True, False]


def test_a_file_that_is_not_there_is_told_by_its_own_error_alone() -> None:
    files = {"index.html": page("", HEAD), "app.js": "fetch('datas.json').then((r) => r.json());", "data.json": "{}"}
    fault = error_in("app.js:1 SyntaxError: Unexpected token 'N', \"Not found\" is not valid JSON")
    assert cure(f"app.js:1 {fault.text}", files) == "datas.json does not exist; did you mean data.json?"
    gone = Entry("error", "missing", "datas.json not found; did you mean data.json?", "app.js", 1)
    assert advise_all([gone, fault], parse_sources(files), "index.html") == ["", ""]


@pytest.mark.parametrize(
    ("line", "place", "text"),
    [
        ("app.js:3 TypeError: x is null", "app.js:3", "TypeError: x is null"),
        ('after a click on "Go: now": js/a.js:12 Error: y (3 times)', "js/a.js:12", "Error: y"),
        ("Script error.", "Script", "error."),
    ],
)
def test_errors_are_read_back_from_their_lines(line: str, place: str, text: str) -> None:
    entry = error_in(line)
    assert (entry.place, entry.text) == (place, text)


def test_what_is_loaded_twice_and_too_early_is_found_without_a_browser() -> None:
    files = {
        "index.html": page(
            f'{HEAD}\n<link rel="stylesheet" href="a.css">\n<link rel="stylesheet" href="./a.css">',
            f'{BUTTON}\n<script src="b.js"></script>\n<script src="b.js?v=2"></script>',
        ),
        "app.js": LISTEN,
        "b.js": "let b;",
        "a.css": "",
    }
    lines = [str(finding) for finding in loading_faults(parse_sources(files))]
    assert lines == [
        "index.html:7 loads a.css twice, lines 6 and 7: remove one",
        "index.html:13 loads b.js twice, lines 12 and 13: remove one",
        'index.html:5 loads app.js before <button id="greet"> exists: add defer to all script tags',
    ]


EARLY = "document.getElementById('greet').textContent = 'x';"
LATE = {
    "deferred": (HEAD.replace("src", "defer src"), EARLY),
    "a module": (HEAD.replace("src", "type=module src"), EARLY),
    "perhaps later": (HEAD.replace("src", "async src"), EARLY),
    "in a listener": (HEAD, f"document.addEventListener('DOMContentLoaded', () => {{ {EARLY} }});"),
    "in a function": (HEAD, f"function show() {{ {EARLY} }}"),
    "asked first": (HEAD, LISTEN.replace("button.add", "if (button) button.add")),
    "asked first in short": (HEAD, LISTEN.replace("button.add", "button && button.add")),
    "optional": (HEAD, LISTEN.replace("button.add", "button?.add")),
    "optional at once": (HEAD, EARLY.replace(").", ")?.").replace(".textContent = 'x'", ".remove()")),
    "caught": (HEAD, f"try {{ {EARLY} }} catch {{}}"),
    "under a condition": (HEAD, f"if (document.readyState === 'complete') {{ {EARLY} }}"),
    "set anew": (HEAD, LISTEN.replace("const", "let").replace("button.add", "button = make();\nbutton.add")),
    "never used": (HEAD, LISTEN.splitlines()[0]),
    "made by the script": (HEAD, EARLY + "\nbox.id = 'greet';"),
    "another element": (HEAD, EARLY.replace("greet", "other")),
    "a script that does not parse": (HEAD, EARLY + "\n}"),
    "data": ('<script type="application/json" src="app.js"></script>', EARLY),
}


@pytest.mark.parametrize("name", LATE)
def test_scripts_that_may_be_right_are_not_called_early(name: str) -> None:
    head, code = LATE[name]
    assert loading_faults(parse_sources({"index.html": page(head, BUTTON), "app.js": code})) == []
    if head.startswith("<script src"):
        inline = {"index.html": page(f"<script>{code}</script>", BUTTON)}
        assert loading_faults(parse_sources(inline)) == []


WILD = st.text(st.sampled_from("<>/\"'={}()[];:#.,$`\\ \nabx01"), max_size=50)
PIECES = st.sampled_from(
    ["const a = ", "let b;", "function a() {", "document.getElementById('a')", ".b", "a()", "=>", "export ", "import "]
)
ERRORS = st.sampled_from(
    [
        "TypeError: Cannot read properties of null (reading 'b')",
        "ReferenceError: a is not defined",
        "TypeError: a.b is not a function",
        "TypeError: a is not a function",
        "SyntaxError: Identifier 'a' has already been declared",
        "ReferenceError: Cannot access 'a' before initialization",
        "TypeError: Assignment to constant variable.",
        "SyntaxError: Unexpected end of input",
        "SyntaxError: await is only valid in async functions and the top level bodies of modules",
        "SyntaxError: The requested module './b.js' does not provide an export named 'a'",
        'TypeError: Failed to resolve module specifier "a"',
        "SyntaxError: Unexpected token '<', \"<\" is not valid JSON",
    ]
)


@settings(deadline=None, max_examples=150)
@given(st.lists(PIECES | WILD, max_size=8).map("".join), WILD, ERRORS, st.integers(0, 9), st.integers(0, 60))
def test_wild_texts_never_break_it(code: str, html: str, error: str, line: int, column: int) -> None:
    texts = {
        "index.html": f"<script>{code}</script>{html}<p id=a onclick='a()'>"
        "<script src=a.js></script><script src=b.js type=module>",
        "a.js": code,
        "b.js": html + code,
        "d.json": html,
    }
    sources = parse_sources(texts)
    for file in ("a.js", "b.js", "index.html", ""):
        text = advise(Entry("error", "exception", error, file, line, column), sources, "index.html")
        assert len(text) <= 200
        assert "\n" not in text
    assert all("\n" not in finding.text for finding in check(sources))
