"""What holds for any answer at all."""

import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.calls.form import render_call
from roomcode.calls.parser import parse
from roomcode.calls.pieces import ArgDelta, Opened, Piece, TextDelta, merged
from roomcode.calls.scanner import Scanner
from roomcode.calls.stream import CallStream
from roomcode.chat import Form
from roomcode.protocol.tools import Parameter, ToolSpec
from tests.calls.tools import SPECS

MARKUP = r"""
<tool_call> </tool_call> ``` ```json ```xml ~~~ { } }} [ ] , : " ' ` ''' < </ > <think> </think>
<function=read_file> <function=nope> </function> </invoke> <parameter=path> <parameter=content>
</parameter> <content> </content> <path> <tools> </tools> <read_file> a.html text read_file "path": "a.html"
"arguments": \ \n \u00 \ud83d // /* */ # true 12 None é 😀 <|im_end|> <p> append
"""
CHUNKS = [
    *MARKUP.split(),
    '"""',
    '<invoke name="serve">',
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "> ",
    '{"name": "read_file", ',
    '{"name": "read_file", "arguments": {"path": "a"}}',
    '{"arguments": {"path": "x"}, "name": "read_file"}',
    '{"type": "function", "function": {"name": "serve", "arguments": {}}}',
    "<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n",
    "\n</parameter>\n</function>\n</tool_call>\n",
]
MESS = st.lists(st.sampled_from(CHUNKS), max_size=25).map("".join) | st.text(max_size=200)
TEXT = (
    st.lists(st.sampled_from(CHUNKS) | st.text(max_size=8), max_size=8)
    .map("".join)
    .map(lambda text: text.encode("utf-8", "replace").decode())
)
LINE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)


def read(text: str, sizes: Sequence[int], cut: bool) -> list[Piece]:
    scanner = Scanner(SPECS)
    pieces: list[Piece] = []
    at = 0
    for n in range(len(text)):
        if at >= len(text):
            break
        size = sizes[n % len(sizes)]
        pieces += scanner.feed(text[at : at + size])
        at += size
    return list(merged(pieces + scanner.finish(cut)))


@settings(max_examples=300, deadline=None)
@given(MESS, st.lists(st.integers(1, 4), min_size=1, max_size=5), st.booleans())
def test_what_is_read_does_not_depend_on_how_the_answer_was_split(text: str, sizes: list[int], cut: bool) -> None:
    assert read(text, sizes, cut) == read(text, [max(1, len(text))], cut)


@settings(deadline=None)
@given(MESS, st.booleans())
def test_calls_that_may_run_are_whole_and_named(text: str, cut: bool) -> None:
    parsed = parse(text, SPECS, cut=cut)
    for call in parsed.calls:
        assert call.tool or call.error
        assert all(isinstance(name, str) for name in call.arguments)
    assert parsed.text == parsed.text.strip()


def value_of(parameter: Parameter) -> st.SearchStrategy[Any]:
    plain = st.recursive(
        st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXT, lambda inner: st.lists(inner, max_size=3)
    )
    match parameter.type:
        case "string":
            return TEXT if parameter.raw else LINE
        case "integer":
            return st.integers(-(10**17), 10**17)
        case "number":
            return st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9).map(lambda x: round(x, 3))
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(plain, max_size=3)


def arguments_of(spec: ToolSpec) -> st.SearchStrategy[tuple[ToolSpec, dict[str, Any]]]:
    required = {p.name: value_of(p) for p in spec.parameters if p.required}
    optional = {p.name: value_of(p) for p in spec.parameters if not p.required}
    return st.fixed_dictionaries(required, optional=optional).map(lambda arguments: (spec, arguments))


CALLS = st.sampled_from(SPECS).flatmap(arguments_of)
PROSE = st.lists(
    st.sampled_from(["Well.", "I look.", "`a < b`", "- one\n- two", "1 < 2 & so on", "{braces}"]), max_size=3
)
FORMS = st.sampled_from(["xml", "json"])


@settings(max_examples=200, deadline=None)
@given(FORMS, CALLS)
def test_a_rendered_call_is_read_back_as_it_was(form: Form, made: tuple[ToolSpec, dict[str, Any]]) -> None:
    spec, arguments = made
    parsed = parse(render_call(form, spec.name, arguments), SPECS)
    assert parsed.text == ""
    assert [(c.tool, c.arguments, c.complete, c.error, c.notes) for c in parsed.calls] == [
        (spec.name, arguments, True, "", ())
    ]


@settings(max_examples=100, deadline=None)
@given(FORMS, st.lists(PROSE, min_size=1, max_size=4), st.lists(CALLS, max_size=3), st.integers(1, 5))
def test_the_live_view_of_a_clean_answer_is_what_the_parser_reads(
    form: Form, prose: list[list[str]], calls: list[tuple[ToolSpec, dict[str, Any]]], size: int
) -> None:
    parts = []
    for n, lines in enumerate(prose):
        parts += lines
        parts += [render_call(form, spec.name, arguments) for spec, arguments in calls[n : n + 1]]
    answer = "\n\n".join(parts)
    stream = CallStream(SPECS)
    events = [e for at in range(0, len(answer), size) for e in stream.feed(answer[at : at + size])] + stream.finish()
    parsed = parse(answer, SPECS)
    assert "".join(e.text for e in events if isinstance(e, TextDelta)).strip() == parsed.text
    assert parsed.text == "\n\n".join(line for lines in prose for line in lines)
    assert [e.tool for e in events if isinstance(e, Opened)] == [c.tool for c in parsed.calls]
    for index, call in enumerate(parsed.calls):
        for name, value in call.arguments.items():
            shown = "".join(e.text for e in events if isinstance(e, ArgDelta) and (e.index, e.name) == (index, name))
            assert shown == value or not isinstance(value, str)
            assert shown or value == ""


@settings(max_examples=100, deadline=None)
@given(FORMS, st.lists(CALLS, min_size=1, max_size=2), st.data())
def test_a_cut_answer_gives_only_calls_of_the_whole_one(
    form: Form, calls: list[tuple[ToolSpec, dict[str, Any]]], data: st.DataObject
) -> None:
    answer = "Go.\n" + "\n".join(render_call(form, spec.name, arguments) for spec, arguments in calls)
    whole = parse(answer, SPECS).calls
    at = data.draw(st.integers(0, len(answer)))
    parsed = parse(answer[:at], SPECS, cut=True)
    complete = [(c.tool, c.arguments) for c in parsed.calls if c.complete]
    assert complete == [(c.tool, c.arguments) for c in whole[: len(complete)]]
    assert all(c.complete for c in parsed.calls[:-1])
    for call in parsed.calls[len(complete) :]:
        assert call.arguments.items() <= whole[len(complete)].arguments.items() or not call.arguments
    assert parsed.text in "Go."


DEAR = r"""< <tool_call> ` ``` { [ </ <think> </think> " \ \u \ud83d > # // /* ' a 1 }, {"a":1, </function>"""
UNITS = [
    *DEAR.split(),
    *(" ", "\n", " \n", "\r\n", "> ", "```json\n", "```\n", "~~~\n", '{"name": "read_file", ', '{"arguments": {'),
    *("<think>\n<function=x>", "<function=read_file>\n<parameter=path>", "</parameter>\n", "<tools>[", "<invoke name="),
    "<tool_call>\n<function=write_file>\n<parameter=content>\n",
    '{"name": "read_file", "arguments": {"path": "x"}}',
    "```xml\n<tool_call>\n{",
]
BEGINNINGS = [
    "",
    '<tool_call>\n{"name": "write_file", "arguments": {"content": "',
    "<tool_call>\n<function=write_file>\n<parameter=content>\n",
    "<think><tool_call>",
    "```\n<tool_call>{",
    '{"arguments": {"x": "',
    "<tool_call>\nzzz",
]


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_long_answers_take_time_in_proportion(beginning: str) -> None:
    def seconds(unit: str, size: int) -> float:
        start = time.process_time()
        parse(beginning + unit * (size // len(unit)), SPECS)
        return time.process_time() - start

    dear = max(UNITS, key=lambda unit: seconds(unit, 2_000))
    # 50 times the text; quadratic work would take 2,500 times as long.
    assert seconds(dear, 100_000) < 50 * 5 * max(seconds(dear, 2_000), 0.002)
