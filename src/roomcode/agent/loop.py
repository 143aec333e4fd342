"""The request loop: ask the model, run its calls, give it the results, until an answer holds no call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from roomcode.agent.answering import Answered, ask
from roomcode.agent.budget import ANSWER_CAP, COMPACT_TO, answer_room, conversation_budget
from roomcode.agent.compaction import compact
from roomcode.agent.conversation import Conversation, Outcome, Turn
from roomcode.agent.hints import Hints
from roomcode.agent.prompts import (
    CHECK_ROUNDS,
    CONTEXT_FULL,
    EMPTY_ANSWER,
    GARBAGE,
    ONLY_THINKING,
    REPETITION,
    check_note,
    cut_answer,
)
from roomcode.agent.repeats import RepeatGuard
from roomcode.agent.request import End, Request
from roomcode.agent.running import ProjectCheck, CallRunner, Ran, ToolBox, no_check
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
)

__all__ = ["Agent", "AgentSettings", "Hooks"]


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


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the loop is handed in. Everything has a default that does nothing."""

    constraint: Callable[[bool], Constraint | None] = lambda _: None
    """(first call wanted) → the constraint of an answer."""
    notices: Callable[[int], Sequence[str]] = lambda _: ()
    """(request) → what is told behind its text."""
    after_change: ProjectCheck = no_check
    """(prompt, files just written) → lines added to that result."""
    before_end: ProjectCheck = no_check
    """(prompt, files written) → what is still wrong when the request is about to end."""


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
        hooks: Hooks | None = None,
    ) -> None:
        self._engine = engine
        self.conversation = conversation
        self._tools = tools
        self._gate = gate
        self._emit = emit
        self._settings = settings
        self._hooks = hooks or Hooks()
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
        settings, number = self._settings, self.requests
        guard = RepeatGuard()
        hints = Hints(settings.form, enabled=settings.hints)
        runner = CallRunner(self._tools, self._gate, self._emit, guard, hints, number, prompt, self._hooks.after_change)
        self._runner = runner
        request = Request(number, prompt, guard, runner)
        self._emit(RequestStarted(request=number, prompt=prompt, model=self._engine.info.name, form=settings.form))
        reason: EndReason = "error"
        detail = ""
        try:
            text = "\n\n".join([prompt, *self._hooks.notices(number)])
            self.conversation.add(Turn("request", number, 0, text))
            while True:
                await self._step(request)
        except End as end:
            reason, detail = end.reason, end.detail
        except (EngineError, TemplateError) as error:
            detail = str(error)
        finally:
            self._runner = None
        ended = request.ended(reason, detail, self._engine.info.devices)
        self._emit(ended)
        return ended

    async def _step(self, request: Request) -> None:
        """One answer and its calls; raises End where the request ends."""
        self._stop_if_asked()
        if request.steps >= self._settings.max_steps:
            raise End("limit", f"stopped after {self._settings.max_steps} steps")
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

    async def _ask(self, request: Request) -> Answered:
        settings, info = self._settings, self._engine.info
        first_call = settings.first_call and request.steps == 1
        salt = request.number * 1000 + request.steps
        generation = Generation(
            tokens=self.conversation.tokens,
            max_tokens=answer_room(info.context, len(self.conversation), settings.answer_cap),
            sampling=replace(settings.sampling, seed=(settings.sampling.seed * 1_000_003 + salt) & 0x7FFFFFFF),
            constraint=self._hooks.constraint(first_call) if info.constrained else None,
            prefix=len(self.conversation.prefix),
        )
        ids = f"{request.number}.{request.steps}"
        answered = await ask(self._engine, generation, self._tools.specs, settings.form, self._emit, ids)
        request.usage.append(answered.answer.usage)
        self.conversation.add_answer(request.number, request.steps, answered.answer.tokens, answered.answer.text)
        if answered.parsed.text.strip():
            request.answer = answered.parsed.text.strip()
        return answered

    async def _deal_with(self, request: Request, answered: Answered) -> None:
        answer = answered.answer
        if answered.repeated and not self._stopping:
            self._repeated(request)
            return
        if answer.finish == "aborted":
            raise End("stopped", "stopped")
        self._stop_if_asked()
        if answer.finish == "forced":
            raise End("error", GARBAGE)
        if not answered.calls:
            await self._without_call(request, answered)
            return
        request.calls += len(answered.calls)
        ran = await request.runner.run(answered.calls, len(answer.tokens) if answer.finish == "length" else None)
        verdict = request.guard.end_step()
        self._add_results(request, ran, verdict.note)
        self._stop_if_asked()
        if verdict.stuck:
            raise End("stuck", self._stuck(verdict.stuck))
        self._note_progress(request, ran)

    def _note_progress(self, request: Request, ran: Sequence[Ran]) -> None:
        """A page that loaded clean, and a step after it that changed nothing: the work is done."""
        changed = False
        clean = False
        for done in ran:
            if done.result.changed:
                request.files.update(dict.fromkeys(done.result.changed))
                request.clean_since_change, changed = False, True
            if done.result.page_errors == ():
                request.clean_since_change = clean = True
        if request.page_clean and not changed:
            raise End("done")
        request.page_clean = clean

    def _add_results(self, request: Request, ran: Sequence[Ran], note: str) -> None:
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

    async def _without_call(self, request: Request, answered: Answered) -> None:
        """The answer holds no call: the request ends, unless something is still to be said to the model."""
        if steering := self.take_steering():
            self._tell(request, "steer", "\n\n".join(steering))
            return
        cut = answered.answer.finish == "length"
        empty = not answered.parsed.text.strip()
        if empty and request.page_clean:
            raise End("done")
        wrong = await self._still_wrong(request)
        self._stop_if_asked()
        if wrong and request.checks < CHECK_ROUNDS:
            request.checks += 1
            self._tell(request, "check", check_note(wrong))
        elif empty and not request.nudged:
            request.nudged = True
            thought = answered.parsed.thought.strip()
            told = cut_answer(len(answered.answer.tokens)) if cut else ONLY_THINKING if thought else EMPTY_ANSWER
            self._tell(request, "nudge", told)
        else:
            if wrong:
                self._note("check", "still wrong: " + "; ".join(wrong))
            if cut:
                self._note("notice", f"the answer was cut at {len(answered.answer.tokens)} tokens")
            raise End("done")

    async def _still_wrong(self, request: Request) -> Sequence[str]:
        if not request.files or request.clean_since_change:
            return ()
        return await self._hooks.before_end(request.prompt, tuple(request.files))

    def _repeated(self, request: Request) -> None:
        if request.resampled:
            raise End("stuck", "the model repeats itself inside one answer")
        request.resampled = True
        self._tell(request, "repeat", REPETITION)

    def _tell(self, request: Request, topic: NoteTopic, text: str) -> None:
        """Say something to the model that is no result."""
        self._note(topic, text, to_model=True)
        self.conversation.add(Turn("note", request.number, request.steps, text))

    def _note(self, topic: NoteTopic, text: str, *, to_model: bool = False) -> None:
        self._emit(Note(topic=topic, text=text, to_model=to_model))

    def _stop_if_asked(self) -> None:
        if self._stopping:
            raise End("stopped", "stopped")

    def _stuck(self, why: str) -> str:
        devices = self._engine.info.devices
        return f"{why}; the model is split over {devices} devices, which may be at fault" if devices > 1 else why

    def _fit(self) -> None:
        """Shorten the conversation where it is over its budget; raises End when it does not fit at all."""
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
        self.conversation.replace(shortened)
        after = len(self.conversation)
        if after < before:
            self._note("compaction", f"older steps shortened to fit the context ({before} → {after} tokens)")
        if after > self.budget:
            raise End("context", CONTEXT_FULL)
