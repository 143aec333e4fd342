"""Where a statement goes that puts back what other controls changed, and the change that brings it in."""

import re

import pytest

from roomcode.cures import cure
from roomcode.resets import with_resets

OPENED = (
    'after a click on "B" and then on "A" what "B" changed can still be seen: put it back first, write {} '
    "where a click is handled"
)
HIDE = 'document.querySelectorAll(".a").forEach(one => { one.style.display = "none" });'
TOGGLE = """  if (a.style.display === 'none') {
    a.style.display = 'block';
  } else {
    a.style.display = 'none';
  }
"""
UNLIT = 'document.querySelectorAll("button").forEach(one => { one.classList.remove("lit") });'
EMPTY = "#code is empty until #red is changed: call what fills it once at the start of the script"
OVERRULED = ".late never shows its color, #t td overrules it: write #t .late td there"
NOTHING = 'after a click on "A" changes nothing that can be seen'


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("#t td { x: y }\n.late { color: red }\n", "#t td { x: y }\n#t .late td { color: red }\n"),
        (".late\n{\n  color: red;\n}\n", "#t .late td\n{\n  color: red;\n}\n"),
        (".late { color: red }\n.late { x: y }\n", ""),
        (".later { color: red }\np.late { x: y }\n", ""),
    ],
)
def test_a_rule_that_is_overruled_is_told_with_its_line(text: str, after: str) -> None:
    told = with_resets({"app.css": text, "app.js": text}, [OVERRULED])
    assert changed(text, told[0].replace("app.css", "app.js") if after else told[0]) == after
    assert (told == [OVERRULED]) == (after == "")


def changed(text: str, line: str) -> str:
    """The file after the change that the line asks for; "" when it asks for none."""
    found = cure(line)
    if found is None or not found.becomes[0]:
        return ""
    match = re.search(found.within, text)
    assert match is not None
    assert found.edit == ("app.js",)
    return text[: match.start(1)] + re.sub(*found.becomes, match[1], count=1) + text[match.end(1) :]


@pytest.mark.parametrize(
    ("text", "line", "after"),
    [
        pytest.param(
            f"function toggle(id) {{\n  const a = document.getElementById(id);\n{TOGGLE}}}\n",
            OPENED.format(HIDE),
            "function toggle(id) {\n  const a = document.getElementById(id);\n"
            '  document.querySelectorAll(".a").forEach(one => { if (one !== a) one.style.display = "none"; });\n'
            f"{TOGGLE}}}\n",
            id="what looks at its own state is left out",
        ),
        pytest.param(
            "stars.forEach((star, i) => {\n  star.addEventListener('click', () => {\n    stars.forEach((one, j) => {\n"
            "      if (j <= i) one.classList.add('lit');\n    });\n  });\n});\n",
            OPENED.format(UNLIT),
            "stars.forEach((star, i) => {\n  star.addEventListener('click', () => {\n"
            '    document.querySelectorAll("button").forEach(one => { one.classList.remove("lit"); });\n'
            "    stars.forEach((one, j) => {\n      if (j <= i) one.classList.add('lit');\n    });\n  });\n});\n",
            id="before all else where nothing is looked at",
        ),
        pytest.param(
            "q.onclick = function () {\n  this.nextElementSibling.classList.toggle('lit');\n};\n",
            OPENED.format(UNLIT),
            'q.onclick = function () {\n  document.querySelectorAll("button").forEach(one => '
            '{ if (one !== this.nextElementSibling) one.classList.remove("lit"); });\n'
            "  this.nextElementSibling.classList.toggle('lit');\n};\n",
            id="an element without a name of its own",
        ),
        pytest.param("const a = 1;\na.style.display = 'block';\n", OPENED.format(HIDE), "", id="no handler"),
        pytest.param("", OPENED.format(HIDE), "", id="no code at all"),
        pytest.param(
            "function a() {\n  x.style.display = 'block';\n}\nfunction b() {\n  y.style.display = 'none';\n}\n",
            OPENED.format(HIDE),
            "",
            id="two handlers",
        ),
        pytest.param(
            TOGGLE,
            NOTHING,
            TOGGLE.replace("=== 'none'", '!== "block"'),
            id="hidden by a style sheet",
        ),
        pytest.param(
            "function fill() {\n  code.textContent = red.value;\n}\nred.addEventListener('input', fill);\n\n",
            EMPTY,
            "function fill() {\n  code.textContent = red.value;\n}\nred.addEventListener('input', fill);\nfill();\n\n",
            id="what fills something later is called once",
        ),
        pytest.param(
            "onload = () => {\n  const fill = () => 0;\n  red.oninput = fill;\n};\n", EMPTY, "", id="not known outside"
        ),
        pytest.param("red.oninput = fill;\nfunction fill(event) {}\n", EMPTY, "", id="what needs an event"),
        pytest.param("a.style.display = 'flex';\n", NOTHING, "", id="another reason why nothing happens"),
    ],
)
def test_a_statement_goes_where_clicks_are_handled(text: str, line: str, after: str) -> None:
    told = with_resets({"app.js": text, "data.json": text}, [line])
    assert len(told) == 1
    assert changed(text, told[0]) == after
    assert (told == [line]) == (after == "")
