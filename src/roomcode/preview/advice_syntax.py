"""The cure beside errors of syntax, of declarations that are in each other's way, and of JSON."""

import re

from roomcode.preview.brackets import PAIRS, bracket_fault, foreign_text
from roomcode.preview.declarations import Declared, line_of, text_of
from roomcode.preview.loading import Loaded, local_path, target_of, twice
from roomcode.preview.names import nearest
from roomcode.preview.project import Here, Project, declaration_place
from roomcode.preview.syntax import json_fault
from roomcode.preview.types import Entry

__all__ = ["already_declared", "const_assigned", "json_advice", "syntax_advice", "used_too_soon"]

_MODULE_ONLY = re.compile(
    r"Cannot use import statement outside|Cannot use 'import\.meta' outside|Unexpected token 'export'"
)
_AWAIT = re.compile(r"await is only valid in async functions")
_MARKUP = re.compile(r"\s*(?:<!--.*?-->\s*)*<(!doctype|html|head|body|script|div|style)\b", re.IGNORECASE | re.DOTALL)
_APOSTROPHE = re.compile(r"'[^'\"`\n]*?(\w+'(?:s|t|re|ll|ve|m|d))\b")
_CURLY = re.compile("[\u201c\u201d\u2018\u2019]")


def already_declared(name: str, entry: Entry, known: Project) -> str:
    """`Identifier 'x' has already been declared`"""
    here = known.at(entry)
    if here is None:
        return ""
    same = [one for one in here.code.declared if one.name == name]
    pairs = [
        (one, other)
        for at, one in enumerate(same)
        for other in same[at + 1 :]
        if one.scope.id == other.scope.id and not {one.kind, other.kind} <= {"var", "function", "parameter"}
    ]
    if pairs:
        first, second = pairs[0]
        return _rename(name, declaration_place(here, first), here.before + second.line, first)
    tags = known.tags_of(here.file)
    if len(tags) > 1 and here.loaded is not None and not here.loaded.inline:
        return f"{known.page} {twice(here.file, tags[0].line, tags[1].line)}"
    own = next((one for one in same if one.top), None)
    for other_place in known.loaded():
        if other_place.code is here.code or other_place.loaded is None or other_place.loaded.module:
            continue
        for other in other_place.code.declared:
            if other.name == name and other.top and own is not None:
                places = f"{declaration_place(other_place, other)} and {declaration_place(here, own)}"
                return f"{name} is declared in {places}, and one page loads both: remove or rename one"
    return ""


def _rename(name: str, first: str, second: int, declared: Declared) -> str:
    if declared.kind == "parameter":
        return f"{name} is already a parameter ({first}): rename the one in line {second}"
    if declared.kind == "import":
        return f"{name} is already imported ({first}): remove the one in line {second}"
    return f"{name} is declared in {first} and again in line {second}: remove or rename the second"


def const_assigned(entry: Entry, known: Project) -> str:
    """`Assignment to constant variable`"""
    here = known.at(entry)
    if here is None:
        return ""
    found: dict[str, str] = {}
    for node in here.code.nodes:
        if node.type not in ("assignment_expression", "augmented_assignment_expression", "update_expression"):
            continue
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        if target is None or target.type != "identifier":
            continue
        if not line_of(node) <= entry.line - here.before <= int(node.end_point[0]) + 1:
            continue
        name = text_of(target)
        declared, place = here.code.resolve(name, target), here
        if declared is None:
            place, declared = next(
                ((one, top) for one in known.loaded() for top in one.code.declared if top.top and top.name == name),
                (here, None),
            )
        if declared is not None and declared.kind == "const":
            found[name] = declaration_place(place, declared)
    if len(found) != 1:
        return ""
    name, where = next(iter(found.items()))
    return f"{name} is const in {where}: write let there"


def used_too_soon(name: str, entry: Entry, known: Project) -> str:
    """`Cannot access 'x' before initialization`"""
    here = known.at(entry)
    if here is None:
        return ""
    node = known.node_at(entry, here)
    declared, place = here.code.resolve(name, node), here
    if declared is None:
        for one in known.loaded():
            for other in one.code.declared:
                if other.top and other.name == name and one.loaded is not None and here.loaded is not None:
                    if one.loaded.order < here.loaded.order:
                        return f"{one.file} stopped before {name} was declared: mend the error of {one.file} first"
                    return ""
        return ""
    where, line = declaration_place(place, declared), place.before + declared.line
    if line == entry.line:
        return f"line {line} uses {name} to make {name}: give the new one another name"
    inside = here.code.runs_at_once(node) and _call_before(here, node, declared)
    if inside:
        return f"{where} declares {name}: move that line up, above line {inside + here.before}"
    if line > entry.line:
        return f"{where} declares {name}: move that line up, above line {entry.line}"
    return ""


def _call_before(here: Here, node: object, declared: Declared) -> int:
    """The line outside of functions, before a declaration, from which a place in a function is reached; 0 for none."""
    if not declared.top:
        return 0
    for statement in here.code.root.named_children:
        if line_of(statement) >= declared.line:
            return 0
        if statement.type == "expression_statement":
            return line_of(statement)
    return 0


def syntax_advice(entry: Entry, known: Project) -> str:
    """Errors of scripts that do not parse."""
    here = known.at(entry)
    if here is None:
        return ""
    lines = here.code.text.splitlines()
    if here.code.broken and (foreign := foreign_text(here.code.text)) is not None:
        return f"{here.file}:{here.before + foreign[0]} {foreign[1]}"
    if _MODULE_ONLY.search(entry.text):
        return _needs_module(entry, here, known)
    if _AWAIT.search(entry.text):
        return _needs_async(entry, here, known)
    if here.loaded is not None and not here.loaded.inline and (found := _MARKUP.match(here.code.text)):
        return f"{here.file} begins with <{found[1]}>: it may hold only JavaScript, no tags"
    at = entry.line - here.before
    line = lines[at - 1] if 0 < at <= len(lines) else ""
    if "Unexpected identifier" in entry.text or "missing )" in entry.text or "Invalid or unexpected" in entry.text:
        if found := _APOSTROPHE.search(line):
            return f"the ' in {found[1]} ends the text: put double quotes around that text in line {entry.line}"
        if (found := _CURLY.search(line)) is not None:
            return f"line {entry.line} has a curly quote {found[0]}: write plain quotes"
    return _brackets(here)


def _needs_module(entry: Entry, here: Here, known: Project) -> str:
    loaded = here.loaded
    if loaded is None:
        return ""
    if loaded.inline:
        return f'add type="module" to the script tag in {known.page}:{loaded.line}'
    if "export" in entry.text and not _imported(here.file, known):
        users = [one for one in known.loaded() if one.code is not here.code and not _of_module(one.loaded)]
        names = set(here.code.exports)
        handlers = " ".join(part.text for part in known.sources.pages[known.page].handlers)
        used = [name for name in names if re.search(rf"\b{re.escape(name)}\b", handlers)]
        used += [name for one in users for name in names if re.search(rf"\b{re.escape(name)}\s*\(", one.code.text)]
        if used:
            return f"nothing imports {here.file}: take the word export out of it"
    return f'add type="module" to the script tag of {here.file} in {known.page}:{loaded.line}'


def _of_module(loaded: Loaded | None) -> bool:
    return loaded is None or loaded.module


def _imported(file: str, known: Project) -> bool:
    scripts = [(name, script) for name, script in known.sources.scripts.items()]
    scripts += [(known.page, script) for _, script in known.sources.inline[known.page]]
    for name, script in scripts:
        for _, url in script.imports:
            path = local_path(url)
            if path and target_of(name, path) == file:
                return True
    return False


def _needs_async(entry: Entry, here: Here, known: Project) -> str:
    row, column = entry.line - here.before - 1, max(entry.column - 1, 0)
    node = here.code.root.descendant_for_point_range((row, column), (row, column))
    while node is not None and not ("function" in node.type or node.type == "method_definition"):
        node = node.parent
    if node is not None and node.type != "function":
        name = text_of(node.child_by_field_name("name"))
        called = f"{name}()" if name else "there"
        return f"write async before the function {called} in line {here.before + line_of(node)}"
    if here.loaded is None:
        return ""
    of = "" if here.loaded.inline else f" of {here.file}"
    return f'await needs a module: add type="module" to the script tag{of} in {known.page}:{here.loaded.line}'


def _brackets(here: Here) -> str:
    """Where a bracket is missing or too many."""
    fault = bracket_fault(here.code.nodes, here.code.text)
    if fault is None:
        return ""
    if fault.kind == "extra":
        return f"the {fault.shown} in {here.file}:{here.before + fault.line} is too many: remove it"
    place = f"the {fault.opener} of {here.file}:{here.before + fault.opened}"
    if fault.kind == "open":
        return f"{place} is never closed: add {PAIRS[fault.opener]}"
    where = f"before the {fault.shown} of line {here.before + fault.line}"
    return f"{place} is not closed: add {PAIRS[fault.opener]} {where}"


def json_advice(entry: Entry, known: Project) -> str:
    """Text that was read as JSON and is none."""
    if "JSON" not in entry.text or not re.search(r"not valid JSON|in JSON|of JSON|JSON input", entry.text):
        return ""
    faults = []
    for file, url in _fetched(known):
        path = local_path(url)
        target = target_of(file, path) if path else ""
        if not target:
            continue
        if target not in known.sources.names:
            guess = nearest(target, known.sources.names)
            faults.append(f"{target} does not exist" + (f"; did you mean {guess}?" if guess else ": write it"))
        elif target.endswith((".html", ".htm")) and "<" in entry.text:
            faults.append(f"{target} is a page, no JSON: fetch a .json file")
        elif target.endswith(".json") and (fault := json_fault(known.sources.texts.get(target, "{}"))) is not None:
            faults.append(f"{target}:{fault[0]} is {fault[1]}")
    return faults[0] if len(faults) == 1 else ""


def _fetched(known: Project) -> list[tuple[str, str]]:
    """(file they are relative to, address) of what the page's scripts fetch."""
    found: list[tuple[str, str]] = []
    for one in known.loaded():
        if one.loaded is not None and one.loaded.inline:
            script = known.sources.inline[known.page][one.loaded.part][1]
        else:
            script = known.sources.scripts[one.file]
        found.extend((known.page, url) for _, url in script.loads)
    return found
