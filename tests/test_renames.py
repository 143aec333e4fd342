"""A name of the code that is to be another one."""

import pytest

from roomcode.renames import Rename, places, renamed


@pytest.mark.parametrize(
    ("prompt", "wish"),
    [
        ("Rename the function calc to grossPrice everywhere", Rename("function", "calc", "grossPrice")),
        ("please rename function `x1` into `first`", Rename("function", "x1", "first")),
        ("Do not rename the function add to sum", None),
        ("Rename the function foo to a better name", None),
        ("Rename the function calc to total-sum", None),
        ("Rename the variable x to y", None),
        ('Rename the id "menu-a" to "menu-b"', Rename("id", "menu-a", "menu-b")),
        ("Rename the function calc() to sum()", Rename("function", "calc", "sum")),
        ("Rename the function a to b and rename the function c to d", None),
        ("Rename the button to Go", None),
        ("Rename app.js to main.js", None),
    ],
)
def test_what_a_request_wants_to_be_renamed(prompt: str, wish: Rename | None) -> None:
    assert renamed(prompt) == wish


PROJECT = {
    "index.html": '<h1>add</h1>\n<button onclick="add(1)" class="big add" id=add>add</button>\n'
    "<label for=add>x</label><script>\n// add it\nadd(2);\n</script>\n",
    "app.js": "function add(n) {\n  const text = 'add';\n  box.classList.add('add');\n"
    "  return [...add, `${add(n)}`];\n}\n"
    "/* add\nadd */ addMore(add);\ndocument.querySelector('#add .add');\n",
    "style.css": ".add { color: red }\n#add, .added { color: add }\n",
    "add.md": "add\n",
}


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (
            "function",
            [("index.html", 2), ("index.html", 5), ("app.js", 1), ("app.js", 4), ("app.js", 4), ("app.js", 7)],
        ),
        ("id", [("index.html", 2), ("index.html", 3)]),  # #add may be a colour
        ("class", [("index.html", 2), ("app.js", 3), ("app.js", 8), ("style.css", 1)]),
    ],
)
def test_where_a_name_stands(kind: str, found: list[tuple[str, int]]) -> None:
    assert places(Rename(kind, "add", "sum"), PROJECT) == found


def test_what_only_looks_like_the_name_is_left_alone() -> None:
    script = {"a.js": "const x = {add: 1};\nsay(`press add to ${ add(1) }\nadd`);\nconst u = `http://x`; add();\n"}
    assert places(Rename("function", "add", "sum"), script) == [("a.js", 2), ("a.js", 4)]
    page = {"a.html": '<p aria-label="menu" data-id="menu">new card</p>', "a.css": "p { color: #fff }"}
    assert places(Rename("id", "menu", "nav"), page) == []
    assert places(Rename("id", "fff", "nav"), page) == []
    assert places(Rename("class", "card", "box"), page) == []
