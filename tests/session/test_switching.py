"""Going from session to session in a running roomcode: nothing is computed twice, mixed up, or lost in a race."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from roomcode.assembly import Runtime
from roomcode.config import Settings
from roomcode.protocol.engine import EngineError
from roomcode.protocol.events import Event, StepEnded, Text, Usage
from roomcode.session import LAST, NEW, SessionError, SessionFolder
from tests.support.runtimes import Bench
from tests.support.tiny_gguf import write_hybrid, write_llama

MODELS: dict[str, Callable[[Path], Path]] = {
    "plain": lambda path: write_llama(path, context=16_384),
    "hybrid": write_hybrid,
}


class Tiny:
    """Runtimes of one project on a tiny model with random weights. What it says makes no sense and ends at its first
    words, but it is computed, kept and brought back like that of any other."""

    def __init__(self, folder: Path, model: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.states = folder / "states"
        self.sessions = SessionFolder(self.project, folder / "sessions")
        self.model = model
        self.usages: list[Usage] = []
        self.runtimes: list[Runtime] = []

    async def loaded(self, resume: str = NEW) -> Runtime:
        settings = Settings(model=str(self.model), context=4096, seed=3, mode="auto")
        runtime = Runtime(self.project, settings, sessions=self.sessions, resume=resume, states=self.states)

        def on_event(event: Event) -> None:
            if isinstance(event, Text):
                runtime.stop()
            elif isinstance(event, StepEnded):
                self.usages.append(event.usage)

        runtime.subscribe(on_event)
        self.runtimes.append(runtime)
        await runtime.load()
        return runtime

    async def ask(self, runtime: Runtime, prompt: str) -> Usage:
        await runtime.request(prompt)
        return self.usages[-1]

    async def close(self) -> None:
        for runtime in self.runtimes:
            await runtime.close()


@pytest.mark.parametrize("kind", MODELS)
async def test_coming_back_to_a_session_computes_only_what_is_new(kind: str, tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, MODELS[kind](tmp_path / "tiny.gguf"))
    runtime = await tiny.loaded()
    prefix = len(runtime.agent.conversation.prefix)
    # A stop takes memory that cannot be cut back to where the answer began, which here is a few words long.
    slack = 2 if kind == "plain" else 50
    assert (await tiny.ask(runtime, "the first thing " * 20)).reused == 0
    first, said = runtime.session, len(runtime.agent.conversation)
    await runtime.new_task()
    other = await tiny.ask(runtime, "something else " * 30)
    assert prefix <= other.reused < prefix + 100, "a new task has the prefix"
    second, said_there = runtime.session, len(runtime.agent.conversation)
    for session, before in ((first, said), (second, said_there)):
        await runtime.open_session(session)
        usage = await tiny.ask(runtime, "go on")
        assert usage.reused >= before - slack, session
        assert usage.new < 200
    await runtime.open_session(first)
    before = len(runtime.agent.conversation)
    assert await runtime.fork(2) == "go on"
    forked = await tiny.ask(runtime, "go on another way")
    # Memory that cannot be cut goes back to the last checkpoint before the fork.
    assert forked.reused >= (said - slack if kind == "plain" else prefix)
    assert forked.reused < before
    await tiny.close()
    # And after a start of the program.
    again = await tiny.loaded(resume=first)
    before = len(again.agent.conversation)
    assert (await tiny.ask(again, "and on")).reused >= before - slack
    await tiny.close()


async def test_a_deleted_session_takes_what_was_computed_for_it_along(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, MODELS["plain"](tmp_path / "tiny.gguf"))
    runtime = await tiny.loaded()
    await tiny.ask(runtime, "the first thing")
    first = runtime.session
    await runtime.new_task()
    await tiny.ask(runtime, "the second thing")
    with pytest.raises(SessionError, match=rf"^Session {runtime.session} is open: start a new task"):
        await runtime.delete_session(LAST)
    second = runtime.session
    await runtime.new_task()
    assert await runtime.delete_session(first) == first
    await runtime.close()
    kept = [path.name.split(".")[1:-1] for path in tiny.states.glob("*.state")]
    assert sorted(kept) == [[], [second]], "the prefix, and the state of the session that is left"
    assert [info.id for info in tiny.sessions.sessions()] == [second]


async def test_sessions_that_are_too_many_go_with_their_states(bench: Bench, tmp_path: Path) -> None:
    from msgspec.structs import replace

    runtime = await bench.loaded("One.", "Two.", "Three.", "Four.")
    states = tmp_path / "states"
    states.mkdir()
    ids: list[str] = []
    for number in range(3):
        await runtime.new_task()
        await runtime.request(f"number {number}")
        ids.append(runtime.session)
        (states / f"0.{runtime.session}.state").write_bytes(b"x")
    await runtime.close()
    last = bench.runtime("Five.", resume=LAST)
    last.settings = replace(last.settings, sessions_keep=2)
    last._states = states
    await last.load()
    assert [info.id for info in last.sessions()] == [ids[2], ids[1]]
    assert sorted(path.name for path in states.iterdir()) == sorted(f"0.{number}.state" for number in ids[1:])


async def test_a_request_that_is_being_stopped_is_waited_for(bench: Bench) -> None:
    runtime = await bench.loaded("One.", "Begun.\n#! delay 60000\nlate", "Three.")
    await runtime.request("first")
    first = runtime.session
    begun = asyncio.Event()
    runtime.subscribe(lambda event: begun.set() if isinstance(event, Text) else None)
    running = asyncio.create_task(runtime.request("wait"))
    await begun.wait()
    runtime.stop()
    await runtime.new_task()
    assert (await running).reason == "stopped"
    assert runtime.session != first
    assert (await runtime.request("second")).answer == "Three."
    assert [(info.id, info.requests) for info in runtime.sessions()][1] == (first, 2), "it ended where it belongs"


async def test_a_request_that_comes_while_a_session_is_entered_belongs_to_that_session(bench: Bench) -> None:
    runtime = await bench.loaded("One.", "Two.")
    await runtime.request("first")
    first = runtime.session
    switching = asyncio.create_task(runtime.new_task())
    await asyncio.sleep(0)
    asking = asyncio.create_task(runtime.request("second"))
    await asyncio.sleep(0)
    # A third wish, which is not allowed to come between.
    late = asyncio.create_task(runtime.open_session(first))
    await switching
    assert (await asking).request == 1
    (outcome,) = await asyncio.gather(late, return_exceptions=True)
    assert outcome is None or "stop it first" in str(outcome)
    titles = {info.id: info.title for info in runtime.sessions()}
    assert sorted(titles.values()) == ["first", "second"]


async def test_closing_while_a_session_is_entered_waits_for_it(bench: Bench) -> None:
    runtime = await bench.loaded("One.")
    await runtime.request("first")
    switching = asyncio.create_task(runtime.new_task())
    await asyncio.sleep(0)
    await runtime.close()
    await switching
    assert not bench.sessions.others(), "no lock is left behind"
    assert [info.requests for info in bench.sessions.sessions()] == [1]


class Stopping:
    """Progress that stops the loading when it comes to `at`, and goes on when that wish is known."""

    def __init__(self, runtime: Runtime, at: str) -> None:
        self._runtime = runtime
        self._at = at
        self._loop = asyncio.get_running_loop()

    def __call__(self, what: str, _share: float) -> None:
        if what != self._at:
            return
        if threading.current_thread() is threading.main_thread():
            self._runtime.stop()
            return
        known = threading.Event()
        self._loop.call_soon_threadsafe(self._runtime.stop)
        self._loop.call_soon_threadsafe(lambda: self._loop.call_soon(known.set))
        known.wait(10)


async def test_a_stop_ends_the_loading_of_a_model(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, MODELS["plain"](tmp_path / "tiny.gguf"))
    for at in ("checking the model file", "loading the model"):
        settings = Settings(model=str(tiny.model), context=4096)
        runtime = Runtime(tiny.project, settings, sessions=tiny.sessions, states=tiny.states)

        with pytest.raises(EngineError, match="loading of the model was stopped"):
            await runtime.load(Stopping(runtime, at))
        with pytest.raises(EngineError, match="not loaded"):
            _ = runtime.engine
        await runtime.load()
        assert runtime.engine.info.context == 4096
        await runtime.close()


async def test_closing_ends_the_loading_of_a_model(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, MODELS["plain"](tmp_path / "tiny.gguf"))
    runtime = Runtime(tiny.project, Settings(model=str(tiny.model), context=4096), states=tiny.states)
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()
    load = asyncio.create_task(runtime.load(lambda _what, _share: loop.call_soon_threadsafe(begun.set)))
    await begun.wait()
    await runtime.close()
    with pytest.raises(EngineError, match="stopped"):
        await load
