"""`roomcode files`, `roomcode undo`, `roomcode redo`: earlier versions of what the agent changed."""

import difflib
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from roomcode.protocol.display import FileChange
from roomcode.workspace import Plan, Row, Workspace, WorkspaceError

__all__ = ["files", "redo", "undo"]

_DIFF_LINES = 40
"""Of each file, in a question."""
_folder = click.option(
    "--dir",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The project (default: here).",
)


@contextmanager
def _workspace(folder: Path) -> Iterator[Workspace]:
    """The project's files; what goes wrong with them is one sentence on stderr."""
    workspace = None
    try:
        workspace = Workspace(folder)
        yield workspace
    except WorkspaceError as error:
        raise click.ClickException(str(error)) from None
    finally:
        if workspace is not None:
            workspace.close()


@click.group()
def files() -> None:
    """Versions of the files that the agent changed: list, show, compare, bring back."""


@files.command("log")
@click.argument("path", required=False)
@click.option("-n", "--limit", type=click.IntRange(1), default=50, help="How many versions (default: 50).")
@_folder
def log(path: str | None, limit: int, folder: Path) -> None:
    """List versions, newest first; of one file with PATH.

    The last column is the request that made it: the number for `roomcode undo --request`.
    """
    with _workspace(folder) as workspace:
        rows = workspace.versions(path, limit=limit)
        if not rows:
            of = f" of {path}" if path else ""
            click.echo(f"There are no versions{of} yet.", err=True)
        for row in rows:
            click.echo(_line(row))


def _line(row: Row) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row.time))
    kept = "" if row.kept else "  (content not kept)"
    request = f"  request {row.operation}" if row.operation is not None else ""
    return f"{when}  {row.shown}@{row.number}  {row.deed}, {row.author}{request}{kept}"


@files.command("show")
@click.argument("version", metavar="PATH[@N]")
@_folder
def show(version: str, folder: Path) -> None:
    """Write a version to the standard output, byte for byte; without @N the latest one."""
    with _workspace(folder) as workspace:
        row = _row(workspace, *_parsed(workspace, version))
        sys.stdout.buffer.write(_content(workspace, row))


@files.command("diff")
@click.argument("version", metavar="PATH[@N]")
@_folder
def diff(version: str, folder: Path) -> None:
    """What changed from a version to the file as it is now; without @N from the version before."""
    with _workspace(folder) as workspace:
        plan = workspace.plan_restore(*_parsed(workspace, version))
        change = plan.files[0].change
        click.echo("\n".join(_diff(FileChange(change.path, change.after, change.before))))


@files.command("restore")
@click.argument("version", metavar="PATH[@N]")
@_folder
def restore(version: str, folder: Path) -> None:
    """Bring back a version of a file; without @N the one before. What it replaces stays as a version."""
    with _workspace(folder) as workspace:
        _carry_out(workspace, workspace.plan_restore(*_parsed(workspace, version)), set())


@click.command()
@click.option("--request", "-r", type=int, help="The request to take back (see `roomcode files log`).")
@click.option("--force", is_flag=True, help="Also files that were changed since.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@_folder
def undo(request: int | None, force: bool, yes: bool, folder: Path) -> None:
    """Take back what the last request did to the files, after showing it.

    Files that were changed since are named and left. `roomcode redo` brings everything back.
    """
    with _workspace(folder) as workspace:
        plan = workspace.plan_undo(request, any_session=True)
        _ask_and_do(workspace, plan, force, yes)


@click.command()
@click.option("--force", is_flag=True, help="Also files that were changed since.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@_folder
def redo(force: bool, yes: bool, folder: Path) -> None:
    """Bring back what the last `undo` took back, after showing it."""
    with _workspace(folder) as workspace:
        _ask_and_do(workspace, workspace.plan_redo(any_session=True), force, yes)


def _ask_and_do(workspace: Workspace, plan: Plan, force: bool, yes: bool) -> None:
    anyway = {file.path for file in plan.files if force}
    chosen = [file for file in plan.files if file.goes(anyway)]
    if chosen and not yes:
        for file in chosen:
            lines = _diff(file.change)
            click.echo("\n".join(lines[:_DIFF_LINES]), err=True)
            if len(lines) > _DIFF_LINES:
                click.echo(f"... {len(lines) - _DIFF_LINES} more lines", err=True)
        if not sys.stdin.isatty():
            raise click.UsageError("This changes files. Say --yes when nobody can be asked.")
        click.confirm("Change these files?", default=True, abort=True, err=True)
    _carry_out(workspace, plan, anyway)


def _carry_out(workspace: Workspace, plan: Plan, anyway: set[str]) -> None:
    outcome = workspace.carry_out(plan, anyway)
    for path in outcome.done:
        click.echo(f"{plan.deed}: {path}")
    for path, reason in outcome.left:
        click.echo(f"left as it is: {path} ({reason})", err=True)
    if outcome.left and not outcome.done:
        raise click.ClickException("No file was changed. --force changes files that were changed since.")


def _parsed(workspace: Workspace, version: str) -> tuple[str, int | None]:
    """PATH or PATH@N; a file whose own name ends like that goes first."""
    path, mark, number = version.rpartition("@")
    if mark and path and number.isdecimal() and not workspace.versions(version, limit=1):
        return path, int(number)
    return version, None


def _row(workspace: Workspace, path: str, number: int | None) -> Row:
    rows = workspace.versions(path)
    found = rows[:1] if number is None else [row for row in rows if row.number == number]
    if not found:
        which = f"version {number}" if number is not None else "version"
        raise WorkspaceError(f"There is no {which} of {path}. `roomcode files log {path}` lists them.")
    return found[0]


def _content(workspace: Workspace, row: Row) -> bytes:
    if row.digest is None:
        raise WorkspaceError(f"{row.shown} was deleted in version {row.number}.")
    content = workspace.version_content(row)
    if content is None:
        raise WorkspaceError(f"The content of version {row.number} of {row.shown} is not kept.")
    return content


def _diff(change: FileChange) -> list[str]:
    before = (change.before or "").splitlines()
    after = (change.after or "").splitlines()
    old_name = change.path if change.before is not None else "(no file)"
    new_name = change.path if change.after is not None else "(no file)"
    return list(difflib.unified_diff(before, after, old_name, new_name, lineterm="")) or [f"{change.path}: no change"]
