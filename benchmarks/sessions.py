"""Sessions: listing and opening a long one, and coming back to one: `python -m benchmarks.sessions`."""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from benchmarks.report import Figure, show
from roomcode.session import SessionFolder
from roomcode.session.records import encode_record
from tests.support.sessions import large_session

__all__ = ["main"]

SIZE = 30_000_000
SESSIONS = 100
ROUNDS = 3


def write(folder: SessionFolder) -> None:
    """One session of 30 MB and many short ones."""
    folder.path.mkdir(parents=True)
    with open(folder.path / "20260101-000000-abcd0001.jsonl", "wb") as file:
        file.writelines(map(encode_record, large_session(SIZE)))
    for number in range(SESSIONS):
        with open(folder.path / f"20260101-000000-{number:08x}.jsonl", "wb") as file:
            file.writelines(map(encode_record, large_session(20_000)))


def listing(environment: dict[str, str], project: Path) -> tuple[float, float]:
    """Wall and processor seconds that `roomcode sessions` takes as a whole."""
    times, processor = [], time_of_children()
    command = [sys.executable, "-m", "roomcode", "sessions"]
    for _ in range(ROUNDS):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, cwd=project, env=environment)
        times.append(time.perf_counter() - started)
    return statistics.median(times), (time_of_children() - processor) / ROUNDS


def time_of_children() -> float:
    spent = os.times()
    return spent.children_user + spent.children_system


async def opening(project: Path, sessions: Path, script: Path) -> tuple[float, float, int]:
    """Wall and processor seconds until the past of the long session can be shown and its conversation gone on with, and
    how many bytes of memory that took."""
    from roomcode.assembly import Runtime
    from roomcode.config import Settings

    runtime = Runtime(
        project, Settings(engine=f"scripted:{script}"), sessions=SessionFolder(project, sessions), resume="abcd0001"
    )
    before = psutil.Process().memory_info().rss
    started, used = time.perf_counter(), time.process_time()
    await runtime.load()
    assert runtime.history_events()
    assert runtime.agent.conversation.turns
    took = time.perf_counter() - started, time.process_time() - used, psutil.Process().memory_info().rss - before
    await runtime.close()
    return took


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        project, script = base / "project", base / "script.txt"
        project.mkdir()
        script.write_text("=== answer\nHello.\n")
        folder = SessionFolder(project, base / "roomcode" / "sessions" / SessionFolder(project).path.name)
        write(folder)
        environment = {**os.environ, "XDG_DATA_HOME": str(base)}
        listed, working = listing(environment, project)
        wall, processor, memory = asyncio.run(opening(project, folder.path, script))
    show(
        f"Sessions ({SIZE / 1e6:.0f} MB, and {SESSIONS} short ones)",
        [
            Figure("roomcode sessions", f"{listed:.2f} s ({working:.2f} s of the processor)", "under 1 s"),
            Figure("opening the long one", f"{wall:.2f} s ({processor:.2f} s of the processor)", "under 3 s"),
            Figure("memory it takes", f"{memory / 1e6:.0f} MB"),
        ],
    )


if __name__ == "__main__":
    main()
