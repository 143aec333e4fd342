"""Edits while they are written: `old` is a piece of the file that stands there once, `new` is something else."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.calls import Levels
from roomcode.calls.held import held_rules
from roomcode.chat import Form
from roomcode.engine.llama import LlamaEngine
from roomcode.protocol.engine import EngineError, Matcher
from tests.support.says import Says

FORMS: tuple[Form, ...] = ("xml", "json")
PAGE = (
    "<body>\n  <h1>Bread</h1>\n  <ul>\n    <li>Rye</li>\n    <li>Spelt</li>\n    <li>Rye</li>\n  </ul>\n"
    '  <p class="note">Fresh</p> <p>Daily</p>\n</body>\n'
)
BEGUN: dict[Form, str] = {
    "xml": "<tool_call>\n<function=edit_file>\n<parameter=path>\na.html\n</parameter>\n<parameter=old>\n",
    "json": '<tool_call>\n{"name": "edit_file", "arguments": {"path": "a.html", "old": "',
}
BETWEEN: dict[Form, str] = {"xml": "\n</parameter>\n<parameter=new>\n", "json": '", "new": "'}
CLOSED: dict[Form, str] = {"xml": "\n</parameter>\n</function>\n</tool_call>", "json": '"}}\n</tool_call>'}

CANNOT = "instead of|not allowed"
"""What `Says` says of a text that cannot be reached."""


def written(text: str, form: Form) -> str:
    return text if form == "xml" else json.dumps(text, ensure_ascii=False)[1:-1]


def edit(form: Form, old: str, new: str | None = None, closed: str = "") -> str:
    """An answer: up to within `old`, or up to within `new`, or with its end."""
    text = BEGUN[form] + written(old, form)
    return text if new is None else text + BETWEEN[form] + written(new, form) + closed


def editing(engine: LlamaEngine, form: Form, text: str, **options: Any) -> Says:
    """A model that is about to write `old`."""
    return Says(engine, form, files={"a.html": text}, **options).reach(BEGUN[form])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "piece",
    [
        "<h1>Bread</h1>",
        "<ul>\n    <li>Rye</li>\n    <li>Spelt</li>",
        "<li>Spelt</li>\n    <li>Rye</li>",
        "Spelt</li>",
        "Daily</p>",
        "Fresh",
        '<p class="note">Fresh</p>',
    ],
)
async def test_a_piece_of_the_file_can_be_named(engine: LlamaEngine, form: Form, piece: str) -> None:
    model = editing(engine, form, PAGE).reach(edit(form, piece, "x", CLOSED[form]))
    assert model.text == edit(form, piece, "x", CLOSED[form])
    assert not model.constraint.in_call
    assert model.rewrites == 0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("piece", ["h1>Bread", "p class", "/h1>"])
async def test_no_piece_begins_inside_a_tag(engine: LlamaEngine, form: Form, piece: str) -> None:
    with pytest.raises(AssertionError, match=CANNOT):
        editing(engine, form, PAGE).reach(edit(form, piece))


@pytest.mark.parametrize("form", FORMS)
async def test_an_edit_that_came_to_nothing_is_made_elsewhere_where_there_is_an_elsewhere(
    engine: LlamaEngine, form: Form
) -> None:
    text = "let a = 1;\nlet b = 2;\nlet c = 3;\n"
    tried = (("a.html", "let a = 1;\nlet b = 2;"), ("b.html", "let c = 3;"))
    for piece in ("let a = 1;", "let a = 1;\nlet b = 2;\nlet c = 3;"):
        with pytest.raises(AssertionError, match=CANNOT):
            editing(engine, form, text, vain=tried).reach(edit(form, piece))
    for piece in ("let b = 2;", "let c = 3;", "a = 1"):
        editing(engine, form, text, vain=tried).reach(edit(form, piece, "x", CLOSED[form]))
    short = "let a = 1;\nlet b = 2;\n"
    editing(engine, form, short, vain=tried).reach(edit(form, "let a = 1;", "x", CLOSED[form]))


@pytest.mark.parametrize("form", FORMS)
async def test_no_piece_begins_behind_the_mark_of_a_selector(engine: LlamaEngine, form: Form) -> None:
    text = "#trains td, .late { color: #ff0000; }\nlist.add(one);\n"
    for piece in ("trains td", "late {", "ff0000"):
        with pytest.raises(AssertionError, match=CANNOT):
            editing(engine, form, text).reach(edit(form, piece))
    for piece in ("#ff0000", ".late {", "add(one)"):
        editing(engine, form, text).reach(edit(form, piece, "x", CLOSED[form]))


@pytest.mark.parametrize("form", FORMS)
async def test_no_piece_begins_with_a_closing_tag(engine: LlamaEngine, form: Form) -> None:
    for piece in ("</h1>", "</p> <p>Daily", "</ul>", "</body>"):
        with pytest.raises(AssertionError, match=CANNOT):
            editing(engine, form, PAGE).reach(edit(form, piece))
    # It may be what is too many.
    model = editing(engine, form, PAGE, within=r"</ul>\n[^\n]*").reach(edit(form, "</ul>", "x", CLOSED[form]))
    assert model.rewrites == 0


@pytest.mark.parametrize("form", FORMS)
async def test_once_its_line_is_clear_the_rest_of_it_is_forced(engine: LlamaEngine, form: Form) -> None:
    model = editing(engine, form, PAGE).say("<h")
    assert edit(form, "<h1>").startswith(model.text), "forced up to where a piece may end"
    assert model.text.startswith(edit(form, "<h1"))
    model.reach(edit(form, "<h1>B"))
    assert model.text.rstrip(">\n") == edit(form, "<h1>Bread</h1"), "the tag's end may be one token with what follows"


@pytest.mark.parametrize("form", FORMS)
async def test_no_blank_begins_old_or_new(engine: LlamaEngine, form: Form) -> None:
    model = editing(engine, form, PAGE)
    assert model.refuses(" ")
    assert model.refuses("\t")
    assert model.refuses("\n")
    model.reach(edit(form, "<h1>Bread</h1>", ""))
    assert model.refuses(" ")
    assert model.refuses("\t")
    assert not model.refuses("x")


@pytest.mark.parametrize("form", FORMS)
async def test_old_is_not_closed_while_it_stands_there_twice(engine: LlamaEngine, form: Form) -> None:
    twice, once = "<li>Rye</li>", "<li>Rye</li>\n    <li>Spelt</li>"
    with pytest.raises(AssertionError, match=CANNOT):
        editing(engine, form, PAGE).reach(edit(form, twice, "x"))
    model = editing(engine, form, PAGE).reach(edit(form, once, "x"))
    assert model.text == edit(form, once, "x")


@pytest.mark.parametrize("form", FORMS)
async def test_places_that_overlap_count(engine: LlamaEngine, form: Form) -> None:
    model = editing(engine, form, "aa aa aa\n")
    with pytest.raises(AssertionError, match=CANNOT):
        model.reach(edit(form, "aa aa", "x"))
    assert editing(engine, form, "aa aa aa\n").reach(edit(form, "aa aa aa", "x")).rewrites == 0


@pytest.mark.parametrize("form", FORMS)
async def test_what_could_never_be_told_apart_is_not_begun(engine: LlamaEngine, form: Form) -> None:
    """`foo();` stands at the end and in another line: nothing could follow that makes it the only one."""
    model = editing(engine, form, "x = foo();\nbar\nfoo();\n")
    assert model.refuses("f")
    assert not model.refuses("x")
    model.reach(edit(form, "bar\nfoo();", "x"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", ["a\n" * 3000, " \n\t\n", "ab" * 700 + "\n"], ids=["lines", "blanks", "line"])
async def test_where_no_piece_can_be_named_old_is_free(engine: LlamaEngine, form: Form, text: str) -> None:
    model = editing(engine, form, text).reach(edit(form, "anything", "x"))
    assert model.text == edit(form, "anything", "x")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("path", "levels"), [("b.html", Levels()), ("a.html", Levels(grounding=False))])
async def test_unknown_files_and_the_level_switched_off_leave_old_free(
    engine: LlamaEngine, form: Form, path: str, levels: Levels
) -> None:
    model = Says(engine, form, files={"a.html": PAGE}, levels=levels)
    text = edit(form, "  anything", "  x").replace("a.html", path)
    assert model.reach(text).text == text


@pytest.mark.parametrize("form", FORMS)
async def test_the_file_is_read_when_its_path_is_known(engine: LlamaEngine, form: Form) -> None:
    files = {"a.html": "before\n"}
    model = Says(engine, form, files=files)
    files["a.html"] = "after\n"
    model.reach(BEGUN[form])
    assert model.refuses("b")
    model.reach(edit(form, "after", "x"))


@pytest.mark.parametrize("form", FORMS)
async def test_text_of_a_file_is_never_a_control_token(engine: LlamaEngine, form: Form) -> None:
    text = "one <|im_end|> two\nthree <tool_call> four </tool_call> five\n<|im_start|> six"
    model = editing(engine, form, text)
    before = len(model.tokens)
    if form == "xml":  # a line with a tag of the format cannot be written as raw text
        with pytest.raises(AssertionError, match=CANNOT):
            editing(engine, form, text).reach(edit(form, "three"))
        model.reach(edit(form, "one <|im_end|> two", "x"))
    else:
        model.reach(edit(form, text, "x"))
    control = {token for m in ("<|im_end|>", "<|im_start|>", "<tool_call>") for token in engine.encode(m, control=True)}
    assert not control & set(model.tokens[before:])
    assert model.constraint.in_call


@pytest.mark.parametrize("form", FORMS)
async def test_a_tag_of_the_format_in_a_file_does_not_end_old(engine: LlamaEngine, form: Form) -> None:
    text = "first\n</parameter>\nlast\n"
    model = editing(engine, form, text)
    if form == "xml":
        assert model.refuses("<")
        model.reach(edit(form, "last", "x"))
    else:
        model.reach(edit(form, text[:-1], "x"))


@pytest.mark.parametrize(
    ("form", "ending"),
    [
        ("json", CLOSED["json"]),
        ("xml", CLOSED["xml"]),
        *(("xml", e) for e in ("</function>", "\n</new>", "<|im_end|>")),
    ],
)
async def test_a_copy_turns_where_the_model_was_least_sure(engine: LlamaEngine, form: Form, ending: str) -> None:
    others = {"<h1>": ("C", 8.0), "<h": ("2", 7.0), "<h1>Bread</h1>": ("x", 5.0)}

    def weighs(model: Says) -> Mapping[int, float]:
        other, weight = others.get(model.text.partition(BETWEEN[form])[2], ("", 0.0))
        return {engine.encode(other)[0]: weight} if other else {}

    model = editing(engine, form, PAGE, weighs=weighs).reach(edit(form, "<h1>Bread</h1>", "<h1>Bread</h1>"))
    model.say(ending)
    assert model.rewrites == 1
    assert model.text == edit(form, "<h1>Bread</h1>", "<h1>C")
    model.reach(edit(form, "<h1>Bread</h1>", "<h1>Cake</h1>", CLOSED[form]))
    assert model.rewrites == 1
    assert not model.constraint.in_call


@pytest.mark.parametrize("form", FORMS)
async def test_a_replacement_that_only_begins_like_old_is_left_alone(engine: LlamaEngine, form: Form) -> None:
    model = editing(engine, form, PAGE, weighs=lambda _: {engine.encode("q")[0]: 9.0})
    text = edit(form, "<h1>Bread</h1>", "<h1>Bread</h1>\n  <h2>Fresh</h2>", CLOSED[form])
    assert model.reach(text).text == text
    assert model.rewrites == 0


@pytest.mark.parametrize("form", FORMS)
async def test_a_copy_is_let_through_where_nothing_is_known_of_other_ways(engine: LlamaEngine, form: Form) -> None:
    model = editing(engine, form, PAGE).reach(edit(form, "<h1>Bread</h1>", "<h1>Bread</h1>", CLOSED[form]))
    assert model.rewrites == 0
    assert not model.constraint.in_call


async def test_new_may_be_empty_and_ended_in_another_way(engine: LlamaEngine) -> None:
    model = editing(engine, "xml", PAGE).reach(edit("xml", "<h1>Bread</h1>", "")).say("</function>")
    assert model.text == edit("xml", "<h1>Bread</h1>", "", CLOSED["xml"])
    assert not model.constraint.in_call


@pytest.mark.parametrize("form", FORMS)
async def test_a_grammar_that_cannot_be_made_leaves_the_edit_free(engine: LlamaEngine, form: Form) -> None:
    made = []

    def matcher(grammar: str) -> Matcher:
        made.append(grammar)
        if len(made) > 1:
            raise EngineError("too complex")
        return engine.matcher(grammar)

    model = editing(engine, form, PAGE, matcher=matcher).reach(edit(form, "anything", "x"))
    assert model.text == edit(form, "anything", "x")
    assert len(made) == 2


ATOMS = [*'ab é✅}\\"\u3000\f\t\n', "\n  ", "foo();", "<p>", "</p>", "  \n", "x = 1; y"]
TEXTS = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=25).map("".join)


@pytest.mark.parametrize("form", FORMS)
async def test_held_is_exactly_what_stands_there_once(engine: LlamaEngine, form: Form) -> None:
    closing = "\n</parameter>" if form == "xml" else '"'
    opening = "" if form == "xml" else '"'

    @settings(max_examples=150, deadline=None)
    @given(TEXTS, st.data())
    def check(text: str, data: st.DataObject) -> None:
        rules = held_rules(text, "old", form)
        assert (rules is None) == (not text.strip())
        if rules is None:
            return
        matcher = engine.matcher(f"start: held\n{rules}")
        for _ in range(4):
            start = data.draw(st.integers(0, len(text) - 1))
            end = data.draw(st.integers(start + 1, len(text)))
            if data.draw(st.booleans()):  # widened to whole lines
                start = text.rfind("\n", 0, start) + 1
                end = len(text) if text.find("\n", end) < 0 else text.find("\n", end)
                start += len(text[start:end]) - len(text[start:end].lstrip(" \t\n"))
                end = start + len(text[start:end].rstrip(" \t\n"))
            piece = text[start:end]
            tokens = engine.encode(opening + written(piece, form) + closing)
            taken = matcher.accepts(tokens) == len(tokens)
            once = sum(text.startswith(piece, at) for at in range(len(text))) == 1
            visible = bool(piece) and piece == piece.strip(" \t\n")
            lines = not text[:start].rpartition("\n")[2].strip(" \t\n") and not text[end:].partition("\n")[0].strip(
                " \t\n"
            )
            fits = once and visible and (not piece.startswith("</") or text.lstrip(" \t\n").startswith("</"))
            assert not taken or fits, (text, piece)
            assert taken or not (fits and lines), (text, piece)

    check()


# What has to be in `new`


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ending", ["closed", "ended"])
async def test_what_has_to_be_in_new_gets_to_its_likeliest_place(engine: LlamaEngine, form: Form, ending: str) -> None:
    first = engine.encode("#008000")[0]

    def weighs(model: Says) -> Mapping[int, float]:
        return {first: 9.0} if model.text.endswith("color: ") else {first: 5.0}

    model = editing(engine, form, PAGE, weighs=weighs, wanted=("#008000",))
    model.reach(edit(form, "<h1>Bread</h1>", '<h1 style="color: blue">Bread</h1>'))
    closing = CLOSED[form] if ending == "closed" else "<|im_end|>"
    if ending == "ended" and form == "json":
        return  # there is no other way to end a string
    model.say(closing)
    assert model.rewrites == 1
    assert model.text == edit(form, "<h1>Bread</h1>", '<h1 style="color: #008000')
    model.say(written('">Bread</h1>', form) + CLOSED[form])
    assert not model.constraint.in_call
    assert model.rewrites == 1


@pytest.mark.parametrize("form", FORMS)
async def test_what_is_in_new_already_is_left_alone(engine: LlamaEngine, form: Form) -> None:
    weighs = {engine.encode("x")[0]: 9.0}
    model = editing(engine, form, PAGE, weighs=lambda _: weighs, wanted=("#008000", 'id="x"'))
    text = edit(form, "<h1>Bread</h1>", '<h1 id="x">Bread</h1>', CLOSED[form])
    assert model.reach(text).text == text
    assert model.rewrites == 0


@pytest.mark.parametrize("form", FORMS)
async def test_what_is_likely_nowhere_is_not_asked_for(engine: LlamaEngine, form: Form) -> None:
    model = editing(engine, form, PAGE, weighs=lambda _: {}, wanted=("#008000",))
    text = edit(form, "<h1>Bread</h1>", "<h1>Rolls</h1>", CLOSED[form])
    assert model.reach(text).text == text
    assert model.rewrites == 0


@pytest.mark.parametrize("form", FORMS)
async def test_what_is_likely_nowhere_goes_behind_the_piece(engine: LlamaEngine, form: Form) -> None:
    options: dict[str, Any] = {"wanted": ('id="sum"',), "within": "(?s)<ul>.*</ul>", "insert": '<div id="sum"'}
    model = editing(engine, form, PAGE, weighs=lambda _: {}, **options)
    model.reach(edit(form, "<li>Spelt</li>", "<li>Rolls</li>")).say(CLOSED[form])
    assert model.rewrites == 1
    assert model.text == edit(form, "<li>Spelt</li>", '<li>Spelt</li>\n<div id="sum"')
    model.say(written("></div>", form) + CLOSED[form])
    assert not model.constraint.in_call


@pytest.mark.parametrize("form", FORMS)
async def test_where_something_may_go_behind_a_piece_that_is_no_part_of_a_line(engine: LlamaEngine, form: Form) -> None:
    options: dict[str, Any] = {"wanted": ('id="sum"',), "within": "(?s)<ul>.*</ul>", "insert": '<div id="sum"'}
    with pytest.raises(AssertionError, match=CANNOT):
        editing(engine, form, PAGE, **options).reach(edit(form, "Spelt", "x"))


@pytest.mark.parametrize("form", FORMS)
async def test_what_a_piece_becomes_may_be_known(engine: LlamaEngine, form: Form) -> None:
    options: dict[str, Any] = {"within": "<h1>[^\n]*", "entire": True, "becomes": ("^<h1", r'<h1 id="a\\b"')}
    model = editing(engine, form, PAGE, **options).reach(edit(form, "<h1>Bread</h1>"))
    model.reach(edit(form, "<h1>Bread</h1>", r'<h1 id="a\b">Bread</h1>', CLOSED[form]))
    assert model.rewrites == 0
    with pytest.raises(AssertionError, match=CANNOT):
        editing(engine, form, PAGE, **options).reach(edit(form, "<h1>Bread</h1>", "<h1>Rolls"))
    # Where it would stay as it is, it may become anything.
    options["becomes"] = ("^<h2", "<h3")
    editing(engine, form, PAGE, **options).reach(edit(form, "<h1>Bread</h1>", "<h1>Rolls</h1>", CLOSED[form]))


# A whole file that is there already

LONG = "<!doctype html>\n" + "".join(f"<p>Line {n} of a page</p>\n" for n in range(40))
WRITING: dict[Form, str] = {
    "xml": "<tool_call>\n<function=write_file>\n<parameter=path>\na.html\n</parameter>\n<parameter=content>\n",
    "json": '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.html", "content": "',
}


def writing(engine: LlamaEngine, form: Form, text: str, first: tuple[str, ...], whole: str = "write_file") -> Says:
    return Says(engine, form, files={"a.html": text}, first=first, whole=whole)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", [LONG, "<p>short</p>\n"])
async def test_a_file_that_is_sent_once_more_becomes_another_call(engine: LlamaEngine, form: Form, text: str) -> None:
    model = writing(engine, form, text, ("write_file", "edit_file")).reach(WRITING[form])
    model.say(written(text[:300].rstrip("\n"), form))
    assert model.rewrites == 1
    assert model.text.startswith(BEGUN[form][: BEGUN[form].index("edit_file") + len("edit_file")])
    assert model.constraint.in_call


@pytest.mark.parametrize("form", FORMS)
async def test_another_text_for_a_file_is_written(engine: LlamaEngine, form: Form) -> None:
    text = WRITING[form] + written(LONG[:200] + "<h1>Something else</h1>" + LONG[200:], form)
    model = writing(engine, form, LONG, ("write_file", "edit_file")).reach(text)
    assert model.text == text
    assert model.rewrites == 0


@pytest.mark.parametrize("form", FORMS)
async def test_where_nothing_else_can_be_called_the_file_is_written(engine: LlamaEngine, form: Form) -> None:
    text = WRITING[form] + written(LONG, form)
    model = writing(engine, form, LONG, ("write_file",)).reach(text)
    assert model.text == text
    assert writing(engine, form, LONG, ("write_file", "edit_file"), "").reach(text).text == text


# Whole lines


@pytest.mark.parametrize("form", FORMS)
async def test_where_words_are_too_little_lines_and_their_segments_are_replaced(
    engine: LlamaEngine, form: Form
) -> None:
    for piece in ("<h1>Bread</h1>", '<p class="note">Fresh</p>', "<h1>"):
        editing(engine, form, PAGE, words=False).reach(edit(form, piece, "x", CLOSED[form]))
    with pytest.raises(AssertionError, match=CANNOT):
        editing(engine, form, PAGE, words=False).reach(edit(form, "Fresh", "x"))
    with pytest.raises(AssertionError, match=CANNOT):
        editing(engine, form, PAGE, words=False).reach(edit(form, "Bread", "x"))


# The place where a change belongs


@pytest.mark.parametrize("form", FORMS)
async def test_where_the_place_is_known_nothing_else_is_replaced(engine: LlamaEngine, form: Form) -> None:
    for within, piece in (
        ("<ul>(?s:.*)</ul>", "<li>Spelt</li>"),
        ("<ul>(?s:.*)</ul>", "<ul>\n    <li>Rye</li>\n    <li>Spelt</li>"),
        ("<h1>(.*)</h1>", "Bread"),
        (r"\A(?:[^\n]*\n){7}([^\n]*)", "<p>Daily</p>"),
    ):
        editing(engine, form, PAGE, within=within).reach(edit(form, piece, "x", CLOSED[form]))
    for within, piece in (
        ("<ul>(?s:.*)</ul>", "<h1>"),
        ("<ul>(?s:.*)</ul>", "<body>"),
        ("<h1>(.*)</h1>", "<h1>"),
        (r"\A(?:[^\n]*\n){7}([^\n]*)", "Spelt"),
    ):
        with pytest.raises(AssertionError, match=CANNOT):
            editing(engine, form, PAGE, within=within).reach(edit(form, piece, "x"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("within", ["<table>.*</table>", "<li>Rye</li>"])
async def test_a_place_that_is_not_there_or_cannot_be_named_holds_nothing(
    engine: LlamaEngine, form: Form, within: str
) -> None:
    model = editing(engine, form, PAGE, within=within).reach(edit(form, "<h1>Bread</h1>", "x", CLOSED[form]))
    assert not model.constraint.in_call


# Elements in scripts

SCRIPT = "let a = 1;\nlet b = 2;\nlet c = 3;\n"


@pytest.mark.parametrize(
    ("text", "name", "new", "ended"),
    [
        (SCRIPT, "a.js", "let b = 4;\n<input ", True),
        (SCRIPT, "a.js", "let b = 4;\n  <div>", True),
        (SCRIPT, "a.js", "let b = `\n  <div>", False),
        (SCRIPT, "a.js", "let b = a\n  <c", False),
        (SCRIPT, "a.js", 'let b = "<b>";\nif (a <b ', False),
        (SCRIPT + "const card = (\n  <p>A</p>\n);\n", "a.js", "let b = 4;\n<input ", False),
        (SCRIPT, "a.html", "let b = 4;\n<input ", False),
    ],
)
async def test_an_element_does_not_begin_a_line_of_a_script(
    engine: LlamaEngine, text: str, name: str, new: str, ended: bool
) -> None:
    begun = BEGUN["xml"].replace("a.html", name)
    model = Says(engine, "xml", files={name: text}).reach(f"{begun}let b = 2;{BETWEEN['xml']}").say(new)
    kept = new.partition("\n")[0]
    assert model.text == f"{begun}let b = 2;{BETWEEN['xml']}{kept + CLOSED['xml'] if ended else new}"
    assert model.rewrites == int(ended)


# What stands behind the place

ROWS = "<body>\n" + "".join(f"<p>Row number {n} of this page</p>\n" for n in range(20)) + "</body>\n"


async def test_a_replacement_that_copies_the_rest_of_the_file_is_ended(engine: LlamaEngine) -> None:
    old = "<p>Row number 3 of this page</p>"
    model = editing(engine, "xml", ROWS).reach(edit("xml", old, "<p>Row 3</p>\n"))
    model.say(ROWS[ROWS.index("<p>Row number 4") :])
    assert not model.constraint.in_call
    copied = model.text.partition("<p>Row 3</p>\n")[2].partition("\n</parameter>")[0]
    assert ROWS.partition(old)[2].lstrip("\n").startswith(copied)
    assert 160 <= len(copied) <= 220
    assert model.rewrites == 1


async def test_other_long_replacements_are_left_alone(engine: LlamaEngine) -> None:
    old = "<p>Row number 3 of this page</p>"
    for new in (
        "".join(f"<p>Row number {n} of this place</p>\n" for n in range(20)) + "<p>end</p>",
        "<p>Row number 4 of this page</p>\n<p>Row number 5 of this page</p>",
        ROWS[: ROWS.index(old)] + "<p>end</p>",
        "<p>Row 3</p>\n" + ROWS[ROWS.index("<p>Row number 8") :] + "<p>end</p>",
    ):
        text = edit("xml", old, new, CLOSED["xml"])
        assert editing(engine, "xml", ROWS).reach(text).text == text


async def test_a_copy_of_the_rest_goes_the_way_of_what_has_to_be_there(engine: LlamaEngine) -> None:
    first = engine.encode("#008000")[0]

    def weighs(model: Says) -> Mapping[int, float]:
        return {first: 9.0} if model.text.endswith("<p>") else {}

    old = "<p>Row number 3 of this page</p>"
    model = editing(engine, "xml", ROWS, weighs=weighs, wanted=("#008000",))
    model.reach(edit("xml", old, "<p>Row 3</p>\n")).say(ROWS[ROWS.index("<p>Row number 4") :])
    assert model.text == edit("xml", old, "<p>#008000")


async def test_a_page_that_is_copied_up_to_its_end_is_ended_there(engine: LlamaEngine) -> None:
    text = "<html>\n<p>a</p>\n<p>b</p>\n</html>\n"
    model = editing(engine, "xml", text).reach(edit("xml", "<p>a</p>", "<p>x</p>\n<p>y</p>\n</html>\n"))
    assert not model.constraint.in_call
    assert model.text == edit("xml", "<p>a</p>", "<p>x</p>\n<p>y</p>\n</html>", CLOSED["xml"])


@pytest.mark.parametrize("form", FORMS)
async def test_in_another_file_than_meant_nothing_has_to_be_there(engine: LlamaEngine, form: Form) -> None:
    weighs = {engine.encode("#008000")[0]: 9.0}
    model = editing(engine, form, PAGE, weighs=lambda _: weighs, wanted=("#008000",), within="<ul>", where=("b.html",))
    text = edit(form, "<h1>Bread</h1>", "<h1>Rolls</h1>", CLOSED[form])
    assert model.reach(text).text == text
    assert model.rewrites == 0


@pytest.mark.parametrize("form", FORMS)
async def test_a_place_may_be_all_that_is_replaced(engine: LlamaEngine, form: Form) -> None:
    within = "(?s)<ul>.*</ul>"
    old = PAGE[PAGE.index("<ul>") : PAGE.index("</ul>") + 5]
    model = editing(engine, form, PAGE, within=within, entire=True).reach(edit(form, "<"))
    assert model.text.startswith(edit(form, old)), "all of it is forced"
    assert not model.reach(edit(form, old, "<ol></ol>", CLOSED[form])).constraint.in_call
