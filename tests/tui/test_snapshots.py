"""Pictures of each screen, small and large. `pytest --snapshot-update` takes them anew; look at them afterwards."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from textual.pilot import Pilot

from roomcode.protocol.display import FileChange, PageReport
from roomcode.protocol.events import (
    Approval,
    Call,
    CallArgs,
    CallOpened,
    Event,
    Note,
    RequestEnded,
    Result,
    StepEnded,
    StepStarted,
    Text,
    Usage,
)
from roomcode.tui.app import RoomcodeApp
from roomcode.tui.backend import Facts, NoModelError
from roomcode.tui.replay import Pause, ReplayBackend
from roomcode.tui.screens.panel import ListPanel
from roomcode.tui.screens.picture import PicturePanel

NAMES = ["help", "files", "console", "models", "settings", "sessions"]
SIZES = [pytest.param((80, 24), id="80x24"), pytest.param((120, 40), id="120x40")]

HTML = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Tip calculator</title>
  <link rel="stylesheet" href="style.css">
</head>
<body>
  <h1>Tip calculator</h1>
  <input id="bill" type="number" placeholder="Bill">
  <script src="app.js"></script>
</body>
</html>
"""
SCRIPT = """const bill = document.querySelector('#bill');
const tip = 0.1;

function total(amount) {
  return amount * 1.1;
}

bill.addEventListener('input', () => {
  console.log(total(bill.value));
});
"""
BETTER = SCRIPT.replace("0.1;", "0.15;").replace("amount * 1.1", "Number(amount) * (1 + tip)")
USAGE = Usage(new=412, reused=2_700, sampled=120, forced=20, prefill_seconds=1, seconds=4.4)


def first_steps() -> list[Event]:
    """Reading, writing, a failure, a repair, a compaction and a page with an error."""
    report = PageReport(
        "http://127.0.0.1:5173/", 5173, "Tip calculator", "errors", ("app.js:4 ReferenceError: tipp is not defined",)
    )
    numbered = "\n".join(f"{number}: {line}" for number, line in enumerate(HTML.splitlines(), 1))
    return [
        StepStarted(step=1),
        Text(text="I look at the page ", thought=True),
        Text(text="I'll look at the **page** first, then:\n\n- the `<title>` tag\n- the total\n\n"),
        Text(text="```js\nconst a = 1; // one\n```\n"),
        CallOpened(call="1.1.1", tool="read_file"),
        Call(call="1.1.1", tool="read_file", arguments={"path": "index.html"}, repairs=("path taken from file_path",)),
        Result(call="1.1.1", tool="read_file", state="ok", text=numbered, seconds=0.02),
        StepEnded(step=1, usage=USAGE, context_used=3_100, context_budget=12_224),
        StepStarted(step=2),
        CallOpened(call="1.2.1", tool="write_file"),
        Call(call="1.2.1", tool="write_file", arguments={"path": "index.html", "content": HTML}),
        Result(call="1.2.1", tool="write_file", state="ok", text="", display=FileChange("index.html", None, HTML)),
        CallOpened(call="1.2.2", tool="edit_file"),
        Call(call="1.2.2", tool="edit_file", arguments={"path": "missing.js", "old": "x", "new": "y"}),
        Result(call="1.2.2", tool="edit_file", state="failed", text="missing.js does not exist.\nUse list_dir."),
        Note(topic="compaction", text="older steps shortened to fit the context (12400 → 7300 tokens)"),
        StepEnded(step=2, usage=USAGE, context_used=7_300, context_budget=12_224),
        StepStarted(step=3),
        CallOpened(call="1.3.1", tool="serve"),
        Call(call="1.3.1", tool="serve", arguments={"path": ".", "port": 5173}),
        Result(call="1.3.1", tool="serve", state="ok", text="", display=report, seconds=0.8),
    ]


def writing() -> list[Event | Pause]:
    pieces = [CallArgs(call="1.3.2", tool="write_file", name="content", text=f"{s}\n") for s in BETTER.splitlines()]
    return [
        *first_steps(),
        CallOpened(call="1.3.2", tool="write_file"),
        CallArgs(call="1.3.2", tool="write_file", name="path", text="app.js"),
        *pieces,
        Pause(asyncio.Event()),
    ]


def asking() -> list[Event | Pause]:
    return [
        *first_steps(),
        CallOpened(call="1.3.2", tool="edit_file"),
        Call(call="1.3.2", tool="edit_file", arguments={"path": "app.js", "old": "x", "new": "y"}),
        Approval(call="1.3.2", tool="edit_file", state="asked", change=FileChange("app.js", SCRIPT, BETTER)),
    ]


def finished() -> list[Event | Pause]:
    summary = "3 steps · 4 tool calls · 420 tok · 41.2 tok/s · 12.3 s"
    return [
        *first_steps(),
        CallOpened(call="1.3.2", tool="edit_file"),
        Call(call="1.3.2", tool="edit_file", arguments={"path": "app.js"}),
        Result(call="1.3.2", tool="edit_file", state="ok", text="", display=FileChange("app.js", SCRIPT, BETTER)),
        Text(text="Done. The tip is **15 %** now."),
        StepEnded(step=3, usage=USAGE, context_used=7_900, context_budget=12_224),
        RequestEnded(
            request=1, reason="done", detail="", answer="", steps=3, calls=4, tokens=420, tok_per_s=41.2, seconds=12.3,
            files=(), summary=summary,
        ),
    ]  # fmt: skip


NOON = 1_767_355_200.0
"""The second of January 2026, at an hour when that is the date everywhere."""


@dataclass(frozen=True)
class Planned:
    change: FileChange
    conflict: str = ""
    possible: bool = True

    @property
    def path(self) -> str:
        return self.change.path

    def goes(self, anyway: Any = ()) -> bool:
        return not self.conflict or (self.possible and self.path in anyway)


@dataclass(frozen=True)
class Undo:
    files: tuple[Planned, ...]
    kind: str = "undo"
    about: str = "request 12 of 15:31"


@dataclass(frozen=True)
class Row:
    number: int
    deed: str
    author: str
    operation: int | None
    change: FileChange
    kept: bool = True
    shown: str = "app.js"
    time: float = NOON


class Kept:
    """Versions of two files, and an undo that leaves one of them."""

    rows = (
        Row(3, "changed by hand", "you", None, FileChange("app.js", BETTER, BETTER + "// mine\n")),
        Row(2, "edited", "agent", 12, FileChange("app.js", SCRIPT, BETTER)),
        Row(1, "written", "agent", 11, FileChange("app.js", None, SCRIPT)),
        Row(1, "written", "agent", 4, FileChange("old.css", None, "a {}\n"), shown="old.css"),
    )

    def versions(self, path: str | None = None, *, limit: int = 0) -> list[Row]:
        return [row for row in self.rows if path in (None, row.shown)]

    def version_change(self, row: Row) -> FileChange:
        return row.change

    def text_now(self, path: str) -> str | None:
        return {"app.js": BETTER + "// mine\n", "index.html": HTML}.get(path)

    def plan_undo(self, request: int | None = None) -> Undo:
        return Undo(
            (
                Planned(FileChange("index.html", HTML, HTML.replace("Tip calculator", "Tips"))),
                Planned(FileChange("app.js", BETTER + "// mine\n", SCRIPT), "it was changed by hand since"),
                Planned(FileChange("style.css", "body { color: red }\n", None)),
            )
        )


async def wait(pilot: Pilot[int], condition: Callable[[], object]) -> None:
    for _ in range(1_000):
        if condition():
            return
        await pilot.pause(0.01)
    raise TimeoutError("the app does not come to rest")


Act = Callable[[Pilot[int]], Awaitable[None]]


@pytest.fixture
def picture(snap_compare: Any, shelf: Any, clock: Any) -> Callable[..., bool]:
    """Compares a picture of the app after a scene and some keys."""

    def compare(
        size: tuple[int, int], scene: Any = None, keys: str = "", then: Act | None = None, **options: Any
    ) -> bool:
        backend = ReplayBackend(
            scenes=[scene()] if scene else [],
            project=Path("/home/ann/tip-calculator"),
            files=("index.html", "app.js", "my notes.txt"),
            served={5173: ("error app.js:4 ReferenceError: tipp is not defined", "info app.js:9 ready")},
            facts_when_loaded=Facts("qwen2.5-coder-1.5b", 16_384, 12_224),
            load_error=options.pop("load_error", None),
            other={"a1": [], "b2": []},
            loading=options.pop("loading", None),
            workspace=Kept(),
            values={"mode": "ask", "context": "8192", "temperature": "", "threads": ""},
            prompts=list(options.pop("prompts", ())),
        )
        app = RoomcodeApp(backend, shelf, clock=clock, version="1.2.3", **options)

        async def calm(pilot: Pilot[int]) -> None:
            """Until all is drawn that will be."""
            await wait(pilot, lambda: app.conductor.loads_done or backend.loading)
            await wait(pilot, lambda: backend.prompts or not scene)
            await wait(pilot, lambda: backend.still and app.drawn)
            await pilot.pause()

        async def act(pilot: Pilot[int]) -> None:
            if scene is not None:
                app.prompt.text = "Make a tip calculator with a dark page"
                await pilot.press("enter")
            await calm(pilot)
            for key in keys.split():
                await pilot.press(key)
                if key.startswith("f"):
                    await wait(pilot, lambda: len(app.screen_stack) == 2)
                await calm(pilot)
            if then is not None:
                await then(pilot)
            await calm(pilot)
            await pilot.pause(0.1)

        return bool(snap_compare(app, terminal_size=size, run_before=act))

    return compare


@pytest.mark.parametrize("size", SIZES)
def test_start(picture: Any, size: tuple[int, int]) -> None:
    assert picture(size)


@pytest.mark.parametrize("size", SIZES)
def test_loading_with_a_request_that_waits(picture: Any, size: tuple[int, int]) -> None:
    async def send(pilot: Pilot[int]) -> None:
        app = pilot.app
        assert isinstance(app, RoomcodeApp)
        app.prompt.text = "Make a clock"
        await pilot.press("enter")
        await wait(pilot, lambda: app.conductor.queue)

    assert picture(size, then=send, loading=asyncio.Event())


@pytest.mark.parametrize("size", SIZES)
def test_writing(picture: Any, size: tuple[int, int]) -> None:
    assert picture(size, writing)


@pytest.mark.parametrize("size", SIZES)
def test_asking(picture: Any, size: tuple[int, int]) -> None:
    assert picture(size, asking)


@pytest.mark.parametrize("size", SIZES)
def test_finished(picture: Any, size: tuple[int, int]) -> None:
    assert picture(size, finished)


@pytest.mark.parametrize("size", SIZES)
def test_scrolled_up(picture: Any, size: tuple[int, int]) -> None:
    assert picture(size, finished, "tab home")


@pytest.mark.parametrize("size", SIZES)
def test_steering_and_queue(picture: Any, size: tuple[int, int]) -> None:
    async def type_on(pilot: Pilot[int]) -> None:
        app = pilot.app
        assert isinstance(app, RoomcodeApp)
        for text, key in (("make it red", "enter"), ("then add a footer", "alt+enter"), ("a half dra", "")):
            app.prompt.text = text
            if key:
                await pilot.press(key)
                await wait(pilot, lambda: not app.prompt.text)

    assert picture(size, writing, then=type_on)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", ["f1", "f2", "f3", "f4", "f7", "f8"], ids=NAMES)
def test_panel(picture: Any, key: str, size: tuple[int, int]) -> None:
    assert picture(size, finished, key)


def on_list(pilot: Pilot[int]) -> bool:
    return isinstance(pilot.app.screen, ListPanel) and pilot.app.screen.at is not None


async def typed(pilot: Pilot[int], text: str) -> None:
    app = pilot.app
    assert isinstance(app, RoomcodeApp)
    app.prompt.text = text
    await pilot.press("enter")
    await wait(pilot, lambda: on_list(pilot))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("keys", ["", "down", "down space"], ids=["goes", "left", "anyway"])
def test_undo(picture: Any, keys: str, size: tuple[int, int]) -> None:
    async def undo(pilot: Pilot[int]) -> None:
        await typed(pilot, "/undo")
        await pilot.press(*keys.split())

    assert picture(size, finished, then=undo)


@pytest.mark.parametrize("size", SIZES)
def test_versions(picture: Any, size: tuple[int, int]) -> None:
    async def versions(pilot: Pilot[int]) -> None:
        await typed(pilot, "/files")
        await pilot.press("down", "enter")
        await wait(pilot, lambda: len(pilot.app.screen_stack) == 3 and on_list(pilot))
        await pilot.press("down")

    assert picture(size, finished, then=versions)


@pytest.mark.parametrize("size", SIZES)
def test_fork(picture: Any, size: tuple[int, int]) -> None:
    prompts = ["Make a tip calculator with a dark page", "Round the total to cents, and show the tip beside it " * 3]
    assert picture(size, then=lambda pilot: typed(pilot, "/fork"), prompts=prompts)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("setting", ["choice", "text"])
def test_another_value(picture: Any, setting: str, size: tuple[int, int]) -> None:
    async def change(pilot: Pilot[int]) -> None:
        await typed(pilot, "/settings")
        await pilot.press(*(["down"] if setting == "text" else []), "enter")
        await wait(pilot, lambda: len(pilot.app.screen_stack) == 3 and pilot.app.screen.focused)

    assert picture(size, then=change)


@pytest.mark.parametrize("size", SIZES)
def test_deleting_a_session(picture: Any, size: tuple[int, int]) -> None:
    async def delete(pilot: Pilot[int]) -> None:
        await typed(pilot, "/sessions")
        await pilot.press("d")
        await wait(pilot, lambda: len(pilot.app.screen_stack) == 3)

    assert picture(size, then=delete)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", ["v", "n", "e"], ids=["diff", "reason", "editor"])
def test_answering(picture: Any, clock: Any, key: str, size: tuple[int, int]) -> None:
    async def answer(pilot: Pilot[int]) -> None:
        clock.now += 1
        await pilot.press(key)
        await wait(pilot, lambda: len(pilot.app.screen_stack) == 2 and pilot.app.screen.focused)

    assert picture(size, asking, then=answer)


@pytest.mark.parametrize("size", SIZES)
def test_welcome(picture: Any, size: tuple[int, int]) -> None:
    error = NoModelError("There is no model on this machine yet.")
    assert picture(size, load_error=error)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("typed", ["slash", "at"])
def test_completion(picture: Any, typed: str, size: tuple[int, int]) -> None:
    assert picture(size, keys=typed)


@pytest.mark.parametrize("size", [(40, 12), (20, 8)], ids=["40x12", "20x8"])
def test_small_terminals(picture: Any, size: tuple[int, int]) -> None:
    assert picture(size, asking)


@pytest.mark.parametrize("theme", ["roomcode-light", "ansi-dark", "ansi-light"])
def test_other_themes(picture: Any, theme: str) -> None:
    assert picture((80, 24), asking, theme=theme)


SMALL = [pytest.param((40, 12), id="40x12"), pytest.param((20, 8), id="20x8")]


@pytest.mark.parametrize("size", SMALL)
@pytest.mark.parametrize("scene", [writing, finished], ids=["writing", "finished"])
def test_small_scenes(picture: Any, scene: Any, size: tuple[int, int]) -> None:
    assert picture(size, scene)


@pytest.mark.parametrize("size", SMALL)
def test_small_completion(picture: Any, size: tuple[int, int]) -> None:
    assert picture(size, keys="slash")


def test_light_colours(picture: Any) -> None:
    assert picture((80, 24), finished, "tab up", theme="roomcode-light")


@pytest.mark.parametrize("size", [*SIZES, *SMALL])
def test_picture_of_a_page(picture: Any, tmp_path: Path, size: tuple[int, int]) -> None:
    page = Image.new("RGB", (1280, 800), "#eef4ff")
    page.paste("#223344", (0, 0, 1280, 70))
    page.paste("tomato", (100, 150, 600, 500))
    page.save(tmp_path / "page.png")

    async def show(pilot: Pilot[int]) -> None:
        app = pilot.app
        assert isinstance(app, RoomcodeApp)
        report = PageReport("http://127.0.0.1:5173/", 5173, "Tips", "clean", screenshot=str(tmp_path / "page.png"))
        app.story.pages[5173] = report
        app.prompt.text = "/picture"
        await pilot.press("enter")
        await wait(pilot, lambda: isinstance(app.screen, PicturePanel) and app.screen.picture.ready)

    assert picture(size, then=show)


@pytest.mark.parametrize("theme", ["roomcode-light", "ansi-dark"])
@pytest.mark.parametrize("command", ["/undo", "/settings"], ids=["undo", "settings"])
def test_panels_in_other_themes(picture: Any, command: str, theme: str) -> None:
    async def show(pilot: Pilot[int]) -> None:
        await typed(pilot, command)
        await pilot.press("down")

    assert picture((80, 24), then=show, theme=theme)
