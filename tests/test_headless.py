"""`roomcode run`: what is printed where, exit codes, and Ctrl-C; partly through the real program."""

import asyncio
import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from roomcode.headless import EXIT_CODES, JsonPrinter, ProgressPrinter, refuse_without_yes, run_request
from roomcode.protocol.approval import ApprovalRequest
from roomcode.protocol.display import FileChange
from roomcode.protocol.engine import EngineError
from roomcode.protocol.events import (
    Approval,
    Call,
    EndReason,
    Event,
    Note,
    RequestEnded,
    RequestStarted,
    Result,
    StepStarted,
)
from tests.agent.builders import call

PROGRAM = Path(sys.executable).with_name("roomcode")
WRITE = call("write_file", path="notes.txt", content="hello\n")


class Started:
    """A run of the real program in a folder of its own, with a home of its own."""

    def __init__(self, folder: Path, script: str, *arguments: str, prompt: str = "make notes") -> None:
        self.folder = folder
        self.project = folder / "project"
        home = folder / "home"
        home.mkdir(parents=True)
        (folder / "script.txt").write_text(script)
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
        engine = ["--engine", "scripted:script.txt"] if script else []
        self.process = subprocess.Popen(
            [str(PROGRAM), "run", *engine, "--dir", "project", *arguments, prompt],
            cwd=folder,
            env={**kept, "HOME": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def lines_until(self, kind: str) -> None:
        """Wait for an event of this kind on stdout."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if json.loads(line)["kind"] == kind:
                return
        raise AssertionError(f"no {kind}: {self.process.communicate(timeout=60)}")

    def ended(self) -> tuple[int, str, str]:
        """Exit code, and what is left of stdout and stderr."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err

    def files(self) -> list[str]:
        if not self.project.exists():
            return []
        return sorted(p.name for p in self.project.iterdir() if p.name != ".roomcode")


def script(*answers: str) -> str:
    return "".join(f"=== answer\n{answer}\n" for answer in answers)


# All are started together: each spends most of its time on starting up.
RUNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "json": (script("I look.\n\n" + WRITE, "", "I may not."), ("--json",)),
    "yes": (script("First this.\n\n" + WRITE, "Wrote the notes. 👩🏽‍💻"), ("--yes",)),
    "short": (script(call("list_dir")), ("--yes", "--json")),
    "limit": (script(call("list_dir"), "never"), ("--max-steps", "1")),
    "usage": ("", ("--max-steps", "0")),
    "stop": (script("I think.\n#! delay 600000\n" + WRITE), ("--yes", "--json")),
    "quit": (script("I think.\n#! delay 600000\n"), ("--json",)),
    "gone": (script(" ".join(map(str, range(1600))) + "\n#! delay 600000\n"), ("--json",)),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Started]]:
    started = {name: Started(tmp_path_factory.mktemp(name), text, *more) for name, (text, more) in RUNS.items()}
    yield started
    for run in started.values():
        if run.process.poll() is None:
            run.process.kill()
        run.process.communicate()


LETTERS = {
    "request_started": "R",
    "step_started": "S",
    "text": "t",
    "call_opened": "o",
    "call_args": "a",
    "call": "c",
    "approval": "p",
    "result": "r",
    "note": "n",
    "step_ended": "s",
    "request_ended": "E",
}


def test_json_prints_every_kind_of_event_in_the_documented_order(runs: dict[str, Started]) -> None:
    """And without `--yes` nothing is written."""
    code, out, err = runs["json"].ended()
    assert runs["json"].files() == []
    events = [json.loads(line) for line in out.splitlines()]
    kinds = [event["kind"] for event in events]
    assert set(kinds) == set(LETTERS)
    order = "".join(LETTERS[kind] for kind in kinds)
    assert re.fullmatch(r"R St+oa+cppr s S ns S t+s E".replace(" ", ""), order), order
    assert code == 0
    assert err == ""
    usage = next(event["usage"] for event in events if event["kind"] == "step_ended")
    assert set(usage) >= {"new", "reused", "forced", "sampled", "seconds"}
    ended = events[-1]
    assert set(ended) >= {"reason", "steps", "calls", "tokens", "tok_per_s", "seconds", "files", "summary"}
    assert (ended["reason"], ended["steps"], ended["calls"], ended["answer"]) == ("done", 3, 1, "I may not.")


def test_with_yes_the_answer_alone_goes_to_stdout_and_progress_to_stderr(runs: dict[str, Started]) -> None:
    run = runs["yes"]
    code, out, err = run.ended()
    assert code == 0
    assert out == "Wrote the notes. 👩🏽‍💻\n"
    assert run.files() == ["notes.txt"]
    assert (run.project / "notes.txt").read_text() == "hello\n"
    lines = err.splitlines()
    assert lines[0] == "  write_file notes.txt"
    assert lines[1].startswith("    ok: Created notes.txt")
    assert re.fullmatch(r"2 steps · 1 tool call · \d+ tok · [\d.]+ tok/s · [\d.]+ s", lines[-1])
    assert len(lines) == 3, "nothing else, and nothing of native libraries, is printed"


def test_a_script_that_runs_out_is_a_loud_error(runs: dict[str, Started]) -> None:
    code, out, err = runs["short"].ended()
    assert code == 1
    assert err == "roomcode: scripted:script.txt has only 1 answer, and one more was asked for.\n"
    last = json.loads(out.splitlines()[-1])
    assert (last["kind"], last["reason"]) == ("request_ended", "error")
    assert last["detail"] in err


def test_the_limit_of_steps_has_its_exit_code(runs: dict[str, Started]) -> None:
    code, out, err = runs["limit"].ended()
    assert (code, out) == (3, "")
    assert err.splitlines()[-1] == "roomcode: stopped after 1 step"


def test_wrong_usage_has_its_exit_code(runs: dict[str, Started]) -> None:
    code, out, err = runs["usage"].ended()
    assert (code, out) == (2, "")
    assert "--max-steps" in err
    assert "Traceback" not in err


def test_ctrl_c_once_stops_the_request(runs: dict[str, Started]) -> None:
    run = runs["stop"]
    run.lines_until("text")
    run.process.send_signal(signal.SIGINT)
    code, out, err = run.ended()
    assert code == 130
    last = json.loads(out.splitlines()[-1])
    assert (last["kind"], last["reason"], last["detail"]) == ("request_ended", "stopped", "stopped")
    assert err == "stopping (Ctrl-C again quits at once)\n"
    assert run.files() == []


def test_ctrl_c_twice_quits_without_a_trace(runs: dict[str, Started]) -> None:
    run = runs["quit"]
    run.lines_until("text")
    run.process.send_signal(signal.SIGINT)
    run.process.send_signal(signal.SIGINT)
    code, _, err = run.ended()
    assert code == 130
    assert "Traceback" not in err


def test_a_reader_that_goes_away_ends_the_run_quietly(runs: dict[str, Started]) -> None:
    run = runs["gone"]
    run.lines_until("step_started")
    assert run.process.stdout is not None
    run.process.stdout.close()
    run.process.stdout = None
    code, _, err = run.ended()
    assert code == 130
    assert "Traceback" not in err
    assert "Exception" not in err


# In this process


class FakeRuntime:
    """A runtime that plays `events`; `hangs` names what goes on until it is cancelled."""

    def __init__(self, reason: EndReason = "done", *events: Event, hangs: str = "", answer: str = "Done.") -> None:
        self.reason: EndReason = reason
        self.events = events
        self.hangs = hangs
        self.answer = answer
        self.emit: Callable[[Event], None] = lambda _event: None
        self.done: list[str] = []
        self.stopping = asyncio.Event()
        self.prompts: list[str] = []

    def subscribe(self, emit: Callable[[Event], None]) -> Callable[[], None]:
        self.emit = emit
        return lambda: None

    async def _do(self, what: str) -> None:
        self.done.append(what)
        if self.hangs == what:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0)
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.Event().wait()

    async def load(self, on_progress: Callable[[str, float], None]) -> None:
        on_progress("loading the model", 0.5)
        await self._do("load")

    async def request(self, prompt: str) -> RequestEnded:
        self.prompts.append(prompt)
        await self._do("request")
        for event in self.events:
            self.emit(event)
        ended = RequestEnded(
            request=1,
            reason=self.reason,
            detail="" if self.reason == "done" else f"it was {self.reason}",
            answer=self.answer,
            steps=1,
            calls=0,
            tokens=5,
            tok_per_s=1.0,
            seconds=1.0,
            files=(),
            summary="1 step",
        )
        self.emit(ended)
        return ended

    def stop(self) -> None:
        self.done.append("stop")

    async def close(self) -> None:
        await self._do("close")


async def run(runtime: FakeRuntime, *, as_json: bool = False, prompt: str = "do it") -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = await run_request(runtime, prompt, json=as_json, out=out, err=err)
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize(
    ("reason", "code"), [("done", 0), ("error", 1), ("limit", 3), ("stuck", 3), ("context", 3), ("stopped", 130)]
)
async def test_each_ending_has_its_exit_code_and_says_why(reason: EndReason, code: int) -> None:
    assert EXIT_CODES[reason] == code
    runtime = FakeRuntime(reason)
    got, out, err = await run(runtime)
    assert got == code
    assert out == "Done.\n"
    assert err.splitlines()[0] == "1 step"
    assert ("roomcode: it was" in err) == (reason not in ("done", "stopped"))
    assert runtime.done == ["load", "request", "close"]


async def test_no_answer_prints_no_empty_line() -> None:
    assert (await run(FakeRuntime("limit", answer="")))[1] == ""


async def test_json_goes_to_stdout_and_nothing_else_does() -> None:
    started = RequestStarted(request=1, prompt="näh\n", model="m", form="xml")
    _, out, err = await run(FakeRuntime("done", started), as_json=True)
    lines = out.splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["request_started", "request_ended"]
    assert json.loads(lines[0])["prompt"] == "näh\n"
    assert err == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no file that is always full")
def test_output_that_cannot_be_written_is_an_error() -> None:
    runtime, err = FakeRuntime("done", StepStarted(step=1)), io.StringIO()
    with open("/dev/full", "w") as out:
        code = asyncio.run(run_request(runtime, "do it", json=True, out=out, err=err))
    assert (code, err.getvalue()) == (1, "roomcode: the output cannot be written: No space left on device\n")
    assert runtime.done == ["load", "request", "stop", "close"]


async def test_a_prompt_with_bytes_that_are_no_text_is_not_fatal() -> None:
    runtime = FakeRuntime()
    assert (await run(runtime, prompt=os.fsdecode(b"caf\xe9 page")))[0] == 0
    assert runtime.prompts == ["caf? page"]


@pytest.mark.parametrize("hangs", ["load", "request", "close"])
async def test_a_second_ctrl_c_ends_whatever_does_not_stop(hangs: str) -> None:
    runtime = FakeRuntime(hangs=hangs)
    async with asyncio.timeout(30):
        code, out, err = await run(runtime)
    assert (code, out) == (130, "")
    assert err.count("stopping (Ctrl-C again quits at once)") == 1
    assert runtime.done[-1] == "stop" if hangs == "close" else runtime.done[-1] == "close"
    assert runtime.done.count("stop") == 1


@pytest.mark.parametrize("gives_up", [False, True])
async def test_a_stop_while_loading_runs_nothing(gives_up: bool) -> None:
    class Loading(FakeRuntime):
        async def load(self, on_progress: Callable[[str, float], None]) -> None:
            os.kill(os.getpid(), signal.SIGTERM)
            while "stop" not in self.done:  # noqa: ASYNC110 -- the signal's handler has no event
                await asyncio.sleep(0)
            if gives_up:
                raise EngineError("The loading of the model was stopped.")

    runtime = Loading()
    assert (await run(runtime))[:2] == (130, "")
    assert runtime.done == ["stop", "close"]


async def test_a_model_that_cannot_be_loaded_is_the_callers_to_tell() -> None:
    class Broken(FakeRuntime):
        async def load(self, on_progress: Callable[[str, float], None]) -> None:
            raise EngineError("no model")

    runtime = Broken()
    with pytest.raises(EngineError, match="no model"):
        await run(runtime)
    assert runtime.done == ["close"]


async def test_afterwards_ctrl_c_interrupts_python_again() -> None:
    await run(FakeRuntime())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


async def test_without_yes_a_change_is_refused_with_a_clear_reason() -> None:
    decision = await refuse_without_yes(ApprovalRequest("1", "write_file", FileChange("a", None, "x")))
    assert not decision.approved
    assert "may not change files" in decision.comment


def printed(*events: Event) -> list[str]:
    out = io.StringIO()
    printer = ProgressPrinter(out)
    for event in events:
        printer(event)
    return out.getvalue().splitlines()


def test_progress_is_one_line_for_each_call_and_each_result() -> None:
    arguments: dict[str, Any] = {"content": "x" * 500, "path": "a.js"}
    assert printed(
        StepStarted(step=1),
        Call(call="1.1.1", tool="write_file", arguments=arguments, repairs=("took path from file",)),
        Approval(call="1.1.1", tool="write_file", state="asked"),
        Approval(call="1.1.1", tool="write_file", state="rejected", comment="not now"),
        Result(call="1.1.1", tool="write_file", state="rejected", text="no\nand more"),
        Note(topic="nudge", text="go on"),
    ) == [
        "  write_file a.js",
        "    repaired: took path from file",
        "    not approved: not now",
        "    rejected: no and more",
        "  note: go on",
    ]


def test_a_call_without_a_name_or_arguments_is_told_too() -> None:
    assert printed(Call(call="1.1.1", tool="", arguments={}), Call(call="1.1.2", tool="list_dir", arguments={})) == [
        "  unreadable call",
        "  list_dir",
    ]


def test_control_characters_of_a_model_never_reach_the_terminal() -> None:
    lines = printed(
        Call(call="1.1.1", tool="read_file", arguments={"path": "\x1b]0;evil\x07a.js"}),
        Note(topic="notice", text="\x1b[2J\u202e 👩🏽‍💻 日本"),
    )
    assert "\x1b" not in "".join(lines)
    assert "\x07" not in "".join(lines)
    assert "\u202e" not in "".join(lines)
    assert "👩🏽‍💻 日本" in lines[1]


def test_events_are_flushed_line_by_line() -> None:
    class Watched(io.StringIO):
        flushed = 0

        def flush(self) -> None:
            Watched.flushed += 1

    out = Watched()
    JsonPrinter(out)(StepStarted(step=1))
    assert out.getvalue() == '{"kind":"step_started","step":1}\n'
    assert Watched.flushed == 1
