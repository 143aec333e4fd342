"""The app line by line: nothing moves, nothing is overwritten. For screen readers and simple terminals."""

import asyncio
import os
import signal
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from roomcode.protocol.approval import ApprovalRequest, Decision
from roomcode.protocol.events import Event
from roomcode.tui.backend import Backend, Shelf
from roomcode.tui.commands import Typed, find
from roomcode.tui.completion import plain_mentions
from roomcode.tui.foreign import safe_line
from roomcode.tui.plain_commands import PlainCommands
from roomcode.tui.plain_text import PlainPrinter, change_text

__all__ = ["Plain", "run_plain"]

_ANSWERS = "y approve, n reject, a this request, A this session, e edit, v full diff"
_READING = "y let the model read it, n refuse"

ReadLine = Callable[[str], "asyncio.Future[str | None]"]


async def run_plain(backend: Backend, shelf: Shelf, source: TextIO, out: TextIO) -> int:
    """Read requests from `source` until its end; returns the exit code."""
    lines = _Lines(source, out)
    plain = Plain(backend, shelf, lines.ask, out, edit=_edit_in_editor)
    loop = asyncio.get_running_loop()
    for name, action in (("SIGINT", plain.interrupt), ("SIGTERM", plain.leave), ("SIGHUP", plain.leave)):
        if hasattr(signal, name):
            loop.add_signal_handler(getattr(signal, name), action)
    try:
        return await plain.run()
    finally:
        await backend.close()
        lines.close()


class _Lines:
    """Reads lines in a thread that nothing waits for at the end."""

    def __init__(self, source: TextIO, out: TextIO) -> None:
        self._source = source
        self._out = out

    def ask(self, question: str) -> "asyncio.Future[str | None]":
        """The next line, without its end; None at the end of input."""
        self._out.write(question)
        self._out.flush()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[str | None] = loop.create_future()

        def read() -> None:
            line = self._source.readline()
            loop.call_soon_threadsafe(_settle, future, line.rstrip("\n") if line else None)

        import threading

        threading.Thread(target=read, daemon=True, name="plain-input").start()
        return future

    def close(self) -> None:
        self._out.flush()


def _settle(future: "asyncio.Future[str | None]", line: str | None) -> None:
    if not future.done():
        future.set_result(line)


class Plain:
    """One project in linear mode. Text typed while the agent works is told it at its next step."""

    def __init__(
        self,
        backend: Backend,
        shelf: Shelf,
        ask: ReadLine,
        out: TextIO,
        *,
        edit: Callable[[str, str], str | None],
    ) -> None:
        """`edit(name, text)` lets the person change a text; None: they did not."""
        self._backend = backend
        self._shelf = shelf
        self._ask = ask
        self._out = out
        self._edit = edit
        self._printer = PlainPrinter(self._say)
        self._commands = PlainCommands(
            backend,
            shelf,
            self._say,
            self._line,
            self._printer,
            busy=lambda: self._task is not None,
            send=self._send,
            leave=self.leave,
        )
        self._task: asyncio.Task[None] | None = None
        self._asking: asyncio.Future[str] | None = None
        self._interrupted = False
        self._ended = asyncio.Event()

    async def run(self) -> int:
        self._backend.subscribe(self._on_event)
        self._backend.gate = self._gate
        self._say(f"roomcode in {self._backend.project}")
        self._say("Type a request and press Enter. /help lists commands, Ctrl+C stops the agent, twice quits.")
        for event in await self._backend.open():
            self._printer(event)
        if not await self._commands.load():
            return 1
        while not self._ended.is_set():
            line = await self._line("" if self._task is not None else "> ")
            if line is None:
                break
            await self._take(line)
        await self._finish()
        return 0

    async def _finish(self) -> None:
        if self._task is not None and not self._ended.is_set():
            await self._task
        elif self._task is not None:
            self._backend.stop()
            await self._task

    async def _line(self, question: str) -> str | None:
        """The next line of input, or None when there is none or the app is being left."""
        reading = self._ask(question)
        ending = asyncio.ensure_future(self._ended.wait())
        both: list[asyncio.Future[Any]] = [reading, ending]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        return reading.result() if reading.done() else None

    async def _take(self, line: str) -> None:
        self._interrupted = False
        if self._asking is not None and not self._asking.done():
            self._asking.set_result(line)
            # The answer is used before the next line is asked for.
            await asyncio.sleep(0)
            return
        match find(line):
            case Typed() as typed:
                await self._commands.run(typed)
            case str() as sentence:
                self._say(safe_line(sentence))
            case None if line.strip():
                await self._send(line)

    async def _send(self, line: str) -> None:
        names = await asyncio.to_thread(self._backend.names) if "@" in line else ()
        text = plain_mentions(line, names)
        if self._task is not None:
            self._backend.steer(text)
            self._say("(the agent is told at its next step)")
            return
        self._task = asyncio.ensure_future(self._request(text))

    async def _request(self, text: str) -> None:
        waiting = [text]
        try:
            while waiting:
                ended = await self._backend.request("\n\n".join(waiting))
                waiting = self._backend.take_steering()
                if ended.reason not in ("done", "limit") and waiting:
                    self._say("not delivered: " + safe_line(" / ".join(waiting)))
                    waiting = []
        finally:
            self._task = None
        self._out.write("> ")
        self._out.flush()

    def _on_event(self, event: Event) -> None:
        self._printer(event)

    # Stopping and leaving

    def interrupt(self) -> None:
        """Ctrl+C: stops the agent; when nothing runs, or the second time, leaves."""
        if self._task is None or self._interrupted:
            self.leave()
            return
        self._interrupted = True
        self._say("stopping (Ctrl+C again quits)")
        self._backend.stop()

    def leave(self) -> None:
        self._backend.stop()
        self._ended.set()

    # Approvals

    async def _gate(self, request: ApprovalRequest) -> Decision:
        self._printer.end_line()
        change = request.change
        self._say(change_text(change, full=False))
        while True:
            answer = await self._question(f"{_READING if request.reading else _ANSWERS}: ")
            match answer.strip():
                case "y":
                    return Decision(True)
                case "n":
                    return Decision(False, (await self._question("Why not? (Enter: no reason) ")).strip())
                case "a" if not request.reading:
                    return Decision(True, remember="request")
                case "A" if not request.reading:
                    self._backend.mode = "auto"
                    return Decision(True)
                case "v":
                    self._say(change_text(change, full=True))
                case "e" if not request.reading and change.after is not None:
                    text = await asyncio.to_thread(self._edit, change.path, change.after)
                    if text is not None:
                        return Decision(True, content=text if text != change.after else None)
                    self._say("Nothing was changed.")
                case _:
                    self._say("That is not one of the answers.")

    async def _question(self, question: str) -> str:
        self._out.write(question)
        self._out.flush()
        self._asking = asyncio.get_running_loop().create_future()
        try:
            return await self._asking
        finally:
            self._asking = None

    def _say(self, text: str) -> None:
        self._out.write(text + "\n")
        self._out.flush()


def _edit_in_editor(name: str, text: str) -> str | None:
    """Let the person change a text in their own editor."""
    import shlex
    import subprocess

    editor: Sequence[str] = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    with tempfile.TemporaryDirectory(prefix="roomcode-edit-") as folder:
        path = Path(folder) / Path(name).name
        path.write_text(text, "utf-8")
        try:
            done = subprocess.run([*editor, str(path)], check=False)
        except OSError:
            return None
        return path.read_text("utf-8") if done.returncode == 0 else None
