"""One request without the app: the answer on stdout, progress on stderr."""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TextIO

from roomcode.protocol.approval import ApprovalRequest, Decision
from roomcode.protocol.engine import EngineError
from roomcode.protocol.events import (
    Approval,
    Call,
    EndReason,
    Event,
    Note,
    RequestEnded,
    Result,
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
            case Call(tool=tool, arguments=arguments, repairs=repairs):
                self._line(f"  {tool or 'unreadable call'} {_main_argument(arguments)}".rstrip())
                for repair in repairs:
                    self._line(f"    repaired: {repair}")
            case Approval(state="rejected", comment=comment):
                self._line(f"    not approved: {comment}")
            case Result(state=state, text=text):
                self._line(f"    {state}: {_short(text, 160)}")
            case Note(text=text):
                self._line(f"  note: {_short(text, 160)}")
            case RequestEnded(summary=summary):
                self._line(summary)
            case _:
                pass

    def _line(self, text: str) -> None:
        print(_printable(text), file=self._out, flush=True)


class _WhileRead:
    """A printer that stops writing, and says so once, when nobody reads any more (`roomcode run … | head`) or nothing
    can be written."""

    def __init__(self, printer: Callable[[Event], None], out: TextIO, on_gone: Callable[[], None]) -> None:
        self._printer = printer
        self._out = out
        self._on_gone = on_gone
        self.error: OSError | None = None

    def __call__(self, event: Event) -> None:
        if self.error is not None:
            return
        try:
            self._printer(event)
        except OSError as error:
            self.error = error
            # What is buffered would fail again when Python exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())
            self._on_gone()


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
    printer: Callable[[Event], None] = JsonPrinter(out) if json else ProgressPrinter(err)
    watched = _WhileRead(printer, out if json else err, runtime.stop)
    runtime.subscribe(watched)
    interrupts = _Interrupts(runtime, err)
    progress = _LoadProgress(err)
    try:
        try:
            await runtime.load(progress)
            progress.end()
            if interrupts.count:
                return EXIT_CODES["stopped"]
            # Bytes of the command line that are no text cannot be written out again.
            ended = await runtime.request(prompt.encode("utf-8", "replace").decode())
        finally:
            progress.end()
            await runtime.close()
    except asyncio.CancelledError:
        return EXIT_CODES["stopped"]
    except EngineError:
        if not interrupts.count:
            raise
        return EXIT_CODES["stopped"]
    finally:
        interrupts.forget()
    if watched.error is not None and not isinstance(watched.error, BrokenPipeError):
        print(f"roomcode: the output cannot be written: {watched.error.strerror}", file=err)
        return EXIT_CODES["error"]
    if not json and ended.answer:
        print(_printable(ended.answer) if out.isatty() else ended.answer, file=out)
    if ended.reason not in ("done", "stopped"):
        print(f"roomcode: {_printable(ended.detail)}", file=err)
    return EXIT_CODES[ended.reason]


class _Interrupts:
    """Signals that ask to end. The first one stops the request, the next one ends the task that made this."""

    def __init__(self, runtime: _Runtime, err: TextIO) -> None:
        self.count = 0
        self._runtime = runtime
        self._err = err
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._signals = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        try:
            for number in self._signals:
                self._loop.add_signal_handler(number, self._on_signal)
        except NotImplementedError:  # event loops without signal support (Windows) raise KeyboardInterrupt instead
            self._signals = []

    def _on_signal(self) -> None:
        self.count += 1
        if self.count > 1 and self._task is not None:
            self._task.cancel()
            return
        self._runtime.stop()
        print("stopping (Ctrl-C again quits at once)", file=self._err, flush=True)

    def forget(self) -> None:
        for number in self._signals:
            self._loop.remove_signal_handler(number)


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


def _main_argument(arguments: Mapping[str, Any]) -> str:
    """What tells this call from others of its tool: rather its path than the text it writes."""
    named = [arguments[name] for name in ("path", "pattern", "port", "code") if name in arguments]
    return _short(str(next(iter([*named, *arguments.values()]), "")), 60)


def _short(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _printable(text: str) -> str:
    """Foreign text without control characters, which a terminal would obey."""
    return "".join(c if c.isprintable() or c in "\n\t\u200c\u200d" else "\ufffd" for c in text)
