"""The events of a request, in the one order every subscriber may rely on.

    request_started
      ( step_started
          ( text | call_opened | call_args | call )*      while the model answers
          ( call? | approval* | result )*                 while the calls run, one result for each call
          note*
        step_ended )*
    request_ended

A `call` event follows its `call_opened`; `call_args` for a call come between the two. A call that is only recognised
when the answer is complete gets `call_opened` and `call` back to back. `note` may also come before a step, and
between two requests (files were taken back). Calls of an answer that was cut short (stopped, failed, repeating itself)
get their `result` too.
With `roomcode run --json` each event is one line, tagged by `kind`.
"""

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from roomcode.protocol.display import Display, FileChange
from roomcode.protocol.tools import ResultState

__all__ = [
    "Approval",
    "Call",
    "CallArgs",
    "CallOpened",
    "Emit",
    "EndReason",
    "Event",
    "Note",
    "NoteTopic",
    "RequestEnded",
    "RequestStarted",
    "Result",
    "StepEnded",
    "StepStarted",
    "Text",
    "Usage",
    "encode",
]

EndReason = Literal["done", "stopped", "limit", "stuck", "context", "error"]
NoteTopic = Literal["notice", "hint", "nudge", "repeat", "compaction", "engine", "check", "attempt", "steer"]


class _Event(msgspec.Struct, frozen=True, tag_field="kind", kw_only=True):
    pass


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens and seconds of one step. Prompt tokens = new + reused; answer tokens = sampled + forced."""

    new: int = 0
    """Prompt tokens computed for this step."""
    reused: int = 0
    """Prompt tokens whose state was still there."""
    forced: int = 0
    """Answer tokens that the call format left no choice about."""
    sampled: int = 0
    prefill_seconds: float = 0.0
    seconds: float = 0.0
    """Whole time of the step's model call: prefill and decoding."""

    @property
    def tokens(self) -> int:
        """Tokens of the answer."""
        return self.forced + self.sampled

    @property
    def tok_per_s(self) -> float:
        decoding = self.seconds - self.prefill_seconds
        return self.tokens / decoding if decoding > 0 else 0.0


class RequestStarted(_Event, frozen=True, kw_only=True, tag="request_started"):
    version: int = 1
    request: int
    """Counts from 1 in a session."""
    prompt: str
    model: str
    form: str


class StepStarted(_Event, frozen=True, kw_only=True, tag="step_started"):
    step: int
    """Counts from 1 in a request."""


class Text(_Event, frozen=True, kw_only=True, tag="text"):
    """A piece of the model's answer. `thought` marks the inside of a think block."""

    text: str
    thought: bool = False


class CallOpened(_Event, frozen=True, kw_only=True, tag="call_opened"):
    call: str
    """Unique in the session, for example `3.2.1`: request, step, position."""
    tool: str
    """Empty while the name is not known yet."""


class CallArgs(_Event, frozen=True, kw_only=True, tag="call_args"):
    """An argument grew by `text`. Front ends may show it live; the truth is in `call`."""

    call: str
    tool: str
    name: str
    text: str


class Call(_Event, frozen=True, kw_only=True, tag="call"):
    """The call is complete: repaired arguments, or an error that says why it will not run."""

    call: str
    tool: str
    arguments: dict[str, Any]
    repairs: tuple[str, ...] = ()
    error: str = ""


class Approval(_Event, frozen=True, kw_only=True, tag="approval"):
    """A change waits for the person (`asked`), or was decided."""

    call: str
    tool: str
    state: Literal["asked", "approved", "rejected"]
    change: FileChange | None = None
    comment: str = ""


class Result(_Event, frozen=True, kw_only=True, tag="result"):
    call: str
    tool: str
    state: ResultState
    text: str
    display: Display | None = None
    seconds: float = 0.0


class Note(_Event, frozen=True, kw_only=True, tag="note"):
    """Something the agent says, to the person and (`to_model`) to the model."""

    topic: NoteTopic
    text: str
    to_model: bool = False


class StepEnded(_Event, frozen=True, kw_only=True, tag="step_ended"):
    step: int
    usage: Usage
    context_used: int
    """Tokens of the conversation after this step."""
    context_budget: int
    """Tokens the conversation may hold."""


class RequestEnded(_Event, frozen=True, kw_only=True, tag="request_ended"):
    request: int
    reason: EndReason
    detail: str
    """One sentence for every reason but `done`; empty for `done`."""
    answer: str
    """The visible text of the last answer that had any."""
    steps: int
    calls: int
    tokens: int
    tok_per_s: float
    seconds: float
    files: tuple[str, ...]
    """Project-relative paths written in this request, in order of first change."""
    devices: int = 1
    summary: str = ""
    """The line that closes the request."""


Event = (
    RequestStarted
    | StepStarted
    | Text
    | CallOpened
    | CallArgs
    | Call
    | Approval
    | Result
    | Note
    | StepEnded
    | RequestEnded
)

Emit = Callable[[Event], None]
"""Synchronous and never blocking: subscribers queue what takes time."""

_encoder = msgspec.json.Encoder()


def encode(event: Event) -> bytes:
    """One event as one line of JSON, without the newline."""
    return _encoder.encode(event)
