"""A whole answer, taken apart: what to show, what was thought, what to run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from roomcode.calls.pieces import CallDoubted, CallRead, ParsedCall, TextDelta, TextWasThought
from roomcode.calls.scanner import Scanner
from roomcode.protocol.tools import ToolSpec

__all__ = ["Parsed", "parse"]

_DOUBT = "its text holds closing tags of a call, so it is not clear where it ends"


@dataclass(frozen=True, slots=True)
class Parsed:
    """One answer. `text` is the visible part and `thought` that of think blocks, both without outer white space."""

    text: str
    thought: str
    calls: tuple[ParsedCall, ...]


def parse(answer: str, specs: Sequence[ToolSpec], *, cut: bool = False) -> Parsed:
    """Take `answer` apart. `cut`: it did not end by itself (token cap, stop), so what is open at its end is incomplete.

    Both trained forms are read, and the near misses of open models: calls in fences, bare JSON at the start of a
    line, missing or wrong opening and closing tags, JSON that needs repair. Where it is not clear that a call was
    meant (JSON that names none of `specs`, calls quoted in backticks or in a fence) the text stays text. A call
    inside a think block counts when the answer ends with it. Never raises; takes time in proportion to the answer's
    length.
    """
    scanner = Scanner(specs)
    spoken: list[str] = []
    thought: list[str] = []
    calls: dict[int, ParsedCall] = {}
    for piece in scanner.feed(answer) + scanner.finish(cut):
        match piece:
            case TextDelta():
                (thought if piece.thought else spoken).append(piece.text)
            case TextWasThought():
                thought, spoken = spoken, []
            case CallRead():
                calls[piece.index] = piece.call
            case CallDoubted():
                for index in range(piece.first, len(calls)):
                    calls[index] = replace(calls[index], error=calls[index].error or _DOUBT)
            case _:
                pass
    return Parsed("".join(spoken).strip(), "".join(thought).strip(), tuple(calls.values()))
