"""Colours that come with a click: the handler that they belong to."""

import re

import pytest

from roomcode.handlers import coloured_by_click
from roomcode.preview.references import parse_sources

PROMPT = 'Add a button "Dark mode". A click gives the page a black background (#000000).'
CODE = "go.onclick = () => {\n  run();\n};\nstop.onclick = () => {\n  halt();\n};\n"


def page(button: str) -> dict[str, str]:
    return {"index.html": f"<main>{button}</main><script src=app.js></script>", "app.js": CODE}


@pytest.mark.parametrize(
    ("button", "begun"),
    [
        (
            '<button id="d">Dark mode</button>',
            '\ndocument.getElementById("d").addEventListener("click", () => {\n',
        ),
        ('<button onclick="darkMode()">Dark mode</button>', "\nfunction darkMode() {\n"),
        ('<button onclick="run()">Dark mode</button>', "\nfunction run() {\n"),
        ("<button>Dark mode</button>", ""),
        ('<button id="go">Dark mode</button>', ""),
        ('<button id="a">Dark mode</button><button id="b">Dark mode</button>', ""),
    ],
)
def test_the_handler_of_the_button_is_begun_behind_the_script(button: str, begun: str) -> None:
    change = coloured_by_click(PROMPT, ["#000000"], parse_sources(page(button)))
    assert change is not None
    assert (change.texts, change.edit, change.insert) == (("#000000",), ("app.js",), begun)
    if begun:
        match = re.search(change.within, CODE)
        assert match is not None
        assert match[1] == "halt();\n};"


@pytest.mark.parametrize(
    ("prompt", "texts"),
    [
        ("Give the page a black background (#000000).", page("")),
        ("A click on the page makes it #000000.", {"index.html": "<main></main>"}),
        ("A click on the page makes it #000000.", {"index.html": "<script src=app.js></script>", "app.js": " "}),
    ],
)
def test_other_colours_belong_elsewhere(prompt: str, texts: dict[str, str]) -> None:
    assert coloured_by_click(prompt, ["#000000"], parse_sources(texts)) is None
