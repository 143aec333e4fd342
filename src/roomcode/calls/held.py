"""Grammar of a text that has to be a piece of another one and to stand in it exactly once.

The piece begins and ends with something visible. Either it runs over whole lines, or segments of lines (up to a `;`, a
brace, the end of a tag), so that most of it is forced once its beginning is clear; or it is a part of one line, from
one word to another. No indentation is asked for: the piece begins behind it, and so does what replaces it.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from roomcode.calls.xml_value import holds_markup
from roomcode.chat import Form

__all__ = ["FREE_RULES", "entire_rules", "held_rules", "unique_lengths"]

FREE_RULES: Final = {
    "xml": 'FREE: /([^ \\t\\n](?s:.*))?/\nfree[suffix="\\n</parameter>"]: FREE',
    "json": (
        r'free: /"(([^"\\\x00-\x20\x7f]|\\(["\\\/bfr]|u[a-fA-F0-9]{4}))'
        r'([^"\\\x00-\x1f\x7f]|\\(["\\\/bfnrt]|u[a-fA-F0-9]{4}))*)?"/'
    ),
}
"""By form: the rule `free`, for any text that does not begin with a blank; it is closed like `held`."""

_TOO_FAR: Final = 600
"""No piece begins where it takes more characters than this to tell one place from another; so the copies in a file that
repeats itself are not entered, where a model would have to go on and on."""
_OTHERS: Final = 2
"""Lines that have to be left when some are barred."""
_APART: Final = "\0"
"""Between chunks that do not follow each other. No text file holds it."""
Chunk = tuple[int, int]
"""Start and end in the text."""
_NONE: Final[Chunk] = (0, 0)
"""What is left out: chunks before and behind it do not follow each other."""
_BLANK: Final = " \t\n"
_LONG_LINE: Final = 100
_LONG_TEXT: Final = 20_000
"""In a longer text than this only lines and their segments are pieces: more would take too long to build."""
_ATOM = re.compile(r"</?[A-Za-z][\w-]*|#[\w-]+|(?<![\w)\]\"'`}])\.[A-Za-z][\w-]*|\w+|\s+|[^\w\s]")
"""What pieces of a line are made of. The name of a tag is not parted from its bracket: a model that begins behind the
bracket writes the bracket once more; nor is a selector or colour from its mark, which it leaves out."""
_SEGMENT_END = re.compile(r"(?<=[;{}>])(?<!=>)(?=[^\S\n]*(?!</)[^\s;,)\]}>])")
_LONG_SEGMENT_END = re.compile(r"(?<=[;{},>.!?\u3002\uff01\uff1f])(?<!=>)(?=[^\S\n]*[^\s;,)\]}>])")
_BOUNDS: Final = {
    "xml": r"/[^ \t\n\x00][^\x00]*/ & ~/(?s:.*)[ \t\n]/",
    "json": r"/([^ \\\x00]|\\[^nt\x00])[^\x00]*/ & ~/([^\\]|\\(?s:.))*( |\\n|\\t)/",
}
"""By form: what begins and ends with something else than a blank and does not leap over what stands apart."""
_NO_CLOSING: Final = r"/([^<]|<[^\/])(?s:.*)/"
"""No piece begins with a closing tag: models take it for a place to put something before, and write the element, or
all that follows, once more."""


def held_rules(
    text: str,
    name: str,
    form: Form,
    *,
    within_lines: bool = True,
    within: Chunk | None = None,
    other_than: Sequence[str] = (),
) -> str | None:
    """Rules of a grammar, of which `held` is the piece as the value of parameter `name`: with its closing tag in the
    XML form, between quotes in the JSON form. Without `within_lines` it is whole lines or segments of
    them. `within` is where in the text it lies. It begins with a closing tag only where `within` does, and with the
    first line of none of `other_than` where there are enough other lines.

    None where there is no piece that stands in `text` once and can be written in this form.
    """
    if not text.strip():
        return None
    unique = unique_lengths(text)
    near = unique <= _TOO_FAR
    first, last = within or (0, len(text))
    # What is too many may be a closing tag alone.
    closing_first = text[first:last].lstrip(_BLANK).startswith("</")
    coarse: list[int] = []  # where pieces of whole lines may begin and end
    fine: list[int] = []  # where any piece may
    parts: list[Chunk] = []
    for start, end in _line_spans(text):
        start, end = max(start, first), min(end, last)
        if start > end:
            continue
        line = text[start:end]
        barred = form == "xml" and holds_markup(line, name)
        coarse += [start, end] if barred else _line_cuts(line, start)
        if barred or not within_lines or len(text) > _LONG_TEXT:
            continue
        atoms = [start + match.start() for match in _ATOM.finditer(line)]
        fine += [*atoms, end]
        words = [at for at in atoms if line[at - start] not in _BLANK]
        inside = [at for at in atoms if len(words) > 1 and at >= words[1] and near[at]]
        parts += [_NONE, *_chunks(text, [*inside, end], name, form)]
    blocks = _chunks(text, [at for at in sorted(set(coarse)) if at == len(text) or near[at]], name, form)
    if not any(_any_once(text, chunks, unique, closing_first) for chunks in (blocks, parts)):
        return None
    rules = {"LINES": _cut(text, blocks), "PART": _cut(text, parts)}
    rules["COPY"] = _copies(text, sorted({*coarse, *fine}), unique)
    rules = {rule: chunks for rule, chunks in rules.items() if chunks}
    piece = " | ".join(
        f"({rule} & {_NO_CLOSING})" if rule == "PART" or not closing_first else rule for rule in rules if rule != "COPY"
    )
    copy = " & ~COPY" if "COPY" in rules else ""
    others = _barred(text, other_than, form)
    copy += " & ~BARRED" if others else ""
    opening, closing = ("", '"\\n</parameter>"') if form == "xml" else ('"\\"" ', '"\\""')
    return "\n".join(
        (
            *(f"{rule}: {_substring(chunks, form)}" for rule, chunks in rules.items()),
            *others,
            f"PIECE: ({piece}) & {_BOUNDS[form]}{copy}",
            f"HELD: {opening}PIECE {closing}",
            "held: HELD",
        )
    )


def _barred(text: str, pieces: Sequence[str], form: Form) -> list[str]:
    """The rule of what begins like one of `pieces`, if two lines of the text begin with something else."""
    begins = {begin for piece in pieces if (begin := piece.strip(_BLANK).partition("\n")[0].rstrip(_BLANK))}
    others = {line for line in map(str.strip, text.split("\n")) if line and not line.startswith(tuple(begins))}
    if not begins or sum(text.count(line) == 1 for line in others) < _OTHERS:
        return []
    written = (json.dumps(begin if form == "xml" else _escaped(begin), ensure_ascii=False) for begin in sorted(begins))
    return [f"BARRED: ({' | '.join(written)}) /(?s:.*)/"]


def entire_rules(piece: str, name: str, form: Form) -> str | None:
    """Rules of a grammar, of which `held` is this text and nothing else, written like the ones of `held_rules`. None
    where it cannot be written in this form."""
    if form == "xml" and holds_markup(piece, name):
        return None
    written = piece if form == "xml" else _escaped(piece)
    opening, closing = ("", "\n</parameter>") if form == "xml" else ('"', '"')
    return f"held: {json.dumps(opening + written + closing, ensure_ascii=False)}"


def _line_spans(text: str) -> Iterable[tuple[int, int]]:
    """Start and end of each line, without its newline."""
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _line_cuts(line: str, start: int) -> list[int]:
    """Where pieces of whole lines may begin or end within this line, which starts at `start`."""
    content = line.strip(_BLANK)
    first = line.index(content)
    last = first + len(content)
    pattern = _LONG_SEGMENT_END if len(line) > _LONG_LINE else _SEGMENT_END
    cuts = {0, first, last, len(line)}
    for match in pattern.finditer(line, first, last):
        at = match.start()
        cuts |= {at, len(line) - len(line[at:].lstrip(_BLANK))}
    return [start + at for at in sorted(cuts)]


def _chunks(text: str, cuts: Sequence[int], name: str, form: Form) -> list[Chunk]:
    """The text between the first and the last of `cuts`, cut at all of them. Left out is what is too long to be copied
    or cannot be written in this form."""
    return [
        _NONE if b - a > _TOO_FAR or (form == "xml" and holds_markup(text[a:b], name)) else (a, b)
        for a, b in pairwise(cuts)
    ]


def _cut(text: str, chunks: Iterable[Chunk]) -> list[str]:
    return [text[start:end] if end else _APART for start, end in chunks]


def _any_once(text: str, chunks: Sequence[Chunk], unique: npt.NDArray[np.int64], closing_first: bool) -> bool:
    """Whether chunks in a row make a piece that stands in `text` once and begins and ends with something visible."""
    furthest = 0  # the last place where a piece may end that begins here or later in this row
    for start, end in reversed(chunks):
        if not end:
            furthest = 0
            continue
        if not furthest and text[end - 1] not in _BLANK:
            furthest = end
        begins = text[start] not in _BLANK and (closing_first or not text.startswith("</", start))
        if begins and furthest >= start + unique[start]:
            return True
    return False


def _copies(text: str, cuts: Sequence[int], unique: npt.NDArray[np.int64]) -> list[str]:
    """The longest pieces between `cuts` that stand in `text` more than once, as chunks; any other is part of one."""
    found: dict[tuple[str, ...], None] = {}
    reached = 0
    for number, at in enumerate(cuts):
        if at == len(text) or text[at] in _BLANK or unique[at] > _TOO_FAR:
            continue  # nothing begins here
        last = bisect_right(cuts, at + int(unique[at]) - 1) - 1
        if last > max(number, reached):
            reached = last
            found[tuple(text[a:b] for a, b in pairwise(cuts[number : last + 1]))] = None
    return [chunk for chunks in found for chunk in (*chunks, _APART)]


def _substring(chunks: Iterable[str], form: Form) -> str:
    written = [chunk if form == "xml" or chunk == _APART else _escaped(chunk) for chunk in chunks]
    return "%regex " + json.dumps({"substring_chunks": written})


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def unique_lengths(text: str) -> npt.NDArray[np.int64]:
    """For each position the length of the shortest piece that begins there and stands in `text` once, shape (n,).

    It is longer than what is left of the text where there is no such piece. Places that overlap count.
    """
    # Ranks of the pieces of length 1, 2, 4 … at each position; equal ranks mean equal pieces.
    size = len(text)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    ranks = [np.unique(codes, return_inverse=True)[1].astype(np.int64)]
    while ranks[-1].max(initial=0) < size - 1:
        step = 1 << (len(ranks) - 1)
        following = np.zeros(size, np.int64)
        following[: size - step] = ranks[-1][step:] + 1
        ranks.append(np.unique(ranks[-1] * (size + 1) + following, return_inverse=True)[1].astype(np.int64))
    order = np.argsort(ranks[-1])
    common = _common_lengths(ranks, order[:-1], order[1:], size)
    longest = np.zeros(size, np.int64)
    longest[order[:-1]] = common
    longest[order[1:]] = np.maximum(longest[order[1:]], common)
    return longest + 1


def _common_lengths(
    ranks: Sequence[npt.NDArray[np.int64]], left: npt.NDArray[np.intp], right: npt.NDArray[np.intp], size: int
) -> npt.NDArray[np.int64]:
    """How far the text at each of `left` is the same as at the one of `right` beside it."""
    left, right = left.copy(), right.copy()
    common = np.zeros(len(left), np.int64)
    for level in range(len(ranks) - 1, -1, -1):
        width = 1 << level
        fits = np.maximum(left, right) + width <= size
        last = size - 1
        same = fits & (ranks[level][np.minimum(left, last)] == ranks[level][np.minimum(right, last)])
        grown = same * width
        left += grown
        right += grown
        common += grown
    return common
