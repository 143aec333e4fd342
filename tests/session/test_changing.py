"""Undo, fork and new settings in a running roomcode: told, kept, and never in the middle of a request."""

import asyncio

import pytest
from msgspec.structs import replace

from roomcode.config import Switches
from roomcode.protocol.events import Event, Note, Text
from roomcode.session import SessionError
from tests.support.runtimes import Bench, call


def notes(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Note)]


async def test_an_undo_is_told_to_the_person_and_with_the_next_request_to_the_model(bench: Bench) -> None:
    answers = (call("write_file", path="notes.txt", content="one"), "Done.", "I see.")
    runtime = await bench.loaded(*answers)
    await runtime.request("write")
    outcome = await runtime.change_files(runtime.workspace.plan_undo())
    assert outcome.done == ("notes.txt",)
    assert not (bench.project / "notes.txt").exists()
    assert "undone: notes.txt" in notes(bench.events)
    await runtime.request("go on")
    told = "\n".join(turn.text for turn in runtime.agent.conversation.turns if turn.kind == "request")
    assert "notes.txt (deleted)" in told


async def test_the_note_of_an_undo_is_there_when_the_session_is_opened_again(bench: Bench) -> None:
    first = await bench.loaded(call("write_file", path="notes.txt", content="one"), "Done.")
    await first.request("write")
    await first.change_files(first.workspace.plan_undo())
    await first.change_files(first.workspace.plan_redo())
    await first.close()
    second = await bench.loaded("ok", resume="last")
    assert notes(second.history_events())[-2:] == ["undone: notes.txt", "redone: notes.txt"]
    await second.request("still fine")


async def test_a_file_that_was_left_is_named_with_the_reason(bench: Bench) -> None:
    two = call("write_file", path="a.txt", content="a") + "\n" + call("write_file", path="b.txt", content="b")
    runtime = await bench.loaded(two, "Done.")
    await runtime.request("write")
    (bench.project / "b.txt").write_text("mine")
    await runtime.change_files(runtime.workspace.plan_undo())
    assert notes(bench.events)[-1] == "undone: a.txt; left as it is: b.txt (it was changed by hand since)"
    assert (bench.project / "b.txt").read_text() == "mine"


async def test_while_a_request_runs_no_file_is_taken_back(bench: Bench) -> None:
    runtime = await bench.loaded(call("write_file", path="a.txt", content="a"), "#! delay 60000\nnever")
    running = asyncio.ensure_future(runtime.request("write"))
    async with asyncio.timeout(10):
        while not (bench.project / "a.txt").exists():  # noqa: ASYNC110 -- a file has no event
            await asyncio.sleep(0.01)
    with pytest.raises(SessionError, match="A request is running: stop it first"):
        await runtime.change_files(runtime.workspace.plan_undo())
    runtime.stop()
    await running
    assert (await runtime.change_files(runtime.workspace.plan_undo())).done == ("a.txt",)


async def test_the_requests_of_a_session_are_those_that_can_be_forked(bench: Bench) -> None:
    runtime = await bench.loaded("one", "two", "three")
    assert runtime.asked() == []
    for prompt in ("first", "second"):
        await runtime.request(prompt)
    assert runtime.asked() == [(1, "first"), (2, "second")]
    assert await runtime.fork(2) == "second"
    assert runtime.asked() == [(1, "first")]
    await runtime.request("another second")
    assert runtime.asked() == [(1, "first"), (2, "another second")]


async def test_new_settings_count_from_the_next_request_on_and_the_conversation_stays(bench: Bench) -> None:
    runtime = await bench.loaded("one", call("list_dir"), "never asked for", form="json")
    await runtime.request("first")
    turns = list(runtime.agent.conversation.turns)
    runtime.mode = "ask"
    runtime.apply(replace(runtime.settings, max_steps=1, form="xml", temperature=0.3, approve=("*.md",)))
    assert runtime.agent.conversation.turns == turns
    assert runtime.mode == "ask"
    assert (await runtime.request("second")).reason == "limit"
    assert runtime.keeper.asked() == [(1, "first"), (2, "second")]


async def test_settings_that_change_while_a_request_runs_wait_for_its_end(bench: Bench) -> None:
    runtime = await bench.loaded("I begin.\n#! delay 60000\nnever", "fine")
    running = asyncio.ensure_future(runtime.request("wait"))
    async with asyncio.timeout(10):
        while not any(isinstance(event, Text) for event in bench.events):  # noqa: ASYNC110 -- no event to wait for
            await asyncio.sleep(0.01)
    agent = runtime.agent
    runtime.apply(replace(runtime.settings, switches=Switches(hints=False)))
    assert runtime.agent is agent
    runtime.stop()
    await running
    assert runtime.agent is not agent
    assert (await runtime.request("again")).reason == "done"
