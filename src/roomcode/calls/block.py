"""Reading one block of calls, from behind what announced it (`<tool_call>`, a fence, nothing) to behind its last
closing."""

import json
from collections.abc import Sequence
from typing import Any

import regex

from roomcode.calls.json_call import JsonCall
from roomcode.calls.openings import CLOSERS, FENCE, WRAPPER, Openings
from roomcode.calls.pieces import ArgDelta, CallDoubted, CallRead, Opened, ParsedCall, Piece
from roomcode.calls.xml_call import XmlCall
from roomcode.protocol.tools import ToolSpec

__all__ = ["Block", "Record", "whole_call"]

_SPACE = regex.compile(r"[ \t\r\n]++")
_INNER_FENCE = regex.compile(rf"{FENCE}[ \t\r\n{{\[<]")
_TICKS = regex.compile(r"`{3,}+")
_WRAPPER = regex.compile(WRAPPER)
_CLOSER = regex.compile(rf"(?P<inner></(?:function|invoke|tool)>)|(?P<stray></parameter>)|(?P<outer>{CLOSERS})")


class Record:
    """What the blocks of one answer share: numbers, and the call before."""

    def __init__(self) -> None:
        self.index = 0
        """Number of the next call."""
        self.previous: ParsedCall | None = None
        """The last call, as long as nothing was said behind it."""
        self.doubtful: int | None = None
        """The first call with a long raw text. A `</parameter>` that stands outside of calls later shows that the text,
        or one after it, went on where it seemed to end."""


def whole_call(index: int, call: ParsedCall) -> list[Piece]:
    """The pieces of a call that is only shown when it is complete."""
    pieces: list[Piece] = [Opened(index, call.tool)]
    for name, value in call.arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        pieces.append(ArgDelta(index, name, text))
    return [*pieces, CallRead(index, call)]


class Block:
    """One or several calls in a row. `read` until it is `done`. `pieces` collects events; the owner empties it."""

    def __init__(
        self,
        specs: Sequence[ToolSpec],
        openings: Openings,
        record: Record,
        *,
        certain: bool = False,
        fenced: bool = False,
        late: str | None = None,
    ) -> None:
        """`certain`: it was announced as a call, whatever it names. `fenced`: a Markdown fence is open. `late`: the
        text before a call whose object does not name its tool first; until it does, it may turn out to be plain
        text."""
        self.done = False
        self.pieces: list[Piece] = []
        self.refused: str | None = None
        """Text that turned out not to be a call."""
        self.fenced = fenced
        self._specs = specs
        self._openings = openings
        self._record = record
        self._certain = certain
        self._late = None if late is None else [late]
        self._list = False
        self._call: JsonCall | XmlCall | None = None
        self._echo: _Echo | None = None
        self._state = self._at_call

    def read(self, buf: str, pos: int, final: bool, cut: bool) -> int:
        """Work on `buf` from `pos` on; returns up to where it is used up.

        `final`: nothing follows `buf`; with `cut` because the answer was cut off there.
        """
        going = True
        while going and not self.done:
            if self._call is not None:
                pos, going = self._in_call(self._call, buf, pos, final, cut)
                continue
            space = _SPACE.match(buf, pos)
            if space is not None:
                pos = space.end()
            if pos < len(buf):
                pos, going = self._state(buf, pos, final)
            else:
                going = final
                if final:
                    self._end_of_answer()
        return pos

    # Each returns up to where the text is used up, and False when more text is needed.

    def _at_call(self, buf: str, pos: int, final: bool) -> tuple[int, bool]:
        """A call must begin here."""
        char = buf[pos]
        if char == "{":
            self._call = JsonCall(self._specs, self._record.index, skip_broken=self._late is None)
            return pos, True
        if char == "[" and not self._list:
            self._list = True
            return pos + 1, True
        for pattern in (_WRAPPER, _INNER_FENCE, self._openings.function):
            found = pattern.match(buf, pos, partial=not final)
            if found is None:
                continue
            if found.partial:
                return pos, False
            if pattern is self._openings.function:
                self._call = XmlCall(self._specs, self._record.index, str(found["name"] or found["bare"]))
                return int(found.end()), True
            if pattern is _WRAPPER:
                self._certain = True
                return int(found.end()), True
            self.fenced = True
            return int(found.end()) - 1, True
        broken = JsonCall(self._specs, self._record.index)
        broken.spoil("neither JSON nor <function=...> follows the opening of the call")
        self._call = broken
        return pos, True

    def _in_call(self, call: JsonCall | XmlCall, buf: str, pos: int, final: bool, cut: bool) -> tuple[int, bool]:
        start = pos
        pos = call.read(buf, pos, final, cut)
        if self._late is not None:
            self._late.append(buf[start:pos])
            if isinstance(call, JsonCall) and (call.broken or (call.result and not self._is_known(call.result))):
                self.refused = "".join(self._late)
                self.done = True
                return pos, True
            if call.result is None:
                return pos, False
            self._late = None
        previous = self._record.previous
        if self._echo is None:
            self._echo = _Echo(previous)
        news = self._echo.take(call.pieces)
        call.pieces = []
        if call.result is None:
            self.pieces += news
            return pos, False
        if not call.unfinished or previous is None or not _repeats(call.result, call.tail, previous):
            self.pieces += news + self._echo.held
            self._end_call(call, call.result)
        self._call = None
        self._echo = None
        self._state = self._after_call
        return pos, True

    def _is_known(self, call: ParsedCall) -> bool:
        return call.complete and not call.error and any(spec.name == call.tool for spec in self._specs)

    def _end_call(self, call: JsonCall | XmlCall, result: ParsedCall) -> None:
        record = self._record
        if isinstance(call, XmlCall) and call.long_text and record.doubtful is None:
            record.doubtful = record.index
        self.pieces.append(CallRead(record.index, result))
        record.index += 1
        record.previous = result

    def _after_call(self, buf: str, pos: int, final: bool) -> tuple[int, bool]:
        """Closings, and perhaps another call of the same block."""
        char = buf[pos]
        if char == "," or (char == "]" and self._list):
            self._list = self._list and char == ","
            return pos + 1, True
        if char == "`" and self.fenced:
            ticks = _TICKS.match(buf, pos, partial=not final)
            if ticks is None:
                self.done = True
                return pos, True
            if ticks.partial or (ticks.end() == len(buf) and not final):
                return pos, False
            self.fenced = False
            return int(ticks.end()), True
        if char == "<":
            found = _CLOSER.match(buf, pos, partial=True)
            if found is not None and found.partial:
                return (len(buf), True) if final else (pos, False)
            if found is not None:
                if found["stray"] is not None and self._record.doubtful is not None:
                    self.pieces.append(CallDoubted(self._record.doubtful))
                self._certain = self._certain and found["outer"] is None
                return int(found.end()), True
        return self._next_call(buf, pos, final)

    def _next_call(self, buf: str, pos: int, final: bool) -> tuple[int, bool]:
        if buf[pos] == "{" and (self._certain or self._list or self.fenced):
            if not self._certain:
                known = self._openings.known_object.match(buf, pos, partial=not final)
                if known is not None and known.partial:
                    return pos, False
                self.done = known is None
            self._state = self._at_call
            return pos, True
        if buf[pos] == "<" and self._certain:
            function = self._openings.function.match(buf, pos, partial=not final)
            if function is not None and function.partial:
                return pos, False
            if function is not None:
                self._state = self._at_call
                return pos, True
        self.done = True
        return pos, True

    def _end_of_answer(self) -> None:
        self.done = True
        if self._state == self._at_call and self._certain:
            call = ParsedCall("", {}, False, "the answer ended where a call was to follow")
            self.pieces += whole_call(self._record.index, call)
            self._record.index += 1


class _Echo:
    """Holds back the pieces of a call as long as they say the same as the call before.

    Some models begin to write a call twice; the second one is not shown unless it becomes one.
    """

    def __init__(self, previous: ParsedCall | None) -> None:
        self.held: list[Piece] = []
        self._previous = previous
        self._same: dict[str, int] = {}

    def take(self, pieces: list[Piece]) -> list[Piece]:
        """Pieces that may be shown now."""
        if self._previous is not None and not all(self._is_echo(piece, self._previous) for piece in pieces):
            self._previous = None
            pieces = self.held + pieces
            self.held = []
        if self._previous is None:
            return pieces
        self.held += pieces
        return []

    def _is_echo(self, piece: Piece, previous: ParsedCall) -> bool:
        match piece:
            case Opened():
                return piece.tool == previous.tool
            case ArgDelta():
                start = self._same.get(piece.name, 0)
                self._same[piece.name] = start + len(piece.text)
                return str(previous.arguments.get(piece.name, "")).startswith(piece.text, start)
            case _:
                return False


def _repeats(call: ParsedCall, tail: tuple[str, str] | None, previous: ParsedCall) -> bool:
    """The unfinished `call` is the beginning of the call right before it, once more."""
    known = [*call.arguments.items(), *([tail] if tail else [])]
    return call.tool in ("", previous.tool) and all(
        name in previous.arguments and _begins(previous.arguments[name], value) for name, value in known
    )


def _begins(whole: Any, part: Any) -> bool:
    return bool(whole == part or (isinstance(whole, str) and isinstance(part, str) and whole.startswith(part)))
