"""The two forms of a call: how a call is written in each, how it is explained."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from roomcode.calls.xml_value import holds_markup
from roomcode.chat import Form
from roomcode.protocol.tools import Parameter, ToolSpec

__all__ = ["describe_tools", "render_call"]

# No file that anybody asks for: small models copy examples out of the prompt.
_EXAMPLE: Final = "blue-kettle.txt"


def render_call(form: Form, tool: str, arguments: Mapping[str, Any]) -> str:
    """The exact text of one call, which `parse` reads back as the same call.

    In the XML form strings stand between the tags as they are; the newline behind the opening tag and the one before
    the closing tag belong to the format. Other values are written as JSON and get their type back from the tool. Raw
    text knows no escapes, so a value that holds a tag of the format (`</parameter>`, `<parameter=`, `</function>`,
    `</tool_call>` and their variants) cannot be written so: then all arguments are written as one JSON object inside
    `<function=…>`. What does not survive the XML form: line breaks at the ends of a parameter that is not `raw`.
    """
    if form == "json":
        return f"<tool_call>\n{_dumps({'name': tool, 'arguments': dict(arguments)})}\n</tool_call>"
    if any(holds_markup(_text(value), name) for name, value in arguments.items()):
        body = _dumps(dict(arguments)) + "\n"
    else:
        body = "".join(f"<parameter={name}>\n{_text(value)}\n</parameter>\n" for name, value in arguments.items())
    return f"<tool_call>\n<function={tool}>\n{body}</function>\n</tool_call>"


def describe_tools(specs: Sequence[ToolSpec], form: Form) -> str:
    """The tools and the exact format of a call, for a system prompt whose chat template does not say them.

    One line for each tool; the same tools always give the same text.
    """
    lines = [f"- {_signature(spec)}: {' '.join(spec.description.split())}" for spec in specs]
    raw = "A value is raw text: no quotes, no escapes.\n" if form == "xml" else ""
    example = next((render_call(form, s.name, {s.required[0]: _EXAMPLE}) for s in specs if _takes_a_line(s)), "")
    shown = f"To call a tool write this, with your own values:\n{example}\n{raw}" if example else ""
    return "Tools:\n" + "\n".join(lines) + "\n\n" + shown + "Then stop: the result is sent to you."


def _takes_a_line(spec: ToolSpec) -> bool:
    """The tool can be called with one short text."""
    required = [p for p in spec.parameters if p.required]
    return len(required) == 1 and required[0].type == "string" and not required[0].raw


def _signature(spec: ToolSpec) -> str:
    return f"{spec.name}({', '.join(map(_parameter, spec.parameters))})"


def _parameter(parameter: Parameter) -> str:
    kind = "" if parameter.type == "string" else f": {parameter.type}"
    if parameter.required:
        return parameter.name + kind
    if parameter.default is None:
        return f"{parameter.name}?{kind}"
    return f"{parameter.name}={_dumps(parameter.default)}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _dumps(value)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
