"""Which bracket of a script has no partner."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["PAIRS", "BracketFault", "bracket_fault"]

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
