"""Rules that hide elements which nothing shows again, and such that something does."""

import re

import pytest

from roomcode.cures import cure
from roomcode.preview.pitfalls_hidden import hidden_for_good
from roomcode.preview.references import parse_sources

LIST = '<ul id="fruit"><li class="one">Apple</li></ul>'
HIDE = "one.style.display = fits ? '' : 'none';"


def told(style: str, script: str, markup: str = LIST) -> list[str]:
    page = f"<style>\n{style}\n</style>{markup}<script>\n{script}\n</script>"
    return [str(one) for one in hidden_for_good(parse_sources({"index.html": page}))]


@pytest.mark.parametrize(
    ("style", "line", "mended"),
    [
        ("#fruit li { display: none; }", 2, "#fruit li { }"),
        ("p { color: red }\nli {\n  color: red;\n  display: none;\n}", 5, "  "),
        (".one { color: red; display:none }", 2, ".one { color: red; }"),
    ],
)
def test_what_is_hidden_for_good(style: str, line: int, mended: str) -> None:
    (found,) = told(style, "if (a) li.style.display = '';\nelse li.style.display = 'none';")
    assert found.startswith(f"index.html:{line} hides ")
    change = cure(found)
    assert change is not None
    assert re.sub(*change.becomes, style.split("\n")[line - 2]) == mended


@pytest.mark.parametrize(
    ("style", "script", "markup"),
    [
        ("li { display: none }", "one.style.display = 'block';", LIST),
        ("li { display: none }", "one.style.display = fits ? 'list-item' : 'none';", LIST),
        (".one { display: none }", "item.classList.remove('one');", LIST),
        ("li { display: none } li.on { display: block }", HIDE, LIST),
        ("#fruit li { display: none } #on:checked ~ ul li { display: block }", "", LIST),
        ("li:empty { display: none }", HIDE, LIST),
        ("@media print { li { display: none } }", HIDE, LIST),
        ("/* li { display: none } */", HIDE, LIST),
        (".hidden { display: none }", "toggle('hidden');", LIST),
        ("p { display: none }", HIDE, LIST),
        ("#file { display: none }", "", '<input type="file" id="file">'),
        ("li { display: none }", "list.append(one.cloneNode(true));", LIST),
    ],
)
def test_what_something_shows_or_nobody_misses(style: str, script: str, markup: str) -> None:
    assert told(style, script, markup) == []
