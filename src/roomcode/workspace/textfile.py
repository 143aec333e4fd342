"""A text file that can be changed without touching any byte outside the change.

The text is shown with `\\n` line ends, whatever the file has; encoding, byte order mark, the ending of each single
line and a missing final newline are remembered and come back.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from roomcode.workspace.encodings import UTF8, Encoding, decode, encode

__all__ = ["TextFile", "unified"]

_ENDING = re.compile(r"\r\n|\n|\r")
_ALIGN_LIMIT = 3000
"""More lines than this in a change are not compared line by line."""


def unified(text: str) -> str:
    """The text with every line ending as `\\n`."""
    return _ENDING.sub("\n", text) if "\r" in text else text


@dataclass(frozen=True, slots=True)
class TextFile:
    """Text with `\\n` line ends, and how it is stored.

    `endings` holds the real ending of each `\\n` in `text`, in order; None when all of them are `ending`.
    """

    text: str
    encoding: Encoding = UTF8
    ending: str = "\n"
    endings: tuple[str, ...] | None = None

    @classmethod
    def parse(cls, data: bytes) -> "TextFile":
        """Raises NotText when the bytes are not text."""
        raw, encoding = decode(data)
        if "\r" not in raw:
            return cls(raw, encoding)
        found = _ENDING.findall(raw)
        most = Counter(found).most_common(1)[0][0]
        mixed = any(ending != most for ending in found)
        return cls(unified(raw), encoding, most, tuple(found) if mixed else None)

    def to_bytes(self) -> bytes:
        """Raises WorkspaceError when a character does not fit the encoding."""
        if self.endings is not None:
            parts = self.text.split("\n")
            ends = (*self.endings, "")
            raw = "".join(part + end for part, end in zip(parts, ends, strict=True))
        elif self.ending != "\n":
            raw = self.text.replace("\n", self.ending)
        else:
            raw = self.text
        return encode(raw, self.encoding)

    @property
    def lines(self) -> int:
        """Number of lines; a final newline does not start another one."""
        return self.text.count("\n") + (0 if self.text.endswith("\n") or not self.text else 1)

    def replace(self, start: int, end: int, new: str) -> "TextFile":
        """With `text[start:end]` replaced by `new`. Lines outside keep their endings; lines of `new` that were there
        before keep theirs, other ones take the ending of their neighbours."""
        new = unified(new)
        text = self.text[:start] + new + self.text[end:]
        if self.endings is None:
            return TextFile(text, self.encoding, self.ending)
        first = self.text.count("\n", 0, start)
        last = first + self.text.count("\n", start, end)
        before, old, after = self.endings[:first], self.endings[first:last], self.endings[last:]
        default = after[0] if after else before[-1] if before else self.ending
        inside = _aligned(self.text[start:end].split("\n"), old, new.split("\n"), default)
        previous = before[-1] if before and self.text.endswith("\n", 0, start) else ""
        following = after[0] if self.text.startswith("\n", end) else ""
        inside = _kept_apart(inside, new.split("\n"), previous, following)
        return TextFile(text, self.encoding, self.ending, (*before, *inside, *after))

    def with_text(self, new: str) -> "TextFile":
        """The same file with another text."""
        return self.replace(0, len(self.text), new)

    def appended(self, addition: str) -> "TextFile":
        """With `addition` after the end."""
        return self.replace(len(self.text), len(self.text), addition)


def _aligned(old_lines: list[str], old: Sequence[str], new_lines: list[str], default: str) -> list[str]:
    """An ending for each line of `new_lines` but the last, which has none of its own."""
    count = len(new_lines) - 1
    if len(old_lines) + len(new_lines) > _ALIGN_LIMIT:
        return [*old[:count], *([old[-1] if old else default] * (count - len(old)))]
    result: list[str | None] = [None] * (count + 1)
    matcher = SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag in ("equal", "replace"):
            for source, goal in zip(range(old_from, old_to), range(new_from, new_to), strict=False):
                if source < len(old):
                    result[goal] = old[source]
    endings: list[str] = []
    for position in range(count):
        known = result[position]
        if known is None:
            later = next((ending for ending in result[position + 1 :] if ending is not None), default)
            known = endings[-1] if endings else later
        endings.append(known)
    return endings


def _kept_apart(endings: list[str], lines: list[str], previous: str, following: str) -> list[str]:
    """The endings of `lines`, changed where a `\r`, an empty line and a `\n` would be read as one `\r\n`.

    `previous` is the ending right before the first line, `following` the one right after the last; "" for none.
    """
    result: list[str] = []
    for number, ending in enumerate(endings):
        before = previous if number == 0 else result[-1]
        if ending == "\n" and before == "\r" and not lines[number]:
            ending = "\r\n"
        result.append(ending)
    if result and result[-1] == "\r" and following == "\n" and not lines[-1]:
        result[-1] = "\r\n"
    return result
