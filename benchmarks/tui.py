"""Figures of the app, measured on a real pseudo-terminal: `python benchmarks/tui.py [--quick] [--json]`.

The app runs in a child process with a prepared session; this process plays the terminal: it sends keys and waits for
what they change on the screen.
"""

import argparse
import asyncio
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

MESSAGES, TOOL_LINES = 400, 5_000
COLUMNS, ROWS = 100, 30
KEY_LIMIT, STREAM_LIMIT, IDLE_LIMIT, START_LIMIT, FOCUS_LIMIT = 0.050, 0.20, 0.01, 1.0, 0.200
ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9])")


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value and what it must stay below."""

    name: str
    value: float
    limit: float
    unit: str

    def line(self) -> str:
        scale = {"ms": 1e3, "%": 1e2, "s": 1.0}[self.unit]
        mark = "ok  " if self.value < self.limit else "OVER"
        return f"{mark} {self.name:<52} {self.value * scale:8.2f} {self.unit:<2} (below {self.limit * scale:g})"


class Terminal:
    """A child process on a pseudo-terminal."""

    def __init__(self, command: list[str], **environ: str) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.began = time.perf_counter()
        self._child = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "xterm-256color", **environ},
            start_new_session=True,
        )
        os.close(slave)
        self._seen = b""

    def send(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def wait_for(self, text: bytes, seconds: float = 20.0) -> float:
        """When `text` was drawn (on the clock of `time.perf_counter`)."""
        end = time.perf_counter() + seconds
        while text not in ESCAPES.sub(b"", self._seen):
            self._read(end - time.perf_counter(), f"{text!r} did not appear")
        now = time.perf_counter()
        self._seen = b""
        return now

    def wait_for_any(self, seconds: float = 5.0) -> float:
        self._seen = b""
        self._read(seconds, "nothing was drawn")
        return time.perf_counter()

    def settle(self, quiet: float = 0.3, most: float = 20.0) -> None:
        """Read until nothing more is drawn for a while."""
        end = time.perf_counter() + most
        while time.perf_counter() < end and select.select([self._master], [], [], quiet)[0]:
            os.read(self._master, 65_536)
        self._seen = b""

    def _read(self, seconds: float, otherwise: str) -> None:
        if seconds <= 0 or not select.select([self._master], [], [], seconds)[0]:
            raise TimeoutError(otherwise)
        self._seen += os.read(self._master, 65_536)

    def cpu(self) -> float:
        """Seconds of processor time the child took so far."""
        times = psutil.Process(self._child.pid).cpu_times()
        return float(times.user + times.system)

    def close(self) -> None:
        self._child.terminate()
        try:
            self._child.wait(10)
        except subprocess.TimeoutExpired:
            self._child.kill()
        os.close(self._master)


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


# The terminal's side


def child(kind: str, report: Path) -> Terminal:
    return Terminal([sys.executable, __file__, "--child", kind, "--report", str(report)])


def keys(kind: str, report: Path, count: int) -> tuple[list[float], list[float], list[float]]:
    """Seconds from key to screen: typing, then scrolling with PgUp held, then a key after 20 changes of focus."""
    terminal = child(kind, report)
    try:
        terminal.wait_for(b"What shall I build?")
        terminal.settle(1.0, 120)
        typing = []
        draft = b""
        for number in range(count):
            letter = b"abcdefghij"[number % 10 : number % 10 + 1]
            draft = (draft + letter)[-40:]
            began = time.perf_counter()
            terminal.send(letter)
            typing.append(terminal.wait_for(draft[-8:]) - began)
            time.sleep(0.03)
        scrolling = []
        for _ in range(count if kind == "long" else 0):
            # What is still on its way from the page before would be taken for the answer to this key.
            terminal.settle(0.05, 1.0)
            began = time.perf_counter()
            terminal.send(b"\x1b[5~")
            scrolling.append(terminal.wait_for_any() - began)
        terminal.settle()
        focus = []
        for _ in range(5):
            began = time.perf_counter()
            terminal.send(b"\x1b[O\x1b[I" * 20 + b"Z")
            focus.append(terminal.wait_for(b"Z") - began)
            terminal.send(b"\x7f")
            terminal.settle()
        return typing, scrolling, focus
    finally:
        terminal.close()


def cpu(kind: str, report: Path, seconds: float) -> float:
    """Share of a core that the app takes in a scene of so many seconds; measured by the app's own process."""
    terminal = Terminal([sys.executable, __file__, "--child", kind, "--report", str(report), "--seconds", str(seconds)])
    try:
        end = time.perf_counter() + seconds + 60
        while not report.exists() and time.perf_counter() < end:
            terminal.settle(0.2, 1.0)
        return float(json.loads(report.read_text())["cpu"])
    finally:
        terminal.close()
        report.unlink(missing_ok=True)


def first_paint(folder: Path) -> tuple[float, float]:
    """Seconds from starting the real program to its first picture, and the processor time it took (which other programs
    on the machine do not change), with files cached by an earlier start."""
    script = folder / "script.txt"
    script.write_text("=== answer\ndone\n")
    times, shares = [], []
    for _ in range(5):
        command = [str(Path(sys.executable).with_name("roomcode")), "--engine", f"scripted:{script}", str(folder)]
        terminal = Terminal(command)
        try:
            times.append(terminal.wait_for(b"Enter sends") - terminal.began)
            shares.append(terminal.cpu())
            terminal.settle()
        finally:
            terminal.close()
    return min(times[1:]), min(shares[1:])


def measure(quick: bool) -> Iterator[Figure]:
    count, seconds = (20, 4.0) if quick else (50, 15.0)
    with tempfile.TemporaryDirectory(prefix="roomcode-bench-") as name:
        folder = Path(name)
        report = folder / "report.json"
        paint, paint_cpu = first_paint(folder)
        yield Figure("start to first paint", paint, START_LIMIT, "s")
        yield Figure("  the same, processor time", paint_cpu, START_LIMIT, "s")
        short, _, _ = keys("short", report, count)
        yield Figure("key to screen, empty session, p95", percentile(short, 0.95), KEY_LIMIT, "ms")
        typing, scrolling, focus = keys("long", report, count)
        size = f"{MESSAGES} messages, {TOOL_LINES} tool lines"
        yield Figure(f"key to screen, {size}, p95", percentile(typing, 0.95), KEY_LIMIT, "ms")
        yield Figure("  the same, median", percentile(typing, 0.5), KEY_LIMIT, "ms")
        yield Figure(f"PgUp to screen, {size}, p95", percentile(scrolling, 0.95), KEY_LIMIT, "ms")
        yield Figure("20 changes of focus and a key to screen", max(focus), FOCUS_LIMIT, "ms")
        yield Figure("CPU while 100 tokens/s of text stream", cpu("text", report, seconds), STREAM_LIMIT, "%")
        yield Figure("CPU while 100 tokens/s of a file stream", cpu("file", report, seconds), STREAM_LIMIT, "%")
        yield Figure("CPU while idle", cpu("idle", report, seconds), IDLE_LIMIT, "%")
        yield Figure("CPU while a change waits for the person", cpu("approval", report, seconds), IDLE_LIMIT, "%")


# The app's side


def long_session() -> list[Any]:
    """Events of an earlier session: messages with Markdown, and calls with results."""
    from roomcode.protocol.display import FileChange
    from roomcode.protocol.events import Call, CallOpened, Event, RequestStarted, Result, StepStarted, Text

    events: list[Event] = []
    lines_a_call = 25
    calls = TOOL_LINES // lines_a_call
    for number in range(MESSAGES):
        if number % 10 == 0:
            events.append(RequestStarted(request=number // 10 + 1, prompt=f"Request {number}", model="m", form="xml"))
            events.append(StepStarted(step=1))
        text = f"Message {number} with **bold** text, `code` and a list:\n\n- one\n- two\n\n"
        text += f"```js\nconst a = {number};\n```\n"
        events.append(Text(text=text))
        if number * calls // MESSAGES != (number + 1) * calls // MESSAGES:
            call = f"1.{number}.1"
            result = "\n".join(f"{line}: const value{line} = {number};" for line in range(lines_a_call))
            events.append(CallOpened(call=call, tool="read_file"))
            events.append(Call(call=call, tool="read_file", arguments={"path": f"file{number}.js"}))
            change = FileChange(f"file{number}.js", result, result.replace("value3 ", "changed3 "))
            events.append(
                Result(
                    call=call, tool="edit_file", state="ok", text=result, display=change if number % 4 == 0 else None
                )
            )
    return events


async def stream(emit: Callable[[Any], None], make: Callable[[int], Any], seconds: float) -> None:
    """100 events a second."""
    began = time.perf_counter()
    number = 0
    while time.perf_counter() - began < seconds:
        emit(make(number))
        number += 1
        await asyncio.sleep(max(0.0, began + number / 100 - time.perf_counter()))


def run_child(kind: str, report: Path, seconds: float) -> None:
    from roomcode.protocol.display import FileChange
    from roomcode.protocol.events import Approval, Call, CallArgs, CallOpened, RequestStarted, StepStarted, Text
    from roomcode.tui.app import RoomcodeApp
    from roomcode.tui.keyboard import KeyboardDriver
    from roomcode.tui.replay import ReplayBackend

    class Shelf:
        memory = 0

    words = ["The ", "page ", "has ", "**two** ", "parts", ". ", "It ", "shows ", "`a` ", "sum", ".\n\n"]
    code = ["  const ", "value", " = ", "1", ";", "\n"]
    backend = ReplayBackend()

    async def scene(app: RoomcodeApp) -> None:
        # A long session is read first, and measured in the background.
        while not (app.conductor.ready and app.drawn):  # noqa: ASYNC110 -- nothing tells when it is
            await asyncio.sleep(0.5)
        await asyncio.sleep(1)
        if kind in ("text", "file", "approval"):
            backend.emit(RequestStarted(request=900, prompt="go", model="m", form="xml"))
            backend.emit(StepStarted(step=1))
        if kind in ("file", "approval"):
            backend.emit(CallOpened(call="900.1.1", tool="write_file"))
            backend.emit(CallArgs(call="900.1.1", tool="write_file", name="path", text="app.js"))
        if kind == "approval":
            backend.emit(Call(call="900.1.1", tool="write_file", arguments={"path": "app.js"}))
            change = FileChange("app.js", "a\n" * 50, "b\n" * 50)
            backend.emit(Approval(call="900.1.1", tool="write_file", state="asked", change=change))
            await asyncio.sleep(1)
        began, cpu_began = time.perf_counter(), time.process_time()
        if kind == "text":
            await stream(backend.emit, lambda n: Text(text=words[n % len(words)]), seconds)
        elif kind == "file":
            await stream(
                backend.emit,
                lambda n: CallArgs(call="900.1.1", tool="write_file", name="content", text=code[n % len(code)]),
                seconds,
            )
        else:
            await asyncio.sleep(seconds)
        share = (time.process_time() - cpu_began) / (time.perf_counter() - began)
        part = report.with_suffix(".part")
        part.write_text(json.dumps({"cpu": share}))
        part.replace(report)

    class Bench(RoomcodeApp):
        def on_ready(self) -> None:
            if kind in ("text", "file", "idle", "approval"):
                self.run_worker(scene(self))

    backend.past = [] if kind == "short" else long_session()
    Bench(backend, Shelf(), driver=KeyboardDriver).run()  # type: ignore[arg-type]


def main() -> int:
    parser = argparse.ArgumentParser(description="Figures of the app on a pseudo-terminal.")
    parser.add_argument("--quick", action="store_true", help="fewer keys and shorter scenes")
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--report", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=0.0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        run_child(options.child, options.report, options.seconds)
        return 0
    over = False
    for figure in measure(options.quick):
        print(
            json.dumps({"name": figure.name.strip(), "value": figure.value, "limit": figure.limit})
            if options.json
            else figure.line(),
            flush=True,
        )
        over = over or figure.value >= figure.limit
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
