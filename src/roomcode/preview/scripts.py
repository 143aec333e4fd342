"""What a script file holds: what it loads, which ids it asks for, what it defines, and where it does not parse."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roomcode.preview.brackets import bracket_fault, foreign_text
from roomcode.preview.declarations import line_of, parsed, text_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Script", "parse_script"]

_MADE_ID = re.compile(r"""\bid\s*[=:]\s*\\?["'`]([\w-]*)(["'`\\]|\$\{)|["']id["']\s*,\s*["'`]([\w-]*)(["'`]|\$\{)""")
_SELECTOR_ID = re.compile(r"#([A-Za-z_][\w-]*)")
_BRACKETS = re.compile(r"\[[^\]]*\]")
_PAGE_LOADERS = {"fetch", "Audio", "Worker", "SharedWorker", "importScripts"}


@dataclass(slots=True)
class Script:
    """Facts of one script; pairs are (line from 1, value)."""

    errors: list[tuple[int, str]] = field(default_factory=list)
    imports: list[tuple[int, str]] = field(default_factory=list)
    """Modules, relative to the script."""
    loads: list[tuple[int, str]] = field(default_factory=list)
    """Files fetched or started, relative to the page."""
    ids: list[tuple[int, str]] = field(default_factory=list)
    """Ids it expects in the page."""
    makes: set[str] = field(default_factory=set)
    """Ids it gives to elements itself."""
    makes_prefixes: set[str] = field(default_factory=set)
    """Beginnings of ids that it builds."""
    defines: set[str] = field(default_factory=set)
    exposes: set[str] = field(default_factory=set)
    """Names it puts on `window`, so that they are known everywhere."""
    strings: set[str] = field(default_factory=set)


def parse_script(text: str) -> Script:
    """Read a script (classic or module). Never raises; what cannot be understood is left out."""
    root = parsed(text)
    script = Script()
    for match in _MADE_ID.finditer(text):
        name, end = (match[1], match[2]) if match[2] else (match[3], match[4])
        (script.makes_prefixes if end == "${" else script.makes).add(name)
    nodes = list(walk(root))
    if root.has_error:
        script.errors.append(_fault(root, nodes, text))
    for node in nodes:
        _take(node, script)
    if not script.errors:
        script.errors.extend(_declared_twice(root))
    return script


def _literal(node: "Node | None") -> str | None:
    """The value of a string without escapes or placeholders."""
    if node is None or node.type not in ("string", "template_string"):
        return None
    text = text_of(node)[1:-1]
    return None if "\\" in text or "${" in text else text


def _arguments(call: "Node") -> list["Node"]:
    holder = call.child_by_field_name("arguments")
    return [child for child in holder.named_children if child.type != "comment"] if holder is not None else []


def _take(node: "Node", script: Script) -> None:
    match node.type:
        case "import_statement" | "export_statement":
            if (source := _literal(node.child_by_field_name("source"))) is not None:
                script.imports.append((line_of(node), source))
        case "call_expression" | "new_expression":
            _call(node, script)
        case "assignment_expression":
            _assignment(node, script)
        case "function_declaration" | "generator_function_declaration" | "class_declaration" | "variable_declarator":
            if name := text_of(node.child_by_field_name("name")):
                script.defines.add(name)
        case "string":
            if value := _literal(node):
                script.strings.add(value)
        case "jsx_element" | "jsx_self_closing_element":
            if not script.errors:
                script.errors.append((line_of(node), "HTML in a script: put it into quotes; browsers do not run JSX"))


def _call(node: "Node", script: Script) -> None:
    callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    arguments = _arguments(node)
    value = _literal(arguments[0]) if arguments else None
    if callee is None or value is None:
        return
    name = text_of(callee.child_by_field_name("property")) if callee.type == "member_expression" else text_of(callee)
    line = line_of(node)
    if name == "getElementById":
        script.ids.append((line, value))
    elif name in ("querySelector", "querySelectorAll") or (name == "$" and value.startswith("#")):
        script.ids.extend((line, found) for found in _SELECTOR_ID.findall(_BRACKETS.sub("", value)))
    elif callee.type == "import" or name == "import":
        script.imports.append((line, value))
    elif name == "URL" and len(arguments) == 2 and "import.meta" in text_of(arguments[1]):
        script.imports.append((line, value if value.startswith((".", "/")) else f"./{value}"))
    elif name in _PAGE_LOADERS or (name == "register" and "serviceWorker" in text_of(callee)):
        script.loads.append((line, value))


def _assignment(node: "Node", script: Script) -> None:
    left, value = node.child_by_field_name("left"), _literal(node.child_by_field_name("right"))
    if left is None:
        return
    if left.type == "identifier":
        script.defines.add(text_of(left))
    elif left.type == "member_expression":
        name = text_of(left.child_by_field_name("property"))
        if text_of(left.child_by_field_name("object")) in ("window", "globalThis", "self"):
            script.exposes.add(name)
        if name == "src" and value:
            script.loads.append((line_of(node), value))


def _fault(root: "Node", nodes: list["Node"], text: str) -> tuple[int, str]:
    """The most telling sentence about the first place that does not parse."""
    if foreign := foreign_text(text):
        return foreign
    if bracket := bracket_fault(nodes, text):
        if bracket.kind == "extra":
            return bracket.line, f"'{bracket.shown}' closes nothing"
        if bracket.kind == "open":
            return bracket.opened, f"'{bracket.opener}' is never closed"
        return bracket.line, f"'{bracket.shown}' does not fit the '{bracket.opener}' of line {bracket.opened}"
    fault = next((node for node in nodes if node.type == "ERROR" or node.is_missing), root)
    if fault.is_missing:
        return line_of(fault), f"'{fault.type}' is missing"
    near = " ".join(text_of(fault).split())[:40] or "the end"
    return line_of(fault), f"syntax error near: {near}"


def _declared_twice(root: "Node") -> Iterator[tuple[int, str]]:
    seen: dict[str, int] = {}
    for statement in root.named_children:
        if statement.type != "lexical_declaration":
            continue
        for declarator in statement.named_children:
            name = declarator.child_by_field_name("name")
            if name is None or name.type != "identifier":
                continue
            if (key := text_of(name)) in seen:
                yield line_of(name), f"{key} is already declared in line {seen[key]}"
            seen.setdefault(key, line_of(name))
