"""Who declares which name in a script, where it is known, and which elements of the page it asks for when it runs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Code", "Declared", "Lookup", "line_of", "parsed", "text_of", "walk"]

_FUNCTIONS = {
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "generator_function",
    "arrow_function",
    "method_definition",
}
_BLOCKS = {"statement_block", "for_statement", "for_in_statement", "switch_body", "catch_clause", "class_static_block"}
_WHOLES = {"program", *_FUNCTIONS}
_NAMES = {"identifier", "shorthand_property_identifier_pattern"}
_CERTAIN = {
    "program",
    "expression_statement",
    "member_expression",
    "call_expression",
    "assignment_expression",
    "arguments",
    "variable_declarator",
    "lexical_declaration",
    "variable_declaration",
    "parenthesized_expression",
}
"""What a statement may be made of that surely runs when the script does."""
_GUARDS = {"if_statement", "binary_expression", "unary_expression", "ternary_expression", "while_statement"}
_WRAPPED = re.compile(r"document\s*\.\s*(getElementById|querySelector)\(\s*(\w+)\s*\)")
_DEEPEST = 6


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """One declaration. `kind`: const, let, var, function, class, parameter, import or catch."""

    name: str
    line: int
    kind: str
    node: "Node"
    scope: "Node"
    """Where it is known: the program, a function or a block."""
    value: "Node | None" = None

    @property
    def top(self) -> bool:
        """Whether all of the script knows it."""
        return self.scope.type == "program"

    @property
    def callable(self) -> bool:
        return self.kind in ("function", "class") or (self.value is not None and self.value.type in _FUNCTIONS)


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """A script asks the page for an element."""

    method: str
    """`getElementById` or `querySelector`."""
    wanted: str
    node: "Node"


def parsed(text: str) -> "Node":
    """The root of a script's syntax tree. Never raises: what does not parse is an error in the tree."""
    import tree_sitter_javascript
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_javascript.language())).parse(text.encode("utf-8", "replace")).root_node


def walk(root: "Node") -> Iterator["Node"]:
    """All nodes below `root` in the order of the text, itself first."""
    cursor = root.walk()
    while True:
        if cursor.node is not None:
            yield cursor.node
        if cursor.goto_first_child() or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            return


def text_of(node: "Node | None") -> str:
    """The source of a node."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def line_of(node: "Node") -> int:
    """Its first line, from 1, inside its script."""
    return int(node.start_point[0]) + 1


class Code:
    """One script, parsed. Lines count from 1 inside it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = parsed(text)
        self.nodes = list(walk(self.root))

    @property
    def broken(self) -> bool:
        """Whether it does not parse."""
        return self.root.has_error

    @cached_property
    def declared(self) -> tuple[Declared, ...]:
        """Every declaration, in the order of the text."""
        return tuple(one for node in self.nodes for one in _declared(node))

    @cached_property
    def exports(self) -> dict[str, int]:
        """The names that other modules can import, with their lines; `default` for a default export."""
        found: dict[str, int] = {}
        for node in self.nodes:
            if node.type != "export_statement":
                continue
            inner = node.child_by_field_name("declaration")
            if any(child.type == "default" for child in node.children):
                found["default"] = line_of(node)
            elif inner is not None:
                found |= {one.name: one.line for part in walk(inner) for one in _declared(part) if one.top}
            for part in walk(node):
                if part.type == "export_specifier":
                    name = part.child_by_field_name("alias") or part.child_by_field_name("name")
                    found[text_of(name).strip("\"'")] = line_of(part)
        return found

    @cached_property
    def methods(self) -> set[str]:
        """Names of functions that are members of objects and classes."""
        found = set()
        for node in self.nodes:
            if node.type == "method_definition":
                found.add(text_of(node.child_by_field_name("name")))
            elif node.type in ("pair", "field_definition", "assignment_expression"):
                value = node.child_by_field_name("value") or node.child_by_field_name("right")
                key = node.child_by_field_name("key") or node.child_by_field_name("property")
                left = node.child_by_field_name("left")
                if left is not None and left.type == "member_expression":
                    key = left.child_by_field_name("property")
                if key is not None and value is not None and value.type in _FUNCTIONS:
                    found.add(text_of(key))
        return found

    def resolve(self, name: str, at: "Node") -> Declared | None:
        """What `name` means at a place, as far as this script says."""
        scopes: dict[int, Declared] = {}
        for one in self.declared:
            if one.name == name:
                scopes.setdefault(one.scope.id, one)
        node: Node | None = at
        while node is not None and scopes:
            if node.id in scopes:
                return scopes[node.id]
            node = node.parent
        return None

    def accesses(self, member: str, line: int, column: int = 0) -> list["Node"]:
        """Member expressions `….member` on a line; only the one at `column` (from 1) when there is such a one."""
        found = []
        for node in self.nodes:
            if node.type != "member_expression":
                continue
            name = node.child_by_field_name("property")
            if name is not None and line_of(name) == line and text_of(name) == member:
                if column and int(name.start_point[1]) + 1 == column:
                    return [node]
                found.append(node)
        return found

    def called_on(self, name: str, line: int) -> bool:
        """Whether a plain function of that name is called in a line."""
        for node in self.nodes:
            if node.type == "call_expression" and line_of(node) == line:
                callee = node.child_by_field_name("function")
                if callee is not None and callee.type == "identifier" and text_of(callee) == name:
                    return True
        return False

    def lookup(self, node: "Node | None") -> Lookup | None:
        """How an expression asks the page for one element; None when it does not, or not for a fixed name."""
        while node is not None and node.type in ("parenthesized_expression", "await_expression"):
            node = next(iter(node.named_children), None)
        if node is None or node.type != "call_expression":
            return None
        callee, holder = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        first = next(iter(holder.named_children), None) if holder is not None else None
        if callee is None or first is None or first.type not in ("string", "template_string"):
            return None
        wanted = text_of(first)[1:-1]
        if "${" in wanted or "\\" in wanted:
            return None
        if callee.type == "member_expression" and text_of(callee.child_by_field_name("object")) == "document":
            method = text_of(callee.child_by_field_name("property"))
            return Lookup(method, wanted, node) if method in ("getElementById", "querySelector") else None
        if callee.type == "identifier" and (helper := self.resolve(text_of(callee), node)) is not None:
            found = _WRAPPED.search(text_of(helper.value or helper.node))
            return Lookup(found[1], wanted, node) if found else None
        return None

    def source(self, node: "Node | None") -> Lookup | None:
        """The lookup that an expression is, or that its variable holds."""
        if node is None or node.type != "identifier":
            return self.lookup(node)
        declared = self.resolve(text_of(node), node)
        if declared is None:
            return None
        if declared.value is not None and declared.kind in ("const", "let", "var"):
            return self.lookup(declared.value)
        values = [
            one.child_by_field_name("right")
            for one in self.nodes
            if one.type == "assignment_expression" and text_of(one.child_by_field_name("left")) == declared.name
        ]
        return self.lookup(values[0]) if len(values) == 1 and declared.kind in ("let", "var") else None

    def runs_at_once(self, node: "Node", depth: int = 0) -> bool:
        """Whether a place surely runs while the script is loaded: not in a function, or in one that is called then."""
        function = _enclosing(node, _FUNCTIONS)
        if function is None:
            return True
        if depth >= _DEEPEST or any(child.type == "async" for child in function.children):
            return False
        around = function.parent
        while around is not None and around.type == "parenthesized_expression":
            around = around.parent
        name = text_of(function.child_by_field_name("name")) if function.type.endswith("declaration") else ""
        if around is not None and around.type == "call_expression":
            return self.runs_at_once(around, depth + 1)
        if around is not None and around.type == "variable_declarator":
            name = text_of(around.child_by_field_name("name"))
        if not name:
            return False
        for call in self.nodes:
            if call.type == "call_expression" and text_of(call.child_by_field_name("function")) == name:
                inside = _enclosing(call, _FUNCTIONS)
                if (inside is None or inside.id != function.id) and self.runs_at_once(call, depth + 1):
                    return True
        return False

    def needed_at_once(self) -> Iterator[Lookup]:
        """Elements that the script surely needs while it is loaded: asked for outside of functions, and used without
        a question whether they are there."""
        for node in self.nodes:
            if node.type != "call_expression" or (found := self.lookup(node)) is None:
                continue
            around = node.parent
            if around is None or not _certain(node):
                continue
            if around.type == "member_expression":
                if around.child_by_field_name("optional_chain") is None:
                    yield found
            elif around.type == "variable_declarator" and self._used(around):
                yield found

    def _used(self, declarator: "Node") -> bool:
        name = text_of(declarator.child_by_field_name("name"))
        used = False
        for node in self.nodes:
            if node.type != "identifier" or text_of(node) != name or node.parent is None:
                continue
            around = node.parent
            if around.type == "variable_declarator" and around.id == declarator.id:
                continue
            if around.type == "parenthesized_expression" and around.parent is not None:
                around = around.parent
            if around.type in _GUARDS or (declared := self.resolve(name, node)) is None:
                return False
            if declared.node.id != declarator.id:
                continue
            if around.type == "assignment_expression" and _is(around, "left", node):
                return False
            if around.type == "member_expression" and _is(around, "object", node):
                if around.child_by_field_name("optional_chain") is not None:
                    return False
                used = True
        return used


def _is(around: "Node", part: str, node: "Node") -> bool:
    child = around.child_by_field_name(part)
    return child is not None and child.id == node.id


def _certain(node: "Node") -> bool:
    around = node.parent
    while around is not None:
        if around.type not in _CERTAIN or around.child_by_field_name("optional_chain") is not None:
            return False
        around = around.parent
    return True


def _enclosing(node: "Node", kinds: set[str]) -> "Node | None":
    around = node.parent
    while around is not None and around.type not in kinds:
        around = around.parent
    return around


def _scope(node: "Node", kinds: set[str]) -> "Node":
    found = _enclosing(node, kinds)
    if found is None:
        return node
    # The body of a function is no scope of its own: parameters and body share one.
    if found.type == "statement_block" and found.parent is not None and found.parent.type in _FUNCTIONS:
        return found.parent
    return found


def _bound(pattern: "Node | None") -> Iterator["Node"]:
    """The names that a pattern like `{a, b: [c = 1]}` declares."""
    if pattern is None:
        return
    if pattern.type in _NAMES:
        yield pattern
    elif pattern.type == "pair_pattern":
        yield from _bound(pattern.child_by_field_name("value"))
    elif pattern.type in ("assignment_pattern", "object_assignment_pattern"):
        yield from _bound(pattern.child_by_field_name("left"))
    else:
        for child in pattern.named_children:
            yield from _bound(child)


def _declared(node: "Node") -> Iterator[Declared]:
    match node.type:
        case "function_declaration" | "generator_function_declaration" | "class_declaration":
            kind = "class" if node.type == "class_declaration" else "function"
            name = node.child_by_field_name("name")
            if name is not None:
                scope = _scope(node, _WHOLES if kind == "function" else _WHOLES | _BLOCKS)
                yield Declared(text_of(name), line_of(name), kind, node, scope)
            if kind == "function":
                yield from _parameters(node)
        case "variable_declarator":
            kind = text_of(node.parent.children[0]) if node.parent is not None else "var"
            scope = _scope(node, _WHOLES if kind == "var" else _WHOLES | _BLOCKS)
            names = list(_bound(node.child_by_field_name("name")))
            target = node.child_by_field_name("name")
            value = node.child_by_field_name("value") if target is not None and target.type == "identifier" else None
            for name in names:
                yield Declared(text_of(name), line_of(name), kind, node, scope, value)
        case "for_in_statement":
            if (keyword := node.child_by_field_name("kind")) is not None:
                kind = text_of(keyword)
                scope = _scope(node, _WHOLES) if kind == "var" else node
                for name in _bound(node.child_by_field_name("left")):
                    yield Declared(text_of(name), line_of(name), kind, node, scope)
        case "catch_clause":
            for name in _bound(node.child_by_field_name("parameter")):
                yield Declared(text_of(name), line_of(name), "catch", node, node)
        case "import_clause" | "named_imports" | "namespace_import" | "import_specifier":
            yield from _imported(node)
        case kind if kind in _FUNCTIONS:
            yield from _parameters(node)


def _parameters(function: "Node") -> Iterator[Declared]:
    parts = (function.child_by_field_name("parameter"), function.child_by_field_name("parameters"))
    for name in (one for part in parts for one in _bound(part)):
        yield Declared(text_of(name), line_of(name), "parameter", function, function)


def _imported(node: "Node") -> Iterator[Declared]:
    names: list[Node] = []
    if node.type == "import_specifier":
        chosen = node.child_by_field_name("alias") or node.child_by_field_name("name")
        names = [chosen] if chosen is not None else []
    elif node.type != "named_imports":
        names = [child for child in node.named_children if child.type == "identifier"]
    scope = _scope(node, {"program"})
    for name in names:
        yield Declared(text_of(name), line_of(name), "import", node, scope)
