"""Mistakes of loops that no console shows: one round too many or too few, and a `var` that all rounds share."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from roomcode.preview.declarations import line_of, text_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["captured", "left_out", "past_the_end"]

_Place = tuple[int, str]
"""Line from 1 and a sentence."""
_COUNTED = re.compile(r"^\s*(?:let|var)\s+(\w+)\s*=\s*(\d+)\s*;?\s*$")
_LIMIT = re.compile(r"^\s*(\w+)\s*(<=?)\s*([\w$.]+)\.length\s*(-\s*1)?\s*;?\s*$")


def _loop(node: "Node") -> tuple[str, int, str, str, bool, str] | None:
    """Counter, its start, comparison, list, whether one is taken off the length, and the body of a counting loop."""
    start = _COUNTED.match(text_of(node.child_by_field_name("initializer")))
    limit = _LIMIT.match(text_of(node.child_by_field_name("condition")))
    if start is None or limit is None or start[1] != limit[1]:
        return None
    if not re.fullmatch(rf"{start[1]}\s*\+\+|\+\+\s*{start[1]}|{start[1]}\s*\+=\s*1", _increment(node)):
        return None
    return start[1], int(start[2]), limit[2], limit[3], bool(limit[4]), text_of(node.child_by_field_name("body"))


def _increment(node: "Node") -> str:
    return text_of(node.child_by_field_name("increment")).strip()


def past_the_end(node: "Node") -> Iterator[_Place]:
    """A loop over a list that asks for what is behind its last entry."""
    loop = _loop(node)
    if loop is None:
        return
    counter, _, comparison, owner, less, body = loop
    plain = rf"(?<![\w$.]){re.escape(owner)}\s*\[\s*{counter}\s*\]"
    if comparison == "<=" and not less and re.search(plain, body) and "break" not in body:
        yield line_of(node), f"the loop runs one past the end of {owner}: write {counter} < {owner}.length there"


def captured(loop: "Node", root: "Node") -> Iterator[_Place]:
    """A `var` of a loop that a handler made there reads later, when it holds what the last round left."""
    body = loop.child_by_field_name("body")
    head = [child for child in loop.children if child != body]
    declared: dict[str, int] = {}
    for part in (*head, *([body] if body is not None else [])):
        for node in _outside_functions(part):
            if (
                node.type == "variable_declarator"
                and node.parent is not None
                and node.parent.type == "variable_declaration"
            ):
                declared.setdefault(text_of(node.child_by_field_name("name")), line_of(node))
    if loop.type == "for_in_statement" and text_of(loop.child_by_field_name("kind")) == "var":
        declared.setdefault(text_of(loop.child_by_field_name("left")), line_of(loop))
    if not declared or body is None:
        return
    read: set[str] = set()
    for node in walk(body):
        if node.type in _FUNCTIONS and _is_handler(node):
            own = {text_of(node.child_by_field_name("parameter"))}
            own |= {text_of(one) for one in walk(node) if one.parent and one.parent.type == "formal_parameters"}
            read |= {text_of(one) for one in walk(node) if one.type == "identifier"} - own
    span = range(loop.start_byte, loop.end_byte)
    elsewhere = {text_of(one) for one in walk(root) if one.type == "identifier" and one.start_byte not in span}
    for name, line in declared.items():
        if name in read and name not in elsewhere:
            yield (
                line,
                f"{name} is one var for all rounds of the loop, a handler sees its last value: write let {name} there",
            )


_FUNCTIONS = {"function_expression", "arrow_function", "function"}


def _outside_functions(node: "Node") -> Iterator["Node"]:
    yield node
    if node.type not in _FUNCTIONS:
        for child in node.children:
            yield from _outside_functions(child)


def _is_handler(function: "Node") -> bool:
    """Whether a function is called later: given to a listener or timer, or set as `onclick` and its like."""
    around = function.parent
    if around is not None and around.type == "arguments" and around.parent is not None:
        called = text_of(around.parent.child_by_field_name("function"))
        return re.search(r"(?:addEventListener|setTimeout|setInterval|requestAnimationFrame)$", called) is not None
    if around is not None and around.type == "assignment_expression":
        return re.search(r"\.on[a-z]+$", text_of(around.child_by_field_name("left"))) is not None
    return False


def left_out(node: "Node") -> Iterator[_Place]:
    """A loop over a list that leaves its first or last entry out, which may be meant."""
    loop = _loop(node)
    if loop is None:
        return
    counter, start, comparison, owner, less, body = loop
    if not re.search(rf"(?<![\w$.]){re.escape(owner)}\s*\[\s*{counter}\s*\]", body):
        return
    beside = re.search(rf"\b{counter}\s*[-+]\s*1\b|{re.escape(owner)}\s*\[\s*0\s*\]", body)
    if start == 1 and beside is None:
        yield line_of(node), f"the loop leaves out {owner}[0]: write {counter} = 0 there"
    elif comparison == "<" and less and beside is None:
        yield line_of(node), f"the loop leaves out the last of {owner}: write {counter} < {owner}.length there"
