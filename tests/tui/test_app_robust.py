"""Foreign text, bugs, small terminals, stopping and leaving."""

import asyncio
import contextvars
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual import events
from textual.app import App
from textual.pilot import Pilot

from roomcode.protocol.display import FileChange, PageReport
from roomcode.protocol.events import Call, CallArgs, CallOpened, Note, Result, StepEnded, StepStarted, Text, Usage
from roomcode.tui.app import RoomcodeApp
from roomcode.tui.backend import Facts
from roomcode.tui.foreign import is_safe
from roomcode.tui.items import Item, Problem
from roomcode.tui.replay import Pause, ReplayBackend

Until = Callable[[Callable[[], object]], Any]
Running = Callable[..., Any]

NASTY = "[bold]x[/] [/nope] [@click=app.quit]y[/] \x1b[2J\x1b]0;t\x07 \x00\x9b31m \u202e {x} $a \\[ 日本 😀"


def app_of(pilot: Pilot[Any]) -> RoomcodeApp:
    assert isinstance(pilot.app, RoomcodeApp)
    return pilot.app


def screen_text(app: RoomcodeApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


async def test_foreign_text_is_never_markup_and_never_steers_the_terminal(running: Running, until: Until) -> None:
    change = FileChange(NASTY, NASTY, NASTY + "x")
    scene = [
        StepStarted(step=1), Text(text=NASTY), Text(text=NASTY, thought=True), CallOpened(call="1", tool=NASTY),
        CallArgs(call="1", tool=NASTY, name=NASTY, text=NASTY + "\n"),
        Call(call="1", tool=NASTY, arguments={"path": NASTY}, repairs=(NASTY,), error=NASTY),
        Result(call="1", tool=NASTY, state="failed", text=NASTY), Note(topic="hint", text=NASTY),
        Result(call="2", tool="w", state="ok", text=NASTY, display=change),
        Result(call="3", tool="s", state="ok", text=NASTY, display=PageReport(NASTY, 1, NASTY, "errors", (NASTY,))),
    ]  # fmt: skip
    backend = ReplayBackend(
        scenes=[scene],
        files=(NASTY,),
        served={5173: (NASTY,)},
        facts_when_loaded=Facts(NASTY, 1_000, 500),
    )
    async with running(backend, size=(60, 60), warnings=(NASTY,)) as pilot:
        app = app_of(pilot)
        app.prompt.post_message(events.Paste(NASTY))
        await until(lambda: app.prompt.text)
        await pilot.pause(0.2)
        await pilot.press("enter")
        await until(lambda: backend.prompts and not app.conductor.running)
        await pilot.press("at")
        for key in ("f2", "escape", "f3", "escape"):
            await pilot.press(key)
            await pilot.pause(0.05)
            for line in screen_text(app).split("\n"):
                assert is_safe(line)
        app.notify(NASTY, markup=False)
        app.say(NASTY)
        await pilot.pause(0.2)
        assert "[bold]x[/]" in screen_text(app)
        assert not any(isinstance(item, Problem) for item in app.story.items)


@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80))
async def test_any_text_of_a_model_can_be_shown(running: Running, text: str) -> None:
    async with running(ReplayBackend(past=[Text(text=text), CallOpened(call="1", tool=text)])) as pilot:
        for line in screen_text(app_of(pilot)).split("\n"):
            assert is_safe(line)


async def test_a_bug_in_drawing_is_shown_as_a_block_and_the_rest_goes_on(running: Running, until: Until) -> None:
    class Broken(Item):
        pass

    backend = ReplayBackend()
    async with running(backend) as pilot:
        app = app_of(pilot)
        app.story.add(Broken())
        backend.emit(Text(text="after the bug"))
        await until(lambda: "after the bug" in screen_text(app))
        await until(lambda: any(isinstance(item, Problem) for item in app.story.items))
        await until(lambda: "roomcode has a bug" in screen_text(app))
        assert "this broken cannot be shown" in screen_text(app)
        app.prompt.text = "still there"
        await pilot.press("enter")
        await until(lambda: backend.prompts == ["still there"])


async def test_a_bug_that_comes_with_every_picture_is_told_once(running: Running) -> None:
    async with running(ReplayBackend()) as pilot:
        app = app_of(pilot)
        for _ in range(100):
            app.bug("drawing", RuntimeError("always the same"))
        await pilot.pause(0.1)
        assert len([item for item in app.story.items if isinstance(item, Problem)]) == 1
        assert app.is_running


async def test_ctrl_c_copies_what_is_selected_and_keeps_the_draft(running: Running) -> None:
    async with running(ReplayBackend()) as pilot:
        app = app_of(pilot)
        app.prompt.text = "some words"
        app.prompt.select_all()
        await pilot.press("ctrl+c", "ctrl+c")
        assert app.clipboard == "some words"
        assert app.prompt.text == "some words"
        assert app.is_running


async def test_a_bug_in_a_handler_does_not_end_the_app_or_the_request(running: Running, until: Until) -> None:
    gate = asyncio.Event()
    backend = ReplayBackend(scenes=[[Pause(gate)]])
    async with running(backend) as pilot:
        app = app_of(pilot)
        app.prompt.text = "go"
        await pilot.press("enter")
        await until(lambda: app.conductor.running)
        app.prompt.post_message(events.Paste(None))  # type: ignore[arg-type]
        await until(lambda: any(isinstance(item, Problem) for item in app.story.items))
        assert app.conductor.running
        await pilot.press(*"typed")
        assert app.prompt.text == "typed"
        gate.set()
        await until(lambda: not app.conductor.running)


async def test_a_bug_in_taking_in_an_event_does_not_reach_the_agent(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        backend.emit(Result(call="1", tool="x", state="nonsense", text=""))  # type: ignore[arg-type]
        backend.emit("no event at all")  # type: ignore[arg-type]
        backend.emit(Text(text="fine"))
        await until(lambda: "fine" in screen_text(app_of(pilot)))


async def test_text_that_comes_from_the_thread_of_an_engine_is_drawn_soon(running: Running, until: Until) -> None:
    """A callback that a thread hands over runs in a context without an app, where timers of Textual fail."""
    gate = asyncio.Event()
    backend = ReplayBackend(scenes=[[Pause(gate)]])
    async with running(backend) as pilot:
        app = app_of(pilot)
        app.prompt.text = "go"
        await pilot.press("enter")
        await until(lambda: app.conductor.running and app.drawn)
        loop = asyncio.get_running_loop()
        for word in ("first", "second"):
            context = contextvars.Context()
            loop.call_soon_threadsafe(backend.emit, Text(text=f"{word} "), context=context)
            await until(lambda word=word: word in screen_text(app))
            await until(lambda: app.drawn)
        gate.set()
        await until(lambda: not app.conductor.running)
    assert not any(isinstance(item, Problem) for item in app.story.items)


async def test_a_request_that_raises_is_a_bug_that_is_shown(running: Running, until: Until) -> None:
    class Failing(ReplayBackend):
        async def request(self, prompt: str) -> Any:
            self.prompts.append(prompt)
            raise RuntimeError("inside the agent")

    backend = Failing()
    async with running(backend) as pilot:
        app = app_of(pilot)
        app.prompt.text = "go"
        await pilot.press("enter")
        await until(lambda: "inside the agent" in screen_text(app))
        assert not app.conductor.running


@pytest.mark.parametrize("state", ["answering", "loading", "timeline", "typing"])
async def test_esc_frees_the_input_within_a_second(running: Running, until: Until, state: str) -> None:
    gate = asyncio.Event()
    backend = ReplayBackend(scenes=[[Text(text="x"), Pause(gate)]], loading=gate if state == "loading" else None)
    async with running(backend) as pilot:
        app = app_of(pilot)
        app.prompt.text = "go"
        await pilot.press("enter")
        if state != "loading":
            await until(lambda: app.conductor.running)
        if state == "timeline":
            await pilot.press("tab")
        if state == "typing":
            await pilot.press("d")
        began = time.monotonic()
        await pilot.press("escape")
        await until(lambda: not app.conductor.running)
        await pilot.press("escape")
        assert time.monotonic() - began < 1
        assert app.prompt.has_focus
        await pilot.press("z")
        assert app.prompt.text.endswith("z")


async def test_one_ctrl_c_clears_the_input_and_says_how_to_leave(running: Running) -> None:
    async with running(ReplayBackend()) as pilot:
        app = app_of(pilot)
        app.prompt.text = "draft"
        await pilot.press("ctrl+c")
        assert app.prompt.text == ""
        assert app.is_running
        assert "Ctrl+C again quits" in str(app.displays.status.render())


async def test_two_slow_ctrl_c_do_not_leave_but_two_quick_ones_do(running: Running, clock: Any) -> None:
    async with running(ReplayBackend()) as pilot:
        app = app_of(pilot)
        await pilot.press("ctrl+c")
        clock.now += 3
        await pilot.press("ctrl+c")
        assert app.return_value is None
        clock.now += 0.5
        await pilot.press("ctrl+c")
        assert app.return_value == 0


async def test_the_focus_of_the_terminal_window_changes_nothing(running: Running) -> None:
    async with running(ReplayBackend()) as pilot:
        app = app_of(pilot)
        for _ in range(20):
            app.post_message(events.AppBlur())
            app.post_message(events.AppFocus())
        await pilot.pause()
        assert app.prompt.has_focus
        await pilot.press("x")
        assert app.prompt.text == "x"


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (20, 8), (12, 5)])
async def test_the_input_can_be_used_at_every_size(running: Running, until: Until, size: tuple[int, int]) -> None:
    backend = ReplayBackend(scenes=[[Text(text="An answer with some words in it.")]])
    async with running(backend, size=size) as pilot:
        app = app_of(pilot)
        await pilot.press(*"hello")
        assert "hello" in screen_text(app)
        await pilot.press("enter")
        await until(lambda: backend.prompts == ["hello"])
        await until(lambda: "step" in screen_text(app) or size[1] < 8)


async def test_after_a_change_of_size_what_matters_most_is_shown(running: Running, until: Until) -> None:
    usage = Usage(new=412, reused=2_700, sampled=120, prefill_seconds=1, seconds=4.4)
    step = StepEnded(step=1, usage=usage, context_used=3_100, context_budget=12_224)
    async with running(ReplayBackend(past=[step], served={5173: ()}), size=(100, 24)) as pilot:
        app = app_of(pilot)
        assert "new" in str(app.displays.status.render())
        assert "F1" in str(app.prompt.placeholder)
        await pilot.resize_terminal(40, 12)
        await until(lambda: "new" not in str(app.displays.status.render()))
        assert ":5173" in str(app.displays.status.render())
        assert str(app.prompt.placeholder) == "What shall I build?"


async def test_without_colour_nothing_but_default_colours_is_drawn(shelf: Any) -> None:
    app = RoomcodeApp(ReplayBackend(past=[Text(text="# T\n\n`x`")]), shelf, no_color=True, theme="ansi-dark")
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        assert app.native_ansi_color
        assert not app.brush.palette.card.bgcolor


async def test_the_app_needs_no_bug_sink_to_fail_at_start(shelf: Any) -> None:
    """Before there is a screen a bug has to end the app, or it would hang for ever."""

    class Broken(RoomcodeApp):
        def on_mount(self) -> None:
            raise RuntimeError("cannot start")

    app = Broken(ReplayBackend(), shelf)
    with pytest.raises(RuntimeError, match="cannot start"):
        async with App.run_test(app, size=(40, 12)):
            pass
