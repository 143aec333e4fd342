"""The request loop: ask the model, run its calls, give it the results, until an answer holds no call."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from roomcode.agent.answering import Answered, ask
from roomcode.agent.budget import ANSWER_CAP, COMPACT_TO, answer_room, conversation_budget
from roomcode.agent.compaction import compact
from roomcode.agent.conversation import Conversation, Outcome, Turn
from roomcode.agent.hints import Hints
from roomcode.agent.prompts import EMPTY_ANSWER, ONLY_THINKING, REPETITION, cut_answer
from roomcode.agent.repeats import RepeatGuard
from roomcode.agent.running import CallRunner, Ran, ToolBox
from roomcode.agent.summary import summary_line
from roomcode.calls import Form
from roomcode.chat import TemplateError
from roomcode.protocol.approval import ApprovalGate
from roomcode.protocol.engine import Constraint, Engine, EngineError, Generation, Sampling
from roomcode.protocol.events import (
    Emit,
    EndReason,
    Note,
    NoteTopic,
    RequestEnded,
    RequestStarted,
    StepEnded,
    StepStarted,
    Usage,
)

__all__ = ["Agent", "AgentSettings"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """What a person or a model's profile may change about the loop."""

    form: Form
    sampling: Sampling = field(default_factory=Sampling)
    max_steps: int = 30
    answer_cap: int = ANSWER_CAP
    hints: bool = True
    first_call: bool = False
    """The first answer of a request has to be a call: for models that answer out of nothing."""


@dataclass(slots=True)
class _Request:
    """What is counted while a request runs."""

    number: int
    started: float
    guard: RepeatGuard
    runner: CallRunner
    steps: int = 0
    calls: int = 0
    usage: list[Usage] = field(default_factory=list)
    files: dict[str, None] = field(default_factory=dict)
    answer: str = ""
    nudged: bool = False
    resampled: bool = False
    page_clean: bool = False


class _End(Exception):
    """The request ends here."""

    def __init__(self, reason: EndReason, detail: str = "") -> None:
        self.reason = reason
        self.detail = detail


class Agent:
    """One conversation with one model. `run` is not re-entrant; `stop` and `steer` may be called while it runs."""

    def __init__(
        self,
        engine: Engine,
        conversation: Conversation,
        tools: ToolBox,
        gate: ApprovalGate,
        emit: Emit,
        settings: AgentSettings,
        *,
        constraint: Callable[[bool], Constraint | None] = lambda _: None,
        notices: Callable[[int], Sequence[str]] = lambda _: (),
    ) -> None:
        """`constraint(first_call)` makes one for an answer; `notices(request)` go to the end of a request's text."""
        self._engine = engine
        self.conversation = conversation
        self._tools = tools
        self._gate = gate
        self._emit = emit
        self._settings = settings
        self._constraint = constraint
        self._notices = notices
        self._steering: list[str] = []
        self._stopping = False
        self._runner: CallRunner | None = None
        self.requests = max((t.request for t in conversation.turns), default=0)

    @property
    def budget(self) -> int:
        """Tokens the conversation may have."""
        return conversation_budget(self._engine.info.context, self._settings.answer_cap)

    def stop(self) -> None:
        """End the running request: the partial answer is kept, no call of it runs."""
        self._stopping = True
        self._engine.abort()
        if self._runner is not None:
            self._runner.stop()

    def steer(self, text: str) -> None:
        """Tell the model something with the next results."""
        self._steering.append(text)

    def take_steering(self) -> list[str]:
        """What was not delivered yet, to be given back or sent as a request of its own."""
        waiting, self._steering = self._steering, []
        return waiting

    async def run(self, prompt: str) -> RequestEnded:
        """Run one request to its end. Always ends with a `request_ended` event, which is also returned."""
        self._stopping = False
        self.requests += 1
        guard = RepeatGuard()
        hints = Hints(self._settings.form, enabled=self._settings.hints)
        runner = CallRunner(self._tools, self._gate, self._emit, guard, hints, self.requests)
        self._runner = runner
        request = _Request(self.requests, time.perf_counter(), guard, runner)
        self._emit(
            RequestStarted(
                request=request.number, prompt=prompt, model=self._engine.info.name, form=self._settings.form
            )
        )
        reason: EndReason
        try:
            text = "\n\n".join([prompt, *self._notices(request.number)])
            self.conversation.add(Turn("request", request.number, 0, text))
            await self._steps(request)
            raise AssertionError("the steps of a request always end it")
        except _End as end:
            reason, detail = end.reason, end.detail
        except (EngineError, TemplateError) as error:
            reason, detail = "error", str(error)
        finally:
            self._runner = None
        return self._ended(request, reason, detail)

    async def _steps(self, request: _Request) -> None:
        while True:
            if self._stopping:
                raise _End("stopped", "stopped")
            if request.steps >= self._settings.max_steps:
                raise _End("limit", f"stopped after {self._settings.max_steps} steps")
            self._fit()
            request.steps += 1
            self._emit(StepStarted(step=request.steps))
            answered = await self._ask(request)
            try:
                await self._deal_with(request, answered)
            finally:
                self._emit(
                    StepEnded(
                        step=request.steps,
                        usage=answered.answer.usage,
                        context_used=len(self.conversation),
                        context_budget=self.budget,
                    )
                )

    async def _ask(self, request: _Request) -> Answered:
        settings = self._settings
        first_call = settings.first_call and request.steps == 1
        generation = Generation(
            tokens=self.conversation.tokens,
            max_tokens=answer_room(self._engine.info.context, len(self.conversation), settings.answer_cap),
            sampling=_seeded(settings.sampling, request),
            constraint=self._constraint(first_call) if self._engine.info.constrained else None,
            prefix=len(self.conversation.prefix),
        )
        ids = f"{request.number}.{request.steps}"
        answered = await ask(self._engine, generation, self._tools.specs, settings.form, self._emit, ids)
        request.usage.append(answered.answer.usage)
        self.conversation.add_answer(request.number, request.steps, answered.answer.tokens, answered.answer.text)
        if answered.parsed.text.strip():
            request.answer = answered.parsed.text.strip()
        return answered

    async def _deal_with(self, request: _Request, answered: Answered) -> None:
        """Run the calls of an answer and add what the model is told; raises _End where the request ends."""
        answer = answered.answer
        if answered.repeated:
            self._repeated(request)
            return
        if answer.finish == "aborted" or self._stopping:
            raise _End("stopped", "stopped")
        if answer.finish == "forced":
            raise _End("error", self._garbage())
        if not answered.calls:
            self._without_call(request, answered)
            return
        request.calls += len(answered.calls)
        cut_at = len(answer.tokens) if answer.finish == "length" else None
        ran = await request.runner.run(answered.calls, cut_at)
        for done in ran:
            request.files.update(dict.fromkeys(done.result.changed))
        verdict = request.guard.end_step()
        self._add_results(request, ran, verdict.note)
        if self._stopping:
            raise _End("stopped", "stopped")
        if verdict.stuck:
            raise _End("stuck", self._stuck(verdict.stuck))
        changed = any(done.result.changed for done in ran)
        if request.page_clean and not changed:
            raise _End("done")
        request.page_clean = any(done.result.page_errors == () for done in ran)

    def _add_results(self, request: _Request, ran: Sequence[Ran], note: str) -> None:
        outcomes = [
            Outcome(
                call=done.call.id,
                tool=done.call.tool,
                argument=str(next(iter(done.call.arguments.values()), ""))[:80],
                text=done.text,
                state=done.result.state,
                changed=done.result.changed,
                port=done.result.port,
            )
            for done in ran
        ]
        if note:
            self._note("repeat", note, to_model=True)
            outcomes[-1] = replace(outcomes[-1], text=f"{outcomes[-1].text}\n\n{note}")
        steering = "\n\n".join(self.take_steering()) if not self._stopping else ""
        if steering:
            self._note("steer", steering, to_model=True)
        self.conversation.add(Turn("results", request.number, request.steps, steering, outcomes=tuple(outcomes)))

    def _without_call(self, request: _Request, answered: Answered) -> None:
        if answered.parsed.text.strip():
            if answered.answer.finish == "length":
                self._note("notice", f"the answer was cut at {len(answered.answer.tokens)} tokens")
            steering = self.take_steering()
            if not steering:
                raise _End("done")
            self._tell(request, "steer", "\n\n".join(steering))
            return
        if request.nudged:
            raise _End("done")
        request.nudged = True
        if answered.answer.finish == "length":
            self._tell(request, "nudge", cut_answer(len(answered.answer.tokens)))
        else:
            self._tell(request, "nudge", ONLY_THINKING if answered.parsed.thought.strip() else EMPTY_ANSWER)

    def _repeated(self, request: _Request) -> None:
        if self._stopping:
            raise _End("stopped", "stopped")
        if request.resampled:
            raise _End("stuck", "the model repeats itself inside one answer")
        request.resampled = True
        self._tell(request, "repeat", REPETITION)

    def _tell(self, request: _Request, topic: NoteTopic, text: str) -> None:
        """Say something to the model that is no result."""
        self._note(topic, text, to_model=True)
        self.conversation.add(Turn("note", request.number, request.steps, text))

    def _note(self, topic: NoteTopic, text: str, *, to_model: bool = False) -> None:
        self._emit(Note(topic=topic, text=text, to_model=to_model))

    def _garbage(self) -> str:
        return "the engine is producing garbage (too many forced tokens in a row): try again or reload the model"

    def _stuck(self, why: str) -> str:
        if self._engine.info.devices > 1:
            return f"{why}; the model is split over {self._engine.info.devices} devices, which may be at fault"
        return why

    def _fit(self) -> None:
        """Shorten the conversation where it is over its budget. Raises _End when it does not fit at all."""
        before = len(self.conversation)
        if before <= self.budget:
            return
        prefix = len(self.conversation.prefix)
        shortened = compact(
            self.conversation.turns,
            lambda turns: prefix + sum(len(t.tokens) for t in turns),
            self.conversation.rendered,
            int(self.budget * COMPACT_TO),
        )
        self.conversation.turns = shortened.turns
        after = len(self.conversation)
        if after < before:
            self._note("compaction", f"older steps shortened to fit the context ({before} → {after} tokens)")
        if after > self.budget:
            raise _End("context", "context full: start a new task (the files are kept)")

    def _ended(self, request: _Request, reason: EndReason, detail: str) -> RequestEnded:
        tokens = sum(u.tokens for u in request.usage)
        decoding = sum(u.seconds - u.prefill_seconds for u in request.usage)
        seconds = time.perf_counter() - request.started
        tok_per_s = tokens / decoding if decoding > 0 else 0.0
        devices = self._engine.info.devices
        ended = RequestEnded(
            request=request.number,
            reason=reason,
            detail=detail,
            answer=request.answer,
            steps=request.steps,
            calls=request.calls,
            tokens=tokens,
            tok_per_s=tok_per_s,
            seconds=seconds,
            files=tuple(request.files),
            devices=devices,
            summary=summary_line(
                steps=request.steps,
                calls=request.calls,
                tokens=tokens,
                tok_per_s=tok_per_s,
                devices=devices,
                seconds=seconds,
                reason=reason,
                detail=detail,
            ),
        )
        self._emit(ended)
        return ended


def _seeded(sampling: Sampling, request: _Request) -> Sampling:
    """A seed of its own for each step, the same in each run."""
    salt = request.number * 1000 + request.steps
    return replace(sampling, seed=(sampling.seed * 1_000_003 + salt) & 0x7FFFFFFF)
