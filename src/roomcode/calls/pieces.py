"""What reading an answer gives, piece by piece: text, thoughts, and calls that open, grow and end."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

__all__ = [
    "ArgDelta",
    "CallDoubted",
    "CallRead",
    "Opened",
    "ParsedCall",
    "Piece",
    "StreamEvent",
    "TextDelta",
    "TextWasThought",
    "merged",
]


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """One call as the model wrote it. Only a call that is `complete` and has no `error` may be repaired and run."""

    tool: str
    """Empty when the call names none."""
    arguments: dict[str, Any]
    """Only values that were written to their end. Names are the model's own, perhaps not the tool's."""
    complete: bool
    """False when the answer ended before the call did."""
    error: str
    """Why the call cannot be read, in one short sentence for the model; empty for a readable one."""
    notes: tuple[str, ...] = ()
    """What was forgiven while reading, one short phrase each."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The answer's visible text, or with `thought` the text of its think blocks, grew by `text`."""

    text: str
    thought: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """Call number `index` (from 0) has begun. `tool` is empty for a call that never says its tool."""

    index: int
    tool: str


@dataclass(frozen=True, slots=True)
class ArgDelta:
    """Argument `name` of call `index` grew by `text`: decoded text of a string, JSON of any other value."""

    index: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class CallRead:
    """Call number `index` has ended, and this is what it says."""

    index: int
    call: ParsedCall


@dataclass(frozen=True, slots=True)
class CallDoubted:
    """What came later shows that the calls from `first` on were read out of the middle of a longer text."""

    first: int


@dataclass(frozen=True, slots=True)
class TextWasThought:
    """All visible text so far was thought: the think block was opened before the answer began."""


StreamEvent = TextDelta | Opened | ArgDelta
Piece = StreamEvent | CallRead | CallDoubted | TextWasThought


def merged(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The same pieces, with neighbours that grow the same text joined."""
    for place, group in groupby(pieces, _place):
        match place:
            case bool():
                yield TextDelta("".join(p.text for p in group if isinstance(p, TextDelta)), place)
            case (index, name):
                yield ArgDelta(index, name, "".join(p.text for p in group if isinstance(p, ArgDelta)))
            case _:
                yield from group


def _place(piece: Piece) -> bool | tuple[int, str] | None:
    """What a piece grows: the text or the thoughts, an argument, or nothing."""
    match piece:
        case TextDelta():
            return piece.thought
        case ArgDelta():
            return piece.index, piece.name
        case _:
            return None
