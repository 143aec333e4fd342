"""The two forms: written, explained."""

from typing import Any

import pytest

from roomcode.calls.form import describe_tools, render_call
from roomcode.calls.parser import parse
from roomcode.chat import Form
from tests.calls.tools import SPECS, TOOLS


def test_exact_text_of_a_call() -> None:
    assert render_call("xml", "read_file", {"path": "index.html"}) == (
        "<tool_call>\n<function=read_file>\n<parameter=path>\nindex.html\n</parameter>\n</function>\n</tool_call>"
    )
    assert render_call("json", "read_file", {"path": "index.html"}) == (
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "index.html"}}\n</tool_call>'
    )
    assert render_call("xml", "list_dir", {}) == "<tool_call>\n<function=list_dir>\n</function>\n</tool_call>"


def test_content_is_raw_in_the_xml_form() -> None:
    page = '<p class="x">é\\n\t</p>\n\n'
    assert f"<parameter=content>\n{page}\n</parameter>" in render_call("xml", "write_file", {"content": page})
    assert "<parameter=append>\ntrue\n</parameter>" in render_call("xml", "write_file", {"append": True})


@pytest.mark.parametrize("form", ["xml", "json"])
@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n",
        "\n\n a \n\n",
        "a\r\nb\r\n",
        "\r",
        "\x00\x07\x1b[31m\u2028\x85",
        "</parameter>",
        "x\n</parameter>\n</function>\n</tool_call>\nrest",
        "<parameter=append>\ntrue",
        "</content>\n",
        "</function>",
        "</tool_call>",
        "<tool_call>\n<function=list_dir>\n</function>",
        '{"name": "list_dir", "arguments": {}}',
        "```\ncode\n```",
        "\"'`\\ \\n \\u0041 \\",
        "<think>\n</think>",
        "😀é日本",
    ],
)
def test_contents_come_back_as_they_were(form: Form, content: str) -> None:
    given: dict[str, Any] = {"path": "a b.txt", "content": content, "append": False}
    parsed = parse("Now.\n" + render_call(form, "write_file", given) + "\nDone.", SPECS)
    assert [(c.tool, c.arguments, c.error, c.complete, c.notes) for c in parsed.calls] == [
        ("write_file", given, "", True, ())
    ]
    assert parsed.text == "Now.\n\nDone."


@pytest.mark.parametrize("form", ["xml", "json"])
def test_description_names_everything_and_stays_small(form: Form) -> None:
    text = describe_tools(TOOLS, form)
    for tool in TOOLS:
        assert text.count(f"- {tool.name}(") == 1
        assert tool.description in text
        assert all(parameter.name in text for parameter in tool.parameters)
    # English and markup run at more than three characters a token.
    assert len(text) < 3 * 450
    assert describe_tools(TOOLS, form) == text
    assert "append=false" in text
    assert "port=5173" in text
    assert "port?: integer" in text


@pytest.mark.parametrize("form", ["xml", "json"])
def test_example_in_the_description_is_a_call_that_nobody_would_want(form: Form) -> None:
    parsed = parse(describe_tools(TOOLS, form).split("own values:\n")[1], TOOLS)
    assert [c.tool for c in parsed.calls] == ["read_file"]
    assert parsed.calls[0].arguments["path"] not in ("index.html", "app.js", "style.css")
    assert parsed.calls[0].error == ""


def test_description_without_a_tool_that_fits_the_example() -> None:
    assert describe_tools(TOOLS[:1], "xml").startswith("Tools:\n- list_dir(")
    assert "<tool_call>" not in describe_tools(TOOLS[:1], "xml")
