"""What a session is, is a function of its records."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.protocol.events import Result
from roomcode.session.records import OutcomeRecord, Record, State, TurnKind, TurnRecord, Turns
from roomcode.session.state import SessionState, state_of
from roomcode.session.timeline import INTERRUPTED
from tests.support.sessions import SETUP, header, request, well_ordered


def turn(number: int, kind: TurnKind = "request", step: int = 0, request: int = 1) -> TurnRecord:
    return TurnRecord(id=number, turn=kind, request=request, step=step, text=f"turn {number}", tokens=(number,))


def numbers(state: SessionState) -> list[int]:
    return [one.id for one in state.turns]


def test_everything_has_its_place() -> None:
    state = state_of(
        [
            header(),
            SETUP,
            *request(1),
            turn(1),
            turn(2, "answer", 1),
            State(time=1.0, ports={5173: "index.html"}, known={"a.js": "d1"}),
            State(time=2.0, known={"a.js": "d2"}),
            *request(2)[:1],
        ]
    )
    assert state.header == header()
    assert state.setup == SETUP
    assert numbers(state) == [1, 2]
    assert (state.requests, state.last_turn, state.whole) == (2, 2, True)
    assert state.ports == {5173: "index.html"}, "what a later record does not name stays"
    assert state.known == {"a.js": "d2"}
    assert well_ordered(state.events)
    assert state.events[-len(state.ends) :] == list(state.ends)


def test_nothing_is_an_empty_session() -> None:
    assert state_of([]) == SessionState()


def test_a_shortened_conversation_refers_to_the_turns_that_stay() -> None:
    stub = TurnRecord(id=5, turn="results", request=1, step=1, text="", tokens=(9,))
    records: list[Record] = [
        *(turn(n) for n in range(1, 5)),
        Turns(reason="shortened", turns=(1, 2, stub, 4)),
        turn(6),
    ]
    state = state_of(records)
    assert numbers(state) == [1, 2, 5, 4, 6]
    assert state.whole
    again = state_of([*records, Turns(reason="shortened", turns=(5, 6)), turn(7)])
    assert numbers(again) == [5, 6, 7]
    assert again.whole


@pytest.mark.parametrize(
    "records",
    [
        [turn(1), turn(3)],
        [turn(2)],
        [turn(1), Turns(reason="shortened", turns=(1, 2)), turn(3)],
        [turn(1), turn(3), Turns(reason="shortened", turns=(1, turn(4)))],
    ],
)
def test_a_lost_turn_is_noticed(records: list[Record]) -> None:
    assert not state_of(records).whole


def test_turns_that_are_all_new_make_it_whole_again() -> None:
    state = state_of([turn(1), turn(3), Turns(reason="encoded", turns=(turn(4), turn(5))), turn(6)])
    assert state.whole
    assert numbers(state) == [4, 5, 6]


ANSWERED = request(1, calls=("a.js", "b.js", "c.js"))
AT = next(i for i, event in enumerate(ANSWERED) if isinstance(event, Result))


@given(finished=st.integers(0, 3))
def test_results_that_the_model_was_not_told_are_found(finished: int) -> None:
    state = state_of([turn(1), *ANSWERED[:AT], turn(2, "answer", 1), *ANSWERED[AT : AT + finished]])
    assert [outcome.call for outcome in state.late] == ["1.1.1", "1.1.2", "1.1.3"]
    texts = [outcome.text for outcome in state.late]
    assert texts == ["Created a.js.", "Created b.js.", "Created c.js."][:finished] + [INTERRUPTED] * (3 - finished)
    assert [outcome.state for outcome in state.late] == ["ok"] * finished + ["stopped"] * (3 - finished)
    assert [outcome.changed for outcome in state.late][:finished] == [("a.js",), ("b.js",), ("c.js",)][:finished]


def test_nothing_is_late_once_the_model_was_told_or_the_request_has_ended() -> None:
    told = turn(3, "results", 1)
    assert state_of([turn(1), *ANSWERED[: AT + 3], turn(2, "answer", 1), told]).late == ()
    assert state_of([turn(1), turn(2, "answer", 1), *ANSWERED]).late == ()
    assert state_of([turn(1), *ANSWERED[:AT]]).late == (), "the answer itself is lost"


def test_a_long_session_is_not_held_in_memory() -> None:
    def records() -> list[Record]:
        ids = count(1)
        outcome = OutcomeRecord(call="1", tool="t", argument="", text="x")
        everything: list[Record] = []
        for number in range(1, 1500):
            everything += request(number, calls=("a.js", "b.js"))
            kept = TurnRecord(id=next(ids), turn="results", request=number, step=1, text="", outcomes=(outcome,))
            everything += [kept, Turns(reason="shortened", turns=(kept.id,))]
        return everything

    state = state_of(records())
    assert len(state.turns) == 1
    assert len(state.events) < 1000
    assert well_ordered(state.events)
    assert state.requests == 1499
