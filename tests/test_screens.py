"""Requests for screens of some width: which rule they want, and where it goes."""

import pytest

from roomcode.cures import cure
from roomcode.preview.references import parse_sources
from roomcode.screens import first_media, missing_media, stacked

PAGE = '<!doctype html><title>A</title><link rel="stylesheet" href="a.css"><p>Hi</p>\n'
SHEET = {"index.html": PAGE, "a.css": "p { color: red; }\n.card { width: 33%; }\n\n"}


@pytest.mark.parametrize(
    ("prompt", "rule"),
    [
        ("On screens that are narrower than 600 pixels the cards should stand below each other.", "max-width: 599px"),
        ("Hide the menu on screens up to 480px.", "max-width: 480px"),
        ("At 700 px or less the columns should wrap.", "max-width: 700px"),
        ("On windows wider than 900 pixels show both columns beside each other.", "min-width: 901px"),
        ("Make the cards stack on mobile.", "max-width: 600px"),
        ("On phones the table should fit the page.", "max-width: 600px"),
        ("Put the title on the left, it says “on phones”.", ""),
        ("Add a field for the phone number.", ""),
        ("Make the box 600 pixels wide.", ""),
        ("The image should be smaller than 300 pixels.", ""),
    ],
)
def test_the_rule_that_a_request_wants(prompt: str, rule: str) -> None:
    told = missing_media(prompt, parse_sources(SHEET))
    assert told == (
        [f"no style is for such screens only: write a rule @media ({rule}) {{ … }} behind a.css:2"] if rule else []
    )
    first = first_media(prompt, parse_sources(SHEET))
    assert (first is None) == (rule == "")
    assert first is None or (first.edit, first.insert) == (("a.css",), f"@media ({rule}) {{")
    assert not told or cure(told[0]) == first


@pytest.mark.parametrize(
    ("prompt", "width"),
    [
        ("On screens that are narrower than 600 pixels the cards should stand below each other.", "599"),
        ("On phones the columns should be stacked.", "600"),
        ("On windows up to 700px put all in one column.", "700"),
        ("On phones the title should be red.", ""),
        ("On windows wider than 900 pixels show them one below the other.", ""),
        ("Stack the cards.", ""),
    ],
)
def test_what_is_to_be_stacked_up_to_which_width(prompt: str, width: str) -> None:
    assert stacked(prompt) == width


PROMPT = "Hide the menu on screens up to 480px."


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        ({"index.html": "<style>\np { x: y }\n</style>\n<p>Hi</p>"}, "index.html:2"),
        ({"index.html": "<p>Hi</p>"}, ""),
        ({**SHEET, "index.html": f"<style>p {{}}</style>{PAGE}"}, ""),
    ],
)
def test_where_it_goes(texts: dict[str, str], place: str) -> None:
    (told,) = missing_media(PROMPT, parse_sources(texts))
    assert told.endswith(f" behind {place}" if place else "{ … }")
    change, first = cure(told), first_media(PROMPT, parse_sources(texts))
    assert change is not None
    assert change.texts == ("@media",)
    assert (first is not None) == (place != "")


@pytest.mark.parametrize("there", ["@media (max-width: 9px) { p { x: y } }", "@container (width < 9px) { p { x: y } }"])
def test_a_project_that_tells_screens_apart_is_left_alone(there: str) -> None:
    sources = parse_sources({**SHEET, "a.css": there})
    assert missing_media(PROMPT, sources) == []
    assert first_media(PROMPT, sources) is None
