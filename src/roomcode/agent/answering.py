"""One model call: streamed into events, watched for repetition, read into calls."""

from collections.abc import Sequence
from dataclasses import dataclass

from roomcode.agent.prompts import REPEATED_CALL, STOPPED_CALL
from roomcode.agent.repetition import RepetitionGuard
from roomcode.calls import ArgDelta, CallStream, Form, Opened, Parsed, TextDelta, parse, repair
from roomcode.protocol.engine import Answer, Engine, Generation
from roomcode.protocol.events import Call, CallArgs, CallOpened, Emit, Result, Text
from roomcode.protocol.tools import ToolCall, ToolSpec

__all__ = ["Answered", "ask"]


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer and the calls in it, each as it will run (or with the reason why it cannot)."""

    answer: Answer
    parsed: Parsed
    calls: tuple[ToolCall, ...]
    repeated: bool
    """The answer was cut because it repeated itself."""


async def ask(
    engine: Engine, generation: Generation, specs: Sequence[ToolSpec], form: Form, emit: Emit, ids: str
) -> Answered:
    """Run one model call. Events: `text`, `call_opened`, `call_args`, then one `call` for each call.

    `ids` is what the ids of this answer's calls begin with. Raises EngineError.
    """
    live = _Live(engine, specs, emit, ids)
    answer = await engine.generate(generation, live.on_text)
    live.finish()
    repeated = live.repeated and answer.finish == "aborted"
    stopped = answer.finish == "aborted"
    cut = answer.finish == "length"
    parsed = parse(answer.text, specs, cut=cut)
    calls: list[ToolCall] = []
    if not stopped:
        cut_at = len(answer.tokens) if cut else None
        for index, found in enumerate(parsed.calls):
            repaired = repair(found, specs, form=form, cut_at=cut_at)
            calls.append(
                ToolCall(f"{ids}.{index + 1}", found.tool, repaired.arguments, repaired.repairs, repaired.error)
            )
    reason = (
        REPEATED_CALL
        if repeated
        else STOPPED_CALL
        if stopped
        else "This call could not be read, so nothing was run. Send it again."
    )
    unread = [ToolCall(i, tool, {}, (), reason) for i, tool in live.opened.items() if i not in {c.id for c in calls}]
    for call in sorted([*calls, *unread], key=lambda c: int(c.id.rsplit(".", 1)[1])):
        if call.id not in live.opened:
            emit(CallOpened(call=call.id, tool=call.tool))
        emit(
            Call(
                call=call.id,
                tool=call.tool,
                arguments=dict(call.arguments),
                repairs=call.repairs,
                error=call.error,
            )
        )
        if stopped:
            emit(Result(call=call.id, tool=call.tool, state="stopped", text=reason))
    return Answered(answer, parsed, () if stopped else (*calls, *unread), repeated)


class _Live:
    """The answer while it grows."""

    def __init__(self, engine: Engine, specs: Sequence[ToolSpec], emit: Emit, ids: str) -> None:
        self._engine = engine
        self._stream = CallStream(specs)
        self._emit = emit
        self._ids = ids
        self._guard = RepetitionGuard()
        self._in_value = False
        self.opened: dict[str, str] = {}
        self.repeated = False

    def on_text(self, text: str, retract: int) -> None:
        for event in self._stream.feed(text, retract):
            self._show(event)
        if not self.repeated and self._guard.push(text, retract, in_value=self._in_value):
            self.repeated = True
            self._engine.abort()

    def finish(self) -> None:
        for event in self._stream.finish():
            self._show(event)

    def _show(self, event: TextDelta | Opened | ArgDelta) -> None:
        match event:
            case TextDelta(text, thought):
                self._in_value = False
                self._emit(Text(text=text, thought=thought))
            case Opened(index, tool):
                self._in_value = True
                call = f"{self._ids}.{index + 1}"
                self.opened[call] = tool
                self._emit(CallOpened(call=call, tool=tool))
            case ArgDelta(index, name, text):
                call = f"{self._ids}.{index + 1}"
                self._emit(CallArgs(call=call, tool=self.opened.get(call, ""), name=name, text=text))
