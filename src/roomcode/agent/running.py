"""Running the calls of one answer, in order, each with exactly one result."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

from roomcode.agent.conversation import Outcome
from roomcode.agent.hints import Hints
from roomcode.agent.prompts import STOPPED_CALL
from roomcode.agent.repeats import RepeatGuard
from roomcode.protocol.approval import ApprovalGate, ApprovalRequest, Decision
from roomcode.protocol.events import Approval, Emit, Result
from roomcode.protocol.tools import Tool, ToolCall, ToolContext, ToolResult, ToolSpec

__all__ = ["CallRunner", "ProjectCheck", "Ran", "ToolBox", "announced", "no_check", "unrun"]

T = TypeVar("T")

ProjectCheck = Callable[[str, Sequence[str]], Awaitable[Sequence[str]]]
"""(prompt of the request, files written) → what is to be said about them, one line each."""


async def no_check(_prompt: str, _paths: Sequence[str]) -> Sequence[str]:
    return ()


log = logging.getLogger(__name__)


class ToolBox(Protocol):
    """The tools of a session."""

    @property
    def specs(self) -> Sequence[ToolSpec]: ...

    def get(self, name: str) -> Tool | None: ...


@dataclass(frozen=True, slots=True)
class Ran:
    """A call that was dealt with; `text` is the result's text with its hint."""

    call: ToolCall
    result: ToolResult
    text: str

    def outcome(self) -> Outcome:
        """The call and its result, as the conversation remembers them."""
        return Outcome(
            call=self.call.id,
            tool=self.call.tool,
            argument=_short_argument(self.call.arguments),
            text=self.text,
            state=self.result.state,
            changed=self.result.changed,
            port=self.result.port,
        )


def unrun(calls: Sequence[ToolCall], state: Literal["stopped", "failed"]) -> list[Ran]:
    """Calls of an answer that was cut short, each with its error as its result."""
    return [Ran(call, ToolResult(state, call.error), call.error) for call in calls]


class CallRunner:
    """Runs calls of one request. `stop` ends the running call; those after it are not started."""

    def __init__(
        self,
        tools: ToolBox,
        gate: ApprovalGate,
        emit: Emit,
        guard: RepeatGuard,
        hints: Hints,
        request: int,
        prompt: str = "",
        after_change: ProjectCheck = no_check,
    ) -> None:
        self._tools = tools
        self._gate = gate
        self._emit = emit
        self._guard = guard
        self._hints = hints
        self._request = request
        self._prompt = prompt
        self._after_change = after_change
        self._running: asyncio.Future[Any] | None = None
        self.stopped = False
        self.cancelled = False
        """The task that the request runs in was cancelled. Its calls got their results all the same; whoever runs the
        request has to end with CancelledError."""

    def stop(self) -> None:
        """End what runs now, and start nothing more."""
        self.stopped = True
        if self._running is not None:
            self._running.cancel()

    async def until_stopped(self, work: Callable[[], Awaitable[T]], otherwise: T) -> T:
        """What `work` gives, or `otherwise` when the request is stopped first."""
        if self.stopped:
            return otherwise
        running = asyncio.ensure_future(work())
        self._running = running
        try:
            return await running
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                self.cancelled = self.stopped = True
            if not self.stopped:
                raise RuntimeError("it was cancelled from inside") from None
            return otherwise
        finally:
            self._running = None

    async def lines(self, look: Callable[[], Awaitable[Sequence[str]]]) -> Sequence[str]:
        """What a look at the project says; nothing when it was stopped, or when it is broken."""
        try:
            return await self.until_stopped(look, ())
        except Exception:
            log.exception("a look at the project failed")
            return ()

    async def run(self, calls: Sequence[ToolCall], cut_at: int | None) -> list[Ran]:
        """Run all calls; after a stop the rest gets a result that says so."""
        done: list[Ran] = []
        for call in calls:
            started = time.perf_counter()
            result = ToolResult("stopped", STOPPED_CALL) if self.stopped else await self._one(call, cut_at)
            hint = self._hints.hint_for(result)
            text = f"{result.text}\n{hint}" if hint else result.text
            self._emit(
                Result(
                    call=call.id,
                    tool=call.tool,
                    state=result.state,
                    text=text,
                    display=result.display,
                    seconds=time.perf_counter() - started,
                )
            )
            done.append(Ran(call, result, text))
        return done

    async def _one(self, call: ToolCall, cut_at: int | None) -> ToolResult:
        tool = self._tools.get(call.tool)
        if call.error or tool is None:
            result = ToolResult(
                "failed" if tool is not None else "unknown",
                call.error or f"There is no tool {call.tool!r}.",
                hint="format" if cut_at is None else "parts",
            )
            self._guard.record(call.tool, "run", call.arguments, result)
            return result
        effect = tool.spec.effect
        known = self._guard.already_done(call.tool, effect, call.arguments)
        result = known if known is not None else await self._call(tool, call, cut_at)
        self._guard.record(call.tool, effect, call.arguments, result)
        if result.changed and (lines := await self.lines(lambda: self._after_change(self._prompt, result.changed))):
            result = replace(result, text="\n".join([result.text, *lines]))
        return result

    async def _call(self, tool: Tool, call: ToolCall, cut_at: int | None) -> ToolResult:
        context = ToolContext(
            approve=self._gate, request=self._request, call=call.id, prompt=self._prompt, cut_at=cut_at
        )
        arguments = _with_defaults(tool.spec, call.arguments)
        try:
            return await self.until_stopped(lambda: tool(arguments, context), ToolResult("stopped", STOPPED_CALL))
        except Exception as error:
            log.exception("%s failed", call.tool)
            return ToolResult("failed", f"{call.tool} had an internal error ({type(error).__name__}: {error}). Go on.")


def announced(gate: ApprovalGate, emit: Emit) -> ApprovalGate:
    """The person's gate, with an event when it is asked and one when it has answered."""

    async def ask(request: ApprovalRequest) -> Decision:
        emit(Approval(call=request.call, tool=request.tool, state="asked", change=request.change))
        decision = await gate(request)
        state: Literal["approved", "rejected"] = "approved" if decision.approved else "rejected"
        emit(Approval(call=request.call, tool=request.tool, state=state, comment=decision.comment))
        return decision

    return ask


def _with_defaults(spec: ToolSpec, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {p.name: arguments.get(p.name, p.default) for p in spec.parameters}


def _short_argument(arguments: Mapping[str, Any]) -> str:
    """What tells this call from others of its tool, on one line: rather its path than the text it writes."""
    named = [arguments[name] for name in ("path", "pattern", "port", "code") if name in arguments]
    return " ".join(str(next(iter([*named, *arguments.values()]), "")).split())[:80]
