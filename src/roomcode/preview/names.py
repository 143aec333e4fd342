"""Guessing which existing name was meant."""

from collections.abc import Iterable
from difflib import SequenceMatcher
from pathlib import PurePosixPath

__all__ = ["nearest", "nearest_name"]


def nearest(wanted: str, names: Iterable[str], *, cutoff: float = 0.72) -> str:
    """The path in `names` that `wanted` most likely meant, or empty.

    The same file name in another folder is best, then the same name in other case, then the most similar name; a
    wrong extension alone is only a match when the rest is the same.
    """
    target = PurePosixPath(wanted)
    best, score = "", 0.0
    for name in names:
        candidate = PurePosixPath(name)
        rated = _similar(target, candidate)
        if rated > score:
            best, score = name, rated
    return best if score >= cutoff else ""


def _similar(wanted: PurePosixPath, candidate: PurePosixPath) -> float:
    shared = 0.02 * SequenceMatcher(None, wanted.parent.as_posix(), candidate.parent.as_posix()).ratio()
    if wanted.name == candidate.name:
        return 1.0 + shared
    if wanted.name.lower() == candidate.name.lower():
        return 0.97 + shared
    if wanted.suffix.lower() == candidate.suffix.lower():
        ratio = SequenceMatcher(None, wanted.stem.lower(), candidate.stem.lower()).ratio()
        # "app.js" is not a misspelt "map.js": short names must agree almost wholly.
        return (0.9 if min(len(wanted.stem), len(candidate.stem)) > 3 else 0.8) * ratio + shared
    return 0.75 if wanted.stem.lower() == candidate.stem.lower() else 0.0


def nearest_name(wanted: str, names: Iterable[str]) -> str:
    """The name in a program that `wanted` is a misspelling of, or empty: other case, or one letter (two in long names)
    wrong, missing, too many or swapped with its neighbour."""
    best, score = "", 99
    for name in dict.fromkeys(names):
        if name == wanted:
            continue
        if name.lower() == wanted.lower():
            return name
        shorter = min(len(name), len(wanted))
        allowed = 0 if shorter < 3 else 1 if shorter < 7 else 2
        if abs(len(name) - len(wanted)) <= allowed:
            off = _distance(wanted.lower(), name.lower())
            if off <= allowed and off < score:
                best, score = name, off
    return best


def _distance(one: str, other: str) -> int:
    """Letters to change, add, leave out or swap with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row, older = row, [i], before
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        before = last
    return row[-1]
