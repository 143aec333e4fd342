"""The tasks: a folder each, with a description, start files, a check, and solutions that prove the check.

    tasks/NAME/task.toml     title, family, prompts, and optional limits
    tasks/NAME/start/        what is in the project before the first request (may be missing)
    tasks/NAME/check.py      `async def check(site: Site) -> None`, raising Failure
    tasks/NAME/right/        files put over the start that solve the task
    tasks/NAME/wrong_*/      files put over the start that do not

A solution may hold ANSWERS.txt: what the agent said, one answer after each line `---`. It does not go into the project.
"""

import importlib.util
import shutil
import tomllib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from evals.site import Site

__all__ = ["ANSWERS", "FAMILIES", "TASKS", "Task", "TaskError", "load_check", "load_task", "load_tasks", "select"]

TASKS = Path(__file__).parent / "tasks"
ANSWERS = "ANSWERS.txt"
FAMILIES = (
    "make",
    "change",
    "console-bug",
    "silent-bug",
    "refactor",
    "answer",
    "find",
    "limits",
    "long",
    "several",
    "distractors",
)
_SECONDS = 600.0
_STEPS = 15

Check = Callable[[Site], Awaitable[None]]


class TaskError(Exception):
    """A task's folder is not as it should be; the message names the file."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task. `seconds` is the time of all its requests together, `steps` the most of each."""

    name: str
    title: str
    family: str
    prompts: tuple[str, ...]
    seconds: float
    steps: int
    folder: Path

    @property
    def start(self) -> Path:
        return self.folder / "start"

    @property
    def solutions(self) -> tuple[Path, ...]:
        """The right one first, then the wrong ones."""
        return (self.folder / "right", *sorted(self.folder.glob("wrong_*")))

    def lay_out(self, project: Path, solution: Path | None = None) -> tuple[str, ...]:
        """Fill an empty folder with the start files and those of a solution; returns the solution's answers."""
        project.mkdir(parents=True, exist_ok=True)
        answers: tuple[str, ...] = ()
        for source in (self.start, solution):
            if source is not None and source.is_dir():
                shutil.copytree(source, project, dirs_exist_ok=True)
        said = project / ANSWERS
        if said.exists():
            answers = tuple(part.strip() for part in said.read_text("utf-8").split("\n---\n"))
            said.unlink()
        return answers


def load_task(folder: Path) -> Task:
    """Read one task. Raises TaskError."""
    path = folder / "task.toml"
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TaskError(f"{path}: {error}") from error
    prompts = data.get("prompts")
    if not isinstance(prompts, list) or not prompts or not all(isinstance(p, str) and p.strip() for p in prompts):
        raise TaskError(f"{path}: prompts must be a list of texts.")
    if data.get("family") not in FAMILIES:
        raise TaskError(f"{path}: family must be one of {', '.join(FAMILIES)}.")
    if unknown := set(data) - {"title", "family", "prompts", "limits"}:
        raise TaskError(f"{path}: nothing is known of {', '.join(sorted(unknown))}.")
    limits = data.get("limits", {})
    return Task(
        name=folder.name,
        title=str(data.get("title") or folder.name),
        family=data["family"],
        prompts=tuple(prompts),
        seconds=float(limits.get("seconds", _SECONDS)),
        steps=int(limits.get("steps", _STEPS)),
        folder=folder,
    )


def load_tasks(root: Path = TASKS) -> tuple[Task, ...]:
    """All tasks, by family and name. Raises TaskError."""
    tasks = [load_task(path.parent) for path in root.glob("*/task.toml")]
    return tuple(sorted(tasks, key=lambda task: (FAMILIES.index(task.family), task.name)))


def select(tasks: tuple[Task, ...], names: tuple[str, ...] = (), families: tuple[str, ...] = ()) -> tuple[Task, ...]:
    """The tasks whose name fits one of the patterns and whose family is one of those named. Raises TaskError."""
    for name in names:
        if not any(fnmatchcase(task.name, name) for task in tasks):
            raise TaskError(f"No task is called {name!r}.")
    return tuple(
        task
        for task in tasks
        if (not names or any(fnmatchcase(task.name, name) for name in names))
        and (not families or task.family in families)
    )


def load_check(task: Task) -> Check:
    """The check of a task. Raises TaskError."""
    path = task.folder / "check.py"
    spec = importlib.util.spec_from_file_location(f"evals_check_{task.name.replace('-', '_')}", path)
    if spec is None or spec.loader is None or not path.exists():
        raise TaskError(f"{path} is missing.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    check: Check = module.check
    return check
