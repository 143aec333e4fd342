"""How models open a call, and how they end a long text, in ways they were not asked to (streaming side).

Both are looked for while the answer grows: an opening at the start of a line, a closing inside a raw value.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

import regex

from roomcode.calls.grammar import OPEN
from roomcode.calls.openings import FENCE, FUNCTION, SPACE, WRAPPER, object_head

__all__ = ["Closing", "Opening", "OpeningScanner", "find_closing"]

_START = regex.compile(r"[ \t]*(?:```|[\[{]|<tool|<function|<invoke)")
_NAME = r"(?P<json>[A-Za-z_][\w.-]{0,60})"
_OPENING = regex.compile(
    rf"[ \t]*(?:{FENCE}\n{SPACE})?(?:(?:{WRAPPER}|<tools?>){SPACE})?"
    rf"(?:(?:\[{SPACE})?{object_head(_NAME)}|{FUNCTION})"
)

_FENCES = re.compile(r"^[ \t]*```[^\n]*$", re.MULTILINE)
_CLEAR = regex.compile(r"""\s*,\s*["'](?:arguments|parameters)["']\s*:""")
"""What follows the name in a call, whatever the name is."""


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening in the text: where it starts, and the tool it names if that is one of ours."""

    start: int
    tool: str
    trained: bool = False
    """It is `<tool_call>` itself; `start` is then the position behind it."""


class OpeningScanner:
    """Looks for openings in a growing text. Each character is looked at once, except while a line is suspicious."""

    def __init__(self, tools: Collection[str], *, foreign: bool = True) -> None:
        self._tools = frozenset(tools)
        self._foreign = foreign
        self._candidate: int | None = None
        self._line = 0  # start of the last line
        self._seen = 0

    def scan(self, text: str) -> Opening | None:
        """Look at `text`, which begins with what was scanned before."""
        trained = text.find(OPEN, max(0, self._seen - len(OPEN)))
        if trained >= 0:
            fence = _fence_before(text[:trained]) if self._foreign else None
            if fence is not None:
                return Opening(fence, "")
            return Opening(trained + len(OPEN), "", trained=True)
        found = self._scan_lines(text) if self._foreign else None
        self._seen = len(text)
        return found

    def _scan_lines(self, text: str) -> Opening | None:
        while True:
            if self._candidate is None:
                head = _START.match(text, self._line, partial=True)
                if head is None or (head.partial and head.end() < len(text)):
                    following = text.find("\n", max(self._line, self._seen))
                    if following < 0:
                        return None
                    self._line = following + 1
                    continue
                if head.partial:
                    return None
                self._candidate = self._line
            match = _OPENING.match(text, self._candidate, partial=True)
            if match is not None and match.partial:
                return None
            if match is not None:
                named = match["json"] or match["name"]
                if named in self._tools:
                    return Opening(self._candidate, named)
                clear = _CLEAR.match(text, match.end(), partial=True) if match["json"] else None
                if clear is not None:
                    return None if clear.partial else Opening(self._candidate, "")
            following = text.find("\n", self._candidate)
            self._candidate = None
            if following < 0:
                return None
            self._line = following + 1


def _fence_before(text: str) -> int | None:
    """Where a fence starts that was opened right before the end of `text`: a call in it would only be shown."""
    fences = list(_FENCES.finditer(text)) if "```" in text else []
    if len(fences) % 2 == 1 and not text[fences[-1].end() :].strip():
        return fences[-1].start()
    return None


@dataclass(frozen=True, slots=True)
class Closing:
    """A text ended its own way: the value ends at `end`; `whole` when the model meant the end of the call."""

    end: int
    whole: bool


_FENCE = re.compile(r"^[ \t]*```[^\n`]*$", re.MULTILINE)


def find_closing(value: str, name: str, scanned: int = 0) -> Closing | None:
    """Look for a foreign closing in the text of a raw value. `scanned` characters were looked at before."""
    tags = {"</function>": True, "</tool_call>": True}
    if f"<{name}" not in value:  # a document may have elements of that name
        tags[f"</{name}>"] = False
    tags |= {
        "</parameter": False,
        "<parameter=": False,
        "<function=": True,
    }
    start = max(0, scanned - 16)
    hits = [(at, whole) for tag, whole in tags.items() if (at := value.find(tag, start)) >= 0]
    if hits:
        end, whole = min(hits)
        return Closing(end, whole)
    return _lone_fence(value, scanned)


def _lone_fence(value: str, scanned: int) -> Closing | None:
    """A closing fence whose opening is not in the value."""
    if "```" not in value[max(0, scanned - 4) :] or not value.endswith("\n"):
        return None
    fences = [m for m in _FENCE.finditer(value) if m.end() < len(value)]
    if len(fences) % 2 == 1 and fences[-1].group().strip() == "```":
        return Closing(fences[-1].start(), True)
    return None
