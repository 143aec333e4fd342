"""The ways a call can begin and end in an answer, as patterns. Parser, live view and constraint read by the same ones.

All are matched with `partial=True` while the answer grows: a partial match means "wait for more text". A whole match
wins over a longer partial one, so no alternative may be the beginning of another that means something else. White
space is bounded and quantifiers are possessive, so that a match costs a bounded time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from roomcode.protocol.tools import ToolSpec

__all__ = [
    "CLOSERS",
    "FENCE",
    "FUNCTION",
    "PARAMETER",
    "SPACE",
    "WRAPPER",
    "Openings",
    "any_of",
    "object_head",
    "openings_for",
]

SPACE = r"[ \t\r\n]{0,64}+"
_GAP = r"[ \t]{0,8}+"
_Q = r"[\"']?"
_WRAPPERS = "tool_calls?|function_calls?|toolcall"
_LANGUAGES = "json[5c]?|jsonl|xml|html|text|plaintext|tool_calls?|tool|tools|function_call|"

WRAPPER = rf"<(?:{_WRAPPERS})>"
FENCE = rf"(?P<ticks>`{{3,8}}+){_GAP}(?:{_LANGUAGES})(?![\w`]){_GAP}"
FUNCTION = rf"<(?:function|invoke|tool){_GAP}(?:={_GAP}|name{_GAP}={_GAP}){_Q}(?P<name>[\w.:-]{{1,64}}+){_Q}{_GAP}>"
PARAMETER = (
    rf"<(?P<tag>parameter|param|argument|arg){_GAP}(?:={_GAP}|name{_GAP}={_GAP}){_Q}(?P<name>[\w.-]{{1,64}}+){_Q}"
    r"[^<>\n]{0,40}+>"
)
CLOSERS = rf"</(?:{_WRAPPERS}|tool_response|tools|function|invoke|tool)>"

_NAME_KEY = "name|tool|tool_name|function_name|function"
_ARGUMENT_KEY = "arguments|parameters|args|params|input"


@dataclass(frozen=True, slots=True)
class Openings:
    """Patterns for one set of tools. The start of the group `body` is where the call itself begins."""

    first: regex.Pattern[str]
    """Like `line`, as long as nothing was said. An example would be introduced, so here even an XML call in a fence is
    one, and so is a JSON object that only looks like a call of some tool."""
    line: regex.Pattern[str]
    """At the first character of a line that is not white space."""
    inline: regex.Pattern[str]
    """At a `<` within a line."""
    sure: regex.Pattern[str]
    """At a `<` within a line that is between quotes or backticks: only what cannot be a quotation."""
    quoted: str
    """At the first character of a line in a Markdown fence: what a call looks like there. Not compiled."""
    known_object: regex.Pattern[str]
    """A JSON object that names one of the tools and goes on with its arguments."""
    function: regex.Pattern[str]
    """An opening tag of the XML form; the group `name` or `bare` is the tool."""


def any_of(names: Sequence[str]) -> str:
    """A pattern for any of the names; for no names one that never matches."""
    return "|".join(sorted(map(regex.escape, names), key=len, reverse=True)) or "(?!)"


def _key(names: str) -> str:
    return rf"{_Q}(?:{names}){_Q}{SPACE}:{SPACE}"


def object_head(name: str) -> str:
    """A JSON object from its brace to the end of the name that it calls; `name` is the pattern of names."""
    return (
        rf"\{{{SPACE}"
        rf"(?:{_key('id')}{_Q}[\w-]{{0,64}}+{_Q}{SPACE},{SPACE})?"
        rf"(?:{_key('type')}{_Q}function{_Q}{SPACE},{SPACE})?"
        rf"(?:{_key('function')}\{{{SPACE})?"
        rf"{_key(_NAME_KEY)}{_Q}(?:{name}){_Q}"
    )


def openings_for(specs: Sequence[ToolSpec]) -> Openings:
    """The patterns for these tools. Compiled ones are cached by the regex package."""
    tools = any_of([spec.name for spec in specs])
    parameters = any_of(sorted({p.name for spec in specs for p in spec.parameters}))
    known_object = rf"{object_head(tools)}{SPACE},{SPACE}{_key(_ARGUMENT_KEY)}"
    reversed_object = rf"\{{{SPACE}{_key(_ARGUMENT_KEY)}\{{"
    known_json = rf"(?P<body>{known_object}|\[{SPACE}{known_object})"
    late_json = rf"(?P<late>{reversed_object})"
    anonymous = FUNCTION.replace("?P<name>", "?:")
    known_function = anonymous.replace(r"(?:[\w.:-]{1,64}+)", f"(?:{tools})")
    begun = rf"{SPACE}(?:<(?:parameter|param|argument|arg)[ =]|<(?:{parameters})>|\{{|</(?:function|invoke|tool)>)"
    tag = rf"(?:{anonymous}|<(?:{tools})>)"
    inside = (
        rf"(?:{FENCE}{SPACE})?(?P<body>[\[{{]|<(?:function|invoke|tool)[ =]|<(?:{tools})>|(?:{tools})[ \t\r\n({{:,])"
    )
    mark = r"[\"']"
    call_like = (
        rf"\{{{SPACE}{mark}name{mark}{SPACE}:{SPACE}{mark}[\w./-]{{1,64}}+{mark}{SPACE},{SPACE}"
        rf"{mark}arguments{mark}{SPACE}:{SPACE}\{{"
    )
    wrapped = rf"(?P<wrap>(?:{WRAPPER}{SPACE}){{1,3}}+)"
    broken_off = rf"(?P<wrap>{WRAPPER}[ \t]{{0,64}}+\r?\n{SPACE})"
    line = (
        r"(?P<think><think>)"
        rf"|{wrapped}{inside}"
        rf"|{broken_off}(?P<body>[^ \t\r\n`])"
        rf"|(?P<tools><tools>{SPACE})(?:{FENCE}{SPACE})?(?:{known_json}|{late_json})"
        rf"|(?P<body>{anonymous}{begun})"
        rf"|(?:{FENCE}{SPACE})?(?:{known_json}|{late_json})"
    )
    first = (
        rf"{line}|{FENCE}{SPACE}(?P<body>(?:{WRAPPER}{SPACE})?{tag}|{WRAPPER}{SPACE}\{{)"
        rf"|(?:{FENCE}{SPACE})?(?P<body>{call_like})"
    )
    inline = (
        r"(?P<unthink></think>)"
        r"|(?P<stray></parameter>)"
        r"|(?P<own></?tool_response>\n?)"
        rf"|{broken_off}{inside}"
        rf"|(?P<wrap>{WRAPPER}{SPACE})(?P<body>{known_object}|{known_function})"
        rf"|(?P<body>{known_function}{SPACE}(?:<(?:parameter|param|argument|arg)[ =]|\{{))"
    )
    sure = rf"{broken_off}(?P<body>{known_object}|{known_function})"
    quoted = rf"{WRAPPER}{SPACE}(?:[\[{{]|<(?:function|invoke)[ =])|{known_function}"
    return Openings(
        first=regex.compile(first),
        line=regex.compile(line),
        inline=regex.compile(inline),
        sure=regex.compile(sure),
        quoted=quoted,
        known_object=regex.compile(known_object),
        function=regex.compile(rf"{FUNCTION}|<(?P<bare>{tools})>"),
    )
