"""`roomcode app`: the app in a folder."""

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from roomcode.commands.live import LiveBackend
    from roomcode.config import Resolved

__all__ = ["app"]


@click.command()
@click.argument("directory", metavar="[DIR]", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option("--model", help="Name or path of the model.")
@click.option("--engine", help="llama, or scripted:FILE.")
@click.option("--mode", type=click.Choice(["ask", "auto"]), help="Ask before a file changes, or just change it.")
@click.option("--form", type=click.Choice(["auto", "xml", "json"]), help="How calls are written.")
@click.option("--context", type=click.IntRange(0), help="Tokens of context.")
@click.option("--checkpoints", type=click.IntRange(0, 64), help="Saved states for memory that cannot be cut; 0: none.")
@click.option("--max-steps", type=click.IntRange(1), help="Steps before a request is stopped.")
@click.option("--seed", type=click.IntRange(0), help="For the same answers again.")
@click.option("--new", is_flag=True, help="Start a new session instead of going on with the last one.")
@click.option("--session", default="", help="Go on with this session (the beginning of its id).")
@click.option("--theme", help="Colours of the app.")
@click.option("--plain", is_flag=True, help="Line by line, for screen readers and simple terminals.")
def app(directory: Path, plain: bool, new: bool, session: str, **flags: Any) -> int:
    """Open the app in a folder (default: this one). It goes on with the last session of that folder."""
    from roomcode import config
    from roomcode.commands.live import LiveBackend, LiveShelf
    from roomcode.native_output import divert_native_stderr, log_path

    if new and session:
        raise click.UsageError("Give --new or --session, not both.")
    if not directory.is_dir():
        raise click.UsageError(f"There is no folder {directory}.")
    project = directory.resolve()
    resolved = config.load(project, flags=flags)
    simple = plain or os.environ.get("TERM", "") in ("dumb", "")
    if not simple and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError('The app needs a terminal; use `roomcode run "PROMPT"` or `roomcode app --plain`.')
    log = log_path()
    divert_native_stderr(log)
    _log_to(log)
    backend = LiveBackend(project, resolved, flags, session="new" if new else session or "last")
    if simple:
        from roomcode.tui.plain import run_plain

        return asyncio.run(run_plain(backend, LiveShelf(resolved), sys.stdin, sys.stdout))
    return _run_app(backend, resolved)


def _run_app(backend: "LiveBackend", resolved: "Resolved") -> int:
    from roomcode.commands.live import LiveShelf
    from roomcode.tui.guard import restoring_terminal
    from roomcode.tui.terminal import asking

    # The terminal guard forks, which has to happen while this process is small and has one thread; the terminal has
    # time to answer while the app is imported.
    with restoring_terminal(), asking(os.environ) as inquiry:
        from roomcode.tui.run import run_app

        return run_app(
            backend,
            LiveShelf(resolved),
            theme=resolved.settings.theme,
            warnings=resolved.warnings,
            environ=os.environ,
            told=inquiry.told,
        )


def _log_to(path: Path) -> None:
    import logging

    try:
        logging.basicConfig(filename=path, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    except OSError:
        logging.basicConfig(handlers=[logging.NullHandler()])
