import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from evals.checking import failure_of
from evals.records import Record
from evals.tabs import open_tabs
from evals.tasks import Task, load_tasks

_AT_ONCE = 4


@dataclass(frozen=True)
class Case:
    """A task and one of its solutions."""

    task: Task
    solution: Path

    @property
    def name(self) -> str:
        return f"{self.task.name}-{self.solution.name}"


CASES = [Case(task, solution) for task in load_tasks() for solution in task.solutions]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", CASES, ids=[case.name for case in CASES])


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def verdicts(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Mapping[str, "asyncio.Task[str]"]]:
    """What the checks say of every solution that is asked for: one browser, a few at once, in their order."""
    items = [item for item in request.session.items if "verdicts" in getattr(item, "fixturenames", ())]
    cases = [item.callspec.params["case"] for item in items]  # type: ignore[attr-defined]
    places = asyncio.Semaphore(_AT_ONCE)
    root = tmp_path_factory.mktemp("solutions")

    async with open_tabs(reuse=True) as tabs:

        async def judge(case: Case) -> str:
            async with places:
                project = root / case.name
                answers = case.task.lay_out(project, case.solution)
                # A right one never waits in vain, a wrong one always does.
                patience = 5.0 if case.solution.name == "right" else 0.4
                return await failure_of(tabs, case.task, project, answers, patience=patience)

        running = {case.name: asyncio.ensure_future(judge(case)) for case in cases}
        try:
            yield running
        finally:
            for task in running.values():
                task.cancel()
            await asyncio.gather(*running.values(), return_exceptions=True)


def record(task: str = "make-counter", **changes: object) -> Record:
    fields: dict[str, object] = {
        "task": task,
        "family": "make",
        "model": "m",
        "variant": "everything",
        "seed": 1,
        "passed": True,
        "reason": "done",
        "steps": 4,
        "tokens": 300,
        "seconds": 20.0,
        "started": "2026-11-30T10:00:00+00:00",
        "transcript": f"runs/{task}.jsonl",
    }
    return Record(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.fixture(name="record")
def _record() -> object:
    return record
