"""One task through the real program, with an engine that plays answers from a file."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from evals.__main__ import main
from evals.records import Record
from evals.running import Plan, command, environment, outcome_of, run_task
from evals.tasks import Task, load_tasks, select

(COUNTER,) = select(load_tasks(), ("make-counter",))
(ASK,) = select(load_tasks(), ("answer-a-value",))
(TWO,) = select(load_tasks(), ("several-ask-then-change",))


def test_the_command_line_is_that_of_a_person(tmp_path: Path) -> None:
    first = command(TWO, Plan("some-model", 7), tmp_path, 0)
    assert first[1:4] == ["-m", "roomcode", "run"]
    assert first[-2:] == ["--", TWO.prompts[0]]
    assert "--continue" not in first
    assert first[first.index("--seed") + 1] == "7"
    assert first[first.index("--model") + 1] == "some-model"
    later = command(TWO, Plan("", 7, engine="scripted:x", max_steps=3), tmp_path, 1)
    assert "--continue" in later
    assert "--model" not in later
    assert later[later.index("--max-steps") + 1] == "3"
    assert later[-1] == TWO.prompts[1]


def test_settings_of_the_person_do_not_reach_a_run(tmp_path: Path) -> None:
    base = {"PATH": "/bin", "ROOMCODE_FORM": "json", "ROOMCODE_CONFIG": "mine"}
    made = environment(base, {"ROOMCODE_SWITCHES_HINTS": "false"}, tmp_path, Path("/models"))
    assert made["PATH"] == "/bin"
    assert "ROOMCODE_FORM" not in made
    assert made["ROOMCODE_MODELS"] == "/models"
    assert made["ROOMCODE_SWITCHES_HINTS"] == "false"
    assert not Path(made["ROOMCODE_CONFIG"]).exists()


def _ended(**changes: object) -> dict[str, object]:
    fields = {"reason": "done", "detail": "", "answer": "a", "steps": 2, "calls": 3, "tokens": 50, "seconds": 4.0}
    return {"kind": "request_ended", **fields, **changes}


def test_the_outcome_sums_up_all_requests() -> None:
    step = {"kind": "step_ended", "usage": {"new": 100}}
    outcome = outcome_of(
        [
            [{"kind": "request_started", "form": "xml"}, step, step, _ended()],
            [{"kind": "request_started", "form": "xml"}, step, _ended(answer="b", reason="limit", detail="30 steps")],
        ]
    )
    assert (outcome.reason, outcome.detail, outcome.form) == ("limit", "30 steps", "xml")
    assert (outcome.steps, outcome.calls, outcome.tokens, outcome.prompt_tokens) == (4, 6, 100, 300)
    assert outcome.answers == ("a", "b")
    assert outcome.seconds == 8.0


def test_a_request_without_an_end_is_a_crash() -> None:
    outcome = outcome_of([[_ended()], [{"kind": "request_started"}]])
    assert outcome.reason == "crash"
    assert outcome.answers == ("a", "")
    assert outcome.steps == 2


async def run(task: Task, script: str, folder: Path) -> Record:
    file = folder / "script.txt"
    file.write_text(script)
    plan = Plan("", 1, engine=f"scripted:{file}")
    return await run_task(task, plan, folder / "out", models=folder, versions={"x": "1"}, base=os.environ)


def write_call(path: str, content: str) -> str:
    return (
        "<tool_call>\n<function=write_file>\n<parameter=path>\n"
        f"{path}\n</parameter>\n<parameter=content>\n{content}\n</parameter>\n</function>\n</tool_call>"
    )


@pytest.mark.browser
async def test_a_right_solution_written_by_the_agent_passes(tmp_path: Path) -> None:
    page = (COUNTER.folder / "right/index.html").read_text()
    done = "=== answer\nThe counter is ready.\n" * 5
    record = await run(COUNTER, f"=== answer\n{write_call('index.html', page)}\n{done}", tmp_path)
    assert (record.passed, record.failure, record.reason) == (True, "", "done")
    assert record.steps >= 2
    assert record.calls >= 1
    assert record.tokens > 100
    assert record.form == "xml"
    assert (Path(record.project) / "index.html").exists()
    kinds = [json.loads(line)["kind"] for line in Path(record.transcript).read_text().splitlines()]
    assert (kinds[0], kinds[-1]) == ("request_started", "request_ended")


@pytest.mark.browser
async def test_an_agent_that_only_talks_fails_and_the_complaint_is_kept(tmp_path: Path) -> None:
    record = await run(COUNTER, "=== answer\nThe counter is ready.\n" * 8, tmp_path)
    assert not record.passed
    assert "index.html" in record.failure


@pytest.mark.browser
async def test_the_second_request_goes_on_in_the_same_session(tmp_path: Path) -> None:
    record = await run(TWO, "=== answer\nThe player has 3 lives.\n" * 8, tmp_path)
    events = [json.loads(line) for line in Path(record.transcript).read_text().splitlines()]
    started = [event for event in events if event["kind"] == "request_started"]
    assert [event["request"] for event in started] == [1, 2]
    assert [event["prompt"] for event in started] == list(TWO.prompts)
    # The answer was right, but what the second request asked for was not done.
    assert not record.passed
    assert "lives" in record.failure


@pytest.mark.browser
async def test_an_engine_that_fails_is_told_with_its_cause(tmp_path: Path) -> None:
    record = await run(ASK, "=== answer\n#! error the cable is out\n", tmp_path)
    assert (record.passed, record.reason) == (False, "error")
    assert "cable" in record.detail
    broken = await run(ASK, "no answers at all\n", tmp_path)
    assert (broken.passed, broken.reason) == (False, "crash")
    assert "=== answer" in broken.detail
    assert broken.project != record.project


@pytest.mark.browser
async def test_a_run_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    record = await run(replace(ASK, seconds=4.0), "=== answer\nIt is\n#! delay 300000\n 4\n", tmp_path)
    assert (record.passed, record.reason) == (False, "timeout")
    assert record.wall_seconds < 60


@pytest.mark.browser
def test_the_command_runs_reports_and_does_not_run_twice(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("=== answer\nIt starts with a length of 4.\n" * 8)
    words = ["run", "--engine", f"scripted:{script}", "--task", "answer-a-value", "--out", str(tmp_path / "out")]
    first = CliRunner().invoke(main, words)
    assert first.exit_code == 0, first.output
    assert "1/1 pass answer-a-value" in first.output
    assert "1 of 1" in (tmp_path / "out/report.md").read_text()
    second = CliRunner().invoke(main, words)
    assert "Everything asked for has been run." in second.output
    results = tmp_path / "out/results.jsonl"
    assert len(results.read_text().splitlines()) == 1
    third = CliRunner().invoke(main, ["compare", str(results), f"{results}:everything"])
    assert "| answer-a-value | 1/1 | 1/1 |" in third.output
    assert CliRunner().invoke(main, ["compare", str(results), f"{results}:plain"]).exit_code == 2


def test_tasks_are_listed_and_unknown_ones_refused() -> None:
    listed = CliRunner().invoke(main, ["list"])
    assert listed.exit_code == 0
    assert "make-counter" in listed.output
    assert CliRunner().invoke(main, ["run", "--seeds", "one"]).exit_code == 2
