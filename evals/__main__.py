"""The command line: `python -m evals [run | report | compare | check | list] …`; `run` may be left out."""

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evals.tasks import FAMILIES, TaskError, load_tasks, select
from evals.variants import VARIANTS, settings_of

if TYPE_CHECKING:
    from evals.records import Record
    from evals.running import Plan
    from evals.tasks import Task

_RUNS = Path(__file__).parent / "runs"
_COMMANDS = ("run", "report", "compare", "check", "list")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
def main() -> None:
    """What models get done with roomcode. Without a command: run the tasks."""


@main.command()
@click.option("--model", "models", multiple=True, help="Name or path of a model; may be given again.")
@click.option("--task", "names", multiple=True, help="Name of a task, or a pattern like 'fix-*'; may be given again.")
@click.option("--family", "families", multiple=True, type=click.Choice(FAMILIES), help="Only this family.")
@click.option(
    "--repeats", type=click.IntRange(1), default=1, show_default=True, help="Runs of each task: seeds 1 to N."
)
@click.option("--seeds", help="These seeds instead, like 1,2,7.")
@click.option("--variant", "variants", multiple=True, type=click.Choice(list(VARIANTS)), help="Parts left out.")
@click.option("--ablations", is_flag=True, help="All variants, with the same seeds.")
@click.option("--off", "off", multiple=True, metavar="SWITCH", help="A switch to turn off in every run, like hints.")
@click.option("--form", type=click.Choice(["xml", "json"]), help="How calls are written, in every run.")
@click.option("--set", "given", multiple=True, metavar="NAME=VALUE", help="A setting of roomcode, like threads=1.")
@click.option("--max-steps", type=click.IntRange(1), default=None, help="Instead of the tasks' own limit.")
@click.option("--engine", default="", help="scripted:FILE plays answers instead of a model.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=_RUNS, help="Folder of the results.")
def run(
    models: tuple[str, ...],
    names: tuple[str, ...],
    families: tuple[str, ...],
    repeats: int,
    seeds: str | None,
    variants: tuple[str, ...],
    ablations: bool,
    off: tuple[str, ...],
    form: str | None,
    given: tuple[str, ...],
    max_steps: int | None,
    engine: str,
    out: Path,
) -> None:
    """Run tasks. What stands in OUT/results.jsonl already is not run again; OUT/report.md is written at the end."""
    from evals.records import read
    from evals.report import rate, render
    from evals.running import run_task
    from evals.suite import Progress, folder_of, open_runs, plans, run_all
    from evals.versions import machine, versions
    from roomcode.models import load_catalogue, models_dir

    tasks = select(load_tasks(), names, families)
    if not tasks:
        raise click.UsageError("No task is of these names and of these families; `list` shows them all.")
    extra = {f"ROOMCODE_SWITCHES_{switch.upper().replace('-', '_')}": "false" for switch in off}
    if form:
        extra["ROOMCODE_FORM"] = form
    for setting in given:
        name, found, value = setting.partition("=")
        if not found:
            raise click.UsageError(f"--set takes NAME=VALUE, like threads=1, not {setting!r}.")
        extra[f"ROOMCODE_{name.upper().replace('.', '_').replace('-', '_')}"] = value
    chosen = tuple(VARIANTS) if ablations else variants or ("everything",)
    # Switches given by hand make another harness, so they stand in the variant's name.
    suffix = "".join(f"+no-{switch.replace('_', '-')}" for switch in sorted(off)) + (f"+{form}" if form else "")
    rows = [(variant + suffix, settings_of(variant, extra)) for variant in chosen]
    if engine:
        models = ("",)
    elif not models:
        models = (load_catalogue().default,)
    planned = plans(models, rows, _seeds(seeds, repeats), engine=engine, max_steps=max_steps or 0)
    results = out.resolve() / "results.jsonl"
    todo = open_runs(tasks, planned, read(results))
    if not todo:
        click.echo("Everything asked for has been run.", err=True)
    known, base, where = versions(), dict(os.environ), models_dir()

    async def run_one(task: "Task", plan: "Plan") -> "Record":
        folder = folder_of(out.resolve(), plan)
        return await run_task(task, plan, folder, models=where, versions=known, base=base)

    def tell(progress: Progress) -> None:
        one = progress.record
        mark = "pass" if one.passed else "FAIL"
        click.echo(
            f"{progress.number}/{progress.of} {mark} {one.task} [{one.model} {one.variant} seed {one.seed}] "
            f"{one.reason}, {one.steps} steps, {one.seconds:.0f} s{'' if one.passed else ': ' + one.failure}",
            err=True,
        )

    try:
        records = asyncio.run(run_all(todo, results, run_one, tell))
    except KeyboardInterrupt:
        click.echo("Interrupted: the same command goes on from here.", err=True)
        sys.exit(130)
    (out / "report.md").write_text(render(records, machine=machine()), "utf-8")
    click.echo(f"{rate(records)} in all · {results} · {out / 'report.md'}")


@main.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
def report(results: tuple[Path, ...]) -> None:
    """The Markdown report of one or more result files."""
    from evals.records import read
    from evals.report import render
    from evals.versions import machine

    click.echo(render([record for path in results for record in read(path)], machine=machine()), nl=False)


@main.command()
@click.argument("first")
@click.argument("second")
def compare(first: str, second: str) -> None:
    """Two results side by side, task by task.

    Each is a result file, or one variant or model of it: FILE:everything, FILE:qwen2.5-coder-0.5b.
    """
    from evals.report import compare as render

    click.echo(render(_side(first), _side(second), (first, second)), nl=False)


@main.command()
@click.argument("task")
@click.argument("project", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--answer", "answers", multiple=True, help="What the agent said; may be given again.")
def check(task: str, project: Path, answers: tuple[str, ...]) -> None:
    """Check a folder by hand against a task."""
    from evals.checking import check_project

    (one,) = select(load_tasks(), (task,))
    failure = asyncio.run(check_project(one, project, answers))
    click.echo(failure or "passes")
    sys.exit(1 if failure else 0)


@main.command("list")
def list_tasks() -> None:
    """The tasks by family."""
    for task in load_tasks():
        click.echo(f"{task.family:13} {task.name:28} {task.title}")


def _seeds(text: str | None, repeats: int) -> list[int]:
    if text is None:
        return list(range(1, repeats + 1))
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError("--seeds takes whole numbers with commas between them, like 1,2,7.") from None


def _side(text: str) -> list["Record"]:
    from evals.records import read

    path, _, part = (text, "", "") if Path(text).exists() else text.rpartition(":")
    if not Path(path).exists():
        raise click.UsageError(f"There is no result file {text}.")
    records = [record for record in read(Path(path)) if not part or part in (record.variant, record.model)]
    if not records:
        raise click.UsageError(f"{path} has no runs of {part}.")
    return records


if __name__ == "__main__":
    words = sys.argv[1:]
    if not words or (words[0] not in _COMMANDS and words[0] not in ("-h", "--help")):
        words.insert(0, "run")
    try:
        main(words, prog_name="python -m evals")
    except (TaskError, ValueError) as error:
        sys.exit(f"evals: {error}")
