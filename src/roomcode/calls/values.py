"""Values of parameters: from raw text to the type that the tool declares, and JSON strings that hold lists."""

from collections.abc import Sequence
from typing import Any, Final

import regex

from roomcode.calls.lenient_json import Unreadable, loads
from roomcode.protocol.tools import Parameter, ToolSpec

__all__ = ["find_tool", "from_text", "to_boolean", "to_integer", "to_list", "to_number", "unpack_lists"]

_INTEGER: Final = regex.compile(r"[+-]?[0-9]{1,18}")
_NUMBER: Final = regex.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]{0,18})?(?:[eE][+-]?[0-9]{1,3})?")


def find_tool(specs: Sequence[ToolSpec], name: str) -> ToolSpec | None:
    """The tool of that name."""
    return next((spec for spec in specs if spec.name == name), None)


def to_boolean(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text.strip().lower())


def to_integer(text: str) -> int | None:
    return int(text) if _INTEGER.fullmatch(text.strip()) else None


def to_number(text: str) -> int | float | None:
    whole = to_integer(text)
    if whole is not None:
        return whole
    return float(text) if _NUMBER.fullmatch(text.strip()) else None


def to_list(text: str) -> list[Any] | None:
    """The list that `text` is in JSON; a list wrapped in a JSON string once more counts, too."""
    for _ in range(2):
        try:
            value, _quirks = loads(text)
        except Unreadable:
            return None
        if isinstance(value, list):
            return value
        if not isinstance(value, str) or not text.lstrip().startswith('"'):
            return None
        text = value
    return None


def from_text(text: str, parameter: Parameter | None) -> Any:
    """The value that raw `text` means for `parameter`. Text of a string, or that fits no type, stays as it is."""
    if parameter is None or parameter.type == "string":
        return text
    value: Any
    match parameter.type:
        case "boolean":
            value = to_boolean(text)
        case "integer":
            value = to_integer(text)
        case "number":
            value = to_number(text)
        case "array":
            value = to_list(text)
    return text if value is None else value


def unpack_lists(arguments: dict[str, Any], spec: ToolSpec | None) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Lists that came as JSON strings, where the tool declares a list; and notes about them. Strings stay strings."""
    found: dict[str, Any] = {}
    for parameter in spec.parameters if spec else ():
        text = arguments.get(parameter.name)
        if parameter.type == "array" and isinstance(text, str) and (value := to_list(text)) is not None:
            found[parameter.name] = value
    return arguments | found, tuple(f"{name} was a list inside a string" for name in found)
