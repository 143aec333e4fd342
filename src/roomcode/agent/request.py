"""What is counted while a request runs, and how it ends."""

import time
from dataclasses import dataclass, field

from roomcode.agent.repeats import RepeatGuard
from roomcode.agent.running import CallRunner
from roomcode.agent.summary import summary_line
from roomcode.protocol.events import EndReason, RequestEnded, Usage

__all__ = ["End", "Request"]


class End(Exception):
    """The request ends here. `detail` is one sentence for every reason but `done`."""

    def __init__(self, reason: EndReason, detail: str = "") -> None:
        self.reason = reason
        self.detail = detail


@dataclass(slots=True)
class Request:
    """One request, from its text to its end."""

    number: int
    prompt: str
    guard: RepeatGuard
    runner: CallRunner
    started: float = field(default_factory=time.perf_counter)
    steps: int = 0
    calls: int = 0
    usage: list[Usage] = field(default_factory=list)
    files: dict[str, None] = field(default_factory=dict)
    answer: str = ""
    nudged: bool = False
    resampled: bool = False
    checks: int = 0
    page_clean: bool = False
    """The last step loaded a page without errors."""
    clean_since_change: bool = False
    """A page loaded without errors after the last change."""

    def ended(self, reason: EndReason, detail: str, devices: int) -> RequestEnded:
        """The event that closes the request."""
        tokens = sum(u.tokens for u in self.usage)
        decoding = sum(u.seconds - u.prefill_seconds for u in self.usage)
        seconds = time.perf_counter() - self.started
        tok_per_s = tokens / decoding if decoding > 0 else 0.0
        summary = summary_line(
            steps=self.steps,
            calls=self.calls,
            tokens=tokens,
            tok_per_s=tok_per_s,
            devices=devices,
            seconds=seconds,
            reason=reason,
            detail=detail,
        )
        return RequestEnded(
            request=self.number,
            reason=reason,
            detail=detail,
            answer=self.answer,
            steps=self.steps,
            calls=self.calls,
            tokens=tokens,
            tok_per_s=tok_per_s,
            seconds=seconds,
            files=tuple(self.files),
            devices=devices,
            summary=summary,
        )
