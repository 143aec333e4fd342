"""Grammars of tool calls, as llguidance's Lark dialect: from right behind `<tool_call>` to its closing tag."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Literal

from roomcode.protocol.tools import Parameter, ToolSpec

__all__ = ["CLOSE", "OPEN", "call_grammar"]

OPEN = "<tool_call>"
CLOSE = "</tool_call>"

_LONGEST_LINE = 400
_LINE = rf"/[^\x00-\x1f\x7f]{{1,{_LONGEST_LINE}}}/"
"""A path or a pattern: one line, and bounded so that a model which goes on and on is brought to its end."""
_VALUES = {
    "string": _LINE,
    "integer": r"/-?[0-9]{1,9}/",
    "number": r"/-?[0-9]{1,9}(\.[0-9]{1,9})?/",
    "boolean": '("true" | "false")',
    "array": "%json " + json.dumps({"type": "array"}),
}


def call_grammar(form: Literal["xml", "json"], tools: Sequence[ToolSpec], *, close_is_token: bool) -> str:
    """The grammar of one call of any of `tools`. `close_is_token`: the vocabulary has `</tool_call>` as one token."""
    close = CLOSE if close_is_token else json.dumps(CLOSE)
    build = _xml if form == "xml" else _json
    return build(tools, close)


def _xml(tools: Sequence[ToolSpec], close: str) -> str:
    rules: list[str] = []

    def rule(name: str, body: str) -> str:
        rules.append(f"{name}: {body}")
        return name

    calls = [rule(f"call_{i}", _xml_call(tool, i, rule)) for i, tool in enumerate(tools)]
    head = f'start: "\\n<function=" ({" | ".join(calls)}) "</function>\\n" {close}'
    return "\n".join([head, *rules])


def _xml_call(tool: ToolSpec, index: int, rule: Callable[[str, str], str]) -> str:
    # Required parameters come first, each in the order of the specification: there is one right order to learn.
    ordered = sorted(tool.parameters, key=lambda p: not p.required)
    parts = [json.dumps(f"{tool.name}>\n")]
    for number, parameter in enumerate(ordered):
        name = rule(f"param_{index}_{number}", _xml_parameter(parameter, f"value_{index}_{number}", rule))
        parts.append(name if parameter.required else f"{name}?")
    return " ".join(parts)


def _xml_parameter(parameter: Parameter, value: str, rule: Callable[[str, str], str]) -> str:
    head = json.dumps(f"<parameter={parameter.name}>\n")
    if parameter.raw:
        # Text up to the first line that is the closing tag; the attribute makes the match as short as possible.
        rule(value + '[suffix="\\n</parameter>"]', "/(?s:.*)/")
        return f'{head} {value} "\\n"'
    rule(value, _VALUES[parameter.type])
    return f'{head} {value} "\\n</parameter>\\n"'


def _json(tools: Sequence[ToolSpec], close: str) -> str:
    # One spelling only, the one of the training data: no free white space, keys in order.
    options = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
    schema: dict[str, Any] = {"x-guidance": options, "anyOf": [_json_call(tool) for tool in tools]}
    return f'start: "\\n" call "\\n" {close}\ncall: %json {json.dumps(schema)}'


def _json_call(tool: ToolSpec) -> dict[str, Any]:
    ordered = sorted(tool.parameters, key=lambda p: not p.required)
    return {
        "type": "object",
        "properties": {
            "name": {"const": tool.name},
            "arguments": {
                "type": "object",
                "properties": {p.name: _json_value(p) for p in ordered},
                "required": list(tool.required),
                "additionalProperties": False,
            },
        },
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _json_value(parameter: Parameter) -> dict[str, Any]:
    value: dict[str, Any] = {"type": parameter.type}
    if parameter.type == "string" and not parameter.raw:
        value |= {"minLength": 1, "maxLength": _LONGEST_LINE}
    return value
