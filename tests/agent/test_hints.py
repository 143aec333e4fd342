"""One short hint on a failed call, each only a few times a request."""

from collections.abc import Callable
from pathlib import Path

import pytest

from roomcode.agent.hints import Hints
from roomcode.calls import parse
from roomcode.chat import Form
from roomcode.protocol.tools import HintKind, ToolResult
from tests.agent.builders import CUT, Scene, call, page, serve_tool, yes
from tests.support.samples import SPECS

Scenes = Callable[..., Scene]


@pytest.mark.parametrize(("kind", "times"), [("format", 2), ("parts", 2), ("copy_old", 2)])
def test_each_hint_is_given_at_most_twice(kind: HintKind, times: int) -> None:
    hints = Hints("xml")
    given = [hints.hint_for(ToolResult("failed", "no", hint=kind)) for _ in range(5)]
    assert [bool(hint) for hint in given] == [True] * times + [False] * (5 - times)


def test_one_error_at_a_time_is_said_once() -> None:
    hints = Hints("xml")
    given = [hints.hint_for(page("a.js: one", "a.js: two")) for _ in range(3)]
    assert [bool(hint) for hint in given] == [True, False, False]
    assert "only the first error" in given[0]
    assert Hints("xml").hint_for(page("a.js: just one")) == ""
    assert Hints("xml").hint_for(page()) == ""


def test_kinds_are_counted_apart() -> None:
    hints = Hints("xml")
    kinds: list[HintKind] = ["format", "parts", "copy_old", "format", "parts", "copy_old"]
    given = [hints.hint_for(ToolResult("failed", "no", hint=kind)) for kind in kinds]
    assert all(given)
    assert len(set(given)) == 3


@pytest.mark.parametrize("state", ["ok", "unchanged"])
def test_a_call_that_worked_gets_no_hint(state: str) -> None:
    assert Hints("xml").hint_for(ToolResult(state, "fine", hint="format")) == ""  # type: ignore[arg-type]


def test_hints_can_be_switched_off() -> None:
    hints = Hints("xml", enabled=False)
    assert hints.hint_for(ToolResult("failed", "no", hint="copy_old")) == ""
    assert hints.hint_for(page("one", "two")) == ""


@pytest.mark.parametrize("form", ["xml", "json"])
def test_the_format_hint_shows_a_call_that_can_be_read(form: Form) -> None:
    hint = Hints(form).hint_for(ToolResult("failed", "no", hint="format"))
    parsed = parse(hint.split("\n", 1)[1], SPECS)
    assert [(c.tool, c.complete, c.error) for c in parsed.calls] == [("read_file", True, "")]
    assert ("<function=" in hint) == (form == "xml")


def test_an_error_that_shows_the_format_needs_no_second_example() -> None:
    hints = Hints("xml")
    text = "read_file needs path. A correct call:\n<tool_call>\n<function=read_file>..."
    assert hints.hint_for(ToolResult("failed", text, hint="format")) == ""
    assert hints.hint_for(ToolResult("failed", "There is no tool x.", hint="format"))


# In a request


async def test_a_hint_is_part_of_the_result_that_the_model_gets(scene: Scenes, project: Path) -> None:
    (project / "a.js").write_text("let a = 1;\n")
    wrong = [call("edit_file", path="a.js", old=f"let b{n};", new="let c;") for n in range(3)]
    one = scene(*wrong, "I give up.", gate=yes)
    await one.ask()
    hinted = ["copy a few whole lines exactly into old" in text for text in one.results()]
    assert hinted == [True, True, False]
    assert all(f"<tool_response>\n{text}\n" in one.talk for text in one.results())


async def test_hints_are_counted_for_each_request_anew(scene: Scenes) -> None:
    wrong = [call("no_such_tool", n=n) for n in range(3)]
    one = scene(*wrong, "Sorry.", *wrong, "Sorry.")
    await one.ask()
    await one.ask()
    assert ["Hint: a call looks" in text for text in one.results()] == [True, True, False] * 2


async def test_a_call_that_was_cut_is_told_to_write_in_parts(scene: Scenes, project: Path) -> None:
    answer = "<tool_call>\n<function=write_file>\n<parameter=path>\na.js\n</parameter>\n<parameter=content>\nlet a\n"
    one = scene(answer + CUT, "Sorry.", gate=yes)
    await one.ask()
    assert "write the first 80 lines" in one.results()[0]
    assert list(project.iterdir()) == []


async def test_many_page_errors_bring_the_hint_once(scene: Scenes) -> None:
    answers = [call("write_file", path="a.js", content=f"let a = {n};") + call("serve") for n in range(2)]
    one = scene(*answers, "Sorry.", tools=[serve_tool(page("a.js: one", "a.js: two"))], gate=yes)
    await one.ask()
    assert sum("fix only the first error" in text for text in one.results()) == 1


async def test_without_hints_results_stay_as_they_are(scene: Scenes) -> None:
    one = scene(call("no_such_tool"), "Sorry.", hints=False)
    await one.ask()
    assert "Hint" not in one.talk
