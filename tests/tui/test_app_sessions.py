"""Sessions in the app: new, fork, delete."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from roomcode.protocol.events import Text
from roomcode.tui.app import RoomcodeApp
from roomcode.tui.foreign import is_safe
from roomcode.tui.replay import Pause, ReplayBackend
from roomcode.tui.screens.panel import ConfirmPanel
from roomcode.tui.screens.pickers import RequestsPanel, SessionsPanel

Until = Callable[[Callable[[], object]], Any]
Running = Callable[..., Any]

NASTY = "[bold]x[/] [@click=app.quit]y[/] \x1b[2J\x07 \u202e"


def app_of(pilot: Pilot[Any]) -> RoomcodeApp:
    assert isinstance(pilot.app, RoomcodeApp)
    return pilot.app


def screen_text(app: RoomcodeApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


def warned(app: RoomcodeApp) -> str:
    return " ".join(note.message for note in app._notifications)


async def command(pilot: Pilot[Any], text: str) -> None:
    app_of(pilot).prompt.text = text
    await pilot.press("enter")


async def talked(pilot: Pilot[Any], until: Until, *texts: str) -> RoomcodeApp:
    """The app after some requests."""
    app = app_of(pilot)
    for number, text in enumerate(texts, 1):
        await command(pilot, text)
        await until(lambda number=number: len(app.backend.asked()) == number and not app.conductor.running)
    return app


def shows(app: RoomcodeApp, kind: type) -> bool:
    return isinstance(app.screen, kind) and bool(app.screen.query_one(OptionList).option_count)


async def test_fork_puts_the_text_of_an_earlier_request_into_the_input(running: Running, until: Until) -> None:
    backend = ReplayBackend(past=[Text(text="what was before")])
    async with running(backend) as pilot:
        app = await talked(pilot, until, "make a page", "make it red")
        await command(pilot, "/fork")
        await until(lambda: shows(app, RequestsPanel))
        await pilot.pause()
        lines = [line.strip() for line in screen_text(app).split("\n")]
        assert lines.index("2  make it red") < lines.index("1  make a page")
        app.prompt.text = "a half draft"
        await pilot.press("down", "enter")
        await until(lambda: backend.forked == [1] and app.prompt.text == "make a page\na half draft")
        assert app.prompt.has_focus
        text = screen_text(app)
        assert "The session before stays as it is" in text
        assert "what was before" in text
        assert backend.prompts == ["make a page", "make it red"]


async def test_without_a_request_there_is_nothing_to_fork(running: Running, until: Until) -> None:
    async with running(ReplayBackend()) as pilot:
        app = app_of(pilot)
        await command(pilot, "/fork")
        await until(lambda: "nothing to fork" in warned(app))
        assert len(app.screen_stack) == 1


class Unforkable(ReplayBackend):
    async def fork(self, request: int) -> Any:
        raise ValueError(f"This session is not saved, so it cannot be forked: {NASTY}.")


async def test_a_fork_that_fails_changes_nothing(running: Running, until: Until) -> None:
    async with running(Unforkable()) as pilot:
        app = await talked(pilot, until, "make a page")
        await command(pilot, "/fork")
        await until(lambda: shows(app, RequestsPanel))
        await pilot.press("enter")
        await until(lambda: "cannot be forked" in screen_text(app))
        assert "make a page" in screen_text(app)
        assert app.prompt.text == ""
        assert all(is_safe(line) for line in screen_text(app).split("\n"))


@pytest.mark.parametrize("text", ["/new", "/fork"])
async def test_while_a_request_runs_the_session_stays(running: Running, until: Until, text: str) -> None:
    backend = ReplayBackend(scenes=[[Pause(asyncio.Event())]])
    async with running(backend) as pilot:
        app = app_of(pilot)
        await command(pilot, "go")
        await until(lambda: app.conductor.running)
        await command(pilot, text)
        await until(lambda: "Stop the agent first (Esc)" in warned(app))
        assert (backend.tasks, backend.forked) == (0, [])


async def test_while_the_model_is_loaded_no_other_session_is_opened(running: Running, until: Until) -> None:
    backend = ReplayBackend(other={"s1": []}, loading=asyncio.Event())
    async with running(backend) as pilot:
        app = app_of(pilot)
        await until(lambda: app.conductor.loading)
        await pilot.press("f8")
        await until(lambda: shows(app, SessionsPanel))
        await pilot.press("enter")
        await until(lambda: "The model is being loaded" in warned(app))
        assert backend.opened == [""]


async def test_a_new_task_that_fails_says_why(running: Running, until: Until) -> None:
    class Stuck(ReplayBackend):
        async def new_task(self) -> None:
            raise ValueError("A request is running: stop it first.")

    async with running(Stuck()) as pilot:
        app = await talked(pilot, until, "make a page")
        await command(pilot, "/new")
        await until(lambda: "A request is running: stop it first." in screen_text(app))
        assert "make a page" in screen_text(app)


@pytest.mark.parametrize(("answer", "left"), [("y", ["s2"]), ("n", ["s1", "s2"]), ("escape", ["s1", "s2"])])
async def test_a_session_is_deleted_after_a_question(
    running: Running, until: Until, answer: str, left: list[str]
) -> None:
    backend = ReplayBackend(other={"s1": [], "s2": []})
    async with running(backend) as pilot:
        app = app_of(pilot)
        await pilot.press("f8")
        await until(lambda: shows(app, SessionsPanel))
        await pilot.press("d")
        await until(lambda: isinstance(app.screen, ConfirmPanel) and "Delete “about s1”" in screen_text(app))
        assert list(backend.other) == ["s1", "s2"]
        await pilot.press(answer)
        await until(lambda: isinstance(app.screen, SessionsPanel) and list(backend.other) == left)
        await until(lambda: app.screen.query_one(OptionList).option_count == len(left))


async def test_a_session_that_cannot_be_deleted_stays_in_the_list(running: Running, until: Until) -> None:
    backend = ReplayBackend(other={"s1": []})
    async with running(backend) as pilot:
        app = app_of(pilot)
        await pilot.press("f8")
        await until(lambda: shows(app, SessionsPanel))
        backend.other = {}
        await pilot.press("delete")
        await until(lambda: isinstance(app.screen, ConfirmPanel))
        await pilot.press("y")
        await until(lambda: "There is no session s1." in warned(app))
        assert "about s1" in screen_text(app)


@pytest.mark.parametrize("size", [(40, 12), (20, 8)])
async def test_foreign_requests_and_titles_stay_text(running: Running, until: Until, size: tuple[int, int]) -> None:
    backend = ReplayBackend(other={NASTY: []})
    async with running(backend, size=size) as pilot:
        app = await talked(pilot, until, NASTY)
        await command(pilot, "/fork")
        await until(lambda: shows(app, RequestsPanel))
        await pilot.pause()
        assert all(is_safe(line) for line in screen_text(app).split("\n"))
        await pilot.press("escape", "f8")
        await until(lambda: shows(app, SessionsPanel))
        await pilot.press("d")
        await until(lambda: isinstance(app.screen, ConfirmPanel))
        await pilot.pause()
        assert all(is_safe(line) for line in screen_text(app).split("\n"))
