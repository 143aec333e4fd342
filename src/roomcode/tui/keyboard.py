"""What comes from the terminal, put right before Textual reads it.

Textual's parser loses text of a paste that holds an escape character, takes seconds for a long one, and does not know
Alt+Enter and Shift+Enter the way that terminals without the newest keyboard protocol send them.
"""

import codecs
import os
import re
import selectors
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from roomcode.tui.terminal import ANSWER, Terminal

__all__ = ["InputFilter", "KeyboardDriver", "driver_for"]

_START, _END = "\x1b[200~", "\x1b[201~"
_ALT_ENTER = re.compile("\x1b[\r\n]")
_MODIFIED_ENTER = re.compile(r"\x1b\[27;(\d+);13~")
_ANSWER_BEGINS = re.compile(r"\x1b(?:\][^\x07\x1b]{0,999}\x1b?|[P_][^\x1b]{0,999}\x1b?|\[\?[\d;]{0,99})\Z")
_PATIENCE = 2.0
"""Seconds without input after which a paste that never ended is taken as ended."""
_MOMENT = 0.03
"""Seconds after which an escape character is a key of its own."""
_START_PATIENCE = 5.0
_CHUNK = 65_536


class InputFilter:
    """Cuts pastes and late answers of the terminal out of the input and writes keys the way Textual understands. Gives
    strings to parse, and pastes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._paste: list[str] | None = None
        self._held = ""
        """The start of what may become a mark of a paste."""
        self._fed = 0.0

    def feed(self, text: str) -> Iterator[str | events.Paste]:
        """Take in what was read."""
        self._fed = self._clock()
        text = self._held + text
        self._held = _beginning_of_mark(text)
        yield from self._cut(text[: len(text) - len(self._held)])

    def _cut(self, text: str) -> Iterator[str | events.Paste]:
        while text:
            if self._paste is None:
                before, start, text = text.partition(_START)
                # An end that has no start is what is left of a paste that held an end itself.
                if keys := _understood(before.replace(_END, "")):
                    yield keys
                if start:
                    self._paste = []
                continue
            following = text.find(_START)
            # The last end counts: text that is pasted may hold one, and what follows it must not become keys.
            end = text.rfind(_END, 0, following if following >= 0 else len(text))
            if end < 0:
                self._paste.append(text)
                return
            self._paste.append(text[:end])
            text = text[end + len(_END) :]
            yield self._take()

    @property
    def holding(self) -> bool:
        """Whether something waits for the next input, or for `tick`."""
        return bool(self._held)

    def tick(self) -> Iterator[str | events.Paste]:
        """To be called when no input came for a moment: what seemed to begin a mark was something else."""
        passed = self._clock() - self._fed
        if self._held and passed > _MOMENT:
            held, self._held = self._held, ""
            yield from self._cut(held)
        if self._paste is not None and passed > _PATIENCE:
            yield self._take()

    def _take(self) -> events.Paste:
        pasted, self._paste = "".join(self._paste or ()), None
        return events.Paste(pasted.replace(_END, ""))


def _beginning_of_mark(text: str) -> str:
    """The end of `text` that may be the start of a mark or of an answer whose rest is still to come."""
    if answer := _ANSWER_BEGINS.search(text):
        return answer[0]
    for length in range(min(len(text), len(_START) - 1), 0, -1):
        tail = text[-length:]
        if _START.startswith(tail) or _END.startswith(tail):
            return tail
    return ""


def _understood(keys: str) -> str:
    keys = _ALT_ENTER.sub("\x1b[13;3u", ANSWER.sub("", keys))
    return _MODIFIED_ENTER.sub(lambda match: f"\x1b[13;{match[1]}u", keys)


class KeyboardDriver(LinuxDriver):
    """Textual's driver with the filter between terminal and parser."""

    ahead = b""
    """Input that was read before there was a driver."""
    modes: list[Any] | None = None
    """The terminal's modes that are the right ones after the app, if not those that it has when the app starts."""

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self.modes is not None:
            # Only now: when the app comes back from a suspension, the shell may have set others.
            self.attrs_before, self.modes = self.modes, None

    def run_input_thread(self) -> None:
        # What is typed before there is an input to take it waits in the terminal; Textual would drop it.
        takes_keys = getattr(self._app, "takes_keys", None)
        if isinstance(takes_keys, threading.Event):
            takes_keys.wait(_START_PATIENCE)
        parser, cutter = XTermParser(self._debug), InputFilter()
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        ahead, self.ahead = self.ahead, b""
        self._take_in(cutter.feed(decode(ahead)), parser)
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(_MOMENT if cutter.holding else 0.1):
                    try:
                        data = os.read(self.fileno, _CHUNK)
                    except OSError:
                        data = b""
                    if not data:
                        # The terminal is gone; the hang-up signal deals with it.
                        self.exit_event.wait()
                        return
                    self._take_in(cutter.feed(decode(data)), parser)
                self._take_in(cutter.tick(), parser)
                for message in parser.tick():
                    self.process_message(message)

    def _take_in(self, parts: Iterator[str | events.Paste], parser: XTermParser) -> None:
        for part in parts:
            for message in [part] if isinstance(part, events.Paste) else parser.feed(part):
                self.process_message(message)


def driver_for(terminal: Terminal) -> type[KeyboardDriver]:
    """A driver that goes on with the input of a terminal that was asked."""
    return type("KeyboardDriver", (KeyboardDriver,), {"ahead": terminal.typed, "modes": terminal.modes})
