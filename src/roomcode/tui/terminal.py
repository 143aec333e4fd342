"""What the terminal says about itself. It is asked early: the answers come while other things are loaded."""

import contextlib
import os
import re
import select
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["ANSWER", "Graphics", "Inquiry", "Terminal", "asking", "questions", "understood"]

Graphics = Literal["kitty", "iterm", "sixel", "blocks", "dots"]
"""How pictures are drawn: by one of three protocols, or with characters, coloured or not."""

_LIMIT = 0.3
"""Seconds after asking in which an answer is waited for. What comes later is taken out of the input."""
_BACKGROUND = "\x1b]11;?\x1b\\"
_KITTY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
_ATTRIBUTES = "\x1b[c"
"""Every terminal answers this; it is asked last, so that its answer ends the waiting."""
_SIXEL = b"4"

ANSWER = re.compile(r"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[P_][^\x1b]*\x1b\\|\[\?[\d;]*c)")
"""Answers in the input; no key and no mouse sends such a sequence."""
_COLOUR = re.compile(rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_KITTY_OK = re.compile(rb"\x1b_G[^;\x1b]*i=31[^;\x1b]*;OK\x1b\\")
_ATTRIBUTES_ARE = re.compile(rb"\x1b\[\?([\d;]*)c")


@dataclass(frozen=True, slots=True)
class Terminal:
    """What is known of a terminal."""

    light: bool | None = None
    """Whether its background is light; None when it does not say."""
    graphics: Graphics = "blocks"
    typed: bytes = b""
    """All that came from it while it was asked: answers, and what a person typed ahead."""
    modes: list[Any] | None = None
    """Its modes before it was asked, as termios gives them; None when it was not asked."""


def questions(environ: Mapping[str, str]) -> str:
    """What may be asked of this terminal without leaving marks on it; empty when nothing."""
    term = environ.get("TERM", "")
    if term in ("", "dumb", "linux", "unknown", "cons25") or term.startswith(("vt", "eterm")):
        return ""
    if _shared(environ) or environ.get("TERM_PROGRAM") == "Apple_Terminal":
        # These take the question about pictures for a title, or print it.
        return _BACKGROUND + _ATTRIBUTES
    return _BACKGROUND + _KITTY + _ATTRIBUTES


def understood(data: bytes, environ: Mapping[str, str]) -> Terminal:
    """What the answers in `data` mean."""
    light = None
    if colour := _COLOUR.search(data):
        red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in colour.groups())
        light = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5
    attributes = _ATTRIBUTES_ARE.search(data)
    graphics: Graphics = "blocks"
    if _KITTY_OK.search(data):
        graphics = "kitty"
    elif _iterm(environ) and not _shared(environ):
        graphics = "iterm"
    elif attributes and _SIXEL in attributes[1].split(b";")[1:]:
        graphics = "sixel"
    return Terminal(light, graphics, data)


def _shared(environ: Mapping[str, str]) -> bool:
    """Whether a multiplexer stands between."""
    return bool({"TMUX", "STY", "ZELLIJ"} & environ.keys()) or environ.get("TERM", "").startswith(("screen", "tmux"))


def _iterm(environ: Mapping[str, str]) -> bool:
    return environ.get("TERM_PROGRAM") in ("iTerm.app", "WezTerm") or environ.get("LC_TERMINAL") == "iTerm2"


class Inquiry:
    """Questions that were asked."""

    def __init__(
        self,
        source: int,
        environ: Mapping[str, str],
        modes: list[Any] | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`source` is the descriptor that answers come from; without `modes` nothing was asked."""
        self._source = source
        self._environ = environ
        self._modes = modes
        self._clock = clock
        self._until = clock() + _LIMIT

    def told(self) -> Terminal:
        """What the terminal answered until now; waits only as long as an answer may still be on its way."""
        if self._modes is None:
            return understood(b"", self._environ)
        data = b""
        while not _ATTRIBUTES_ARE.search(data):
            if not select.select([self._source], [], [], max(0.0, self._until - self._clock()))[0]:
                break
            try:
                read = os.read(self._source, 65_536)
            except OSError:
                break
            if not read:
                break
            data += read
        known = understood(data, self._environ)
        return Terminal(known.light, known.graphics, data, self._modes)


@contextlib.contextmanager
def asking(environ: Mapping[str, str], source: int = 0, out: int = 1) -> Iterator[Inquiry]:
    """Ask the terminal behind the two descriptors. Until the end it echoes nothing, so that neither an answer nor what
    a person types ahead shows up on it; then its modes are as before."""
    question = questions(environ)
    if not question or sys.platform == "win32" or not (os.isatty(source) and os.isatty(out)):
        yield Inquiry(source, environ, None)
        return
    import termios

    modes = termios.tcgetattr(source)
    quiet = termios.tcgetattr(source)
    quiet[0] &= ~termios.ICRNL
    quiet[3] &= ~(termios.ECHO | termios.ICANON)
    quiet[6][termios.VMIN] = 1
    termios.tcsetattr(source, termios.TCSANOW, quiet)
    try:
        with contextlib.suppress(OSError):
            os.write(out, question.encode())
        yield Inquiry(source, environ, modes)
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(source, termios.TCSANOW, modes)
