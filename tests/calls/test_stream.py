"""The live view: what is shown while an answer grows, and what is held back."""

import time
from collections.abc import Sequence

import pytest

from roomcode.calls.form import render_call
from roomcode.calls.parser import parse
from roomcode.calls.pieces import ArgDelta, Opened, StreamEvent, TextDelta
from roomcode.calls.stream import CallStream
from roomcode.chat import Form
from tests.calls.tools import SPECS

PAGE = '<!doctype html>\n<p class="x">Don\'t & do</p>\n<script>\nif (a < b) { f("`${c}`"); }\n</script>\n'


def watch(answer: str, size: int = 1) -> list[StreamEvent]:
    stream = CallStream(SPECS)
    events: list[StreamEvent] = []
    for start in range(0, len(answer), size):
        events += stream.feed(answer[start : start + size])
    return events + stream.finish()


def text_of(events: Sequence[StreamEvent], thought: bool = False) -> str:
    return "".join(e.text for e in events if isinstance(e, TextDelta) and e.thought == thought)


def opened(events: Sequence[StreamEvent]) -> list[str]:
    return [e.tool for e in events if isinstance(e, Opened)]


def argument(events: Sequence[StreamEvent], name: str, index: int = 0) -> str:
    return "".join(e.text for e in events if isinstance(e, ArgDelta) and (e.index, e.name) == (index, name))


@pytest.mark.parametrize("size", [1, 2, 3, 50])
@pytest.mark.parametrize("form", ["xml", "json"])
def test_a_write_grows_piece_by_piece(form: Form, size: int) -> None:
    answer = "I write it.\n\n" + render_call(form, "write_file", {"path": "a.html", "content": PAGE, "append": True})
    events = watch(answer, size)
    assert text_of(events).strip() == "I write it."
    assert opened(events) == ["write_file"]
    assert argument(events, "path") == "a.html"
    assert argument(events, "content") == PAGE
    assert argument(events, "append") == "true"


@pytest.mark.parametrize("form", ["xml", "json"])
def test_everything_is_shown_as_soon_as_it_is_certain(form: Form) -> None:
    call = render_call(form, "write_file", {"path": "a.html", "content": "one two three"})
    stream = CallStream(SPECS)
    assert stream.feed("Hello wor") == [TextDelta("Hello wor")]
    assert stream.feed("ld\n\n<tool") == [TextDelta("ld")]
    at = call.index("two")
    events = stream.feed(call[len("<tool") : at])
    assert opened(events) == ["write_file"]
    assert argument(events, "content") == "one "
    assert stream.feed("tw") == [ArgDelta(0, "content", "tw")]
    assert stream.feed("o") == [ArgDelta(0, "content", "o")]


def test_tool_name_comes_before_any_argument_even_when_the_arguments_come_first() -> None:
    events = watch('<tool_call>\n{"arguments": {"path": "a.html"}, "name": "read_file"}\n</tool_call>')
    assert isinstance(events[0], Opened)
    assert argument(events, "path") == "a.html"


def test_strings_are_decoded_while_they_grow() -> None:
    call = r'{"name": "write_file", "arguments": {"path": "a", "content": "\u00e9\ud83d\ude00\"\\\n\d"}}'
    events = watch(f"<tool_call>\n{call}\n</tool_call>")
    assert argument(events, "content") == 'é😀"\\\n\\d'
    assert [e.text for e in events if isinstance(e, ArgDelta)][1:] == ["é", "😀", '"', "\\", "\n", "\\d"]


def test_the_newlines_of_the_format_are_not_shown() -> None:
    for content in ("x\n", "\n\nx", "x\n\n", "", "\n"):
        events = watch(render_call("xml", "write_file", {"path": "a", "content": content}))
        assert argument(events, "content") == content


@pytest.mark.parametrize(
    "answer",
    [
        '```json\n{"name": "read_file", "arguments": {"path": "a.html"}}\n```',
        '{"name": "read_file", "arguments": {"path": "a.html"}}',
        '<tools>[{"name": "read_file", "arguments": {"path": "a.html"}}]</tools>',
        '<function name="read_file">\n<parameter name="path">a.html</parameter>\n</function>\n</tool_call>',
        "<function=read_file>\n<parameter=path>\na.html\n</parameter>\n</function>",
        "  <tool_call>\n<function=read_file>\n<parameter=path>\na.html\n</parameter>",
        '<think>\nhm <tool_call>\n{"name": "read_file", "arguments": {"path": "a.html"}}\n</tool_call>',
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_no_markup_of_a_call_is_shown(answer: str, size: int) -> None:
    events = watch(answer, size)
    assert text_of(events) == ""
    assert text_of(events, thought=True) in ("", "hm")
    assert opened(events) == ["read_file"]
    assert argument(events, "path") == "a.html"


def test_code_that_is_no_call_is_shown_line_by_line() -> None:
    stream = CallStream(SPECS)
    assert text_of(stream.feed("Look:\n```html\n<p>one")) == "Look:\n```html\n<p>one"
    assert text_of(stream.feed("</p>\n<")) == "</p>"
    assert text_of(stream.feed("b>")) == "\n<b>"


def test_json_that_is_no_call_is_shown_as_soon_as_that_is_clear() -> None:
    stream = CallStream(SPECS)
    assert text_of(stream.feed('Here:\n```json\n{"name": "my-')) == 'Here:\n```json\n{"name": "my-'


def test_thoughts_are_marked() -> None:
    events = watch("<think>\nfirst a,\nthen b\n</think>\n\nDone.")
    assert text_of(events, thought=True) == "first a,\nthen b"
    assert text_of(events) == "Done."


def test_second_copy_of_a_call_that_breaks_off_is_not_opened() -> None:
    call = '{"name": "read_file", "arguments": {"path": "list.html"}}'
    assert opened(watch(call + call[:-8])) == ["read_file"]
    assert opened(watch(call + call.replace("list", "last"))) == ["read_file", "read_file"]


class TestTakingBack:
    def test_a_fence_is_replaced_by_the_opening(self) -> None:
        stream = CallStream(SPECS)
        events = stream.feed("I look.\n\n")
        for piece in ("```", "json", "\n", "{"):
            events += stream.feed(piece)
        events += stream.feed("<tool_call>", retract=len("```json\n{"))
        events += stream.feed(
            "\n<function=read_file>\n<parameter=path>\na.html\n</parameter>\n</function>\n</tool_call>"
        )
        events += stream.finish()
        assert text_of(events) == "I look."
        assert opened(events) == ["read_file"]
        assert argument(events, "path") == "a.html"

    def test_a_wrong_closing_is_replaced_by_the_right_one(self) -> None:
        head = "<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\none\ntwo"
        stream = CallStream(SPECS)
        events = stream.feed(head + "\n```\n<")
        events += stream.feed("\n</parameter>\n</function>\n</tool_call>", retract=len("\n```\n<"))
        events += stream.finish()
        assert argument(events, "content").startswith("one\ntwo")
        assert argument(events, "content").count("one") == 1
        assert opened(events) == ["write_file"]

    def test_text_that_was_shown_already(self) -> None:
        answer = "One two three.\n" + render_call("xml", "read_file", {"path": "a.html"})
        stream = CallStream(SPECS)
        events = stream.feed("One two tree")
        events += stream.feed("hree.\n" + answer[15:], retract=3)
        events += stream.finish()
        # What was shown cannot be unshown; what comes is what is new.
        assert text_of(events) == "One two treehree."
        assert opened(events) == ["read_file"]
        assert argument(events, "path") == "a.html"

    def test_shown_text_that_comes_again_is_not_shown_twice(self) -> None:
        stream = CallStream(SPECS)
        events = stream.feed("One two")
        events += stream.feed("two three", retract=3)
        assert text_of(events) == "One two three"

    def test_a_call_that_was_opened_is_not_opened_twice(self) -> None:
        whole = render_call("json", "write_file", {"path": "a", "content": "one two"})
        stream = CallStream(SPECS)
        at = whole.index(" two")
        events = stream.feed(whole[:at] + " zwo")
        events += stream.feed(whole[at:], retract=4)
        events += stream.finish()
        assert opened(events) == ["write_file"]
        assert argument(events, "path") == "a"
        assert argument(events, "content") == "one zwotwo"

    def test_more_than_there_is(self) -> None:
        stream = CallStream(SPECS)
        stream.feed("abc")
        assert text_of(stream.feed("xyz", retract=100)) == "xyz"
        assert text_of(stream.feed("", retract=1)) == ""

    def test_what_follows_agrees_with_the_parser(self) -> None:
        good = "Go.\n" + render_call("xml", "write_file", {"path": "a", "content": PAGE}) + "\nDone."
        for at in range(1, len(good), 7):
            stream = CallStream(SPECS)
            events = stream.feed(good[:at])
            events += stream.feed(good[at - 1 :], retract=1)
            events += stream.finish()
            assert text_of(events) == "Go.\n\nDone."
            assert opened(events) == ["write_file"]
            assert argument(events, "content") == PAGE


@pytest.mark.parametrize("form", ["xml", "json"])
def test_cost_of_a_piece_does_not_grow_with_the_answer(form: Form) -> None:
    def seconds(size: int) -> float:
        answer = render_call(form, "write_file", {"path": "a", "content": PAGE * (size // len(PAGE))})
        start = time.process_time()
        watch(answer, 2)
        return time.process_time() - start

    seconds(1000)
    short, long = seconds(15_000), seconds(120_000)
    assert long < 8 * short * 3


def test_unclosed_fence_and_thought_do_not_slow_it_down_either() -> None:
    def seconds(size: int) -> float:
        start = time.process_time()
        watch("<think>\n<tool_call>\n" + "x = 1\n" * (size // 6), 2)
        watch("```\n<tool_call>\n{" + "x = 1\n" * (size // 6), 2)
        return time.process_time() - start

    seconds(1000)
    short, long = seconds(10_000), seconds(80_000)
    assert long < 8 * short * 3


def test_a_clean_answer_gives_what_the_parser_gives() -> None:
    answer = "\n\n".join(
        [
            "<think>\na\n</think>",
            "Text.",
            render_call("xml", "read_file", {"path": "a"}),
            "More `code`.\n\n- b",
            render_call("json", "search", {"pattern": "x|y", "path": "src"}),
        ]
    )
    parsed = parse(answer, SPECS)
    events = watch(answer, 2)
    assert text_of(events) == parsed.text == "Text.\n\nMore `code`.\n\n- b"
    assert text_of(events, thought=True) == parsed.thought == "a"
    assert opened(events) == [c.tool for c in parsed.calls]
