"""Backends, apps and helpers for the tests of the app."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from roomcode.tui.app import RoomcodeApp
from roomcode.tui.backend import ModelRow, OnPull
from roomcode.tui.brush import Brush
from roomcode.tui.palette import Palette
from roomcode.tui.replay import ReplayBackend
from roomcode.tui.themes import own_themes


class FakeShelf:
    """Three models; fetching one is recorded."""

    memory = 8_000_000_000

    def __init__(self) -> None:
        self.pulled: list[str] = []
        self.proved: list[str] = []
        self.pull_error: Exception | None = None
        self.list = [
            ModelRow("tiny", "for tests", 100_000_000, 500_000_000, True, True),
            ModelRow("good", "for web pages", 1_100_000_000, 2_000_000_000, True, False, recommended=True),
            ModelRow("huge", "for servers", 40_000_000_000, 50_000_000_000, False, False),
        ]

    def rows(self) -> list[ModelRow]:
        return self.list

    def pull(self, name: str, on_pull: OnPull) -> None:
        on_pull("index", 50, 100)
        if self.pull_error is not None:
            raise self.pull_error
        self.pulled.append(name)

    async def prove(self, name: str) -> str:
        self.proved.append(name)
        return f"{name} works"


class Time:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def shelf() -> FakeShelf:
    return FakeShelf()


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def brush() -> Brush:
    variables = own_themes()[0].to_color_system().generate()
    return Brush(Palette.from_theme(variables, ansi=False))


Running = Callable[..., AbstractAsyncContextManager[Pilot[int]]]


@pytest.fixture
def running(shelf: FakeShelf, clock: Time) -> Running:
    """Opens the app on a backend, with the model loaded."""

    @asynccontextmanager
    async def run(
        backend: ReplayBackend, size: tuple[int, int] = (80, 24), **options: Any
    ) -> AsyncIterator[Pilot[int]]:
        kind = options.pop("kind", RoomcodeApp)
        app = kind(backend, shelf, clock=options.pop("clock", clock), **options)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            if backend.loading is None:
                async with asyncio.timeout(5):
                    while not app.conductor.loads_done:  # noqa: ASYNC110 -- the app has no event for it
                        await asyncio.sleep(0.005)
                await pilot.pause()
            yield pilot

    return run


@pytest.fixture
def until() -> Callable[..., Any]:
    """Waits for a condition, at most five seconds."""

    async def wait(condition: Callable[[], object]) -> None:
        async with asyncio.timeout(5):
            while not condition():  # noqa: ASYNC110 -- what is waited for has no event
                await asyncio.sleep(0.005)

    return wait


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "index.html").write_text("<!doctype html>\n<h1>Hi</h1>\n")
    return folder
