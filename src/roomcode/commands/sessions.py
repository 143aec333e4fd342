"""`roomcode sessions`: what was done in a project, to look at and to pass on."""

import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import click

from roomcode.session.errors import SessionError
from roomcode.session.folder import LAST, SessionFolder, all_folders
from roomcode.session.infos import SessionInfo, info_of, title_of
from roomcode.session.reports import json_lines, markdown_lines, plain_lines, when

__all__ = ["sessions"]

_NEWER = "(written by a newer roomcode)"


_folder = click.option(
    "--dir",
    "directory",
    type=click.Path(path_type=Path, file_okay=False),
    help="The project folder (default: here).",
)


@click.group(invoke_without_command=True)
@_folder
@click.option("--all", "every", is_flag=True, help="Of all projects, also of those that were moved or deleted.")
@click.pass_context
def sessions(ctx: click.Context, directory: Path | None, every: bool) -> None:
    """List the sessions of a project, the last one first.

    `roomcode run --session ID` goes on with one. An ID may be cut short as long as it is the only one.
    """
    ctx.obj = directory = directory or Path()
    if ctx.invoked_subcommand is not None:
        return
    folders = list(all_folders()) if every else [SessionFolder(directory)]
    found = sorted((i for folder in folders for i in folder.sessions()), key=lambda i: i.updated, reverse=True)
    if not found:
        click.echo("There are no sessions yet." if every else "There are no sessions of this folder yet.", err=True)
    click.echo("".join(line + "\n" for line in _table(found, every)), nl=False)


def _table(found: list[SessionInfo], every: bool) -> list[str]:
    models = [title_of(info.model, 28) for info in found]
    wide = max(map(len, models), default=0)
    lines = []
    for info, model in zip(found, models, strict=True):
        requests = f"{info.requests} request{'s' if info.requests != 1 else ' '}"
        title = _NEWER if info.newer else info.title
        where = f"  {title_of(info.project, 200)}" if every else ""
        lines.append(f"{info.id}  {when(info.updated)}  {model:{wide}}  {requests:>12}  {title}{where}".rstrip())
    return lines


@sessions.command("show")
@click.argument("session", metavar="[ID]", default=LAST)
@_folder
@click.pass_obj
def show(given: Path, session: str, directory: Path | None) -> None:
    """Show what was asked, done and answered in a session (without ID: the last one)."""
    _write(plain_lines(_find(directory or given, session)))


@sessions.command("export")
@click.argument("session", metavar="[ID]", default=LAST)
@click.option("--json", "as_json", is_flag=True, help="JSON instead of Markdown.")
@_folder
@click.pass_obj
def export(given: Path, session: str, as_json: bool, directory: Path | None) -> None:
    """Write a whole session as Markdown, with every call, result and diff (without ID: the last one).

    It holds what was read and written: look through it before you pass it on.
    """
    info = _find(directory or given, session)
    _write(json_lines(info) if as_json else markdown_lines(info))


@sessions.command("delete")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@_folder
@click.pass_obj
def delete(given: Path, ids: tuple[str, ...], yes: bool, directory: Path | None) -> int:
    """Delete sessions and what the model computed for them. Files of the project and their versions stay.

    One that is open in another roomcode is left. Old ones go by themselves: see the settings sessions_keep and
    sessions_size.
    """
    from roomcode.engine.states import StateStore, user_states

    paths = list(dict.fromkeys(_path(directory or given, session) for session in ids))
    if not yes:
        _ask(paths)
    states, code = StateStore(user_states()), 0
    for path in paths:
        folder = SessionFolder(None, path.parent)
        try:
            deleted = folder.delete(path.stem.rpartition("-")[2])
        except SessionError as error:
            print(f"roomcode: {error}", file=sys.stderr)
            code = 1
            continue
        states.drop(deleted)
        click.echo(f"deleted {deleted}")
    return code


def _ask(paths: list[Path]) -> None:
    """Returns when the person agrees. Raises UsageError where there is none to ask, Abort when they do not."""
    if not sys.stdin.isatty():
        raise click.UsageError("Give --yes to delete without being asked.")
    for line in _table([info for path in paths if (info := info_of(path)) is not None], True):
        click.echo(line, err=True)
    what = "this session" if len(paths) == 1 else f"these {len(paths)} sessions"
    click.confirm(f"Delete {what}? There is no way back.", abort=True, err=True)


def _find(directory: Path, session: str) -> SessionInfo:
    """The session of this folder, or else of any project: one that was moved has a new folder of sessions."""
    info = info_of(_path(directory, session))
    if info is None:
        raise SessionError(f"There is nothing in session {session}.")
    return info


def _path(directory: Path, session: str) -> Path:
    try:
        return SessionFolder(directory).find(session)
    except SessionError:
        if session != LAST:
            for folder in all_folders():
                with suppress(SessionError):
                    return folder.find(session)
        raise


def _write(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")
