"""Mistakes of scripts that run without an error: numbers sorted as text, a loop that leaves out the first entry, an
event whose name no browser fires, and the like.

Works on texts alone. What `script_pitfalls` says is wrong in any program; what `doubtful_places` says may be meant, so
it is only worth telling where somebody looks for a fault.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from roomcode.preview.declarations import line_of, parsed, text_of, walk
from roomcode.preview.lexicon import EVENTS, PROPERTIES
from roomcode.preview.meanings import Elements, Names, arguments_of, method_of
from roomcode.preview.pitfalls_loops import captured, left_out, past_the_end
from roomcode.preview.pitfalls_slips import doubtful_slips, slips
from roomcode.preview.references import Finding, Sources, loaded_by

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["doubtful_places", "script_pitfalls"]

_Place = tuple[int, str]
"""Line from 1 and a sentence."""

_KEYS: Mapping[str, str] = {
    **{name.lower(): name for name in ("Enter", "Escape", "Tab", "Backspace", "Delete", "Home", "End", "Shift")},
    **{f"arrow{way.lower()}": f"Arrow{way}" for way in ("Up", "Down", "Left", "Right")},
    **{way.lower(): f"Arrow{way}" for way in ("Up", "Down", "Left", "Right")},
    "esc": "Escape",
    "return": "Enter",
    "space": " ",
    "spacebar": " ",
}
"""Names that `event.key` never has, to those that it has."""
_PROPERTIES = {name.lower(): name for name in PROPERTIES}
_LISTS = {"array", "object"}
_FIELDS = {"input", "textarea", "select", "option", "button", "output", "progress", "meter", "li", "data", "param"}
"""Elements that have a value."""
_EMPTY_FIELDS = {"input"}
"""Elements whose text is never what was typed."""
_TIMERS = {"setTimeout", "setInterval", "requestAnimationFrame"}
_ADDS_UP = re.compile(r"sum|total|add|plus|result|amount|price|cost|tip|calc|count|number|quantity", re.IGNORECASE)
_KINDS_OF_NODES = re.compile(r"\bnode(?:Type|Name|Value)\b|_NODE\b|instanceof|#text|\btagName\b|\bcloneNode\b")
"""Code that tells elements from texts by itself, or means both."""
_EQUAL = {"==", "===", "!=", "!=="}


def script_pitfalls(sources: Sources) -> list[Finding]:
    """What is wrong in scripts that some page loads, in the order of the files; each place once."""
    return _findings(sources, _wrong)


def doubtful_places(sources: Sources) -> list[Finding]:
    """Places that are wrong more often than not."""
    return _findings(sources, _doubtful)


def _findings(sources: Sources, look: Callable[["Node", Elements], Iterator[_Place]]) -> list[Finding]:
    users = loaded_by(sources)
    found: list[Finding] = []
    for name in sources.scripts:
        if name in users and not sources.scripts[name].errors:
            elements = _elements(sources, users[name])
            found += [Finding(name, *place) for place in look(parsed(sources.texts[name]), elements)]
    for name, page in sources.pages.items():
        for part, (before, script) in zip(page.scripts, sources.inline[name], strict=True):
            if not script.errors:
                places = look(parsed(part.text), _elements(sources, {name}))
                found += [Finding(name, line + before, text) for line, text in places]
    return list(dict.fromkeys(found))


def _elements(sources: Sources, pages: set[str]) -> dict[str, tuple[str, str]]:
    """Id to tag and type of the element that has it on each of the pages."""
    found: dict[str, tuple[str, str]] = {}
    twice: set[str] = set()
    for page in pages:
        for element in sources.pages[page].elements:
            if name := element.attributes.get("id", ""):
                kind = element.tag, element.attributes.get("type", "").lower()
                twice |= {name} if found.get(name, kind) != kind else set()
                found[name] = kind
    return {name: kind for name, kind in found.items() if name not in twice}


def _wrong(root: "Node", elements: Elements) -> Iterator[_Place]:
    yield from _twice(root)
    names = Names(root, elements)
    for node in walk(root):
        yield from slips(node, names, root)
        match node.type:
            case "call_expression":
                yield from _sorted_as_text(node, names)
                yield from _event_name(node)
                yield from _called_at_once(node, names)
                yield from _stored_as_text(node, names)
                yield from _digits_of_text(node, names)
            case "member_expression":
                yield from _property(node, names)
                yield from _no_value(node, names)
                yield from _spaces_too(node)
            case "assignment_expression":
                yield from _assigned_call(node, names)
            case "if_statement" | "while_statement":
                yield from _condition(node)
            case "binary_expression":
                yield from _comparison(node)
                yield from _joined(node, names)
                yield from _put_behind(node, names)
                yield from _digit_added(node, names)
            case "augmented_assignment_expression":
                yield from _digit_added(node, names)
            case "for_statement" | "for_in_statement":
                yield from past_the_end(node)
                yield from captured(node, root)


def _doubtful(root: "Node", elements: Elements) -> Iterator[_Place]:
    names = Names(root, elements)
    for node in walk(root):
        yield from doubtful_slips(node)
        match node.type:
            case "for_statement":
                yield from left_out(node)
            case "binary_expression":
                yield from _joined(node, names, sure=False)


def _twice(root: "Node") -> Iterator[_Place]:
    """Functions of one name, and handlers of one event of one element that run the same statement: what is left when a
    part of a script was written once more."""
    functions: dict[str, int] = {}
    handlers: dict[str, tuple[int, set[str]]] = {}
    for node in root.named_children:
        if node.type == "function_declaration":
            name, line = text_of(node.child_by_field_name("name")), line_of(node)
            if name in functions:
                yield line, f"function {name} is declared in line {functions[name]} too: take one of them out"
            functions.setdefault(name, line)
        call = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
        if call is None or call.type != "call_expression":
            continue
        owner, method = method_of(call)
        arguments = arguments_of(call)
        if owner is None or method != "addEventListener" or len(arguments) < 2:
            continue
        body = arguments[1].child_by_field_name("body")
        said = {" ".join(text_of(one).split()) for one in body.named_children} if body is not None else set()
        steps = {one for one in said if re.search(r"\+\+|--|[-+]=", one)}
        key = f"{text_of(owner)} {text_of(arguments[0])[1:-1]}"
        line, before = handlers.get(key, (0, set()))
        if both := sorted(steps & before):
            what = f"{both[0].rstrip(';')} runs twice for each {key.rsplit(' ', 1)[1]}"
            yield line_of(node), f"{what}, the handler in line {line} does it too: take one of them out"
        handlers.setdefault(key, (line_of(node), steps))


def _sorted_as_text(call: "Node", names: Names) -> Iterator[_Place]:
    owner, method = method_of(call)
    if owner is not None and method in ("sort", "toSorted"):
        yield from _true_or_false(call, method)
    if owner is None or method not in ("sort", "toSorted") or arguments_of(call) or not names.numbers(owner):
        return
    then = call.parent.child_by_field_name("property") if call.parent is not None else None
    order = "(a, b) => a - b"
    text = f"{method}() puts numbers in the order of text, 100 before 7: write {method}({order})"
    yield line_of(call), text + ("" if text_of(then) == "reverse" else ", or b - a for the largest first")


def _true_or_false(call: "Node", method: str) -> Iterator[_Place]:
    arguments = arguments_of(call)
    body = arguments[0].child_by_field_name("body") if arguments else None
    if body is not None and body.type == "binary_expression":
        compared = " ".join(text_of(body).split())
        if text_of(body.child_by_field_name("operator")) in ("<", ">") and len(compared) < 60:
            text = f"{method} needs a number and gets true or false: write {compared} ? 1 : -1 there"
            yield line_of(body), text


def _event_name(call: "Node") -> Iterator[_Place]:
    _, method = method_of(call)
    arguments = arguments_of(call)
    if method in ("addEventListener", "removeEventListener") and arguments and arguments[0].type == "string":
        name = text_of(arguments[0])[1:-1]
        plain = name.removeprefix("on") if name.lower().startswith("on") and name[2:].isalpha() else name
        plain = plain.lower() if plain.lower() in EVENTS else plain
        if plain != name and plain in EVENTS:
            yield line_of(call), f'no event is called "{name}": write "{plain}" there'


def _called_at_once(call: "Node", names: Names) -> Iterator[_Place]:
    _, method = method_of(call)
    arguments = arguments_of(call)
    if method in _TIMERS and arguments:
        yield from _silent_call(arguments[0], names)
    elif method == "addEventListener" and len(arguments) > 1:
        yield from _silent_call(arguments[1], names)


def _assigned_call(node: "Node", names: Names) -> Iterator[_Place]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and left.type == "member_expression" and right is not None:
        name = text_of(left.child_by_field_name("property"))
        if name.startswith("on") and name[2:] in EVENTS:
            yield from _silent_call(right, names)


def _silent_call(node: "Node", names: Names) -> Iterator[_Place]:
    callee = node.child_by_field_name("function") if node.type == "call_expression" else None
    if callee is not None and callee.type == "identifier" and (name := text_of(callee)) in names.silent:
        whole = " ".join(text_of(node).split())[:60]
        better = name if not arguments_of(node) else f"() => {whole}"
        yield line_of(node), f"{whole} is called at once and not later: write {better} there"


def _stored_as_text(call: "Node", names: Names) -> Iterator[_Place]:
    owner, method = method_of(call)
    arguments = arguments_of(call)
    if method != "setItem" or len(arguments) != 2 or not text_of(owner).endswith("Storage"):
        return
    value = names.value(arguments[1], fixed=False)
    if value is not None and value.type in _LISTS:
        shown = " ".join(text_of(arguments[1]).split())[:40]
        yield line_of(call), f"setItem stores a list or object as useless text: write JSON.stringify({shown}) there"


def _property(node: "Node", names: Names) -> Iterator[_Place]:
    holder = node.child_by_field_name("property")
    name = text_of(holder)
    if name in _SLIPS:
        yield line_of(holder or node), f"there is no property {name}: write {_SLIPS[name]} there"
        return
    right = _PROPERTIES.get(name.lower())
    if right is None or right == name or name.isupper():
        return
    owner = node.child_by_field_name("object")
    known = names.element(owner) is not None or text_of(owner) in ("document", "event", "e", "window")
    if known or name.lower() in _TELLING:
        yield line_of(holder or node), f"there is no property {name}: write {right} there"


_SLIPS = {"lenght": "length", "legnth": "length", "lengh": "length", "inerHTML": "innerHTML", "innerHTLM": "innerHTML"}
_TELLING = {"innerhtml", "innertext", "textcontent", "classname", "classlist", "backgroundcolor", "addeventlistener"}
"""Names, in small letters, that nobody gives to a property of their own."""


def _no_value(node: "Node", names: Names) -> Iterator[_Place]:
    name = text_of(node.child_by_field_name("property"))
    if name not in ("value", "textContent", "innerText", "innerHTML"):
        return
    found = names.element(node.child_by_field_name("object"))
    if found is None:
        return
    wanted, (tag, _) = found
    if name == "value" and tag not in _FIELDS and "-" not in tag:
        yield line_of(node), f"#{wanted} is a <{tag}> and has no value: write textContent there"
    elif name != "value" and tag in _EMPTY_FIELDS:
        yield line_of(node), f"#{wanted} is an <{tag}> and its text is its value: write value there"


def _spaces_too(node: "Node") -> Iterator[_Place]:
    """`list.childNodes.forEach(...)` where the entries of a list are meant."""
    owner, parent = node.child_by_field_name("object"), node.parent
    if text_of(node.child_by_field_name("property")) != "childNodes" or owner is None or parent is None:
        return
    method = text_of(parent.child_by_field_name("property")) if parent.type == "member_expression" else ""
    around, root = parent.parent, node
    while root.parent is not None:
        root = root.parent
    if method not in ("forEach", "length") or len(text_of(owner)) > 40 or _KINDS_OF_NODES.search(text_of(root)):
        return
    if (
        method == "length"
        and around is not None
        and (around.type == "parenthesized_expression" or re.search(r"(?<![\w.])0(?![\w.])|\?|&&", text_of(around)))
    ):
        return  # whether there is anything at all
    better = f"[...{text_of(owner)}.children]" if method == "forEach" else f"{text_of(owner)}.children"
    yield line_of(node), f"childNodes holds the spaces between elements too: write {better} there"


def _condition(node: "Node") -> Iterator[_Place]:
    holder = node.child_by_field_name("condition")
    inner = holder.named_children[0] if holder is not None and holder.named_children else None
    if inner is None:
        return
    if inner.type == "assignment_expression":
        left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
        if right is not None and right.type in ("number", "string", "true", "false", "null", "identifier"):
            shown = " ".join(text_of(inner).split())[:60]
            better = f"{text_of(left)} === {text_of(right)}"[:60]
            yield line_of(inner), f"{shown} sets and does not compare: write {better} there"
    for one in walk(inner):
        if one.type != "binary_expression" or text_of(one.child_by_field_name("operator")) != "||":
            continue
        left, right = one.child_by_field_name("left"), one.child_by_field_name("right")
        if left is None or right is None or left.type != "binary_expression" or right.type not in ("string", "number"):
            continue
        if text_of(left.child_by_field_name("operator")) in ("==", "===") and text_of(right) not in ('""', "''", "0"):
            compared = f"{text_of(left.child_by_field_name('left'))} === {text_of(right)}"
            yield line_of(one), f"|| {text_of(right)} is always true: write || {compared} there"


def _comparison(node: "Node") -> Iterator[_Place]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if text_of(node.child_by_field_name("operator")) not in _EQUAL or left is None or right is None:
        return
    if text_of(right) == "NaN" or text_of(left) == "NaN":
        other = text_of(left) if text_of(right) == "NaN" else text_of(right)
        yield line_of(node), f"nothing equals NaN: write Number.isNaN({other}) there"
        return
    if right.type != "string" or left.type != "member_expression":
        return
    value, name = text_of(right)[1:-1], text_of(left.child_by_field_name("property"))
    if name == "key" and re.fullmatch(r"e|ev|evt|event|\w*[eE]vent", text_of(left.child_by_field_name("object"))):
        better = _KEYS.get(value.lower())
        if better is not None and better != value:
            yield line_of(node), f'event.key is never "{value}": write "{better}" there'


def _joined(node: "Node", names: Names, *, sure: bool = True) -> Iterator[_Place]:
    """Two fields' values put side by side where they should be added."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if text_of(node.child_by_field_name("operator")) != "+":
        return
    one, other = names.typed(left), names.typed(right)
    if one is None or other is None:
        return
    numbers = {one[1], other[1]} <= {"number", "range"}
    around = node.parent
    while around is not None and around.type not in ("expression_statement", "lexical_declaration", "program"):
        around = around.parent
    about = numbers or _ADDS_UP.search(f"{one[0]} {other[0]} {text_of(around) if around is not None else ''}")
    if numbers if sure else about and not numbers:
        yield (
            line_of(node),
            f"{text_of(left)} + {text_of(right)} puts two texts side by side, 1 + 2 is 12: "
            f"write Number({text_of(left)}) + Number({text_of(right)}) there",
        )


def _digits_of_text(node: "Node", names: Names) -> Iterator[_Place]:
    """A text that is to be written in other digits, which only numbers can be."""
    owner, method = method_of(node)
    radix = [text_of(one) for one in arguments_of(node)]
    if method == "toString" and radix and re.fullmatch(r"\d+", radix[0]) and names.text(owner):
        code = f"{text_of(owner)}.toString({radix[0]})"
        yield (
            line_of(node),
            f"{code} is text and stays as it is: write Number({text_of(owner)}).toString({radix[0]}) there",
        )


def _put_behind(node: "Node", names: Names) -> Iterator[_Place]:
    """The value of a number field put behind a number where it should be added."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if text_of(node.child_by_field_name("operator")) != "+" or left is None or right is None:
        return
    for number, field, order in ((left, right, "{0} + {1}"), (right, left, "{1} + {0}")):
        typed = names.typed(field)
        if typed is None or typed[1] not in ("number", "range") or not names.counted(number):
            continue
        better = order.format(text_of(number), f"Number({text_of(field)})")
        if len(better) < 120 and "\n" not in better:
            yield (
                line_of(node),
                f"{text_of(field)} is text and is put behind the number, 1 + 2 is 12: write {better} there",
            )


def _digit_added(node: "Node", names: Names) -> Iterator[_Place]:
    """A number put behind a text where it should be added: `shown.textContent + 1`, `count += 1`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if text_of(node.child_by_field_name("operator")) not in ("+", "+=") or right is None or right.type != "number":
        return
    if not names.text(left):
        return
    shown, number = text_of(left), text_of(right)
    if len(shown) > 60 or "\n" in shown:
        return
    sum_ = f"Number({shown}) + {number}"
    better = sum_ if node.type == "binary_expression" else f"{shown} = {sum_}"
    yield line_of(node), f"{shown} is text, so {number} is put behind it and not added: write {better} there"
