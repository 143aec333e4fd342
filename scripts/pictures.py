"""Take the README's pictures anew: a real run of the default model in the app, and the start without a model.

Start it with `make pictures`; it takes some minutes. The pictures are SVG files in docs/pictures. They show no path of
the machine that they were taken on.
"""

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot

from roomcode.models import load_catalogue, models_dir

TARGET = Path(__file__).resolve().parent.parent / "docs" / "pictures"
MODEL = "qwen2.5-coder-1.5b"
REQUEST = (
    "Make a counter page: index.html with a heading, a div id count that shows 0 and a button id add; "
    "the JavaScript in app.js"
)
CHANGE = "In index.html change the text of the button to Click me"
LONGEST = 900.0
"""Seconds that a step of the model may take on a slow machine."""


async def until(pilot: Pilot[int], condition: Callable[[], object], what: str) -> None:
    """Wait for something, or give up."""
    end = asyncio.get_running_loop().time() + LONGEST
    while not condition():
        if asyncio.get_running_loop().time() > end:
            sys.exit(f"pictures: {what} did not happen")
        await pilot.pause(0.05)


def save(pilot: Pilot[int], name: str) -> None:
    """Write what is on the screen, without the address of a font that a reader's browser would fetch."""
    picture = re.sub(r"@font-face \{.*?\}\s*", "", pilot.app.export_screenshot(title="roomcode"), flags=re.DOTALL)
    (TARGET / f"{name}.svg").write_text(picture + "\n")
    print(f"docs/pictures/{name}.svg", flush=True)


async def take_run(project: Path) -> None:
    """One request from the approval of its first file to its end, then a change."""
    from roomcode.commands.live import LiveBackend, LiveShelf
    from roomcode.config import load
    from roomcode.protocol.events import Event, RequestEnded
    from roomcode.tui.app import RoomcodeApp

    flags = {"model": MODEL, "seed": 1, "mode": "ask"}
    resolved = load(project, flags=flags)
    backend = LiveBackend(project, resolved, flags, session="new")
    app = RoomcodeApp(backend, LiveShelf(resolved))
    ends: list[RequestEnded] = []

    def note(event: Event) -> None:
        if isinstance(event, RequestEnded):
            ends.append(event)

    backend.subscribe(note)
    async with app.run_test(size=(100, 34)) as pilot:
        await until(pilot, lambda: app.conductor.ready, "loading the model")
        banner = app.story.items[0]
        banner.lines = ("~/counter", *banner.lines[1:])  # type: ignore[attr-defined]
        app.story.changed(banner)
        await send(pilot, REQUEST)
        await until(pilot, lambda: app.desk.waiting, "the first file")
        await pilot.pause(1.0)
        save(pilot, "approval")
        await pilot.press("a")
        await until(pilot, lambda: ends, "the end of the request")
        await pilot.pause(1.0)
        save(pilot, "finished")
        await pilot.resize_terminal(80, 24)
        await send(pilot, CHANGE)
        await until(pilot, lambda: app.desk.waiting or len(ends) > 1, "the change")
        await pilot.pause(1.0)
        save(pilot, "small")
        await pilot.press("escape")
        await until(pilot, lambda: len(ends) > 1, "the end of the change")
    await backend.close()
    if ends[0].reason != "done":
        sys.exit(f"pictures: the run ended with {ends[0].reason}: {ends[0].detail}")


async def send(pilot: Pilot[int], text: str) -> None:
    from roomcode.tui.app import RoomcodeApp

    app = pilot.app
    assert isinstance(app, RoomcodeApp)
    app.prompt.focus()
    app.prompt.text = text
    await pilot.press("enter")
    await until(pilot, lambda: app.conductor.running, "the request")


async def take_welcome(project: Path) -> None:
    """The start on a machine that has no model yet."""
    from roomcode.commands.live import LiveBackend, LiveShelf
    from roomcode.config import load
    from roomcode.tui.app import RoomcodeApp

    resolved = load(project)
    backend = LiveBackend(project, resolved, {}, session="new")
    app = RoomcodeApp(backend, LiveShelf(resolved))
    async with app.run_test(size=(100, 34)) as pilot:
        await until(pilot, lambda: len(app.screen_stack) == 2, "the welcome")
        await pilot.pause(1.0)
        save(pilot, "welcome")
    await backend.close()


def main() -> None:
    models, entry = models_dir(), load_catalogue().entries[MODEL]
    if not (models / entry.filename).is_file():
        sys.exit(f"pictures: {MODEL} is not on this machine; `roomcode models pull {MODEL}` fetches it")
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="roomcode-pictures-") as folder:
        for name in ("DATA", "STATE", "CONFIG", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = folder
        project = Path(folder, "counter")
        project.mkdir()
        os.environ["ROOMCODE_MODELS"] = str(models)
        asyncio.run(take_run(project))
        os.environ["ROOMCODE_MODELS"] = str(Path(folder, "no-models"))
        asyncio.run(take_welcome(project))


if __name__ == "__main__":
    main()
