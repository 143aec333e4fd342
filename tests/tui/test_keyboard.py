"""What the terminal sends reaches the app as what the person did."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser

from roomcode.tui.keyboard import InputFilter, KeyboardDriver, driver_for
from roomcode.tui.terminal import Terminal

START, END = "\x1b[200~", "\x1b[201~"


class Now:
    time = 0.0

    def __call__(self) -> float:
        return self.time


def heard(chunks: list[str]) -> list[str]:
    """Keys by name, pastes as `paste:TEXT`."""
    now = Now()
    cutter, parser = InputFilter(now), XTermParser()
    found = []

    def take(parts: object) -> None:
        for part in parts:  # type: ignore[attr-defined]
            messages = [part] if isinstance(part, events.Paste) else parser.feed(part)
            found.extend(f"paste:{m.text}" if isinstance(m, events.Paste) else m.key for m in messages)

    for chunk in chunks:
        take(cutter.feed(chunk))
        now.time += 0.001
    now.time += 0.1
    take(cutter.tick())
    return found


@given(
    st.text(alphabet="ab\r\n\x1b[31m😀", max_size=60).filter(lambda text: END not in text and START not in text),
    st.lists(st.integers(1, 8), min_size=1),
)
def test_a_paste_arrives_whole_however_it_is_cut_into_reads(text: str, sizes: list[int]) -> None:
    sent = f"x{START}{text}{END}y"
    chunks, at = [], 0
    for size in itertools.cycle(sizes):
        if at >= len(sent):
            break
        chunks.append(sent[at : at + size])
        at += size
    assert heard(chunks) == ["x", f"paste:{text}", "y"]


def test_a_paste_that_holds_the_end_mark_does_not_become_keys() -> None:
    assert heard([f"{START}one{END}two\r{END}"]) == ["paste:onetwo\r"]


def test_two_pastes_in_one_read_stay_two() -> None:
    assert heard([f"{START}one{END}k{START}two{END}"]) == ["paste:one", "k", "paste:two"]


def test_a_stray_end_mark_is_dropped() -> None:
    assert heard([f"a{END}b"]) == ["a", "b"]


def test_a_long_paste_is_cut_out_at_once() -> None:
    assert heard([START + "x" * 200_000 + END]) == ["paste:" + "x" * 200_000]


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        ("\x1b\r", "alt+enter"),
        ("\x1b\n", "alt+enter"),
        ("\x1b[13;2u", "shift+enter"),
        ("\x1b[27;2;13~", "shift+enter"),
        ("\r", "enter"),
        ("\n", "ctrl+j"),
        ("\x1b[A", "up"),
        ("\x1b[1;3A", "alt+up"),
        ("\x1b[Z", "shift+tab"),
        ("\x1f", "ctrl+underscore"),
    ],
)
def test_keys_with_modifiers_are_known(sent: str, key: str) -> None:
    assert heard([sent]) == [key]


def test_a_paste_without_end_is_given_up_after_a_while() -> None:
    now = Now()
    cutter = InputFilter(now)
    assert list(cutter.feed(START + "abc")) == []
    now.time = 1.0
    assert list(cutter.tick()) == []
    now.time = 3.5
    (paste,) = cutter.tick()
    assert isinstance(paste, events.Paste)
    assert paste.text == "abc"


def test_an_escape_key_is_held_only_for_a_moment() -> None:
    now = Now()
    cutter = InputFilter(now)
    assert list(cutter.feed("\x1b")) == []
    assert cutter.holding
    now.time = 0.05
    assert list(cutter.tick()) == ["\x1b"]
    assert not cutter.holding


@pytest.mark.parametrize(
    "answer",
    [
        "\x1b]11;rgb:1414/1616/1d1d\x07",
        "\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
        "\x1b_Gi=31;OK\x1b\\",
        "\x1bP>|some terminal\x1b\\",
        "\x1b[?62;4;22c",
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_a_late_answer_of_the_terminal_does_not_become_keys(answer: str, size: int) -> None:
    sent = f"a{answer}b"
    assert heard([sent[at : at + size] for at in range(0, len(sent), size)]) == ["a", "b"]


@pytest.mark.parametrize("keys", ["\x1b]", "\x1bP", "\x1b_", "\x1b[?2026;2$y", "\x1b[?"])
def test_keys_that_begin_like_an_answer_are_keys_after_a_moment(keys: str) -> None:
    now = Now()
    cutter = InputFilter(now)
    found = [*cutter.feed("x"), *cutter.feed(keys)]
    now.time += 0.1
    found += [*cutter.tick(), *cutter.feed("y")]
    assert "".join(str(part) for part in found) == f"x{keys}y"


def test_what_a_person_typed_ahead_comes_first_and_the_right_modes_come_back() -> None:
    kept: list[object] = [1, 2]
    driver = driver_for(Terminal(typed=b"abc", modes=kept))
    assert (driver.ahead, driver.modes) == (b"abc", kept)
    assert issubclass(driver, KeyboardDriver)
    assert KeyboardDriver.ahead == b""
