"""Faults of styles and markup that no console shows: names that mean nothing to the browser or fit nothing in the page.

Only what is practically certain is told, since a small model changes whatever it is told about. Each text ends with
what to write.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from roomcode.preview.css_names import CLASS_WORDS, ELEMENTS, KNOWN_PROPERTIES, LENGTHS, PROPERTIES, SLIPS
from roomcode.preview.declarations import Code, line_of, text_of
from roomcode.preview.loading import local_path, page_scripts, target_of
from roomcode.preview.markup import Element
from roomcode.preview.names import nearest_name
from roomcode.preview.references import Finding, Sources, loaded_by

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["style_pitfalls"]

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
_TEMPLATE = re.compile(r"\{\{|\{%|<%|<\?(?:php|=)")
_FONTS = re.compile(r"(?:https?:)?//fonts\.googleapis\.com/css2?\?(?!.*(?:Material|Icons))")
_LATE_STYLES = re.compile(r"stylesheet|adoptedStyleSheets")
_PREFIX = re.compile(r"([\w-]+)(?:\$\{|[\"'`]\s*\+)")
_SUFFIX = re.compile(r"(?:\}|\+\s*[\"'`])([\w-]+)")
_OPEN_CLASS = re.compile(
    r"className\s*\+?=\s*[^\s=\"'`]|classList\.(?:add|toggle|replace)\(\s*[^\s\"'`]"
    r"|setAttribute\(\s*[\"']class[\"']\s*,\s*[^\s\"'`]|\bclass=\\?[\"'][^\"'>\n]*(?:\$\{|[\"']\s*\+)|className\s*=\s*`"
)
_READS_A_NAME = re.compile(
    r"\.(?:id|hash|textContent|innerText)\b(?!\s*=[^=])|\bid\s*[,}]|getAttribute\(\s*[\"']id[\"']"
)
_OPEN_ID = re.compile(r"\.id\s*=(?!=)\s*[^\s=\"']|setAttribute\(\s*[\"']id[\"']\s*,\s*[^\s\"']|\bid\s*:\s*[A-Za-z_$`]")
_WRITES = re.compile(
    r"classList\s*\.\s*(?:add|remove|toggle|replace)\(([^()\n]*)\)|className\s*\+?=\s*([\"'][\w\s-]*[\"'])"
)
_QUOTED = re.compile(r"[\"']([\w\s-]+)[\"']")
_WORD = re.compile(r"[\w-]+")
_NO_WORDS = {"class", "id", "for", "list", "form", "headers", "name", "style", "title", "alt", "placeholder", "content"}
_LABELLED = {"input", "select", "textarea", "button", "meter", "output", "progress"}
_EVENT = re.compile(
    r"on(?:dbl)?(?:click|submit|change|input|key\w+|mouse\w+|pointer\w+|touch\w+|load|focus|blur|reset)"
)
_BARE_NAME = re.compile(r"\s*([A-Za-z_$][\w$]*)\s*;?\s*")


@dataclass(slots=True)
class _Rules:
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


def style_pitfalls(sources: Sources) -> list[Finding]:
    """Properties and lengths that browsers ignore; selectors, classes, labels and handlers that fit nothing."""
    site = _Site(sources)
    rules = (_properties, _lengths, _selectors, _classes, _written_classes, _labels, _handlers)
    return list(dict.fromkeys(finding for rule in rules for finding in rule(site)))


def _rules_of(text: str, path: str, homes: set[str], before: int = 0) -> _Rules:
    """Read a style sheet; a light reader, since a whole parse of every file takes too long."""
    found = _Rules(path, homes)
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
    if inside != ["top"] or _TEMPLATE.search(text):
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


class _Site:
    """The facts of a folder that several rules need; the costly ones are only found when something looks wrong."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.users = loaded_by(sources)
        plain = {name: page for name, page in sources.pages.items() if not page.base}
        self.pages = {name: page for name, page in plain.items() if not _TEMPLATE.search(sources.texts[name])}
        self.sheets = [_rules_of(sources.texts[name], name, self.users.get(name, set())) for name in sources.styles]
        self.sheets += [
            _rules_of(part.text, path, {path}, part.line - 1)
            for path, page in self.pages.items()
            for part in page.styles
        ]
        self.by_page: dict[str, list[_Rules]] = {}
        for sheet in self.sheets:
            for page in sheet.homes:
                self.by_page.setdefault(page, []).append(sheet)
        self._sure: dict[str, bool] = {}
        self.classes: dict[str, dict[str, Element]] = {}
        """Of each page, with the first element that has it."""
        for path, markup in sources.pages.items():
            found = self.classes[path] = {}
            for element in markup.elements:
                for one in element.attributes.get("class", "").split():
                    found.setdefault(one, element)
        self.all_classes = {one for found in self.classes.values() for one in found}

    @cached_property
    def scripts(self) -> list[tuple[str, int, str]]:
        """(file, lines before it, text) of all scripts."""
        files = [(name, 0, self.sources.texts[name]) for name in self.sources.scripts]
        parts = [(name, part.line - 1, part.text) for name, page in self.sources.pages.items() for part in page.scripts]
        return files + parts

    @cached_property
    def mixes_pages(self) -> bool:
        """Whether a script may load one page into another."""
        return any(".htm" in text for _, _, text in self.scripts)

    @cached_property
    def given_words(self) -> set[str]:
        """Words of attributes, handlers and data, any of which a script may use as a class."""
        found: set[str] = set()
        for page in self.sources.pages.values():
            for element in page.elements:
                for name, value in element.attributes.items():
                    if name not in _NO_WORDS and not name.startswith("aria-") and value[:1] != "#":
                        found.update(_WORD.findall(value))
        for name, text in self.sources.texts.items():
            if name not in self.sources.styles and name not in self.sources.scripts and name not in self.sources.pages:
                found.update(_WORD.findall(text))
        return found

    @cached_property
    def pieces(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Beginnings and ends of names that scripts build."""
        texts = [text for _, _, text in self.scripts]
        starts = {piece for text in texts for piece in _PREFIX.findall(text)}
        return tuple(starts), tuple({piece for text in texts for piece in _SUFFIX.findall(text)})

    def sure(self, page: str) -> bool:
        """Whether everything that a page loads is here and was read."""
        if page not in self._sure:
            self._sure[page] = self._all_here(page)
        return self._sure[page]

    def _all_here(self, page: str) -> bool:
        if page not in self.pages:
            return False
        sources = self.sources
        needed = [(page, one.kind, one.url) for one in self.pages[page].references if one.kind in ("script", "style")]
        for name, style in sources.styles.items():
            if page in self.users.get(name, ()):
                needed += [(name, "style", url) for _, url in style.imports]
        loaded = [(name, one) for name, one in sources.scripts.items() if page in self.users.get(name, ())]
        for name, script in (*loaded, *((page, one) for _, one in sources.inline[page])):
            needed += [(name, "script", url) for _, url in script.imports]
        for name, kind, url in needed:
            path = local_path(url)
            file = target_of(name, path) if path and (kind == "style" or name == page or url[0] in "./") else ""
            if file not in (sources.styles if kind == "style" else sources.scripts) and not _FONTS.match(url):
                return False
        texts = [sources.texts[name] for name, _ in loaded] + [part.text for part in self.pages[page].scripts]
        return all(one.whole and not one.partial for one in self.by_page.get(page, ())) and not any(
            _LATE_STYLES.search(text) for text in texts
        )

    def built(self, name: str) -> bool:
        """Whether a script may build this name of pieces, or take it from the markup or from data."""
        starts, ends = self.pieces
        return name in self.given_words or name.startswith(starts) or name.endswith(ends)

    def mentions(self, name: str) -> list[tuple[str, int, bool]]:
        """(file, line, whether it is only written into a class) for each place where a script may mean a class or id;
        asking for the element by its id is none."""
        word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        found: list[tuple[str, int, bool]] = []
        for path, before, text in self.scripts:
            if name not in text or not word.search(text):
                continue
            code = _code(text)
            if code.broken:
                found.append((path, 0, False))
                continue
            roles = ((node, _role(node, word, name)) for node in code.nodes if not node.children)
            found.extend((path, line_of(node) + before, role == "write") for node, role in roles if role)
        return found


@lru_cache(maxsize=8)
def _code(text: str) -> Code:
    return Code(text)


def _role(node: "Node", word: re.Pattern[str], name: str) -> str:
    """`write` where a string is put into a class, `other` where it may be used as a name, else empty."""
    parent = node.parent
    if parent is None or node.type in ("comment", "identifier", "shorthand_property_identifier_pattern"):
        return ""
    if node.type == "property_identifier":
        key = parent.type in ("pair", "method_definition") and text_of(node) == name
        return "other" if key else ""
    text = text_of(node)
    if name not in text or not word.search(text.replace(f"#{name}", " ")):
        return ""
    around = parent.parent
    if around is None or parent.type != "string":
        return "other"
    if around.type == "assignment_expression":
        left = around.child_by_field_name("left")
        return "write" if text_of(left).endswith(".className") else "other"
    if around.type != "arguments" or around.parent is None:
        return "other"
    called = text_of(around.parent.child_by_field_name("function")).replace(" ", "")
    if called.endswith("getElementById"):
        return ""
    return "write" if re.search(r"classList\.(?:add|remove|toggle|replace)$", called) else "other"


def _properties(site: _Site) -> Iterator[Finding]:
    for path, line, name, _ in _declared(site):
        if meant := _property(name):
            yield Finding(path, line, f"{name} is no CSS property: write {meant} there")


def _lengths(site: _Site) -> Iterator[Finding]:
    for path, line, name, value in _declared(site):
        if name.lower() in LENGTHS and (pair := _length(value)):
            yield Finding(path, line, f"{name}: {pair[0]} has no unit: write {pair[1]} there")


def _declared(site: _Site) -> Iterator[tuple[str, int, str, str]]:
    """(file, line, property, value) of all style sheets and `style` attributes."""
    for sheet in site.sheets:
        for line, name, value in sheet.declarations:
            yield sheet.path, line, name, value
    for path, page in site.pages.items():
        for element in page.elements:
            if ":" not in (style := element.attributes.get("style", "")):
                continue
            for line, name, value in _rules_of(f"*{{{style}}}", path, set(), element.line - 1).declarations:
                yield path, line, name, value


@lru_cache(maxsize=2000)
def _property(name: str) -> str:
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
def _length(value: str) -> tuple[str, str] | None:
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


def _selectors(site: _Site) -> Iterator[Finding]:
    for sheet in site.sheets:
        if not sheet.homes or not all(site.sure(page) for page in sheet.homes):
            continue
        seen: set[str] = set()
        for line, selector in sheet.selectors:
            for name in _simple(selector):
                if name not in seen and (text := _mixed_up(site, sheet, name)):
                    yield Finding(sheet.path, line, text)
                seen.add(name)


@lru_cache(maxsize=4000)
def _simple(selector: str) -> tuple[str, ...]:
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


def _mixed_up(site: _Site, sheet: _Rules, name: str) -> str:
    """What to say of a part of a selector that fits nothing."""
    homes = sorted(sheet.homes)
    bare = name.lstrip(".#")
    around = site.sources.pages if site.mixes_pages else homes
    pages = [site.sources.pages[page] for page in around]
    classed = any(bare in site.classes[page] for page in around)
    with_id = any(bare in page.ids for page in pages)
    if name == bare:
        if name.lower() in ELEMENTS or "-" in name or classed == with_id or _makes_element(site, name):
            return ""
        if any(element.tag == name.lower() for page in pages for element in page.elements):
            return ""
        mark, kind = (".", "class") if classed else ("#", "id")
        return f'{name} matches no element, the page has {kind}="{name}": write {mark}{name} there'
    if classed == with_id or with_id != (name[0] == "."):
        return ""
    mark, kind = ("#", "id") if with_id else (".", "class")
    rules = [one for page in homes for one in site.by_page[page]]
    if any(mark + bare in one.names for one in rules) or site.built(bare) or site.mentions(bare):
        return ""
    if _from_outside(site, homes, name):
        return ""
    return f'{name} matches nothing, the page has {kind}="{bare}": write {mark}{bare} there'


def _from_outside(site: _Site, homes: Iterable[str], name: str) -> bool:
    """Whether a script may give this class or id to an element without its name standing anywhere."""
    scripts = [one for path, one in site.sources.scripts.items() if site.users.get(path, set()) & set(homes)]
    scripts += [one for page in homes for _, one in site.sources.inline[page]]
    if name[0] == "#":
        starts = tuple(start for one in scripts for start in one.makes_prefixes)
        made = any(name[1:] in one.makes for one in scripts) or name[1:].startswith(starts)
        return made or any(_OPEN_ID.search(text) for _, _, text in site.scripts)
    texts = [text for _, _, text in site.scripts]
    return any(_OPEN_CLASS.search(text) for text in texts) and any(_READS_A_NAME.search(text) for text in texts)


def _makes_element(site: _Site, name: str) -> bool:
    made = re.compile(rf"<{re.escape(name)}(?![\w-])|createElement(?:NS)?\((?:[^),]{{0,80}},)?\s*[\"'`]{name}[\"'`]")
    dynamic = re.compile(r"createElement(?:NS)?\((?:[^),]{0,80},)?\s*[A-Za-z_$]")
    return any(
        made.search(text) or (dynamic.search(text) and re.search(rf"[\"'`]{re.escape(name)}[\"'`]", text))
        for _, _, text in site.scripts
        if name in text
    )


def _styled(site: _Site, page: str) -> dict[str, _Rules]:
    """The classes that the styles of a page know, with the first sheet that has each."""
    found: dict[str, _Rules] = {}
    for sheet in site.by_page.get(page, ()):
        for name in sheet.names:
            if name[0] == ".":
                found.setdefault(name[1:], sheet)
    return found


def _slip(wrong: str, names: Iterable[str]) -> str:
    """The class that another spelling or a misspelling was meant to be, or empty when that is not certain."""
    near = [name for name in names if abs(len(name) - len(wrong)) <= 3 and name != wrong]
    same = [name for name in near if _letters(name) == _letters(wrong)]
    if same:
        return same[0] if len(same) == 1 else ""
    near = [name for name in near if _misspelt(wrong, name)]
    meant = nearest_name(wrong, near)
    return "" if meant and nearest_name(wrong, [name for name in near if name != meant]) else meant


def _letters(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _misspelt(wrong: str, right: str) -> bool:
    """Whether two names differ as a slip of the pen does, not as an ending, a number or another word."""
    if min(len(wrong), len(right)) < 4 or wrong.startswith(right) or right.startswith(wrong):
        return False
    if re.sub(r"\D", "", wrong) != re.sub(r"\D", "", right) or wrong.rstrip("s") == right.rstrip("s"):
        return False
    ours, theirs = (re.split(r"[-_]", name.lower()) for name in (wrong, right))
    if len(ours) != len(theirs):
        return False
    # One part alone may be off, and not by its ending: `card-lists` and `card-list` are two names.
    off = [(one, other) for one, other in zip(ours, theirs, strict=True) if one != other]
    if len(off) != 1:
        return False
    one, other = off[0]
    if len(one) < 4 or one in CLASS_WORDS or one.startswith(other) or other.startswith(one):
        return False
    return bool(nearest_name(one, [other]))


def _free(site: _Site, name: str) -> bool:
    """Whether no element has this class and no script uses it."""
    return name not in site.all_classes and not site.built(name) and not site.mentions(name)


def _classes(site: _Site) -> Iterator[Finding]:
    """Classes of the markup without a rule, where a rule without an element has nearly the same name."""
    for page in site.pages:
        styled = _styled(site, page)
        spare = [name for name in styled if name not in site.all_classes]
        if not spare or not site.sure(page):
            continue
        for name, element in site.classes[page].items():
            if name in styled or not _WORD.fullmatch(name) or site.built(name):
                continue
            if meant := _slip(name, spare):
                if not site.mentions(name) and _free(site, meant):
                    line = _line_of_class(site.sources.texts[page], element.line, name)
                    yield Finding(page, line, f"no rule has .{name}, the styles have .{meant}: write {meant} there")
            elif wrong := next((one for one in spare if _slip(one, [name]) == name), ""):
                # The page's word is a common one: it is the style sheet that is misspelt.
                sheet = styled[wrong]
                line = next((at for at, text in sheet.selectors if f".{wrong}" in _simple(text)), 0)
                if line and not site.mentions(name) and _free(site, wrong):
                    text = f'.{wrong} matches nothing, the page has class="{name}": write .{name} there'
                    yield Finding(sheet.path, line, text)


def _line_of_class(text: str, line: int, name: str) -> int:
    """The line of a class inside a start tag that may have several lines."""
    lines = text.splitlines()
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    return next((at + 1 for at in range(line - 1, min(line + 20, len(lines))) if word.search(lines[at])), line)


def _written_classes(site: _Site) -> Iterator[Finding]:
    """Classes that scripts only ever set, without a rule for them but for nearly the same name."""
    for path, _, text in site.scripts:
        homes = {path} if path in site.sources.pages else site.users.get(path, set())
        if not homes or not all(site.sure(page) for page in homes):
            continue
        styled = {name for page in homes for name in _styled(site, page)}
        for name in _written(text):
            if name in styled or name in site.all_classes or site.built(name) or not (meant := _slip(name, styled)):
                continue
            places = site.mentions(name)
            if not places or not all(only_set for _, _, only_set in places):
                continue
            if _free(site, meant):
                text_of_finding = f"no rule has .{name}, the styles have .{meant}: write {meant} there"
                yield from (Finding(file, line, text_of_finding) for file, line, _ in places if file == path)


def _written(text: str) -> list[str]:
    if "class" not in text:
        return []
    found = [match[1] or match[2] for match in _WRITES.finditer(text)]
    return list(dict.fromkeys(name for part in found for one in _QUOTED.findall(part) for name in one.split()))


def _labels(site: _Site) -> Iterator[Finding]:
    """Labels for an id that nothing has, where one field without a label has nearly that id."""
    for path, page in site.pages.items():
        labels = [one for one in page.elements if one.tag == "label" and one.attributes.get("for")]
        lost = [one for one in labels if one.attributes["for"] not in page.ids]
        if not lost:
            continue
        taken = {one.attributes["for"] for one in labels}
        fields = [one.attributes.get("id", "") for one in page.elements if one.tag in _LABELLED]
        spare = [one for one in fields if one and one not in taken]
        for label in lost:
            wanted = label.attributes["for"]
            near = [one for one in spare if re.sub(r"\D", "", one) == re.sub(r"\D", "", wanted)]
            meant = next((one for one in near if _letters(one) == _letters(wanted)), "") or nearest_name(wanted, near)
            unsure = not meant or nearest_name(wanted, [one for one in near if one != meant])
            if (
                unsure
                or any(wanted in text for _, _, text in site.scripts)
                or _from_outside(site, [path], f"#{wanted}")
            ):
                continue
            yield Finding(path, label.line, f'no element has id="{wanted}": write for="{meant}" there')


def _handlers(site: _Site) -> Iterator[Finding]:
    """`onclick="add"`: a name alone calls nothing."""
    for path, page in site.pages.items():
        for element in page.elements:
            for name, code in element.attributes.items():
                bare = _BARE_NAME.fullmatch(code) if _EVENT.fullmatch(name) else None
                if bare is None or "-" in element.tag or not (call := _call_of(site, path, bare[1])):
                    continue
                yield Finding(path, element.line, f'{name}="{code.strip()}" calls nothing: write {call} there')


def _call_of(site: _Site, page: str, name: str) -> str:
    """How to call a function that a script of the page defines for all; empty when it takes values of its own."""
    head = re.compile(
        rf"(?<![\w$.])(?:function\s+{re.escape(name)}\s*|{re.escape(name)}\s*=\s*(?:async\s*)?(?:function\s*\w*\s*)?)"
        r"\(([^()]*)\)"
    )
    for script in page_scripts(site.sources, page):
        if script.module or not script.file:
            continue
        text = site.sources.pages[page].scripts[script.part].text if script.inline else site.sources.texts[script.file]
        if found := head.search(text):
            given = found[1].strip()
            return f"{name}()" if not given else f"{name}(event)" if given in ("e", "ev", "evt", "event") else ""
    return ""
