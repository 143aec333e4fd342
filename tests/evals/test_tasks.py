"""Every task is whole, and its check tells right from wrong."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from evals.tasks import FAMILIES, TaskError, load_check, load_task, load_tasks, select


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_a_check_tells_right_from_wrong(case: Any, verdicts: Mapping[str, "asyncio.Task[str]"]) -> None:
    failure = await verdicts[case.name]
    if case.solution.name == "right":
        assert failure == ""
    else:
        assert len(failure) > 15, "a wrong solution passed, or the complaint says nothing"
        assert "did not answer within" not in failure


def test_there_are_many_tasks_of_every_family() -> None:
    families = Counter(task.family for task in load_tasks())
    assert sum(families.values()) >= 30
    assert {family for family in FAMILIES if families[family] < 2} == set()


def test_every_task_is_proven_by_solutions_that_differ() -> None:
    for task in load_tasks():
        right, *wrong = task.solutions
        assert wrong, f"{task.name} has no wrong solution"
        contents = [_contents(folder) for folder in (right, *wrong)]
        assert all(contents), f"a solution of {task.name} is empty"
        assert all(other != contents[0] for other in contents[1:]), f"a wrong one of {task.name} is the right one"
        assert callable(load_check(task))


def test_prompts_are_all_different_and_name_the_file_they_want() -> None:
    tasks = load_tasks()
    prompts = Counter(task.prompts for task in tasks)
    assert prompts.most_common(1)[0][1] == 1
    for task in tasks:
        if not task.start.exists():
            assert "index.html" in task.prompts[0], f"{task.name} does not say which file to make"


def test_laying_out_puts_a_solution_over_the_start_and_takes_the_answers_out(tmp_path: Path) -> None:
    folder = _task(tmp_path / "t")
    (folder / "start").mkdir()
    (folder / "start/a.js").write_text("old")
    (folder / "start/b.js").write_text("kept")
    (folder / "right").mkdir()
    (folder / "right/a.js").write_text("new")
    (folder / "right/ANSWERS.txt").write_text("First.\n---\nSecond\nline.\n")
    task = load_task(folder)
    assert task.lay_out(tmp_path / "p", task.solutions[0]) == ("First.", "Second\nline.")
    assert _contents(tmp_path / "p") == {"a.js": "new", "b.js": "kept"}
    assert task.lay_out(tmp_path / "q") == ()
    assert _contents(tmp_path / "q") == {"a.js": "old", "b.js": "kept"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('family = "make"\nprompts = []', "prompts"),
        ('family = "make"\nprompts = [" "]', "prompts"),
        ('family = "other"\nprompts = ["x"]', "family"),
        ('family = "make"\nprompts = ["x"]\nlimit = 3', "limit"),
        ("family = ", "task.toml"),
    ],
)
def test_a_faulty_description_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(TaskError, match=complaint):
        load_task(_task(tmp_path / "t", text))


def test_tasks_are_chosen_by_pattern_and_family() -> None:
    tasks = load_tasks()
    assert {task.family for task in select(tasks, ("fix-*",))} == {"console-bug", "silent-bug"}
    assert [task.name for task in select(tasks, ("fix-*", "make-tabs"), ("make",))] == ["make-tabs"]
    assert select(tasks) == tasks
    with pytest.raises(TaskError, match="no-such"):
        select(tasks, ("no-such",))


def _task(folder: Path, text: str = 'family = "make"\nprompts = ["x"]') -> Path:
    folder.mkdir()
    (folder / "task.toml").write_text(text)
    return folder


def _contents(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}
