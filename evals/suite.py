"""Run many tasks, one after the other, and go on where an earlier start was interrupted."""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.records import Key, Record, append, key_of, read
from evals.running import Plan
from evals.tasks import Task

__all__ = ["Progress", "RunOne", "folder_of", "open_runs", "plans", "run_all"]

RunOne = Callable[[Task, Plan], Awaitable[Record]]


@dataclass(frozen=True, slots=True)
class Progress:
    """One run that ended: its place among those of this start, and what came of it."""

    number: int
    of: int
    record: Record


def plans(
    models: Sequence[str],
    variants: Sequence[tuple[str, dict[str, str]]],
    seeds: Sequence[int],
    *,
    engine: str = "",
    max_steps: int = 0,
) -> Iterator[Plan]:
    """Every seed of every variant of every model: all variants of one seed come before the next seed.

    So an interrupted comparison has the same runs of each side.
    """
    for model in models:
        for seed in seeds:
            for variant, settings in variants:
                yield Plan(model, seed, variant, settings, engine, max_steps)


def open_runs(tasks: Sequence[Task], planned: Iterable[Plan], done: Iterable[Record]) -> list[tuple[Task, Plan]]:
    """What has not been run yet."""
    known: set[Key] = {key_of(record) for record in done}
    return [
        (task, plan)
        for plan in planned
        for task in tasks
        if (plan.model or plan.engine, plan.variant, task.name, plan.seed) not in known
    ]


def folder_of(runs: Path, plan: Plan) -> Path:
    """Where the transcripts and projects of a plan lie."""
    model = re.sub(r"[^\w.-]+", "-", plan.model or plan.engine).strip("-.")
    return runs / f"{model or 'default'}-{plan.variant}"


async def run_all(
    todo: Sequence[tuple[Task, Plan]],
    results: Path,
    run_one: RunOne,
    told: Callable[[Progress], None] = lambda _: None,
) -> list[Record]:
    """Run what is to do, writing each result at once; returns all results of the file."""
    for number, (task, plan) in enumerate(todo, 1):
        record = await run_one(task, plan)
        append(results, [record])
        told(Progress(number, len(todo), record))
    return read(results)
