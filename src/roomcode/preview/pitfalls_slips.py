"""Slips of scripts that run without an error: results that are thrown away, functions that are not called, a name that
is declared once more, texts compared as such, months that count from 0.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from roomcode.preview.declarations import line_of, text_of, walk
from roomcode.preview.meanings import Names, arguments_of, gives_back, method_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["doubtful_slips", "slips"]

_Place = tuple[int, str]
"""Line from 1 and a sentence."""
_ACTIONS = {
    "preventDefault",
    "stopPropagation",
    "reset",
    "focus",
    "remove",
    "play",
    "pause",
    "reload",
    "showModal",
    "submit",
}
_PURE = {
    *("trim", "trimStart", "trimEnd", "toUpperCase", "toLowerCase", "padStart", "padEnd", "replaceAll", "replace"),
    *("concat", "slice", "substring", "toFixed", "toSorted", "filter"),
}
"""Methods that leave what they are called on as it is."""
_GIVING = {"map", "filter", "find", "findIndex", "findLast", "some", "every", "reduce", "flatMap", "sort", "toSorted"}
"""Methods whose function has to give something back."""
_FUNCTIONS = {"arrow_function", "function_expression", "function"}
_ENDS = {"break_statement", "return_statement", "throw_statement", "continue_statement"}
_SCOPES = {"statement_block", "program", "for_statement", "for_in_statement", "arrow_function", "switch_body"}
_COMPARED = {"<", ">", "<=", ">="}
_LONGEST = 110
"""Characters of code that a sentence shows."""


def slips(node: "Node", names: Names, root: "Node") -> Iterator[_Place]:
    """What is wrong at `node` in any program."""
    match node.type:
        case "expression_statement":
            yield from _not_called(node, names)
            yield from _thrown_away(node, root)
        case "call_expression":
            yield from _nothing_given(node)
            yield from _month(node)
        case "return_statement":
            yield from _ended_early(node)
        case "assignment_expression":
            yield from _turned_round(node)
            yield from _second_timer(node, root)
        case "for_in_statement":
            yield from _numbers_for_entries(node, names)
        case "if_statement" | "while_statement" | "ternary_expression":
            yield from _place_as_truth(node)
        case "subscript_expression":
            yield from _random_place(node, names)
        case "binary_expression":
            yield from _compared_texts(node, names)
            yield from _never_empty(node)
        case "variable_declarator":
            yield from _declared_again(node, root)
        case "switch_case":
            yield from _runs_on(node, sure=True)


def doubtful_slips(node: "Node") -> Iterator[_Place]:
    """What may be meant at `node`."""
    if node.type == "switch_case":
        yield from _runs_on(node, sure=False)


def _short(node: "Node | None") -> str:
    """Code in one line; "" when it is too long to be shown."""
    text = text_of(node)
    return text if "\n" not in text and len(text) <= _LONGEST else ""


def _not_called(node: "Node", names: Names) -> Iterator[_Place]:
    inner = node.named_children[0] if node.named_children else None
    if inner is None:
        return
    code = _short(inner)
    known = inner.type == "identifier" and code in names.silent
    action = inner.type == "member_expression" and text_of(inner.child_by_field_name("property")) in _ACTIONS
    if code and (known or action):
        yield line_of(inner), f"{code} is only named and not called: write {code}() there"


def _thrown_away(node: "Node", root: "Node") -> Iterator[_Place]:
    call = node.named_children[0] if node.named_children else None
    if call is None or call.type != "call_expression":
        return
    owner, method = method_of(call)
    code, arguments = _short(call), arguments_of(call)
    if owner is None or owner.type != "identifier" or method not in _PURE or not code:
        return
    if (method == "replace" and len(arguments) != 2) or (method == "filter" and not _pure_function(arguments)):
        return
    name = text_of(owner)
    if re.search(rf"\b(?:let|var)\s+{re.escape(name)}\b", text_of(root)):
        yield line_of(call), f"{code} changes nothing by itself: write {name} = {code} there"
    elif method != "filter" and re.search(rf"\bconst\s+{re.escape(name)}\b", text_of(root)):
        yield line_of(call), f"{code} changes nothing by itself, {name} stays as it is: use what it gives back"


def _pure_function(arguments: "list[Node]") -> bool:
    body = arguments[0].child_by_field_name("body") if arguments and arguments[0].type == "arrow_function" else None
    return body is not None and body.type in ("binary_expression", "member_expression", "unary_expression")


def _nothing_given(call: "Node") -> Iterator[_Place]:
    owner, method = method_of(call)
    arguments = arguments_of(call)
    if owner is None or method not in _GIVING or not arguments or arguments[0].type not in _FUNCTIONS:
        return
    body = arguments[0].child_by_field_name("body")
    used = call.parent is not None and call.parent.type != "expression_statement"
    if body is None or body.type != "statement_block" or not used or text_of(arguments[0]).startswith("async"):
        return
    steps = [one for one in body.named_children if one.type != "comment"]
    if not steps or gives_back(body) or "throw " in text_of(body):
        return
    inner = steps[0].named_children[0] if steps[0].type == "expression_statement" else None
    code = _short(inner)
    if len(steps) == 1 and inner is not None and code and "assignment" not in inner.type:
        yield line_of(inner), f"{code} is not given back to {method}: write return {code} there"
    else:
        yield line_of(arguments[0]), f"the function for {method} gives nothing back, write return before what it finds"


def _month(call: "Node") -> Iterator[_Place]:
    owner, method = method_of(call)
    if owner is None or arguments_of(call):
        return
    code, around = _short(call), call.parent
    if method == "getYear" and code:
        yield line_of(call), f"{code} gives the years since 1900: write {text_of(owner)}.getFullYear() there"
    if method != "getMonth" or around is None or not code:
        return
    beside = [one for one in around.named_children if one != call] if around.type == "binary_expression" else []
    joined = text_of(around.child_by_field_name("operator")) == "+" and any(
        one.type in ("string", "template_string") or re.search(r"[\"'`]", text_of(one)) for one in beside
    )
    if around.type == "template_substitution" or joined:
        yield line_of(call), f"{code} counts the months from 0: write ({code} + 1) there"


def _ended_early(node: "Node") -> Iterator[_Place]:
    given = node.named_children[0] if node.named_children else None
    if given is not None and given.type != "comment" and given.start_point[0] > node.start_point[0]:
        yield line_of(node), "return ends here and gives nothing back: what it gives has to begin in the same line"


def _turned_round(node: "Node") -> Iterator[_Place]:
    left, code = _short(node.child_by_field_name("left")), _short(node)
    match = re.fullmatch(rf"{re.escape(left)}\s*=(?:(\+)\s*|(-)\s+)(\S.*)", code) if left and code else None
    if match is not None:
        yield line_of(node), f"{code} sets and does not add: write {left} {match[1] or match[2]}= {match[3]} there"


def _second_timer(node: "Node", root: "Node") -> Iterator[_Place]:
    """A timer that a click starts without a look at the one that may run."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    called = right.child_by_field_name("function") if right is not None and right.type == "call_expression" else None
    name, around = _short(left), node.parent
    if called is None or text_of(called) not in ("setInterval", "window.setInterval") or not name:
        return
    while around is not None and around.type not in (*_FUNCTIONS, "function_declaration"):
        around = around.parent
    if around is None or not _starts_by_click(around, text_of(root)):
        return
    body = text_of(around)
    again = re.findall(rf"(?<![\w$.]){re.escape(name)}(?![\w$])", body)
    if len(again) > 1 or re.search(r"\bdisabled\b|\bif\b|\?|\bonce\b", body):
        return
    said = "starts a second timer beside one that runs, which nothing stops then"
    begins = text_of(root).split("\n")[node.start_point[0]][: node.start_point[1]].strip() == ""
    cure = f": write clearInterval({name}); before it" if begins else f", call clearInterval({name}) before it"
    yield line_of(node), f"a click while it runs {said}{cure}"


def _starts_by_click(function: "Node", script: str) -> bool:
    """Whether a click runs a function, as far as its script says so; handlers of a page are known by such names."""
    if name := text_of(function.child_by_field_name("name")):
        handler = rf"[\"']click[\"']\s*,\s*{re.escape(name)}\b|\.onclick\s*=\s*{re.escape(name)}\b"
        return re.match(r"(?:start|begin|play|resume)", name, re.IGNORECASE) is not None or bool(
            re.search(handler, script)
        )
    around = function.parent
    if around is None or around.type == "variable_declarator":
        return False
    before = text_of(around.parent if around.type == "arguments" else around)[:120]
    return re.search(r"addEventListener\(\s*[\"']click|\.onclick\s*=", before) is not None


def _numbers_for_entries(node: "Node", names: Names) -> Iterator[_Place]:
    if text_of(node.child_by_field_name("operator")) != "in":
        return
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    values, body = names.value(right), text_of(node.child_by_field_name("body"))
    name, owner = _short(left), _short(right)
    if values is None or values.type != "array" or not re.fullmatch(r"[\w$]+", name) or not owner:
        return
    if not re.search(rf"\[\s*{re.escape(name)}\s*\]|Number\(|parseInt\(|\+\s*{re.escape(name)}\b", body):
        yield (
            line_of(node),
            f"{name} in {owner} goes through 0, 1, 2 and not through the entries: write {name} of {owner} there",
        )


def _place_as_truth(node: "Node") -> Iterator[_Place]:
    condition = node.child_by_field_name("condition")
    while condition is not None and condition.type in ("parenthesized_expression", "unary_expression"):
        inner = condition.named_children
        condition = inner[0] if inner else None
    if condition is None or condition.type != "call_expression":
        return
    owner, method = method_of(condition)
    code = _short(condition)
    if owner is not None and method == "indexOf" and code:
        better = f"{text_of(owner)}.includes({', '.join(text_of(one) for one in arguments_of(condition))})"
        yield line_of(condition), f"{code} is 0 for the first and -1 for none: write {better} there"


def _random_place(node: "Node", names: Names) -> Iterator[_Place]:
    index = node.child_by_field_name("index")
    place = names.value(index)
    code = _short(place)
    if place is None or "Math.random()" not in code or ".length" not in code:
        return
    if match := re.search(r"Math\.(?:round|ceil)\(", code):
        yield (
            line_of(place),
            f"{code} can be one past the end: write {code.replace(match[0], 'Math.floor(')} there",
        )
    elif not re.search(r"Math\.(?:floor|trunc)|parseInt|\||~~|>>", code):
        yield line_of(place), f"{code} is no whole number: write Math.floor({code}) there"


def _compared_texts(node: "Node", names: Names) -> Iterator[_Place]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = text_of(node.child_by_field_name("operator"))
    one, other = names.typed(left), names.typed(right)
    if operator not in _COMPARED or one is None or other is None or not {one[1], other[1]} <= {"number", "range"}:
        return
    if code := _short(node):
        better = f"Number({text_of(left)}) {operator} Number({text_of(right)})"
        yield line_of(node), f'{code} compares texts, "10" comes before "9": write {better} there'


def _never_empty(node: "Node") -> Iterator[_Place]:
    """`"a" + x || "b"`: a text that holds "a" is never empty, so what is behind `||` never comes."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = text_of(node.child_by_field_name("operator"))
    if operator not in ("||", "??") or left is None or right is None or left.type != "binary_expression":
        return
    begin, last = left.child_by_field_name("left"), left.child_by_field_name("right")
    if text_of(left.child_by_field_name("operator")) != "+" or not re.search(r"[\"'`]", text_of(begin)):
        return
    first = right
    while first.type == "binary_expression" and (inner := first.child_by_field_name("left")) is not None:
        first = inner
    code = _short(node)
    if code and last is not None:
        rest = text_of(right)[len(text_of(first)) :]
        better = f"{text_of(begin)} + ({text_of(last)} {operator} {text_of(first)}){rest}"
        yield line_of(node), f"{code} never takes what is behind {operator}: write {better} there"


def _declared_again(node: "Node", root: "Node") -> Iterator[_Place]:
    """A name declared inside where the one outside was meant: nothing reads the new one."""
    holder, declaration = node.child_by_field_name("name"), node.parent
    if (
        holder is None
        or holder.type != "identifier"
        or declaration is None
        or node.child_by_field_name("value") is None
    ):
        return
    name, scope = text_of(holder), _scope(declaration)
    if scope is None or scope.type == "program" or len(declaration.named_children) != 1:
        return
    read = ("identifier", "shorthand_property_identifier")
    if any(one.type in read and one != holder and text_of(one) == name for one in walk(scope)):
        return
    outside = [
        one
        for one in walk(root)
        if one.type == "variable_declarator" and one != node and text_of(one.child_by_field_name("name")) == name
    ]
    if len(outside) != 1 or outside[0].parent is None or outside[0].end_byte > node.start_byte:
        return
    kind, around = text_of(outside[0].parent).split(None, 1)[0], _scope(outside[0].parent)
    holds = around is not None and around.start_byte <= scope.start_byte and scope.end_byte <= around.end_byte
    own = text_of(declaration).split(None, 1)[0]
    if kind in ("let", "var") and holds:
        yield line_of(node), f"{own} {name} = makes another {name}, which nothing reads: write {name} = there"


def _scope(node: "Node") -> "Node | None":
    around = node.parent
    while around is not None and around.type not in _SCOPES:
        around = around.parent
    return around


def _runs_on(node: "Node", *, sure: bool) -> Iterator[_Place]:
    """A case without a `break`; for sure where the next one sets the same thing once more."""
    steps, behind = _steps(node), node.next_named_sibling
    if not steps or behind is None or behind.type not in ("switch_case", "switch_default"):
        return
    last = steps[-1]
    if last.type in _ENDS or any(one.type in _ENDS for one in walk(last)) or not _steps(behind):
        return
    again = bool(_set_by(steps) & _set_by(_steps(behind)))
    if again == sure:
        yield last.end_point[0] + 1, "this case runs on into the next one: write break; behind this line"


def _steps(case: "Node") -> "list[Node]":
    value = case.child_by_field_name("value")
    return [one for one in case.named_children if one != value and one.type != "comment"]


def _set_by(steps: "list[Node]") -> set[str]:
    return {
        text_of(one.child_by_field_name("left"))
        for step in steps
        for one in walk(step)
        if one.type == "assignment_expression"
    }
