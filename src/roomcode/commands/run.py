"""`roomcode run`: one request without the app."""

import logging
import sys
from pathlib import Path

import click

__all__ = ["run"]


@click.command()
@click.argument("prompt")
@click.option(
    "--dir", "directory", type=click.Path(path_type=Path, file_okay=False), default=".", help="Project folder."
)
@click.option("--model", help="Name or path of the model.")
@click.option("--engine", help="llama, or scripted:FILE.")
@click.option("--yes", is_flag=True, help="Change files without asking; without it every change is refused.")
@click.option("--json", "as_json", is_flag=True, help="One event per line on stdout.")
@click.option("--continue", "go_on", is_flag=True, help="Go on with the last session of the folder.")
@click.option("--session", metavar="ID", help="Go on with this session (see `roomcode sessions`).")
@click.option("--max-steps", type=click.IntRange(1), help="Steps before the request is stopped.")
@click.option("--seed", type=click.IntRange(0), help="For the same answer again.")
@click.option("--form", type=click.Choice(["auto", "xml", "json"]), help="How calls are written.")
@click.option("--context", type=click.IntRange(0), help="Tokens of context.")
@click.option("--checkpoints", type=click.IntRange(0, 64), help="Saved states for memory that cannot be cut; 0: none.")
def run(
    prompt: str,
    directory: Path,
    model: str | None,
    engine: str | None,
    yes: bool,
    as_json: bool,
    go_on: bool,
    session: str | None,
    max_steps: int | None,
    seed: int | None,
    form: str | None,
    context: int | None,
    checkpoints: int | None,
) -> None:
    """Run one request: the answer goes to stdout, progress to stderr.

    Exit codes: 0 done, 1 error, 2 wrong usage, 3 limit, stuck or context full, 130 stopped.
    """
    import asyncio

    from roomcode import config
    from roomcode.assembly import Runtime
    from roomcode.headless import refuse_without_yes, run_request
    from roomcode.models import ModelError
    from roomcode.native_output import divert_native_stderr, log_path
    from roomcode.protocol.engine import EngineError
    from roomcode.session import LAST, NEW, SessionError, SessionFolder

    if go_on and session:
        raise click.UsageError("Give --continue or --session, not both.")
    if not prompt.strip():
        raise click.UsageError('The prompt is empty; say what to do, as in: roomcode run "Make a clock page".')
    directory.mkdir(parents=True, exist_ok=True)
    flags = {
        "model": model,
        "engine": engine,
        "max_steps": max_steps,
        "seed": seed,
        "form": form,
        "context": context,
        "checkpoints": checkpoints,
        "mode": "auto" if yes else "ask",
    }
    try:
        resolved = config.load(directory, flags=flags)
    except config.ConfigError as error:
        raise click.ClickException(str(error)) from error
    divert_native_stderr(log_path())
    for warning in resolved.warnings:
        print(f"roomcode: {warning}", file=sys.stderr)
    try:
        runtime = Runtime(
            directory,
            resolved.settings,
            sessions=SessionFolder(directory),
            resume=session or (LAST if go_on else NEW),
            serve_again=False,
        )
        runtime.gate = refuse_without_yes
        code = asyncio.run(run_request(runtime, prompt, json=as_json, out=sys.stdout, err=sys.stderr))
        for notice in runtime.take_notices():
            print(f"roomcode: {notice}", file=sys.stderr)
    except (ModelError, EngineError, SessionError) as error:
        print(f"roomcode: {error}", file=sys.stderr)
        code = 1
    except Exception as error:  # a bug: logged whole, shown short
        logging.getLogger("roomcode").exception("the run failed")
        print(f"roomcode: internal error: {error!r} (details in {log_path()})", file=sys.stderr)
        code = 1
    sys.exit(code)
