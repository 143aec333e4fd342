"""Requests that move scripts or styles of a page into a file, and what that file then has to hold."""

import time

import pytest

from roomcode.moves import moved_text, not_moved
from roomcode.promises import unkept_wishes

PAGE = """<!doctype html>
<head>
  <style>
    p { top: 0 }
  </style>
</head>
<body>
  <script>
    let shown = 0;
  </script>
</body>
"""
SITE = {"index.html": PAGE}
SCRIPT, STYLE = "let shown = 0;\n", "p { top: 0 }\n"
MOVE = "Move the script of index.html into app.js"


def moved(prompt: str, page: str = PAGE) -> dict[str, str]:
    return moved_text(prompt, {"index.html": page}, ["index.html"])


@pytest.mark.parametrize(
    ("prompt", "files"),
    [
        (MOVE, "app.js"),
        ("Move the JavaScript of index.html into a new file words.js and load it from the page.", "words.js"),
        ("Move the CSS of index.html into a new file style.css and link it. It must look as before.", "style.css"),
        ("Move the style into style.css and the script into app.js", "app.js style.css"),
        ("Please move the styles to a file style.css.", "style.css"),
        ("Could you move the inline script in its own file app.js?", "app.js"),
        ("Extract the inline JavaScript from index.html into a separate file called app.js.", "app.js"),
        ("Split out the scripts and styles into their own files (style.css and app.js).", "app.js style.css"),
        ("Split the styles and scripts of index.html into style.css and script.js", "script.js style.css"),
        ("Split index.html into index.html, style.css and app.js.", "app.js style.css"),
        ("Move the contents of the <style> tag into css/style.css and link it", "css/style.css"),
        ("I want you to move all CSS out of index.html into `style.css`.", "style.css"),
        ("Create a file app.js and move the script of index.html into it.", "app.js"),
        ("Take the script out of index.html and put it into app.js.", "app.js"),
        ("Separate the CSS and the JavaScript into style.css and app.js", "app.js style.css"),
        ('From now on: move the page\'s script to "js/app.js".', "js/app.js"),
        ("Refactor index.html: move the script into app.js, the styles into style.css.", "app.js style.css"),
        ("Move the JavaScript code that is in index.html to its own file, app.js, and load it.", "app.js"),
        ("Now move index.html's styles into main.css", "main.css"),
        ("Put the inline styles of the page into style.css.", "style.css"),
        ("Move the scripts and styles into separate files. Name them style.css and app.js.", "app.js style.css"),
        ("Move the CSS to a file of its own, main.css", "main.css"),
        ("Move the CSS into style.css without changing how it looks; keep everything working", "style.css"),
        ("Move the script into app.js and the button into the header", "app.js"),
    ],
)
def test_what_a_request_moves(prompt: str, files: str) -> None:
    found = moved(prompt)
    assert " ".join(sorted(found)) == files
    assert all(text == (STYLE if name.endswith(".css") else SCRIPT) for name, text in found.items())


@pytest.mark.parametrize(
    "prompt",
    [
        "Move the button into the header",
        "Move the script tag to the end of body",
        "Put the numbers into data.js",
        "Move the script tag for app.js to the end of the body",
        "Move the greet function of the script into greet.js",
        "Move the script that handles the form into form.js",
        "Move the styles of the header into header.css",
        "Move the first script into app.js",
        "Move the game logic into game.js",
        "Move the script into style.css",
        "Move the script into app.js and util.js",
        "Move the styles into style.css and the dark ones into dark.css",
        "Move the script into its own file",
        "Move the script into its own file and create data.js with the numbers",
        "Move the script to the head and add a file data.js",
        "Move the script into app.js, but leave the counter inline",
        "Move the CSS into style.css except the colours",
        "Move the script into app.js as an ES module and import it",
        "Rewrite it in TypeScript and move the script into app.js",
        "Add a dark mode. Put the script into dark.js",
        "Make a quiz page with its script in quiz.js and styles in quiz.css",
        "Do not move the script into app.js, only fix the button",
        "How do I move the script into app.js?",
        "When I move the script into app.js the page breaks, fix it",
        "If you move the script into app.js, the page breaks. Fix it.",
        "Move the script of index.html and about.html into app.js",
        "Move the script of about.html into app.js",
        "Link style.css in index.html",
    ],
)
def test_what_is_not_sure_gives_nothing(prompt: str) -> None:
    assert moved(prompt) == {}


def test_the_file_is_new_and_the_page_is_the_only_one_that_can_be_meant() -> None:
    two = {**SITE, "about.html": PAGE.replace("shown", "about")}
    assert moved_text(MOVE, SITE, ["index.html", "app.js"]) == {}
    assert moved_text(MOVE, SITE, ["index.html", "js/app.js"]) == {}, "that one may be meant"
    assert moved_text(MOVE, two, list(two)) == {"app.js": SCRIPT}
    assert moved_text("Move the script into app.js", two, list(two)) == {}
    plain = {**SITE, "about.html": "<p>"}
    assert moved_text("Move the script into app.js", plain, list(plain)) == {"app.js": SCRIPT}
    both = "Move the script of index.html into a.js and the script of about.html into b.js"
    assert moved_text(both, two, list(two)) == {"a.js": SCRIPT, "b.js": "let about = 0;\n"}
    same = "Move the script of index.html into a.js and the script of about.html into a.js"
    assert moved_text(same, two, list(two)) == {}


def test_another_folder_only_where_it_is_named_and_no_address_changes() -> None:
    inside = {"site/index.html": PAGE}
    assert moved_text("Move the script into app.js", inside, list(inside)) == {}
    assert moved_text("Move the script into site/app.js", inside, list(inside)) == {"site/app.js": SCRIPT}
    picture = PAGE.replace("top: 0", "background: url(a.png)")
    assert moved("Move the CSS into css/a.css", picture) == {}
    assert moved("Move the CSS into a.css", picture) == {"a.css": "p { background: url(a.png) }\n"}


def test_several_blocks_are_joined_and_what_is_no_script_stays() -> None:
    page = (
        '<!-- <script>let gone</script> --><script src="x.js"></script>\n'
        '<script type="application/json">{"a": 1}</script><script type="importmap">{}</script>\n'
        "<template><script>let inert</script></template><script>\n</script>\n"
        "<script>\n  if (a) {\n    b();\n  }\n\n</script>\n<SCRIPT type='text/javascript'>c()</SCRIPT>\n"
    )
    assert moved("Move the scripts into app.js", page) == {"app.js": "if (a) {\n  b();\n}\n\nc()\n"}


def test_modules_and_styles_for_one_medium_are_not_sure() -> None:
    module = '<script type="module">\nlet a\n</script>'
    assert moved(MOVE, module) == {"app.js": "let a\n"}
    assert moved(MOVE, module * 2) == {}
    assert moved(MOVE, module + "<script>let b</script>") == {}
    assert moved("Move the script into app.mjs", module) == {"app.mjs": "let a\n"}
    assert moved("Move the script into app.mjs") == {}
    assert moved("Move the styles into a.css", '<style media="print">p {}</style><style>b {}</style>') == {}
    assert moved("Move the styles into a.css", "<style>p {}") == {}, "nobody knows where it ends"


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ("let a = 1;", "let a = 1;\n"),
        ("\r\n  let a;\r\n    b();\r\n", "let a;\n  b();\n"),
        ("\n\tlet a;\n\t\tb();\n\n\n\tc();\n", "let a;\n\tb();\n\n\nc();\n"),
        ("\n  const o = { a: { b: [1, { c: 2 }] } };\n  o.a;\n", "const o = { a: { b: [1, { c: 2 }] } };\no.a;\n"),
        ("\n  a = `<b>${x}</b>`;\n  b();\n", "a = `<b>${x}</b>`;\nb();\n"),
        ("\n  a = `\n    <b>\n  `;\n", "  a = `\n    <b>\n  `;\n"),
        ("\n  a = `\n   \n`;\n", "  a = `\n   \n`;\n"),
        ("\n  a = `${b.map(c => `\n  x`)}`;\n", "  a = `${b.map(c => `\n  x`)}`;\n"),
        ("\n  a = `\n\n`;\n", "  a = `\n\n`;\n"),
        ("\n  a = 'x\\\n  y';\n", "  a = 'x\\\n  y';\n"),
        ("\n  // don`t\n  a();\n", "// don`t\na();\n"),
    ],
)
def test_the_shared_indentation_goes_where_no_text_changes_by_it(block: str, text: str) -> None:
    assert moved(MOVE, f"<body>\n<script>{block}</script>\n</body>") == {"app.js": text}


def test_long_requests_are_read_in_no_time() -> None:
    started = time.perf_counter()
    for prompt in (
        "move the script and the style of it, " * 500,
        "move " + "the " * 5000,
        "move js to " + "a new " * 3000,
    ):
        assert moved(prompt) == {}
        moved(prompt[:1999])
    assert time.perf_counter() - started < 2


def test_a_module_stays_one() -> None:
    there = {"index.html": '<script type="module">\nlet a\n</script>', "app.js": "let a\n"}
    assert not_moved(MOVE, there) == [
        "index.html:1 still holds the <script> that app.js has now; "
        'write <script type="module" src="app.js"></script> in its place'
    ]


def test_what_was_to_be_moved_is_not_left_behind() -> None:
    prompt = "Move the CSS of index.html into a new file style.css and link it."
    old = {"index.html": "<title>a</title>\n<style>\np { top: 0 }\n</style>"}
    new = {**old, "style.css": "p { top: 0 }"}
    told = "index.html:2 still holds the <style> that style.css has now; "
    tag = '<link rel="stylesheet" href="style.css">'
    assert not_moved(prompt, new) == [f"{told}write {tag} in its place"]
    assert not_moved(prompt, old) == []
    assert unkept_wishes(prompt, old, old) == ["style.css, which the request names, does not exist"]
    linked = {
        "index.html": '<link rel="stylesheet" href="style.css"><script>let a</script>',
        "style.css": "p { top: 0 }",
    }
    assert not_moved(prompt, linked) == []
    other = {**linked, "about.html": "<style>\nb { top: 1px }\n</style>"}
    assert not_moved(prompt, other) == [], "a style of its own"
    script = "Please split the JavaScript into its own file app.js"
    both = {"index.html": '<script src="app.js"></script><script> let a </script>', "app.js": "let a"}
    assert not_moved(script, both) == ["index.html:1 still holds the <script> that app.js has now; take it out"]
    half = {"index.html": "<script>\nlet a\nlet b\nlet c\n</script>", "app.js": "let a"}
    assert not_moved(script, half) == [], "not all of it is there yet"
    data = {"index.html": '<!-- app.js --><script type="application/json">\nlet a\n</script>', "app.js": "let a"}
    assert not_moved(script, data) == []
    done = {"index.html": '<script src="app.js"></script>', "app.js": "let a"}
    assert not_moved(script, done) == []
    assert not_moved("Link style.css in index.html", new) == []
