"""Reading one call whose arguments are JSON, while it grows."""

import json
from collections.abc import Sequence
from typing import Any, Final, Literal

import regex

from roomcode.calls.lenient_json import JsonReader, Unreadable, loads
from roomcode.calls.openings import CLOSERS, WRAPPER
from roomcode.calls.pieces import ArgDelta, Opened, ParsedCall, Piece
from roomcode.calls.values import find_tool, unpack_lists
from roomcode.protocol.tools import ToolSpec

__all__ = ["JsonCall"]

_NAMES: Final = ("name", "tool", "tool_name", "function_name", "function")
_ARGUMENTS: Final = ("arguments", "parameters", "args", "params", "input")
_DRESSING: Final = frozenset({"id", "type", *_NAMES, *_ARGUMENTS})
_END = regex.compile(rf"{CLOSERS}|{WRAPPER}|```")
_FOLLOWING = regex.compile(rf"{CLOSERS}|{WRAPPER}|<tools>|<(?:function|invoke|tool)[ =]|</?think>|</parameter>|<\|")
_SALVAGE = regex.compile(rf"{CLOSERS}|\n[ \t]{{0,16}}+(?:```|{WRAPPER})")


class JsonCall:
    """One call as a JSON object, or with `tool` given only the arguments of a call to that tool.

    Feed it with `read` until it is `done`; then `result` is the call. `pieces` collects events; the owner empties it.
    Without `skip_broken` it stops where it is found to be broken.
    """

    def __init__(self, specs: Sequence[ToolSpec], index: int, *, tool: str = "", skip_broken: bool = True) -> None:
        self.tool = tool
        self.result: ParsedCall | None = None
        self.pieces: list[Piece] = []
        self.tail: tuple[str, str] | None = None
        """Name and text of the string argument in which the answer ended."""
        self.unfinished = False
        """The answer ended before the call's own end."""
        self._specs = specs
        self._index = index
        self._only_arguments = bool(tool)
        self._skip_broken = skip_broken
        self._reader = JsonReader()
        self._state: Literal["value", "after", "salvage"] = "value"
        self._new_line = False
        self._error = ""
        self._shown: set[str] = set()
        self._waiting: list[tuple[tuple[str, ...], str]] = []

    @property
    def done(self) -> bool:
        return self.result is not None

    @property
    def broken(self) -> bool:
        """It cannot be read; the rest of it is being skipped."""
        return self._state == "salvage"

    def spoil(self, error: str) -> None:
        """Give up on the call for this reason; the rest of it will be skipped."""
        self._error = error
        self._state = "salvage"

    def read(self, buf: str, pos: int, final: bool, cut: bool) -> int:
        """Work on `buf` from `pos` on; returns up to where it is used up. What follows the call is left alone.

        `final`: nothing follows `buf`; with `cut` because the answer was cut off there.
        """
        if self._state == "value":
            pos = self._read_value(buf, pos, final, cut)
        if self._state == "after" and not self.done:
            pos = self._read_after(buf, pos, final)
        if self.broken and self._skip_broken:
            pos = self._read_broken(buf, pos, final)
        return pos

    def _read_value(self, buf: str, pos: int, final: bool, cut: bool) -> int:
        # What a cut answer ends with may not be whole: half a number, half an escape.
        pos = self._reader.read(buf, pos, final and not cut)
        self._report()
        if self._reader.fault:
            self._at_fault(buf, pos, final)
        elif self._reader.done:
            self._state = "after"
        elif final:
            self._end_of_answer(cut)
            return len(buf)
        return pos

    def _at_fault(self, buf: str, pos: int, final: bool) -> None:
        """Something does not fit: the end of a call that lacks its last brackets, or a call that cannot be read."""
        closer = _END.match(buf, pos, partial=not final)
        fault, self._reader.fault = self._reader.fault, ""
        if closer is not None and closer.partial:
            return
        if closer is not None and self._reader.close():
            self._finish(complete=True)
        else:
            self.spoil(fault)

    def _read_after(self, buf: str, pos: int, final: bool) -> int:
        """Right behind the object. Text there shows that the object did not end where it seemed to."""
        while pos < len(buf):
            char = buf[pos]
            if char in " \t\r\n":
                self._new_line = self._new_line or char == "\n"
            elif char == "}" and not self._new_line:
                self._reader.quirks["one closing bracket too many"] = None
            elif char == "<":
                following = _FOLLOWING.match(buf, pos, partial=not final)
                if following is not None and following.partial:
                    return pos
                if following is None and not self._new_line:
                    self._spoil_end(char)
                break
            elif char in "{,]`" or (self._new_line and char not in "\"'"):
                break
            else:
                self._spoil_end(char)
                break
            pos += 1
        if not self._error and (pos < len(buf) or final):
            self._finish(complete=True)
        return pos

    def _spoil_end(self, char: str) -> None:
        quote = self._reader.last_quote
        self.spoil(f"unescaped quote at character {quote}" if quote else f"unexpected {char!r} after the call")

    def _read_broken(self, buf: str, pos: int, final: bool) -> int:
        """Skip what is left of a call that cannot be read."""
        end = _SALVAGE.search(buf, pos, partial=not final)
        if end is not None and not end.partial:
            self._finish(complete=True)
            return int(end.start())
        if final:
            self._finish(complete=False)
        return len(buf) if end is None else int(end.start())

    def _end_of_answer(self, cut: bool) -> None:
        self.unfinished = True
        partial = self._reader.partial()
        if partial is not None and (name := self._argument_name(partial[0])):
            self.tail = (name, partial[1])
        self._finish(complete=not cut and self._reader.close())

    # The live view

    def _report(self) -> None:
        """Tell the tool as soon as it is known, and pass on what the strings grew by."""
        grown, self._reader.grown = self._reader.grown, []
        if not self.tool:
            self.tool = _tool_name(self._reader.value)
            self._waiting += grown
            if not self.tool:
                return
            self.pieces.append(Opened(self._index, self.tool))
            grown, self._waiting = self._waiting, []
        for path, text in grown:
            if name := self._argument_name(path):
                self._shown.add(name)
                self.pieces.append(ArgDelta(self._index, name, text))

    def _argument_name(self, path: tuple[str, ...]) -> str:
        """The argument that a string at `path` is, or empty."""
        if self._only_arguments and len(path) == 1:
            return "" if path[0] in _DRESSING else path[0]
        if len(path) == 3 and path[0] == "function":
            path = path[1:]
        return path[1] if len(path) == 2 and path[0] in _ARGUMENTS else ""

    def _show_rest(self, arguments: dict[str, Any]) -> None:
        for name, value in arguments.items():
            if name not in self._shown:
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                self.pieces.append(ArgDelta(self._index, name, text))

    # The result

    def _finish(self, *, complete: bool) -> None:
        arguments, notes = self._arguments()
        if not self.tool:
            self.pieces.append(Opened(self._index, ""))
        if self._error:
            # Where the call stops making sense its last value may have stopped too early.
            arguments = dict(list(arguments.items())[:-1])
        elif not complete:
            arguments = {name: value for name, value in arguments.items() if not self._reader.is_open(value)}
        elif not self.tool:
            self._error = "the call names no tool"
        elif _is_schema(arguments):
            self._error = "the arguments are a description of the tool, not values"
        else:
            arguments, unpacked = unpack_lists(arguments, find_tool(self._specs, self.tool))
            notes += unpacked
            self._show_rest(arguments)
        quirks = _noted(tuple(self._reader.quirks))
        self.result = ParsedCall(self.tool, arguments, complete, self._error, quirks + notes)

    def _arguments(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The arguments as far as they are known, and notes; sets the error when there is something else."""
        root = self._reader.value
        if not isinstance(root, dict):
            return {}, ()
        if self._only_arguments and _tool_name(root) != self.tool:
            return dict(root), ()
        inner = root.get("function")
        if isinstance(inner, dict):
            root = inner
        key = next((key for key in _ARGUMENTS if key in root), None)
        if key is None:
            # The arguments stand beside the name.
            return {name: value for name, value in root.items() if name not in _DRESSING}, ()
        value = root[key]
        if isinstance(value, str):
            return self._unpack(value)
        if isinstance(value, dict):
            return dict(value), ()
        if value:
            self._error = self._error or "the arguments are not an object"
        return {}, ()

    def _unpack(self, text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
        if not text.strip():
            return {}, ()
        try:
            value, quirks = loads(text)
        except Unreadable as error:
            self._error = self._error or f"the arguments are a string, and in it: {error}"
            return {}, ()
        if not isinstance(value, dict):
            self._error = self._error or "the arguments are not an object"
            return {}, ()
        return value, ("arguments were an object inside a string", *_noted(quirks))


def _noted(quirks: tuple[str, ...]) -> tuple[str, ...]:
    return (f"JSON repaired: {', '.join(quirks)}",) if quirks else ()


def _tool_name(root: Any) -> str:
    """The tool that a call's object names so far, or empty."""
    if not isinstance(root, dict):
        return ""
    inner = root.get("function")
    if isinstance(inner, dict):
        root = inner
    for key in _NAMES:
        name = root.get(key)
        if isinstance(name, str) and name.strip():
            return name.strip()[:64]
    return ""


def _is_schema(arguments: dict[str, Any]) -> bool:
    return arguments.get("type") == "object" and isinstance(arguments.get("properties"), dict)
