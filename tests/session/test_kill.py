"""A process that is killed at any moment takes nothing with it but the step that it was in."""

import asyncio
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from roomcode.protocol.events import RequestStarted, Result, StepEnded
from roomcode.session import LAST, SessionFolder, SessionReader, state_of
from roomcode.session.reading import decode_line
from roomcode.workspace import Workspace
from tests.support.runtimes import Bench, call
from tests.support.sessions import shape, well_ordered

pytestmark = pytest.mark.slow

KILLS = 50
STEPS = 5
LONG = "".join(f"line {number} of a long text, {number * 7919 % 1000} words\n" for number in range(500))


class Launcher:
    """Starts roomcode and kills it."""

    def __init__(self, data: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.launcher"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "XDG_DATA_HOME": str(data), "XDG_STATE_HOME": str(data / "state")},
        )

    def run(self, arguments: list[str], output: Path, kill_at: tuple[int, float] | None) -> int:
        """The exit code; a killed process has -9. `kill_at`: bytes of output, and seconds after those."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps([arguments, str(output), kill_at]) + "\n")
        stdin.flush()
        return int(stdout.readline())

    def close(self) -> None:
        self._process.communicate("")


@dataclass
class Seen:
    """What a run had said before it was killed."""

    request: int = 0
    steps: list[int] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    ended: bool = False


def seen_in(output: Path) -> Seen:
    seen = Seen()
    for line in output.read_bytes().split(b"\n")[:-1]:
        if not line.startswith(b"{") or b'"call_args"' in line:
            continue
        event: dict[str, Any] = json.loads(line)
        match event["kind"]:
            case "request_started":
                seen.request = event["request"]
            case "step_ended":
                seen.steps.append(event["step"])
            case "result":
                seen.results.append(event["call"])
            case "request_ended":
                seen.ended = True
    return seen


def moments_of(output: bytes) -> list[int]:
    """How much was printed at moments worth being killed at: each line but those of growing arguments."""
    moments, size = [0], 0
    for line in output.splitlines(keepends=True):
        size += len(line)
        if b'"call_args"' not in line:
            moments.append(size)
    return moments


def name_of(turn: int, step: int, index: int) -> str:
    return f"file{turn}_{step}_{index}.txt"


def content_of(turn: int, step: int, index: int) -> str:
    return f"turn {turn}, step {step}, file {index}\n" * 3


def script(turn: int) -> str:
    """Steps that each write two new files and one that is written again and again."""
    answers = []
    for step in range(1, STEPS + 1):
        calls = [
            call("write_file", path=name_of(turn, step, index), content=content_of(turn, step, index))
            for index in (1, 2)
        ]
        calls.append(call("write_file", path="same.txt", content=f"turn {turn}, step {step}"))
        answers.append("I write.\n" + "\n#! delay 2\n".join(calls))
    return "".join(f"=== answer\n{answer}\n" for answer in [*answers, "All written."])


@pytest.fixture
def quick() -> Iterator[Path]:
    """A folder in memory where there is one: what a killed process leaves is the same there, and it is quick."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)


@pytest.fixture
def launcher(quick: Path) -> Iterator[Launcher]:
    launcher = Launcher(quick / "data")
    yield launcher
    launcher.close()


def arguments(project: Path, script: Path) -> list[str]:
    return ["run", "--dir", str(project), "--engine", f"scripted:{script}", "--yes", "--json", "--continue", "go on"]


def check_versions(project: Path, turn: int, results: list[str]) -> None:
    """Every write that was reported has its version, and no file is half written."""
    workspace = Workspace(project)
    try:
        for result in results:
            _, step, index = map(int, result.split("."))
            if index > 2:
                continue
            name, content = name_of(turn, step, index), content_of(turn, step, index).rstrip("\n")
            rows = workspace.versions(name)
            assert rows, name
            kept = workspace.version_content(rows[0])
            assert kept is not None
            assert kept.decode().rstrip("\n") == content
            assert rows[0].digest == hashlib.sha256((project / name).read_bytes()).hexdigest()
        for path in project.glob("file*.txt"):
            turn_, step, index = map(int, path.stem.removeprefix("file").split("_"))
            assert path.read_text().rstrip("\n") == content_of(turn_, step, index).rstrip("\n")
        if (project / "same.txt").exists():
            assert (project / "same.txt").read_text().startswith("turn ")
    finally:
        workspace.close()


def check_session(folder: SessionFolder, seen: Seen) -> None:
    """Everything that was said to have happened is in the session."""
    reader = SessionReader(folder.find(LAST))
    records = list(reader)
    steps, results, request = [], [], 0
    for record in records:
        if isinstance(record, RequestStarted):
            request = record.request
        elif request == seen.request and isinstance(record, StepEnded):
            steps.append(record.step)
        elif request == seen.request and isinstance(record, Result):
            results.append(record.call)
    assert steps[: len(seen.steps)] == seen.steps
    assert results[: len(seen.results)] == seen.results
    state = state_of(records)
    assert state.whole
    assert reader.damaged == 0
    assert well_ordered(state.events), shape(state.events)


async def check_opens(bench: Bench) -> None:
    """Opened again, the conversation is one that the template takes, with a result for each call."""
    runtime = await bench.loaded(resume=LAST)
    talk = runtime.agent.conversation
    assert talk.turns
    assert talk.encoded(talk.turns, runtime.engine.encode)
    if talk.turns[-1].kind == "results":
        assert len(talk.turns[-1].outcomes) == 3
    assert runtime.take_notices() == []
    await runtime.close()
    bench.runtimes.clear()


def test_fifty_kills_in_one_session(quick: Path, launcher: Launcher) -> None:
    dice = random.Random(20_261_130)
    project, output, play = quick / "project", quick / "output.txt", quick / "play.txt"
    bench = Bench(quick)
    bench.sessions = folder = SessionFolder(project, folder_of(quick / "data", project))

    play.write_text(script(0))
    assert launcher.run(arguments(project, play), output, None) == 0, output.read_text()
    assert seen_in(output).ended
    moments = moments_of(output.read_bytes())

    found = set()
    for turn in range(1, KILLS + 1):
        play.write_text(script(turn))
        code = launcher.run(arguments(project, play), output, (dice.choice(moments), dice.uniform(0, 0.01)))
        seen = seen_in(output)
        assert code in (-9, 0), output.read_text()
        found.add((len(seen.steps), len(seen.results)))
        if seen.request:
            check_session(folder, seen)
            check_versions(project, turn, seen.results)
        asyncio.run(check_opens(bench))
    assert len(folder.sessions()) == 1, "it was one session all along"
    assert len(found) > 5, f"the moments were all alike: {found}"

    play.write_text(script(KILLS + 1))
    assert launcher.run(arguments(project, play), output, None) == 0, output.read_text()
    assert seen_in(output).ended


def folder_of(data: Path, project: Path) -> Path:
    return data / "roomcode" / "sessions" / SessionFolder(project).path.name


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for one megabyte."""
    place = tmp_path / "small"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"a small tmpfs cannot be mounted here: {done.stderr.strip() or 'not allowed'}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path, leave: int) -> Path:
    """Use up the space but for `leave` bytes."""
    ballast = place / "ballast"
    with open(ballast, "wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            pass
        file.truncate(max(0, file.tell() - leave))
    return ballast


async def test_a_full_disk_is_told_once_and_made_up_for(tmp_path: Path, small_disk: Path) -> None:
    bench = Bench(tmp_path)
    bench.sessions = SessionFolder(bench.project, small_disk / "sessions")
    runtime = await bench.loaded(
        "First.", call("write_file", path="a.txt", content=LONG), "Second.", "Third.", "Fourth."
    )
    await runtime.request("one")
    ballast = fill(small_disk, 8192)
    await runtime.request("two")
    await runtime.request("three")
    told = [event for event in bench.events if "the disk is full" in getattr(event, "text", "")]
    assert len(told) == 1
    path = bench.sessions.find(LAST)
    assert all(decode_line(line) is not None for line in path.read_bytes().split(b"\n")[:-1])
    assert path.read_bytes().endswith(b"\n")
    ballast.unlink()
    await runtime.request("four")
    turns = runtime.agent.conversation.turns
    await bench.close()
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert all(decode_line(line) is not None for line in lines)
    again = await bench.loaded(resume=LAST)
    assert again.agent.conversation.turns == turns
    assert state_of(SessionReader(path)).requests == 4
    await bench.close()


def test_kills_on_a_full_disk_leave_a_session_that_goes_on(tmp_path: Path, small_disk: Path) -> None:
    dice = random.Random(7)
    project, output, play = tmp_path / "project", tmp_path / "output.txt", tmp_path / "play.txt"
    bench = Bench(tmp_path)
    bench.sessions = folder = SessionFolder(project, folder_of(small_disk, project))
    launcher = Launcher(small_disk)
    try:
        for turn in range(10):
            play.write_text(script(turn))
            ballast = fill(small_disk, dice.randrange(4096, 60_000)) if turn else None
            moment = dice.randrange(30_000), dice.uniform(0, 0.02)
            code = launcher.run(arguments(project, play), output, moment if turn else None)
            assert code in (-9, 0), output.read_text()
            seen = seen_in(output)
            check_versions(project, turn, seen.results)
            if ballast is not None:
                ballast.unlink()
            state = state_of(SessionReader(folder.find(LAST)))
            assert state.whole
            assert well_ordered(state.events), shape(state.events)
            asyncio.run(check_opens(bench))
    finally:
        launcher.close()
