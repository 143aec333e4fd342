"""Running the calls of one answer: one result each, whatever happens."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from roomcode.agent.hints import Hints
from roomcode.agent.repeats import RepeatGuard
from roomcode.agent.running import CallRunner, ProjectCheck, Ran, announced, no_check, unrun
from roomcode.protocol.approval import ApprovalRequest, Decision, refuse_all
from roomcode.protocol.display import FileChange, TextBlock
from roomcode.protocol.events import Approval, Event, Result
from roomcode.protocol.tools import Parameter, ToolCall, ToolContext, ToolResult, ToolSpec
from roomcode.tools import Toolset
from tests.agent.builders import FakeTool, waiting_tool

SPEC = ToolSpec(
    "touch",
    "Touches.",
    (Parameter("path", "string", "file"), Parameter("depth", "integer", "depth", required=False, default=3)),
    "write",
)


def tool(result: ToolResult, spec: ToolSpec = SPEC) -> FakeTool:
    async def play(_arguments: Mapping[str, Any], _context: ToolContext) -> ToolResult:
        return result

    return FakeTool(spec, play)


def runner(*tools: FakeTool, events: list[Event] | None = None, after: ProjectCheck = no_check) -> CallRunner:
    emit = (events if events is not None else []).append
    return CallRunner(Toolset(tools), refuse_all, emit, RepeatGuard(), Hints("xml"), 1, "make it", after)


def calls(*names: str) -> list[ToolCall]:
    return [ToolCall(f"1.1.{n}", name, {"path": f"{n}.txt"}) for n, name in enumerate(names, 1)]


async def test_a_tool_gets_its_defaults_and_who_it_works_for() -> None:
    seen: list[ToolContext] = []

    async def play(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        seen.append(context)
        return ToolResult("ok", "fine")

    touch = FakeTool(SPEC, play)
    await runner(touch).run(calls("touch"), 77)
    assert touch.calls == [{"path": "1.txt", "depth": 3}]
    assert (seen[0].request, seen[0].call, seen[0].cut_at, seen[0].reader) == (1, "1.1.1", 77, "conversation")
    assert not (await seen[0].approve(ApprovalRequest("1", "touch", FileChange("a", None, "x")))).approved


async def test_results_come_in_order_with_what_the_person_sees() -> None:
    events: list[Event] = []
    shown = TextBlock("shown")
    one = runner(tool(ToolResult("ok", "told", shown)), events=events)
    ran = await one.run(calls("touch", "nothing"), None)
    results = [e for e in events if isinstance(e, Result)]
    assert [(r.call, r.tool, r.state) for r in results] == [("1.1.1", "touch", "ok"), ("1.1.2", "nothing", "unknown")]
    assert results[0].display == shown
    assert results[0].seconds >= 0
    assert [r.text for r in ran] == [r.text for r in results]


async def test_a_call_with_an_error_is_not_run() -> None:
    touch = tool(ToolResult("ok", "fine"))
    ran = await runner(touch).run([ToolCall("1.1.1", "touch", {}, (), "touch needs path")], None)
    assert touch.calls == []
    assert (ran[0].result.state, ran[0].result.text) == ("failed", "touch needs path")
    assert ran[0].text.startswith("touch needs path\nHint: ")


async def test_after_a_stop_nothing_more_is_started() -> None:
    waits, started = waiting_tool()
    touch = tool(ToolResult("ok", "fine"))
    one = runner(waits, touch)
    running = asyncio.ensure_future(one.run([*calls("touch", "wait"), ToolCall("1.1.3", "touch", {"path": "x"})], None))
    await started.wait()
    one.stop()
    ran = await running
    assert [r.result.state for r in ran] == ["ok", "stopped", "stopped"]
    assert len(touch.calls) == 1
    assert not one.cancelled
    again = await one.run(calls("touch"), None)
    assert [r.result.state for r in again] == ["stopped"]


async def test_a_cancelled_task_is_remembered_and_every_call_has_a_result() -> None:
    waits, started = waiting_tool()
    one = runner(waits)
    running = asyncio.ensure_future(one.run(calls("wait", "wait"), None))
    await started.wait()
    running.cancel()
    ran = await running
    assert [r.result.state for r in ran] == ["stopped", "stopped"]
    assert one.cancelled


async def test_a_tool_that_ends_in_its_own_cancellation_has_failed() -> None:
    async def play(_arguments: Mapping[str, Any], _context: ToolContext) -> ToolResult:
        raise asyncio.CancelledError

    ran = await runner(FakeTool(SPEC, play), tool(ToolResult("ok", "fine"), ToolSpec("next", "", (), "read"))).run(
        calls("touch", "next"), None
    )
    assert [r.result.state for r in ran] == ["failed", "ok"]


async def test_what_a_change_brought_is_added_to_its_result() -> None:
    seen: list[tuple[str, Sequence[str]]] = []

    async def after(prompt: str, paths: Sequence[str]) -> Sequence[str]:
        seen.append((prompt, paths))
        return ["a.js:3 does not parse", "b.js is missing"]

    ran = await runner(tool(ToolResult("ok", "Wrote it.", changed=("a.js",))), after=after).run(calls("touch"), None)
    assert ran[0].text == "Wrote it.\na.js:3 does not parse\nb.js is missing"
    assert seen == [("make it", ("a.js",))]


@pytest.mark.parametrize("state", ["failed", "rejected", "unchanged"])
async def test_nothing_is_checked_where_nothing_changed(state: Any) -> None:
    async def after(_prompt: str, _paths: Sequence[str]) -> Sequence[str]:
        raise AssertionError("not asked")

    ran = await runner(tool(ToolResult(state, "No.")), after=after).run(calls("touch"), None)
    assert ran[0].text == "No."


async def test_a_broken_check_spoils_nothing() -> None:
    async def after(_prompt: str, _paths: Sequence[str]) -> Sequence[str]:
        raise KeyError("broken")

    ran = await runner(tool(ToolResult("ok", "Wrote it.", changed=("a.js",))), after=after).run(calls("touch"), None)
    assert (ran[0].result.state, ran[0].text) == ("ok", "Wrote it.")


async def test_a_stop_ends_a_check_and_keeps_the_result() -> None:
    started = asyncio.Event()

    async def after(_prompt: str, _paths: Sequence[str]) -> Sequence[str]:
        started.set()
        await asyncio.Event().wait()
        return ["never"]

    one = runner(tool(ToolResult("ok", "Wrote it.", changed=("a.js",))), after=after)
    running = asyncio.ensure_future(one.run(calls("touch"), None))
    await started.wait()
    one.stop()
    ran = await running
    assert (ran[0].result.state, ran[0].result.changed, ran[0].text) == ("ok", ("a.js",), "Wrote it.")


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"content": "x" * 500, "path": "a.js"}, "a.js"),
        ({"path": "src", "pattern": "TODO"}, "src"),
        ({"pattern": "one\ntwo"}, "one two"),
        ({"port": 5173, "since": 0}, "5173"),
        ({"code": "y" * 500}, "y" * 80),
        ({"question": "which one?"}, "which one?"),
        ({}, ""),
    ],
)
def test_a_stub_names_what_tells_a_call_from_others(arguments: Mapping[str, Any], argument: str) -> None:
    outcome = Ran(ToolCall("1.1.1", "any", arguments), ToolResult("ok", "t", changed=("b",), port=1), "told").outcome()
    assert outcome.argument == argument
    assert (outcome.call, outcome.text, outcome.changed, outcome.port) == ("1.1.1", "told", ("b",), 1)


def test_calls_that_never_run_have_their_error_as_their_result() -> None:
    ran = unrun([ToolCall("1.1.1", "any", {}, (), "stopped by the user")], "stopped")
    assert [(r.result.state, r.text) for r in ran] == [("stopped", "stopped by the user")]


@pytest.mark.parametrize("approved", [True, False])
async def test_asking_is_announced_before_and_after(approved: bool) -> None:
    events: list[Event] = []

    async def gate(request: ApprovalRequest) -> Decision:
        assert len(events) == 1
        return Decision(approved, "because")

    change = FileChange("a.js", None, "x")
    decision = await announced(gate, events.append)(ApprovalRequest("1.1.1", "write_file", change))
    assert decision == Decision(approved, "because")
    assert events == [
        Approval(call="1.1.1", tool="write_file", state="asked", change=change),
        Approval(call="1.1.1", tool="write_file", state="approved" if approved else "rejected", comment="because"),
    ]
