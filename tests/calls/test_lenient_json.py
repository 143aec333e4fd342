"""JSON as small models write it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.calls.lenient_json import JsonReader, Unreadable, loads

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_strict_json_is_read_as_it_is(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert loads(text) == (value, ())


@given(VALUES, st.lists(st.integers(1, 5), min_size=1))
def test_pieces_of_any_size_give_the_same(value: Any, sizes: list[int]) -> None:
    text = json.dumps({"v": value})
    reader = JsonReader()
    rest = ""
    grown = ""
    n = 0
    while text:
        size = sizes[n % len(sizes)]
        rest, text = rest + text[:size], text[size:]
        n += 1
        rest = rest[reader.read(rest, 0, False) :]
        grown += "".join(part for path, part in reader.grown if path == ("v",))
        reader.grown = []
    assert (reader.done, reader.fault, reader.value, rest) == (True, "", {"v": value}, "")
    assert grown == (value if isinstance(value, str) else "")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'it\\'s'}", {"a": "it's"}),
        ("{a: 1, b-c: x.html, d: 127.0.0.1}", {"a": 1, "b-c": "x.html", "d": "127.0.0.1"}),
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ('{"a": True, "b": False, "c": None, "d": undefined}', {"a": True, "b": False, "c": None, "d": None}),
        ('{// one\n"a": /* two */ 1, # three\n}', {"a": 1}),
        ('{"a": "x\ty\nz"}', {"a": "x\ty\nz"}),
        (r'{"a": "\d\*C:\p\x41\'"}', {"a": r"\d\*C:\p\x41\'"}),
        (r'{"a": "\u00zz \u12"}', {"a": r"\u00zz \u12"}),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\ud83d x \ude00"', "� x �"),
        (r'"\ud83d\u0041"', "�A"),
        ('{"a": """say "hi" ""x"""}', {"a": 'say "hi" ""x'}),
        ("{'a': ''}", {"a": ""}),
        ("{'a': '''b'''}", {"a": "b"}),
        ("[-1.5e3, 007, 1.2.3, 1e999]", [-1500.0, "007", "1.2.3", float("inf")]),
        ("{}", {}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ("9" * 5000, "9" * 5000),
        ('{"a": 1,, "b": 2}', {"a": 1, "b": 2}),
        ("/a/b.html", "/a/b.html"),
    ],
)
def test_what_is_forgiven(text: str, value: Any) -> None:
    assert loads(text)[0] == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": "b"c"}', "unescaped quote at character 9"),
        ('{"a": "b", "c"}', "unescaped quote at character 9"),
        ('["a"b"]', "unescaped quote at character 4"),
        ('{"a" "b"}', "unexpected"),
        ("[1 2]", "unexpected '2' at character 4"),
        ("{]", "unexpected"),
        ("[}", "unexpected"),
        ("", "ends in the middle"),
        ('{"a":', "ends in the middle"),
        ('{"a": "b', "ends in the middle"),
        ("[" * 100, "nested too deeply"),
        ("{} x", "after the end"),
        ("(1)", "unexpected '('"),
    ],
)
def test_what_is_not(text: str, words: str) -> None:
    with pytest.raises(Unreadable, match=words.replace("(", r"\(")):
        loads(text)


def test_missing_brackets_are_closed_but_nothing_else_is_made_up() -> None:
    assert loads('{"a": [1, {"b": "c"}') == ({"a": [1, {"b": "c"}]}, ("missing closing bracket",))
    for text in ('{"a": "b', '{"a": ', '{"a"', '{"a": "b\\'):
        with pytest.raises(Unreadable):
            loads(text)


@given(st.text(alphabet="{}[]\"'`,:\\/*#\n antu019.-"))
def test_any_text_is_read_or_faulty_and_never_both(text: str) -> None:
    reader = JsonReader()
    end = reader.read(text, 0, True)
    assert 0 <= end <= len(text)
    assert not (reader.done and reader.fault)
    assert reader.done or reader.fault or end == len(text)
    closed = reader.close()
    assert reader.done or not closed
