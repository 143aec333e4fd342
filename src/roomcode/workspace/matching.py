"""Where in a text an edit's `old` stands, and what exactly to put there.

Three attempts, each only when the one before found nothing:

1. `exact`: the text as given;
2. `characters`: curly quotes, dashes, odd spaces and blanks at line ends are read as their plain forms;
3. `spacing`: indentation and runs of blanks are ignored, and the new lines get the indentation of the file.

Every attempt wants exactly one place. Whatever the attempt, only the matched span changes, and inside it everything
that `new` took over from `old` keeps the characters of the file. Pure functions on text with `\\n` line ends.
"""

import heapq
import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from typing import Literal

from roomcode.workspace.indentation import reindented

__all__ = ["Level", "Match", "Missing", "Several", "find", "normal_line"]

Level = Literal["exact", "characters", "spacing"]

_PLAIN = {
    **dict.fromkeys(map(ord, "‘’‚‛′ʼ＇"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″«»＂"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"),
    **dict.fromkeys(map(ord, "\u00a0\u1680\u202f\u205f\u3000"), " "),
    **dict.fromkeys(range(0x2000, 0x200B), " "),
    **dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"), None),
    ord("…"): "...",
}
_SAME_LENGTH = {code: plain[:1] if plain else " " for code, plain in _PLAIN.items()}
_NUMBERED = re.compile(r"[ \t]*(\d{1,6})(?:: ?|[|\t] ?)(.*)", re.DOTALL)
_WORD = re.compile(r"\w{2,}")
_TOO_LONG_TO_ALIGN = 4000
_LARGEST_LOOSE = 3_000_000
"""Characters of the longest text in which more than the exact text is looked for: it takes about a second."""
_COMPARED = 300


@dataclass(frozen=True, slots=True)
class Match:
    """`text[start:end]` is to become `new`."""

    start: int
    end: int
    new: str
    level: Level


@dataclass(frozen=True, slots=True)
class Several:
    """`old` stands at more than one place: the 1-based numbers of the lines where it starts."""

    lines: tuple[int, ...]
    level: Level


@dataclass(frozen=True, slots=True)
class Missing:
    """`old` is not there. `closest` are the lines most like it, with their 1-based numbers; maybe none."""

    closest: tuple[tuple[int, str], ...]


def find(text: str, old: str, new: str) -> Match | Several | Missing:
    """Find the one place of `old` in `text`. `old` must not be blank."""
    for attempt in (_exact, _characters, _spacing):
        found = attempt(text, old, new)
        if found is not None:
            return found
        if len(text) > _LARGEST_LOOSE:
            return Missing(())
    bare = _without_numbers(old, new)
    if bare is not None:
        again = find(text, *bare)
        if isinstance(again, Match):
            return Match(again.start, again.end, again.new, "spacing" if again.level == "exact" else again.level)
        if isinstance(again, Several):
            return again
    return Missing(_closest(text, old))


def normal_line(line: str) -> str:
    """A line without indentation, with plain characters and single blanks: what attempt 3 compares."""
    return " ".join(line.translate(_PLAIN).split())


# --- attempt 1 ---


def _places(text: str, part: str, limit: int = 20) -> list[int]:
    """Where `part` starts in `text`, also where it overlaps itself."""
    places: list[int] = []
    at = text.find(part)
    while at >= 0 and len(places) < limit:
        places.append(at)
        at = text.find(part, at + 1)
    return places


def _line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _exact(text: str, old: str, new: str) -> Match | Several | None:
    places = _places(text, old)
    if not places:
        return None
    if len(places) > 1:
        return Several(_distinct(text, places), "exact")
    return Match(places[0], places[0] + len(old), new, "exact")


def _distinct(text: str, places: list[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(_line_of(text, place) for place in places))


# --- attempt 2 ---


def _plain(line: str) -> str:
    return line.translate(_PLAIN)


def _trimmed(line: str) -> str:
    return line.rstrip(" \t\u00a0\u3000")


def _origins(line: str, upto: int) -> list[int]:
    """For each of the first `upto` characters of the plain form of `line`: where in `line` it comes from."""
    origins: list[int] = []
    for position, char in enumerate(line):
        if len(origins) >= upto:
            break
        origins += [position] * len(_PLAIN.get(ord(char), char) or "")
    return origins


def _characters(text: str, old: str, new: str) -> Match | Several | None:
    old_lines = old.split("\n")
    wanted = "\n".join(map(_plain, [*map(_trimmed, old_lines[:-1]), old_lines[-1]]))
    if not wanted.strip():
        return None
    lines = text.split("\n")
    plain = "\n".join(_plain(_trimmed(line)) for line in lines)
    places = _places(plain, wanted)
    if not places:
        return None
    if len(places) > 1:
        return Several(_distinct(plain, places), "characters")
    start = _offset(plain, lines, places[0])
    end = _offset(plain, lines, places[0] + len(wanted) - 1) + 1
    return Match(start, end, _with_own_characters(text[start:end], old, new), "characters")


def _offset(plain: str, lines: list[str], at: int) -> int:
    """The offset in the text of `lines` of character `at` of its plain form."""
    number = plain.count("\n", 0, at)
    column = at - (plain.rfind("\n", 0, at) + 1)
    line = lines[number]
    inside = len(line) if plain[at] == "\n" else _origins(line, column + 1)[column]
    return sum(map(len, lines[:number])) + number + inside


def _with_own_characters(there: str, old: str, new: str) -> str:
    """`new`, where all that it shares with `old` is spelled as in the file.

    Lines that did not change are taken from the file whole; inside changed lines, runs that did not change.
    """
    there_lines, old_lines, new_lines = there.split("\n"), old.split("\n"), new.split("\n")
    if len(there_lines) != len(old_lines):
        return new
    result: list[str] = []
    matcher = SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            result += there_lines[old_from:old_to]
        elif tag == "replace":
            for offset in range(new_to - new_from):
                line = new_lines[new_from + offset]
                if old_from + offset < old_to:
                    line = _spelled_alike(there_lines[old_from + offset], line)
                result.append(line)
        elif tag == "insert":
            result += new_lines[new_from:new_to]
    return "\n".join(result)


def _spelled_alike(there: str, new: str) -> str:
    """One changed line: characters that mean the same as the file's, in the same place of the line, are the file's."""
    if len(there) + len(new) > _TOO_LONG_TO_ALIGN:
        return new
    mine, theirs = _plain(new), _plain(there)
    from_new, from_there = _origins(new, len(mine)), _origins(there, len(theirs))
    pieces: list[str] = []
    new_done = there_done = 0
    for block in SequenceMatcher(None, theirs, mine, autojunk=False).get_matching_blocks():
        if block.size == 0:
            continue
        new_start, new_end = from_new[block.b], from_new[block.b + block.size - 1] + 1
        there_start, there_end = from_there[block.a], from_there[block.a + block.size - 1] + 1
        if new_start < new_done or there_start < there_done:
            # One character with a longer plain form lies in two blocks: it stays as the model wrote it.
            continue
        pieces += (new[new_done:new_start], there[there_start:there_end])
        new_done, there_done = new_end, there_end
    pieces.append(new[new_done:])
    return "".join(pieces)


# --- attempt 3 ---


def _spacing(text: str, old: str, new: str) -> Match | Several | None:
    old_lines, new_lines = old.split("\n"), new.split("\n")
    closed = old_lines[-1].strip() == "" and len(old_lines) > 1
    if closed:
        old_lines.pop()
        if new_lines[-1].strip() == "":
            new_lines.pop()
    while len(old_lines) > 1 and not old_lines[0].strip():
        old_lines.pop(0)
        if new_lines and not new_lines[0].strip():
            new_lines.pop(0)
    wanted = [normal_line(line) for line in old_lines]
    if not any(wanted):
        return None
    lines = text.split("\n")
    normal = [normal_line(line) for line in lines]
    size = len(wanted)
    places = [at for at in range(len(lines) - size + 1) if normal[at] == wanted[0] and normal[at : at + size] == wanted]
    if not places:
        return _inside_line(text, wanted[0], old_lines[0], new) if size == 1 and not closed else None
    if len(places) > 1:
        return Several(tuple(place + 1 for place in places), "spacing")
    first = places[0]
    there = lines[first : first + size]
    start = sum(map(len, lines[:first])) + first
    end = start + sum(map(len, there)) + size - 1
    if not new_lines:
        # The lines go altogether, with one of the newlines around them.
        end = min(end + 1, len(text))
    return Match(start, end, "\n".join(reindented(there, old_lines, new_lines, lines)), "spacing")


def _inside_line(text: str, wanted: str, old: str, new: str) -> Match | Several | None:
    """A piece of a single line whose runs of blanks differ."""
    # Blanks at the ends of `old` may be fewer or more in the file, but a word must end where they are.
    before = "" if old == old.lstrip() else r"(?<!\S)"
    after = "" if old == old.rstrip() else r"(?!\S)"
    pattern = re.compile(before + r"[^\S\n]+".join(map(re.escape, wanted.split(" "))) + after)
    plain = text.translate(_SAME_LENGTH)
    places = [
        (_line_of(text, found.start()), found.start(), found.end()) for found in islice(pattern.finditer(plain), 20)
    ]
    if not places:
        return None
    if len(places) > 1:
        return Several(tuple(dict.fromkeys(number for number, _, _ in places)), "spacing")
    _, start, end = places[0]
    lead = len(old) - len(old.lstrip())
    bare = new[lead:] if new[:lead].strip() == "" else new
    return Match(start, end, bare.rstrip() if old != old.rstrip() else bare, "spacing")


# --- what to say when nothing fits ---


def _without_numbers(old: str, new: str) -> tuple[str, str] | None:
    """`old` and `new` without the line numbers of a reading, when every line of `old` has one, counting up."""
    found = [_NUMBERED.fullmatch(line) for line in old.rstrip("\n").split("\n")]
    if not all(found):
        return None
    numbers = [int(match[1]) for match in found if match]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    tail = "\n" if old.endswith("\n") else ""
    bare_old = "\n".join(match[2] for match in found if match) + tail
    new_found = [_NUMBERED.fullmatch(line) for line in new.split("\n")]
    bare_new = "\n".join(match[2] if match else line for match, line in zip(new_found, new.split("\n"), strict=True))
    return (bare_old, bare_new) if bare_old.strip() else None


def _closest(text: str, old: str, *, most: int = 8) -> tuple[tuple[int, str], ...]:
    """The lines most like `old`: those around its best single line, judged by the most telling lines first."""
    lines = text.split("\n")
    normal = [normal_line(line) for line in lines]
    old_lines = [normal_line(line) for line in old.split("\n")]
    best: tuple[float, int] = (0.0, 0)
    for index, wanted in sorted(enumerate(old_lines), key=lambda item: -len(item[1]))[:3]:
        if len(wanted) < 3:
            continue
        at, score = _most_alike(normal, wanted[:400])
        if score > best[0] + 0.05:
            best = (score, max(0, at - index))
    if best[0] < 0.5:
        return ()
    first = best[1]
    last = min(len(lines), first + min(most, max(len(old_lines), 3)))
    while last > first and not lines[last - 1].strip():
        last -= 1
    return tuple((number + 1, lines[number]) for number in range(first, last))


def _most_alike(lines: list[str], wanted: str) -> tuple[int, float]:
    """The line most like `wanted`, and how much, from 0 to 1. Compared closely are the lines that share most words."""
    words = frozenset(_WORD.findall(wanted))
    shared = ((len(words.intersection(_WORD.findall(line))), at) for at, line in enumerate(lines) if line)
    likely = heapq.nlargest(_COMPARED, shared, key=lambda item: (item[0], -item[1]))
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(wanted)
    best, where = 0.0, 0
    for _, at in likely:
        matcher.set_seq1(lines[at][:400])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (score := matcher.ratio()) > best:
            best, where = score, at
    return where, best
