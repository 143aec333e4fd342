"""A conversation that outgrows its context: shortened in time, never losing the request, never for ever."""

import asyncio
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roomcode.protocol.events import Note, RequestEnded, StepEnded, StepStarted
from roomcode.protocol.tools import Parameter, ToolContext, ToolResult, ToolSpec
from tests.agent.builders import FakeTool, Scene, call, waiting_tool, yes

Scenes = Callable[..., Scene]

WISHES = [f"{n}. the page has a {thing}" for n, thing in enumerate(("title", "menu", "clock", "footer", "button"), 1)]
TASK = "Make a page with these five wishes:\n" + "\n".join(WISHES) + "\n" + "Think of every one of them. " * 36
NOTE = re.compile(r"older steps shortened to fit the context \((\d+) → (\d+) tokens\)")


def look(*sizes: int) -> FakeTool:
    """A tool whose results have these many characters (tokens of the scripted model), the last size for ever, and
    another text each time."""
    count = 0

    async def play(_arguments: Mapping[str, Any], _context: ToolContext) -> ToolResult:
        nonlocal count
        count += 1
        head = f"look {count}:"
        size = sizes[min(count, len(sizes)) - 1]
        return ToolResult("ok", (head + "x" * (size - len(head)))[:size])

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


def check_pace(one: Scene, budget: int) -> None:
    """Between two shortenings of one request there are at least as many new tokens as the rule of 60 % leaves free, or
    a tenth of the budget where that much cannot go; and the model was never sent more than the budget."""
    done = compactions(one)
    for (_, after), (before, _) in pairwise(done):
        assert before - after >= (0.4 * budget if after <= 0.6 * budget else 0.1 * budget), done
    assert all(before > budget for before, _ in done), done
    # Only after the last one may it still be too much; then the request ends there.
    assert all(after <= budget for _, after in done[:-1]), done
    assert all(len(generation.tokens) <= budget for generation in one.engine.requests)


def sent(one: Scene) -> list[str]:
    """What the model was sent, behind the prefix, for each of its answers."""
    return [one.engine.decode(g.tokens[g.prefix :]).decode() for g in one.engine.requests]


async def test_thirty_long_results_in_a_small_window_never_lose_the_task_and_never_loop(scene: Scenes) -> None:
    """Window 4,096, a task of 1,200 tokens, 30 results of 600 tokens: far more than there is room for, since a request
    that runs is never folded."""
    one = scene(*looks(30), "Done.", context=4096, system=system_for(200), tools=[look(600)], max_steps=40)
    ended = await one.ask(TASK)
    assert (ended.reason, ended.detail) == ("context", "context full: start a new task (the files are kept)")
    assert ended.steps > 5
    assert len(one.engine.requests) == ended.steps
    assert [text.count(TASK) for text in sent(one)] == [1] * ended.steps, "word for word in every call"
    assert len({generation.tokens[: generation.prefix] for generation in one.engine.requests}) == 1
    check_pace(one, 3008)
    assert compactions(one)
    assert [n.topic for n in one.of(Note)] == ["compaction"] * len(compactions(one)), "one clear message, at the end"


async def test_a_request_that_ran_out_of_context_can_be_gone_on_with(scene: Scenes) -> None:
    one = scene(*looks(30), context=4096, system=system_for(200), tools=[look(600)], max_steps=40)
    ended = await one.ask(TASK)
    assert ended.reason == "context"
    await one.ask("list my wishes")
    prompt = sent(one)[ended.steps]
    assert all(wish in prompt for wish in WISHES)
    assert f"{TASK}\n\n[earlier: no files changed]<|im_end|>" in prompt
    assert prompt.count("list my wishes") == 1


async def test_results_too_short_to_be_dropped_are_not_gone_through_again_and_again(scene: Scenes) -> None:
    one = scene(*looks(60), context=4096, system=system_for(200), tools=[look(150)], max_steps=60)
    ended = await one.ask(TASK)
    assert ended.reason == "context"
    assert ended.steps < 60
    assert compactions(one) == [], "nothing could be freed, and that is found out once"
    assert all(len(generation.tokens) <= 3008 for generation in one.engine.requests)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(sizes=st.lists(st.integers(1, 2500), min_size=1, max_size=40), window=st.sampled_from([4096, 8192]))
async def test_whatever_the_results_are_the_pace_of_shortening_is_kept(
    scene: Scenes, sizes: list[int], window: int
) -> None:
    one = scene(*looks(len(sizes)), "Done.", context=window, system=system_for(200), tools=[look(*sizes)], max_steps=60)
    ended = await one.ask(TASK[:400])
    assert ended.reason in ("done", "context")
    assert all(text.count(TASK[:400]) == 1 for text in sent(one))
    check_pace(one, 3008 if window == 4096 else 6080)


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
