"""Arguments put right, and refusals that say what to do."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.calls.parser import parse
from roomcode.calls.pieces import ParsedCall
from roomcode.calls.repair import Repaired, repair
from roomcode.chat import Form
from tests.calls.tools import SPECS, TOOLS


def fix(tool: str, cut_at: int | None = None, form: Form = "xml", **arguments: Any) -> Repaired:
    return repair(ParsedCall(tool, arguments, True, "", ()), TOOLS, cut_at=cut_at, form=form)


def good(tool: str, **arguments: Any) -> dict[str, Any]:
    repaired = fix(tool, **arguments)
    assert repaired.error == ""
    return repaired.arguments


def test_a_good_call_is_left_alone() -> None:
    given = {"path": "a.html", "content": "x\n", "append": True}
    assert fix("write_file", **given) == Repaired(given, (), "")


def test_defaults_are_not_filled_in() -> None:
    assert good("list_dir") == {}
    assert good("read_file", path="a") == {"path": "a"}


@pytest.mark.parametrize("alias", ["file", "filename", "file_path", "filePath", "FilePath", "file-name", "Path"])
def test_other_names_of_path(alias: str) -> None:
    repaired = fix("read_file", **{alias: "x.html"})
    assert repaired == Repaired({"path": "x.html"}, (f"took path from {alias}",), "")


@pytest.mark.parametrize("alias", ["contents", "text", "code", "file_content"])
def test_other_names_of_content(alias: str) -> None:
    assert good("write_file", path="a", **{alias: "x"}) == {"path": "a", "content": "x"}


def test_other_names_of_old_new_pattern_and_code() -> None:
    assert good("edit_file", file="a", old_string="x", new_string="y") == {"path": "a", "old": "x", "new": "y"}
    assert good("edit_file", path="a", search="x", replace="y") == {"path": "a", "old": "x", "new": "y"}
    assert good("search", query="TODO") == {"pattern": "TODO"}
    assert good("search", regex="TODO", directory="src") == {"pattern": "TODO", "path": "src"}
    assert good("run_js", script="1") == {"code": "1"}


def test_a_given_parameter_is_never_overridden() -> None:
    repaired = fix("read_file", path="a", file="b")
    assert repaired.arguments == {"path": "a"}
    assert repaired.repairs == ("ignored file: read_file has no such parameter",)
    assert "needs path" in fix("read_file", path="", file="b").error


def test_two_other_names_that_disagree_are_not_guessed_from() -> None:
    assert "needs path" in fix("read_file", file="a", filename="b").error
    assert good("read_file", file="a", filename="a") == {"path": "a"}


def test_types_that_the_text_says() -> None:
    assert good("write_file", path="a", content="x", append="true")["append"] is True
    assert good("write_file", path="a", content="x", append="False")["append"] is False
    assert good("write_file", path="a", content="x", append=1)["append"] is True
    assert good("serve", port="12") == {"port": 12}
    assert good("serve", port=12.0) == {"port": 12}
    assert type(good("serve", port=12.0)["port"]) is int
    assert good("search", pattern=42) == {"pattern": "42"}
    assert fix("serve", port="12").repairs == ('read port "12" as 12',)


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("serve", {"port": "any"}, 'port must be a whole number, not "any"'),
        ("serve", {"port": 1.5}, "port must be a whole number"),
        ("serve", {"port": True}, "port must be a whole number"),
        ("serve", {"port": float("inf")}, "port must be a whole number"),
        ("write_file", {"path": "a", "content": "x", "append": "maybe"}, "append must be true or false"),
        ("write_file", {"path": "a", "content": {"b": 1}}, "content must be text"),
        ("write_file", {"path": "a", "content": ["b", 1]}, "content must be text"),
        ("read_file", {"path": ["a", "b"]}, "path must be text"),
    ],
)
def test_values_that_do_not_fit(tool: str, arguments: dict[str, Any], words: str) -> None:
    repaired = fix(tool, **arguments)
    assert words in repaired.error
    assert "A correct call:\n<tool_call>\n" in repaired.error


def test_paths_lose_their_dot() -> None:
    assert good("read_file", path="./index.html") == {"path": "index.html"}
    assert good("read_file", path="././a/./b") == {"path": "a/./b"}
    assert good("list_dir", path="./") == {"path": "."}
    assert good("read_file", path="../a") == {"path": "../a"}
    assert good("read_file", path=".hidden") == {"path": ".hidden"}
    assert good("write_file", path="a", content="./x")["content"] == "./x"


def test_lines_of_a_content_are_joined() -> None:
    assert good("write_file", path="a", content=["one", "two", ""])["content"] == "one\ntwo\n"
    assert good("write_file", path="a", content=["one\n", "two\n"])["content"] == "one\ntwo\n"
    assert fix("write_file", path="a", content=["one", "two"]).repairs == ("joined the lines of content",)


def test_an_explicit_empty_content_is_allowed_and_a_missing_one_is_not() -> None:
    assert good("write_file", path="a", content="")["content"] == ""
    assert good("edit_file", path="a", old="x", new="")["new"] == ""
    for missing in ({}, {"content": None}):
        repaired = fix("write_file", path="game.js", **missing)
        assert repaired.error.startswith("write_file needs content")
        assert "content" not in repaired.arguments


def test_unknown_and_empty_parameters_are_dropped_and_noted() -> None:
    repaired = fix("search", pattern="TODO", case_sensitive=False, path="")
    assert repaired.arguments == {"pattern": "TODO"}
    assert len(repaired.repairs) == 2
    assert "case_sensitive" in repaired.repairs[0]


@pytest.mark.parametrize("arguments", [{}, {"path": ""}, {"path": "  "}, {"path": None}])
@pytest.mark.parametrize("form", ["xml", "json"])
def test_missing_parameter_shows_what_came_and_one_correct_call(form: Form, arguments: dict[str, Any]) -> None:
    error = fix("read_file", form=form, **arguments).error
    assert error.startswith("read_file needs path")
    assert ("path=" in error) == bool(arguments)
    assert ("nothing" in error) == (not arguments)
    example = parse(error[error.index("<tool_call>") :], TOOLS).calls
    assert [(c.tool, c.error) for c in example] == [("read_file", "")]
    assert repair(example[0], TOOLS, cut_at=None).error == ""
    assert ("<function=" in error) == (form == "xml")


@pytest.mark.parametrize("tool", [t.name for t in SPECS])
@pytest.mark.parametrize("form", ["xml", "json"])
def test_every_tools_example_is_a_correct_call(form: Form, tool: str) -> None:
    call = ParsedCall(tool, {}, True, "it was unreadable", ())
    error = repair(call, SPECS, cut_at=None, form=form).error
    example = parse(error[error.index("<tool_call>") :], SPECS).calls
    assert len(example) == 1
    assert repair(example[0], SPECS, cut_at=None).error == ""


def test_long_values_are_not_echoed_whole() -> None:
    error = fix("write_file", content="x" * 5000).error
    assert len(error) < 600
    assert "5000 characters" in error
    assert "x" * 200 not in error


def test_example_keeps_short_values_and_writes_to_no_real_file() -> None:
    assert "game.js" in fix("write_file", path="game.js").error
    assert "example.txt" in fix("write_file", content="x").error


class TestCutAnswers:
    def test_missing_content_of_a_cut_answer_names_the_cause(self) -> None:
        error = fix("write_file", cut_at=512, path="game.js").error
        assert "your output was cut at 512 tokens" in error
        assert "append: true" in error
        assert "game.js" in error

    def test_call_that_was_cut_in_its_content(self) -> None:
        answer = '{"name":"write_file","arguments":{"path":"game.js","content":"// part 1\nfunction a() {'
        call = parse(answer, TOOLS, cut=True).calls[0]
        repaired = repair(call, TOOLS, cut_at=8192)
        assert "cut at 8192 tokens" in repaired.error
        assert "content" not in repaired.arguments

    def test_other_tools_are_not_told_to_append(self) -> None:
        call = ParsedCall("run_js", {}, False, "", ())
        assert "append" not in repair(call, TOOLS, cut_at=100).error
        assert "cut at 100 tokens" in repair(call, TOOLS, cut_at=100).error

    def test_cut_before_the_tool_was_named(self) -> None:
        assert "cut at 100 tokens" in repair(ParsedCall("", {}, False, "x", ()), TOOLS, cut_at=100).error

    def test_complete_call_of_a_cut_answer_runs(self) -> None:
        assert fix("write_file", cut_at=100, path="a", content="x").error == ""

    def test_call_that_was_never_closed_without_a_cut(self) -> None:
        error = repair(ParsedCall("write_file", {"path": "a"}, False, "", ()), TOOLS, cut_at=None).error
        assert "ended before the call was complete" in error


class TestUnknownTools:
    def test_names_are_listed(self) -> None:
        error = fix("fetch_url", url="x").error
        assert 'no tool "fetch_url"' in error
        assert all(tool.name in error for tool in TOOLS)
        assert "Did you mean" not in error

    @pytest.mark.parametrize(
        ("name", "meant"),
        [
            ("readfile", "read_file"),
            ("Read_File", "read_file"),
            ("create_file", "write_file"),
            ("grep", "search"),
            ("str_replace", "edit_file"),
            ("ls", "list_dir"),
        ],
    )
    def test_near_names(self, name: str, meant: str) -> None:
        assert fix(name).error.endswith(f"Did you mean {meant}?")

    def test_nothing_is_suggested_that_is_not_there(self) -> None:
        call = ParsedCall("grep", {}, True, "", ())
        assert "search" not in repair(call, TOOLS[:2], cut_at=None).error
        assert repair(call, (), cut_at=None).error

    def test_call_without_a_name(self) -> None:
        error = repair(ParsedCall("", {"path": "a"}, True, "the call names no tool", ()), TOOLS, cut_at=None).error
        assert "names no tool" in error
        assert "<function=read_file>" in error


def test_unreadable_call_says_why_and_shows_the_format() -> None:
    call = ParsedCall("write_file", {"path": "a"}, True, "unescaped quote at character 85", ())
    error = repair(call, TOOLS, cut_at=None, form="json").error
    assert "unescaped quote at character 85" in error
    assert '\\"' in error
    assert '{"name": "write_file"' in error


def test_what_the_parser_forgave_is_among_the_repairs() -> None:
    call = ParsedCall("read_file", {"file": "a"}, True, "", ("JSON repaired: single quotes",))
    assert repair(call, TOOLS, cut_at=None).repairs == ("JSON repaired: single quotes", "took path from file")


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(
    ["path", "file", "content", "code", "append", "port", "old", "search", "text", "steps", "seconds", ""]
)


@given(
    st.sampled_from([t.name for t in SPECS]) | st.text(max_size=10),
    st.dictionaries(NAMES | st.text(max_size=5), JUNK, max_size=5),
    st.booleans(),
    st.none() | st.integers(1, 9999),
)
def test_any_arguments_are_fitted_or_refused(
    tool: str, arguments: dict[str, Any], complete: bool, cut_at: int | None
) -> None:
    repaired = repair(ParsedCall(tool, arguments, complete, "", ()), SPECS, cut_at=cut_at)
    if repaired.error:
        return
    spec = next(s for s in SPECS if s.name == tool)
    assert complete
    assert set(spec.required) <= repaired.arguments.keys()
    types = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list}
    for name, value in repaired.arguments.items():
        parameter = spec.parameter(name)
        assert parameter is not None
        assert isinstance(value, types[parameter.type])  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", ["<append>true</append>", "\n<append>true</append>", "\n<append> true </append>\n"])
def test_a_short_parameter_at_the_end_of_a_text_is_taken_out(ending: str) -> None:
    repaired = fix("write_file", path="a.txt", content="one\ntwo" + ending)
    assert repaired.arguments == {"path": "a.txt", "content": "one\ntwo", "append": True}
    assert repaired.repairs[0] == "took append out of content"
    assert repaired.error == ""


def test_a_tag_of_that_name_is_left_where_it_may_be_meant() -> None:
    for content in ("<append>true</append>\n<p>", "<append>true</append", "<path>a</path>", "<append></append>"):
        assert good("write_file", path="a.html", content=content) == {"path": "a.html", "content": content}
    given = {"path": "a.html", "content": "x<append>true</append>", "append": False}
    assert fix("write_file", **given) == Repaired(given, (), "")


def test_a_tag_of_the_call_at_the_end_of_a_text_is_taken_out() -> None:
    for tag in ("<param>append=true</param>", "\n<parameter>append = false</parameter>\n"):
        repaired = fix("edit_file", path="a.html", old="<p>a</p>", new=f"<p>b</p>{tag}")
        assert repaired.arguments == {"path": "a.html", "old": "<p>a</p>", "new": "<p>b</p>"}
        assert repaired.repairs == ("took a tag of the call out of new",)
        assert repaired.error == ""
    for new in (
        "<param>x</param>",
        "<param name=a>",
        "<p>a</p><param>append=true</param> more",
        '/// <param name="b">The second.</param>',
    ):
        assert fix("edit_file", path="a.html", old="<p>a</p>", new=new).repairs == ()
