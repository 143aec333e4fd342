"""The right solutions of tasks are used without a word: the finish check must not send a model off to mend them."""

import asyncio
from pathlib import Path

import pytest
from evals.tasks import load_tasks, select

from roomcode.preview import Limits, Preview, probe_lines

_FAMILIES = ("make", "several")
_AT_ONCE = 4


@pytest.mark.browser
async def test_right_solutions_are_used_without_a_word(tmp_path: Path) -> None:
    tasks = select(load_tasks(), families=_FAMILIES)
    preview = Preview(tmp_path, limits=Limits(probe=60.0, load=10.0, answer=5.0, ports=len(tasks) + 1))
    places = asyncio.Semaphore(_AT_ONCE)
    clicked = 0

    async def use(name: str) -> tuple[str, ...]:
        nonlocal clicked
        async with places:
            report = await preview.probe(name)
        assert report.reason == ""
        clicked += report.clicked
        return probe_lines(report.faults)

    try:
        for task in tasks:
            task.lay_out(tmp_path / task.name, task.folder / "right")
        told = await asyncio.gather(*(use(task.name) for task in tasks))
    finally:
        await preview.close()
    assert {task.name: lines for task, lines in zip(tasks, told, strict=True) if lines} == {}
    assert clicked > len(tasks)
