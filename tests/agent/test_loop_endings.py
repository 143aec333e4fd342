"""Why a request ends, and that it goes on properly afterwards."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from roomcode.protocol.approval import ApprovalRequest, Decision
from roomcode.protocol.events import (
    Approval,
    Call,
    CallArgs,
    Event,
    RequestEnded,
    RequestStarted,
    Result,
    StepEnded,
    StepStarted,
    Text,
)
from roomcode.protocol.tools import Parameter, ToolResult, ToolSpec
from tests.agent.builders import (
    CUT,
    GARBAGE,
    FakeTool,
    Patient,
    Scene,
    call,
    error,
    page,
    serve_tool,
    waiting_tool,
    yes,
)

Scenes = Callable[..., Scene]


# Done


async def test_a_clean_page_and_a_step_that_changes_nothing_end_the_request(scene: Scenes) -> None:
    write = call("write_file", path="a.js", content="let a;")
    one = scene(write, call("serve"), "I look.\n" + call("list_dir"), tools=[serve_tool(page())], gate=yes)
    ended = await one.ask()
    assert (ended.reason, ended.steps, ended.detail) == ("done", 3, "")
    assert ended.files == ("a.js",)
    assert ended.answer == "I look."
    assert one.story[-3:] == ["result 1.3.1 ok", "step 3 ended", "ended done"]


async def test_a_clean_page_and_an_empty_answer_end_the_request_without_a_nudge(scene: Scenes) -> None:
    one = scene(call("serve"), "", tools=[serve_tool(page())])
    ended = await one.ask()
    assert (ended.reason, ended.steps, one.notes()) == ("done", 2, [])


@pytest.mark.parametrize(
    "step",
    [
        call("write_file", path="b.js", content="let b;"),  # a change
        call("edit_file", path="a.js", old="not there", new="x"),  # a change that was meant
        call("read_file", path="missing.js"),  # a failure
        call("serve") + call("write_file", path="b.js", content="let b;"),  # changed after it was looked at
    ],
)
async def test_otherwise_it_goes_on(scene: Scenes, step: str) -> None:
    write = call("write_file", path="a.js", content="let a;")
    one = scene(write, call("serve"), step, "Now it is done.", tools=[serve_tool(page())], gate=yes)
    ended = await one.ask()
    assert (ended.reason, ended.steps, ended.answer) == ("done", 4, "Now it is done.")


async def test_a_page_with_errors_does_not_end_the_request(scene: Scenes) -> None:
    one = scene(call("serve"), call("list_dir"), "Sorry.", tools=[serve_tool(page("a.js: x is not defined"))])
    assert (await one.ask()).steps == 3


async def test_a_page_that_could_not_be_looked_at_is_not_clean(scene: Scenes) -> None:
    unseen = ToolResult("ok", "not checked: there is no browser", page_errors=None, port=5173)
    one = scene(call("serve"), call("list_dir"), "Done.", tools=[serve_tool(unseen)])
    assert (await one.ask()).steps == 3


# Stopped


async def test_stopped_in_the_text_keeps_the_partial_answer(scene: Scenes) -> None:
    one = scene("I will first look at the page and then", "Going on.")
    one.stop_at(lambda e: isinstance(e, Text) and "look" in "".join(t.text for t in one.of(Text)))
    ended = await one.ask()
    assert (ended.reason, ended.detail) == ("stopped", "stopped")
    assert ended.summary.endswith(" s · stopped")
    assert ended.answer.startswith("I will first look")
    assert ended.answer != "I will first look at the page and then"
    assert one.conversation.turns[-1].kind == "answer"
    ended = await one.ask("go on")
    assert (ended.reason, ended.answer) == ("done", "Going on.")
    assert f"{one.conversation.turns[1].text}<|im_end|>\n<|im_start|>user\ngo on<|im_end|>" in one.talk


@pytest.mark.parametrize("content", ["", "let a = 1;\n" * 3])
async def test_stopped_in_a_call_no_call_of_the_answer_runs(scene: Scenes, project: Path, content: str) -> None:
    answer = (
        "First this.\n"
        + call("write_file", path="a.js", content="one")
        + call("write_file", path="b.js", content="let a = 1;\n" * 30)
        + call("write_file", path="c.js", content="three")
    )
    one = scene(answer, "Going on.", gate=yes)
    one.stop_at(
        lambda e: (
            isinstance(e, CallArgs)
            and e.call == "1.1.2"
            and e.name == "content"
            and len("".join(a.text for a in one.of(CallArgs) if a.call == "1.1.2")) > len(content)
        )
    )
    ended = await one.ask()
    assert ended.reason == "stopped"
    assert [(e.call, e.state, e.text) for e in one.of(Result)] == [
        ("1.1.1", "stopped", "stopped by the user"),
        ("1.1.2", "stopped", "stopped by the user"),
    ]
    assert one.of(Call)[0].arguments == {"path": "a.js", "content": "one"}
    assert list(project.iterdir()) == []
    assert ended.files == ()
    assert one.talk.count("<tool_response>\nstopped by the user\n</tool_response>") == 2
    assert (await one.ask("go on")).answer == "Going on."


async def test_stopped_in_the_second_of_three_running_calls(scene: Scenes, project: Path) -> None:
    waits, running = waiting_tool()
    answer = (
        call("write_file", path="a.js", content="one") + call("wait") + call("write_file", path="b.js", content="2")
    )
    one = scene(answer, "Going on.", tools=[waits], gate=yes)
    asked = asyncio.ensure_future(one.ask())
    await running.wait()
    one.agent.stop()
    ended = await asked
    assert ended.reason == "stopped"
    assert [(e.call, e.state) for e in one.of(Result)] == [("1.1.1", "ok"), ("1.1.2", "stopped"), ("1.1.3", "stopped")]
    assert ended.files == ("a.js",), "a file that was written before the stop is named"
    assert (project / "a.js").exists()
    assert not (project / "b.js").exists()
    assert one.talk.count("stopped by the user") == 2
    ended = await one.ask("go on")
    assert (ended.reason, ended.answer) == ("done", "Going on.")


async def test_stopped_while_the_person_is_asked(scene: Scenes, project: Path) -> None:
    asked = asyncio.Event()

    async def gate(_request: ApprovalRequest) -> Decision:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError("not reached")

    one = scene(call("write_file", path="a.js", content="one"), gate=gate)
    running = asyncio.ensure_future(one.ask())
    await asked.wait()
    one.agent.stop()
    assert (await running).reason == "stopped"
    assert [e.state for e in one.of(Approval)] == ["asked"]
    assert [e.state for e in one.of(Result)] == ["stopped"]
    assert not (project / "a.js").exists()


async def test_stopped_while_the_model_computes(scene: Scenes) -> None:
    clock = Patient()
    one = scene("#! delay 60000\nnever said", "Going on.", clock=clock)
    running = asyncio.ensure_future(one.ask())
    await clock.waiting.wait()
    one.agent.stop()
    ended = await running
    assert (ended.reason, ended.answer, ended.tokens) == ("stopped", "", 0)
    assert (await one.ask("go on")).answer == "Going on."


@pytest.mark.parametrize("kind", [RequestStarted, StepStarted, Call, Result, StepEnded])
async def test_a_stop_at_any_event_ends_the_request_properly(scene: Scenes, project: Path, kind: type) -> None:
    one = scene(call("write_file", path="a.js", content="x") + call("list_dir"), "Done.", "Going on.", gate=yes)
    one.stop_at(lambda e: isinstance(e, kind))
    ended = await one.ask()
    assert (ended.reason, one.story[-1]) == ("stopped", "ended stopped")
    assert (project / "a.js").exists() == (kind in (Result, StepEnded))
    assert (await one.ask("go on")).reason == "done"


async def test_a_stop_of_the_last_word_is_a_stop_still(scene: Scenes) -> None:
    """The model had just ended its answer by itself: its calls are not run either."""
    one = scene("Look:\n" + call("list_dir"), "Done.")
    one.stop_at(lambda e: isinstance(e, Call))
    await one.ask()
    assert [e.state for e in one.of(Result)] == ["stopped"]
    assert one.talk.count("stopped by the user") == 1


async def test_a_stop_before_a_request_does_not_touch_it(scene: Scenes) -> None:
    one = scene("Done.")
    one.agent.stop()
    assert (await one.ask()).reason == "done"


async def test_what_was_to_be_told_to_the_model_survives_a_stop(scene: Scenes) -> None:
    one = scene(call("list_dir"), "Done.")

    def on_event(event: Event) -> None:
        if isinstance(event, Call):
            one.agent.steer("and a footer")
            one.agent.stop()

    one.on_event = on_event
    await one.ask()
    assert "and a footer" not in one.talk
    assert one.agent.take_steering() == ["and a footer"]


async def test_a_cancelled_task_leaves_a_result_for_each_call_and_a_proper_end(scene: Scenes) -> None:
    waits, started = waiting_tool()
    one = scene(call("wait") + call("list_dir"), "Going on.", tools=[waits])
    running = asyncio.ensure_future(one.agent.run("do it"))
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    one.check()
    assert [e.state for e in one.of(Result)] == ["stopped", "stopped"]
    assert one.of(RequestEnded)[-1].reason == "stopped"
    assert (await one.ask("go on")).answer == "Going on."


async def test_a_task_cancelled_while_the_model_speaks_closes_the_open_call(scene: Scenes) -> None:
    clock = Patient()
    one = scene("<tool_call>\n<function=read_file>\n<parameter=path>\nab\n#! delay 9\n", "Going on.", clock=clock)
    running = asyncio.ensure_future(one.agent.run("do it"))
    await clock.waiting.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    one.check()
    assert one.story[-5:] == [
        "opened 1.1.1 read_file",
        "call 1.1.1 read_file",
        "result 1.1.1 stopped",
        "step 1 ended",
        "ended stopped",
    ]
    assert (await one.ask("go on")).answer == "Going on."


# Limit


async def test_thirty_steps_are_the_limit_and_continue_goes_on(scene: Scenes) -> None:
    answers = [call("read_file", path=f"{n}.txt") for n in range(40)]
    one = scene(*answers, "Done.")
    ended = await one.ask()
    assert (ended.reason, ended.detail, ended.steps) == ("limit", "stopped after 30 steps", 30)
    assert ended.summary.endswith(" s · stopped after 30 steps")
    assert len(one.of(Result)) == 30
    ended = await one.ask("continue")
    assert (ended.reason, ended.steps, ended.answer) == ("done", 11, "Done.")


# Stuck


async def test_the_same_failing_call_is_told_one_step_before_the_request_is_stuck(scene: Scenes) -> None:
    again = call("read_file", path="missing.txt")
    one = scene(again, again, again, "never asked")
    ended = await one.ask()
    assert (ended.reason, ended.steps) == ("stuck", 3)
    assert ended.detail.startswith("the same read_file call failed 3 times: ")
    assert "missing.txt" in ended.detail
    assert ended.summary.endswith(ended.detail)
    assert one.story.count("note repeat") == 1
    assert one.story.index("note repeat") == one.story.index("result 1.2.1 failed") + 1
    note = one.notes("repeat")[0]
    assert "same read_file call 2 times" in note
    assert one.talk.count(note) == 1
    assert "split" not in ended.detail


async def test_on_several_devices_a_stuck_stop_says_that_the_split_may_be_at_fault(scene: Scenes) -> None:
    again = call("read_file", path="missing.txt")
    one = scene(again, again, again, devices=3)
    ended = await one.ask()
    assert "the model is split over 3 devices, which may be at fault" in ended.detail


async def test_another_call_in_the_same_step_does_not_hide_a_repeat(scene: Scenes) -> None:
    answers = [call("read_file", path=f"{n}.txt") + call("read_file", path="missing.txt") for n in range(3)]
    assert (await scene(*answers).ask()).reason == "stuck"


async def test_the_same_page_error_is_told_at_its_third_time_and_ends_at_its_fifth(scene: Scenes) -> None:
    answers = [call("write_file", path="a.js", content=f"let a = {n};") + call("serve") for n in range(5)]
    one = scene(*answers, tools=[serve_tool(page("a.js: x is not defined", "more"))], gate=yes)
    ended = await one.ask()
    assert (ended.reason, ended.steps) == ("stuck", 5)
    assert ended.detail == "the page gave the same error 5 times: a.js: x is not defined"
    assert len(one.notes("repeat")) == 1
    assert one.story.index("note repeat") == one.story.index("result 1.3.2 ok") + 1
    assert "a.js: x is not defined" in one.notes("repeat")[0]
    assert "a.js: x is not defined" in one.talk


async def test_a_page_error_without_a_change_in_between_is_not_counted_as_a_try(scene: Scenes) -> None:
    write = call("write_file", path="a.js", content="let a;")
    checks = [call("serve") + call("search", pattern=f"word{n}") for n in range(3)]
    one = scene(write, *checks, "I give up.", tools=[serve_tool(page("a.js: broken"))], gate=yes)
    assert (await one.ask()).reason == "done"


async def test_a_read_with_the_same_result_is_a_repeat_and_runs_all_the_same(scene: Scenes, project: Path) -> None:
    (project / "a.txt").write_text("one")
    again = call("read_file", path="a.txt")
    one = scene(*[again] * 6)
    ended = await one.ask()
    assert (ended.reason, ended.steps) == ("stuck", 4)
    assert ended.detail == "the same read_file call was repeated 3 times and gave nothing new"
    assert [e.state for e in one.of(Result)] == ["ok"] * 4
    assert len(one.notes("repeat")) == 1


async def test_a_read_whose_file_a_person_changed_is_no_repeat(scene: Scenes, project: Path) -> None:
    one = scene(*[call("read_file", path="a.txt")] * 6, "Done.")
    versions = iter(range(100))

    def on_event(event: Event) -> None:
        if isinstance(event, StepStarted):
            (project / "a.txt").write_text(f"version {next(versions)}")

    one.on_event = on_event
    ended = await one.ask()
    assert (ended.reason, one.notes()) == ("done", [])


async def test_an_identical_write_is_not_run_twice(scene: Scenes, project: Path) -> None:
    more = call("write_file", path="a.txt", content="more\n", append=True)
    other = call("write_file", path="b.txt", content="other\n")
    one = scene(more, more, other, more, "Done.", gate=yes)
    ended = await one.ask()
    assert ended.reason == "done"
    assert [e.state for e in one.of(Result)] == ["ok", "unchanged", "ok", "unchanged"]
    assert (project / "a.txt").read_text() == "more\n"
    assert len([e for e in one.of(Approval) if e.state == "asked"]) == 2


async def test_an_identical_edit_is_not_run_twice(scene: Scenes, project: Path) -> None:
    (project / "a.txt").write_text("x\n")
    edit = call("edit_file", path="a.txt", old="x", new="x x")
    one = scene(edit, edit, "Done.", gate=yes)
    await one.ask()
    assert (project / "a.txt").read_text() == "x x\n"
    assert [e.state for e in one.of(Result)] == ["ok", "unchanged"]


async def test_a_write_repeated_for_ever_is_stuck(scene: Scenes) -> None:
    write = call("write_file", path="a.txt", content="x\n")
    one = scene(*[write] * 6, gate=yes)
    ended = await one.ask()
    assert (ended.reason, ended.steps) == ("stuck", 4)
    assert "write_file" in ended.detail


async def test_a_rejected_write_is_not_asked_again(scene: Scenes) -> None:
    write = call("write_file", path="a.txt", content="x\n")
    asked = []

    async def gate(request: ApprovalRequest) -> Decision:
        asked.append(request)
        return Decision(False, "not this")

    one = scene(write, write, "Then not.", gate=gate)
    await one.ask()
    assert len(asked) == 1
    assert [e.state for e in one.of(Result)] == ["rejected", "rejected"]
    assert "not this" in one.results()[1]


# Empty answers


@pytest.mark.parametrize("empty", ["", "   \n\n", "\n"])
async def test_an_empty_answer_gets_one_nudge_and_a_second_one_ends_the_request(scene: Scenes, empty: str) -> None:
    one = scene(empty, empty, "never asked")
    ended = await one.ask()
    assert (ended.reason, ended.steps, ended.answer) == ("done", 2, "")
    assert one.notes("nudge") == ["Your answer was empty. Call a tool, or say that you are done."]
    assert one.talk.count("Call a tool, or say that you are done.") == 1


async def test_after_the_nudge_the_request_goes_on(scene: Scenes) -> None:
    one = scene("", call("list_dir"), "Done.")
    assert (await one.ask()).answer == "Done."


async def test_an_answer_of_nothing_but_thoughts_gets_its_own_nudge_once(scene: Scenes) -> None:
    one = scene("<think>\nI should look.\n</think>\n", "<think>\nStill.\n", "never asked")
    ended = await one.ask()
    assert (ended.reason, ended.steps) == ("done", 2)
    assert len(one.notes("nudge")) == 1
    assert "only thinking" in one.notes("nudge")[0]


async def test_an_answer_cut_in_its_thoughts_is_told_so(scene: Scenes) -> None:
    one = scene("<think>\nI think and think\n" + CUT, "Done.")
    await one.ask()
    cap = len("<think>\nI think and think\n")
    assert one.notes("nudge")[0].startswith(f"Your answer was cut at {cap} tokens.")


async def test_the_person_is_told_that_the_last_answer_was_cut(scene: Scenes) -> None:
    one = scene("A long story\n" + CUT)
    ended = await one.ask()
    assert (ended.reason, ended.answer) == ("done", "A long story")
    assert one.notes("notice") == ["the answer was cut at 13 tokens"]


# Garbage, repetition


async def test_garbage_ends_the_request_and_leaves_nothing_in_the_conversation(scene: Scenes) -> None:
    answer = "<tool_call>\n<function=write_file>\n<parameter=path>\nxxxxxxxx\n" + GARBAGE
    one = scene(answer, "Better.")
    ended = await one.ask("do it")
    assert ended.reason == "error"
    assert "the engine is producing garbage" in ended.detail
    assert "try again or reload the model" in ended.detail
    assert [e.state for e in one.of(Result)] == ["failed"]
    assert (await one.ask("try again")).answer == "Better."
    assert "xxxx" not in one.talk


async def test_a_model_that_repeats_itself_is_cut_told_and_sampled_once_more(scene: Scenes) -> None:
    loop = "I will now check the page again.\n"
    one = scene("First I look.\n" + loop * 200, "Done.")
    ended = await one.ask()
    assert (ended.reason, ended.steps, ended.answer) == ("done", 2, "Done.")
    assert one.story.count("note repeat") == 1
    assert one.engine.requests[0].max_tokens == 8192
    assert one.of(StepEnded)[0].usage.tokens < 20 * len(loop)
    # It sees what it did once, not its whole loop.
    assert one.talk.count(loop) == 1
    assert "First I look." in one.talk
    assert "You repeated the same text" in one.talk


async def test_a_second_repetition_ends_the_request(scene: Scenes) -> None:
    one = scene("again and again " * 100, "the same thing, " * 100, "never asked", devices=2)
    ended = await one.ask()
    assert (ended.reason, ended.steps) == ("stuck", 2)
    assert "repeats itself" in ended.detail
    assert "split over 2 devices" in ended.detail


async def test_repetition_inside_a_call_gives_the_call_a_result(scene: Scenes, project: Path) -> None:
    answer = call("list_dir") + call("write_file", path="a.js", content="let a = 1;\n" * 2000)
    one = scene(answer, "Done.", gate=yes)
    ended = await one.ask()
    assert (ended.reason, ended.steps) == ("done", 2)
    assert [e.state for e in one.of(Result)] == ["failed", "failed"]
    assert "repeated itself" in one.results()[1]
    assert list(project.iterdir()) == []
    assert one.talk.count("</tool_response>") == 2
    assert len(one.talk) < 1000


async def test_ordinary_repetitive_content_is_written(scene: Scenes, project: Path) -> None:
    rows = "".join(f'<div class="cell" id="c{n}"></div>\n' for n in range(80)) + '<div class="cell"></div>\n' * 40
    one = scene(call("write_file", path="grid.txt", content=rows), "Done.", gate=yes)
    assert (await one.ask()).reason == "done"
    assert (project / "grid.txt").read_text() == rows


# Errors


async def test_an_engine_that_fails_ends_the_request_with_its_cause(scene: Scenes) -> None:
    one = scene(call("list_dir"), error("The graphics card is gone."), "Better.")
    ended = await one.ask()
    assert (ended.reason, ended.detail) == ("error", "The graphics card is gone.")
    assert ended.summary.endswith("The graphics card is gone.")
    assert one.story[-3:] == ["step 2", "step 2 ended", "ended error"]
    assert (await one.ask("again")).answer == "Better."


async def test_an_engine_that_fails_in_a_call_leaves_no_call_open(scene: Scenes, project: Path) -> None:
    one = scene(call("list_dir") + call("write_file", path="a", content="x") + "\n" + error("gone"), "Better.")
    ended = await one.ask()
    assert ended.reason == "error"
    assert {(e.call, e.state) for e in one.of(Result)} == {("1.1.1", "failed"), ("1.1.2", "failed")}
    assert list(project.iterdir()) == []
    assert (await one.ask("again")).answer == "Better."


async def test_a_script_that_runs_out_is_a_loud_error(scene: Scenes) -> None:
    ended = await scene(call("list_dir")).ask()
    assert ended.reason == "error"
    assert "only 1 answer," in ended.detail


async def test_a_bug_ends_the_request_with_an_error_and_the_next_one_runs(scene: Scenes) -> None:
    spec = ToolSpec("odd", "Odd.", (Parameter("path", "string", "file"),), "read")

    async def play(_arguments: object, _context: object) -> ToolResult:
        return "not a result"  # type: ignore[return-value]

    one = scene(call("odd", path="a"), "Better.", tools=[FakeTool(spec, play)])
    ended = await one.agent.run("do it")
    assert ended.reason == "error"
    assert ended.detail.startswith("internal error: ")
    assert one.story[-2:] == ["step 1 ended", "ended error"]
    one.events.clear()
    assert (await one.ask("again")).answer == "Better."
