"""What is kept of events, what is shown again, and how a killed request is ended."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from roomcode.protocol.display import FileChange
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
    Text,
)
from roomcode.session.timeline import INTERRUPTED, Joiner, closing, recent
from tests.support.sessions import request, shape, well_ordered


def kept(events: Sequence[Event]) -> list[Event]:
    joiner = Joiner()
    return [one for event in events for one in joiner.push(event)] + joiner.flush()


def test_pieces_of_text_become_one_and_growing_arguments_none() -> None:
    opened = CallOpened(call="1.1.1", tool="write_file")
    events = [
        Text(text="a"),
        Text(text="b"),
        Text(text="hm", thought=True),
        Text(text="c"),
        opened,
        CallArgs(call="1.1.1", tool="write_file", name="content", text="x"),
        Text(text="d"),
    ]
    assert kept(events) == [
        Text(text="ab"),
        Text(text="hm", thought=True),
        Text(text="c"),
        opened,
        Text(text="d"),
    ]


@given(st.lists(st.tuples(st.text(max_size=30_000), st.booleans()), max_size=8))
def test_no_character_of_text_is_lost(pieces: list[tuple[str, bool]]) -> None:
    events = kept([Text(text=text, thought=thought) for text, thought in pieces])
    for thought in (False, True):
        said = "".join(e.text for e in events if isinstance(e, Text) and e.thought is thought)
        assert said == "".join(text for text, was in pieces if was is thought)


def test_a_refused_change_is_kept_and_an_approved_one_only_once() -> None:
    change = FileChange("a.js", None, "x")
    asked = Approval(call="1", tool="write_file", state="asked", change=change)
    no = Approval(call="1", tool="write_file", state="rejected", comment="why?")
    yes = Approval(call="1", tool="write_file", state="approved")
    assert kept([asked, no]) == [asked, no]
    assert kept([asked, yes]) == [yes], "its result has the change"
    assert kept([asked]) == []


def session(requests: int = 4) -> list[Event]:
    note = Note(topic="notice", text="n")
    return [
        event
        for number in range(1, requests + 1)
        for event in [*request(number, calls=("a.js", "b.js", "c.js"))[:-1], note, request(number)[-1]]
    ]


@given(items=st.integers(1, 60))
def test_the_last_items_are_a_valid_story_of_the_right_length(items: int) -> None:
    events = session()
    shown = recent(events, items)
    assert well_ordered(shown), shape(shown)
    count = sum(isinstance(e, RequestStarted | Text | CallOpened | Note | RequestEnded) for e in shown)
    whole = sum(isinstance(e, RequestStarted | Text | CallOpened | Note | RequestEnded) for e in events)
    assert min(items, whole) <= count <= items + 1, "the start of a request that is cut through comes on top"
    assert [e for e in events if e in shown][-1] == events[-1]


def test_all_is_shown_when_it_is_less() -> None:
    assert recent(session(), 1000) == session()
    assert recent([], 5) == []


@given(cut=st.integers(0, len(session(2))))
def test_wherever_roomcode_was_killed_the_story_gets_its_end(cut: int) -> None:
    events = session(2)[:cut]
    ends = closing(events)
    assert well_ordered([*events, *ends]), shape([*events, *ends])
    for event in ends:
        assert isinstance(event, Call | Result | StepEnded | RequestEnded)
        if isinstance(event, Result):
            assert (event.state, event.text) == ("stopped", INTERRUPTED)
    assert closing([*events, *ends]) == []


def test_the_end_says_what_was_done() -> None:
    events = request(3, calls=("a.js", "b.js"))
    last = next(i for i, event in enumerate(events) if isinstance(event, Result))
    ends = closing(events[: last + 1])
    assert [type(event).__name__ for event in ends] == ["Result", "StepEnded", "RequestEnded"]
    end = ends[-1]
    assert isinstance(end, RequestEnded)
    assert (end.request, end.reason, end.calls, end.steps, end.answer) == (3, "stopped", 2, 1, "I write.")


def test_a_call_that_was_still_being_written_becomes_an_unread_one() -> None:
    events = [*request(1)[:4]]
    assert isinstance(events[-1], CallOpened)
    call = closing(events)[0]
    assert isinstance(call, Call)
    assert (call.call, call.arguments, call.error) == ("1.1.1", {}, INTERRUPTED)
