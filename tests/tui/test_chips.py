"""Pasted text folds and comes back whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.tui.chips import Chips, pasted_text


@given(st.lists(st.text(alphabet="ab\n []日"), max_size=5))
def test_what_is_sent_is_what_was_pasted(texts: list[str]) -> None:
    chips = Chips()
    draft = " | ".join(chips.fold(text * 400) for text in texts)
    assert chips.unfold(draft) == " | ".join(text * 400 for text in texts)


def test_a_short_paste_stays_text() -> None:
    assert Chips().fold("/new\nline two") == "/new\nline two"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("line\n" * 4_999 + "line", "[pasted 5 000 lines]"),
        ("x" * 200_000, "[pasted 200 000 characters]"),
    ],
)
def test_a_long_paste_becomes_a_chip_that_says_its_size(text: str, label: str) -> None:
    assert Chips().fold(text) == label


def test_two_pastes_of_the_same_size_are_told_apart() -> None:
    chips = Chips()
    first, second = chips.fold("a\n" * 20), chips.fold("b\n" * 20)
    assert first != second
    assert chips.unfold(second + first) == "b\n" * 20 + "a\n" * 20


def test_pasted_text_loses_control_codes_and_its_last_line_end() -> None:
    assert pasted_text("/new\r\nline two\r\n") == "/new\nline two"
    assert pasted_text("a\x1b[31mb\x1b[201~c") == "abc"
    assert "\x1b" not in pasted_text("\x1b]0;x")
