"""A backend without a model: it plays prepared events. For screenshots, benchmarks and tests of the app."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roomcode.protocol.approval import ApprovalGate, ApprovalRequest, Decision, refuse_all
from roomcode.protocol.display import FileChange
from roomcode.protocol.events import Approval, Emit, Event, Note, RequestEnded, RequestStarted, Result
from roomcode.tui.backend import Facts, KeptFiles, Mode, OnLoad, Outcome, Plan, SessionRow, Setting, Version

__all__ = ["Pause", "ReplayBackend", "Scene"]


@dataclass(frozen=True, slots=True)
class Pause:
    """The scene goes on when `gate` is set, or when the request is stopped."""

    gate: asyncio.Event


Scene = Iterable[Event | Pause]
"""What happens in one request, in order. An `Approval` that asks waits for the real gate."""


@dataclass(eq=False)
class ReplayBackend:
    """Plays one scene for each request; without one it just ends the request. All calls are recorded."""

    scenes: list[Scene] = field(default_factory=list)
    project: Path = Path("/project")
    mode: Mode = "ask"
    gate: ApprovalGate = refuse_all
    facts_when_loaded: Facts = field(default_factory=lambda: Facts("replay", 32_768, 24_512))
    load_error: Exception | None = None
    loading: asyncio.Event | None = None
    """Loading waits for it."""
    files: Sequence[str] = ()
    served: Mapping[int, Sequence[str]] = field(default_factory=dict)
    prompts: list[str] = field(default_factory=list)
    steered: list[str] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    past: Sequence[Event] = ()
    """What the session held that is opened at the start."""
    other: Mapping[str, Sequence[Event]] = field(default_factory=dict)
    """Other sessions by id."""
    notices: list[str] = field(default_factory=list)
    workspace: Any = None
    """Keeps the versions of files: has what `KeptFiles` has, and carries out its plans."""
    values: dict[str, str] = field(default_factory=lambda: {"mode": "ask", "temperature": ""})
    """The settings there are."""
    setting_error: Exception | None = None
    changed_settings: list[tuple[str, str, bool]] = field(default_factory=list)
    forked: list[int] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    tasks: int = 0
    closed: int = 0

    def __post_init__(self) -> None:
        self._subscribers: list[Emit] = []
        self._stopped = asyncio.Event()
        self._running: asyncio.Task[Decision] | None = None
        self._loaded = False
        self._allowed = False
        self._changed: dict[str, FileChange] = {}
        self.still = True
        """Nothing more happens until somebody does something."""

    @property
    def facts(self) -> Facts | None:
        return self.facts_when_loaded if self._loaded else None

    def subscribe(self, emit: Emit) -> Callable[[], None]:
        self._subscribers.append(emit)
        return lambda: self._subscribers.remove(emit)

    def emit(self, event: Event) -> None:
        if isinstance(event, Result) and isinstance(event.display, FileChange):
            self._changed[event.display.path] = event.display
        for subscriber in tuple(self._subscribers):
            subscriber(event)

    async def open(self, session: str = "") -> Sequence[Event]:
        self.opened.append(session)
        return self.other[session] if session else self.past

    def sessions(self) -> Sequence[SessionRow]:
        return [SessionRow(name, f"about {name}", "2026-01-02 03:04", 2) for name in self.other]

    async def delete_session(self, session: str) -> None:
        if session not in self.other:
            raise ValueError(f"There is no session {session}.")
        self.other = {name: past for name, past in self.other.items() if name != session}

    def take_notices(self) -> Sequence[str]:
        taken, self.notices = self.notices, []
        return taken

    async def load(self, on_progress: OnLoad, model: str = "") -> None:
        self.loads.append(model)
        on_progress("loading the model", 0.4)
        if self.loading is not None:
            await self.loading.wait()
        if self.load_error is not None:
            error, self.load_error = self.load_error, None
            raise error
        self._loaded = True

    async def request(self, prompt: str) -> RequestEnded:
        self._stopped.clear()
        self._allowed = self.still = False
        self.prompts.append(prompt)
        number = len(self.prompts)
        self.emit(RequestStarted(request=number, prompt=prompt, model="replay", form="xml"))
        ended: RequestEnded | None = None
        for event in self.scenes.pop(0) if self.scenes else ():
            if self._stopped.is_set():
                break
            if isinstance(event, RequestEnded):
                ended = event
            else:
                await self._play(event)
        if self._stopped.is_set():
            ended = _ended(number, "stopped")
        ended = ended or _ended(number, "done")
        self.emit(ended)
        self.still = True
        return ended

    async def _play(self, event: Event | Pause) -> None:
        if isinstance(event, Pause):
            self.still = True
            waits = [asyncio.ensure_future(event.gate.wait()), asyncio.ensure_future(self._stopped.wait())]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()
            self.still = False
            return
        self.emit(event)
        if isinstance(event, Approval) and event.state == "asked" and event.change is not None:
            await self._ask(ApprovalRequest(event.call, event.tool, event.change))
        else:
            await asyncio.sleep(0)

    async def _ask(self, request: ApprovalRequest) -> None:
        if self.mode == "auto" or self._allowed:
            decision = Decision(True)
        else:
            self._running = asyncio.ensure_future(_await(self.gate, request))
            self.still = True
            try:
                decision = await self._running
            except asyncio.CancelledError:
                if not self._stopped.is_set():
                    raise
                return
            finally:
                self._running = None
                self.still = False
        self._allowed = decision.remember == "request"
        self.decisions.append(decision)
        self.emit(
            Approval(
                call=request.call,
                tool=request.tool,
                state="approved" if decision.approved else "rejected",
                comment=decision.comment,
            )
        )

    def stop(self) -> None:
        self._stopped.set()
        if self._running is not None:
            self._running.cancel()

    def steer(self, text: str) -> None:
        self.steered.append(text)

    def take_steering(self) -> list[str]:
        taken, self.steered = self.steered, []
        return taken

    async def new_task(self) -> None:
        self.tasks += 1

    def names(self) -> Sequence[str]:
        return self.files

    def ports(self) -> Sequence[int]:
        return tuple(self.served)

    async def console(self, port: int) -> Sequence[str]:
        return self.served.get(port, ())

    @property
    def kept(self) -> KeptFiles:
        kept: KeptFiles = self.workspace or _Played(self.past, self._changed)
        return kept

    async def change_files(self, plan: Any, anyway: Collection[str] = ()) -> Outcome:
        outcome: Outcome = await asyncio.to_thread(self.workspace.carry_out, plan, anyway)
        if outcome.done:
            self.emit(Note(topic="notice", text=plan.told(outcome)))
        return outcome

    def asked(self) -> Sequence[tuple[int, str]]:
        return list(enumerate(self.prompts, 1))

    async def fork(self, request: int) -> tuple[str, Sequence[Event]]:
        self.forked.append(request)
        return self.prompts[request - 1], self.past

    def settings(self) -> Sequence[Setting]:
        about = {"mode": "ask before a file changes, or just change it", "temperature": "how freely words are chosen"}
        choices = {"mode": ("ask", "auto")}
        return [
            Setting(
                name,
                f'"{text}"' if text else "unset",
                "/home/ann/config.toml" if text and text != "ask" else "default",
                about.get(name, name),
                text,
                "a right value",
                choices.get(name, ()),
            )
            for name, text in self.values.items()
        ]

    @property
    def config_files(self) -> tuple[str, str]:
        return "/home/ann/config.toml", str(self.project / ".roomcode" / "config.toml")

    async def change_setting(self, name: str, text: str, *, project: bool) -> str:
        if self.setting_error is not None:
            error, self.setting_error = self.setting_error, None
            raise error
        self.changed_settings.append((name, text, project))
        self.values[name] = text
        if name == "mode":
            self.mode = "auto" if text == "auto" else "ask"
        return f"{name} is {text or 'unset'}, at once."

    async def close(self) -> None:
        self.closed += 1
        self.stop()


class _Played:
    """Files of which only is known what the events say."""

    def __init__(self, past: Sequence[Event], changed: Mapping[str, FileChange]) -> None:
        before = [event.display for event in past if isinstance(event, Result)]
        self._now = {change.path: change for change in before if isinstance(change, FileChange)} | dict(changed)

    def versions(self, path: str | None = None, *, limit: int = 0) -> Sequence[Version]:
        return ()

    def text_now(self, path: str) -> str | None:
        return self._now[path].after if path in self._now else None

    def version_change(self, row: Any) -> FileChange:
        raise ValueError("No versions are kept here yet.")

    def plan_undo(self, request: int | None = None) -> Plan:
        raise ValueError("There is nothing to undo.")

    def plan_redo(self) -> Plan:
        raise ValueError("There is nothing to redo.")

    def plan_restore(self, path: str, number: int | None = None) -> Plan:
        raise ValueError(f"There are no versions of {path}.")


async def _await(gate: ApprovalGate, request: ApprovalRequest) -> Decision:
    return await gate(request)


def _ended(number: int, reason: str) -> RequestEnded:
    summary = "1 step · 0 tool calls · 0 tok · 0.0 tok/s · 0.0 s"
    return RequestEnded(
        request=number,
        reason="stopped" if reason == "stopped" else "done",
        detail="stopped" if reason == "stopped" else "",
        answer="",
        steps=1,
        calls=0,
        tokens=0,
        tok_per_s=0.0,
        seconds=0.0,
        files=(),
        summary=summary + (" · stopped" if reason == "stopped" else ""),
    )
