"""JSON the way small models write it, read while it grows.

`JsonReader` is pushed text in pieces of any size and works on each character once. It takes strict JSON, and
forgives: single quotes, backticks and triple quotes around strings, unquoted keys and plain words, trailing commas,
comments, Python's and JavaScript's literals, raw line breaks and tabs in strings, and escapes that JSON does not know
(the backslash stays: `\\d` is a backslash and a d). It never guesses where a string ends: a quote that is neither
escaped nor followed by what may follow a string is a fault.
"""

from dataclasses import dataclass
from typing import Any, Final

import regex

__all__ = ["JsonReader", "Unreadable", "loads"]

_DEPTH: Final = 64
_SPACE = regex.compile(r"[ \t\r\n\f\v\u00a0\ufeff]++")
_KEY = regex.compile(r"[\w.$-]++")
_WORD = regex.compile(r"[^\s,{}\[\]\"'`<>();]++")
_NUMBER = regex.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+")
_PLAIN = {q: regex.compile(rf"[^\\{q}]++") for q in "\"'`"}
_CONTROL = regex.compile(r"[\x00-\x1f]")
_HEX = regex.compile(r"[0-9a-fA-F]{4}")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LITERALS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
    "undefined": None,
}
_STRICT_LITERALS = ("true", "false", "null")
_QUOTES = "\"'`"


class Unreadable(ValueError):
    """A text that is not JSON even with forgiveness. The message says what and where."""


@dataclass(slots=True)
class _Frame:
    """An object or list that is not closed yet; `key` is the object's key whose value comes next."""

    box: dict[str, Any] | list[Any]
    key: str = ""


class JsonReader:
    """Reads one JSON value out of a growing text. Positions are counted in characters from 1."""

    def __init__(self) -> None:
        self.value: Any = None
        """The outermost value; an object or list is there from its first bracket on and fills."""
        self.done = False
        self.fault = ""
        """Why reading stopped for good; empty while all is well."""
        self.quirks: dict[str, None] = {}
        """What was forgiven, in order of appearance."""
        self.last_quote = 0
        """Position of the quote that ended the last string value."""
        self.grown: list[tuple[tuple[str, ...], str]] = []
        """(keys from the outermost object, text) for every piece of a string value; the owner empties it. Strings in
        lists are left out."""
        self._stack: list[_Frame] = []
        self._mode = "value"
        self._seen = 0
        self._quote = ""  # what ends the string being read
        self._quote_at = 0  # where the last value ended, if it was a string
        self._parts: list[str] = []
        self._path: tuple[str, ...] | None = None
        self._comment = ""  # what ends the comment being read
        self._comma = False

    @property
    def in_string(self) -> bool:
        """The text so far ends inside a string."""
        return self._mode in ("string", "key string")

    def is_open(self, value: Any) -> bool:
        """Whether `value` is an object or list that is still being written."""
        return any(frame.box is value for frame in self._stack)

    def partial(self) -> tuple[tuple[str, ...], str] | None:
        """Keys and text of the string value that is not closed yet."""
        if self._mode != "string" or self._path is None:
            return None
        return self._path, "".join(self._parts)

    def read(self, buf: str, pos: int, final: bool) -> int:
        """Work on `buf` from `pos` on; returns the position up to which it is used up.

        Stops before the end when the value is `done`, when a `fault` is found (the position is that of the character
        that does not fit), or, unless `final`, when more text is needed to go on.
        """
        while not self.done and not self.fault and pos < len(buf):
            if self.in_string:
                after = self._read_string(buf, pos, final)
            elif self._comment:
                after = self._read_comment(buf, pos, final)
            else:
                after = self._read_structure(buf, pos, final)
            if after == pos:
                break
            self._seen += after - pos
            pos = after
        return pos

    def close(self) -> bool:
        """The text is over: close what is open. False when a value is missing or a string was never closed."""
        if self.done:
            return True
        if self.in_string or self._mode in ("value", "colon") or not self._stack or self.fault:
            return False
        self._quirk("missing closing bracket")
        while self._stack:
            self._pop()
        return True

    # Structure

    def _read_structure(self, buf: str, pos: int, final: bool) -> int:
        space = _SPACE.match(buf, pos)
        if space is not None:
            return space.end()
        char = buf[pos]
        if char == "/" or (char == "#" and self._mode != "value"):
            return self._open_comment(buf, pos, final)
        if char == "," and self._mode in ("after", "key") and self._stack:
            return self._take_comma(pos)
        if char in "}]" and self._mode != "colon" and self._stack and self._closes(char):
            if self._comma:
                self._quirk("trailing comma")
            self._pop()
            return pos + 1
        if self._mode == "colon" and char == ":":
            self._mode = "value"
            return pos + 1
        if self._mode == "key":
            return self._read_key(buf, pos, final)
        if self._mode == "value":
            return self._read_value(buf, pos, final)
        return self._unexpected(char, pos)

    def _closes(self, char: str) -> bool:
        box = self._stack[-1].box
        if isinstance(box, dict):
            return char == "}" and self._mode in ("key", "after")
        return char == "]"

    def _take_comma(self, pos: int) -> int:
        if self._comma:
            self._quirk("doubled comma")
        self._comma = True
        self._mode = "key" if isinstance(self._stack[-1].box, dict) else "value"
        return pos + 1

    def _read_key(self, buf: str, pos: int, final: bool) -> int:
        if buf[pos] in _QUOTES:
            self._comma = False
            return self._open_string(buf[pos], pos, key=True)
        word = _KEY.match(buf, pos)
        if word is None:
            return self._unexpected(buf[pos], pos)
        if word.end() == len(buf) and not final:
            return pos
        self._comma = False
        self._quirk("unquoted key")
        self._stack[-1].key = word[0]
        self._mode = "colon"
        return word.end()

    def _read_value(self, buf: str, pos: int, final: bool) -> int:
        char = buf[pos]
        if char in "{[":
            if len(self._stack) >= _DEPTH:
                self.fault = "it is nested too deeply"
                return pos
            self._comma = False
            box: dict[str, Any] | list[Any] = {} if char == "{" else []
            self._attach(box)
            self._stack.append(_Frame(box))
            self._mode = "key" if char == "{" else "value"
            return pos + 1
        if char in _QUOTES:
            triple = char * 3 if char != "`" else char
            if triple.startswith(buf[pos : pos + 3]) and len(buf) - pos < len(triple) and not final:
                return pos  # an empty string, or the beginning of a triple quote
            self._comma = False
            return self._open_string(triple if buf.startswith(triple, pos) else char, pos, key=False)
        word = _WORD.match(buf, pos)
        if word is None:
            return self._unexpected(char, pos)
        if word.end() == len(buf) and not final:
            return pos
        self._comma = False
        self._put(self._meaning(word[0]))
        return word.end()

    def _meaning(self, word: str) -> Any:
        if word in _LITERALS:
            if word not in _STRICT_LITERALS:
                self._quirk("Python literal" if word != "undefined" else "JavaScript literal")
            return _LITERALS[word]
        if len(word) <= 40 and _NUMBER.fullmatch(word):
            return int(word) if word.lstrip("-").isdigit() else float(word)
        self._quirk("unquoted value")
        return word

    def _unexpected(self, char: str, pos: int) -> int:
        if self._quote_at and self._mode != "value":
            self.fault = f"unescaped quote at character {self._quote_at}"
        else:
            self.fault = f"unexpected {char!r} at character {self._seen + 1}"
        return pos

    def _put(self, value: Any) -> None:
        """A plain value is complete."""
        self._attach(value)
        self._complete()

    def _pop(self) -> None:
        """An object or list is complete."""
        self._comma = False
        self._stack.pop()
        self._complete()

    def _attach(self, value: Any) -> None:
        """The value belongs to the innermost open object or list, or is the whole."""
        if not self._stack:
            self.value = value
            return
        frame = self._stack[-1]
        if isinstance(frame.box, dict):
            frame.box[frame.key] = value
        else:
            frame.box.append(value)

    def _complete(self) -> None:
        self._mode = "after"
        self._quote_at = 0
        self.done = not self._stack

    def _quirk(self, name: str) -> None:
        self.quirks[name] = None

    # Comments

    def _open_comment(self, buf: str, pos: int, final: bool) -> int:
        if buf[pos] == "#" or buf.startswith("//", pos):
            self._comment = "\n"
        elif buf.startswith("/*", pos):
            self._comment = "*/"
        elif pos + 1 == len(buf) and not final:
            return pos
        else:
            return self._read_value(buf, pos, final) if self._mode == "value" else self._unexpected("/", pos)
        self._quirk("comment")
        return pos + len(self._comment if self._comment == "*/" else buf[pos])

    def _read_comment(self, buf: str, pos: int, final: bool) -> int:
        end = buf.find(self._comment, pos)
        if end < 0:
            return len(buf) if final else max(pos, len(buf) - 1)
        end += len(self._comment)
        self._comment = ""
        return end

    # Strings

    def _open_string(self, quote: str, pos: int, *, key: bool) -> int:
        if quote != '"':
            self._quirk({"'": "single quotes", "`": "backtick quotes"}.get(quote, "triple quotes"))
        self._quote = quote
        self._parts = []
        self._mode = "key string" if key else "string"
        boxes = [frame.box for frame in self._stack]
        in_objects = not key and boxes and all(isinstance(box, dict) for box in boxes)
        self._path = tuple(frame.key for frame in self._stack) if in_objects else None
        return pos + len(quote)

    def _read_string(self, buf: str, pos: int, final: bool) -> int:
        plain = _PLAIN[self._quote[0]].match(buf, pos)
        if plain is not None:
            if "raw control character in a string" not in self.quirks and _CONTROL.search(plain[0]):
                self._quirk("raw control character in a string")
            self._grow(plain[0])
            return plain.end()
        if buf[pos] == "\\":
            return self._read_escape(buf, pos, final)
        if len(self._quote) == 3 and not buf.startswith(self._quote, pos):
            if self._quote.startswith(buf[pos:]) and not final:
                return pos
            self._grow(buf[pos])
            return pos + 1
        self._end_string(pos)
        return pos + len(self._quote)

    def _read_escape(self, buf: str, pos: int, final: bool) -> int:
        if pos + 1 == len(buf):
            if not final:
                return pos
            self._grow("\\")
            return pos + 1
        char = buf[pos + 1]
        if char == "u":
            return self._read_unicode(buf, pos, final)
        if char in _ESCAPES:
            self._grow(_ESCAPES[char])
        elif char == self._quote[0]:
            self._grow(char)
        else:
            self._quirk("escape that JSON does not know")
            self._grow("\\" + char)
        return pos + 2

    def _read_unicode(self, buf: str, pos: int, final: bool) -> int:
        digits = _HEX.match(buf, pos + 2)
        if digits is None:
            if not final and len(buf) < pos + 6 and regex.fullmatch(r"[0-9a-fA-F]*", buf[pos + 2 :]):
                return pos
            self._quirk("escape that JSON does not know")
            self._grow("\\u")
            return pos + 2
        code = int(digits[0], 16)
        end = digits.end()
        if 0xD800 <= code < 0xDC00:
            if not final and len(buf) < end + 6 and _begins_low_surrogate(buf[end:]):
                return pos
            low = _HEX.match(buf, end + 2) if buf.startswith("\\u", end) else None
            if low is not None and 0xDC00 <= int(low[0], 16) < 0xE000:
                code = 0x10000 + ((code - 0xD800) << 10) + (int(low[0], 16) - 0xDC00)
                end = low.end()
        # Half a character cannot be written to any file.
        self._grow("\ufffd" if 0xD800 <= code < 0xE000 else chr(code))
        return end

    def _grow(self, text: str) -> None:
        self._parts.append(text)
        if self._path is not None:
            self.grown.append((self._path, text))

    def _end_string(self, pos: int) -> None:
        text = "".join(self._parts)
        self._parts = []
        at = self._seen + 1
        if self._mode == "key string":
            self._stack[-1].key = text
            self._mode = "colon"
        else:
            self._put(text)
            self._quote_at = self.last_quote = at


def _begins_low_surrogate(text: str) -> bool:
    return regex.fullmatch(r"\\u[0-9a-fA-F]{4}", text, partial=True) is not None


def loads(text: str) -> tuple[Any, tuple[str, ...]]:
    """The value of a whole text, and what was forgiven. Raises Unreadable."""
    reader = JsonReader()
    end = reader.read(text, 0, True)
    if reader.fault:
        raise Unreadable(reader.fault)
    if not reader.done and not reader.close():
        raise Unreadable("it ends in the middle")
    rest = _SPACE.match(text, end)
    if (rest.end() if rest else end) < len(text):
        raise Unreadable(f"unexpected {text[end : end + 12]!r} after the end")
    return reader.value, tuple(reader.quirks)
