"""Esc in every state of the real agent: the input is free at once, and the conversation goes on.

Everything that is stopped here would go on for longer than the test waits, or would have ended in another state.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from dataclasses import replace as replace_data
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from roomcode.assembly import Runtime
from roomcode.commands.live import LiveBackend
from roomcode.config import Resolved, Settings, load
from roomcode.protocol.approval import Decision
from roomcode.protocol.events import CallArgs, CallOpened, Event, Note, RequestEnded, Result, StepStarted, Text
from roomcode.session import SessionFolder
from roomcode.tui.app import RoomcodeApp
from roomcode.tui.backend import Mode
from tests.support.runtimes import call

Until = Callable[[Callable[[], object]], Any]

LONG = "#! delay 60000\n"


class MadeBackend(LiveBackend):
    """The app's real backend, on a runtime that was made for the test."""

    def __init__(self, resolved: Resolved, runtime: Runtime) -> None:
        super().__init__(runtime.project, resolved, {}, session="new")
        self._made = runtime

    async def _build(self) -> Runtime:
        self._made.mode, self._made.gate = self.mode, self.gate
        for subscriber in self._subscribers:
            self._made.subscribe(subscriber)
        self._runtime = self._made
        return self._made


@dataclass
class Scene:
    pilot: Pilot[int]
    app: RoomcodeApp
    events: list[Event]

    async def ask(self, text: str) -> None:
        self.app.prompt.text = text
        await self.pilot.press("enter")

    def seen(self, kind: type[Event]) -> bool:
        return any(isinstance(event, kind) for event in self.events)

    def card(self, state: str) -> bool:
        return any(card.state == state for card in self.app.story.open_cards)


Scenes = Callable[..., AbstractAsyncContextManager[Scene]]


@pytest.fixture
def scene(tmp_path: Path, shelf: Any) -> Scenes:
    project = tmp_path / "project"
    project.mkdir()

    @asynccontextmanager
    async def open_scene(*answers: str, mode: Mode = "auto") -> AsyncIterator[Scene]:
        script = tmp_path / "script.txt"
        script.write_text("".join(f"=== answer\n{text}\n" for text in (*answers, "After the stop all is well.")))
        settings = replace(Settings(), engine=f"scripted:{script}", form="xml", mode=mode)
        runtime = Runtime(project, settings, sessions=SessionFolder(project, tmp_path / "sessions"))
        backend = MadeBackend(replace_data(load(project, environ={}), settings=settings), runtime)
        app = RoomcodeApp(backend, shelf)
        events: list[Event] = []
        backend.subscribe(events.append)
        try:
            async with app.run_test(size=(80, 24)) as pilot:
                while not app.conductor.loads_done:
                    await pilot.pause(0.01)
                yield Scene(pilot, app, events)
        finally:
            await runtime.close()

    return open_scene


async def stopped_and_going_on(one: Scene, until: Until) -> None:
    """Press Esc, be free at once, and ask for something else."""
    open_calls = {card.call for card in one.app.story.open_cards}
    await one.pilot.press("escape")
    await until(lambda: not one.app.conductor.running)
    assert one.app.prompt.has_focus
    ends = [event for event in one.events if isinstance(event, RequestEnded)]
    assert [end.reason for end in ends] == ["stopped"]
    calls = [event.call for event in one.events if isinstance(event, CallOpened)]
    results = [event.call for event in one.events if isinstance(event, Result)]
    assert sorted(results) == sorted(calls)
    assert {event.state for event in one.events if isinstance(event, Result) and event.call in open_calls} <= {
        "stopped"
    }
    assert not one.app.story.open_cards
    await one.ask("go on")
    await until(lambda: len([event for event in one.events if isinstance(event, RequestEnded)]) == 2)
    last = one.events[-1]
    assert isinstance(last, RequestEnded)
    assert (last.reason, last.answer) == ("done", "After the stop all is well.")


async def test_before_the_first_token(scene: Scenes, until: Until) -> None:
    async with scene(f"{LONG}never") as one:
        await one.ask("go")
        await until(lambda: one.seen(StepStarted))
        await stopped_and_going_on(one, until)


async def test_in_the_middle_of_a_text(scene: Scenes, until: Until) -> None:
    async with scene(f"I begin.\n{LONG}never") as one:
        await one.ask("go")
        await until(lambda: one.seen(Text))
        await stopped_and_going_on(one, until)
        assert "I begin." in "".join(event.text for event in one.events if isinstance(event, Text))


async def test_in_the_middle_of_a_call(scene: Scenes, until: Until, tmp_path: Path) -> None:
    opened = "<tool_call>\n<function=write_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=content>\none\n"
    async with scene(f"{opened}{LONG}two\n</parameter>\n</function>\n</tool_call>") as one:
        await one.ask("go")
        await until(lambda: one.seen(CallArgs))
        await stopped_and_going_on(one, until)
    assert not (tmp_path / "project" / "a.txt").exists()


async def test_when_the_conversation_was_just_shortened(scene: Scenes, until: Until, tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / "project" / f"{number}.txt").write_text("many words, and then some more\n" * 300)
    reads = [call("read_file", path=f"{number}.txt") for number in range(6)]
    async with scene(*reads, f"{LONG}never") as one:
        await one.ask("go")
        await until(lambda: any(isinstance(event, Note) and event.topic == "compaction" for event in one.events))
        await stopped_and_going_on(one, until)


async def test_in_a_search_that_takes_long(scene: Scenes, until: Until, tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / "project" / f"{number}.txt").write_text(("a" * 60 + "b\n") * 2_000)
    async with scene(call("search", pattern="(a|aa|aaa)+c")) as one:
        await one.ask("go")
        await until(lambda: one.card("running"))
        await stopped_and_going_on(one, until)


async def test_while_a_change_waits(scene: Scenes, until: Until, tmp_path: Path) -> None:
    async with scene(call("write_file", path="a.txt", content="x"), mode="ask") as one:
        await one.ask("go")
        await until(lambda: one.app.desk.waiting)
        await stopped_and_going_on(one, until)
    assert not (tmp_path / "project" / "a.txt").exists()


async def test_in_the_second_of_three_calls(scene: Scenes, until: Until, tmp_path: Path) -> None:
    calls = [call("write_file", path=f"{name}.txt", content=name) for name in "abc"]
    async with scene("\n".join(calls), mode="ask") as one:
        await one.ask("go")
        await until(lambda: one.app.desk.waiting)
        one.app.desk.answer(one.app.desk.waiting[0].call, Decision(True))
        await until(lambda: one.seen(Result) and one.app.desk.waiting)
        await stopped_and_going_on(one, until)
    assert [path.name for path in sorted((tmp_path / "project").glob("*.txt"))] == ["a.txt"]


@pytest.mark.browser
@pytest.mark.parametrize("script", ["while (true);", "await new Promise(() => {})"], ids=["loops", "waits"])
async def test_in_a_script_that_never_ends(scene: Scenes, until: Until, script: str) -> None:
    async with scene(call("run_js", code=script)) as one:
        await one.ask("go")
        await until(lambda: one.card("running"))
        await one.pilot.pause(0.3)
        await stopped_and_going_on(one, until)


@pytest.mark.browser
@pytest.mark.parametrize("script", ["while (true);", "setInterval(() => fetch('x' + Math.random()), 1)"])
async def test_while_a_page_is_looked_at(scene: Scenes, until: Until, tmp_path: Path, script: str) -> None:
    (tmp_path / "project" / "index.html").write_text(f"<!doctype html><title>t</title><script>{script}</script>")
    async with scene(call("serve")) as one:
        await one.ask("go")
        await until(lambda: one.card("running"))
        await one.pilot.pause(0.3)
        await stopped_and_going_on(one, until)
