"""A conversation that outgrows its context: shortened in time, never losing the request, never for ever."""

import asyncio
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from roomcode.protocol.events import Note, RequestEnded, StepEnded, StepStarted
from roomcode.protocol.tools import Parameter, ToolContext, ToolResult, ToolSpec
from tests.agent.builders import FakeTool, Scene, call, waiting_tool, yes

Scenes = Callable[..., Scene]

WISHES = [f"{n}. the page has a {thing}" for n, thing in enumerate(("title", "menu", "clock", "footer", "button"), 1)]
TASK = "Make a page with these five wishes:\n" + "\n".join(WISHES) + "\n" + "Think of every one of them. " * 36
NOTE = re.compile(r"older steps shortened to fit the context \((\d+) → (\d+) tokens\)")


def look(size: int) -> FakeTool:
    """A tool whose result has `size` characters (tokens of the scripted model), another text each time."""
    count = 0

    async def play(_arguments: Mapping[str, Any], _context: ToolContext) -> ToolResult:
        nonlocal count
        count += 1
        head = f"look {count}:"
        return ToolResult("ok", head + "x" * (size - len(head)))

    return FakeTool(ToolSpec("look", "Looks.", (Parameter("at", "string", "what"),), "read"), play)


def looks(count: int) -> list[str]:
    return [call("look", at=str(n)) for n in range(count)]


def compactions(one: Scene) -> list[tuple[int, int]]:
    found = [NOTE.fullmatch(text) for text in one.notes("compaction")]
    assert all(found), one.notes("compaction")
    return [(int(m[1]), int(m[2])) for m in found if m]


def system_for(tokens: int) -> str:
    return "You build pages. " * (tokens // 17)


async def test_thirty_long_results_in_one_request_fit_and_the_task_stays_word_for_word(scene: Scenes) -> None:
    one = scene(
        *looks(29), "All five are done.", context=16384, system=system_for(2000), tools=[look(600)], max_steps=40
    )
    ended = await one.ask(TASK)
    assert (ended.reason, ended.steps) == ("done", 30)
    assert one.talk.count(TASK) == 1
    assert all(one.talk.count(wish) == 1 for wish in WISHES)
    done = compactions(one)
    assert done, "the test is too small"
    for before, after in done:
        assert before > 12224
        assert after <= 12224
    # Each time enough is freed for several more steps.
    assert len(done) <= 4
    starts = [i for i, e in enumerate(one.events) if isinstance(e, Note) and e.topic == "compaction"]
    assert all(isinstance(one.events[i + 1], StepStarted) for i in starts)
    # The last two steps are whole, older ones are stubs.
    assert "look 29:" in one.talk
    assert "look 28:" in one.talk
    assert "look 1:" not in one.talk
    assert "(output of look 3 dropped; run it again if needed)" in one.talk


async def test_nothing_before_the_conversation_is_computed_again_after_a_shortening(scene: Scenes) -> None:
    one = scene(*looks(29), "Done.", context=16384, system=system_for(2000), tools=[look(600)], max_steps=40)
    await one.ask(TASK)
    prefix = len(one.conversation.prefix)
    request = prefix + len(one.conversation.turns[0].tokens)
    for step in one.of(StepEnded)[1:]:
        assert step.usage.reused >= request
    for generation in one.engine.requests:
        assert generation.tokens[:prefix] == one.conversation.prefix
        assert len(generation.tokens) <= 12224


async def test_a_task_that_leaves_no_room_at_all_is_one_clear_message(scene: Scenes) -> None:
    """Window 4,096, prefix about 2,000, task about 1,200: not even the first answer has its room."""
    one = scene(*looks(30), context=4096, system=system_for(2000), tools=[look(600)])
    ended = await one.ask(TASK)
    assert (ended.reason, ended.steps) == ("context", 0)
    assert ended.detail.startswith("context full: ")
    assert "larger --context" in ended.detail
    assert one.engine.requests == []
    assert all(wish in one.talk for wish in WISHES)
    assert one.notes() == []


async def test_a_request_that_fills_the_context_step_by_step_ends_with_one_clear_message(scene: Scenes) -> None:
    one = scene(*looks(60), context=4096, system=system_for(1000), tools=[look(300)], max_steps=60)
    ended = await one.ask(TASK)
    assert ended.reason == "context"
    assert ended.detail == "context full: start a new task (the files are kept)"
    assert ended.summary.endswith(ended.detail)
    assert 1 < ended.steps < 60
    assert one.talk.count(TASK) == 1
    for before, after in compactions(one):
        assert after < before


async def test_in_a_small_window_a_long_request_goes_on_with_cut_results(scene: Scenes) -> None:
    one = scene(*looks(4), "Done.", context=4096, system=system_for(500), tools=[look(1500)])
    ended = await one.ask(TASK[:600])
    assert (ended.reason, ended.steps) == ("done", 5)
    assert all(wish in one.talk for wish in WISHES)
    assert "look 4:" in one.talk
    assert "look 1:" not in one.talk
    assert all(len(generation.tokens) <= 3008 for generation in one.engine.requests)


async def test_one_answer_that_reads_too_much_at_once_gets_shorter_results(scene: Scenes) -> None:
    one = scene("".join(looks(3)), "Done.", context=8192, system=system_for(700), tools=[look(6000)])
    ended = await one.ask("look at everything")
    assert ended.reason == "done"
    assert [f"look {n}:" in one.talk for n in (1, 2, 3)] == [True] * 3
    assert one.talk.count("[... cut: the context is nearly full ...]") == 3
    assert len(one.conversation) <= 6080


async def test_earlier_requests_become_one_line_with_their_answer(scene: Scenes, project: Path) -> None:
    write = call("write_file", path="index.html", content="<!doctype html>\n<p>hello</p>\n" * 20)
    one = scene(
        *(write, "I wrote the page."),
        *(*looks(3), "I looked."),
        *(*looks(4), "Looked again."),
        context=8192,
        system=system_for(700),
        tools=[look(1000)],
        gate=yes,
    )
    await one.ask("make a page " * 20)
    await one.ask("look around " * 20)
    await one.ask("look once more")
    assert "[earlier: wrote index.html]<|im_end|>\n<|im_start|>assistant\nI wrote the page.<|im_end|>" in one.talk
    assert "make a page" not in one.talk
    assert "look once more" in one.talk
    assert (project / "index.html").exists()
    assert compactions(one)


async def test_stopped_in_a_call_then_going_on_then_shortened(scene: Scenes) -> None:
    waits, started = waiting_tool()
    answer = call("look", at="a") + call("wait") + call("look", at="b")
    one = scene(answer, *looks(8), "Done.", context=8192, system=system_for(700), tools=[look(900), waits])
    asked = asyncio.ensure_future(one.ask("first " * 20))
    await started.wait()
    one.agent.stop()
    assert (await asked).reason == "stopped"
    assert one.talk.count("stopped by the user") == 2
    ended = await one.ask("go on")
    assert (ended.reason, ended.answer) == ("done", "Done.")
    assert compactions(one)
    assert "go on" in one.talk
    assert isinstance(one.events[-1], RequestEnded)


async def test_nothing_is_shortened_below_the_budget(scene: Scenes) -> None:
    one = scene(*looks(3), "Done.", context=8192, system=system_for(700), tools=[look(1500)])
    await one.ask()
    assert one.notes("compaction") == []
    assert len(one.conversation) > 0.6 * 6080
