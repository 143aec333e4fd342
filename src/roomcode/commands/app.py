"""`roomcode app`: the app in a folder."""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from roomcode.assembly import Runtime
    from roomcode.config import Resolved
    from roomcode.protocol.approval import ApprovalGate
    from roomcode.protocol.events import Emit, Event, RequestEnded
    from roomcode.tui.backend import Facts, Mode, ModelRow, OnLoad, OnPull, SessionRow, Setting

__all__ = ["LiveBackend", "LiveShelf", "app"]

_LONGEST_TEST = 60.0
"""Seconds for the one call that proves a model."""


@click.command()
@click.argument("directory", metavar="[DIR]", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option("--model", help="Name or path of the model.")
@click.option("--engine", help="llama, or scripted:FILE.")
@click.option("--mode", type=click.Choice(["ask", "auto"]), help="Ask before a file changes, or just change it.")
@click.option("--form", type=click.Choice(["auto", "xml", "json"]), help="How calls are written.")
@click.option("--context", type=click.IntRange(0), help="Tokens of context.")
@click.option("--max-steps", type=click.IntRange(1), help="Steps before a request is stopped.")
@click.option("--seed", type=click.IntRange(0), help="For the same answers again.")
@click.option("--new", is_flag=True, help="Start a new session instead of going on with the last one.")
@click.option("--session", default="", help="Go on with this session (the beginning of its id).")
@click.option("--theme", help="Colours of the app.")
@click.option("--plain", is_flag=True, help="Line by line, for screen readers and simple terminals.")
def app(directory: Path, plain: bool, new: bool, session: str, **flags: Any) -> int:
    """Open the app in a folder (default: this one). It goes on with the last session of that folder."""
    from roomcode import config
    from roomcode.native_output import divert_native_stderr, log_path

    if new and session:
        raise click.UsageError("Give --new or --session, not both.")
    if not directory.is_dir():
        raise click.UsageError(f"There is no folder {directory}.")
    project = directory.resolve()
    resolved = config.load(project, flags=flags)
    simple = plain or os.environ.get("TERM", "") in ("dumb", "")
    if not simple and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError('The app needs a terminal; use `roomcode run "PROMPT"` or `roomcode app --plain`.')
    log = log_path()
    divert_native_stderr(log)
    _log_to(log)
    backend = LiveBackend(project, resolved, session="new" if new else session or "last")
    if simple:
        from roomcode.tui.plain import run_plain

        return asyncio.run(run_plain(backend, LiveShelf(resolved), sys.stdin, sys.stdout))
    return _run_app(backend, resolved)


def _run_app(backend: "LiveBackend", resolved: "Resolved") -> int:
    from roomcode.tui.guard import restoring_terminal

    with restoring_terminal():
        # The terminal guard forks, which has to happen while this process is small and has one thread.
        from roomcode.tui.run import run_app

        return run_app(
            backend, LiveShelf(resolved), theme=resolved.settings.theme, warnings=resolved.warnings, environ=os.environ
        )


def _log_to(path: Path) -> None:
    import logging

    try:
        logging.basicConfig(filename=path, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    except OSError:
        logging.basicConfig(handlers=[logging.NullHandler()])


class LiveBackend:
    """The app's backend on a real agent. What is heavy to import is imported while the app is on the screen already."""

    def __init__(self, project: Path, resolved: "Resolved", *, session: str) -> None:
        """`session` is the one to open at the start: its id, `new` or `last`."""
        from roomcode.protocol.approval import refuse_all

        self.project = project
        self._resolved = resolved
        self._session = session
        self._mode: Mode = resolved.settings.mode
        self._gate: ApprovalGate = refuse_all
        self._subscribers: list[Emit] = []
        self._runtime: Runtime | None = None
        self._loaded = False

    @property
    def mode(self) -> "Mode":
        return self._mode

    @mode.setter
    def mode(self, mode: "Mode") -> None:
        self._mode = mode
        if self._runtime is not None:
            self._runtime.mode = mode

    @property
    def gate(self) -> "ApprovalGate":
        return self._gate

    @gate.setter
    def gate(self, gate: "ApprovalGate") -> None:
        self._gate = gate
        if self._runtime is not None:
            self._runtime.gate = gate

    @property
    def facts(self) -> "Facts | None":
        if self._runtime is None or not self._loaded:
            return None
        from roomcode.tui.backend import Facts

        info, agent = self._runtime.engine.info, self._runtime.agent
        return Facts(info.name, info.context, agent.budget)

    def subscribe(self, emit: "Emit") -> Callable[[], None]:
        self._subscribers.append(emit)
        return lambda: self._subscribers.remove(emit)

    async def open(self, session: str = "") -> "Sequence[Event]":
        runtime = self._runtime or await self._build()
        from roomcode.session import LAST, NEW

        await runtime.open_session(session or {"last": LAST, "new": NEW}.get(self._session, self._session))
        return runtime.history_events()

    def sessions(self) -> "Sequence[SessionRow]":
        from roomcode.session.reports import when
        from roomcode.tui.backend import SessionRow

        runtime = self._running
        return [
            SessionRow(info.id, info.title, when(info.updated), info.requests, info.id == runtime.session)
            for info in runtime.sessions()
            if not info.newer
        ]

    def take_notices(self) -> Sequence[str]:
        return self._runtime.take_notices() if self._runtime is not None else ()

    async def load(self, on_progress: "OnLoad", model: str = "") -> None:
        from roomcode.models.errors import ModelError
        from roomcode.tui.backend import NoModelError

        try:
            runtime = self._runtime or await self._build()
            if model:
                if self._loaded:
                    self._loaded = False
                    await runtime.engine.close()
                runtime.settings = self._with_model(model)
            await runtime.load(on_progress)
        except ModelError as error:
            raise NoModelError(str(error)) from error
        self._loaded = True

    async def _build(self) -> "Runtime":
        import importlib

        assembly = await asyncio.to_thread(importlib.import_module, "roomcode.assembly")
        sessions = await asyncio.to_thread(assembly.SessionFolder, self.project)
        runtime: Runtime = assembly.Runtime(self.project, self._resolved.settings, sessions=sessions)
        runtime.mode, runtime.gate = self._mode, self._gate
        for subscriber in self._subscribers:
            runtime.subscribe(subscriber)
        self._runtime = runtime
        return runtime

    def _with_model(self, model: str) -> Any:
        from msgspec.structs import replace

        return replace(self._resolved.settings, model=model, engine="llama")

    @property
    def _running(self) -> "Runtime":
        from roomcode.protocol.engine import EngineError

        if self._runtime is None:
            raise EngineError("The model is not loaded yet.")
        return self._runtime

    async def request(self, prompt: str) -> "RequestEnded":
        return await self._running.request(prompt)

    def stop(self) -> None:
        if self._runtime is not None:
            self._runtime.stop()

    def steer(self, text: str) -> None:
        self._running.steer(text)

    def take_steering(self) -> list[str]:
        return self._running.take_steering()

    async def new_task(self) -> None:
        await self._running.new_task()

    def names(self) -> Sequence[str]:
        from roomcode.workspace import Workspace

        return Workspace(self.project).names(5_000)

    def ports(self) -> Sequence[int]:
        return tuple(self._runtime.preview.ports) if self._runtime is not None else ()

    async def console(self, port: int) -> Sequence[str]:
        from roomcode.preview import PreviewError

        try:
            page = await self._running.preview.logs(port)
        except PreviewError as error:
            return (str(error),)
        lines = [
            f"{entry.severity} {entry.place} {entry.text}".replace("  ", " ")
            + (f"  ×{entry.count}" if entry.count > 1 else "")
            for entry in page.entries
        ]
        return [*lines, page.state] if page.state else lines

    def settings(self) -> "Sequence[Setting]":
        import json

        from roomcode import config
        from roomcode.tui.backend import Setting

        return [
            Setting(
                name,
                json.dumps(
                    self._mode if name == "mode" else self._resolved.value(name), ensure_ascii=False, default=str
                ),
                self._resolved.origins[name],
                key.description,
            )
            for name, key in config.keys().items()
        ]

    async def close(self) -> None:
        if self._runtime is not None:
            await self._runtime.close()


class LiveShelf:
    """The models of the catalogue and of this machine."""

    def __init__(self, resolved: "Resolved") -> None:
        self._resolved = resolved

    @property
    def memory(self) -> int:
        from roomcode.models import total_memory

        return total_memory()

    def rows(self) -> "Sequence[ModelRow]":
        from roomcode import models
        from roomcode.tui.backend import ModelRow

        catalogue, folder, memory = models.load_catalogue(), models.models_dir(), models.available_memory()
        there = {model.path.name: model for model in models.installed(folder, catalogue)}
        rows = []
        for entry in catalogue.entries.values():
            context = entry.profile.context or models.default_context(entry.parameters)
            needed = models.memory_needed(entry.size, entry.kv_bytes_per_token, context)
            here = there.pop(entry.filename, None) is not None
            rows.append(ModelRow(entry.name, entry.about, entry.size, needed, needed <= memory, here))
        best = next((row.name for row in rows if row.name == catalogue.default and row.fits), "")
        if not best:
            best = next((row.name for row in reversed(rows) if row.fits), "")
        own = [ModelRow(str(model.path), "your own file", model.size, 0, True, True) for model in there.values()]
        return [*(_recommended(row) if row.name == best else row for row in rows), *own]

    def pull(self, name: str, on_pull: "OnPull") -> None:
        from roomcode import models

        entry = models.load_catalogue().entries[name]
        models.pull(entry, models.models_dir(), report=lambda step: on_pull(step.stage, step.done, step.total))

    async def prove(self, name: str) -> str:
        import tempfile
        import time

        from msgspec.structs import replace

        from roomcode.assembly import Runtime
        from roomcode.protocol.engine import EngineError

        with tempfile.TemporaryDirectory(prefix="roomcode-test-") as folder:
            Path(folder, "hello.txt").write_text("hello\n")
            runtime = Runtime(
                Path(folder), replace(self._resolved.settings, model=name, engine="llama", mode="auto", max_steps=1)
            )
            try:
                await runtime.load()
                began = time.monotonic()
                asyncio.get_running_loop().call_later(_LONGEST_TEST, runtime.stop)
                ended = await runtime.request("Read hello.txt with read_file.")
            finally:
                await runtime.close()
        if ended.reason == "error":
            raise EngineError(f"{name} was loaded but failed in a test call: {ended.detail}")
        if ended.reason == "stopped" and not ended.calls:
            raise EngineError(
                f"{name} was loaded but made no call within {_LONGEST_TEST:.0f} s: it is here to be used, "
                "but a smaller one may be better for this machine."
            )
        if not ended.calls:
            raise EngineError(f"{name} was loaded but made no call when asked to: choose another model.")
        return f"{name} works: one test call in {time.monotonic() - began:.1f} s, {ended.tok_per_s:.0f} tok/s."


def _recommended(row: "ModelRow") -> "ModelRow":
    from dataclasses import replace

    return replace(row, recommended=True)
