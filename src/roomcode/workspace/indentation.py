"""New lines in the indentation of the file: a model that wrote an edit with other tabs or spaces is understood."""

from collections import Counter
from difflib import SequenceMatcher
from math import gcd

__all__ = ["reindented"]

_TAB = 4
"""Columns a tab counts for when tabs and spaces are compared."""


def reindented(there: list[str], old: list[str], new: list[str], whole: list[str]) -> list[str]:
    """`new` with the indentation of the file.

    `there` are the file's lines that `old` matched, one for one, apart from blanks; `whole` are all lines of the file.
    A line of `new` that stands in `old` too, with the same indentation, is taken from the file as it is.
    """
    rule = _Rule(there, old, new, whole)
    result: list[str] = []
    matcher = SequenceMatcher(None, [_normal(line) for line in old], [_normal(line) for line in new], autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        for offset in range(new_to - new_from):
            line = new[new_from + offset]
            partner = old_from + offset if tag in ("equal", "replace") and old_from + offset < old_to else None
            if tag == "equal" and partner is not None and _indent(line) == _indent(old[partner]):
                result.append(there[partner])
            elif not line.strip():
                result.append("")
            elif tag == "equal" and partner is not None:
                result.append(rule.indent(line, None) + there[partner].strip())
            else:
                result.append(rule.indent(line, partner) + line.strip() + _tail(line, there, partner))
    return result


def _tail(line: str, there: list[str], partner: int | None) -> str:
    """Blanks at the end of a line: only where both the model and the file want them."""
    if partner is None or line.rstrip() == line:
        return ""
    return there[partner][len(there[partner].rstrip()) :]


class _Rule:
    """How the model's indentation maps to the file's."""

    def __init__(self, there: list[str], old: list[str], new: list[str], whole: list[str]) -> None:
        self._pairs = [(_indent(mine), _indent(file)) for mine, file in zip(old, there, strict=True)]
        self._known: dict[int, str] = {}
        # The first line is often given from its first letter on, so what later lines say goes before it.
        pairs = [pair for pair, line in zip(self._pairs, old, strict=True) if line.strip()]
        for mine, file in [*pairs[1:], *pairs[:1]]:
            self._known.setdefault(_width(mine), file)
        self._unit = _unit_of(whole)
        self._step = _step([_width(_indent(line)) for line in (*old, *new) if line.strip()]) or _width(self._unit)

    def indent(self, line: str, partner: int | None) -> str:
        """The indentation of a new line; `partner` is the position of the old line that it replaces."""
        mine = _indent(line)
        if partner is not None and self._pairs[partner][0] == mine:
            return self._pairs[partner][1]
        width = _width(mine)
        if width in self._known:
            return self._known[width]
        if not self._known:
            return mine
        near = max((known for known in self._known if known < width), default=min(self._known))
        base = self._known[near]
        levels = round((width - near) / self._step)
        if levels >= 0:
            return base + self._unit * levels
        keep = max(0, _width(base) + levels * _width(self._unit))
        while base and _width(base) > keep:
            base = base[:-1]
        return base


def _normal(line: str) -> str:
    return " ".join(line.split())


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _width(indent: str) -> int:
    return sum(_TAB if char == "\t" else 1 for char in indent)


def _step(widths: list[int]) -> int:
    """The smallest step between indentations; 0 when all are equal."""
    result = 0
    for width in widths:
        result = gcd(result, abs(width - widths[0]))
    return result


def _unit_of(lines: list[str]) -> str:
    """One level of indentation in a file: a tab, or some spaces."""
    indents = [indent for line in lines if line.strip() and (indent := _indent(line))]
    if not indents:
        return "  "
    if sum(indent[0] == "\t" for indent in indents) * 2 > len(indents):
        return "\t"
    widths = Counter(len(indent) for indent in indents)
    for unit in (8, 4, 3, 2):
        if sum(count for width, count in widths.items() if width % unit == 0) * 10 >= len(indents) * 9:
            return " " * unit
    return "  "
