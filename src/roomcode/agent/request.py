"""What is counted while a request runs, and how it ends."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from roomcode.agent.attempts import Attempts
from roomcode.agent.repeats import RepeatGuard
from roomcode.agent.running import CallRunner, Ran
from roomcode.agent.summary import summary_line
from roomcode.protocol.events import EndReason, RequestEnded, Usage

__all__ = ["End", "Request"]


_CHANGING = ("write_file", "edit_file")


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
    attempts: Attempts
    started: float = field(default_factory=time.perf_counter)
    steps: int = 0
    begun_at: int = 0
    """Steps that earlier attempts took."""
    calls: int = 0
    usage: list[Usage] = field(default_factory=list)
    files: dict[str, None] = field(default_factory=dict)
    answer: str = ""
    nudged: bool = False
    resampled: bool = False
    checks: int = 0
    must_act: bool = False
    """The model was told what is wrong, by a check, a page or a failed edit, and changed nothing since."""
    judged: bool = False
    """The work was looked at as soon as it could be whole, and is now gone on with."""
    rejected: bool = False
    """The person said no to a change."""
    wrong: Sequence[str] = ()
    """What was still wrong when it was looked at last."""
    repeating: bool = False
    """The model does the same thing again and again: its next answer is drawn more freely."""
    page_clean: bool = False
    """The last step loaded a page without errors, and changed nothing after that."""

    @property
    def step_usage(self) -> Usage:
        """Of the present step; nothing when its model call failed."""
        return self.usage[-1] if len(self.usage) == self.steps else Usage()

    def begin_again(self, guard: RepeatGuard, runner: CallRunner) -> None:
        """Another attempt: what was counted is kept, what was noticed is forgotten."""
        self.guard, self.runner, self.begun_at = guard, runner, self.steps
        self.files, self.answer, self.wrong, self.checks = {}, "", (), 0
        self.judged = self.nudged = self.resampled = self.must_act = self.repeating = self.page_clean = False

    def note_progress(self, ran: Sequence[Ran]) -> bool:
        """Take note of a step's calls. True when the work is done: a page loaded clean in the step before, and in this
        one nothing was changed and nothing failed."""
        clean_before = self.page_clean
        self.page_clean = False
        changed = False
        for done in ran:
            self.rejected = self.rejected or done.result.state == "rejected"
            if done.result.changed:
                self.files.update(dict.fromkeys(done.result.changed))
                self.page_clean, self.must_act, changed = False, False, True
            elif done.call.tool in _CHANGING and done.result.state == "failed":
                self.must_act = True
            if done.result.page_errors is not None:
                self.page_clean = not done.result.page_errors
                self.must_act = bool(done.result.page_errors)
        return clean_before and not changed and all(d.result.ok and not d.result.page_errors for d in ran)

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
