"""Undo, redo, versions and restore in the app, on real files."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from roomcode.protocol.display import FileChange
from roomcode.protocol.events import Result
from roomcode.tui.app import RoomcodeApp
from roomcode.tui.foreign import is_safe
from roomcode.tui.items import Problem, Remark
from roomcode.tui.replay import Pause, ReplayBackend
from roomcode.tui.screens.files import FilesPanel, VersionsPanel
from roomcode.tui.screens.plan import PlanPanel
from roomcode.workspace import TextFile, Workspace

Until = Callable[[Callable[[], object]], Any]
Running = Callable[..., Any]

NASTY = "[bold]x[] \x1b[2J\x07 \u202e\n日本.js"


def write(workspace: Workspace, name: str, text: str) -> FileChange:
    target = workspace.resolve(name)
    before = workspace.load(target) if target.path.exists() else None
    file = before.file.with_text(text) if before else TextFile(text)
    workspace.save(target, file, before=before, reader="conversation", tool="write_file")
    return FileChange(target.shown, before.file.text if before else None, text)


@pytest.fixture
def workspace(project: Path) -> Iterator[Workspace]:
    """Request 1 changed index.html, request 2 changed it again and made app.js."""
    workspace = Workspace(project)
    workspace.begin_request(1)
    write(workspace, "index.html", "<!doctype html>\n<h1>One</h1>\n")
    workspace.begin_request(2)
    write(workspace, "index.html", "<!doctype html>\n<h1>Two</h1>\n")
    write(workspace, "app.js", "let a = 1;\n")
    yield workspace
    workspace.close()


@pytest.fixture
def backend(workspace: Workspace, project: Path) -> ReplayBackend:
    return ReplayBackend(project=project, workspace=workspace)


def app_of(pilot: Pilot[Any]) -> RoomcodeApp:
    assert isinstance(pilot.app, RoomcodeApp)
    return pilot.app


def screen_text(app: RoomcodeApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


def shows(app: RoomcodeApp, kind: type) -> bool:
    """A panel is there, with its lines."""
    return isinstance(app.screen, kind) and bool(app.screen.query_one(OptionList).option_count)


def warned(app: RoomcodeApp) -> str:
    return " ".join(note.message for note in app._notifications)


async def command(pilot: Pilot[Any], text: str) -> RoomcodeApp:
    app = app_of(pilot)
    app.prompt.text = text
    await pilot.press("enter")
    return app


async def plan(pilot: Pilot[Any], text: str, until: Until) -> RoomcodeApp:
    """The app with the preview of a command open."""
    app = await command(pilot, text)
    await until(lambda: shows(app, PlanPanel))
    await pilot.pause()
    return app


def heading(project: Path) -> str:
    return (project / "index.html").read_text().partition("<h1>")[2].partition("<")[0]


async def test_undo_shows_first_what_will_change(
    running: Running, until: Until, backend: ReplayBackend, project: Path
) -> None:
    async with running(backend) as pilot:
        app = await plan(pilot, "/undo", until)
        text = screen_text(app)
        assert "undo 2 files: takes back request 2 of" in text
        assert "✓ index.html  +1 -1" in text
        assert "✓ app.js  is deleted" in text
        assert "<h1>One</h1>" in text
        assert "Space" not in text
        assert heading(project) == "Two"


async def test_one_key_does_it_and_a_note_stands_in_the_timeline(
    running: Running, until: Until, backend: ReplayBackend, project: Path
) -> None:
    async with running(backend) as pilot:
        app = await plan(pilot, "/undo", until)
        await pilot.press("y")
        await until(lambda: "undone: index.html, app.js" in screen_text(app))
        assert len(app.screen_stack) == 1
        assert heading(project) == "One"
        assert not (project / "app.js").exists()
        assert "/redo brings it back" in screen_text(app)
        await plan(pilot, "/redo", until)
        await pilot.press("y")
        await until(lambda: "redone: index.html, app.js" in screen_text(app))
        assert heading(project) == "Two"


@pytest.mark.parametrize("key", ["escape", "n", "q"])
async def test_leaving_the_preview_changes_nothing(
    running: Running, until: Until, backend: ReplayBackend, project: Path, key: str
) -> None:
    async with running(backend) as pilot:
        app = await plan(pilot, "/undo", until)
        await pilot.press("enter", key)
        await until(lambda: len(app.screen_stack) == 1)
        assert heading(project) == "Two"
        assert not any(isinstance(item, Remark) for item in app.story.items)


async def test_a_file_changed_by_hand_is_left_unless_the_person_says_so(
    running: Running, until: Until, backend: ReplayBackend, project: Path
) -> None:
    (project / "index.html").write_text("mine\n")
    async with running(backend) as pilot:
        app = await plan(pilot, "/undo", until)
        assert "– index.html" in screen_text(app)
        assert "Left as it is, because it was changed by hand since" in screen_text(app)
        await pilot.press("y")
        await until(lambda: "left as it is: index.html" in screen_text(app))
        assert (project / "index.html").read_text() == "mine\n"
        assert not (project / "app.js").exists()


@pytest.mark.parametrize("key", ["space", "enter"])
async def test_space_takes_a_changed_file_along_and_its_state_stays_a_version(
    running: Running, until: Until, backend: ReplayBackend, project: Path, workspace: Workspace, key: str
) -> None:
    (project / "index.html").write_text("mine\n")
    async with running(backend) as pilot:
        app = await plan(pilot, "/undo", until)
        await pilot.press(key)
        await until(lambda: "! index.html" in screen_text(app))
        await pilot.press(key)
        await until(lambda: "– index.html" in screen_text(app))
        await pilot.press(key, "y")
        await until(lambda: "undone: index.html, app.js" in screen_text(app))
        assert heading(project) == "One"
        assert b"mine\n" in [workspace.version_content(row) for row in workspace.versions("index.html")]


async def test_when_every_file_would_be_left_nothing_is_done(
    running: Running, until: Until, backend: ReplayBackend, project: Path
) -> None:
    (project / "index.html").write_text("mine\n")
    (project / "app.js").unlink()
    async with running(backend) as pilot:
        app = await plan(pilot, "/undo 1", until)
        await pilot.press("y")
        await until(lambda: "No file would be changed." in warned(app))
        assert isinstance(app.screen, PlanPanel)


async def test_undo_of_a_request_by_its_number(
    running: Running, until: Until, backend: ReplayBackend, project: Path
) -> None:
    async with running(backend) as pilot:
        app = await plan(pilot, "/undo 1", until)
        assert "changed later by agent (request 2)" in " ".join(screen_text(app).split())
        await pilot.press("space", "y")
        await until(lambda: "undone: index.html" in screen_text(app))
        assert heading(project) == "Hi"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/undo 77", "There is no request 77 that changed files"),
        ("/redo", "There is nothing to redo"),
        ("/undo two", "takes a request's number"),
    ],
)
async def test_what_cannot_be_done_is_one_sentence(
    running: Running, until: Until, backend: ReplayBackend, text: str, said: str
) -> None:
    async with running(backend) as pilot:
        app = await command(pilot, text)
        await until(lambda: said in " ".join(screen_text(app).split()) + warned(app))
        assert len(app.screen_stack) == 1


async def test_undoing_walks_back_request_by_request_and_then_says_that_it_is_done(
    running: Running, until: Until, backend: ReplayBackend, project: Path
) -> None:
    async with running(backend) as pilot:
        app = app_of(pilot)
        for expected in ("One", "Hi"):
            await plan(pilot, "/undo", until)
            await pilot.press("y")
            await until(lambda expected=expected: heading(project) == expected and len(app.screen_stack) == 1)
        await command(pilot, "/undo")
        await until(lambda: "There is nothing to undo." in screen_text(app))


async def test_while_a_request_runs_undo_is_refused(
    running: Running, until: Until, backend: ReplayBackend, project: Path
) -> None:
    backend.scenes = [[Pause(asyncio.Event())]]
    async with running(backend) as pilot:
        app = await command(pilot, "go")
        await until(lambda: app.conductor.running)
        for key in ("/undo", "/redo", "/fork"):
            await command(pilot, key)
            await until(lambda: "Stop the agent first (Esc), before" in warned(app))
        assert backend.steered == []
        await pilot.press("escape")
        await until(lambda: not app.conductor.running)
        await plan(pilot, "/undo", until)


async def test_a_file_that_changes_while_the_preview_is_open_is_left(
    running: Running, until: Until, backend: ReplayBackend, project: Path
) -> None:
    async with running(backend) as pilot:
        app = await plan(pilot, "/undo", until)
        (project / "index.html").write_text("just now\n")
        await pilot.press("y")
        await until(lambda: "it was changed just now" in " ".join(screen_text(app).split()))
        assert (project / "index.html").read_text() == "just now\n"


async def test_a_request_that_starts_while_the_preview_is_open_goes_first(
    running: Running, until: Until, backend: ReplayBackend, project: Path
) -> None:
    backend.scenes = [[Pause(asyncio.Event())]]
    async with running(backend) as pilot:
        app = await plan(pilot, "/undo", until)
        app.conductor.send("go")
        await pilot.press("y")
        await until(lambda: "Stop the agent first" in warned(app))
        assert heading(project) == "Two"


async def test_f9_is_undo_and_u_in_the_files_panel_too(running: Running, until: Until, backend: ReplayBackend) -> None:
    async with running(backend) as pilot:
        app = app_of(pilot)
        await pilot.press("f9")
        await until(lambda: shows(app, PlanPanel))
        await pilot.press("escape", "f2")
        await until(lambda: shows(app, FilesPanel))
        await pilot.press("u")
        await until(lambda: shows(app, PlanPanel))
        await pilot.press("y")
        await until(lambda: len(app.screen_stack) == 1 and "undone" in screen_text(app))


async def test_the_files_panel_shows_what_is_there_now(
    running: Running, until: Until, backend: ReplayBackend, project: Path
) -> None:
    change = FileChange("index.html", "<!doctype html>\n<h1>One</h1>\n", "<!doctype html>\n<h1>Two</h1>\n")
    backend.past = [Result(call="1", tool="edit_file", state="ok", text="", display=change)]
    (project / "index.html").write_text("<!doctype html>\n<h1>By hand</h1>\n")
    async with running(backend) as pilot:
        app = app_of(pilot)
        await pilot.press("f2")
        await until(lambda: shows(app, FilesPanel) and "By hand" in screen_text(app))
        text = screen_text(app)
        assert "index.html  +1 -1" in text
        assert "3 versions" in text
        assert "before this session  1 version" in text
        await pilot.press("down")
        await until(lambda: "let a = 1;" in screen_text(app))


async def test_versions_of_a_file_can_be_seen_and_restored(
    running: Running, until: Until, backend: ReplayBackend, project: Path
) -> None:
    async with running(backend) as pilot:
        app = app_of(pilot)
        await pilot.press("f2")
        await until(lambda: shows(app, FilesPanel) and "app.js" in screen_text(app))
        await pilot.press("down", "enter")
        await until(lambda: shows(app, VersionsPanel) and "as it was" in screen_text(app))
        text = screen_text(app)
        assert "index.html: 3 versions, newest first" in text
        assert "written, agent" in text
        assert "request 2" in text
        await pilot.press("down", "down")
        await until(lambda: "<h1>Hi</h1>" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: shows(app, PlanPanel) and "restore index.html" in screen_text(app))
        assert heading(project) == "Two"
        await pilot.press("y")
        await until(lambda: "restored: index.html" in screen_text(app))
        assert heading(project) == "Hi"
        await plan(pilot, "/undo", until)
        await pilot.press("y")
        await until(lambda: heading(project) == "Two")


async def test_esc_goes_back_one_panel_at_a_time(running: Running, until: Until, backend: ReplayBackend) -> None:
    async with running(backend) as pilot:
        app = app_of(pilot)
        await pilot.press("f2")
        await until(lambda: shows(app, FilesPanel))
        await pilot.press("down", "enter")
        await until(lambda: shows(app, VersionsPanel))
        await pilot.press("down", "enter")
        await until(lambda: shows(app, PlanPanel))
        for left in (3, 2, 1):
            await pilot.press("escape")
            await until(lambda left=left: len(app.screen_stack) == left)
        assert app.prompt.has_focus


async def test_restoring_what_is_there_already_is_one_sentence(
    running: Running, until: Until, backend: ReplayBackend
) -> None:
    async with running(backend) as pilot:
        app = app_of(pilot)
        await pilot.press("f2")
        await until(lambda: shows(app, FilesPanel))
        await pilot.press("enter")
        await until(lambda: shows(app, VersionsPanel))
        await pilot.press("enter")
        await until(lambda: "already is as in version" in warned(app))


async def test_o_opens_the_chosen_file(running: Running, until: Until, backend: ReplayBackend, project: Path) -> None:
    from roomcode.tui.opening import Opener

    launched: list[str] = []
    opener = Opener(lambda target: bool(launched.append(target)) or True)
    async with running(backend, opener=opener) as pilot:
        app = app_of(pilot)
        await pilot.press("f2")
        await until(lambda: shows(app, FilesPanel))
        await pilot.press("o")
        await until(lambda: launched == [str((project / "app.js").resolve())])
        (project / "index.html").unlink()
        await pilot.press("down", "o")
        await until(lambda: "There is no such file now." in warned(app))
        assert len(launched) == 1


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (20, 8)])
async def test_foreign_names_and_texts_stay_text_in_every_panel(
    running: Running, until: Until, project: Path, size: tuple[int, int]
) -> None:
    (project / NASTY).write_text("a\n")
    workspace = Workspace(project)
    workspace.begin_request(1)
    change = write(workspace, NASTY, "\x1b[31mred[/red] [link=x]\n")
    write(workspace, "b.txt", "b\n")
    (project / "b.txt").write_text("mine")
    past = [Result(call="1", tool="w", state="ok", text="", display=change)]
    backend = ReplayBackend(project=project, workspace=workspace, past=past)
    async with running(backend, size=size) as pilot:
        app = app_of(pilot)
        await pilot.press("f2")
        await until(lambda: shows(app, FilesPanel))
        for kind in (VersionsPanel, PlanPanel):
            await pilot.press("enter" if kind is VersionsPanel else "down")
            if kind is PlanPanel:
                await pilot.press("enter")
            await until(lambda kind=kind: shows(app, kind))
            await pilot.pause()
            assert all(is_safe(line) for line in screen_text(app).split("\n"))
        await pilot.resize_terminal(60, 16)
        await pilot.pause()
        assert all(is_safe(line) for line in screen_text(app).split("\n"))
        await pilot.press("y")
        await until(lambda: len(app.screen_stack) == 1)
        await pilot.pause(0.1)
        assert all(is_safe(line) for line in screen_text(app).split("\n"))
        assert (project / NASTY).read_text() == "a\n"
        assert not any(isinstance(item, Problem) for item in app.story.items)
    workspace.close()


async def test_a_resize_with_an_open_preview_keeps_the_choice(
    running: Running, until: Until, backend: ReplayBackend, project: Path
) -> None:
    (project / "app.js").write_text("mine\n")
    async with running(backend, size=(120, 40)) as pilot:
        app = await plan(pilot, "/undo", until)
        await pilot.press("down", "space")
        for size in ((40, 12), (20, 8), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        await until(lambda: "! app.js" in screen_text(app))
        assert app.screen.query_one(OptionList).highlighted == 1
