"""One model call: streamed into events, watched for repetition, read into calls."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from roomcode.agent.prompts import GARBAGE_CALL, LOST_CALL, REPEATED_CALL, STOPPED_CALL, UNREAD_CALL, strict_call
from roomcode.agent.repetition import RepetitionGuard
from roomcode.calls import ArgDelta, CallStream, Opened, Parsed, ParsedCall, TextDelta, parse, repair
from roomcode.chat import Form
from roomcode.protocol.engine import Answer, Engine, Generation
from roomcode.protocol.events import Call, CallArgs, CallOpened, Emit, Result, Text
from roomcode.protocol.tools import ResultState, ToolCall, ToolSpec

__all__ = ["Answered", "ask"]


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer and the calls in it, each as it will run (or with the reason why it cannot)."""

    answer: Answer
    parsed: Parsed
    calls: tuple[ToolCall, ...]
    """To be run. Empty when the answer was cut short."""
    unrun: tuple[ToolCall, ...]
    """Calls of an answer that was cut short: never run, their `error` was told as their result."""
    repeated: bool
    """The answer was cut short because it repeated itself."""


async def ask(
    engine: Engine,
    generation: Generation,
    specs: Sequence[ToolSpec],
    form: Form,
    emit: Emit,
    ids: str,
    *,
    repairs: bool = True,
) -> Answered:
    """Run one model call. Events: `text`, `call_opened`, `call_args`, then one `call` for each call, and a `result`
    for each that will never run.

    `ids` is what the ids of this answer's calls begin with. Raises EngineError.
    """
    live = _Live(engine, specs, emit, ids)
    try:
        answer = await engine.generate(generation, live.on_text)
    except BaseException as error:
        stopped = isinstance(error, asyncio.CancelledError)
        lost = STOPPED_CALL if stopped else LOST_CALL
        live.announce([ToolCall(i, tool, {}, (), lost) for i, tool in live.opened.items()])
        live.close(live.opened, "stopped" if stopped else "failed", lost)
        raise
    live.finish(cut=answer.finish != "stop")
    repeated = live.repeated and answer.finish == "aborted"
    if repeated:
        answer = _without_repetition(answer, engine, live.kept)
    parsed = parse(answer.text, specs, cut=answer.finish != "stop")
    reason, state = _cut_short(answer, repeated)
    cut_at = len(answer.tokens) if answer.finish == "length" else None
    calls = {f"{ids}.{n}": call for n, call in enumerate(parsed.calls, 1)}
    found = [
        _as_it_will_run(calls[i], i, specs, form, reason, cut_at, repairs)
        if i in calls
        else ToolCall(i, live.opened[i], {}, (), reason or UNREAD_CALL)
        for i in sorted({*calls, *live.opened}, key=lambda i: int(i.rsplit(".", 1)[1]))
    ]
    live.announce(found)
    if reason:
        live.close({call.id: call.tool for call in found}, state, reason)
    return Answered(answer, parsed, () if reason else tuple(found), tuple(found) if reason else (), repeated)


def _cut_short(answer: Answer, repeated: bool) -> tuple[str, ResultState]:
    """Why no call of this answer will run, and the state of their results; empty when they will."""
    if answer.finish == "forced":
        return GARBAGE_CALL, "failed"
    if answer.finish == "aborted":
        return (REPEATED_CALL, "failed") if repeated else (STOPPED_CALL, "stopped")
    return "", "ok"


def _as_it_will_run(
    call: ParsedCall, number: str, specs: Sequence[ToolSpec], form: Form, reason: str, cut_at: int | None, repairs: bool
) -> ToolCall:
    repaired = repair(call, specs, form=form, cut_at=cut_at)
    error = reason or repaired.error
    if not error and repaired.repairs and not repairs:
        error = strict_call(call.tool, repaired.repairs)
    return ToolCall(number, call.tool, repaired.arguments, repaired.repairs, error)


def _without_repetition(answer: Answer, engine: Engine, kept: int) -> Answer:
    """The answer up to where it began to repeat itself: a model goes on with what it sees itself doing."""
    room = len(answer.text[:kept].encode())
    count = 0
    for token in answer.tokens:
        room -= len(engine.decode([token]))
        if room < 0:
            break
        count += 1
    tokens = answer.tokens[:count]
    return replace(answer, tokens=tokens, text=engine.decode(tokens).decode("utf-8", "ignore"))


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
        """Ids of the calls that were seen to open, with their tools."""
        self.repeated = False

    @property
    def kept(self) -> int:
        """Characters of the answer before it began to repeat itself."""
        return self._guard.kept

    def on_text(self, text: str, retract: int) -> None:
        for event in self._stream.feed(text, retract):
            self._show(event)
        if not self.repeated and self._guard.push(text, retract, in_value=self._in_value):
            self.repeated = True
            self._engine.abort()

    def finish(self, *, cut: bool) -> None:
        for event in self._stream.finish(cut):
            self._show(event)

    def announce(self, calls: Sequence[ToolCall]) -> None:
        """One `call` event for each call, after its `call_opened`."""
        for call in calls:
            if call.id not in self.opened:
                self._emit(CallOpened(call=call.id, tool=call.tool))
            self._emit(
                Call(
                    call=call.id,
                    tool=call.tool,
                    arguments=dict(call.arguments),
                    repairs=call.repairs,
                    error=call.error,
                )
            )

    def close(self, calls: dict[str, str], state: ResultState, text: str) -> None:
        """The result of calls (id → tool) that will never run."""
        for call, tool in calls.items():
            self._emit(Result(call=call, tool=tool, state=state, text=text))

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
