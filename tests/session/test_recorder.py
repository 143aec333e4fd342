"""A session is in the file while it happens, whatever happens."""

from pathlib import Path
from typing import Any

import pytest

from roomcode.protocol.events import Call, Event, Result, StepEnded, Text
from roomcode.session import Recorder, SessionFile, SessionReader, Snapshot, state_of
from roomcode.session.records import Header, Record, Setup, State, TurnRecord, Turns
from roomcode.session.writing import RealDisk
from tests.support.sessions import SETUP, header, request


class CountingDisk(RealDisk):
    def __init__(self) -> None:
        self.synced: list[int] = []

    def sync(self, handle: int) -> None:
        super().sync(handle)
        self.synced.append(self.size(handle))


class Session:
    """A recorder with all around it."""

    def __init__(self, path: Path, **given: Any) -> None:
        self.path = path
        self.disk = CountingDisk()
        self.notices: list[str] = []
        self.now = Snapshot()
        file = SessionFile(path, self.notices.append, self.disk)
        self.recorder = Recorder(
            file, lambda: self.now, on_notice=self.notices.append, clock=lambda: 7.0, **({"header": header()} | given)
        )

    def play(self, *events: Event) -> None:
        for event in events:
            self.recorder(event)

    def records(self) -> list[Record]:
        return list(SessionReader(self.path)) if self.path.exists() else []


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "s.jsonl")


TURN = TurnRecord(id=0, turn="request", request=1, step=0, text="make it", tokens=(1, 2))


def test_nothing_is_written_before_the_first_request(session: Session) -> None:
    session.recorder.setup(SETUP)
    assert session.recorder.turn(TURN) == 1
    assert session.records() == []
    events = request(1)
    session.play(events[0])
    assert [type(record) for record in session.records()[:2]] == [Header, Setup]
    assert events[0] in session.records()
    assert session.recorder.close()


def test_each_record_is_there_when_the_call_returns(session: Session) -> None:
    for event in request(1):
        session.play(event)
        if not isinstance(event, Text):
            assert event in session.records()
    assert session.recorder.saved
    session.recorder.close()


def test_the_file_is_put_on_the_disk_after_each_step(session: Session) -> None:
    events = request(1)
    at = next(i for i, event in enumerate(events) if isinstance(event, StepEnded))
    session.play(*events[: at + 1])
    size = session.path.stat().st_size
    session.recorder.close()
    assert session.disk.synced[0] == size
    assert len(session.disk.synced) == 2, "once for the step, once at the end"


def test_a_conversation_is_the_same_after_it_was_read(session: Session) -> None:
    session.play(request(1)[0])
    first = session.recorder.turn(TURN)
    second = session.recorder.turn(TURN)
    numbers = session.recorder.turns(Turns(reason="shortened", turns=(second, TURN)))
    third = session.recorder.turn(TURN)
    session.recorder.close()
    assert (first, second, numbers, third) == (1, 2, [2, 3], 4)
    state = state_of(session.records())
    assert [turn.id for turn in state.turns] == [2, 3, 4]
    assert state.whole
    assert state.turns[1].tokens == (1, 2)


def test_only_what_changed_is_said_of_pages_and_files(session: Session) -> None:
    events = request(1)
    at = next(i for i, event in enumerate(events) if isinstance(event, Result))
    session.play(*events[:at])
    session.now = Snapshot({5173: "index.html"}, {"a.js": "d1", "b\udcff.js": "d2"})
    session.play(*events[at:])
    session.now = Snapshot({5173: "index.html"}, {"a.js": "d3"})
    session.play(*request(2))
    session.recorder.close()
    states = [record for record in session.records() if isinstance(record, State)]
    assert [state.ports for state in states if state.ports] == [{5173: "index.html"}]
    assert [state.known for state in states if state.known] == [{"a.js": "d1"}, {"a.js": "d3"}]
    assert all(state.time == 7.0 for state in states)
    assert len(states) == 5, "and a time at the start and the end of each request"


def test_a_session_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = Session(path)
    first.play(*request(1)[:6])
    first.recorder.turn(TURN)
    first.recorder.close()
    state = state_of(SessionReader(path))
    second = Session(path, header=None, state=state)
    assert second.recorder.turn(TURN) == 2
    before = second.records()
    second.play(*request(2))
    second.recorder.close()
    after = second.records()
    assert after[: len(before)] == before
    assert [record for record in after if record in state.ends] == list(state.ends)
    assert state_of(after).ends == ()
    assert state_of(after).requests == 2


def test_an_argument_that_is_no_json_costs_its_record_and_is_told_once(session: Session) -> None:
    events = request(1)
    odd = Call(call="1.1.1", tool="t", arguments={"x": object()})
    session.play(*events[:4], odd, odd, *events[5:])
    assert session.notices == ["A part of this session cannot be saved (TypeError)."]
    assert not session.recorder.close()
    assert events[-1] in session.records()


def test_half_characters_cost_nothing_else(session: Session) -> None:
    session.play(*request(1, prompt="a\udc80b"))
    assert session.recorder.close()
    assert session.notices == []
    assert '"prompt":"a?b"' in session.path.read_text()


def test_after_the_end_nothing_is_added(session: Session) -> None:
    session.play(*request(1))
    assert session.recorder.close()
    size = session.path.stat().st_size
    session.play(*request(2))
    assert session.path.stat().st_size == size
