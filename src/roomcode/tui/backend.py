"""What the app needs of the rest of roomcode. The app knows only these protocols and records."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from roomcode.protocol.approval import ApprovalGate
from roomcode.protocol.display import FileChange
from roomcode.protocol.events import Emit, Event, RequestEnded

__all__ = [
    "Backend",
    "Facts",
    "KeptFiles",
    "Mode",
    "ModelRow",
    "NoModelError",
    "OnLoad",
    "OnPull",
    "Outcome",
    "Plan",
    "PlannedFile",
    "SessionRow",
    "Setting",
    "Shelf",
    "Version",
]

Mode = Literal["ask", "auto"]

OnLoad = Callable[[str, float], None]
"""(what is being done, share of it from 0 to 1). Called on the event loop's thread."""

OnPull = Callable[[str, int, int], None]
"""(stage, bytes done, bytes in all). May be called from any thread; an exception it raises ends the download."""


class NoModelError(Exception):
    """There is no usable model yet; the message is one sentence that says which and why."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a loaded model."""

    model: str
    context: int
    """Tokens its context holds."""
    budget: int
    """Tokens the conversation may have."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting."""

    name: str
    value: str
    """As it would be written in a config file."""
    origin: str
    """Where it comes from: `default`, a file, a variable or a flag."""
    description: str
    text: str = ""
    """The value as `change_setting` takes it."""
    expected: str = ""
    """What a right value looks like."""
    choices: Sequence[str] = ()
    """All right values, where they are few."""
    applies: str = "at once"
    """From when on a new value counts."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session that can be opened again."""

    id: str
    title: str
    """First words of its first request."""
    when: str
    """When it was last written, for people."""
    requests: int
    present: bool = False
    """It is the one that is open."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model that can be chosen."""

    name: str
    """Name of the catalogue, or the path of a file that the person put there."""
    about: str
    size: int
    """Bytes of the file."""
    memory: int
    """Bytes needed to run it; 0 when not known."""
    fits: bool
    """Whether this machine has the memory."""
    here: bool
    """Whether the file is on this machine."""
    recommended: bool = False


class PlannedFile(Protocol):
    """What would happen to one file."""

    @property
    def path(self) -> str: ...

    @property
    def change(self) -> FileChange:
        """The file now, and as it would be."""
        ...

    @property
    def conflict(self) -> str:
        """Why it is left as it is, unless the person says so; empty when nothing speaks against it."""
        ...

    @property
    def possible(self) -> bool:
        """Whether it can be changed at all."""
        ...

    def goes(self, anyway: Collection[str] = ()) -> bool:
        """Whether it is changed when `anyway` names the files that are to be changed in spite of a conflict."""
        ...


class Plan(Protocol):
    """What an undo, a redo or a restore would do; nothing is done yet."""

    @property
    def kind(self) -> Literal["undo", "redo", "restore"]: ...

    @property
    def files(self) -> Sequence[PlannedFile]: ...

    @property
    def about(self) -> str:
        """What is taken back; empty for a restore."""
        ...


class Outcome(Protocol):
    """What became of a plan."""

    @property
    def done(self) -> Sequence[str]:
        """Files that were changed."""
        ...

    @property
    def left(self) -> Sequence[tuple[str, str]]:
        """Each file that was left as it is, with the reason."""
        ...


class Version(Protocol):
    """One version of one file."""

    @property
    def shown(self) -> str:
        """The path."""
        ...

    @property
    def number(self) -> int:
        """Counts from 1 for each file."""
        ...

    @property
    def deed(self) -> str:
        """What made it."""
        ...

    @property
    def author(self) -> str: ...

    @property
    def time(self) -> float:
        """Seconds since 1970."""
        ...

    @property
    def operation(self) -> int | None:
        """The number that `/undo` takes."""
        ...

    @property
    def kept(self) -> bool:
        """Whether it can be brought back."""
        ...


class KeptFiles(Protocol):
    """The versions of the project's files. Everything blocks and may be called from any thread; what cannot be done
    raises an exception whose message is one sentence for the person."""

    def plan_undo(self, request: int | None = None) -> Plan:
        """Take back the last request that changed files, or the one with this number."""
        ...

    def plan_redo(self) -> Plan:
        """Take back the last undo."""
        ...

    def plan_restore(self, path: str, number: int | None = None) -> Plan:
        """Bring back a version of a file."""
        ...

    def versions(self, path: str | None = None, *, limit: int = ...) -> Sequence[Version]:
        """Versions of one file or of all, newest first."""
        ...

    def version_change(self, row: Any) -> FileChange:
        """What one of the `versions` changed."""
        ...

    def text_now(self, path: str) -> str | None:
        """What a file holds now, for people; None when there is none."""
        ...


class Backend(Protocol):
    """One project and its agent. `subscribe` and `gate` are set before the first request."""

    project: Path
    mode: Mode
    gate: ApprovalGate

    @property
    def facts(self) -> Facts | None:
        """None until a model is loaded."""
        ...

    def subscribe(self, emit: Emit) -> Callable[[], None]:
        """Add a subscriber of events, called on the event loop's thread; returns what removes it."""
        ...

    async def open(self, session: str = "") -> Sequence[Event]:
        """Go on with a session (its id), or at the start with the one that the settings say (empty). Returns its past,
        to be shown as if it happened again. To be called before the first `load`, and while no request runs.

        Raises an exception whose message is one sentence for the person; then nothing has changed.
        """
        ...

    def sessions(self) -> Sequence[SessionRow]:
        """The sessions of this project, the last one first. Reads the disk; may be called from any thread."""
        ...

    async def delete_session(self, session: str) -> None:
        """Delete a session for good. Raises an exception with one sentence, also for one that is open."""
        ...

    def take_notices(self) -> Sequence[str]:
        """Sentences for the person that came up since this was asked last."""
        ...

    async def load(self, on_progress: OnLoad, model: str = "") -> None:
        """Load a model (empty: the one of the settings), in place of the one before.

        Raises NoModelError when there is none, EngineError or ModelError when it cannot be loaded; each message is one
        sentence for the person.
        """
        ...

    async def request(self, prompt: str) -> RequestEnded:
        """Run one request to its end."""
        ...

    def stop(self) -> None:
        """End the running request; harmless when none runs."""
        ...

    def steer(self, text: str) -> None:
        """Tell the model something with the next results."""
        ...

    def take_steering(self) -> list[str]:
        """What was not delivered yet."""
        ...

    async def new_task(self) -> None:
        """Start a new conversation; files and served pages stay."""
        ...

    def names(self) -> Sequence[str]:
        """Project-relative names of the files, for completion. Reads the disk; may be called from any thread."""
        ...

    def ports(self) -> Sequence[int]:
        """Ports that serve a page now, oldest first."""
        ...

    async def console(self, port: int) -> Sequence[str]:
        """What the page on `port` wrote, oldest first; a sentence when it is gone."""
        ...

    @property
    def kept(self) -> KeptFiles: ...

    async def change_files(self, plan: Any, anyway: Collection[str] = ()) -> Outcome:
        """Carry out a plan of `kept`; what is done is told as a note to every subscriber, and to the model with the
        next request. `anyway` names files that are changed in spite of a conflict. Raises an exception with one
        sentence, also while a request runs; then nothing changed."""
        ...

    def asked(self) -> Sequence[tuple[int, str]]:
        """Number and text of each request of the open session, oldest first. Reads the disk; may be called from any
        thread. Raises an exception with one sentence."""
        ...

    async def fork(self, request: int) -> tuple[str, Sequence[Event]]:
        """Go on in a new session that holds all that was before that request; returns its text and the new session's
        past. Raises an exception with one sentence; then nothing has changed."""
        ...

    def settings(self) -> Sequence[Setting]:
        """All settings in force."""
        ...

    @property
    def config_files(self) -> tuple[str, str]:
        """Where the person's own settings are kept, and this project's."""
        ...

    async def change_setting(self, name: str, text: str, *, project: bool) -> str:
        """Keep another value in the person's config file, or in the project's; empty text takes the setting out of it.

        Returns one sentence that says what counts now. Raises an exception with one sentence; then nothing changed.
        """
        ...

    async def close(self) -> None:
        """Stop what runs, close the browser, the servers and the engine. Safe to call twice."""
        ...


class Shelf(Protocol):
    """The models of the catalogue and of this machine."""

    def rows(self) -> Sequence[ModelRow]:
        """All models, smallest first. Reads the disk; may be called from any thread."""
        ...

    @property
    def memory(self) -> int:
        """Bytes of memory this machine has."""
        ...

    def pull(self, name: str, on_pull: OnPull) -> None:
        """Fetch a model; blocks. Goes on where it stopped before. Raises ModelError with one sentence."""
        ...

    async def prove(self, name: str) -> str:
        """Let the model make one call in an empty folder; one sentence about what happened.

        Raises EngineError or ModelError when it cannot be loaded or makes no call.
        """
        ...
