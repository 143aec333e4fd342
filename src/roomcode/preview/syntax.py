"""Faults of style sheets and JSON files, and the addresses in style sheets."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Style", "json_fault", "parse_css"]

_TOKEN = re.compile(r"/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|[{}]", re.DOTALL)


@dataclass(slots=True)
class Style:
    """Facts of one style sheet; pairs are (line from 1, value)."""

    errors: list[tuple[int, str]] = field(default_factory=list)
    urls: list[tuple[int, str]] = field(default_factory=list)
    imports: list[tuple[int, str]] = field(default_factory=list)


def parse_css(text: str) -> Style:
    """Read a style sheet. Never raises."""
    import tinycss2  # type: ignore[import-untyped]

    style = Style()
    style.errors.extend(_braces(text))
    rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    if not style.errors:
        style.errors.extend(_faults(rules))
    _addresses(rules, style)
    style.errors.sort()
    return style


def _braces(text: str) -> Iterator[tuple[int, str]]:
    opened: list[int] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        line = text.count("\n", 0, match.start()) + 1
        if token == "{":
            opened.append(line)
        elif token == "}":
            if not opened:
                yield line, "'}' closes nothing"
                return
            opened.pop()
        elif token.startswith("/*") and not token.endswith("*/"):
            yield line, "the comment is never closed"
            return
    if opened:
        yield opened[-1], "'{' is never closed"


def _faults(rules: list[Any]) -> Iterator[tuple[int, str]]:
    import tinycss2

    for rule in rules:
        if rule.type == "error":
            yield rule.source_line, f"{rule.message[:1].lower()}{rule.message[1:]}"
        elif rule.type == "qualified-rule" and any(part == "<" for part in rule.prelude):
            yield rule.source_line, "an HTML tag does not belong into a style sheet"
        elif rule.type in ("qualified-rule", "at-rule") and rule.content is not None:
            inner = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
            yield from _faults(inner)
        elif rule.type == "declaration" and not rule.name.startswith("--"):
            yield from _lost_semicolon(rule)


def _lost_semicolon(declaration: Any) -> Iterator[tuple[int, str]]:
    """`color: red⏎ margin: 0` is one valid declaration to the grammar and nothing to the browser."""
    line = declaration.source_line
    before = None
    for token in declaration.value:
        if token.type == "literal" and token.value == ":" and before is not None and before.source_line > line:
            yield line, f"';' is missing after {declaration.name}"
            return
        if token.type == "ident":
            before = token
        elif token.type not in ("whitespace", "comment"):
            before = None


def _addresses(nodes: list[Any], style: Style) -> None:
    for node in nodes:
        if node.type == "at-rule" and node.lower_at_keyword == "import":
            first = next((token for token in node.prelude if token.type in ("string", "url", "function")), None)
            if (url := _address(first)) is not None:
                style.imports.append((node.source_line, url))
            continue
        if (url := _address(node, strings=False)) is not None:
            style.urls.append((node.source_line, url))
        for part in ("prelude", "content", "arguments", "value"):
            inner = getattr(node, part, None)
            if isinstance(inner, list):
                _addresses(inner, style)


def _address(token: Any, *, strings: bool = True) -> str | None:
    if token is None:
        return None
    if token.type == "url" or (strings and token.type == "string"):
        return str(token.value)
    if token.type == "function" and token.lower_name == "url":
        return next((str(one.value) for one in token.arguments if one.type == "string"), None)
    return None


def json_fault(text: str) -> tuple[int, str] | None:
    """Line and reason when `text` is not JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return _json_reason(text, error)
    except RecursionError:
        return 1, "not JSON: nested too deeply"
    return None


def _json_reason(text: str, error: json.JSONDecodeError) -> tuple[int, str]:
    at = text[error.pos : error.pos + 1]
    before = text[: error.pos].rstrip()
    line = before.count("\n") + 1
    if at in ("}", "]") and before.endswith(","):
        return line, f"not JSON: take away the comma before the {at}"
    if at == "'":
        return error.lineno, "not JSON: write double quotes instead of '"
    if "',' delimiter" in error.msg and at in ('"', "{", "[") and before:
        return line, f"not JSON: a comma is missing{' at the end of this line' if line < error.lineno else ''}"
    if text.startswith("//", error.pos) or text.startswith("/*", error.pos):
        return error.lineno, "not JSON: take the comment out"
    return error.lineno, f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
