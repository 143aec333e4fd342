"""What a session is after its records: a pure function of them.

Only what is needed to go on is kept while records are read, so that a long session takes no more memory than a short
one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec import UNSET

from roomcode.protocol.display import FileChange
from roomcode.protocol.events import Call, Event, RequestEnded, RequestStarted, Result
from roomcode.session.records import Header, OutcomeRecord, Record, Setup, State, TurnRecord, Turns
from roomcode.session.timeline import INTERRUPTED, closing, recent

__all__ = ["SessionState", "state_of"]

_EVENTS = 8000
"""Events that are held at most; the last items of a timeline are far fewer."""


@dataclass(slots=True)
class SessionState:
    """A session up to one of its records."""

    header: Header | None = None
    setup: Setup | None = None
    """What the tokens of `turns` belong to."""
    turns: list[TurnRecord] = field(default_factory=list)
    """The conversation, oldest first."""
    whole: bool = True
    """No turn is missing. Otherwise the tokens of `turns` are of no use, only their texts."""
    late: tuple[OutcomeRecord, ...] = ()
    """Outcomes of the last answer's calls that no turn has told the model, because roomcode was killed."""
    ends: tuple[Event, ...] = ()
    """Events that close what a killed roomcode left open; not yet in the file."""
    events: list[Event] = field(default_factory=list)
    """The last items of the timeline, in a valid order, `ends` included."""
    ports: dict[int, str] = field(default_factory=dict)
    known: dict[str, str | None] = field(default_factory=dict)
    requests: int = 0
    """Number of the last request."""
    last_turn: int = 0
    """Number of the last turn."""


def state_of(records: Iterable[Record]) -> SessionState:
    """Reduce the records of a session to its state."""
    state = SessionState()
    calls = _Calls()
    for record in records:
        match record:
            case Header():
                state.header = state.header or record
            case Setup():
                state.setup = record
            case TurnRecord():
                _add(state, record)
                calls.told(record)
            case Turns():
                _replace(state, record)
            case State():
                if record.ports is not UNSET:
                    state.ports = record.ports
                if record.known is not UNSET:
                    state.known = record.known
            case _:
                _event(state, record)
                calls.happened(record)
    state.late = calls.late(state.turns)
    state.ends = tuple(closing(state.events))
    state.events = recent([*state.events, *state.ends])
    return state


def _add(state: SessionState, turn: TurnRecord) -> None:
    state.whole &= turn.id == state.last_turn + 1
    state.last_turn = max(turn.id, state.last_turn)
    state.turns.append(turn)


def _replace(state: SessionState, record: Turns) -> None:
    known = {turn.id: turn for turn in state.turns}
    turns: list[TurnRecord] = []
    whole = True
    for turn in record.turns:
        if isinstance(turn, TurnRecord):
            state.last_turn = max(turn.id, state.last_turn)
            turns.append(turn)
        elif turn in known:
            turns.append(known[turn])
        else:
            whole = False
    # What stays refers to turns that may be missing; what is all new does not care what was lost before it.
    state.whole = whole and (state.whole or all(isinstance(turn, TurnRecord) for turn in record.turns))
    state.turns = turns


def _event(state: SessionState, event: Event) -> None:
    if isinstance(event, RequestStarted):
        state.requests = max(state.requests, event.request)
    state.events.append(event)
    if len(state.events) > _EVENTS:
        state.events = recent(state.events)


class _Calls:
    """The calls of the last answer, to know which of them the model has heard of."""

    def __init__(self) -> None:
        self._calls: dict[str, Call] = {}
        self._results: dict[str, Result] = {}

    def happened(self, event: Event) -> None:
        match event:
            case Call():
                self._calls[event.call] = event
            case Result():
                self._results[event.call] = event
            case RequestStarted() | RequestEnded():
                self._forget()
            case _:
                pass

    def told(self, turn: TurnRecord) -> None:
        if turn.turn != "answer":
            self._forget()

    def _forget(self) -> None:
        self._calls.clear()
        self._results.clear()

    def late(self, turns: list[TurnRecord]) -> tuple[OutcomeRecord, ...]:
        if not turns or turns[-1].turn != "answer":
            return ()
        step = f"{turns[-1].request}.{turns[-1].step}"
        return tuple(self._outcome(call) for call in self._calls.values() if call.call.rpartition(".")[0] == step)

    def _outcome(self, call: Call) -> OutcomeRecord:
        result = self._results.get(call.call)
        return OutcomeRecord(
            call=call.call,
            tool=call.tool,
            argument=str(next(iter(call.arguments.values()), ""))[:80],
            text=result.text if result is not None else INTERRUPTED,
            state=result.state if result is not None else "stopped",
            changed=_changed(call, result),
        )


def _changed(call: Call, result: Result | None) -> tuple[str, ...]:
    if result is None or result.state != "ok" or not isinstance(result.display, FileChange):
        return ()
    return (result.display.path,)
