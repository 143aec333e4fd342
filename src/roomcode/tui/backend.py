"""What the app needs of the rest of roomcode. The app knows only these protocols and records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from roomcode.protocol.approval import ApprovalGate
from roomcode.protocol.events import Emit, Event, RequestEnded

__all__ = [
    "Backend",
    "Facts",
    "Mode",
    "ModelRow",
    "NoModelError",
    "OnLoad",
    "OnPull",
    "SessionRow",
    "Setting",
    "Shelf",
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
    """One setting, for reading."""

    name: str
    value: str
    origin: str
    description: str


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

    def settings(self) -> Sequence[Setting]:
        """All settings in force."""
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
