from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.preview.console import ConsoleLog, clip, format_arguments, format_value, one_line
from roomcode.preview.types import Entry


def info(text: str, line: int = 1) -> Entry:
    return Entry("info", "console", text, "a.js", line)


def error(text: str, line: int = 1) -> Entry:
    return Entry("error", "exception", text, "a.js", line)


def test_equal_lines_are_one_with_a_count_and_come_last() -> None:
    log = ConsoleLog()
    for text in ("a", "b", "a"):
        log.add(info(text))
    assert [(entry.text, entry.count, entry.number) for entry in log.since(0)] == [("b", 1, 2), ("a", 2, 3)]


def test_numbers_do_not_keep_plain_lines_apart_but_errors() -> None:
    log = ConsoleLog()
    for number in range(5):
        log.add(info(f"tick {number}.5"))
        log.add(error(f"no item {number}"))
    entries = log.since(0)
    assert [entry.text for entry in entries if entry.severity == "info"] == ["tick 4.5"]
    assert len([entry for entry in entries if entry.severity == "error"]) == 5


def test_the_same_text_elsewhere_is_another_line() -> None:
    log = ConsoleLog()
    log.add(error("x", 1))
    log.add(error("x", 2))
    assert [entry.place for entry in log.since(0)] == ["a.js:1", "a.js:2"]


def test_a_cursor_gives_what_is_new_or_was_repeated() -> None:
    log = ConsoleLog()
    log.add(info("a"))
    log.add(info("b"))
    cursor = log.cursor
    assert log.since(cursor) == []
    log.add(info("a"))
    assert [entry.text for entry in log.since(cursor)] == ["a"]
    log.clear()
    assert log.since(0) == []
    log.add(info("c"))
    assert log.since(cursor)[0].number > cursor


def test_an_error_that_is_taken_back_is_gone_or_counts_one_less() -> None:
    log = ConsoleLog()
    key = log.add(error("x"))
    log.add(error("x"))
    log.revoke(key)
    assert [entry.count for entry in log.since(0)] == [1]
    log.revoke(key)
    log.revoke(key)
    assert log.since(0) == []


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.text("abc", max_size=2)), max_size=60), st.integers(1, 8))
def test_the_log_is_bounded_keeps_the_newest_and_drops_plain_lines_first(
    lines: list[tuple[bool, str]], capacity: int
) -> None:
    log = ConsoleLog(capacity)
    for is_error, text in lines:
        log.add(error(text) if is_error else info(text))
    entries = log.since(0)
    assert len(entries) <= capacity
    assert [entry.number for entry in entries] == sorted(entry.number for entry in entries)
    errors = {text for is_error, text in lines if is_error}
    if len(errors) < capacity:
        assert {entry.text for entry in entries if entry.severity == "error"} == errors
    if lines and not (len(errors) >= capacity and not lines[-1][0]):
        assert entries[-1].number == log.cursor


def text_value(text: str) -> dict[str, Any]:
    return {"type": "string", "value": text}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([text_value("%cred"), text_value("color: red")], "red"),
        ([text_value("%s has %d%%"), text_value("a"), {"type": "number", "value": 5}], "a has 5%"),
        ([text_value("100% %s")], "100% %s"),
        ([text_value("a"), text_value("b")], "a b"),
        ([{"type": "undefined"}], "undefined"),
        ([{"type": "object", "subtype": "null", "value": None}], "null"),
        ([{"type": "number", "unserializableValue": "-0", "description": "-0"}], "-0"),
        ([{"type": "bigint", "unserializableValue": "12n"}], "12n"),
        ([{"type": "boolean", "value": True}], "true"),
        ([{"type": "symbol", "description": "Symbol(q)"}], "Symbol(q)"),
        ([{"type": "function", "description": "function f(a) { return 1 }"}], "function f(a)"),
        ([{"type": "object", "subtype": "node", "description": "div#app.card"}], "<div#app.card>"),
        ([{"type": "object", "subtype": "error", "description": "TypeError: x\n    at f (a.js:1:1)"}], "TypeError: x"),
        ([text_value("a\nb\x1b[31mred\x1b[0m\x07")], "a ⏎ bred"),
        ([], ""),
    ],
)
def test_arguments_read_like_in_a_console(arguments: list[dict[str, Any]], expected: str) -> None:
    assert format_arguments(arguments) == expected


def test_objects_show_their_first_members() -> None:
    preview = {
        "type": "object",
        "description": "Object",
        "overflow": True,
        "properties": [
            {"name": "a", "type": "number", "value": "1"},
            {"name": "b", "type": "string", "value": "x"},
            {"name": "c", "type": "object", "value": "Object"},
        ],
    }
    assert format_value({"type": "object", "description": "Object", "preview": preview}) == '{a: 1, b: "x", c: {…}, …}'
    assert format_value({"type": "object", "preview": {**preview, "description": "Player"}}).startswith("Player {a: 1")


@settings(deadline=None)
@given(st.text(), st.integers(60, 400))
def test_a_cut_text_fits_and_says_how_long_it_was(text: str, limit: int) -> None:
    cut = clip(text * 40, limit)
    assert len(cut) <= limit
    if len(text * 40) > limit:
        assert f"…{len(text * 40)} characters…" in cut or "characters…" in text
        assert len(clip(cut, 60)) <= 60


@settings(deadline=None)
@given(st.text())
def test_a_line_has_no_control_characters(text: str) -> None:
    line = one_line(text)
    assert all(char.isprintable() for char in line)


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=12,
    )
)
def test_members_of_unexpected_kinds_do_not_break_the_text(value: object) -> None:
    remote = {"type": "object", "description": "X", "preview": {"properties": [{"name": "a", "value": value}]}}
    assert format_value(remote).startswith("{a: ")
