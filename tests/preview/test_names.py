import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.preview.names import nearest

NAMES = ["index.html", "style.css", "js/app.js", "img/logo.png", "data/list.json", "map.js"]


@pytest.mark.parametrize(
    ("wanted", "guess"),
    [
        ("stlye.css", "style.css"),
        ("styles.css", "style.css"),
        ("css/style.css", "style.css"),
        ("app.js", "js/app.js"),
        ("js/App.js", "js/app.js"),
        ("logo.png", "img/logo.png"),
        ("img/logo.jpg", "img/logo.png"),
        ("indx.html", "index.html"),
        ("api.js", ""),
        ("main.js", ""),
        ("user.json", ""),
        ("", ""),
    ],
)
def test_the_nearest_name_or_none(wanted: str, guess: str) -> None:
    assert nearest(wanted, NAMES) == guess


@settings(deadline=None)
@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=8))
def test_a_guess_is_always_one_of_the_names(wanted: str, names: list[str]) -> None:
    assert nearest(wanted, names) in {*names, ""}
