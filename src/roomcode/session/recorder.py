"""Writing one session while it happens: a subscriber of events that is also told the turns of the conversation."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from msgspec import UNSET
from msgspec.structs import replace

from roomcode.protocol.events import Event, RequestEnded, RequestStarted, Result, StepEnded
from roomcode.session.records import Header, Record, Setup, State, TurnRecord, Turns, encode_record
from roomcode.session.state import SessionState
from roomcode.session.timeline import Joiner
from roomcode.session.writing import SessionFile

__all__ = ["Recorder", "Snapshot", "unsaved_notice"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What changes beside the conversation."""

    ports: Mapping[int, str] = field(default_factory=dict)
    """Port and project-relative page of everything that is served."""
    known: Mapping[str, str | None] = field(default_factory=dict)
    """Which version (digest) of which file the conversation has seen."""


def unsaved_notice(reason: str) -> str:
    """What the person is told when a session cannot be written."""
    return (
        f"This session cannot be saved: {reason}. It is kept in memory and written as soon as that changes; "
        "what is not written when roomcode is closed is lost."
    )


class Recorder:
    """Keeps a session in a file. Records are with the system when a call returns and on the disk soon after the end of
    each step, so that neither a killed process nor a power cut takes more than the step it interrupts.

    Nothing is written before the first request: opening roomcode leaves no empty session. No method raises, except for
    bugs of the caller; `on_notice` gets a sentence for the person, on any thread.
    """

    def __init__(
        self,
        file: SessionFile,
        snapshot: Callable[[], Snapshot],
        *,
        header: Header | None = None,
        state: SessionState | None = None,
        on_notice: Callable[[str], None] = lambda _: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`header` begins a new session; `state` is that of an older one that goes on, and what a killed roomcode left
        open in it is closed before anything else is added."""
        self._file = file
        self._snapshot = snapshot
        self._on_notice = on_notice
        self._clock = clock
        self._joiner = Joiner()
        self._early: list[bytes] | None = []
        """Lines that wait for the first request; None once it has come."""
        self._last_turn = state.last_turn if state is not None else 0
        self._ports = dict(state.ports) if state is not None else {}
        self._known = dict(state.known) if state is not None else {}
        self._syncer = ThreadPoolExecutor(1, "session")
        self._broken = False
        self._closed = False
        if header is not None:
            self._write(header)
        self._write_all(state.ends if state is not None else ())

    def __call__(self, event: Event) -> None:
        """Keep an event."""
        if self._closed:
            return
        if isinstance(event, RequestStarted):
            self._begin()
        kept = self._joiner.push(event)
        self._write_all(kept)
        if isinstance(event, RequestStarted | RequestEnded | Result | StepEnded):
            self._write_state(always=isinstance(event, RequestStarted | RequestEnded))
        if isinstance(event, RequestEnded | StepEnded):
            self._syncer.submit(self._file.sync)

    def setup(self, setup: Setup) -> None:
        """The tokens of the following turns belong to this."""
        self._write(setup)

    def turn(self, turn: TurnRecord) -> int:
        """Keep a turn; returns its number. The number that it has is not looked at."""
        self._last_turn += 1
        self._write_all([*self._joiner.flush(), replace(turn, id=self._last_turn)])
        return self._last_turn

    def turns(self, record: Turns) -> list[int]:
        """Keep the whole conversation anew; returns the number of each turn."""
        turns: list[int | TurnRecord] = []
        numbers: list[int] = []
        for turn in record.turns:
            if isinstance(turn, TurnRecord):
                self._last_turn += 1
                turns.append(replace(turn, id=self._last_turn))
                numbers.append(self._last_turn)
            else:
                turns.append(turn)
                numbers.append(turn)
        self._write(replace(record, turns=tuple(turns)))
        return numbers

    @property
    def saved(self) -> bool:
        """All that happened is in the file."""
        return self._file.saved and not self._broken

    def close(self) -> bool:
        """Put everything on the disk and close the file; returns whether that went well. Blocks."""
        if self._early is None:
            self._write_all(self._joiner.flush())
        self._closed = True
        self._syncer.shutdown(wait=True)
        return self._file.close() and not self._broken

    def _begin(self) -> None:
        early, self._early = self._early, None
        if early:
            self._file.append(b"".join(early))

    def _write_all(self, records: Iterable[Record]) -> None:
        for record in records:
            self._write(record)

    def _write(self, record: Record) -> None:
        try:
            line = encode_record(record)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            # The agent goes on, whatever a model put into an argument.
            log.exception("a record cannot be written")
            if not self._broken:
                self._broken = True
                self._on_notice(f"A part of this session cannot be saved ({type(error).__name__}).")
            return
        if self._early is not None:
            self._early.append(line)
        else:
            self._file.append(line)

    def _write_state(self, *, always: bool = False) -> None:
        now = self._snapshot()
        ports = dict(now.ports)
        # Names that are no UTF-8 cannot be kept: the conversation will not know those files any more.
        known = {name: digest for name, digest in now.known.items() if _is_unicode(name)}
        changed = State(
            time=self._clock(),
            ports=ports if ports != self._ports else UNSET,
            known=known if known != self._known else UNSET,
        )
        if always or changed.ports is not UNSET or changed.known is not UNSET:
            self._ports, self._known = ports, known
            self._write(changed)


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
