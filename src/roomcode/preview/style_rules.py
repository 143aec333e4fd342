"""Style sheets read lightly: their rules, and what a property or length was meant to be."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from roomcode.preview.css_names import KNOWN_PROPERTIES, PROPERTIES, SLIPS
from roomcode.preview.names import nearest_name

__all__ = ["TEMPLATE", "Rules", "meant_length", "meant_property", "rules_of", "simple_selectors"]

_QUIET = re.compile(
    r"/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|\burl\([^)\"'\n]*\)", re.DOTALL | re.IGNORECASE
)
_SEEN = re.compile(r"[^\n]")
_END = re.compile(r"[{};]")
_GROUPS = {"@media", "@supports", "@layer", "@container", "@scope", "@starting-style"}
_DECLARATION = re.compile(r"([A-Za-z][\w-]*)\s*:\s*(.*)", re.DOTALL)
_IMPORTANT = re.compile(r"\s*!\s*important\s*$", re.IGNORECASE)
_CALL = re.compile(r"[\w-]*\([^()]*\)")
_SPACED_UNIT = re.compile(r"(?<=\d) (?=(?:px|em|rem|%|vh|vw)(?: |$))")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)")
_MARK = re.compile(r"([.#])(-?[^\W\d][\w-]*)")
_PSEUDO = re.compile(r"::?[\w-]+(?:\([^()]*\))?")
_ATTRIBUTE = re.compile(r"\[[^\[\]]*\]")
_COMPOUND = re.compile(r"([A-Za-z][\w-]*|[*&])?((?:[.#][\w-]+)*)")
TEMPLATE = re.compile(r"\{\{|\{%|<%|<\?(?:php|=)")


@dataclass(slots=True)
class Rules:
    """What stands in one style sheet or `<style>`. Positions are lines, from 1, of the file."""

    path: str
    homes: set[str]
    """The pages that load it."""
    selectors: list[tuple[int, str]] = field(default_factory=list)
    declarations: list[tuple[int, str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    """Classes and ids of all selectors, with their mark."""
    whole: bool = True
    """Whether it could be read to its end."""
    partial: bool = False
    """Whether it selects by parts of classes or ids."""


def rules_of(text: str, path: str, homes: set[str], before: int = 0) -> Rules:
    """Read a style sheet; a light reader, since a whole parse of every file takes too long."""
    found = Rules(path, homes)
    # Comments, strings and addresses may hold any mark; they keep their length and lines.
    clean = _QUIET.sub(lambda match: _SEEN.sub(" " if match[0][0] == "/" else '"', match[0]), text)
    inside = ["top"]
    start, after = 0, before + 1
    for match in _END.finditer(clean):
        raw = clean[start : match.start()]
        part = raw.strip()
        line = after + raw.count("\n", 0, len(raw) - len(raw.lstrip()))
        start, after = match.end(), after + raw.count("\n")
        if match[0] == "{":
            inside.append(_kind(part, inside[-1]))
            found.names.update(mark + name for mark, name in _MARK.findall(part))
            found.partial |= "[class" in part or "[id" in part
            if inside[-1] == "rule" and part and part[0] != "@" and inside[-2] != "frames":
                found.selectors.append((line, part))
            continue
        declaration = _DECLARATION.fullmatch(part) if inside[-1] == "rule" else None
        # A colon in a later line is the next declaration: a semicolon is missing, which is told elsewhere.
        if declaration is not None and not ("\n" in declaration[2] and ":" in declaration[2]):
            found.declarations.append((line, declaration[1], declaration[2]))
        if match[0] == "}":
            inside.pop()
            if not inside:
                break
    if inside != ["top"] or TEMPLATE.search(text):
        found.whole = False
    if not found.whole or path.lower().endswith(".min.css"):
        found.selectors, found.declarations = [], []
    return found


def _kind(head: str, around: str) -> str:
    """What a block is: `rule` with declarations, `top` with rules, `frames` with steps, or `other`."""
    if around == "other" or head.startswith("--"):
        return "other"
    if not head.startswith("@"):
        return "rule"
    word = head.split(None, 1)[0].partition("(")[0].lower()
    if word in _GROUPS:
        return around
    return "frames" if word.endswith("keyframes") else "other"


@lru_cache(maxsize=4000)
def simple_selectors(selector: str) -> tuple[str, ...]:
    """The types, classes (`.a`) and ids (`#a`) of a selector; none for one that is not plain."""
    before = ""
    while before != selector:
        before, selector = selector, _ATTRIBUTE.sub("", _PSEUDO.sub("", selector))
    found: list[str] = []
    for one in re.split(r"[\s>+~,]+", selector):
        part = _COMPOUND.fullmatch(one)
        if part is None:
            return ()
        found += [part[1]] if part[1] and part[1] not in "*&" else []
        found += [mark + name for mark, name in _MARK.findall(part[2])]
    return tuple(found)


@lru_cache(maxsize=2000)
def meant_property(name: str) -> str:
    """The property that a name was meant to be, or empty when it is one or nothing is sure."""
    lower = name.lower()
    if lower in KNOWN_PROPERTIES:
        return ""
    british = lower.replace("colour", "color")
    if british in PROPERTIES or british in SLIPS:
        return SLIPS.get(british, british)
    joined, mixed, parts = _spellings()
    if meant := joined.get(british.replace("-", "").replace("_", "")) or mixed.get(tuple(sorted(british.split("-")))):
        return meant
    # Words of properties in a new order are no slip of the pen: font-height is not font-weight.
    if len(british) < 4 or all(part in parts for part in british.split("-")):
        return ""
    meant = nearest_name(british, PROPERTIES)
    return "" if meant and nearest_name(british, PROPERTIES - {meant}) else meant


@lru_cache(maxsize=1)
def _spellings() -> tuple[dict[str, str], dict[tuple[str, ...], str], set[str]]:
    """Properties by their letters, those of several words by these in any order, and all words."""
    joined = {name.replace("-", ""): name for name in PROPERTIES}
    mixed: dict[tuple[str, ...], str] = {}
    for name in sorted(PROPERTIES):
        key = tuple(sorted(name.split("-")))
        mixed[key] = "" if key in mixed else name
    return joined, mixed, {part for name in PROPERTIES for part in name.split("-")}


@lru_cache(maxsize=2000)
def meant_length(value: str) -> tuple[str, str] | None:
    """What is written and what should be, when a number stands where only lengths may."""
    value = outside = " ".join(_IMPORTANT.sub("", value).split())
    while (inner := _CALL.sub("", outside)) != outside:
        outside = inner
    if any(char in outside for char in "/,\"'\\{$@()"):
        return None
    words = _SPACED_UNIT.sub("", outside).split()
    bare = [word for word in words if _NUMBER.fullmatch(word) and float(word)]
    if outside == value and (bare or words != value.split()):
        return value, " ".join(f"{word}px" if word in bare else word for word in words)
    return (bare[0], f"{bare[0]}px") if bare else None
