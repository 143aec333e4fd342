"""Approving, rejecting and editing changes."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from roomcode.protocol.approval import ApprovalRequest, Decision
from roomcode.protocol.display import FileChange
from roomcode.protocol.events import Approval, Call, CallOpened, Event, Result, StepStarted
from roomcode.tui.app import RoomcodeApp
from roomcode.tui.items import Card
from roomcode.tui.replay import Pause, ReplayBackend
from roomcode.tui.screens.changes import DiffPanel, EditPanel, ReasonPanel

Until = Callable[[Callable[[], object]], Any]
Running = Callable[..., Any]

CHANGE = FileChange("app.js", "let a = 1;\n\tlet b = 2;\n", "let a = 2;\n\tlet b = 2;\n")


def edit(call: str = "1.1.1", change: FileChange = CHANGE) -> list[Event]:
    return [
        CallOpened(call=call, tool="edit_file"),
        Call(call=call, tool="edit_file", arguments={"path": change.path}),
        Approval(call=call, tool="edit_file", state="asked", change=change),
    ]


def app_of(pilot: Pilot[Any]) -> RoomcodeApp:
    assert isinstance(pilot.app, RoomcodeApp)
    return pilot.app


async def ask(pilot: Pilot[Any], until: Until, clock: Any) -> RoomcodeApp:
    """Send a request, wait for the question, and let the first half second pass."""
    app = app_of(pilot)
    app.prompt.text = "go"
    await pilot.press("enter")
    await until(lambda: app.desk.waiting)
    await pilot.pause()
    clock.now += 0.6
    return app


async def test_y_approves(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend(scenes=[[StepStarted(step=1), *edit()]])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        assert app.timeline.has_focus
        await pilot.press("y")
        await until(lambda: backend.decisions)
        assert backend.decisions == [Decision(True)]
        await until(lambda: app.prompt.has_focus)


async def test_keys_of_the_first_half_second_are_no_answer(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend(scenes=[edit()])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        clock.now -= 0.5
        for key in "ynaAev":
            await pilot.press(key)
        assert backend.decisions == []
        assert backend.mode == "ask"
        assert len(app.screen_stack) == 1
        clock.now += 1
        await pilot.press("y")
        await until(lambda: backend.decisions)


async def test_a_person_who_types_on_answers_nothing(running: Running, until: Until, clock: Any) -> None:
    """Keys that came too early make the wait start anew, so typing at normal speed never turns into an answer."""
    backend = ReplayBackend(scenes=[edit()])
    async with running(backend) as pilot:
        await ask(pilot, until, clock)
        clock.now -= 0.55
        for key in "yes please":
            clock.now += 0.2
            await pilot.press("space" if key == " " else key)
        assert backend.decisions == []


async def test_a_draft_keeps_the_focus_and_is_never_an_answer(running: Running, until: Until, clock: Any) -> None:
    gate = asyncio.Event()
    backend = ReplayBackend(scenes=[[Pause(gate), *edit()]])
    async with running(backend) as pilot:
        app = app_of(pilot)
        app.prompt.text = "go"
        await pilot.press("enter")
        await until(lambda: app.conductor.running)
        await pilot.press("y", "e")
        gate.set()
        await until(lambda: app.desk.waiting)
        clock.now += 5
        await pilot.press("s", "y", "n", "a")
        assert app.prompt.text == "yesyna"
        assert backend.decisions == []
        await pilot.press("tab", "y")
        await until(lambda: backend.decisions)
        assert app.prompt.text == "yesyna"


async def test_enter_in_the_input_steers_while_a_change_waits(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend(scenes=[edit()])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        await pilot.press("tab", *"make it red", "enter")
        await until(lambda: backend.steered)
        assert backend.decisions == []
        assert app.desk.waiting


async def test_n_asks_for_a_reason_that_goes_to_the_model(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend(scenes=[edit()])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        await pilot.press("n")
        await until(lambda: isinstance(app.screen, ReasonPanel) and app.screen.query(Input))
        await pilot.press(*"too red", "enter")
        await until(lambda: backend.decisions)
        assert backend.decisions == [Decision(False, "too red")]
        card = app.story.card("1.1.1")
        assert card is not None
        assert card.comment == "too red"


async def test_n_and_esc_goes_back_to_the_question(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend(scenes=[edit()])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        await pilot.press("n")
        await until(lambda: isinstance(app.screen, ReasonPanel))
        await pilot.press("escape")
        await until(lambda: len(app.screen_stack) == 1)
        assert app.conductor.running
        assert app.desk.waiting
        await pilot.press("n")
        await until(lambda: isinstance(app.screen, ReasonPanel) and app.screen.query(Input))
        await pilot.press("enter")
        await until(lambda: backend.decisions)
        assert backend.decisions == [Decision(False, "")]


async def test_a_approves_the_rest_of_this_request_only(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend(scenes=[[*edit("1.1.1"), *edit("1.1.2")], edit("2.1.1")])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        await pilot.press("a")
        await until(lambda: not app.conductor.running)
        assert backend.decisions == [Decision(True, remember="request"), Decision(True)]
        assert backend.mode == "ask"
        await ask(pilot, until, clock)
        assert len(backend.decisions) == 2


async def test_capital_a_switches_the_mode_for_the_session(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend(scenes=[[*edit("1.1.1"), *edit("1.1.2")]])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        await pilot.press("A")
        await until(lambda: not app.conductor.running)
        assert backend.mode == "auto"
        assert len(backend.decisions) == 2
        assert "auto" in str(app.displays.status.render())


async def test_e_edits_the_new_text_and_keeps_tabs(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend(scenes=[edit()])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        await pilot.press("e")
        await until(lambda: isinstance(app.screen, EditPanel) and app.screen.query(TextArea))
        app.screen.query_one(TextArea).insert("// mine\n", (0, 0))
        await pilot.press("ctrl+s")
        await until(lambda: backend.decisions)
        assert backend.decisions == [Decision(True, content="// mine\nlet a = 2;\n\tlet b = 2;\n")]


async def test_e_without_a_change_is_a_plain_yes_and_esc_is_none(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend(scenes=[edit()])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        await pilot.press("e")
        await until(lambda: isinstance(app.screen, EditPanel))
        await pilot.press("escape")
        await until(lambda: len(app.screen_stack) == 1)
        assert backend.decisions == []
        await pilot.press("e")
        await until(lambda: isinstance(app.screen, EditPanel))
        await pilot.press("ctrl+s")
        await until(lambda: backend.decisions)
        assert backend.decisions == [Decision(True)]


async def test_text_with_control_codes_is_not_opened_in_the_editor(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend(scenes=[edit(change=FileChange("a.js", "a", "a\x1b[2J"))])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        await pilot.press("e")
        await pilot.pause()
        assert len(app.screen_stack) == 1


@pytest.mark.parametrize(("key", "decision"), [("y", Decision(True)), ("n", Decision(False, ""))])
async def test_v_shows_the_whole_difference_where_it_can_be_answered(
    running: Running, until: Until, clock: Any, key: str, decision: Decision
) -> None:
    backend = ReplayBackend(scenes=[edit()])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        await pilot.press("v")
        await until(lambda: isinstance(app.screen, DiffPanel))
        await pilot.press("escape")
        await until(lambda: len(app.screen_stack) == 1)
        await pilot.press("v")
        await until(lambda: isinstance(app.screen, DiffPanel))
        await pilot.press(key)
        if key == "n":
            await until(lambda: isinstance(app.screen, ReasonPanel) and app.screen.query(Input))
            await pilot.press("enter")
        await until(lambda: backend.decisions)
        assert backend.decisions == [decision]


async def test_esc_stops_the_request_while_a_change_waits(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend(scenes=[[*edit(), Result(call="1.1.1", tool="edit_file", state="stopped", text="")]])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        await pilot.press("escape")
        await until(lambda: not app.conductor.running)
        assert app.desk.waiting == []
        assert backend.decisions == []
        assert [item.state for item in app.story.items if isinstance(item, Card)] == ["stopped"]
        await until(lambda: app.prompt.has_focus)


async def test_a_secret_is_never_read_by_a_blanket_yes(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        app = app_of(pilot)
        app.desk.answer_all()
        request = ApprovalRequest("9", "read_file", FileChange(".env", "K=1", "K=1"), reading=True)
        app.story.apply(CallOpened(call="9", tool="read_file"))
        task = app.run_worker(app.desk.gate(request))
        await until(lambda: app.desk.waiting)
        clock.now += 1
        for key in "aAe":
            app.answers.key(key)
        assert app.desk.waiting
        assert backend.mode == "ask"
        app.answers.key("y")
        assert await task.wait() == Decision(True)


async def test_a_click_on_a_key_answers_as_the_key_does(running: Running, until: Until, clock: Any) -> None:
    backend = ReplayBackend(scenes=[edit()])
    async with running(backend) as pilot:
        app = await ask(pilot, until, clock)
        lines = [strip.text for strip in app.screen._compositor.render_strips()]
        row = next(y for y, line in enumerate(lines) if "y approve" in line)
        await pilot.click("#timeline", offset=(lines[row].index("y approve") + 3, row))
        await until(lambda: backend.decisions == [Decision(True)])
