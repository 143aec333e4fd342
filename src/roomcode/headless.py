"""One request without the app: the answer on stdout, progress on stderr."""

import asyncio
import signal
from collections.abc import Callable
from typing import Protocol, TextIO

from roomcode.protocol.approval import ApprovalRequest, Decision
from roomcode.protocol.events import (
    Approval,
    Call,
    EndReason,
    Event,
    Note,
    RequestEnded,
    Result,
    StepStarted,
    encode,
)

__all__ = ["EXIT_CODES", "JsonPrinter", "ProgressPrinter", "refuse_without_yes", "run_request"]

EXIT_CODES: dict[EndReason, int] = {"done": 0, "error": 1, "limit": 3, "stuck": 3, "context": 3, "stopped": 130}


async def refuse_without_yes(request: ApprovalRequest) -> Decision:
    """The gate of a run without `--yes`."""
    return Decision(False, "this run may not change files; say what you would change instead of calling more tools")


class JsonPrinter:
    """Each event as one line of JSON."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def __call__(self, event: Event) -> None:
        self._out.write(encode(event).decode() + "\n")
        self._out.flush()


class ProgressPrinter:
    """What a person wants to see scroll by: a line for each call and its result."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def __call__(self, event: Event) -> None:
        match event:
            case StepStarted():
                pass
            case Call(tool=tool, arguments=arguments, repairs=repairs):
                main = next((str(v) for v in arguments.values()), "")
                self._line(f"  {tool} {_short(main, 60)}")
                for repair in repairs:
                    self._line(f"    repaired: {repair}")
            case Approval(state="rejected", comment=comment):
                self._line(f"    not approved: {comment}")
            case Result(state=state, text=text):
                mark = "ok" if state == "ok" else state
                self._line(f"    {mark}: {_short(text, 160)}")
            case Note(text=text):
                self._line(f"  note: {_short(text, 160)}")
            case RequestEnded(summary=summary):
                self._line(summary)
            case _:
                pass

    def _line(self, text: str) -> None:
        print(_printable(text), file=self._out)


class _Runtime(Protocol):
    def subscribe(self, emit: Callable[[Event], None]) -> Callable[[], None]: ...
    async def load(self, on_progress: Callable[[str, float], None]) -> None: ...
    async def request(self, prompt: str) -> RequestEnded: ...
    def stop(self) -> None: ...
    async def close(self) -> None: ...


async def run_request(runtime: _Runtime, prompt: str, *, json: bool, out: TextIO, err: TextIO) -> int:
    """Load the model, run one request, print it; returns the exit code. Ctrl-C stops it, a second one quits.

    Raises ModelError or EngineError when the model cannot be loaded.
    """
    runtime.subscribe(JsonPrinter(out) if json else ProgressPrinter(err))
    loop = asyncio.get_running_loop()
    stopped = False
    task = asyncio.current_task()

    def on_interrupt() -> None:
        nonlocal stopped
        if stopped and task is not None:
            task.cancel()
            return
        stopped = True
        runtime.stop()
        print("stopping (Ctrl-C again quits at once)", file=err)

    try:
        loop.add_signal_handler(signal.SIGINT, on_interrupt)
        loop.add_signal_handler(signal.SIGTERM, on_interrupt)
    except NotImplementedError:  # event loops without signal support (Windows) raise KeyboardInterrupt instead
        pass
    progress = _LoadProgress(err)
    try:
        await runtime.load(progress)
        progress.end()
        if stopped:
            return EXIT_CODES["stopped"]
        ended = await runtime.request(prompt)
    except asyncio.CancelledError:
        return EXIT_CODES["stopped"]
    finally:
        progress.end()
        await runtime.close()
    if not json and ended.answer:
        print(ended.answer, file=out)
    if ended.reason not in ("done", "stopped"):
        print(f"roomcode: {ended.detail}", file=err)
    return EXIT_CODES[ended.reason]


class _LoadProgress:
    """One line that is written over on a terminal, and nothing elsewhere."""

    def __init__(self, err: TextIO) -> None:
        self._err = err
        self._shown = False

    def __call__(self, what: str, share: float) -> None:
        if self._err.isatty():
            self._err.write(f"\r\x1b[K{what} {share:.0%}")
            self._err.flush()
            self._shown = True

    def end(self) -> None:
        if self._shown:
            self._err.write("\r\x1b[K")
            self._err.flush()
            self._shown = False


def _short(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _printable(text: str) -> str:
    """Foreign text without control characters, which a terminal would obey."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
