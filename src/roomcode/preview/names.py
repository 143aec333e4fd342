"""Guessing which existing name was meant."""

from collections.abc import Iterable
from difflib import SequenceMatcher
from pathlib import PurePosixPath

__all__ = ["nearest"]


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
