"""Run a task through the real program, as a person without the app would, and check what came of it."""

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.checking import check_project
from evals.records import Record
from evals.tasks import Task

__all__ = ["Outcome", "Plan", "command", "environment", "outcome_of", "run_task"]

_GRACE = 10.0
"""Seconds that roomcode has to stop when its time is over."""
_BROKEN = ("timeout", "crash", "error")
"""Ends that nobody would call a success, whatever the files look like."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run besides the task. `settings` are environment variables, `engine` is for scripts of answers."""

    model: str
    seed: int
    variant: str = "everything"
    settings: Mapping[str, str] = field(default_factory=dict)
    engine: str = ""
    max_steps: int = 0
    """Steps of a request instead of the task's own limit; 0: the task's."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the events of all requests of a task say."""

    reason: str
    detail: str
    form: str
    answers: tuple[str, ...]
    steps: int
    calls: int
    tokens: int
    prompt_tokens: int
    seconds: float


def command(task: Task, plan: Plan, project: Path, request: int) -> list[str]:
    """The command line of one request (counted from 0); later ones go on in the same session."""
    words = [sys.executable, "-m", "roomcode", "run", "--json", "--yes", "--dir", str(project)]
    words += ["--seed", str(plan.seed), "--max-steps", str(plan.max_steps or task.steps)]
    if plan.engine:
        words += ["--engine", plan.engine]
    elif plan.model:
        words += ["--model", plan.model]
    if request:
        words.append("--continue")
    return [*words, "--", task.prompts[request]]


def environment(base: Mapping[str, str], settings: Mapping[str, str], home: Path, models: Path) -> dict[str, str]:
    """Variables for roomcode: no settings of the person's own, sessions in `home`, the models where they are."""
    kept = {name: value for name, value in base.items() if not name.startswith("ROOMCODE_")}
    return {
        **kept,
        "XDG_DATA_HOME": str(home),
        "ROOMCODE_MODELS": str(models),
        "ROOMCODE_CONFIG": str(home / "none.toml"),
        **settings,
    }


def outcome_of(requests: Sequence[Sequence[Mapping[str, Any]]]) -> Outcome:
    """Sum up the events of each request. One without an end was a crash."""
    answers, reason, detail, form = [], "crash", "", ""
    steps = calls = tokens = prompt_tokens = 0
    seconds = 0.0
    for events in requests:
        end = next((event for event in reversed(events) if event.get("kind") == "request_ended"), None)
        for event in events:
            if event.get("kind") == "request_started":
                form = event.get("form", form)
            elif event.get("kind") == "step_ended":
                prompt_tokens += event["usage"].get("new", 0)
        if end is None:
            reason, detail = "crash", "roomcode ended without the end of the request"
            answers.append("")
            continue
        reason, detail = end["reason"], end["detail"]
        answers.append(end["answer"])
        steps += end["steps"]
        calls += end["calls"]
        tokens += end["tokens"]
        seconds += end["seconds"]
    return Outcome(reason, detail, form, tuple(answers), steps, calls, tokens, prompt_tokens, seconds)


async def run_task(
    task: Task, plan: Plan, folder: Path, *, models: Path, versions: Mapping[str, str], base: Mapping[str, str]
) -> Record:
    """Run all requests of a task, check the result, keep transcript and project in `folder`."""
    name = f"{task.name}-{plan.seed}"
    project, transcript = _free(folder / "projects" / name), folder / "transcripts" / f"{name}.jsonl"
    task.lay_out(project)
    transcript.parent.mkdir(parents=True, exist_ok=True)
    transcript.unlink(missing_ok=True)
    started, began = datetime.now(UTC), time.monotonic()
    requests: list[list[dict[str, Any]]] = []
    trouble = ""
    with tempfile.TemporaryDirectory(prefix="roomcode-evals-") as home:
        env = environment(base, plan.settings, Path(home), models)
        for number in range(len(task.prompts)):
            left = task.seconds - (time.monotonic() - began)
            events, complaint, late = await _request(command(task, plan, project, number), env, left, transcript)
            requests.append(events)
            trouble = "timeout" if late else ""
            outcome = outcome_of(requests)
            if late or outcome.reason in _BROKEN:
                break
    wall = time.monotonic() - began
    detail = outcome.detail if outcome.reason != "crash" or late else complaint or outcome.detail
    reason = trouble or outcome.reason
    failure = await check_project(task, project, outcome.answers)
    return Record(
        task=task.name,
        family=task.family,
        model=plan.model or plan.engine,
        variant=plan.variant,
        seed=plan.seed,
        passed=not failure and len(requests) == len(task.prompts) and reason not in _BROKEN,
        failure=failure or (f"not done within {task.seconds:.0f} seconds" if trouble else ""),
        reason=reason,
        detail=detail,
        form=outcome.form,
        steps=outcome.steps,
        calls=outcome.calls,
        tokens=outcome.tokens,
        prompt_tokens=outcome.prompt_tokens,
        seconds=round(outcome.seconds, 2),
        wall_seconds=round(wall, 2),
        started=started.isoformat(timespec="seconds"),
        settings=dict(plan.settings),
        versions=dict(versions),
        transcript=_shown(transcript),
        project=_shown(project),
    )


async def _request(
    words: Sequence[str], env: Mapping[str, str], seconds: float, transcript: Path
) -> tuple[list[dict[str, Any]], str, bool]:
    """Run one request; its events, the last line it complained with, and whether its time ran out."""
    process = await asyncio.create_subprocess_exec(
        *words,
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    talking = asyncio.ensure_future(process.communicate())
    late = False
    try:
        done, _ = await asyncio.wait({talking}, timeout=max(seconds, 0.0))
        if not done:
            late = True
            process.send_signal(signal.SIGINT)
            await asyncio.wait({talking}, timeout=_GRACE)
    finally:
        _end(process)
    out, err = await talking
    with transcript.open("ab") as file:
        file.write(out)
    complaints = [line for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    return _events(out), complaints[-1] if complaints else "", late


def _end(process: asyncio.subprocess.Process) -> None:
    """Kill what is left of roomcode and its browser: they are a process group of their own."""
    if process.returncode is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def _events(out: bytes) -> list[dict[str, Any]]:
    events = []
    for line in out.split(b"\n"):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            events.append(event)
    return events


def _shown(path: Path) -> str:
    """A path from here if it lies below, so that results can be given away."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _free(folder: Path) -> Path:
    """The folder, or one beside it: what an interrupted run left is kept for who wants to look at it."""
    number, free = 1, folder
    while free.exists():
        number += 1
        free = folder.with_name(f"{folder.name}.{number}")
    return free
