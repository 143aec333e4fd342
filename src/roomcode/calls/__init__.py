"""The text of tool calls: how to ask for them, hold a model to them, read them and repair them. No model, no disk."""

from roomcode.calls.constraint import CallConstraint, Levels
from roomcode.calls.form import describe_tools, render_call
from roomcode.calls.parser import Parsed, parse
from roomcode.calls.pieces import ArgDelta, Opened, ParsedCall, StreamEvent, TextDelta
from roomcode.calls.repair import Repaired, repair
from roomcode.calls.rules import Edited
from roomcode.calls.stream import CallStream

__all__ = [
    "ArgDelta",
    "CallConstraint",
    "CallStream",
    "Edited",
    "Levels",
    "Opened",
    "Parsed",
    "ParsedCall",
    "Repaired",
    "StreamEvent",
    "TextDelta",
    "describe_tools",
    "parse",
    "render_call",
    "repair",
]
