"""Why a script does not parse: a bracket without a partner, or text in it that is no code."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["PAIRS", "BracketFault", "bracket_fault", "foreign_text"]

_NUMBERED = re.compile(r"(\d+)\s*[:|](?: |$)")
PAIRS = {"(": ")", "[": "]", "{": "}", "${": "}"}


@dataclass(frozen=True, slots=True)
class BracketFault:
    """`extra`: `shown` in `line` closes nothing. `open`: `opener` in line `opened` is never closed. `unfit`: `shown` in
    `line` comes where `opener` should be closed first. Lines count from 1."""

    kind: Literal["extra", "open", "unfit"]
    line: int = 0
    shown: str = ""
    opened: int = 0
    opener: str = ""


def bracket_fault(nodes: Iterable["Node"], text: str) -> BracketFault | None:
    """The first bracket without a partner; None when all have one. `nodes` are those of the parsed script.

    Where a brace is missing, the count of brackets only tells that the outermost block stays open. How far the lines
    are set in tells more: a block that ends further left than it began is the one.
    """
    lines = text.split("\n")
    opened: list[tuple[str, int]] = []
    suspect = 0
    for node in nodes:
        if node.child_count or node.is_missing:
            continue
        line = int(node.start_point[0]) + 1
        if node.type in PAIRS:
            opened.append((node.type, line))
        elif node.type in (")", "]", "}"):
            if not opened:
                return BracketFault("extra", line, node.type)
            opener, first = opened.pop()
            if PAIRS[opener] != node.type:
                return BracketFault("unfit", line, node.type, first, opener)
            starts = lines[line - 1].lstrip().startswith("}")
            if opener == "{" and starts and not suspect and _set_in(lines[line - 1]) < _set_in(lines[first - 1]):
                suspect = first
    if not opened:
        return None
    opener, first = opened[-1]
    return BracketFault("open", opened=suspect if opener == "{" and suspect else first, opener=opener)


def _set_in(line: str) -> int:
    return len(line) - len(line.lstrip())


def foreign_text(text: str) -> tuple[int, str] | None:
    """The first line, and what to do, where a script that does not parse holds a code fence, or lines as a tool shows
    them, with their numbers."""
    lines = text.splitlines()
    for at, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            return at, "``` is no code: remove that line"
        if (last := _numbered_until(lines, at)) > at:
            bare = [_NUMBERED.sub("", one, count=1).strip() for one in lines[at - 1 : last]]
            rest = {one.strip() for one in (*lines[: at - 1], *lines[last:])}
            if at == 1 and last == len(lines):
                return at, 'all lines begin with line numbers like "1:": write the file again without them'
            cure = "remove these lines" if all(one in rest for one in bare) else "take these numbers away"
            return at, f'lines {at} to {last} begin with line numbers like "1:": {cure}'
    return None


def _numbered_until(lines: list[str], at: int) -> int:
    """The last line of a run from line `at` whose numbers count up."""
    expected = None
    while at <= len(lines) and (found := _NUMBERED.match(lines[at - 1])) and expected in (None, int(found[1])):
        expected, at = int(found[1]) + 1, at + 1
    return at - 1
