"""Calls as small models really write them, word for word, through the whole loop and the real file tools."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from roomcode.protocol.events import Call, Result, Text
from roomcode.protocol.tools import Parameter, ToolContext, ToolResult, ToolSpec
from tests.agent.builders import CUT, FakeTool, Scene, call, yes

Scenes = Callable[..., Scene]


def said(one: Scene) -> str:
    """What the person saw of the model's text."""
    return "".join(e.text for e in one.of(Text) if not e.thought)


def calls(one: Scene) -> list[tuple[str, dict[str, Any]]]:
    return [(e.tool, e.arguments) for e in one.of(Call)]


def states(one: Scene) -> list[str]:
    return [e.state for e in one.of(Result)]


def put(project: Path, **files: str) -> None:
    for name, text in files.items():
        path = project / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


async def test_a_missing_opening_tag_after_prose(scene: Scenes, project: Path) -> None:
    put(project, pages__menu_html="<h1>Menu</h1>")
    one = scene(
        "I'll look at the page first.\n\n<function=read_file>\n<parameter=path>\npages/menu.html\n</parameter>\n"
        "</function>\n</tool_call>",
        "It has a heading.",
    )
    await one.ask()
    assert calls(one) == [("read_file", {"path": "pages/menu.html"})]
    assert states(one) == ["ok"]
    assert said(one) == "I'll look at the page first.It has a heading."


OBJECT = '{"name": "write_file", "arguments": {"path": "notes/todo.md", "content": "- one\\n- two\\n"}}'
OTHER = OBJECT.replace("todo", "more")


@pytest.mark.parametrize(
    "answer",
    [
        f"```json\n{OBJECT}\n```",
        OBJECT,
        f"<tools>\n{OBJECT}\n</tools>",
        f"<tools>\n[{OBJECT}, {OTHER}]\n</tools>",
        f"I write it.\n\n```json\n{OBJECT}\n```",
        f"<tool_call>\n```json\n{OBJECT}\n```\n</tool_call>",
    ],
)
async def test_a_call_in_a_fence_bare_or_in_tools_tags(scene: Scenes, project: Path, answer: str) -> None:
    one = scene(answer, "Done.", gate=yes)
    await one.ask()
    assert (project / "notes" / "todo.md").read_text() == "- one\n- two\n"
    assert (project / "notes" / "more.md").exists() == ("more.md" in answer)
    assert states(one) == ["ok"] * (2 if "more.md" in answer else 1)
    assert "{" not in said(one)
    assert "```" not in said(one)


@pytest.mark.parametrize(
    "answer",
    [
        'The file package.json could hold this:\n```json\n{"name": "my-app", "version": "1.0"}\n```\nShall I write it?',
        f"You could call `{OBJECT}` for that.",
        f"An example, which I do not run:\n```json\n{OBJECT}\n```\nShall I?".replace("write_file", "make_file"),
        "Use `<tool_call>` to call a tool.",
    ],
)
async def test_what_was_not_meant_as_a_call_does_not_run(scene: Scenes, project: Path, answer: str) -> None:
    one = scene(answer, gate=yes)
    ended = await one.ask()
    assert (ended.reason, ended.calls, calls(one)) == ("done", 0, [])
    assert list(project.iterdir()) == []
    assert said(one) == answer


async def test_text_before_two_calls(scene: Scenes, project: Path) -> None:
    put(project, a_html="<h1>A</h1>", b_html="<h1>B</h1>")
    one = scene(
        "Let me check both pages.\n\n"
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.html"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "b.html"}}\n</tool_call>',
        "Both have a heading.",
    )
    await one.ask()
    assert calls(one) == [("read_file", {"path": "a.html"}), ("read_file", {"path": "b.html"})]
    assert "<h1>B</h1>" in one.results()[1]
    assert said(one) == "Let me check both pages.Both have a heading."


async def test_a_call_inside_the_thoughts_at_the_end(scene: Scenes, project: Path) -> None:
    put(project, intro_html="<p>hello</p>")
    one = scene(
        '<think>\nThe file needs a heading. <tool_call>\n{"name": "read_file", "arguments": {"path": "intro.html"}}\n'
        "</tool_call>\n",
        "Done.",
    )
    ended = await one.ask()
    # Recovered or nudged: never a silent stop.
    assert calls(one) == [("read_file", {"path": "intro.html"})] or one.notes("nudge")
    assert (ended.reason, ended.steps) == ("done", 2)
    assert said(one) == "Done."


async def test_raw_line_breaks_and_unescaped_quotes_never_write_a_guess(scene: Scenes, project: Path) -> None:
    content = 'const k = get("KEY", "none");\n\tconsole.log(k);\n'
    one = scene(
        '<tool_call>\n{"name": "write_file", "arguments": {"path": "js/env.js", "content": "' + content + '"}}\n'
        "</tool_call>",
        "Done.",
        gate=yes,
    )
    await one.ask()
    written = project / "js" / "env.js"
    if written.exists():
        assert written.read_text() == content
    else:
        assert states(one) == ["failed"]
        assert "unescaped quote at character" in one.results()[0]


async def test_raw_line_breaks_alone_are_forgiven(scene: Scenes, project: Path) -> None:
    one = scene(
        '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.js", "content": "let a;\n\tlet b;\n"}}\n'
        "</tool_call>",
        "Done.",
        gate=yes,
    )
    await one.ask()
    assert (project / "a.js").read_text() == "let a;\n\tlet b;\n"


async def test_invalid_escapes_keep_the_arguments(scene: Scenes, project: Path) -> None:
    put(project, src__a_js="x id=12.name\n")
    one = scene(
        r'{"name": "search", "arguments": {"pattern": "id=\d+\.\w*", "path": "src"}}',
        r'{"name": "search", "arguments": {"pattern": "\u00e9\d\n\"", "path": "src"}}',
        "Done.",
    )
    await one.ask()
    assert calls(one)[0] == ("search", {"pattern": r"id=\d+\.\w*", "path": "src"})
    assert "src/a.js:1" in one.results()[0]
    assert calls(one)[1][1]["pattern"] == 'é\\d\n"'


async def test_a_call_written_twice_the_second_time_cut_off(scene: Scenes, project: Path) -> None:
    put(project, list_html="<ul></ul>")
    one = scene(
        '{"name": "read_file", "arguments": {"path": "list.html"}}{"name": "read_file", "argum',
        "Done.",
    )
    await one.ask()
    assert calls(one) == [("read_file", {"path": "list.html"})]
    assert states(one) == ["ok"]
    assert said(one) == "Done."


async def test_lists_inside_strings_are_unwrapped_where_a_list_is_declared_and_only_there(
    scene: Scenes, project: Path
) -> None:
    async def play(_arguments: Mapping[str, Any], _context: ToolContext) -> ToolResult:
        return ToolResult("ok", "planned")

    plan = FakeTool(ToolSpec("plan", "Plans.", (Parameter("steps", "array", "steps"),), "run"), play)
    steps = [{"text": "make page", "done": False}]
    nested = json.dumps({"name": "plan", "arguments": json.dumps({"steps": json.dumps(steps)})})
    text = json.dumps({"name": "write_file", "arguments": {"path": "list.json", "content": '["a","b"]'}})
    one = scene(
        f"<tool_call>\n{nested}\n</tool_call>", f"<tool_call>\n{text}\n</tool_call>", "Done.", tools=[plan], gate=yes
    )
    await one.ask()
    assert plan.calls == [{"steps": steps}]
    assert (project / "list.json").read_text() == '["a","b"]'


async def test_python_and_javascript_literals(scene: Scenes, project: Path) -> None:
    put(project, src__a_js="// TODO: more\n")
    one = scene(
        "{'name': 'search', 'arguments': {'pattern': 'TODO', 'path': 'src', 'case_sensitive': False, /* all */ },}",
        "Done.",
    )
    await one.ask()
    assert calls(one) == [("search", {"pattern": "TODO", "path": "src"})]
    assert "src/a.js:1" in one.results()[0]
    assert any("case_sensitive" in repair for repair in one.of(Call)[0].repairs)


GAME = "".join(f"let line{n} = {n};\n" for n in range(40))


@pytest.mark.parametrize(
    ("answer", "cut"),
    [
        ('{"name": "write_file", "arguments": {"path": "game.js"}}', False),
        ('{"name":"write_file","arguments":{"path":"game.js","content":"// part 1\\nfunction a() {\n' + CUT, True),
        (
            "<tool_call>\n<function=write_file>\n<parameter=path>\ngame.js\n</parameter>\n</function>\n</tool_call>",
            False,
        ),
        (
            "<tool_call>\n<function=write_file>\n<parameter=path>\ngame.js\n</parameter>\n<parameter=content>\n"
            "// part 1\nfunction a() {\n" + CUT,
            True,
        ),
        ("<tool_call>\n<function=write_file>\n<parameter=path>\ngame.js\n</parameter>\n" + CUT, True),
        ('{"name": "write_file", "arguments": {"path": "game.js"}}\n' + CUT, True),
    ],
)
async def test_a_write_without_its_content_never_empties_a_file(
    scene: Scenes, project: Path, answer: str, cut: bool
) -> None:
    put(project, game_js=GAME)
    one = scene(call("read_file", path="game.js"), answer, "Sorry.", gate=yes)
    await one.ask()
    assert (project / "game.js").read_text() == GAME
    assert states(one) == ["ok", "failed"]
    told = one.results()[1]
    if cut:
        answers = [turn for turn in one.conversation.turns if turn.kind == "answer"]
        assert f"cut at {len(answers[1].tokens)} tokens" in told
        assert "append: true" in told
    else:
        assert "content" in told


async def test_an_empty_content_that_is_given_is_written(scene: Scenes, project: Path) -> None:
    put(project, game_js="let a;\n")
    answer = json.dumps({"name": "write_file", "arguments": {"path": "game.js", "content": ""}})
    one = scene(call("read_file", path="game.js"), answer, "Done.", gate=yes)
    await one.ask()
    assert (project / "game.js").read_text() == ""


@pytest.mark.parametrize("arguments", ["{}", '{"path": ""}'])
async def test_a_missing_path_is_told_with_an_example_and_ends_after_three(scene: Scenes, arguments: str) -> None:
    again = '{"name": "read_file", "arguments": ' + arguments + "}"
    one = scene(*[again] * 5)
    ended = await one.ask()
    assert (ended.reason, ended.steps) == ("stuck", 3)
    for text in one.results():
        assert "read_file needs path" in text
        assert ("nothing" if arguments == "{}" else 'path=""') in text
        assert "<tool_call>\n<function=read_file>\n<parameter=path>" in text
    assert len(one.notes("repeat")) == 1


@pytest.mark.parametrize("name", ["file_path", "filename", "file"])
async def test_other_names_of_the_path_are_taken(scene: Scenes, project: Path, name: str) -> None:
    put(project, x_html="<p>x</p>")
    one = scene('{"name": "read_file", "arguments": {"' + name + '": "x.html"}}', "Done.")
    await one.ask()
    assert calls(one) == [("read_file", {"path": "x.html"})]
    assert states(one) == ["ok"]
    assert one.of(Call)[0].repairs == (f"took path from {name}",)
