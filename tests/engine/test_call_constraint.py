"""The constraint of tool calls, with a real vocabulary and real grammars, and a model that says what a test wants."""

import pytest

from roomcode.calls.constraint import Levels
from roomcode.engine.llama import LlamaEngine
from tests.support.says import Says

FORMS = ("xml", "json")


def opened(form: str, tool: str) -> str:
    return (
        f"<tool_call>\n<function={tool}>\n" if form == "xml" else f'<tool_call>\n{{"name": "{tool}", "arguments": {{"'
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "opening",
    [
        '```json\n{"name": "read_file"',
        '```json\n{\n  "name": "read_file"',
        '  ```json\n  {"name": "read_file"',
        '```\n{"name": "read_file"',
        '{"name": "read_file"',
        '<tools>\n{"name": "read_file"',
        '<tools>[{"name": "read_file"',
        "<function=read_file>",
        '<function name="read_file">',
        '<invoke name="read_file">',
        '<tool name="read_file">',
        '<function_call>\n{"name": "read_file"',
        '```jsonl\n{"name": "read_file"',
        '````json\n{"name": "read_file"',
        '{"type": "function", "function": {"name": "read_file"',
        '{"tool": "read_file"',
        "{'name': 'read_file'",
    ],
)
async def test_a_call_opened_another_way_is_put_on_the_trained_form(
    engine: LlamaEngine, form: str, opening: str
) -> None:
    for prose in ("", "I look at it first.\n\n"):
        model = Says(engine, form).say(prose).say(opening)
        assert model.rewrites == 1
        assert model.text.startswith(prose + opened(form, "read_file")), model.text


@pytest.mark.parametrize("fence", ["```xml\n", "  ```\n", "```json\n\n"])
async def test_a_fence_around_a_call_is_taken_back(engine: LlamaEngine, fence: str) -> None:
    model = Says(engine, "xml").say("I look.\n\n" + fence + "<tool_call>")
    assert model.text == "I look.\n\n<tool_call>\n<function="
    assert model.rewrites == 1
    quoted = Says(engine, "xml").say("```js\nlet a;\n```\n<tool_call>")
    assert quoted.text == "```js\nlet a;\n```\n<tool_call>\n<function="
    assert quoted.rewrites == 0


async def test_an_unknown_name_followed_by_arguments_opens_a_call_of_a_known_tool(engine: LlamaEngine) -> None:
    model = Says(engine, "xml").say('{"name": "create_page", "arguments":')
    assert model.text == "<tool_call>\n<function="
    assert not model.may(engine.encode("x")[0])
    assert model.may(engine.encode("w")[0])


@pytest.mark.parametrize(
    "text",
    [
        'Use a file like this:\n```json\n{"name": "my-app", "version": "1.0"}\n```\nThat is all.',
        'An object {"name": "read_file"} in the middle of a line.',
        "A list:\n[1, 2]\n{ }\n```js\nlet a = {};\n```\n",
        "<functional> and <tooling> are words\n<table>\n",
    ],
)
async def test_what_is_no_call_stays_text(engine: LlamaEngine, text: str) -> None:
    model = Says(engine, "xml").say(text)
    assert model.rewrites == 0
    assert model.text == text


@pytest.mark.parametrize("form", FORMS)
async def test_the_opening_level_can_be_switched_off(engine: LlamaEngine, form: str) -> None:
    text = '```json\n{"name": "read_file", "arguments": {}}\n```'
    model = Says(engine, form, levels=Levels(opening=False)).say(text)
    assert model.text == text
    assert model.rewrites == 0


VALUE = "<tool_call>\n<function=write_file>\n<parameter=path>\na.html\n</parameter>\n<parameter=content>\n"
CLOSED = "\n</parameter>\n</function>\n</tool_call>"


def in_value(engine: LlamaEngine, content: str, *, offline: bool = False) -> Says:
    """A model in the middle of the content of a `write_file`."""
    model = Says(engine, "xml", offline=offline)
    for token in engine.encode("<tool_call>", control=True):
        model.tokens.append(token)
        assert model.constraint.commit(token) is None
    model._take_forced()
    for part in ("write_file>\n", "a.html\n"):
        left = part
        while left and not model.text.endswith("<parameter=content>\n"):
            token = engine.encode(left[0])[0]
            assert model.may(token)
            model.tokens.append(token)
            model.constraint.commit(token)
            before = len(model.text)
            model._take_forced()
            forced = model.text[before:]
            left = left[1:]
            left = left[len(forced) :] if left.startswith(forced) else "" if forced.startswith(left) else left
    assert model.text == VALUE
    return model.say(content)


@pytest.mark.parametrize(
    "ending",
    [
        "</function>",
        "\n</function>",
        "</content>",
        "\n</content>",
        "</tool_call>",
        "\n```\n",
        "<|im_end|>",
        "\n<|im_end|>",
    ],
)
async def test_a_text_ended_another_way_is_closed_properly(engine: LlamaEngine, ending: str) -> None:
    model = in_value(engine, "<p>hello</p>").say(ending)
    # `</content>` says that the text ends, not the call: an optional parameter may follow, so one more choice is left.
    expected = VALUE + "<p>hello</p>" + (CLOSED if "content" not in ending else "\n</parameter>\n")
    assert model.text.removesuffix("<") == expected
    assert model.rewrites == 1
    assert model.constraint.in_call == ("content" in ending)


@pytest.mark.parametrize(
    ("begun", "instead"),
    [("<html>\n<head>\n", "</head>"), ("<head></head>\n<body>\n", "<script>"), ("", "<script>")],
)
@pytest.mark.parametrize("tag", ['<script src="https://a.b/', "<script type='module' src=http://a.b/"])
async def test_no_script_comes_from_the_network(engine: LlamaEngine, begun: str, instead: str, tag: str) -> None:
    model = in_value(engine, begun, offline=True)
    model.say(tag)
    assert model.text == f"{VALUE}{begun}{instead}"
    assert model.rewrites == 1
    model.say("\nx()\n</script>\n</function>")
    assert not model.constraint.in_call


@pytest.mark.parametrize(
    ("content", "offline"),
    [
        ('<script src="https://a.b/c.js"></script>', False),
        ('<script src="app.js"></script><a href="https://a.b/">', True),
        ("<script>\nfetch('https://a.b/')\n</script>", True),
    ],
)
async def test_other_addresses_are_left_alone(engine: LlamaEngine, content: str, offline: bool) -> None:
    assert in_value(engine, content, offline=offline).text == VALUE + content


async def test_an_empty_text_may_be_ended_at_once(engine: LlamaEngine) -> None:
    model = in_value(engine, "").say("</function>")
    assert model.text == VALUE + CLOSED
    assert not model.constraint.in_call


@pytest.mark.parametrize(
    "content",
    [
        "a < b && c > d; x = '</' + 'p>';",
        "text with a fence:\n```js\nlet a;\n```\nand more",
        '<content type="html">feed</content>',
        "日本語 👩🏽‍💻 naïve ✅",
        "</param> </parametric>",
    ],
)
async def test_ordinary_content_is_left_alone(engine: LlamaEngine, content: str) -> None:
    model = in_value(engine, content)
    assert model.text == VALUE + content
    assert model.rewrites == 0


async def test_a_missing_parameter_is_asked_for_before_the_call_closes(engine: LlamaEngine) -> None:
    model = Says(engine, "xml").say("<function=edit_file>")
    assert model.text.endswith("<function=edit_file>\n<parameter=path>\n")


async def test_no_token_outside_the_grammar_is_allowed(engine: LlamaEngine) -> None:
    model = Says(engine, "json").say('{"name": "read_file"')
    end = next(iter(engine.info.end_tokens))
    assert not model.may(end)
    for character in "abc}":
        token = engine.encode(character)[0]
        assert model.may(token) == (character in "p"), character


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (" a button.\nAnd then", " a button.\n"),
        (" a button. Here is how to do it:\n\n", " a button.\n"),
        (" these:\n1.", " these:\n"),
        (" it<|im_end|>", " it\n"),
        (" it and on" + " and on" * 9, (" it and on" + " and on" * 9)[:40] + "\n"),
    ],
)
async def test_a_plan_is_one_short_line_before_the_call(engine: LlamaEngine, said: str, line: str) -> None:
    plans: list[str] = []
    says = Says(engine, "xml", first=("write_file",), plan=40, on_plan=plans.append).say(said)
    assert plans == [f"To do this, I'll change{line[:-1]}"]
    assert says.text == f"{plans[0]}\n<tool_call>\n<function=write_file>\n<parameter=path>\n"
    assert says.constraint.in_call
    at_once = Says(engine, "xml", first=("write_file",))
    assert at_once.text == "<tool_call>\n<function=write_file>\n<parameter=path>\n"


@pytest.mark.parametrize("form", FORMS)
async def test_an_answer_begins_as_it_has_to(engine: LlamaEngine, form: str) -> None:
    model = Says(engine, form, lead="There are")
    assert model.text == "There are"
    assert not model.constraint.in_call
    assert model.say(" 2 of them").text == "There are 2 of them"
