"""What the checks of a request read out of its words: nothing is missed in any right solution."""

import pytest
from evals.tasks import Task, load_tasks

from roomcode.moves import not_moved
from roomcode.preview.pitfalls import script_pitfalls
from roomcode.preview.pitfalls_styles import style_pitfalls
from roomcode.preview.references import parse_sources
from roomcode.promises import unkept_wishes
from roomcode.wording import intent

TASKS = load_tasks()


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_right_solution_keeps_all_wishes(task: Task) -> None:
    texts: dict[str, str] = {}
    names: list[str] = []
    for folder in (task.folder / "start", task.folder / "right"):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                name = path.relative_to(folder).as_posix()
                names.append(name)
                if path.suffix in (".html", ".js", ".css", ".json"):
                    texts[name] = path.read_text("utf-8")
    assert [line for prompt in task.prompts for line in unkept_wishes(prompt, texts, names)] == []
    assert [line for prompt in task.prompts for line in not_moved(prompt, texts)] == []
    sources = parse_sources(texts)
    assert [str(one) for one in (*script_pitfalls(sources), *style_pitfalls(sources))] == []


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_what_a_task_is_after_is_known(task: Task) -> None:
    asks = task.family in ("answer", "find") and not task.name.endswith("change")
    assert intent(task.prompts[-1]) == ("question" if asks else "change")
