"""Reading one call in the XML form, while it grows."""

from collections.abc import Sequence
from typing import Any

import regex

from roomcode.calls.json_call import JsonCall
from roomcode.calls.openings import CLOSERS, FENCE, FUNCTION, PARAMETER, WRAPPER, any_of
from roomcode.calls.pieces import ArgDelta, Opened, ParsedCall, Piece
from roomcode.calls.values import find_tool, from_text
from roomcode.calls.xml_value import RawValue, as_written
from roomcode.protocol.tools import ToolSpec

__all__ = ["XmlCall"]

_SPACE = regex.compile(r"[ \t\r\n]++")
_BROKEN_END = regex.compile(rf"(?P<end></(?:function|invoke)>)|{CLOSERS}|{WRAPPER}")


class XmlCall:
    """One call from behind its `<function=…>` tag to behind its `</function>`.

    Feed it with `read` until it is `done`; then `result` is the call. `pieces` collects events; the owner empties it.
    """

    def __init__(self, specs: Sequence[ToolSpec], index: int, tool: str) -> None:
        self.tool = tool
        self.result: ParsedCall | None = None
        self.pieces: list[Piece] = [Opened(index, tool)]
        self.tail: tuple[str, str] | None = None
        """Name and text of the argument in which the answer ended."""
        self.unfinished = False
        """The answer ended before the call's own end."""
        self.long_text = False
        """It has a raw value that may hold anything."""
        self._specs = specs
        self._spec = find_tool(specs, tool)
        self._index = index
        self._arguments: dict[str, Any] = {}
        self._notes: dict[str, None] = {}
        self._error = ""
        self._value: RawValue | None = None
        self._json: JsonCall | None = None
        self._after_raw = False
        self._astray = False  # a long text was ended by something other than its own closing tag
        names = any_of([p.name for p in self._spec.parameters] if self._spec else [])
        self._body = regex.compile(
            rf"(?P<open>{PARAMETER})|<(?P<plain>{names})>"
            rf"|(?P<end></(?:function|invoke|tool|{regex.escape(tool)})>)"
            rf"|(?P<other>{CLOSERS}|{WRAPPER}|{FUNCTION}|</?think>)|(?P<stray></parameter>)"
            rf"|(?P<json>\{{)|(?P<fence>{FENCE}[\r\n])"
        )

    @property
    def done(self) -> bool:
        return self.result is not None

    def read(self, buf: str, pos: int, final: bool, cut: bool) -> int:
        """Work on `buf` from `pos` on; returns up to where it is used up.

        `final`: nothing follows `buf`; with `cut` because the answer was cut off there.
        """
        going = True
        while going and not self.done:
            if self._error:
                return self._read_broken(buf, pos, final)
            if self._json is not None:
                pos, going = self._read_json(self._json, buf, pos, final, cut)
            elif self._value is not None:
                pos, going = self._read_value(self._value, buf, pos, final, cut)
            else:
                pos, going = self._read_body(buf, pos, final, cut)
        return pos

    # Each reads one thing; returns up to where the text is used up, and False when more text is needed.

    def _read_body(self, buf: str, pos: int, final: bool, cut: bool) -> tuple[int, bool]:
        space = _SPACE.match(buf, pos)
        if space is not None:
            pos = space.end()
        found = self._body.match(buf, pos, partial=True)
        if pos == len(buf) or (found is not None and found.partial):
            if final:
                self.unfinished = True
                self._end_without_closing("</function>", complete=not cut)
                pos = len(buf)
            return pos, final
        if found is None:
            self._unexpected(buf[pos])
            return pos, True
        if found["open"] is not None or found["plain"] is not None:
            name = found["plain"] or found["name"]
            self._open_value(str(name), str(found["plain"] or found["tag"]))
        elif found["end"] is not None:
            self._finish(complete=True)
        elif found["other"] is not None:
            self._end_without_closing("</function>", complete=True)
            return pos, True
        elif found["json"] is not None and not self._arguments:
            self._json = JsonCall(self._specs, self._index, tool=self.tool)
            return int(found.end()) - 1, True
        elif found["json"] is not None or (found["stray"] is not None and self._after_raw):
            self._unexpected(buf[pos])
            return pos, True
        return int(found.end()), True

    def _unexpected(self, char: str) -> None:
        """Text where only parameters may stand: the model talks on, or the call cannot be read."""
        if char == "<" or self._after_raw or self._astray or not self._arguments:
            self._error = "there is text where <parameter=...> or </function> was to follow"
        else:
            self._end_without_closing("</function>", complete=True)

    def _open_value(self, name: str, tag: str) -> None:
        parameter = self._spec.parameter(name) if self._spec else None
        others = frozenset(p.name for p in self._spec.parameters) if self._spec else frozenset()
        raw = parameter is None or parameter.raw
        self._value = RawValue(name, tag, raw=raw, following=others - self._arguments.keys() - {name})

    def _read_value(self, value: RawValue, buf: str, pos: int, final: bool, cut: bool) -> tuple[int, bool]:
        pos = value.read(buf, pos, final)
        self.pieces += [ArgDelta(self._index, value.name, text) for text in value.grown]
        value.grown = []
        if value.ending is None:
            return pos, False
        self._value = None
        self._after_raw = value.raw
        self.long_text = self.long_text or value.raw
        if value.ending == "answer" and cut:
            self.tail = (value.name, value.text)
            self.unfinished = True
            self._finish(complete=False)
            return pos, True
        parameter = self._spec.parameter(value.name) if self._spec else None
        meaning = from_text(as_written(value.text, value.raw), parameter)
        if self._arguments.setdefault(value.name, meaning) != meaning:
            self._error = f"{value.name} is given twice"
        if value.ending != "own":
            self._notes["</parameter> was missing"] = None
            self._astray = self._astray or value.raw
        return pos, True

    def _read_json(self, inner: JsonCall, buf: str, pos: int, final: bool, cut: bool) -> tuple[int, bool]:
        pos = inner.read(buf, pos, final, cut)
        self.pieces += inner.pieces
        inner.pieces = []
        if inner.result is None:
            return pos, False
        self._json = None
        self._arguments = inner.result.arguments
        self._notes |= dict.fromkeys(inner.result.notes)
        self._error = inner.result.error
        self.tail = inner.tail
        self.unfinished = inner.unfinished
        if not inner.result.complete:
            self._finish(complete=False)
        return pos, True

    def _read_broken(self, buf: str, pos: int, final: bool) -> int:
        """Skip what is left of a call that cannot be read."""
        end = _BROKEN_END.search(buf, pos, partial=not final)
        if end is not None and not end.partial:
            self._finish(complete=True)
            return int(end.end() if end["end"] is not None else end.start())
        if final:
            self._finish(complete=False)
        return len(buf) if end is None else int(end.start())

    def _end_without_closing(self, tag: str, *, complete: bool) -> None:
        self._notes[f"{tag} was missing"] = None
        self._finish(complete=complete)

    def _finish(self, *, complete: bool) -> None:
        self.result = ParsedCall(self.tool, self._arguments, complete, self._error, tuple(self._notes))
