"""The live view of an answer: what can be shown while it is being written."""

from collections.abc import Hashable, Iterable, Sequence

from roomcode.calls.pieces import ArgDelta, Opened, Piece, StreamEvent, TextDelta
from roomcode.calls.scanner import Scanner
from roomcode.protocol.tools import ToolSpec

__all__ = ["CallStream"]


class CallStream:
    """Turns the pieces of an answer into events, holding back what may be the markup of a call.

    For a well-formed answer the text and the calls are those of `parse`. For others the end of the answer may show
    that a call was none; the truth is what `parse` says. The cost of a piece does not depend on how long the answer
    is.
    """

    def __init__(self, specs: Sequence[ToolSpec]) -> None:
        self._specs = specs
        self._scanner = Scanner(specs)
        self._heard: list[str] = []
        self._shown: dict[Hashable, list[str]] = {}

    def feed(self, text: str, retract: int = 0) -> list[StreamEvent]:
        """Take back the last `retract` characters, then append `text`. What was shown before is not shown again."""
        if retract > 0:
            self._forget(retract)
        self._heard.append(text)
        if 0 < retract <= self._scanner.waiting:
            self._scanner.unread(retract)
        elif retract > 0:
            return self._start_over()
        return self._note(self._scanner.feed(text))

    def finish(self, cut: bool = False) -> list[StreamEvent]:
        """The answer is over, with `cut` because it did not end by itself."""
        return self._note(self._scanner.finish(cut))

    def _forget(self, count: int) -> None:
        while count > 0 and self._heard:
            last = self._heard.pop()
            if len(last) > count:
                self._heard.append(last[:-count])
            count -= len(last)

    def _note(self, pieces: Iterable[Piece]) -> list[StreamEvent]:
        events: list[StreamEvent] = [p for p in pieces if isinstance(p, TextDelta | Opened | ArgDelta)]
        for event in events:
            self._shown.setdefault(_place(event), []).append(_growth(event))
        return events

    def _start_over(self) -> list[StreamEvent]:
        """Read everything again, and give only what was not shown yet."""
        before = {place: "".join(parts) for place, parts in self._shown.items()}
        self._shown = {}
        self._scanner = Scanner(self._specs)
        self._heard = ["".join(self._heard)]
        events = self._note(self._scanner.feed(self._heard[0]))
        known = {place: _common(before.get(place, ""), "".join(parts)) for place, parts in self._shown.items()}
        news: list[StreamEvent] = []
        for event in events:
            place = _place(event)
            text = _growth(event)
            skip = min(known[place], len(text))
            known[place] -= skip
            match event:
                case TextDelta() if skip < len(text):
                    news.append(TextDelta(text[skip:], event.thought))
                case ArgDelta() if skip < len(text):
                    news.append(ArgDelta(event.index, event.name, text[skip:]))
                case Opened() if place not in before:
                    news.append(event)
                case _:
                    pass
        return news


def _place(event: StreamEvent) -> Hashable:
    """Where an event belongs: events of one place follow on from each other."""
    match event:
        case TextDelta():
            return "thought" if event.thought else "text"
        case Opened():
            return event.index
        case ArgDelta():
            return (event.index, event.name)


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _growth(event: StreamEvent) -> str:
    return event.tool if isinstance(event, Opened) else event.text
