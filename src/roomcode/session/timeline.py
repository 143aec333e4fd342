"""The events of a session as they are kept and shown again. Pure: events in, events out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from roomcode.protocol.events import (
    Approval,
    Call,
    CallArgs,
    CallOpened,
    Event,
    Note,
    RequestEnded,
    RequestStarted,
    Result,
    StepEnded,
    StepStarted,
    Text,
    Usage,
)

__all__ = ["INTERRUPTED", "ITEMS", "Joiner", "closing", "recent"]

ITEMS = 200
"""Items of the timeline that are shown again."""

INTERRUPTED = "roomcode was closed before this was done"

_LONGEST_TEXT = 64_000
"""Characters that are held back at most before a piece of text is kept."""


class Joiner:
    """Events as they happen become events as they are kept: neighbouring text is joined, growing arguments are left
    out (the call has them), and of an approval what its result says anyway."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._size = 0
        self._thought = False
        self._asked: dict[str, Approval] = {}

    def push(self, event: Event) -> list[Event]:
        """What is to be kept now."""
        match event:
            case Text(text=text, thought=thought):
                before = self.flush() if thought != self._thought or self._size > _LONGEST_TEXT else []
                self._thought = thought
                self._text.append(text)
                self._size += len(text)
                return before
            case CallArgs():
                return []
            case Approval(state="asked"):
                self._asked[event.call] = event
                return self.flush()
            case Approval(state="rejected"):
                asked = self._asked.pop(event.call, None)
                return [*self.flush(), *([asked] if asked is not None else []), event]
            case Approval():
                self._asked.pop(event.call, None)
                return [*self.flush(), event]
            case _:
                return [*self.flush(), event]

    def flush(self) -> list[Event]:
        """The text that is held back."""
        if not self._text:
            return []
        text, self._text, self._size = "".join(self._text), [], 0
        return [Text(text=text, thought=self._thought)]


@dataclass(slots=True)
class _Open:
    """What has begun and not ended."""

    request: RequestStarted | None = None
    step: StepStarted | None = None
    calls: dict[str, str] = field(default_factory=dict)
    """Call → tool, for calls without a result."""
    unread: set[str] = field(default_factory=set)
    """Calls that were opened and never complete."""


def recent(events: Sequence[Event], items: int = ITEMS) -> list[Event]:
    """The events of the last `items` items (requests, texts, calls, notes, endings), in a valid order: a request or
    step that is cut through keeps its start, and a call is there whole or not at all."""
    cut, left = len(events), items
    while cut and left:
        cut -= 1
        left -= isinstance(events[cut], RequestStarted | Text | CallOpened | Note | RequestEnded)
    if not cut:
        return list(events)
    kept: list[Event] = []
    begins = isinstance(events[cut], RequestStarted)
    if not begins and (start := _start_of(events, cut, RequestStarted, RequestEnded)) is not None:
        kept.append(start)
        if (step := _start_of(events, cut, StepStarted, StepEnded)) is not None:
            kept.append(step)
    there: set[str] = set()
    for event in events[cut:]:
        if isinstance(event, CallOpened):
            there.add(event.call)
        if isinstance(event, Call | Approval | Result) and event.call not in there:
            continue
        kept.append(event)
    return kept


def _start_of(events: Sequence[Event], cut: int, start: type[Event], end: type[Event]) -> Event | None:
    """The event that began what is going on at `cut`, if it began before."""
    for event in reversed(events[:cut]):
        if isinstance(event, end):
            return None
        if isinstance(event, start):
            return event
    return None


def closing(events: Iterable[Event]) -> list[Event]:
    """The events that end what a killed roomcode left open, so that each call has one result and the request an end."""
    state = _Open()
    steps = calls = tokens = used = budget = 0
    answer = ""
    for event in events:
        match event:
            case RequestStarted():
                state = _Open(event)
                steps = calls = tokens = 0
                answer = ""
            case StepStarted():
                state.step = event
                steps += 1
            case Text(text=text, thought=False):
                answer = text.strip() or answer
            case CallOpened(call=call, tool=tool):
                state.calls[call] = tool
                state.unread.add(call)
                calls += 1
            case Call(call=call, tool=tool):
                state.calls[call] = tool
                state.unread.discard(call)
            case Result(call=call):
                state.calls.pop(call, None)
                state.unread.discard(call)
            case StepEnded():
                state.step = None
                tokens += event.usage.tokens
                used, budget = event.context_used, event.context_budget
            case RequestEnded():
                state = _Open()
            case _:
                pass
    if state.request is None:
        return []
    ends: list[Event] = []
    for call, tool in state.calls.items():
        if call in state.unread:
            ends.append(Call(call=call, tool=tool, arguments={}, error=INTERRUPTED))
        ends.append(Result(call=call, tool=tool, state="stopped", text=INTERRUPTED))
    if state.step is not None:
        ends.append(StepEnded(step=state.step.step, usage=Usage(), context_used=used, context_budget=budget))
    ends.append(
        RequestEnded(
            request=state.request.request,
            reason="stopped",
            detail=INTERRUPTED,
            answer=answer,
            steps=steps,
            calls=calls,
            tokens=tokens,
            tok_per_s=0.0,
            seconds=0.0,
            files=(),
            summary=f"stopped: {INTERRUPTED}",
        )
    )
    return ends
