"""Answers as models write them, and what is read out of them."""

import json
from typing import Any

import pytest

from roomcode.calls.parser import Parsed, parse
from tests.calls.tools import SPECS


def read(answer: str, *, cut: bool = False) -> Parsed:
    return parse(answer, SPECS, cut=cut)


def made(answer: str, *, cut: bool = False) -> list[tuple[str, dict[str, Any]]]:
    """Calls that would run."""
    return [(c.tool, c.arguments) for c in read(answer, cut=cut).calls if c.complete and not c.error]


def only(answer: str, *, cut: bool = False) -> dict[str, Any]:
    """The arguments of the one call in the answer."""
    parsed = read(answer, cut=cut)
    assert len(parsed.calls) == 1
    assert parsed.calls[0].complete
    assert parsed.calls[0].error == ""
    return parsed.calls[0].arguments


def refused(answer: str, *, cut: bool = False) -> str:
    """Why the one call in the answer cannot run; empty when it is only incomplete."""
    parsed = read(answer, cut=cut)
    assert len(parsed.calls) == 1
    assert parsed.calls[0].error or not parsed.calls[0].complete
    return parsed.calls[0].error


def xml(tool: str, **arguments: str) -> str:
    body = "".join(f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in arguments.items())
    return f"<tool_call>\n<function={tool}>\n{body}</function>\n</tool_call>"


READ_A = '{"name": "read_file", "arguments": {"path": "a.html"}}'
READ_B = '{"name": "read_file", "arguments": {"path": "b.html"}}'
BOTH = [("read_file", {"path": "a.html"}), ("read_file", {"path": "b.html"})]
WRITE = '{"name": "write_file", "arguments": {"path": "notes/todo.md", "content": "- one\\n- two\\n"}}'
WRITTEN = ("write_file", {"path": "notes/todo.md", "content": "- one\n- two\n"})


class TestTrainedForms:
    def test_xml_call_with_text_before_it(self) -> None:
        parsed = read("I'll look.\n\n" + xml("read_file", path="index.html"))
        assert parsed.text == "I'll look."
        assert [(c.tool, c.arguments, c.notes) for c in parsed.calls] == [("read_file", {"path": "index.html"}, ())]

    def test_json_calls_with_text_before_them(self) -> None:
        answer = f"Let me check both pages.\n\n<tool_call>\n{READ_A}\n</tool_call>\n<tool_call>\n{READ_B}\n</tool_call>"
        assert read(answer).text == "Let me check both pages."
        assert made(answer) == BOTH
        assert all(c.notes == () for c in read(answer).calls)

    def test_text_on_the_line_of_the_call(self) -> None:
        assert made(f"Looking: <tool_call>\n{READ_A}\n</tool_call>") == BOTH[:1]
        assert read(f"Looking: <tool_call>\n{READ_A}\n</tool_call>").text == "Looking:"

    def test_text_after_a_call_becomes_its_own_paragraph(self) -> None:
        assert read(f"One.\n<tool_call>\n{READ_A}\n</tool_call>\nTwo.").text == "One.\n\nTwo."

    def test_call_without_arguments(self) -> None:
        assert made(xml("list_dir")) == [("list_dir", {})]
        assert made('<tool_call>\n{"name": "list_dir", "arguments": {}}\n</tool_call>') == [("list_dir", {})]

    def test_unknown_tool_in_a_clear_call_is_reported_by_name(self) -> None:
        assert made('<tool_call>\n{"name": "open_it", "arguments": {"x": 1}}\n</tool_call>') == [("open_it", {"x": 1})]
        assert made(xml("open_it", x="1")) == [("open_it", {"x": "1"})]
        assert made("<function=open_it>\n<parameter=x>\n1\n</parameter>\n</function>") == [("open_it", {"x": "1"})]

    @pytest.mark.parametrize("wrap", ["{}", "```json\n{}\n```", "\n {}\nI hope it works."])
    def test_unknown_tool_in_an_answer_that_says_nothing_before(self, wrap: str) -> None:
        answer = wrap.replace("{}", '{"name": "replace_title", "arguments": {"title": "Hello"}}')
        assert made(answer) == [("replace_title", {"title": "Hello"})]


class TestXmlValues:
    def test_exactly_one_newline_on_each_side_belongs_to_the_format(self) -> None:
        assert only(xml("write_file", path="a", content="\n  x\n\n"))["content"] == "\n  x\n\n"
        assert only(xml("write_file", path="a", content=""))["content"] == ""
        assert only("<function=read_file><parameter=path>a.html</parameter></function>") == {"path": "a.html"}

    def test_types_come_from_the_tool(self) -> None:
        given = only(xml("write_file", path="12", content="true", append="True"))
        assert given == {"path": "12", "content": "true", "append": True}
        assert only(xml("serve", port=" 8080 ")) == {"port": 8080}
        assert only(xml("wait", seconds="1.5")) == {"seconds": 1.5}
        assert only(xml("plan", steps='["a", {"b": 1}]')) == {"steps": ["a", {"b": 1}]}

    def test_text_that_fits_no_type_stays_text(self) -> None:
        assert only(xml("serve", port="any")) == {"port": "any"}

    def test_nothing_is_decoded(self) -> None:
        text = '["a","b"] &lt;b&gt; \\n "q" \t\r\nend\x00\x1b'
        assert only(xml("write_file", path="a", content=text))["content"] == text

    def test_layout_around_a_one_line_value_is_no_part_of_it(self) -> None:
        answer = "<function=read_file>\n  <parameter=path>\n    a.html\n  </parameter>\n</function>"
        assert only(answer) == {"path": "a.html"}

    @pytest.mark.parametrize(
        "text",
        [
            "Use </parameter> inline, or <parameter=x>.",
            "<tool_call>\n<function=x>\n</function> and so on",
            "The tag </content> is ours\n</content> too",
            "It is </tool_call> that ends it",
            "and </function>\nis before it",
            "<think>no</think>",
            "```html\n<p>\n```",
        ],
    )
    def test_markup_that_cannot_be_the_end_is_content(self, text: str) -> None:
        assert only(xml("write_file", path="a", content=text))["content"] == text

    def test_content_that_quotes_a_whole_call_is_refused_and_runs_nothing(self) -> None:
        manual = "Write this:\n" + xml("run_js", code="rm()") + "\nand wait."
        parsed = read(xml("write_file", path="manual.md", content=manual))
        assert parsed.calls
        assert not made(xml("write_file", path="manual.md", content=manual))


class TestNearMissesOfXml:
    def test_missing_opening_tag(self) -> None:
        answer = (
            "I'll look at the page first.\n\n<function=read_file>\n<parameter=path>\npages/menu.html\n</parameter>\n"
            "</function>\n</tool_call>"
        )
        assert read(answer).text == "I'll look at the page first."
        assert made(answer) == [("read_file", {"path": "pages/menu.html"})]

    @pytest.mark.parametrize(
        "answer",
        [
            '<function name="read_file">\n<parameter name="path">a.html</parameter>\n</function>',
            "<function='read_file'>\n<parameter = path>\na.html\n</parameter>\n</function>",
            '<invoke name="read_file">\n<parameter name="path">a.html</parameter>\n</invoke>',
            '<function_calls>\n<invoke name="read_file">\n<parameter name="path">a.html</parameter>\n</invoke>\n'
            "</function_calls>",
            '<tool_call>\n<function=read_file>\n{"path": "a.html"}\n</function>\n</tool_call>',
            '<tool_call>\n<function=read_file>\n```json\n{"path": "a.html"}\n```\n</function>\n</tool_call>',
            '<function=read_file>{"name": "read_file", "arguments": {"path": "a.html"}}</function>',
            "<tool_call>\n<read_file>\n<path>a.html</path>\n</read_file>\n</tool_call>",
            "<tool_call>\n<function=read_file>\n<path>\na.html\n</path>\n</function>\n</tool_call>",
            "<tool_call>\n<tool_call>\n<function=read_file>\n<parameter=path>\na.html\n</parameter>\n</function>",
            "```xml\n" + xml("read_file", path="a.html") + "\n```",
        ],
    )
    def test_other_spellings(self, answer: str) -> None:
        assert made(answer) == BOTH[:1]
        assert read(answer).text == ""

    @pytest.mark.parametrize(
        "end",
        [
            "\n</function>\n</tool_call>",
            "\n</tool_call>",
            "\n</content>\n</function>\n</tool_call>",
            "\n</content>",
            "\n<parameter=append>\nfalse\n</parameter>\n</function>\n</tool_call>",
            "\n```",
            "\n```\n",
            "<|im_end|>",
            "",
            "\n",
        ],
    )
    def test_other_ends_of_a_long_text(self, end: str) -> None:
        head = "<tool_call>\n<function=write_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=content>\n"
        parsed = read(head + "one\ntwo" + end)
        assert [c.arguments["content"] for c in parsed.calls] == ["one\ntwo"]
        assert parsed.calls[0].notes
        assert made(head + "one\ntwo" + end)

    def test_fence_around_and_in_a_markdown_file_is_kept(self) -> None:
        text = "# Title\n```\ncode\n```"
        assert only(f"<function=write_file>\n<parameter=path>\na.md\n</parameter>\n<parameter=content>\n{text}") == {
            "path": "a.md",
            "content": text,
        }

    def test_missing_closing_of_a_one_line_value(self) -> None:
        answer = "<function=search>\n<parameter=pattern>\nTODO\n<parameter=path>\nsrc\n</parameter>\n</function>"
        assert only(answer) == {"pattern": "TODO", "path": "src"}

    def test_missing_end_of_the_call_before_text(self) -> None:
        answer = "<tool_call>\n<function=read_file>\n<parameter=path>\na.html\n</parameter>\nNow I wait."
        assert made(answer) == BOTH[:1]
        assert read(answer).text == "Now I wait."

    def test_text_behind_a_long_value_is_not_cut_off_silently(self) -> None:
        answer = xml("write_file", path="a", content="one\n</parameter>\ntwo")
        assert "<parameter=...>" in refused(answer)

    def test_misspelt_tags_are_neither_run_nor_shown(self) -> None:
        answer = (
            "<function=edit_file>\n<parameter=path>\nindex.html\n</parameter>\n<parameter>old</parameter>\n<title>\n"
            "</parameter>\n<parameter>new</parameter>\n</function>"
        )
        assert "<parameter=...>" in refused(answer)
        assert read(answer).text == ""

    def test_two_different_contents_are_refused(self) -> None:
        answer = xml("write_file", path="a", content="one").replace(
            "</function>", "<parameter=content>\ntwo\n</parameter>\n</function>"
        )
        assert "twice" in refused(answer)


class TestNearMissesOfJson:
    @pytest.mark.parametrize(
        "answer",
        [
            f"```json\n{WRITE}\n```",
            f"```\n{WRITE}\n```",
            f"  ```json\n  {WRITE}\n  ```",
            f"Sure!\n\n```json\n{WRITE}\n```\n",
            WRITE,
            f"Sure!\n{WRITE}",
            f"<tools>{WRITE}</tools>",
            f"<tools>\n{WRITE}\n</tools>",
            f"<tool_call>\n```json\n{WRITE}\n```\n</tool_call>",
            f"{WRITE}\n</tool_call>",
            f"[{WRITE}]",
            WRITE.replace('"arguments"', '"parameters"'),
            '{"type": "function", "function": ' + WRITE + "}",
            '{"id": "call_1", "type": "function", "function": ' + WRITE + "}",
            f"<tool_call>\n{WRITE[:-1]}\n</tool_call>",
            f"<tool_call>\n{WRITE[:-2]}\n</tool_call>",
            f"<tool_call>\n{WRITE}}}\n</tool_call>",
            f"<tool_call>\n{WRITE}",
        ],
    )
    def test_openings_and_ends(self, answer: str) -> None:
        assert made(answer) == [WRITTEN]
        assert read(answer).text in ("", "Sure!")

    @pytest.mark.parametrize(
        "answer",
        [
            f"<tools>[{READ_A}, {READ_B}]</tools>",
            f"<tool_call>\n{READ_A}\n{READ_B}\n</tool_call>",
            f"<tool_call>\n[{READ_A},\n{READ_B}]\n</tool_call>",
            f"```json\n[\n{READ_A},\n{READ_B}\n]\n```",
            f"```json\n{READ_A}\n{READ_B}\n```",
            f"```json\n{READ_A}\n```\n```json\n{READ_B}\n```",
            f"{READ_A}\n{READ_B}",
            f"{READ_A}{READ_B}",
        ],
    )
    def test_several_calls(self, answer: str) -> None:
        assert made(answer) == BOTH
        assert read(answer).text == ""

    def test_fence_that_is_closed_late(self) -> None:
        answer = f"```json\n{READ_A}\n\nThen:\n```json\n{READ_B}\n```\nDone."
        assert made(answer) == BOTH
        assert read(answer).text == "Then:\n\nDone."

    def test_arguments_before_the_name(self) -> None:
        answer = '{"arguments": {"path": "a.html"}, "name": "read_file"}'
        assert made(answer) == BOTH[:1]
        assert made(f"```json\n{answer}\n```") == BOTH[:1]
        other = answer.replace("read_file", "load")
        assert read(other).text == other
        assert read(f"```json\n{other}\n```\nok").text == f"```json\n{other}\n```\nok"

    def test_arguments_beside_the_name(self) -> None:
        assert made('<tool_call>\n{"name": "read_file", "path": "a.html"}\n</tool_call>') == BOTH[:1]

    def test_invalid_escapes_keep_their_backslash(self) -> None:
        answer = r'{"name": "search", "arguments": {"pattern": "id=\d+\.\w*", "path": "src"}}'
        assert only(answer) == {"pattern": r"id=\d+\.\w*", "path": "src"}
        mixed = r'{"name": "search", "arguments": {"pattern": "\d\n\"\u00e9\\w", "path": "src"}}'
        assert only(mixed)["pattern"] == '\\d\n"é\\w'

    def test_second_copy_that_is_cut_off_is_ignored(self) -> None:
        first = '{"name": "read_file", "arguments": {"path": "list.html"}}'
        for size in range(1, len(first)):
            parsed = read(first + first[:size])
            assert [(c.tool, c.arguments) for c in parsed.calls] == [("read_file", {"path": "list.html"})], size
            assert parsed.text == "", size

    def test_another_call_that_is_cut_off_is_not_ignored(self) -> None:
        parsed = read(f"{READ_A}{READ_B[:-6]}")
        assert [c.complete for c in parsed.calls] == [True, False]

    def test_arguments_in_a_string_and_a_list_in_a_string_in_it(self) -> None:
        inner = json.dumps([{"text": "make page", "done": False}])
        answer = json.dumps({"name": "plan", "arguments": json.dumps({"steps": inner})})
        assert only(answer) == {"steps": [{"text": "make page", "done": False}]}
        assert len(read(answer).calls[0].notes) == 2

    def test_a_text_that_looks_like_json_stays_text(self) -> None:
        answer = r'{"name": "write_file", "arguments": {"path": "a.json", "content": "[\"a\",\"b\"]"}}'
        assert only(answer)["content"] == '["a","b"]'

    def test_python_and_comments(self) -> None:
        answer = (
            "{'name': 'search', 'arguments': {'pattern': 'TODO', 'path': 'src', 'case_sensitive': False, /* all */ },}"
        )
        assert only(answer) == {"pattern": "TODO", "path": "src", "case_sensitive": False}
        note = read(answer).calls[0].notes[0]
        assert all(word in note for word in ("single quotes", "trailing comma", "comment", "Python literal"))

    def test_unquoted_keys_and_values(self) -> None:
        assert made("{name: read_file, arguments: {path: a.html}}") == BOTH[:1]

    @pytest.mark.parametrize("quote", ["`", '"""', "'''"])
    def test_other_quotes_around_a_page(self, quote: str) -> None:
        page = '<p class="x">\n</p>\n'
        answer = f'{{"name": "write_file", "arguments": {{"path": "a", "content": {quote}{page}{quote}}}}}'
        assert only(answer)["content"] == page

    def test_raw_line_breaks_and_tabs(self) -> None:
        answer = (
            '<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "content": "x\n\ty\r\n"}}\n</tool_call>'
        )
        assert only(answer)["content"] == "x\n\ty\r\n"

    def test_closing_tags_in_a_string_are_text(self) -> None:
        text = "Use <tool_call> and </tool_call>,\\n```\\n</function>"
        answer = (
            f'<tool_call>\n{{"name": "write_file", "arguments": {{"path": "a", "content": "{text}"}}}}\n</tool_call>'
        )
        assert only(answer)["content"] == text.replace("\\n", "\n")

    def test_null_arguments(self) -> None:
        assert made('<tool_call>{"name": "list_dir", "arguments": null}</tool_call>') == [("list_dir", {})]
        assert made('<tool_call>{"name": "list_dir"}</tool_call>') == [("list_dir", {})]


class TestRefusedRatherThanGuessed:
    @pytest.mark.parametrize(
        "content",
        [
            'const k = get("KEY", "none");\n\tconsole.log(k);\n',
            'x = split(",")',
            'f("}}");',
            'f("}}}}");',
            'print("")',
            'say "hi"',
            '<div class="a">}</div>',
            'a["b"]',
            '{"a": "b"}',
            'f("}}<b>")',
            'x = "1"\ny = 2',
        ],
    )
    @pytest.mark.parametrize("wrap", ["<tool_call>\n{}\n</tool_call>", "```json\n{}\n```", "{}"])
    def test_unescaped_quotes(self, content: str, wrap: str) -> None:
        call = f'{{"name": "write_file", "arguments": {{"path": "js/env.js", "content": "{content}"}}}}'
        parsed = read(wrap.replace("{}", call))
        assert len(parsed.calls) == 1
        assert "unescaped quote at character " in parsed.calls[0].error
        assert "content" not in parsed.calls[0].arguments
        assert parsed.calls[0].tool == "write_file"

    def test_the_character_is_where_the_string_seems_to_end(self) -> None:
        call = '{"name": "search", "arguments": {"pattern": "say "hi""}}'
        error = refused(call)
        at = int(error.rsplit(" ", 1)[1])
        assert call[:at].endswith('"say "')

    def test_a_good_call_after_a_broken_one_still_counts(self) -> None:
        bad = '<tool_call>\n{"name": "search", "arguments": {"pattern": "say "hi""}}\n</tool_call>'
        parsed = read(f"{bad}\n<tool_call>\n{READ_A}\n</tool_call>")
        assert [bool(c.error) for c in parsed.calls] == [True, False]

    @pytest.mark.parametrize(
        ("answer", "words"),
        [
            ('<tool_call>\n{"path": "a"}\n</tool_call>', "names no tool"),
            ('<tool_call>\n{"name": "read_file", "arguments": ["a"]}\n</tool_call>', "not an object"),
            ('<tool_call>\n{"name": "read_file", "arguments": "a.html"}\n</tool_call>', "not an object"),
            ('<tool_call>\n{"name": "read_file", "arguments": "{\\"a"}\n</tool_call>', "in it: it ends"),
            ("<tool_call>\nread_file a.html\n</tool_call>", "neither JSON"),
            ("<tool_call>\nread_file(path='a')", "neither JSON"),
            ("<tool_call>", "the answer ended"),
            ("<function=read_file>\n{path}\n</function>", "unexpected"),
            (
                '{"name": "read_file", "parameters": {"type": "object", "properties": {"path": {}}}}',
                "description of the tool",
            ),
        ],
    )
    def test_calls_that_cannot_be_read(self, answer: str, words: str) -> None:
        assert words in refused(answer)


class TestCutOff:
    def test_a_cut_string_gives_no_content(self) -> None:
        answer = '{"name":"write_file","arguments":{"path":"game.js","content":"// part 1\nfunction a() {'
        for cut in (True, False):
            call = read(answer, cut=cut).calls[0]
            assert (call.tool, call.arguments, call.complete) == ("write_file", {"path": "game.js"}, False)

    def test_a_cut_raw_value_gives_no_content(self) -> None:
        whole = xml("write_file", path="game.js", content="// part 1\nfunction a() {}")
        answer = whole[: whole.index("{}")]
        call = read(answer, cut=True).calls[0]
        assert (call.tool, call.arguments, call.complete) == ("write_file", {"path": "game.js"}, False)

    def test_more_parameters_could_have_followed(self) -> None:
        whole = xml("write_file", path="game.js", content="x")
        assert not read(whole[: whole.index("</function>")], cut=True).calls[0].complete
        assert not read(WRITE[:-1], cut=True).calls[0].complete

    def test_a_call_that_is_complete_counts_when_the_answer_is_cut_later(self) -> None:
        assert made(WRITE, cut=True) == [WRITTEN]
        assert made(xml("read_file", path="a.html").removesuffix("\n</tool_call>"), cut=True) == BOTH[:1]

    @pytest.mark.parametrize("tail", ["<tool", "<tool_call", "<functio", "</thin"])
    def test_a_piece_of_a_tag_at_the_end_is_not_shown(self, tail: str) -> None:
        assert read(f"Next.\n{tail}", cut=True).text == "Next."


class TestThoughts:
    def test_think_block(self) -> None:
        parsed = read("<think>\nhm `<tool_call>`\n</think>\n\nDone.")
        assert (parsed.text, parsed.thought, parsed.calls) == ("Done.", "hm `<tool_call>`", ())

    def test_block_that_the_prompt_opened(self) -> None:
        assert read("hm, so\n</think>\nDone.") == Parsed("Done.", "hm, so", ())

    def test_block_that_never_ends(self) -> None:
        assert read("<think>\nhm") == Parsed("", "hm", ())

    @pytest.mark.parametrize("end", ["", "</think>", "\n</think>\n\n"])
    @pytest.mark.parametrize(
        "calls",
        [
            f"<tool_call>\n{READ_A}\n</tool_call>\n",
            xml("read_file", path="a.html"),
            "\n<function=read_file>\n<parameter=path>\na.html\n</parameter>\n</function>\n</tool_call>",
        ],
    )
    def test_call_at_the_end_of_a_thought_counts(self, calls: str, end: str) -> None:
        answer = f"<think>\nThe file needs a heading. {calls}{end}"
        assert made(answer) == BOTH[:1]
        assert (read(answer).thought, read(answer).text) == ("The file needs a heading.", "")

    def test_all_calls_at_the_end_count_and_earlier_ones_do_not(self) -> None:
        answer = f"<think>maybe <tool_call>\n{WRITE}\n</tool_call> no: <tool_call>\n{READ_A}\n{READ_B}\n</tool_call>"
        assert made(answer) == BOTH
        assert "write_file" in read(answer).thought

    @pytest.mark.parametrize(
        "answer",
        [
            f"<think>maybe <tool_call>\n{READ_A}\n</tool_call> no.</think>\nI am done.",
            f"<think>maybe <tool_call>\n{READ_A}\n</tool_call></think>\nI am done.",
            f"<think>maybe <tool_call>\n{READ_A[:-9]}",
            f"<think>maybe <tool_call>\n{READ_A}\n</tool_call> or not",
        ],
    )
    def test_considered_calls_do_not_run(self, answer: str) -> None:
        assert read(answer).calls == ()
        assert "read_file" in read(answer).thought

    def test_call_after_a_thought_about_another(self) -> None:
        answer = f"<think>maybe <tool_call>\n{WRITE}\n</tool_call></think>\n<tool_call>\n{READ_A}\n</tool_call>"
        assert made(answer) == BOTH[:1]


class TestNotACall:
    @pytest.mark.parametrize(
        "answer",
        [
            '```json\n{"name": "my-app", "version": "1.0.0"}\n```',
            '```json\n{"name": "search", "version": "1.0.0"}\n```',
            'A record:\n{"name": "Ann", "arguments": {"x": 1}}',
            'A record:\n```json\n{"name": "Ann", "arguments": {"x": 1}}\n```',
            '{"name": "Ann", "age": 3}',
            '```json\n{"compilerOptions": {"strict": true}}\n```\nThat is the file.',
            f"A call looks like {READ_A} in JSON.",
            f"Use `<tool_call>{READ_A}</tool_call>` for it.",
            f'The text "<tool_call>{READ_A}</tool_call>" is a call.',
            f"> <tool_call>\n> {READ_A}\n> </tool_call>",
            "Calls look so:\n\n```xml\n" + xml("read_file", path="a.html") + "\n```\n\nThat is all.",
            "Calls look so:\n\n```xml\n" + xml("read_file", path="a.html") + "\n```",
            f"Calls look so:\n~~~\n<tool_call>\n{READ_A}\n</tool_call>\n~~~\nok",
            "<tool_call> is the tag of a call.",
            "Use <function=read_file> to read.",
            "a < b, `x<y`, <b>bold</b> and <p>\n</p>",
            "```js\nconst a = {name: 'read_file', arguments: {}};\n```",
            '<tools>\n{"type": "function", "function": {"name": "read_file", "description": "x"}}\n</tools>',
            '[1, 2, 3]\n{}\n{"a": 1}',
            "```\nnever closed {",
        ],
    )
    def test_text_stays_visible(self, answer: str) -> None:
        assert read(answer) == Parsed(answer.strip(), "", ())

    def test_call_in_a_fence_that_is_never_closed_was_meant(self) -> None:
        answer = "Look:\n```html\n<p>\n" + xml("read_file", path="a.html")
        assert made(answer) == BOTH[:1]
        assert read(answer).text == "Look:\n```html\n<p>"

    def test_nothing_is_known_without_tools(self) -> None:
        assert parse(f"So:\n{READ_A}", ()) == Parsed(f"So:\n{READ_A}", "", ())
        assert [c.tool for c in parse(f"<tool_call>\n{READ_A}\n</tool_call>", ()).calls] == ["read_file"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<tool_response>\nThe code word is heliotrope.\n</tool_response>", "The code word is heliotrope."),
        ("Done.\n<tool_response>\nAll is well.", "Done.\nAll is well."),
        ("It answers with `<tool_response>` then.", "It answers with `<tool_response>` then."),
    ],
)
def test_tags_of_results_around_an_answer_are_not_shown(text: str, shown: str) -> None:
    parsed = parse(text, SPECS)
    assert (parsed.text, parsed.calls) == (shown, ())
