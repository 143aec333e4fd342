"""The request loop: ask the model, run its calls, give it the results, until an answer holds no call."""

import asyncio
import logging
from collections.abc import Sequence

from roomcode.agent.answering import Answered, ask
from roomcode.agent.attempts import Attempts
from roomcode.agent.budget import answer_room, conversation_budget
from roomcode.agent.compaction import Fitting
from roomcode.agent.conversation import Conversation, Turn, TurnKind
from roomcode.agent.finishing import Finish
from roomcode.agent.hints import Hints
from roomcode.agent.options import AgentSettings, Hooks, Wanted
from roomcode.agent.prompts import (
    CONTEXT_FULL,
    EMPTY_ANSWER,
    GARBAGE,
    ONLY_THINKING,
    REPEATS_ITSELF,
    REPETITION,
    REQUEST_TOO_LONG,
    STEPS_BEFORE_ANOTHER,
    WHOLE,
    cut_answer,
)
from roomcode.agent.repeats import RepeatGuard
from roomcode.agent.request import End, Request
from roomcode.agent.running import CallRunner, Ran, ToolBox, unrun
from roomcode.agent.summary import count
from roomcode.chat import TemplateError
from roomcode.protocol.approval import ApprovalGate
from roomcode.protocol.engine import Engine, EngineError, Generation
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

__all__ = ["Agent"]

log = logging.getLogger(__name__)


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
        self._fit_to = Fitting(conversation)
        self._tools = tools
        self._gate = gate
        self._emit = emit
        self._settings = settings
        self._hooks = hooks or Hooks()
        self._finish = Finish(self._hooks, emit)
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
        """Run one request to its end. Always ends with a `request_ended` event, which is also returned.

        When its task is cancelled the request ends as stopped, each call has its result, and CancelledError goes on.
        """
        self._stopping = False
        self.requests += 1
        settings, number = self._settings, self.requests
        guard, runner = self._new_runner(number, prompt)
        attempts = Attempts(self.conversation, self._hooks.files, settings.attempts)
        request = Request(number, prompt, guard, runner, attempts)
        self._emit(RequestStarted(request=number, prompt=prompt, model=self._engine.info.name, form=settings.form))
        reason: EndReason = "error"
        detail = ""
        try:
            if number == 1 and self.conversation.notice:
                self._note("notice", self.conversation.notice)
            told = await runner.lines(lambda: self._hooks.notices(number, prompt))
            self.conversation.add(Turn("request", number, 0, "\n\n".join([*told, prompt])))
            attempts.begin()
            while True:
                try:
                    await self._step(request)
                except End as end:
                    if not await self._finish.start_over(request, end, self._new_runner):
                        raise
        except End as end:
            reason, detail = end.reason, end.detail
        except (EngineError, TemplateError) as error:
            detail = str(error)
        except asyncio.CancelledError:
            reason = detail = "stopped"
            raise
        except Exception as error:
            log.exception("request %d failed", number)
            detail = f"internal error: {error!r}"
        finally:
            self._runner = None
            ended = request.ended(reason, detail, self._engine.info.devices)
            self._emit(ended)
        return ended

    def _new_runner(self, number: int, prompt: str) -> tuple[RepeatGuard, CallRunner]:
        guard, hints = RepeatGuard(), Hints(self._settings.form, enabled=self._settings.hints)
        after_change = self._hooks.after_change
        self._runner = CallRunner(self._tools, self._gate, self._emit, guard, hints, number, prompt, after_change)
        return guard, self._runner

    async def _step(self, request: Request) -> None:
        """One answer and its calls; raises End where the request ends."""
        self._stop_if_asked(request)
        most = self._settings.max_steps
        if request.attempts.another:
            most = min(most, STEPS_BEFORE_ANOTHER)
        if request.steps - request.begun_at >= most:
            raise End("limit", f"stopped after {count(most, 'step')}")
        self._fit(request)
        request.steps += 1
        self._emit(StepStarted(step=request.steps))
        try:
            self._stop_if_asked(request)
            await self._deal_with(request, await self._ask(request))
        finally:
            self._emit(
                StepEnded(
                    step=request.steps,
                    usage=request.step_usage,
                    context_used=len(self.conversation),
                    context_budget=self.budget,
                )
            )

    async def _ask(self, request: Request) -> Answered:
        settings, info, number = self._settings, self._engine.info, request.number
        wanted: Wanted = "any"
        if settings.first_call:
            wanted = "first" if request.steps == request.begun_at + 1 else "mend" if request.must_act else "any"
        salt = number * 1000 + request.steps
        generation = Generation(
            tokens=self.conversation.tokens,
            max_tokens=answer_room(info.context, len(self.conversation), settings.answer_cap),
            sampling=settings.sampling_for(salt, freely=request.repeating),
            constraint=self._hooks.constraint(wanted, request.attempts.number > 1, request.guard.vain)
            if info.constrained
            else None,
            prefix=len(self.conversation.prefix),
        )
        ids = f"{number}.{request.steps}"
        specs, form = self._tools.specs, settings.form
        answered = await ask(self._engine, generation, specs, form, self._emit, ids, repairs=settings.repairs)
        answer = answered.answer
        request.usage.append(answer.usage)
        if answer.finish != "forced":  # garbage would only beget more of it when the person tries again
            self.conversation.add_answer(number, request.steps, answer.tokens, answer.text)
            request.answer = answered.parsed.text.strip() or request.answer
        return answered

    async def _deal_with(self, request: Request, answered: Answered) -> None:
        answer = answered.answer
        if answer.finish in ("aborted", "forced"):
            self._cut_short(request, answered)
        elif answered.calls:
            await self._run_calls(request, answered)
        else:
            self._stop_if_asked(request)
            await self._without_call(request, answered)

    def _cut_short(self, request: Request, answered: Answered) -> None:
        """No call of this answer runs. The request ends, unless the model is told to stop repeating itself."""
        repeated = answered.repeated and not self._stopping
        ran = unrun(answered.unrun, "failed" if repeated else "stopped")
        if repeated and not request.resampled:
            request.resampled = True
            self._add(request, self._say("repeat", REPETITION), ran)
            return
        if answered.answer.finish == "forced":
            raise End("error", GARBAGE)
        if ran:
            self._add(request, "", ran)
        raise End("stuck", self._stuck(REPEATS_ITSELF)) if repeated else End("stopped", "stopped")

    async def _run_calls(self, request: Request, answered: Answered) -> None:
        answer, runner = answered.answer, request.runner
        request.calls += len(answered.calls)
        ran = await runner.run(answered.calls, len(answer.tokens) if answer.finish == "length" else None)
        whole = not (done := request.note_progress(ran)) and request.page_clean and self._hooks.whole()
        done = done or whole
        verdict = request.guard.end_step()
        told = [self._say("repeat", verdict.note)] if verdict.note else []
        request.repeating = bool(verdict.note)
        if not (self._stopping or runner.cancelled or verdict.stuck):
            told += self._steered() or (await self._finish.still_wrong(request) if done else [])
        self._add(request, "\n\n".join(told), ran)
        self._stop_if_asked(request)
        if verdict.stuck:
            raise End("stuck", self._stuck(verdict.stuck))
        if done and not told:
            if whole:
                self._note("check", WHOLE)
            raise End("done")
        if wrong := await self._finish.judge(request, self._new_runner):
            self.conversation.say_more(wrong)
        self._stop_if_asked(request)

    async def _without_call(self, request: Request, answered: Answered) -> None:
        """The answer holds no call: the request ends, unless something is still to be said to the model."""
        used = len(answered.answer.tokens)
        cut = answered.answer.finish == "length"
        empty = not answered.parsed.text.strip()
        told = self._steered() or await self._finish.still_wrong(request, answered.parsed.text)
        self._stop_if_asked(request)
        if not told and empty and not request.nudged and not request.page_clean:
            request.nudged = True
            thought = answered.parsed.thought.strip()
            told = [self._say("nudge", cut_answer(used) if cut else ONLY_THINKING if thought else EMPTY_ANSWER)]
        if told:
            self._add(request, "\n\n".join(told))
            return
        if cut:
            self._note("notice", f"the answer was cut at {used} tokens")
        raise End("done")

    def _steered(self) -> list[str]:
        """What the person said meanwhile, to be passed on."""
        steering = self.take_steering()
        return [self._say("steer", "\n\n".join(steering))] if steering else []

    def _add(self, request: Request, text: str, ran: Sequence[Ran] = ()) -> None:
        """The model's next turn: results of its calls, with `text` behind them, or `text` alone."""
        outcomes = tuple(done.outcome() for done in ran)
        kind: TurnKind = "results" if outcomes else "note"
        self.conversation.add(Turn(kind, request.number, request.steps, text, outcomes=outcomes))

    def _say(self, topic: NoteTopic, text: str) -> str:
        """The person sees what the model is told."""
        self._note(topic, text, to_model=True)
        return text

    def _note(self, topic: NoteTopic, text: str, *, to_model: bool = False) -> None:
        self._emit(Note(topic=topic, text=text, to_model=to_model))

    def _stop_if_asked(self, request: Request) -> None:
        if request.runner.cancelled:
            raise asyncio.CancelledError
        if self._stopping:
            raise End("stopped", "stopped")

    def _stuck(self, why: str) -> str:
        devices = self._engine.info.devices
        return f"{why}; the model is split over {devices} devices, which may be at fault" if devices > 1 else why

    def _fit(self, request: Request) -> None:
        """Shorten the conversation where it is over its budget; raises End when it does not fit at all."""
        before, fits = self._fit_to(self.budget)
        after = len(self.conversation)
        if after < before:
            self._note("compaction", f"older steps shortened to fit the context ({before} → {after} tokens)")
        if not fits:
            raise End("context", CONTEXT_FULL if request.steps else REQUEST_TOO_LONG)
