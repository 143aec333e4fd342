from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.preview.markup import parse_html
from roomcode.preview.references import (
    check,
    dead_handlers,
    missing_files,
    missing_ids,
    parse_sources,
    read_sources,
    syntax_errors,
    unused_files,
)
from roomcode.preview.scripts import parse_script
from roomcode.preview.syntax import json_fault, parse_css

from .conftest import write


def told(findings: list) -> list[str]:
    return [str(finding) for finding in findings]


def test_local_files_that_do_not_exist_are_found_wherever_they_are_named() -> None:
    sources = parse_sources(
        {
            "index.html": '<link rel=stylesheet href="stlye.css">\n<script src="js/app.js?v=2"></script>\n'
            '<img src="/img/a.png" srcset="img/a.png 1x, img/b.png 2x">\n'
            '<a href="about.html#x">a</a><a href="sub/">s</a>\n'
            "<style>\nbody { background: url(img/bg.png) }\n</style>\n"
            "<script>\nfetch('data/list.json'); fetch('d.json')\n</script>",
            "sub/index.html": '<a href="../index.html">up</a><script src="../js/app.js"></script>',
            "js/app.js": "import './lib.js';\nimport {x} from './nolib.js';\n"
            "import('react');\nnew Worker('work.js');\n",
            "js/lib.js": "",
            "style.css": "@import 'theme.css';\n.a { background: url(\"img/a.png\") }",
            "d.json": "{}",
        },
        ["img/a.png"],
    )
    assert told(missing_files(sources)) == [
        "index.html:1 stlye.css does not exist; did you mean style.css?",
        "index.html:3 img/b.png does not exist",
        "index.html:4 about.html does not exist",
        "index.html:6 img/bg.png does not exist",
        "index.html:9 data/list.json does not exist",
        "style.css:1 theme.css does not exist",
        "js/app.js:2 js/nolib.js does not exist",
        "js/app.js:4 work.js does not exist",
    ]


@pytest.mark.parametrize(
    "page",
    [
        '<a href="https://example.com/x.html">x</a><a href="#top">t</a><a href="mailto:a@b.c">m</a><a href="?q">q</a>',
        '<link rel="icon" href="favicon.ico"><link rel="preconnect" href="//cdn.example">',
        '<img src="data:image/png;base64,AA"><img src="${url}"><img src="{{ picture }}">',
        '<base href="/app/"><script src="nope.js"></script>',
        '<a href="javascript:void(0)">x</a><script src="//cdn.example/vue.js"></script>',
        "<script>fetch(url); fetch(`api/${id}`); fetch('https://x.example/'); import('vue')</script>",
    ],
)
def test_what_leads_elsewhere_or_is_not_certain_is_left_alone(page: str) -> None:
    assert missing_files(parse_sources({"index.html": page})) == []


def test_files_nobody_loads_are_named_with_the_tag_that_loads_them() -> None:
    sources = parse_sources(
        {
            "index.html": '<script type=module src="main.js"></script><link rel=stylesheet href="a.css">',
            "main.js": "import './dep.js';\nconst later = 'lazy.js';",
            "dep.js": "",
            "lazy.js": "",
            "left.js": "export const a = 1; import './dep.js'",
            "lost.js": "",
            "css/style.css": "",
            "a.css": "@import 'b.css'",
            "b.css": "",
            "vite.config.js": "",
            "tests/app.test.js": "",
            "sw.js": "",
        }
    )
    assert told(unused_files(sources)) == [
        'left.js no page loads it; add <script type="module" src="left.js"></script> to index.html',
        'lost.js no page loads it; add <script src="lost.js"></script> to index.html',
        'css/style.css no page loads it; add <link rel="stylesheet" href="css/style.css"> to index.html',
    ]
    assert unused_files(parse_sources({"left.js": ""})) == []


def test_ids_that_no_page_has_are_found_with_the_nearest_one() -> None:
    sources = parse_sources(
        {
            "index.html": '<p id="score"></p><div id="board"></div><script src="a.js"></script>\n<script>\n'
            "document.querySelector('#bord .cell, [href=\"#x\"]')\n</script>",
            "other.html": '<p id="elsewhere"></p>',
            "a.js": "document.getElementById('scores');\ndocument.getElementById('board');\n"
            "document.getElementById('elsewhere');\nconst d = document.createElement('p'); d.id = 'made';\n"
            "document.getElementById('made'); box.innerHTML = `<i id=\"cell-${n}\"></i><b id='inner'></b>`;\n"
            "document.getElementById('cell-3'); $('#inner'); e.setAttribute('id', 'set'); $('#set'); byId(name);",
            "unused.js": "document.getElementById('nowhere')",
        }
    )
    assert told(missing_ids(sources)) == [
        'a.js:1 no element in index.html has id="scores"; did you mean "score"?',
        'a.js:3 no element in index.html has id="elsewhere"',
        'index.html:3 no element in index.html has id="bord"; did you mean "board"?',
    ]


@pytest.mark.parametrize(
    ("element", "wanted", "tag"),
    [
        ("<button onclick='go()'>Start</button>", "start", "button"),
        ("<button>Start again</button>", "startAgainButton", "button"),
        ("<a href='#'>Add item</a>", "btn-add-item", "a"),
        ("<button id='other'>Start</button>", "start", ""),
        ("<button>Start</button><button>start</button>", "start", ""),
        ("<button>Start now</button>", "start", ""),
    ],
)
def test_an_id_that_an_element_of_that_text_lacks(element: str, wanted: str, tag: str) -> None:
    page = f"<body>\n{element}\n<script>document.getElementById('{wanted}').focus()</script>"
    (finding,) = missing_ids(parse_sources({"index.html": page}))
    cure = f': write id="{wanted}" into <{tag}> in index.html:2' if tag else ""
    assert finding.text == f'no element in index.html has id="{wanted}"{cure}'


def test_an_id_counts_when_one_of_the_pages_that_load_the_script_has_it() -> None:
    pages = {name: f'<p id="{name}"></p><script src="a.js"></script>' for name in ("one", "two")}
    sources = parse_sources(
        {"one.html": pages["one"], "two.html": pages["two"], "a.js": "document.getElementById('one')"}
    )
    assert missing_ids(sources) == []


def test_handlers_without_a_function_are_found() -> None:
    page = (
        '<button onclick="start()">a</button>\n<button onclick="stop2()">b</button>\n'
        '<button onclick="hidden()">c</button>\n<button onclick="alert(1)">d</button>'
        '<button onclick="this.remove()">e</button><button onclick="shown()">f</button>'
        '<script src="a.js"></script><script type="module" src="m.js"></script>'
    )
    files = {"index.html": page, "a.js": "function start() {}", "m.js": "function hidden() {}\nwindow.shown = () => 1"}
    assert told(dead_handlers(parse_sources(files))) == [
        "index.html:2 stop2() is called here, but no script defines it: write function stop2() in a.js",
        "index.html:3 hidden() is in a module and not known here; add window.hidden = hidden to it",
    ]
    files["index.html"] += '<script src="https://cdn.example/all.js"></script>'
    assert dead_handlers(parse_sources(files)) == []


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("function f() {\n  return 1\n", (1, "'{' is never closed")),
        ("a(1\nb()", (1, "'(' is never closed")),
        ("}\n", (1, "'}' closes nothing")),
        ("let a = 1;\n```\n", (2, "``` is no code: remove that line")),
        (
            "let a;\nlet b;\n1: let a;\n2: let b;",
            (3, 'lines 3 to 4 begin with line numbers like "1:": remove these lines'),
        ),
        (
            "let c;\n7: let a;\n8: let b;",
            (2, 'lines 2 to 3 begin with line numbers like "1:": take these numbers away'),
        ),
        (
            "1: let a;\n2:\n3: a()",
            (1, 'all lines begin with line numbers like "1:": write the file again without them'),
        ),
        ("const a = {\n  1: b,\n  2: c,\n}}", (4, "'}' closes nothing")),
        ("switch (a) {\n  case\n1: b()\n}}", (4, "'}' closes nothing")),
        ("function a() {\n  if (1) {\n    b();\n}\nfunction c() {\n}\n", (2, "'{' is never closed")),
        ("a(() => {\n  for (;;) {\n  }\n  if (1) {\n});\n", (5, "')' does not fit the '{' of line 1")),
        ("f([1, 2)\n", (1, "')' does not fit the '[' of line 1")),
        ("const x = ;\n", (1, "syntax error near: =")),
        ("const a = 1;\nconst a = 2;", (2, "a is already declared in line 1")),
        ("const s = 'it's';", None),
        ("const b = <div>hi</div>;", (1, "HTML in a script: put it into quotes; browsers do not run JSX")),
    ],
)
def test_scripts_that_do_not_parse(code: str, fault: tuple[int, str] | None) -> None:
    errors = parse_script(code).errors
    assert errors
    if fault is not None:
        assert errors[0] == fault


@pytest.mark.parametrize(
    "code",
    [
        "class A { static { this.x = 1 } #p = 1; get #q() { return 1 } static async *g() {} }",
        "a ??= b?.c ?? d; label: for (;;) { break label }",
        "import d from './x.json' with {type: 'json'};\nexport { d as 'a-b' };\nawait d; for await (const y of z) {}",
        "const {a, ...b} = c; ({get x() {}, set x(v) {}, async *[y]() {}}); `a${`b${c}`}`; /[\\p{L}--[a-z]]/v.test(a)",
        "if (x) { const y = 1 } else { const y = 2 }\nlet i = 08, n = 1_000n;",
        "// {\n/* ( */ const s = '{', t = `(`, r = /[({]/;",
        "",
    ],
)
def test_modern_scripts_parse(code: str) -> None:
    assert parse_script(code).errors == []


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("a { color: red }}\n", [(1, "'}' closes nothing")]),
        ("a { color: red }\n<b>x</b> p { top: 0 }\n", [(2, "an HTML tag does not belong into a style sheet")]),
        ("a {\n color: red;\nb { top: 0 }\n", [(1, "'{' is never closed")]),
        ("a {\n  color: red\n  margin: 0;\n}", [(2, "';' is missing after color")]),
        ("/* open\na {}", [(1, "the comment is never closed")]),
        ("a { color red; top: 0 }", [(1, "expected ':' after declaration name, got ident.")]),
    ],
)
def test_style_sheets_that_do_not_parse(text: str, faults: list[tuple[int, str]]) -> None:
    errors = parse_css(text).errors
    assert [line for line, _ in errors] == [line for line, _ in faults]
    if "expected" not in faults[0][1]:
        assert errors == faults


@pytest.mark.parametrize(
    "text",
    [
        "@layer base, theme; @container card (width > 400px) { .a { &:hover { color: red } > b { top: 0 } } }",
        ":root { --x: { a: b }; --y: ; } a:has(> b):not(.c, #d) { inset: 0; color: rgb(0 0 0 / 50%) }",
        'a::before { content: "}{"; background: url(data:image/png;base64,AA==) } /* { */',
        "@media (min-width: 1px) and (hover) { a { transition: color .2s, top 1s } }",
        ".grid { grid-template-areas: 'a b'\n 'c d'; font: 12px/1.5 'X', serif }",
        "",
    ],
)
def test_modern_style_sheets_parse(text: str) -> None:
    assert parse_css(text).errors == []


def test_tags_that_do_not_fit_are_found() -> None:
    page = parse_html(
        "<!doctype html>\n<div>\n<span>a</div>\n<p>b<p>c</p></p>\n<ul><li>1<li>2</ul>\n</section>\n"
        "<i id=x></i><b id=x></b>\n<div/>\n<svg><path d='M0'/></svg><br/>\n<script src=a.js>\n"
    )
    assert page.errors == [
        (3, "<span> is not closed before </div> in line 3"),
        (6, "</section> closes nothing"),
        (7, 'id "x" is already used in line 7'),
        (8, "<div /> stays open: write </div>"),
        (10, "<script> is never closed"),
    ]
    assert parse_html("<table><tr><td>a<td>b<tr><td>c</table><select><option>1<option>2</select>").errors == []


def test_scripts_and_styles_in_a_page_keep_their_lines() -> None:
    sources = parse_sources(
        {"index.html": "<p>\n<script>\nlet a = 1;\nlet b = ;\n</script>\n<style>\na {\n color: red\n top: 0 }</style>"}
    )
    assert told(syntax_errors(sources)) == [
        "index.html:4 syntax error near: =",
        "index.html:8 ';' is missing after color",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"a": 1}', None),
        ('{"a": 1,}', (1, "not JSON: ")),
        ("{\n'a': 1}", (2, "not JSON: ")),
        ("", (1, "not JSON: ")),
        ("[" * 100_000, (1, "not JSON: ")),
    ],
)
def test_json(text: str, fault: tuple[int, str] | None) -> None:
    found = json_fault(text)
    assert (found is None) == (fault is None)
    if found is not None and fault is not None:
        assert found[0] == fault[0]
        assert found[1].startswith(fault[1])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{\n "a": 1,\n}', (2, "take away the comma before the }")),
        ("[1, 2,\n\n]", (1, "take away the comma before the ]")),
        ('{\n "a": 1\n "b": 2}', (2, "a comma is missing at the end of this line")),
        ('["a" "b"]', (1, "a comma is missing")),
        ("{'a': 1}", (1, "write double quotes instead of '")),
        ('{"a": 1, // one\n"b": 2}', (1, "take the comment out")),
        ('{"a" 1}', (1, "expecting ':' delimiter")),
        ("", (1, "expecting value")),
    ],
)
def test_the_fault_of_json_says_what_to_do(text: str, fault: tuple[int, str]) -> None:
    assert json_fault(text) == (fault[0], f"not JSON: {fault[1]}")


def test_a_folder_is_read_without_hidden_and_large_files(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "index.html": b"\xef\xbb\xbf<script src=a.js></script><img src=p.png>",
            "a.js": b"// caf\xe9\nlet x = 1",
            "p.png": b"\x89PNG",
            ".git/b.js": "(",
            "node_modules/c.js": "(",
            "big.js": "(" + " " * 500_000,
        },
    )
    sources = read_sources(tmp_path)
    assert sources.names == {"index.html", "a.js", "p.png", "big.js"}
    assert check(sources) == []


TEXT = st.text(st.sampled_from("<>/\"'={}()[];:#.@!-*`$\\ \nabdi&ü\0"), max_size=60)


@settings(deadline=None)
@given(TEXT, TEXT, TEXT)
def test_wild_text_never_breaks_a_check(html: str, script: str, style: str) -> None:
    texts = {"index.html": f"<script src=a.js></script>{html}", "a.js": script, "a.css": style, "d.json": html}
    for finding in check(parse_sources(texts)):
        assert finding.path in texts
        assert 0 <= finding.line <= texts[finding.path].count("\n") + 1
        assert "\n" not in finding.text
