"""Careless writes are recognised, ordinary ones are not."""

import pytest

from roomcode.tools.guards import (
    is_html_fragment,
    overlap,
    placeholder,
    sent_before,
    sent_behind,
    shrinks,
    starts_alike,
    unclosed,
    unclosed_block,
    without_line_numbers,
)

PAGE = "<!doctype html>\n<html>\n<body>\n<h1>A</h1>\n</body>\n</html>\n"


@pytest.mark.parametrize("content", ["<h1>B</h1>", "<body><h1>B</h1></body>", "function f() {}"])
def test_a_piece_of_a_page_is_not_a_page(content: str):
    assert is_html_fragment("index.html", PAGE, content)


def test_a_page_for_a_page_and_a_piece_for_a_piece_are_fine():
    assert not is_html_fragment("index.html", PAGE, "<HTML><p>x</p></HTML>")
    assert not is_html_fragment("index.html", PAGE, "<!DOCTYPE html><p>x")
    assert not is_html_fragment("part.html", "<li>a</li>", "<li>b</li>")
    assert not is_html_fragment("notes.md", PAGE, "<h1>B</h1>")


@pytest.mark.parametrize(
    "line",
    [
        "<!-- rest unchanged -->",
        "// rest of the code unchanged",
        "// ... rest of the code ...",
        "# ... existing code ...",
        "/* existing styles here */",
        "// ... (other functions remain the same)",
        "    // ... existing code ...",
        "<!-- ... the rest of the page stays the same ... -->",
        "{/* rest of the component code */}",
        "... rest of file",
        "// keep the rest as before",
        "const x = 1; // rest of code unchanged",
        "/* The rest of the CSS remains the same */",
        "// previous code",
        "// Remaining code here",
    ],
)
def test_a_comment_that_stands_for_code_is_flagged(line: str):
    assert placeholder(f"<p>a</p>\n{line}\n<p>b</p>", "", "x\n" * 9) == line.strip()


@pytest.mark.parametrize(
    "line",
    [
        "// add the rest to the total",
        "const rest = items.slice(1);",
        "function restOfCode() {}",
        "<p>The rest of the story</p>",
        "# The rest API",
        "// take a rest",
        "...args",
        "[...rest]",
        "<p>Nothing has changed, the price stays the same.</p>",
        "// nothing else",
        "/* Reset styles */",
        "// the same for both players",
        "color: #333; /* same as above */",
    ],
)
def test_ordinary_lines_are_not(line: str):
    assert placeholder(f"a\n{line}\nb", "", "x\n" * 9) == ""


def test_a_comment_that_the_file_has_already_is_not_flagged():
    there = "x\n  // rest of the code unchanged\n"
    assert placeholder("// rest of the code unchanged", there, there) == ""


def test_a_comment_that_says_unchanged_is_fine_where_nothing_is_lost():
    line = "// leave the other fields unchanged"
    assert placeholder(f"a\n{line}\nb\nc", "", "a\nb\n") == ""
    assert placeholder(f"a\n{line}", "", "a\nb\nc\n") == line


def test_losing_more_than_half_of_a_long_file_is_told():
    long = "".join(f"line {number}\n" for number in range(120))
    assert shrinks(long, "line\n" * 15) == (120, 15)
    assert shrinks(long, "line\n" * 60) is None
    assert shrinks("a\n" * 20, "b\n") is None


def test_an_append_of_the_file_itself_is_recognised():
    assert starts_alike(PAGE, PAGE + "<footer></footer>")
    assert starts_alike(PAGE, "<!DOCTYPE html>\n<p>other page")
    assert starts_alike("const a = 1;\nconst b = 2;\nf();\n", "\nconst a = 1;\n  const b = 2;\nf();\ng();\n")


def test_an_ordinary_append_is_not():
    assert not starts_alike(PAGE, "<footer></footer>")
    assert not starts_alike("}\n", "}\n}\n")
    assert not starts_alike("", "<!doctype html>")
    assert not starts_alike("import a\nimport b\n", "import c\n")


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("1: <p>\n2:   a: 1\n3:\n4: </p>", "<p>\n  a: 1\n\n</p>"),
        ("17: a();\n18: b();\n", "a();\nb();\n"),
        ("9: a\n10: b", "a\nb"),
    ],
)
def test_line_numbers_that_were_copied_are_left_out(text: str, bare: str) -> None:
    assert without_line_numbers("app.js", text) == bare
    assert without_line_numbers("notes.txt", text) == text, "in other files they may be meant"


@pytest.mark.parametrize(
    "text", ["", "\n", "1: a", "1: a\n3: b", "1: a\nb", "2: a\n1: b", "a: 1\nb: 2", "1:a\n2:b", "case 1: a\ncase 2: b"]
)
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert without_line_numbers("app.js", text) == text


LIST = "<ul>\n<li>Rye</li>\n<li>Spelt</li>\n<li>Barley bread</li>\n<li>Wheat bread</li>\n</ul>\n</body>\n</html>\n"


@pytest.mark.parametrize(
    ("old", "new", "replaced"),
    [
        (
            "<li>Rye</li>",
            "<li>Oat</li>\n<li>Spelt</li>\n<li>Barley bread</li>",
            "\n<li>Spelt</li>\n<li>Barley bread</li>",
        ),
        ("</ul>", "</ul>\n<p>x</p>\n</body>\n</html>\n", "\n</body>\n</html>"),
        ("</ul>", "</ul>\n</body>\n</html>", "\n</body>\n</html>"),
        ("<li>Rye</li>", "<li>Rye</li>\n<li>Oat</li>", ""),
        ("<li>Rye</li>", "<li>Oat</li>\n<li>Spelt</li>", ""),
        ("<li>Rye</li>", "<li>Oat</li>\n<li>Barley bread</li>\n<li>Wheat bread</li>", ""),
        ("<li>Rye</li>", "<li>Rye</li>\n\n\n", ""),
        ("Rye", "Oat", ""),
    ],
)
def test_lines_that_stand_behind_an_edit_are_not_doubled(old: str, new: str, replaced: str) -> None:
    end = LIST.index(old) + len(old)
    assert LIST[end : end + overlap(LIST, end, new)] == replaced


def test_nothing_that_lies_between_is_taken_away() -> None:
    text = "<h1>A</h1>\n" + "".join(f"<p>keep {n}</p>\n" for n in range(40)) + "</body>\n</html>\n"
    for new in ("<h1>B</h1>\n</html>", "<h1>B</h1>\n</body>\n</html>", "<h1>B</h1>\n<p>keep 5</p>\n<p>keep 6</p>"):
        assert overlap(text, len("<h1>A</h1>"), new) == 0


def test_what_a_file_repeats_may_be_meant_once_more() -> None:
    tail = "    items.push(text);\n    render(items);\n    save(items, new Date());\n}\n"
    script = f"let items = [];\n\nfunction add(text) {{\n{tail}\nfunction remove(text) {{\n{tail}"
    end = len("let items = [];")
    assert overlap(script, end, f"let items = [];\n\nfunction clear() {{\n    items = [];\n{tail}") == 0
    rows = "const map = [\n" + "  [1, 0, 0, 0, 0, 0, 0, 1],\n" * 2 + "  [1, 1, 1, 1, 1, 1, 1, 1],\n];\n"
    end = len("const map = [")
    assert overlap(rows, end, "const map = [\n" + "  [1, 0, 0, 0, 0, 0, 0, 1],\n" * 2) == 0
    assert overlap(rows, end, "const map = [\n" + "  [1, 0, 0, 0, 0, 0, 0, 1],\n" * 3) == 0


@pytest.mark.parametrize(
    ("text", "old", "new", "replaced"),
    [
        ("<p>Open</p>\n", "<p>Open", "<p>Closed</p>", "</p>"),
        ("<ul>\n<li>a</li>\n</ul>", "<ul>\n<li>a", "<ul>\n<li>b</li>\n</ul>", "</li>\n</ul>"),
        ('<button id="a">Go</button>', '<button id="a">', "<button>Stop</button>", ""),
        ("<p>Open</p>", "<p>Open", "<p>Closed", ""),
        ("<p>Open</p>", "<p>Open", "Closed</p>", ""),
        ("<p>Open</p>", "Open", "<b>Closed</b>", ""),
        ("<p>Open<br></p>", "<p>Open<br>", "<p>Closed<br></p>", "</p>"),
        ("<p>Open</P >", "<p>Open", "<p>Closed</p>", "</P >"),
        ("<p>Open</b></p>", "<p>Open", "<p>Closed</p>", ""),
        ("if (a < b) { go(); }", "if (a < b) {", "if (a > b) {", ""),
    ],
)
def test_what_closes_a_replaced_element_goes_with_it(text: str, old: str, new: str, replaced: str) -> None:
    end = text.index(old) + len(old)
    assert text[end : end + unclosed(text, end, old, new)] == replaced


FEE = 'function fee(days) {\n  if (days > 3) {\n    return days * 2; // "}"\n  }\n  return "{";\n}\nlog(fee(2));\n'
LISTENER = 'go.addEventListener("click", () => {\n  run();\n});\nstop();\n'


@pytest.mark.parametrize(
    ("text", "old", "new", "rest"),
    [
        (FEE, "fee(days) {", "fee(days) {\n  return 1;\n}", "\nlog(fee(2));\n"),
        (FEE, "  if (days > 3) {", "if (days > 3) {\n    return 7;\n  }", '\n  return "{";\n}\nlog(fee(2));\n'),
        (LISTENER, '("click", () => {', '("click", () => {\n  walk();\n});', "\nstop();\n"),
        (LISTENER, '("click", () => {', '("click", () => {\n  walk();\n}', ");\nstop();\n"),
        ("a { x: 1 }\nb { y: 2 }\n", "a {", "a {\n  x: 2;\n}", "\nb { y: 2 }\n"),
        # A new beginning, another block, a block in front of it, one that is closed, and no end at all.
        (FEE, "fee(days) {", "fee(days) {\n  let x;", None),
        (FEE, "fee(days) {", "charge(days) {\n  return 1;\n}", None),
        (FEE, "function fee(days) {", "function one() {\n  return 1;\n}\nfunction fee(days) {", None),
        (FEE, "log(fee(2));", "log(fee(2));\nfunction two() {\n}", None),
        ("go() {\n", "go() {", "go() {\n}", None),
        (FEE, "fee(days) {", "fee(days) { }", None),
    ],
)
def test_the_body_of_a_block_that_is_written_anew_goes_with_its_beginning(
    text: str, old: str, new: str, rest: str | None
) -> None:
    end = text.index(old) + len(old)
    block = unclosed_block(text, end, old, new)
    assert (text[end + block :] if block else None) == rest


CART = '<body>\n  <ul id="cart">\n    <li>Bread</li>\n    <li>Milk</li>\n  </ul>\n<p>Total</p>\n</body>\n'


@pytest.mark.parametrize(
    ("old", "new", "begins"),
    [
        ("</ul>", '<ul id="cart">\n<li>Bread</li>\n<li>Milk</li>\n<li>Rye</li>\n</ul>', "<ul"),
        ("</body>", CART.replace("  ", "").replace("<p>", "<p>Sum</p>\n<p>"), "<body>"),
        ("</ul>", '<ul id="cart">\n<li>Milk</li>\n<li>Rye</li>\n</ul>', "</ul>"),
        ("</ul>", "<li>Rye</li>\n</ul>", "</ul>"),
        ("</ul>", '<ul id="other">\n<li>Bread</li>\n<li>Milk</li>\n</ul>', "</ul>"),
        ("<p>Total</p>", "<li>Milk</li>\n<p>Total</p>", "<p>Total"),
        ("<p>Total</p>", "", "<p>Total"),
        ("<body>", '<body>\n<ul id="cart">', "<body>"),
    ],
)
def test_lines_that_stand_before_an_edit_are_not_doubled(old: str, new: str, begins: str) -> None:
    start = CART.index(old)
    assert CART[start - sent_before(CART, start, new) :].startswith(begins)


DICE = """let rolls = 0;

function roll() {
  return one(1, 6) + 1;
}

button.onclick = () => {
  rolls += 1;
  show(roll());
};
end();
"""


@pytest.mark.parametrize(
    ("new", "left"),
    [
        (
            "let rolls = 0, sum = 0;\n\nfunction roll() {\n  return one(1, 6) + 1;\n}\n\nbutton.onclick = () => {\n"
            "  rolls += 1;\n  sum += 6;\n  show(roll());\n};",
            "\nend();\n",
        ),
        (
            "let rolls = 0;\nfunction roll() {\n  log('a roll of six');\n  return one(1, 6) + 1;\n}\n",
            "\n\nbutton.onclick",
        ),
        # It ends with something else, leaves a line out, or begins elsewhere.
        ("let rolls = 0;\nfunction roll() {\n  return one(1, 6) + 1;\n}\nstart();", "\n\nfunction roll"),
        (
            "let rolls = 0;\nfunction roll() {\n  return one(1, 5) + 1;\n}\nbutton.onclick = () => {\n};",
            "\n\nfunction roll",
        ),
        ("let rolls = 0;\nbutton.onclick = () => {\n  rolls += 1;\n  show(roll());\n};", "\n\nfunction roll"),
        ("let rolls = 10;", "\n\nfunction roll"),
    ],
)
def test_lines_that_new_goes_on_with_are_replaced_too(new: str, left: str) -> None:
    end = len("let rolls = 0;")
    assert DICE[end + sent_behind(DICE, end, new) :].startswith(left)


def test_lines_behind_are_not_replaced_where_that_may_be_meant() -> None:
    end = len("let rolls = 0;")
    assert sent_behind(DICE.replace("let rolls = 0;", "let rolls = 0; // none"), end, DICE[:-7]) == 0
    assert sent_behind(DICE + "function roll() {\n}\n", end, DICE[:-7]) == 0
    assert sent_behind("a\n", 1, "") == sent_behind("a", 1, "b\nc") == 0


def test_what_stands_there_twice_may_be_meant_a_third_time() -> None:
    card = '<div class="card">\n<p>Some words about it</p>\n</div>\n'
    text = f"<main>\n{card}{card}</main>\n"
    assert sent_before(text, text.index("</main>"), f"{card}</main>") == 0
