"""Differences between two texts as plain data: hunks of numbered lines, with the words that changed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

__all__ = ["DiffLine", "Kind", "counts", "diff_lines", "split_lines"]

Kind = Literal["same", "added", "removed", "gap"]

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_CONTEXT = 3
_MOST_COMPARED = 4_000_000
"""Old lines times new lines up to which texts are compared line by line; beyond it the changed part is shown whole."""
_LONGEST_COMPARED = 2_000
"""Characters up to which the words of two lines are compared."""
_ALIKE = 0.25
"""Lines less alike than this are shown as different, without marks inside."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line to show. A `gap` stands for unchanged lines left out; its text says how many."""

    kind: Kind
    old: int | None
    """Line number in the old text, from 1; None for an added line."""
    new: int | None
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    """Spans of `text` (start, end) that changed within the line."""


def split_lines(text: str | None) -> list[str]:
    """The lines of a file; a last line end does not make another line."""
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def counts(lines: Sequence[DiffLine]) -> tuple[int, int]:
    """(added, removed) lines."""
    return sum(line.kind == "added" for line in lines), sum(line.kind == "removed" for line in lines)


def diff_lines(before: str | None, after: str | None, *, context: int = _CONTEXT) -> list[DiffLine]:
    """The difference, with `context` unchanged lines around each change. Equal texts give an empty list."""
    old, new = split_lines(before), split_lines(after)
    blocks = list(_blocks(old, new))
    if all(tag == "equal" for tag, *_ in blocks):
        return []
    found: list[DiffLine] = []
    for number, (tag, old_start, old_end, new_start, new_end) in enumerate(blocks):
        if tag != "equal":
            found += _changed(old[old_start:old_end], new[new_start:new_end], old_start, new_start)
            continue
        head = context if number > 0 else 0
        tail = context if number < len(blocks) - 1 else 0
        left_out = old_end - old_start - head - tail
        # A gap that stands for one line takes as much room as the line.
        if left_out <= 1:
            found += _same(old, old_start, old_end, new_start)
            continue
        found += _same(old, old_start, old_start + head, new_start)
        found.append(DiffLine("gap", None, None, f"{left_out} unchanged lines"))
        found += _same(old, old_end - tail, old_end, new_end - tail)
    return found


def _blocks(old: list[str], new: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Runs of equal and of different lines: (tag, old start, old end, new start, new end)."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    if start:
        yield "equal", 0, start, 0, start
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    if len(middle_old) * len(middle_new) > _MOST_COMPARED:
        yield "replace", start, len(old) - end, start, len(new) - end
    else:
        matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            yield tag, i1 + start, i2 + start, j1 + start, j2 + start
    if end:
        yield "equal", len(old) - end, len(old), len(new) - end, len(new)


def _same(old: list[str], start: int, end: int, new_start: int) -> list[DiffLine]:
    return [DiffLine("same", i + 1, new_start + i - start + 1, old[i]) for i in range(start, end)]


def _changed(old: list[str], new: list[str], old_start: int, new_start: int) -> list[DiffLine]:
    """Removed lines, then added ones; the n-th of each are compared word by word."""
    marks = [_word_marks(a, b) for a, b in zip(old, new, strict=False)]
    removed = [
        DiffLine("removed", old_start + i + 1, None, line, marks[i][0] if i < len(marks) else ())
        for i, line in enumerate(old)
    ]
    added = [
        DiffLine("added", None, new_start + i + 1, line, marks[i][1] if i < len(marks) else ())
        for i, line in enumerate(new)
    ]
    return removed + added


Spans = tuple[tuple[int, int], ...]


def _word_marks(old: str, new: str) -> tuple[Spans, Spans]:
    """Spans of the words that differ, in each of two lines; empty where the lines have little in common."""
    if max(len(old), len(new)) > _LONGEST_COMPARED:
        return (), ()
    old_words, new_words = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    opcodes = matcher.get_opcodes()
    kept = sum(len("".join(old_words[i1:i2]).strip()) for tag, i1, i2, _, _ in opcodes if tag == "equal")
    if kept < _ALIKE * max(len(old.strip()), len(new.strip()), 1):
        return (), ()
    old_spans = [(i1, i2) for tag, i1, i2, _, _ in opcodes if tag != "equal" and i2 > i1]
    new_spans = [(j1, j2) for tag, _, _, j1, j2 in opcodes if tag != "equal" and j2 > j1]
    return _positions(old_words, old_spans), _positions(new_words, new_spans)


def _positions(words: list[str], spans: list[tuple[int, int]]) -> Spans:
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return tuple((starts[first], starts[last]) for first, last in spans)
