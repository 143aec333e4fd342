"""Foreign text cannot steer the terminal."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.tui.foreign import is_safe, safe, safe_line, shortened


@settings(deadline=None, max_examples=60)
@given(st.text())
def test_nothing_a_terminal_obeys_is_left(text: str) -> None:
    for line in safe(text).split("\n"):
        assert is_safe(line)
        assert all(ord(mark) >= 0x20 and not 0x7F <= ord(mark) <= 0x9F for mark in line)


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet="\x1b\x9b\x9d[]();?0123456789mhlHJ\x07\\\r\n\tab"))
def test_terminal_sequences_never_survive_whole_or_broken(text: str) -> None:
    for made in (safe(text), safe(text, literal=True)):
        assert "\x1b" not in made
        assert "\r" not in made


@settings(deadline=None, max_examples=60)
@given(st.text())
def test_a_safe_text_stays_as_it_is(text: str) -> None:
    once = safe(text)
    assert safe(once) == once
    assert "\n" not in safe_line(text)


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet=st.characters(blacklist_categories=("C", "Zl", "Zp"))))
def test_ordinary_text_is_not_changed(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\x", "x"),
        ("a\x1b", "a␛"),
        ("50%\r100%\r\ndone", "50%\n100%\ndone"),
        ("a\tb", "a   b"),
        ("x\x00y\x7f", "x␀y␡"),
        ("abc\u202egnp.exe", "abc\ufffdgnp.exe"),
        ("\ud800", "\ufffd"),
        ("👩🏽\u200d💻 日本 naïve", "👩🏽\u200d💻 日本 naïve"),
        ("[bold]not markup[/]", "[bold]not markup[/]"),
    ],
)
def test_known_inputs(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_what_a_person_judges_shows_its_sequences() -> None:
    assert safe("a\x1b[31mb", literal=True) == "a␛[31mb"


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet="ab 日本😀"), st.integers(1, 30))
def test_shortened_text_fits(text: str, width: int) -> None:
    from rich.cells import cell_len

    cut = shortened(text, width)
    assert cell_len(cut) <= max(width, 0)
    assert cut == text or cut.endswith("…")
