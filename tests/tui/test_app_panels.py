"""Panels: help, files, console, models, welcome, settings, themes, palette."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import OptionList

from roomcode.protocol.display import FileChange
from roomcode.protocol.engine import EngineError
from roomcode.protocol.events import Result, Text
from roomcode.tui.app import RoomcodeApp
from roomcode.tui.backend import NoModelError
from roomcode.tui.commands import COMMANDS
from roomcode.tui.items import Remark
from roomcode.tui.prompt import Prompt
from roomcode.tui.replay import ReplayBackend
from roomcode.tui.screens.pickers import ModelsPanel
from roomcode.tui.timeline import Timeline

Until = Callable[[Callable[[], object]], Any]
Running = Callable[..., Any]


def app_of(pilot: Pilot[Any]) -> RoomcodeApp:
    assert isinstance(pilot.app, RoomcodeApp)
    return pilot.app


def screen_text(app: RoomcodeApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


async def opened(pilot: Pilot[Any], key: str, until: Until) -> RoomcodeApp:
    app = app_of(pilot)
    await pilot.press(key)
    await until(lambda: len(app.screen_stack) == 2 and screen_text(app).strip())
    await pilot.pause()
    return app


async def test_the_help_names_every_key_and_command(running: Running, until: Until) -> None:
    async with running(ReplayBackend(), size=(100, 100)) as pilot:
        app = await opened(pilot, "f1", until)
        text = screen_text(app)
        for command in COMMANDS:
            assert f"{command.usage} " in text
        for bindings in (RoomcodeApp.BINDINGS, Prompt.BINDINGS, Timeline.BINDINGS):
            for binding in bindings:
                assert binding.description in text  # type: ignore[union-attr]
        await pilot.press("escape")
        assert len(app.screen_stack) == 1


async def test_files_shows_the_difference_of_the_chosen_one(running: Running, until: Until) -> None:
    past = [
        Result(call="1", tool="w", state="ok", text="", display=FileChange("a.js", None, "let a = 1;\n")),
        Result(call="2", tool="e", state="ok", text="", display=FileChange("b.css", "old {}\n", "new {}\n")),
    ]
    async with running(ReplayBackend(past=past)) as pilot:
        app = await opened(pilot, "f2", until)
        assert "a.js  new file" in screen_text(app)
        assert "let a = 1;" in screen_text(app)
        await pilot.press("down")
        await until(lambda: "new {}" in screen_text(app))
        assert "b.css  +1 -1" in screen_text(app)


async def test_files_without_a_change_says_so(running: Running, until: Until) -> None:
    async with running(ReplayBackend()) as pilot:
        app = await opened(pilot, "f2", until)
        assert "has not changed a file" in screen_text(app)


async def test_the_console_has_a_page_for_each_port(running: Running, until: Until) -> None:
    served = {5173: ("error app.js:1 boom",), 5174: ("hello from two",)}
    async with running(ReplayBackend(served=served)) as pilot:
        app = await opened(pilot, "f3", until)
        await until(lambda: "hello from two" in screen_text(app))
        await pilot.press("tab")
        await until(lambda: "boom" in screen_text(app))


async def test_settings_show_value_and_origin(running: Running, until: Until) -> None:
    async with running(ReplayBackend()) as pilot:
        app = await opened(pilot, "f7", until)
        assert "mode" in screen_text(app)
        assert "ask before a file changes" in screen_text(app)


async def test_a_model_on_disk_is_loaded_at_once(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        app = await opened(pilot, "f4", until)
        await until(lambda: app.screen.query(OptionList))
        await pilot.press("up", "enter")
        await until(lambda: backend.loads == ["", "tiny"])
        assert len(app.screen_stack) == 1


async def test_a_model_that_is_not_here_is_fetched_proved_and_loaded(
    running: Running, until: Until, shelf: Any
) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        app = await opened(pilot, "f4", until)
        await pilot.press("enter")
        await until(lambda: backend.loads == ["", "good"])
        assert (shelf.pulled, shelf.proved) == (["good"], ["good"])
        assert any(isinstance(item, Remark) and item.text == "good works" for item in app.story.items)


async def test_a_failed_download_says_why_and_can_be_tried_again(running: Running, until: Until, shelf: Any) -> None:
    backend = ReplayBackend()
    shelf.pull_error = EngineError("The disk is full.")
    async with running(backend) as pilot:
        app = await opened(pilot, "f4", until)
        await pilot.press("enter")
        await until(lambda: "The disk is full." in screen_text(app))
        shelf.pull_error = None
        await pilot.press("enter")
        await until(lambda: backend.loads == ["", "good"])


async def test_closing_the_panel_stops_a_download(running: Running, until: Until, shelf: Any) -> None:
    backend = ReplayBackend()
    closed = threading.Event()

    def pull(name: str, on_pull: Any) -> None:
        closed.wait(5)
        on_pull("index", 60, 100)
        shelf.pulled.append(name)

    shelf.pull = pull
    async with running(backend) as pilot:
        app = await opened(pilot, "f4", until)
        await pilot.press("enter")
        await until(lambda: "fetching good" in screen_text(app))
        await pilot.press("escape")
        await until(lambda: len(app.screen_stack) == 1)
        closed.set()
        await until(lambda: "was stopped" in screen_text(app))
        assert shelf.pulled == []
        assert backend.loads == [""]


async def test_a_model_that_is_too_big_is_refused_with_the_reason(running: Running, until: Until, shelf: Any) -> None:
    async with running(ReplayBackend()) as pilot:
        app = await opened(pilot, "f4", until)
        await pilot.press("down", "enter")
        await until(lambda: "50.0 GB of memory" in screen_text(app))
        assert shelf.pulled == []


async def test_a_first_run_without_a_model_is_welcomed(running: Running, until: Until, shelf: Any) -> None:
    backend = ReplayBackend(load_error=NoModelError("There is no model on this machine yet."))
    async with running(backend) as pilot:
        app = app_of(pilot)
        app.prompt.text = "early"
        await until(lambda: isinstance(app.screen, ModelsPanel) and "good" in screen_text(app))
        text = " ".join(screen_text(app).split())
        assert "There is no model on this machine yet." in text
        assert "8.0 GB" in text
        assert "recommended" in text
        await pilot.press("enter")
        await until(lambda: backend.loads == ["", "good"])
        assert app.conductor.ready
        assert app.prompt.text == "early"


async def test_a_model_that_cannot_be_loaded_leaves_the_app_usable(running: Running, until: Until) -> None:
    backend = ReplayBackend(load_error=EngineError("The model file is cut short."))
    async with running(backend) as pilot:
        app = app_of(pilot)
        await until(lambda: any("cut short" in getattr(item, "text", "") for item in app.story.items))
        assert not app.conductor.ready
        app.prompt.text = "waits"
        await pilot.press("enter")
        app.conductor.load("tiny")
        await until(lambda: backend.prompts == ["waits"])


async def test_themes_change_the_colours_and_are_remembered(running: Running, until: Until) -> None:
    chosen: list[str] = []
    async with running(ReplayBackend(), remember_theme=chosen.append) as pilot:
        app = app_of(pilot)
        before = app.brush.palette.accent
        app.theme = "roomcode-light"
        await until(lambda: app.brush.palette.accent != before)
        await until(lambda: chosen == ["roomcode-light"])


async def test_an_unknown_theme_falls_back_to_the_usual_one(running: Running) -> None:
    async with running(ReplayBackend(), theme="no such theme") as pilot:
        assert app_of(pilot).theme == "roomcode"


async def test_the_command_palette_knows_the_commands(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        app = app_of(pilot)
        await pilot.press("ctrl+p")
        await until(lambda: isinstance(app.screen, CommandPalette))
        await pilot.press(*"/mode")
        await until(lambda: "/mode" in screen_text(app))
        await pilot.pause(0.2)
        await pilot.press("enter", "enter")
        await until(lambda: backend.mode == "auto")


@pytest.mark.parametrize(("key", "times", "mode"), [("shift+tab", 1, "auto"), ("shift+tab", 2, "ask")])
async def test_shift_tab_switches_the_mode(running: Running, key: str, times: int, mode: str) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        await pilot.press(*[key] * times)
        assert backend.mode == mode
        assert mode in str(app_of(pilot).displays.status.render())


async def test_a_new_task_clears_the_timeline_and_keeps_the_draft(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        app = app_of(pilot)
        app.prompt.text = "go"
        await pilot.press("enter")
        await until(lambda: backend.prompts and not app.conductor.running)
        app.prompt.text = "draft"
        await pilot.press("ctrl+n")
        await until(lambda: backend.tasks == 1)
        assert [type(item).__name__ for item in app.story.items] == ["Banner"]
        assert app.prompt.text == "draft"


@pytest.mark.parametrize("key", ["f1", "f2", "f3", "f4", "f7", "f8"])
async def test_every_panel_opens_and_closes_in_a_tiny_terminal(running: Running, until: Until, key: str) -> None:
    async with running(ReplayBackend(served={5173: ("x",)}), size=(20, 8)) as pilot:
        app = await opened(pilot, key, until)
        await pilot.press("escape")
        await until(lambda: len(app.screen_stack) == 1)


async def test_the_last_session_is_shown_again(running: Running, until: Until) -> None:
    past = [Result(call="1", tool="w", state="ok", text="", display=FileChange("a.js", None, "let a = 1;\n"))]
    async with running(ReplayBackend(past=past)) as pilot:
        text = screen_text(app_of(pilot))
        assert "let a = 1;" in text
        assert "goes on where it was left" in " ".join(text.split())


async def test_another_session_can_be_opened(running: Running, until: Until) -> None:
    other = {"s1": [Text(text="what was said in s1")], "s2": []}
    backend = ReplayBackend(other=other, notices=["another roomcode is open here"])
    async with running(backend) as pilot:
        app = await opened(pilot, "f8", until)
        await until(lambda: "about s1" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: "what was said in s1" in screen_text(app))
        assert backend.opened == ["", "s1"]


async def test_a_session_that_cannot_be_opened_leaves_everything_as_it_is(running: Running, until: Until) -> None:
    backend = ReplayBackend(other={"s1": []}, past=[Text(text="still here")])
    async with running(backend) as pilot:
        app = app_of(pilot)
        backend.other = {}
        app.sessions.open("s1")
        await until(lambda: "s1" in screen_text(app))
        assert "still here" in screen_text(app)


async def test_notices_are_told(running: Running, until: Until) -> None:
    async with running(ReplayBackend(notices=["another roomcode is open here"])) as pilot:
        await until(lambda: "another roomcode is open here" in screen_text(app_of(pilot)))
