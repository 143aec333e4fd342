"""What the names of a script stand for, as far as each has one meaning: lists of numbers, fields of the page, functions
that give nothing back."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roomcode.preview.declarations import text_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Elements", "Names", "arguments_of", "gives_back", "method_of"]

Elements = Mapping[str, tuple[str, str]]
"""Id to tag and type of the element of the page that has it."""


_BLOCKS = {
    *(
        "program",
        "statement_block",
        "for_statement",
        "for_in_statement",
        "catch_clause",
        "switch_body",
        "arrow_function",
    ),
    *("function_declaration", "function_expression", "function", "method_definition", "generator_function_declaration"),
}
"""What a name is known in."""


@dataclass(slots=True)
class _Declared:
    """Where a name is declared, the block in which it is known, and what with."""

    start: int
    span: tuple[int, int]
    value: "Node | None"


class Names:
    """What the names of one script stand for, as far as each has one meaning."""

    def __init__(self, root: "Node", elements: Elements) -> None:
        self._elements = elements
        self._declared: dict[str, list[_Declared]] = {}
        self.silent: set[str] = set()
        """Functions that give nothing back."""
        self._assigned: set[str] = set()
        for node in walk(root):
            name = node.child_by_field_name("name")
            if node.type == "variable_declarator" and name is not None and name.type == "identifier":
                self._declare(name, node.parent or node, node.child_by_field_name("value"))
            elif node.type == "function_declaration" and name is not None:
                body = node.child_by_field_name("body")
                if body is not None and not text_of(node).startswith("async") and not gives_back(body):
                    self.silent.add(text_of(name))
                self._declare(name, node, None)
            elif node.type == "assignment_expression":
                left = node.child_by_field_name("left")
                if left is not None and left.type == "identifier":
                    self._assigned.add(text_of(left))
            elif node.type in ("formal_parameters", "catch_clause"):
                for one in walk(node):
                    if one.type in ("identifier", "shorthand_property_identifier_pattern"):
                        self._declare(one, node, None)
                        self.silent.discard(text_of(one))
            elif node.type == "arrow_function" and (given := node.child_by_field_name("parameter")) is not None:
                self._declare(given, given, None)
        for declared in [one for several in self._declared.values() for one in several]:
            # What is said by itself or by something later would be followed round in circles.
            said = (
                [one for one in walk(declared.value) if one.type == "identifier"] if declared.value is not None else []
            )
            meant = [self._meant(one) for one in said]
            if any(one is not None and one.start >= declared.start for one in meant):
                declared.value = None

    def _declare(self, name: "Node", node: "Node", value: "Node | None") -> None:
        """`name` stands for `value` in the block that `node` is in."""
        around = node.parent
        while around is not None and around.type not in _BLOCKS:
            around = around.parent
        span = (around.start_byte, around.end_byte) if around is not None else (0, 1 << 60)
        self._declared.setdefault(text_of(name), []).append(_Declared(name.start_byte, span, value))

    def _meant(self, name: "Node") -> "_Declared | None":
        """The declaration that a name stands for; None where that is not known, or two of them may be meant."""
        found = [one for one in self._declared.get(text_of(name), ()) if one.span[0] <= name.start_byte <= one.span[1]]
        nearest = min((one.span[1] - one.span[0] for one in found), default=0)
        inner = [one for one in found if one.span[1] - one.span[0] == nearest]
        return inner[0] if len(inner) == 1 else None

    def value(self, node: "Node | None", *, fixed: bool = True) -> "Node | None":
        """What a name was declared with, or the node itself if it is no name; None where that may have changed since
        (`fixed`) or is not known."""
        if node is None or node.type != "identifier":
            return node
        declared = self._meant(node)
        return None if declared is None or (fixed and text_of(node) in self._assigned) else declared.value

    def element(self, node: "Node | None") -> tuple[str, tuple[str, str]] | None:
        """Id, tag and type of the element that an expression asks the page for."""
        node = self.value(node)
        if node is None or node.type != "call_expression":
            return None
        callee, arguments = node.child_by_field_name("function"), arguments_of(node)
        if callee is None or not arguments or arguments[0].type != "string":
            return None
        wanted, method = text_of(arguments[0])[1:-1], text_of(callee).replace(" ", "")
        if method == "document.querySelector" and re.fullmatch(r"#[\w-]+", wanted):
            wanted = wanted[1:]
        elif method != "document.getElementById":
            return None
        return (wanted, self._elements[wanted]) if wanted in self._elements else None

    def numbers(self, node: "Node | None") -> bool:
        """Whether it is a list of numbers, more than one."""
        node = self.value(node, fixed=False)
        if node is None:
            return False
        if node.type == "array":
            entries = [one for one in node.named_children if one.type != "comment"]
            if len(entries) == 1 and entries[0].type == "spread_element":
                return self.numbers(entries[0].named_children[0])
            return len(entries) > 1 and all(one.type in ("number", "unary_expression") for one in entries)
        if node.type == "call_expression":
            callee, arguments = node.child_by_field_name("function"), arguments_of(node)
            if callee is None or callee.type != "member_expression":
                return False
            method = text_of(callee.child_by_field_name("property"))
            if method == "map":
                return bool(arguments) and text_of(arguments[0]) in ("Number", "parseFloat")
            return method in ("slice", "filter", "concat", "reverse") and self.numbers(
                callee.child_by_field_name("object")
            )
        return False

    def counted(self, node: "Node | None") -> bool:
        """Whether an expression is a number for sure: one that is written or computed from a text."""
        node = self.value(node, fixed=False)
        if node is None or node.type == "number":
            return node is not None
        called = node.child_by_field_name("function") if node.type == "call_expression" else None
        return called is not None and text_of(called).removeprefix("Number.") in ("parseInt", "parseFloat", "Number")

    def typed(self, node: "Node | None") -> tuple[str, str] | None:
        """Id and type of the field whose `value` an expression is."""
        node = self.value(node)
        if node is None or node.type != "member_expression":
            return None
        if text_of(node.child_by_field_name("property")) != "value":
            return None
        found = self.element(node.child_by_field_name("object"))
        return None if found is None or found[1][0] != "input" else (found[0], found[1][1])

    def text(self, node: "Node | None") -> bool:
        """Whether an expression is a text for sure, whatever it looks like: what an element shows or a field holds, or
        what was stored."""
        node = self.value(node)
        while node is not None and node.type == "parenthesized_expression" and node.named_children:
            node = node.named_children[0]
        if node is None:
            return False
        if node.type == "binary_expression" and text_of(node.child_by_field_name("operator")) in ("||", "??"):
            return self.text(node.child_by_field_name("left"))
        if node.type == "call_expression":
            owner, method = method_of(node)
            return method == "getItem" and text_of(owner).endswith("Storage")
        if node.type != "member_expression":
            return False
        name = text_of(node.child_by_field_name("property"))
        return name in ("textContent", "innerText") or self.typed(node) is not None


def gives_back(body: "Node") -> bool:
    """Whether a function gives something back; those inside it are not looked into."""
    for child in body.named_children:
        if child.type == "return_statement" and child.named_children:
            return True
        inner = "function" in child.type or child.type in ("class_declaration", "method_definition")
        if not inner and gives_back(child):
            return True
    return False


def arguments_of(call: "Node") -> list["Node"]:
    holder = call.child_by_field_name("arguments")
    return [one for one in holder.named_children if one.type != "comment"] if holder is not None else []


def method_of(call: "Node") -> tuple["Node | None", str]:
    """Object and name of a call like `list.sort()`, or nothing and the name of a plain one."""
    callee = call.child_by_field_name("function")
    if callee is not None and callee.type == "member_expression":
        return callee.child_by_field_name("object"), text_of(callee.child_by_field_name("property"))
    return None, text_of(callee)
