"""Asking the terminal: what its answers mean, and that nothing is lost or left behind."""

import os
import pty
import termios
import threading
from collections.abc import Iterator

import pytest

from roomcode.tui.terminal import asking, questions, understood
from roomcode.tui.themes import DARK, LIGHT, fitting_theme

XTERM = {"TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("answer", "light"),
    [
        (b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\", True),
        (b"\x1b]11;rgb:fd/f6/e3\x07", True),
        (b"\x1b]11;rgb:0000/0000/0000\x1b\\", False),
        (b"\x1b]11;rgba:1e1e/1e1e/2e2e/ffff\x07", False),
        (b"\x1b]11;rgb:0/2/8\x07", False),
        (b"\x1b[?62c", None),
        (b"", None),
        (b"\x1b]11;rgb:zz/zz/zz\x07", None),
    ],
)
def test_the_background_is_what_the_terminal_says(answer: bytes, light: bool | None) -> None:
    assert understood(b"typed" + answer + b"\x1b[?1;2c", XTERM).light is light


def test_what_the_terminal_says_counts_more_than_the_environment() -> None:
    assert fitting_theme({"COLORFGBG": "0;15"}, light=False) == DARK
    assert fitting_theme({"COLORFGBG": "15;0"}, light=True) == LIGHT
    assert fitting_theme({"COLORFGBG": "0;15"}) == LIGHT
    assert fitting_theme({}) == DARK


@pytest.mark.parametrize(
    ("answer", "environ", "graphics"),
    [
        (b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c", {}, "kitty"),
        (b"\x1b_Gi=31;ENOTSUPPORTED\x1b\\\x1b[?62c", {}, "blocks"),
        (b"\x1b[?62;4;22c", {}, "sixel"),
        (b"\x1b[?4;22c", {}, "blocks"),
        (b"\x1b[?62;42c", {}, "blocks"),
        (b"\x1b[?62;4c", {"TERM_PROGRAM": "iTerm.app"}, "iterm"),
        (b"\x1b[?62c", {"LC_TERMINAL": "iTerm2"}, "iterm"),
        (b"\x1b[?1;2c", {"LC_TERMINAL": "iTerm2", "TMUX": "x"}, "blocks"),
        (b"\x1b[?1;2;4c", {"TMUX": "x"}, "sixel"),
        (b"", {}, "blocks"),
    ],
)
def test_the_best_protocol_that_the_terminal_knows_is_taken(
    answer: bytes, environ: dict[str, str], graphics: str
) -> None:
    assert understood(answer, XTERM | environ).graphics == graphics


@pytest.mark.parametrize("term", ["", "dumb", "linux", "vt100", "eterm-color"])
def test_terminals_that_would_print_the_question_are_not_asked(term: str) -> None:
    assert questions({"TERM": term}) == ""


@pytest.mark.parametrize("environ", [{"TMUX": "/tmp/x"}, {"STY": "1"}, {"TERM": "tmux-256color"}])
def test_a_multiplexer_is_not_asked_what_it_would_take_for_a_title(environ: dict[str, str]) -> None:
    asked = questions(XTERM | environ)
    assert "\x1b_" not in asked
    assert asked.endswith("\x1b[c")


@pytest.fixture
def line() -> Iterator[tuple[int, int]]:
    """A pseudo-terminal: the side of the person, the side of the program."""
    person, program = pty.openpty()
    yield person, program
    os.close(person)
    os.close(program)


def test_what_is_typed_meanwhile_is_kept_and_nothing_is_echoed(line: tuple[int, int]) -> None:
    person, program = line
    before = termios.tcgetattr(program)
    with asking(XTERM, program, program) as inquiry:
        asked = os.read(person, 1_000)
        os.write(person, b"hel\x1b]11;rgb:ffff/ffff/ffff\x1b\\lo\r\x1b[?62;4c")
        told = inquiry.told()
    assert asked.endswith(b"\x1b[c")
    assert (told.light, told.graphics) == (True, "sixel")
    assert told.typed.startswith(b"hel")
    assert b"lo\r" in told.typed
    assert told.modes == before
    assert termios.tcgetattr(program) == before
    os.set_blocking(person, False)
    with pytest.raises(BlockingIOError):
        os.read(person, 100)


def test_an_answer_in_pieces_is_waited_for(line: tuple[int, int]) -> None:
    person, program = line
    with asking(XTERM, program, program) as inquiry:
        os.write(person, b"\x1b]11;rgb:ffff/ff")
        later = threading.Timer(0.05, os.write, (person, b"ff/ffff\x07\x1b[?1c"))
        later.start()
        told = inquiry.told()
        later.join()
    assert told.light is True


def test_a_terminal_that_does_not_answer_costs_a_moment_only(line: tuple[int, int]) -> None:
    person, program = line
    with asking(XTERM, program, program) as inquiry:
        os.write(person, b"typed")
        told = inquiry.told()
    assert (told.light, told.graphics, told.typed) == (None, "blocks", b"typed")


def test_a_terminal_that_is_not_asked_is_left_alone(line: tuple[int, int]) -> None:
    _person, program = line
    before = termios.tcgetattr(program)
    with asking({"TERM": "dumb"}, program, program) as inquiry:
        assert termios.tcgetattr(program) == before
        told = inquiry.told()
    assert (told.typed, told.modes, told.graphics) == (b"", None, "blocks")
    reader, writer = os.pipe()
    with asking(XTERM, reader, writer) as inquiry:
        assert inquiry.told().modes is None
    os.close(writer)
    assert os.read(reader, 10) == b""
    os.close(reader)
