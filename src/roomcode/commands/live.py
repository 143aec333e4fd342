"""The app's backend and shelf on a real agent. What is heavy to import is imported while the app is on the screen."""

import asyncio
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roomcode.assembly import Runtime
    from roomcode.config import Key, Resolved, Settings
    from roomcode.protocol.approval import ApprovalGate
    from roomcode.protocol.events import Emit, Event, RequestEnded
    from roomcode.tui.backend import Facts, KeptFiles, Mode, ModelRow, OnLoad, OnPull, Outcome, SessionRow, Setting

__all__ = ["LiveBackend", "LiveShelf"]

_LONGEST_TEST = 60.0
"""Seconds for the one call that proves a model."""


class LiveBackend:
    """One project with its agent, as the app wants it."""

    def __init__(
        self,
        project: Path,
        resolved: "Resolved",
        flags: Mapping[str, Any],
        *,
        session: str,
        environ: Mapping[str, str] = os.environ,
        sessions: Path | None = None,
    ) -> None:
        """`flags` and `environ` are those that `resolved` was made with; `session` is the one to open at the start: its
        id, `new` or `last`. `sessions` is the folder they are in, where that is not the usual one."""
        from roomcode.protocol.approval import refuse_all

        self.project = project
        self._resolved = resolved
        self._flags = flags
        self._environ = environ
        self._sessions = sessions
        self._session = session
        self._model = ""
        """The model that was chosen in the app, which is no setting."""
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

    async def delete_session(self, session: str) -> None:
        await self._running.delete_session(session)

    def take_notices(self) -> Sequence[str]:
        return self._runtime.take_notices() if self._runtime is not None else ()

    async def load(self, on_progress: "OnLoad", model: str = "") -> None:
        from roomcode.models.errors import ModelError
        from roomcode.tui.backend import NoModelError

        try:
            runtime = self._runtime or await self._build()
            if model:
                self._model = model
                runtime.settings = self._settings
            self._loaded = False
            await runtime.load(on_progress)
        except ModelError as error:
            raise NoModelError(str(error)) from error
        self._loaded = True
        # While the person reads and types, the model reads what every conversation begins with.
        runtime.prepare()

    async def _build(self) -> "Runtime":
        import importlib

        assembly = await asyncio.to_thread(importlib.import_module, "roomcode.assembly")
        sessions = await asyncio.to_thread(assembly.SessionFolder, self.project, self._sessions)
        runtime: Runtime = assembly.Runtime(self.project, self._settings, sessions=sessions)
        runtime.mode, runtime.gate = self._mode, self._gate
        for subscriber in self._subscribers:
            runtime.subscribe(subscriber)
        self._runtime = runtime
        return runtime

    @property
    def _settings(self) -> "Settings":
        from msgspec.structs import replace

        settings = self._resolved.settings
        return replace(settings, model=self._model, engine="llama") if self._model else settings

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

    @property
    def kept(self) -> "KeptFiles":
        return self._running.workspace

    async def change_files(self, plan: Any, anyway: Collection[str] = ()) -> "Outcome":
        return await self._running.change_files(plan, anyway)

    def asked(self) -> Sequence[tuple[int, str]]:
        return self._running.asked()

    async def fork(self, request: int) -> "tuple[str, Sequence[Event]]":
        prompt = await self._running.fork(request)
        return prompt, self._running.history_events()

    def settings(self) -> "Sequence[Setting]":
        from roomcode import config

        return [self._setting(key) for key in config.keys().values()]

    def _setting(self, key: "Key") -> "Setting":
        import json

        from roomcode import config
        from roomcode.tui.backend import Setting

        value, origin = self._resolved.value(key.name), self._resolved.origins[key.name]
        if key.name == "mode" and value != self._mode:
            value, origin = self._mode, "this app, now"
        return Setting(
            key.name,
            "unset" if value is None else json.dumps(value, ensure_ascii=False),
            origin,
            key.description,
            config.as_text(self._resolved.value(key.name)),
            key.expected,
            key.choices,
            key.applies,
        )

    @property
    def config_files(self) -> tuple[str, str]:
        from roomcode import config

        return str(config.user_config_path(self._environ)), str(config.project_config_path(self.project))

    async def change_setting(self, name: str, text: str, *, project: bool) -> str:
        from roomcode import config

        path = Path(self.config_files[1 if project else 0])

        def write() -> "Resolved":
            # What is broken elsewhere is said before anything is written.
            config.load(self.project, self._environ, self._flags)
            config.change(path, name, text)
            return config.load(self.project, self._environ, self._flags)

        before = self._resolved.settings.mode
        self._resolved = resolved = await asyncio.to_thread(write)
        if resolved.settings.mode != before:
            self.mode = resolved.settings.mode
        if self._runtime is not None:
            self._runtime.apply(self._settings)
        return _counts(name, text, path, resolved)

    async def close(self) -> None:
        if self._runtime is not None:
            await self._runtime.close()


def _counts(name: str, text: str, path: Path, resolved: "Resolved") -> str:
    """What counts after a setting was changed in a file, as one sentence."""
    from roomcode import config

    key, origin = config.keys()[name], resolved.origins[name]
    value = config.as_text(resolved.value(name)) or "unset"
    if text.strip() and origin != str(path):
        return f"{name} is saved, but {origin} goes before it: {name} stays {value}."
    if not text.strip():
        return f"{name} is not in that file any more: it is {value} now (from {origin}), {key.applies}."
    return f"{name} is {value}, {key.applies}."


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
