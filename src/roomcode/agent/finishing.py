"""A request that is about to end: whether its work is done, what the model is told if not, and another attempt."""

from collections.abc import Callable, Sequence

from roomcode.agent.options import Hooks
from roomcode.agent.prompts import CHECK_ROUNDS, CHECK_ROUNDS_BEFORE_ANOTHER, attempt_note, check_note, kept_note
from roomcode.agent.repeats import RepeatGuard
from roomcode.agent.request import End, Request
from roomcode.agent.running import CallRunner
from roomcode.protocol.events import Emit, Note

__all__ = ["Finish"]

_SHORT = 4
"""Turns of an attempt that can be gone on with."""


class Finish:
    """Looks at the work of requests before they end."""

    def __init__(self, hooks: Hooks, emit: Emit) -> None:
        self._hooks = hooks
        self._emit = emit

    async def still_wrong(self, request: Request, answer: str = "") -> list[str]:
        """What the model has to be told, or nothing when the request may end. `answer` is its last one."""
        wrong = await self._look(request, answer)
        anew = request.attempts.another and not self._hooks.mendable(wrong)
        rounds = CHECK_ROUNDS_BEFORE_ANOTHER if anew else CHECK_ROUNDS
        request.must_act = bool(wrong) and request.checks < rounds
        if not wrong:
            return []
        if not request.must_act:
            self._emit(Note(topic="check", text="still wrong: " + "; ".join(wrong)))
            return []
        return [self._tell(request, wrong)]

    async def judge(self, request: Request, new_runner: Callable[[int, str], tuple[RepeatGuard, CallRunner]]) -> str:
        """Look at the work as soon as it could be whole. Where it is wrong it is done anew while attempts are left: a
        small model draws a right one more often than it mends a wrong one, unless what is wrong has a clear cure. After
        the last the best one is gone on with. What is wrong with what is gone on with is returned, to be told."""
        attempts = request.attempts
        if attempts.most == 1 or request.judged or not request.files or not self._hooks.complete():
            return ""
        wrong = await self._look(request, "")
        if request.runner.stopped:
            return ""
        if wrong and request.checks < CHECK_ROUNDS and self._hooks.mendable(wrong):
            return self._tell(request, wrong)
        if wrong and await attempts.start_over(wrong, request.answer, tuple(request.files)):
            self._emit(Note(topic="attempt", text=attempt_note(attempts.number, attempts.most, wrong)))
            request.begin_again(*new_runner(request.number, request.prompt))
            return ""
        request.judged = True
        if not wrong:
            return ""
        if (best := await attempts.keep_best(wrong, _SHORT)) is not None:
            self._emit(Note(topic="attempt", text=kept_note(best.number, best.faults)))
            request.files, request.answer, wrong = dict.fromkeys(best.files), best.answer, best.faults
        return self._tell(request, wrong)

    def _tell(self, request: Request, wrong: Sequence[str]) -> str:
        request.checks += 1
        request.must_act = True
        told = check_note(wrong)
        self._emit(Note(topic="check", text=told, to_model=True))
        return told

    async def start_over(
        self, request: Request, end: End, new_runner: Callable[[int, str], tuple[RepeatGuard, CallRunner]]
    ) -> bool:
        """Whether a request that ends like this is tried anew, because its work is not done. After the last attempt the
        best one is kept."""
        attempts = request.attempts
        if attempts.most == 1 or end.reason not in ("done", "stuck", "limit"):
            return False
        wrong = request.wrong if end.reason == "done" else await self._look(request, "")
        if not wrong or request.runner.stopped:
            return False
        if await attempts.start_over(wrong, request.answer, tuple(request.files)):
            self._emit(Note(topic="attempt", text=attempt_note(attempts.number, attempts.most, wrong)))
            request.begin_again(*new_runner(request.number, request.prompt))
            return True
        best = await attempts.keep_best(wrong)
        if best is not None:
            self._emit(Note(topic="attempt", text=kept_note(best.number, best.faults)))
            request.files, request.answer = dict.fromkeys(best.files), best.answer
        return False

    async def _look(self, request: Request, answer: str) -> Sequence[str]:
        files = tuple(request.files)
        if request.rejected and not files:
            # The person did not want the change: that nothing changed is right.
            request.wrong = ()
            return ()
        request.wrong = await request.runner.lines(lambda: self._hooks.before_end(request.prompt, files, answer))
        return request.wrong
