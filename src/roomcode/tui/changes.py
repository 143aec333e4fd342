"""Files in the app: what was changed, and bringing back what was there before."""

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roomcode.protocol.display import FileChange
from roomcode.tui.backend import KeptFiles, Plan, Version
from roomcode.tui.foreign import safe_line
from roomcode.tui.story import ChangedFile

if TYPE_CHECKING:
    from roomcode.tui.app import RoomcodeApp

__all__ = ["Changes", "FileRow", "changed_files", "heading_of", "moment", "unchanged_text"]


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file with versions: what changed since the session began, or for an earlier one in its last version."""

    change: FileChange
    versions: int
    in_session: bool


def changed_files(kept: KeptFiles, session: Sequence[ChangedFile]) -> list[FileRow]:
    """The files of this session as they are now, then those that were changed before it. Reads the disk."""
    files: dict[str, list[Version]] = {}
    for version in kept.versions():
        files.setdefault(version.shown, []).append(version)
    rows = [
        FileRow(FileChange(file.path, file.before, kept.text_now(file.path)), len(files.pop(file.path, ())), True)
        for file in session
    ]
    return [*rows, *(FileRow(kept.version_change(found[0]), len(found), False) for found in files.values())]


def moment(seconds: float) -> str:
    """A time for people: of today only the time of day."""
    then, now = time.localtime(seconds), time.localtime()
    return time.strftime("%H:%M:%S" if then[:3] == now[:3] else "%Y-%m-%d", then)


def heading_of(plan: Plan) -> str:
    """What a plan does, as the title of its preview."""
    names = [file.path for file in plan.files]
    what = names[0] if len(names) == 1 else f"{len(names)} files"
    return f"{plan.kind} {what}" + (f": takes back {plan.about}" if plan.about else "")


def unchanged_text(left: Sequence[tuple[str, str]]) -> str:
    """What is said when a plan changed nothing."""
    return "No file was changed. " + "; ".join(f"{safe_line(path)}: {safe_line(reason)}" for path, reason in left)


class Changes:
    """Nothing is changed before the person has seen it and said yes, and nothing while a request runs."""

    def __init__(self, app: "RoomcodeApp") -> None:
        self._app = app

    def show(self) -> None:
        """Open the panel of changed files."""
        self._app.errands.run(self._show())

    async def _show(self) -> None:
        from roomcode.tui.screens.files import FilesPanel

        app = self._app
        rows = await asyncio.to_thread(changed_files, app.backend.kept, list(app.story.files.values()))
        panel = FilesPanel(rows, app.brush, versions=self.versions, launch=lambda path: app.opener.open_file(path, app))
        app.push_screen(panel)

    def versions(self, path: str) -> None:
        """Open the panel of one file's versions."""
        self._app.errands.run(self._versions(path))

    async def _versions(self, path: str) -> None:
        from roomcode.tui.screens.files import VersionsPanel

        app = self._app
        kept = app.backend.kept
        rows = await asyncio.to_thread(kept.versions, path)
        if rows:
            app.push_screen(VersionsPanel(path, rows, kept, app.brush, restore=self.restore))
        else:
            app.warn(f"There are no versions of {safe_line(path)}.")

    def undo(self, request: int | None = None) -> None:
        self._preview(lambda: self._app.backend.kept.plan_undo(request))

    def redo(self) -> None:
        self._preview(self._app.backend.kept.plan_redo)

    def restore(self, path: str, number: int) -> None:
        self._preview(lambda: self._app.backend.kept.plan_restore(path, number))

    def _preview(self, make: Callable[[], Plan]) -> None:
        if self._app.errands.idle("files are taken back"):
            self._app.errands.run(self._show_plan(make))

    async def _show_plan(self, make: Callable[[], Plan]) -> None:
        from roomcode.tui.screens.plan import PlanPanel

        app = self._app
        plan = await asyncio.to_thread(make)
        app.push_screen(PlanPanel(plan, heading_of(plan), app.brush), lambda anyway: self._do(plan, anyway))

    def _do(self, plan: Plan, anyway: Collection[str] | None) -> None:
        if anyway is not None and self._app.errands.idle("files are taken back"):
            self._app.errands.run(self._carry_out(plan, anyway))

    async def _carry_out(self, plan: Plan, anyway: Collection[str]) -> None:
        app = self._app
        outcome = await app.backend.change_files(plan, anyway)
        if not outcome.done:
            app.say(unchanged_text(outcome.left), "check")
            return
        app.close_panels()
        app.timeline.to_end()
        app.hint({"undo": "/redo brings it back", "redo": "/undo takes it back"}.get(plan.kind, "/undo takes it back"))
