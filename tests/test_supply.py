"""Which texts of a project are put beside a request, within so many tokens."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.supply import Supplied, named, ranked, supplied

SITE = {
    "index.html": "<h1>Shop</h1>\n",
    "cart.js": "function addToCart(price) {\n  return price;\n}\n",
    "style.css": "h1 { color: red }\n",
}


def told(prompt: str, files: Mapping[str, str], room: int = 1000, held: str = "") -> Supplied:
    return supplied(prompt, files, count=len, room=room, held=held)


def test_a_small_project_is_told_whole_in_its_own_order() -> None:
    found = told("anything at all", SITE)
    assert found.complete
    assert set(found.whole) == set(SITE)
    assert found.text.startswith("index.html\n```html\n<h1>Shop</h1>\n```\n\ncart.js\n```js\nfunction")
    assert found.text.index("cart.js") < found.text.index("style.css")


def test_what_was_told_before_is_not_told_again() -> None:
    found = told("change it", SITE, held="earlier: " + SITE["cart.js"])
    assert found.complete
    assert "cart.js" in found.whole
    assert "addToCart" not in found.text


def test_of_a_large_project_only_what_the_request_speaks_of_is_told() -> None:
    files = {f"part{n}.js": f"let value{n} = 1;\n" * 30 for n in range(40)} | {"tax.js": "function vat() {}\n"}
    found = told("Where is vat computed?", files)
    assert (found.whole, found.complete) == (("tax.js",), False)
    assert found.text == "tax.js\n```js\nfunction vat() {}\n```"
    assert told("Say hello", files) == Supplied()


def test_of_a_long_file_the_lines_around_the_matches_are_told() -> None:
    lines = [f"line {n}" for n in range(1, 501)]
    lines[249] = "let lives = 3;"
    found = told("How many lives?", {"game.js": "\n".join(lines)}, room=300)
    assert found.text == "game.js, lines 246 to 254 of 500\n```js\n" + "\n".join(lines[245:254]) + "\n```"
    assert (found.whole, found.complete) == ((), False)


def test_very_long_lines_are_left_out_of_excerpts() -> None:
    text = "\n".join(["x = 1", "lives" + "y" * 5000, "let lives = 3;"])
    found = told("lives", {"game.js": text}, room=200)
    assert "let lives = 3;" in found.text
    assert "yyy" not in found.text


def test_a_fence_in_a_file_does_not_end_it() -> None:
    found = told("read", {"notes.md": "a\n```\nb\n````\n"})
    assert found.text == "notes.md\n`````md\na\n```\nb\n````\n`````"


@pytest.mark.parametrize(
    ("prompt", "first"),
    [
        ("Fix cart.js", "cart.js"),
        ("the cart is broken", "cart.js"),
        ("addToCart fails", "cart.js"),
        ("what does Cart do", "cart.js"),
        ("the heading is red", "style.css"),
        ("the Shop looks empty", "index.html"),
    ],
)
def test_the_file_that_a_request_speaks_of_comes_first(prompt: str, first: str) -> None:
    assert ranked(prompt, SITE)[0][0] == first


def test_words_that_tell_nothing_match_nothing() -> None:
    assert all(score == 0 for _, score in ranked("Please make the page show what the code should do", SITE))


def test_empty_files_and_projects_have_nothing_to_tell() -> None:
    assert told("x", {}) == told("x", {"a.js": " \n"}) == Supplied(complete=True)


def test_the_names_of_files_are_one_line() -> None:
    assert named([]) == "(Empty project.)"
    assert named(["a.js", "b.js"]) == "(Files in the project: a.js, b.js)"
    assert named([f"{n}.js" for n in range(25)]).endswith(", 19.js and 5 more)")


words = st.sampled_from(["cart", "price", "the", "red", "`" * 3, "x" * 450, "é", "\t", "12.50", "#ff0000"])
texts = st.lists(st.lists(words, max_size=6).map(" ".join), max_size=40).map("\n".join)


@given(words.map(str), st.dictionaries(st.sampled_from(["a.js", "b/c.html", "d", "e.md"]), texts), st.integers(0, 400))
def test_it_never_takes_more_room_than_there_is(prompt: str, files: dict[str, str], room: int) -> None:
    found = told(prompt, files, room)
    assert len(found.text) <= room + 2 * len(files)
    for name in found.whole:
        assert files[name].strip("\n") in found.text
    assert found.complete == (set(found.whole) == {name for name, text in files.items() if text.strip()})
