"""Asking the person before a file changes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from roomcode.protocol.display import FileChange

__all__ = ["ApprovalGate", "ApprovalRequest", "Decision", "refuse_all"]


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A change that is ready to be written and waits for a decision."""

    call: str
    tool: str
    change: FileChange
    reading: bool = False
    """A protected file (secrets, keys) is to be shown to the model: nothing is written, `change` has its text before
    and after. Only a person may say yes to this, no mode and no rule."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The person's answer. `comment` is the reason of a rejection and goes to the model.

    `content` replaces the whole new text of the file when the person edited it before approving.
    """

    approved: bool
    comment: str = ""
    content: str | None = None
    remember: Literal["once", "request", "session"] = "once"
    """How far a yes reaches: this change, all in this request, or all in this session."""


ApprovalGate = Callable[[ApprovalRequest], Awaitable[Decision]]
"""One injected async callable. No gate means no: see `refuse_all`."""


async def refuse_all(request: ApprovalRequest) -> Decision:
    """The gate of a run without a person: every change is refused."""
    return Decision(False, "edits are not allowed in this run")
