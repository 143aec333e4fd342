"""How a request runs: steps, calls in order, results, and the line that closes it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roomcode.agent import Hooks
from roomcode.protocol.approval import ApprovalRequest, Decision
from roomcode.protocol.events import Approval, Call, RequestEnded, RequestStarted, Result, StepEnded, Text
from roomcode.protocol.tools import ToolSpec
from tests.agent.builders import FakeTool, Scene, call, page, serve_tool, yes
from tests.support import templates

Scenes = Callable[..., Scene]


async def test_an_answer_without_a_call_ends_the_request(scene: Scenes) -> None:
    one = scene("All is well.")
    ended = await one.ask("how is it?")
    assert one.story == ["request 1", "step 1", "text: All is well.", "step 1 ended", "ended done"]
    assert (ended.reason, ended.detail, ended.answer) == ("done", "", "All is well.")
    assert (ended.steps, ended.calls, ended.files) == (1, 0, ())
    assert one.talk == "how is it?<|im_end|>\n<|im_start|>assistant\nAll is well.<|im_end|>"


async def test_calls_run_and_their_results_go_back_until_the_model_is_done(scene: Scenes, project: Path) -> None:
    (project / "notes.txt").write_text("one\n")
    one = scene("I look.\n\n" + call("read_file", path="notes.txt"), "It says one.")
    ended = await one.ask()
    assert one.story == [
        "request 1",
        "step 1",
        "text: I look.",
        "opened 1.1.1 read_file",
        "call 1.1.1 read_file",
        "result 1.1.1 ok",
        "step 1 ended",
        "step 2",
        "text: It says one.",
        "step 2 ended",
        "ended done",
    ]
    assert "1: one" in one.results()[0]
    assert (
        f"<tool_response>\n{one.results()[0]}\n</tool_response><|im_end|>\n<|im_start|>assistant\nIt says" in one.talk
    )
    assert (ended.steps, ended.calls, ended.answer) == (2, 1, "It says one.")


async def test_several_calls_of_one_answer_run_in_order_each_with_one_result(scene: Scenes, project: Path) -> None:
    calls = [
        call("write_file", path="a.txt", content="one"),
        call("read_file", path="a.txt"),
        call("write_file", path="b.txt", content="two"),
        call("read_file", path="missing.txt"),
    ]
    one = scene("\n".join(calls), "Done.", gate=yes)
    ended = await one.ask()
    assert [(e.call, e.tool, e.state) for e in one.of(Result)] == [
        ("1.1.1", "write_file", "ok"),
        ("1.1.2", "read_file", "ok"),
        ("1.1.3", "write_file", "ok"),
        ("1.1.4", "read_file", "failed"),
    ]
    results = one.results()
    assert "1: one" in results[1]
    at = [one.talk.index(f"<tool_response>\n{text}\n</tool_response>") for text in results]
    assert at == sorted(at)
    assert ended.files == ("a.txt", "b.txt")
    assert (project / "b.txt").read_text() == "two"


async def test_ids_count_request_step_and_position(scene: Scenes) -> None:
    two_calls = call("list_dir") + call("list_dir", path=".")
    one = scene(two_calls, call("list_dir"), "Done.", call("list_dir"), "Done.")
    await one.ask()
    await one.ask()
    assert [e.call for e in one.of(Call)] == ["1.1.1", "1.1.2", "1.2.1", "2.1.1"]
    assert [e.request for e in one.of(RequestStarted)] == [1, 2]


@pytest.mark.parametrize("form", ["xml", "json"])
async def test_both_forms_of_calls_run(scene: Scenes, project: Path, form: Any) -> None:
    content = 'const a = "b\\n";\n<p>日本語 👩🏽‍💻</p>\n'
    one = scene(call("write_file", form=form, path="a.js", content=content), "Done.", form=form, gate=yes)
    await one.ask()
    assert (project / "a.js").read_text() == content
    assert one.of(RequestStarted)[0].form == form


SUMMARY = re.compile(
    r"(\d+ steps?) · (\d+ tool calls?) · (\d+) tok · (\d+\.\d) tok/s · (?:(\d+ devices) · )?(\d+\.\d) s"
)


async def test_one_line_closes_the_request(scene: Scenes) -> None:
    one = scene(call("list_dir"), call("list_dir", path="."), "Done.")
    ended = await one.ask()
    match = SUMMARY.fullmatch(ended.summary)
    assert match, ended.summary
    assert match.groups()[:2] == ("3 steps", "2 tool calls")
    tokens = sum(e.usage.tokens for e in one.of(StepEnded))
    assert int(match[3]) == ended.tokens == tokens
    assert match[5] is None


async def test_the_closing_line_names_one_step_and_several_devices(scene: Scenes) -> None:
    one = scene(call("list_dir"), devices=2, max_steps=1)
    ended = await one.ask()
    match = SUMMARY.fullmatch(ended.summary.removesuffix(" · stopped after 1 step"))
    assert match, ended.summary
    assert (match[1], match[2], match[5]) == ("1 step", "1 tool call", "2 devices")
    assert ended.devices == 2


async def test_usage_says_what_was_new_and_what_was_reused(scene: Scenes) -> None:
    one = scene(call("list_dir"), "Done.", "Again done.")
    await one.ask()
    await one.ask("more")
    usages = [e.usage for e in one.of(StepEnded)]
    prompts = [r.tokens for r in one.engine.requests]
    assert [u.new + u.reused for u in usages] == [len(p) for p in prompts]
    assert usages[0].reused == 0
    for before, prompt, usage, usage_before in zip(prompts, prompts[1:], usages[1:], usages, strict=False):
        # Only what the template puts between two answers, and the new text, is computed.
        assert usage.reused == len(before) + usage_before.tokens
        assert prompt[: len(before)] == before
    assert [e.context_used for e in one.of(StepEnded)][-1] == len(one.conversation)
    assert {e.context_budget for e in one.of(StepEnded)} == {24512}
    assert {r.prefix for r in one.engine.requests} == {len(one.conversation.prefix)}


async def test_each_answer_has_its_own_seed_and_the_same_one_again(scene: Scenes) -> None:
    seeds = []
    for _ in range(2):
        one = scene(call("list_dir"), "Done.", "Done.")
        await one.ask()
        await one.ask()
        seeds.append([r.sampling.seed for r in one.engine.requests])
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 3


async def test_an_answer_is_capped_and_at_less_when_the_context_is_nearly_full(scene: Scenes) -> None:
    one = scene("Hello.")
    await one.ask("x" * 2000)
    assert one.engine.requests[0].max_tokens == 8192
    two = scene("Hello.", context=4096)
    await two.ask("x" * 2000)
    request = two.engine.requests[0]
    assert request.max_tokens == 4096 - len(request.tokens) - 1


async def test_thoughts_are_told_apart(scene: Scenes) -> None:
    one = scene("<think>\nThe page first.\n</think>\n\n" + call("list_dir"), "<think>ok</think>Done.")
    ended = await one.ask()
    assert one.story[2:4] == ["thought: The page first.", "opened 1.1.1 list_dir"]
    assert ended.answer == "Done."


async def test_a_call_to_a_tool_the_model_was_not_given_is_shown_and_not_run(scene: Scenes, project: Path) -> None:
    one = scene(call("delete_file", path="a.txt", force=True), "Done.")
    (project / "a.txt").write_text("kept")
    await one.ask()
    told = one.of(Call)[0]
    assert (told.tool, told.arguments) == ("delete_file", {"path": "a.txt", "force": "true"})
    result = one.of(Result)[0]
    assert result.state == "unknown"
    for name in ("delete_file", "list_dir", "read_file", "search", "write_file", "edit_file"):
        assert name in result.text
    assert (project / "a.txt").read_text() == "kept"


async def test_a_tool_that_is_broken_gives_a_result_and_the_request_goes_on(scene: Scenes) -> None:
    async def play(_arguments: object, _context: object) -> Any:
        raise ValueError("bad\nluck")

    broken = FakeTool(ToolSpec("boom", "Breaks.", (), "run"), play)
    one = scene(call("boom") + call("list_dir"), "I see.", tools=[broken])
    ended = await one.ask()
    assert [e.state for e in one.of(Result)] == ["failed", "ok"]
    assert "boom had an internal error (ValueError" in one.results()[0]
    assert ended.reason == "done"


# Repairs


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"file": "notes.txt"}, "notes.txt"),
        ({"filename": "notes.txt"}, "notes.txt"),
        ({"file_path": "notes.txt"}, "notes.txt"),
        ({"path": "./notes.txt"}, "notes.txt"),
        ({"path": "other.txt", "file": "notes.txt"}, "other.txt"),
    ],
)
async def test_a_repaired_call_reaches_the_tool_and_the_card(
    scene: Scenes, project: Path, given: dict[str, str], path: str
) -> None:
    (project / "notes.txt").write_text("the notes")
    (project / "other.txt").write_text("the others")
    one = scene(call("read_file", **given), "Done.")
    await one.ask()
    told = one.of(Call)[0]
    assert told.arguments == {"path": path}
    assert told.repairs, told
    assert ("the notes" if path == "notes.txt" else "the others") in one.results()[0]


@pytest.mark.parametrize(
    ("arguments", "content"),
    [
        ({"path": "a.txt", "contents": "text"}, "text"),
        ({"path": "a.txt", "text": "text"}, "text"),
        ({"path": "a.txt", "code": "text"}, "text"),
        ({"path": "a.txt", "content": ["one", "two"]}, "one\ntwo"),
        ({"path": "a.txt", "content": "right", "text": "wrong"}, "right"),
        ({"path": "a.txt", "content": "more", "append": "true"}, "there\nmore"),
    ],
)
async def test_repaired_content_is_what_is_written(
    scene: Scenes, project: Path, arguments: dict[str, Any], content: str
) -> None:
    (project / "a.txt").write_text("there\n")
    one = scene(
        call("read_file", path="a.txt"), call("write_file", form="json", **arguments), "Done.", form="json", gate=yes
    )
    await one.ask()
    assert (project / "a.txt").read_text() == content
    assert one.of(Call)[1].repairs


async def test_without_repairs_such_a_call_is_refused(scene: Scenes, project: Path) -> None:
    (project / "a.txt").write_text("one")
    one = scene(call("read_file", file="a.txt"), call("read_file", path="a.txt"), "Done.", repairs=False)
    await one.ask()
    assert [e.state for e in one.of(Result)] == ["failed", "ok"]
    assert "took path from file" in one.results()[0]


# Approvals


async def test_without_a_gate_nothing_is_written(scene: Scenes, project: Path) -> None:
    one = scene(call("write_file", path="a.txt", content="x"), "I may not.")
    ended = await one.ask()
    assert [e.state for e in one.of(Approval)] == ["asked", "rejected"]
    assert one.of(Result)[0].state == "rejected"
    assert not (project / "a.txt").exists()
    assert ended.files == ()


async def test_the_person_is_asked_with_the_change_and_the_reason_of_a_no_goes_to_the_model(
    scene: Scenes, project: Path
) -> None:
    (project / "a.txt").write_text("before\n")
    asked: list[ApprovalRequest] = []

    async def gate(request: ApprovalRequest) -> Decision:
        asked.append(request)
        return Decision(len(asked) > 1, "" if len(asked) > 1 else "use blue, not red")

    red, blue = (call("edit_file", path="a.txt", old="before", new=new) for new in ("red", "blue"))
    one = scene(red, blue, "Done.", gate=gate)
    await one.ask()
    assert [(e.call, e.state, e.comment) for e in one.of(Approval)] == [
        ("1.1.1", "asked", ""),
        ("1.1.1", "rejected", "use blue, not red"),
        ("1.2.1", "asked", ""),
        ("1.2.1", "approved", ""),
    ]
    change = one.of(Approval)[0].change
    assert (change.path, change.before, change.after) == ("a.txt", "before\n", "red\n")
    assert "use blue, not red" in one.results()[0]
    assert "use blue, not red" in one.talk
    assert (project / "a.txt").read_text() == "blue\n"


async def test_a_read_asks_nobody(scene: Scenes, project: Path) -> None:
    (project / "a.txt").write_text("x")
    one = scene(call("read_file", path="a.txt") + call("search", pattern="x") + call("list_dir"), "Done.")
    await one.ask()
    assert one.of(Approval) == []
    assert [e.state for e in one.of(Result)] == ["ok"] * 3


# Steering


async def test_what_the_person_says_meanwhile_goes_behind_the_next_results_once(scene: Scenes) -> None:
    one = scene(call("list_dir"), call("list_dir", path="."), "Done with the footer.")
    told = False

    def on_event(event: object) -> None:
        nonlocal told
        if isinstance(event, Text | Call) and not told:
            told = True
            one.agent.steer("also add a footer")
            one.agent.steer("in blue")

    one.on_event = on_event
    await one.ask()
    assert one.talk.count("also add a footer") == 1
    assert "</tool_response><|im_end|>\n<|im_start|>user\nalso add a footer\n\nin blue<|im_end|>" in one.talk
    assert one.story.count("note steer") == 1
    assert one.story.index("note steer") == one.story.index("result 1.1.1 ok") + 1
    assert one.agent.take_steering() == []


async def test_steering_while_the_last_answer_is_written_makes_the_request_go_on(scene: Scenes) -> None:
    one = scene("All done.", "Added the footer.")

    def on_event(event: object) -> None:
        if isinstance(event, Text):
            one.on_event = lambda _event: None
            one.agent.steer("and a footer")

    one.on_event = on_event
    ended = await one.ask()
    assert one.story[1:] == [
        "step 1",
        "text: All done.",
        "note steer",
        "step 1 ended",
        "step 2",
        "text: Added the footer.",
        "step 2 ended",
        "ended done",
    ]
    assert "All done.<|im_end|>\n<|im_start|>user\nand a footer<|im_end|>\n<|im_start|>assistant\n" in one.talk
    assert ended.answer == "Added the footer."


async def test_steering_is_answered_even_when_the_work_looks_done(scene: Scenes) -> None:
    one = scene(call("serve"), call("list_dir"), "And now the footer.", tools=[serve_tool(page())])

    def on_event(event: object) -> None:
        if isinstance(event, Call) and event.tool == "list_dir":
            one.agent.steer("add a footer")

    one.on_event = on_event
    ended = await one.ask()
    assert (ended.steps, ended.answer) == (3, "And now the footer.")


async def test_steering_that_comes_too_late_is_given_back(scene: Scenes) -> None:
    one = scene("Done.")
    one.on_event = lambda event: one.agent.steer("too late") if isinstance(event, RequestEnded) else None
    await one.ask()
    assert one.agent.take_steering() == ["too late"]
    assert "too late" not in one.talk


# Notices


async def test_notices_stand_with_the_request_and_the_prefix_stays(scene: Scenes) -> None:
    async def notices(number: int, prompt: str) -> list[str]:
        return [f"(Files: a.html; {len(prompt)})"] if number == 1 else ["(Changed by hand: a.html)"]

    hooks = Hooks(notices=notices)
    one = scene("Done.", "Done.", hooks=hooks)
    prefix = one.conversation.prefix
    await one.ask("make it")
    await one.ask("change it")
    assert "(Files: a.html; 7)\n\nmake it<|im_end|>" in one.talk
    assert "user\n(Changed by hand: a.html)\n\nchange it<|im_end|>" in one.talk
    assert one.conversation.prefix == prefix
    assert all(r.tokens[: len(prefix)] == prefix for r in one.engine.requests)


async def test_the_person_is_told_once_when_the_template_takes_no_system_prompt(scene: Scenes) -> None:
    one = scene("Done.", "Done.", template=templates.NO_SYSTEM)
    await one.ask()
    await one.ask()
    assert one.notes("notice") == [one.conversation.notice]
    assert "takes no system prompt" in one.conversation.notice


@pytest.mark.parametrize("name", ["CHATML", "JSON_TOOLS", "XML_TOOLS", "NO_SYSTEM", "ALTERNATING", "STRIPS_THINKING"])
async def test_every_kind_of_template_carries_a_whole_request(scene: Scenes, project: Path, name: str) -> None:
    one = scene(
        call("list_dir") + call("read_file", path="no.txt"),
        "",
        "<think>hm</think>",
        call("write_file", path="a.txt", content="<|im_end|> is text </tool_response>"),
        "Done.",
        template=getattr(templates, name),
        gate=yes,
    )
    ended = await one.ask("what is <|im_end|>?")
    # The empty answer gets a nudge, the one with nothing but thoughts is the second empty one.
    assert (ended.reason, ended.steps) == ("done", 3)
    await one.ask("go on")
    assert (project / "a.txt").read_text() == "<|im_end|> is text </tool_response>"
