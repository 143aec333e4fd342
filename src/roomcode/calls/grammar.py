"""Grammars of tool calls, as llguidance's Lark dialect: from right behind `<tool_call>` to its closing tag."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal

from roomcode.protocol.tools import Parameter, ToolSpec

__all__ = ["CLOSE", "OPEN", "Choices", "call_grammar", "rest_grammar"]

OPEN = "<tool_call>"
CLOSE = "</tool_call>"

_LONGEST_LINE = 400
_LINE = rf"/[^\x00-\x1f\x7f]{{1,{_LONGEST_LINE}}}/"
"""A path or a pattern: one line, and bounded so that a model which goes on and on is brought to its end."""
_LARGEST_INTEGER = 999_999_999
_VALUES = {
    "string": _LINE,
    "integer": r"/-?[0-9]{1,9}/",
    "number": r"/-?[0-9]{1,9}(\.[0-9]{1,9})?/",
    "boolean": '("true" | "false")',
    "array": "%json " + json.dumps({"type": "array"}),
}


Choices = Callable[[str, str], Sequence[str] | None]
"""(tool, parameter) → the values that exist, or None where any value may be given."""


def call_grammar(
    form: Literal["xml", "json"],
    tools: Sequence[ToolSpec],
    *,
    close_is_token: bool,
    choices: Choices = lambda _t, _p: None,
) -> str:
    """The grammar of one call of any of `tools`. `close_is_token`: the vocabulary has `</tool_call>` as one token.

    A parameter with `choices` takes one of them. A tool that requires one where there is none cannot be called; an
    optional parameter without any choice is left out.
    """
    close = CLOSE if close_is_token else json.dumps(CLOSE)
    possible = [tool for tool in tools if all(choices(tool.name, name) != () for name in tool.required)]
    build = _xml if form == "xml" else _json
    return build(possible, close, choices)


def rest_grammar(
    form: Literal["xml", "json"],
    tool: ToolSpec,
    begun: str,
    given: Collection[str],
    values: Mapping[str, str],
    rules: str,
    *,
    close_is_token: bool,
) -> str:
    """The grammar of one call of `tool` that has begun with the text `begun`, with the parameters `given` in it.

    `values` names for some of the other parameters the one of the `rules` that their value follows, which says also how
    the value ends: a closing tag up to its `>`, or the closing quote. In the XML form all others have to be raw text or
    take any value.
    """
    close = CLOSE if close_is_token else json.dumps(CLOSE)
    parts = [json.dumps(begun, ensure_ascii=False)]
    more: list[str] = []

    def rule(name: str, body: str) -> str:
        more.append(f"{name}: {body}")
        return name

    for number, (parameter, _) in enumerate(_given(tool, lambda _t, _p: None)):
        name = parameter.name
        if name in given:
            continue
        if form == "json":
            value = values.get(name) or "%json " + json.dumps(_json_value(parameter, None))
            body = f"{json.dumps(f', {json.dumps(name)}: ')} {value}"
        elif name in values:
            body = f'{json.dumps(f"<parameter={name}>{chr(10)}")} {values[name]} "\\n"'
        else:
            body = _xml_parameter(parameter, None, f"value_{number}", rule)
        parts.append(f"({body})" + ("" if parameter.required else "?"))
    end = '"}}\\n"' if form == "json" else '"</function>\\n"'
    return "\n".join([f"start: {' '.join(parts)} {end} {close}", *more, rules])


def _given(tool: ToolSpec, choices: Choices) -> list[tuple[Parameter, Sequence[str] | None]]:
    """Parameters with their choices: required ones first, each in the order of the specification, since there is one
    right order to learn; optional ones that have no possible value are left out."""
    ordered = sorted(tool.parameters, key=lambda p: not p.required)
    found = [(parameter, choices(tool.name, parameter.name)) for parameter in ordered]
    return [(parameter, values) for parameter, values in found if values is None or len(values) > 0]


def _xml(tools: Sequence[ToolSpec], close: str, choices: Choices) -> str:
    rules: list[str] = []

    def rule(name: str, body: str) -> str:
        rules.append(f"{name}: {body}")
        return name

    calls = [rule(f"call_{i}", _xml_call(tool, i, rule, choices)) for i, tool in enumerate(tools)]
    head = f'start: "\\n<function=" ({" | ".join(calls)}) "</function>\\n" {close}'
    return "\n".join([head, *rules])


def _xml_call(tool: ToolSpec, index: int, rule: Callable[[str, str], str], choices: Choices) -> str:
    parts = [json.dumps(f"{tool.name}>\n")]
    for number, (parameter, values) in enumerate(_given(tool, choices)):
        body = _xml_parameter(parameter, values, f"value_{index}_{number}", rule)
        name = rule(f"param_{index}_{number}", body)
        parts.append(name if parameter.required else f"{name}?")
    return " ".join(parts)


def _xml_parameter(
    parameter: Parameter, values: Sequence[str] | None, value: str, rule: Callable[[str, str], str]
) -> str:
    head = json.dumps(f"<parameter={parameter.name}>\n")
    if values is not None:
        rule(value, " | ".join(json.dumps(text, ensure_ascii=False) for text in values))
    elif parameter.raw:
        # Text up to the first line that is the closing tag; the attribute makes the match as short as possible.
        text = r"/[^ \t\n](?s:.*)/" if parameter.filled else r"/(?s:.*)/"
        rule(value + '[suffix="\\n</parameter>"]', text)
        return f'{head} {value} "\\n"'
    else:
        rule(value, _VALUES[parameter.type])
    return f'{head} {value} "\\n</parameter>\\n"'


def _json(tools: Sequence[ToolSpec], close: str, choices: Choices) -> str:
    # One spelling only, the one of the training data: no free white space, keys in order.
    options = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
    schema: dict[str, Any] = {"x-guidance": options, "anyOf": [_json_call(tool, choices) for tool in tools]}
    return f'start: "\\n" call "\\n" {close}\ncall: %json {json.dumps(schema)}'


def _json_call(tool: ToolSpec, choices: Choices) -> dict[str, Any]:
    given = _given(tool, choices)
    return {
        "type": "object",
        "properties": {
            "name": {"const": tool.name},
            "arguments": {
                "type": "object",
                "properties": {p.name: _json_value(p, values) for p, values in given},
                "required": list(tool.required),
                "additionalProperties": False,
            },
        },
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _json_value(parameter: Parameter, values: Sequence[str] | None) -> dict[str, Any]:
    if values is not None:
        return {"enum": list(values)}
    value: dict[str, Any] = {"type": parameter.type}
    if parameter.type == "integer":
        value |= {"minimum": -_LARGEST_INTEGER, "maximum": _LARGEST_INTEGER}
    if parameter.type == "string" and not parameter.raw:
        value |= {"minLength": 1, "maxLength": _LONGEST_LINE}
    elif parameter.filled:
        value |= {"minLength": 1}
    return value
