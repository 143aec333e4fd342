"""Before a request ends its result is looked at, and the model is told what is still wrong."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from roomcode.agent import Hooks, Place, Wanted
from roomcode.protocol.events import Event, Note, Text
from tests.agent.builders import ConstrainedEngine, Scene, call, page, serve_tool, yes

Scenes = Callable[..., Scene]

WRITE = call("write_file", path="index.html", content="<!doctype html>\n<p>hi</p>\n")


class Check:
    """A check that gives these findings in turn, the last ones for ever."""

    def __init__(self, *findings: Sequence[str]) -> None:
        self.findings = list(findings)
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.answers: list[str] = []

    async def __call__(self, prompt: str, paths: Sequence[str], answer: str = "") -> Sequence[str]:
        self.asked.append((prompt, tuple(paths)))
        self.answers.append(answer)
        return self.findings.pop(0) if len(self.findings) > 1 else self.findings[0]


def wrong_note(*findings: str) -> str:
    listed = "\n".join(f"- {finding}" for finding in findings)
    return f"Not done yet. The project was checked:\n{listed}\nFix this with a tool call now."


async def test_what_is_wrong_is_told_to_the_model_and_when_it_is_right_the_request_ends(scene: Scenes) -> None:
    check = Check(["app.js does not exist", "index.html:2 no id"], [])
    mend = call("write_file", path="app.js", content="let a;")
    one = scene(WRITE, "I am done.", mend, "Now I am.", hooks=Hooks(before_end=check), gate=yes)
    ended = await one.ask("make a page")
    assert (ended.reason, ended.steps, ended.answer) == ("done", 4, "Now I am.")
    assert one.notes("check") == [wrong_note("app.js does not exist", "index.html:2 no id")]
    assert one.notes("check")[0] in one.talk
    assert check.asked == [("make a page", ("index.html",)), ("make a page", ("index.html", "app.js"))]
    assert check.answers == ["I am done.", "Now I am."]
    assert one.story.index("note check") == one.story.index("text: I am done.") + 1


async def test_after_three_rounds_the_request_ends_and_says_what_is_still_wrong(scene: Scenes) -> None:
    check = Check(["app.js does not exist"])
    one = scene(WRITE, *["I am done."] * 6, hooks=Hooks(before_end=check), gate=yes)
    ended = await one.ask()
    assert (ended.reason, ended.steps) == ("done", 5)
    notes = [e for e in one.of(Note) if e.topic == "check"]
    assert [n.to_model for n in notes] == [True, True, True, False]
    assert notes[-1].text == "still wrong: app.js does not exist"
    assert one.talk.count("Not done yet.") == 3
    assert len(check.asked) == 4


async def test_a_request_that_changed_nothing_is_checked_too(scene: Scenes) -> None:
    check = Check(["no file was changed"], [])
    one = scene("I made it.", call("list_dir"), "It was there.", hooks=Hooks(before_end=check))
    assert (await one.ask("make it")).steps == 3
    assert check.asked == [("make it", ()), ("make it", ())]
    assert one.notes("check") == [wrong_note("no file was changed")]


async def test_when_the_person_rejected_the_change_it_is_not_asked_for_again(scene: Scenes) -> None:
    check = Check(["no file was changed"])
    one = scene(WRITE, "I wanted to make it.", hooks=Hooks(before_end=check))
    ended = await one.ask("make it")
    assert (ended.reason, ended.answer, check.asked) == ("done", "I wanted to make it.", [])


async def test_a_clean_page_does_not_hide_what_no_console_shows(scene: Scenes) -> None:
    check = Check(["style.css no page loads it"], [])
    one = scene(
        WRITE,
        call("serve"),
        call("list_dir"),
        call("write_file", path="style.css", content="p {}"),
        "Done.",
        hooks=Hooks(before_end=check),
        tools=[serve_tool(page())],
        gate=yes,
    )
    ended = await one.ask()
    assert (ended.reason, ended.steps) == ("done", 5)
    # It is told behind the results of the step that changed nothing, not as a turn of its own.
    assert f"</tool_response><|im_end|>\n<|im_start|>user\n{wrong_note('style.css no page loads it')}" in one.talk


async def test_an_empty_answer_is_told_what_is_wrong_rather_than_nudged(scene: Scenes) -> None:
    check = Check(["app.js does not exist"], [])
    one = scene(WRITE, "", "", hooks=Hooks(before_end=check), gate=yes)
    await one.ask()
    assert [e.topic for e in one.of(Note)] == ["check", "nudge"]


async def test_the_person_comes_before_the_check(scene: Scenes) -> None:
    check = Check([])
    one = scene(WRITE, "I am done.", "With a footer.", hooks=Hooks(before_end=check), gate=yes)

    def on_event(event: Event) -> None:
        if isinstance(event, Text):
            one.on_event = lambda _event: None
            one.agent.steer("and a footer")

    one.on_event = on_event
    await one.ask()
    assert [e.topic for e in one.of(Note)] == ["steer"]
    assert len(check.asked) == 1


async def test_esc_stops_a_check_at_once(scene: Scenes) -> None:
    started = asyncio.Event()

    async def check(_prompt: str, _paths: Sequence[str], _answer: str) -> Sequence[str]:
        started.set()
        await asyncio.Event().wait()
        return ["never"]

    one = scene(WRITE, "I am done.", "Going on.", hooks=Hooks(before_end=check), gate=yes)
    running = asyncio.ensure_future(one.ask())
    await started.wait()
    one.agent.stop()
    ended = await running
    assert (ended.reason, ended.answer, one.notes()) == ("stopped", "I am done.", [])


@pytest.mark.parametrize("which", ["before_end", "after_change"])
async def test_a_broken_check_does_not_break_the_request(scene: Scenes, project: Path, which: str) -> None:
    async def check(_prompt: str, _paths: Sequence[str], _answer: str = "") -> Sequence[str]:
        raise OSError("no browser")

    one = scene(WRITE, "I am done.", hooks=Hooks(**{which: check}), gate=yes)
    ended = await one.ask()
    assert (ended.reason, one.notes()) == ("done", [])
    assert (project / "index.html").exists()


async def test_what_a_change_brought_is_told_with_its_result(scene: Scenes) -> None:
    check = Check(["index.html:2 names app.js, which does not exist"])
    one = scene(WRITE, call("list_dir"), "Done.", hooks=Hooks(after_change=check), gate=yes)
    await one.ask("make a page")
    assert one.results()[0].endswith("\nindex.html:2 names app.js, which does not exist")
    assert check.asked == [("make a page", ("index.html",))]


@pytest.mark.parametrize(("first_call", "wanted"), [(True, ["first", "any", "mend", "any"]), (False, ["any"] * 4)])
async def test_a_model_that_answers_out_of_nothing_has_to_call_a_tool_first_and_when_told_what_is_wrong(
    scene: Scenes, first_call: bool, wanted: list[str]
) -> None:
    asked: list[str] = []

    def constraint(wanted: Wanted, _freely: bool, _vain: Sequence[Place]) -> None:
        asked.append(wanted)

    hooks = Hooks(constraint=constraint, before_end=Check(["app.js does not exist"], []))
    mend = call("write_file", path="app.js", content="let a;")
    one = scene(
        WRITE, "I am done.", mend, "Now I am.", hooks=hooks, gate=yes, first_call=first_call, engine=ConstrainedEngine
    )
    await one.ask("make a page")
    assert asked == wanted


@pytest.mark.parametrize(
    ("then", "wanted"),
    [
        (call("edit_file", path="index.html", old="none", new="other"), ["first", "any", "mend"]),
        (call("serve"), ["first", "any", "mend"]),
        (call("read_file", path="none.txt"), ["first", "any", "any"]),
        (call("list_dir"), ["first", "any", "any"]),
    ],
)
async def test_after_an_error_such_a_model_has_to_act(scene: Scenes, then: str, wanted: list[str]) -> None:
    asked: list[str] = []

    def constraint(wanted: Wanted, _freely: bool, _vain: Sequence[Place]) -> None:
        asked.append(wanted)

    one = scene(
        WRITE,
        then,
        "I would do this.",
        hooks=Hooks(constraint=constraint),
        tools=[serve_tool(page("app.js: x is null"))],
        gate=yes,
        first_call=True,
        engine=ConstrainedEngine,
    )
    await one.ask("make a page")
    assert asked == wanted


async def test_esc_while_the_project_is_looked_at_ends_the_request_before_the_model_is_asked(scene: Scenes) -> None:
    started = asyncio.Event()

    async def notices(_request: int, _prompt: str) -> Sequence[str]:
        started.set()
        await asyncio.Event().wait()
        return ["never"]

    one = scene("Hello.", hooks=Hooks(notices=notices))
    running = asyncio.ensure_future(one.ask("hello"))
    await started.wait()
    one.agent.stop()
    ended = await running
    assert (ended.reason, ended.steps, len(one.engine.requests)) == ("stopped", 0, 0)
    assert "hello" in one.talk


async def test_a_broken_look_at_the_project_does_not_break_the_request(scene: Scenes) -> None:
    async def notices(_request: int, _prompt: str) -> Sequence[str]:
        raise OSError("no such folder")

    one = scene("Hello.", hooks=Hooks(notices=notices))
    assert (await one.ask("hello")).answer == "Hello."


async def test_a_page_that_is_whole_and_clean_ends_the_request(scene: Scenes) -> None:
    check = Check([])
    hooks = Hooks(before_end=check, whole=lambda: True)
    one = scene(WRITE, call("serve", path="."), "And now a footer.", hooks=hooks, gate=yes, tools=[serve_tool(page())])
    ended = await one.ask("make a page")
    assert (ended.reason, ended.steps) == ("done", 2)
    assert one.notes("check") == ["the page loads and was used without errors, and what the request names is there"]
    one.check()


async def test_a_page_that_is_whole_but_wrong_goes_on(scene: Scenes) -> None:
    check = Check(["no footer"], [])
    hooks = Hooks(before_end=check, whole=lambda: True)
    one = scene(WRITE, call("serve", path="."), "It is done.", hooks=hooks, gate=yes, tools=[serve_tool(page())])
    ended = await one.ask("make a page")
    assert (ended.reason, ended.steps, ended.answer) == ("done", 3, "It is done.")
    assert one.notes("check") == [wrong_note("no footer")]
