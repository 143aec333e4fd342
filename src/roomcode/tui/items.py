"""What stands in the timeline, as plain records that grow. How they look is the matter of `drawing`."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from roomcode.protocol.display import Display, FileChange
from roomcode.protocol.events import EndReason, NoteTopic
from roomcode.protocol.tools import ResultState
from roomcode.tui.markdown import GrowingMarkdown

__all__ = [
    "Answer",
    "Banner",
    "Card",
    "CardState",
    "Item",
    "Problem",
    "Remark",
    "Request",
    "Summary",
    "Thought",
]

CardState = Literal["writing", "ready", "waiting", "running"] | ResultState
"""Until the call has its result: written by the model, complete but not begun, waiting for the person, running.
Then the state of the result."""

_MAIN_ARGUMENT = {"search": "pattern", "run_js": "code", "serve": "path", "preview_logs": "port"}
_OPEN: tuple[CardState, ...] = ("writing", "ready", "waiting", "running")


@dataclass(eq=False, slots=True)
class Item:
    """One block of the timeline. `version` counts its changes, so that drawings can be kept."""

    version: int = field(default=0, init=False)
    unfolded: bool = field(default=False, init=False)

    def touch(self) -> None:
        self.version += 1


@dataclass(eq=False, slots=True)
class Banner(Item):
    """The first lines of the timeline: what this is and where."""

    title: str
    lines: tuple[str, ...]


@dataclass(eq=False, slots=True)
class Request(Item):
    """What the person asked for."""

    text: str


@dataclass(eq=False, slots=True)
class Answer(Item):
    """Text of the model."""

    body: GrowingMarkdown = field(default_factory=GrowingMarkdown)


@dataclass(eq=False, slots=True)
class Thought(Item):
    """The inside of a think block."""

    pieces: list[str] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Remark(Item):
    """A note of the agent, to the person or to the model."""

    topic: NoteTopic | Literal["app"]
    text: str
    to_model: bool = False


@dataclass(eq=False, slots=True)
class Summary(Item):
    """The line that closes a request."""

    text: str
    reason: EndReason


@dataclass(eq=False, slots=True)
class Problem(Item):
    """A bug of roomcode itself: shown, logged, survived."""

    title: str
    detail: str


@dataclass(eq=False, slots=True)
class Card(Item):
    """One call from its first token to its result."""

    call: str
    tool: str
    state: CardState = "writing"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    repairs: tuple[str, ...] = ()
    error: str = ""
    change: FileChange | None = None
    """The change that waits or waited for the person."""
    comment: str = ""
    """The person's reason."""
    reading: bool = False
    """The person is asked whether the model may read a protected file."""
    text: str = ""
    """The result, as the model gets it."""
    display: Display | None = None
    seconds: float = 0.0
    since: float = field(default_factory=time.monotonic)
    """When the present state began."""
    growing: str = ""
    """Name of the argument that is being written."""
    streams: dict[str, list[str]] = field(default_factory=dict)
    """Arguments as far as they are written, in pieces."""
    line_ends: dict[str, int] = field(default_factory=dict)
    """Line ends in each of them."""

    @property
    def open(self) -> bool:
        """Whether the result is still to come."""
        return self.state in _OPEN

    def grow(self, name: str, text: str) -> None:
        """The model wrote on at an argument."""
        self.growing = name
        self.streams.setdefault(name, []).append(text)
        self.line_ends[name] = self.line_ends.get(name, 0) + text.count("\n")

    def move(self, state: CardState) -> None:
        self.state = state
        self.since = time.monotonic()
        self.touch()

    def argument(self, name: str) -> str:
        """An argument as text, as far as it is known."""
        if name in self.arguments:
            return str(self.arguments[name])
        return "".join(self.streams.get(name, ()))

    @property
    def main(self) -> str:
        """The argument that says most about the call: path, pattern, code or port; else the first one."""
        name = _MAIN_ARGUMENT.get(self.tool, "path")
        known = [*self.arguments, *self.streams]
        if name in known:
            return self.argument(name)
        return self.argument(known[0]) if known else ""

    @property
    def path(self) -> str:
        """The project file that the call is about, or empty."""
        if self.change is not None:
            return self.change.path
        return self.argument("path")

    @property
    def url(self) -> str:
        """Address of the page that the call served, or empty."""
        return getattr(self.display, "url", "")
