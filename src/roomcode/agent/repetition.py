"""Noticing that a model repeats itself inside one answer."""

import re

__all__ = ["RepetitionGuard", "repeats"]

_WINDOW = 8000
_EVERY = 200
_LINE = 16
"""Characters from which on a phrase is more than an entry of a list of values like `null, null, null`."""
_PARAGRAPH = 160
"""Characters of a passage that nobody says four times in a row."""
_TAG = re.compile(r"<[^<>]*>")


def repeats(text: str, *, in_value: bool = False) -> bool:
    """Whether the end of `text` is one phrase again and again.

    How often is too often depends on the phrase. In a file's content (`in_value`) much repetition is ordinary: rows of
    a table, similar rules, a grid of equal elements. There only a line of words that comes back exactly, dozens of
    times, is a model that goes round in circles; what has no words (numbers, drawings, elements without text) may fill
    pages.
    """
    tail = text[-_WINDOW:]
    period = _period(tail)
    if period is None:
        return False
    length, count = period
    total = length * count
    # The phrase from its first tag on, if there is one: its end may be in the middle of a tag.
    start = tail.find("<", len(tail) - 2 * length, len(tail) - length)
    phrase = tail[start : start + length] if start >= 0 else tail[-length:]
    wordless = not any(char.isalpha() for char in _TAG.sub("", phrase))
    if not in_value:
        often = 4 if length >= _PARAGRAPH else 6
        return count >= often and total >= (1500 if wordless else 240)
    if wordless:
        return total >= _WINDOW - _EVERY - length
    if length >= _LINE and count >= 30 and not _TAG.search(phrase):
        return True
    return total >= 3000 and count >= (8 if length >= 80 else 30 if length >= _LINE else 150)


def _period(text: str) -> tuple[int, int] | None:
    """The period (characters) that fills most of the end of `text`, and how often it stands there."""
    reversed_text = text[::-1]
    best: tuple[int, int] | None = None
    borders = [0] * len(reversed_text)
    length = 0
    for i in range(1, len(reversed_text)):
        while length and reversed_text[i] != reversed_text[length]:
            length = borders[length - 1]
        if reversed_text[i] == reversed_text[length]:
            length += 1
        borders[i] = length
        period = i + 1 - length
        count = (i + 1) // period
        if count >= 2 and (best is None or period * count >= best[0] * best[1]):
            best = (period, count)
    return best


class RepetitionGuard:
    """Watches one answer; `push` says when it should be cut. Looks every few hundred characters."""

    def __init__(self) -> None:
        self._text = ""
        self._next = _EVERY

    @property
    def kept(self) -> int:
        """Characters up to the end of the first of the repeated phrases."""
        period = _period(self._text[-_WINDOW:])
        if period is None:
            return len(self._text)
        length, count = period
        return len(self._text) - length * (count - 1)

    def push(self, text: str, retract: int, *, in_value: bool) -> bool:
        """The answer grew by `text` after `retract` characters were taken back; whether it repeats itself now."""
        self._text = (self._text[: len(self._text) - retract] if retract else self._text) + text
        if len(self._text) < self._next:
            return False
        self._next = len(self._text) + _EVERY
        return repeats(self._text, in_value=in_value)
