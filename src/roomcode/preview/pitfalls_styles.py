"""Faults of styles and markup that no console shows: names that mean nothing to the browser or fit nothing in the page.

Only what is practically certain is told, since a small model changes whatever it is told about. Each text ends with
what to write.
"""

import re
from collections.abc import Iterable, Iterator

from roomcode.preview.css_names import CLASS_WORDS, ELEMENTS, LENGTHS
from roomcode.preview.loading import page_scripts
from roomcode.preview.names import nearest_name
from roomcode.preview.references import Finding, Sources
from roomcode.preview.style_rules import Rules, meant_length, meant_property, rules_of, simple_selectors
from roomcode.preview.styled_site import StyledSite

__all__ = ["style_pitfalls"]

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
_LABELLED = {"input", "select", "textarea", "button", "meter", "output", "progress"}
_WORD = re.compile(r"[\w-]+")
_EVENT = re.compile(
    r"on(?:dbl)?(?:click|submit|change|input|key\w+|mouse\w+|pointer\w+|touch\w+|load|focus|blur|reset)"
)
_FILLED = re.compile(
    r"<script\b[^<>]*\ssrc\s*=\s*[\"']?([^\"'\s<>]+)[^<>]*>\s*(?!//|/\*|\{|</script)[^\s<]", re.IGNORECASE
)
_ONE_CALL = re.compile(r"\s*(?:return\s+)?([A-Za-z_$][\w$]*)\([^()]*\)\s*;?\s*")
_METHODS = {
    "clear",
    "open",
    "close",
    "write",
    "writeln",
    "click",
    "remove",
    "animate",
    "append",
    "prepend",
    "before",
    "after",
}
"""What an inline handler takes from the document or its element before it looks for a function of the page."""
_OF_FORMS = {"submit", "reset"}
_BARE_NAME = re.compile(r"\s*([A-Za-z_$][\w$]*)\s*;?\s*")


def style_pitfalls(sources: Sources) -> list[Finding]:
    """Properties and lengths that browsers ignore; selectors, classes, labels and handlers that fit nothing."""
    site = StyledSite(sources)
    rules = (
        _properties,
        _lengths,
        _selectors,
        _classes,
        _written_classes,
        _labels,
        _handlers,
        _never_run,
        _loose_rules,
    )
    return list(dict.fromkeys(finding for rule in rules for finding in rule(site)))


def _properties(site: StyledSite) -> Iterator[Finding]:
    for path, line, name, _ in _declared(site):
        if meant := meant_property(name):
            yield Finding(path, line, f"{name} is no CSS property: write {meant} there")


def _lengths(site: StyledSite) -> Iterator[Finding]:
    for path, line, name, value in _declared(site):
        if name.lower() in LENGTHS and (pair := meant_length(value)):
            yield Finding(path, line, f"{name}: {pair[0]} has no unit: write {pair[1]} there")


_NOT_TEXT = re.compile(r"(?is)<!--.*?-->|<(style|script|pre|code|textarea|title)\b.*?</\1\s*>|<[^<>]*>")
_RULE = re.compile(r"(?:^|(?<=\s))[#.]?[a-z][\w.#, -]*\{\s*[a-z-]+\s*:\s*[^{}:]+;?\s*\}", re.IGNORECASE)


def _loose_rules(site: StyledSite) -> Iterator[Finding]:
    """Rules that stand in a page's text, where people read them."""
    for path in site.pages:
        text = site.sources.texts[path]
        shown = _NOT_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        for match in _RULE.finditer(shown):
            line = text.count("\n", 0, match.start()) + 1
            rule = " ".join(match[0].split())[:60]
            yield Finding(path, line, f"{rule} stands in the text of the page: take it out, rules belong into styles")


def _declared(site: StyledSite) -> Iterator[tuple[str, int, str, str]]:
    """(file, line, property, value) of all style sheets and `style` attributes."""
    for sheet in site.sheets:
        for line, name, value in sheet.declarations:
            yield sheet.path, line, name, value
    for path, page in site.pages.items():
        for element in page.elements:
            if ":" not in (style := element.attributes.get("style", "")):
                continue
            for line, name, value in rules_of(f"*{{{style}}}", path, set(), element.line - 1).declarations:
                yield path, line, name, value


def _selectors(site: StyledSite) -> Iterator[Finding]:
    for sheet in site.sheets:
        if not sheet.homes or not all(site.sure(page) for page in sheet.homes):
            continue
        seen: set[str] = set()
        for line, selector in sheet.selectors:
            for name in simple_selectors(selector):
                if name not in seen and (text := _mixed_up(site, sheet, name)):
                    yield Finding(sheet.path, line, text)
                seen.add(name)


def _mixed_up(site: StyledSite, sheet: Rules, name: str) -> str:
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


def _from_outside(site: StyledSite, homes: Iterable[str], name: str) -> bool:
    """Whether a script may give this class or id to an element without its name standing anywhere."""
    scripts = [one for path, one in site.sources.scripts.items() if site.users.get(path, set()) & set(homes)]
    scripts += [one for page in homes for _, one in site.sources.inline[page]]
    if name[0] == "#":
        starts = tuple(start for one in scripts for start in one.makes_prefixes)
        made = any(name[1:] in one.makes for one in scripts) or name[1:].startswith(starts)
        return made or any(_OPEN_ID.search(text) for _, _, text in site.scripts)
    texts = [text for _, _, text in site.scripts]
    return any(_OPEN_CLASS.search(text) for text in texts) and any(_READS_A_NAME.search(text) for text in texts)


def _makes_element(site: StyledSite, name: str) -> bool:
    made = re.compile(rf"<{re.escape(name)}(?![\w-])|createElement(?:NS)?\((?:[^),]{{0,80}},)?\s*[\"'`]{name}[\"'`]")
    dynamic = re.compile(r"createElement(?:NS)?\((?:[^),]{0,80},)?\s*[A-Za-z_$]")
    return any(
        made.search(text) or (dynamic.search(text) and re.search(rf"[\"'`]{re.escape(name)}[\"'`]", text))
        for _, _, text in site.scripts
        if name in text
    )


def _styled(site: StyledSite, page: str) -> dict[str, Rules]:
    """The classes that the styles of a page know, with the first sheet that has each."""
    found: dict[str, Rules] = {}
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


def _free(site: StyledSite, name: str) -> bool:
    """Whether no element has this class and no script uses it."""
    return name not in site.all_classes and not site.built(name) and not site.mentions(name)


def _classes(site: StyledSite) -> Iterator[Finding]:
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
                line = next((at for at, text in sheet.selectors if f".{wrong}" in simple_selectors(text)), 0)
                if line and not site.mentions(name) and _free(site, wrong):
                    text = f'.{wrong} matches nothing, the page has class="{name}": write .{name} there'
                    yield Finding(sheet.path, line, text)


def _line_of_class(text: str, line: int, name: str) -> int:
    """The line of a class inside a start tag that may have several lines."""
    lines = text.splitlines()
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    return next((at + 1 for at in range(line - 1, min(line + 20, len(lines))) if word.search(lines[at])), line)


def _written_classes(site: StyledSite) -> Iterator[Finding]:
    """Classes that scripts only ever set, without a rule for them but for nearly the same name."""
    for path, _, text in site.scripts:
        homes = {path} if path in site.sources.pages else site.users.get(path, set())
        if not homes or not all(site.sure(page) for page in homes):
            continue
        styled = {name for page in homes for name in _styled(site, page)}
        unstyled = [one for one in _written(text) if not (one in styled | site.all_classes or site.built(one))]
        for name in unstyled:
            places = site.mentions(name)
            if not places or not all(only_set for _, _, only_set in places):
                continue
            if (meant := _slip(name, styled)) and _free(site, meant):
                said = f"no rule has .{name}, the styles have .{meant}: write {meant} there"
            elif meant := _own_class(site, homes, styled, text, name):
                said = f'no rule has .{name}, the element has class="{meant}": write {meant} there'
            else:
                continue
            yield from (Finding(file, line, said) for file, line, _ in places if file == path)


def _own_class(site: StyledSite, homes: Iterable[str], styled: set[str], text: str, name: str) -> str:
    """The one class with a rule that the element has from the start whose class `name` is switched on and off."""
    found = re.search(
        rf"([\w$]+|(?:getElementById|querySelector)\([^()]*\))\.classList\.toggle\(\s*[\"']{re.escape(name)}[\"']\s*\)",
        text,
    )
    if found is None:
        return ""
    owner = re.escape(found[1])
    asked = found[1] if "(" in found[1] else ""
    if not asked and len(known := re.findall(rf"\b{owner}\s*=\s*document\.([^;\n]*)", text)) == 1:
        asked = known[0]
    by_id = re.match(r"(?:getElementById\(\s*[\"']|querySelector\(\s*[\"']#)([\w-]+)[\"']\s*\)", asked)
    if by_id is None:
        return ""
    elements = [
        one for page in homes for one in site.sources.pages[page].elements if one.attributes.get("id") == by_id[1]
    ]
    own = {one for element in elements for one in element.attributes.get("class", "").split()} & styled
    return next(iter(own)) if len(own) == 1 and not any(site.mentions(one) for one in own) else ""


def _written(text: str) -> list[str]:
    if "class" not in text:
        return []
    found = [match[1] or match[2] or "" for match in _WRITES.finditer(text)]
    return list(dict.fromkeys(name for part in found for one in _QUOTED.findall(part) for name in one.split()))


def _labels(site: StyledSite) -> Iterator[Finding]:
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


def _handlers(site: StyledSite) -> Iterator[Finding]:
    """`onclick="add"`: a name alone calls nothing. `onclick="clear()"`: that is a method of the document, even where
    the page has a function of that name."""
    for path, page in site.pages.items():
        for element in page.elements:
            own = _METHODS | (_OF_FORMS if element.in_form else set())
            for name, code in element.attributes.items():
                called = _ONE_CALL.fullmatch(code) if _EVENT.fullmatch(name) else None
                if called is not None and called[1] in own and _call_of(site, path, called[1]):
                    text = f"{called[1]}() is a method of the browser in {name} and not your function"
                    yield Finding(path, element.line, f"{text}: write window.{called[1]}( there")
                bare = _BARE_NAME.fullmatch(code) if _EVENT.fullmatch(name) else None
                if bare is None or "-" in element.tag or not (call := _call_of(site, path, bare[1])):
                    continue
                yield Finding(path, element.line, f'{name}="{code.strip()}" calls nothing: write {call} there')


def _never_run(site: StyledSite) -> Iterator[Finding]:
    """Code inside a script tag that loads a file."""
    for path in site.pages:
        text = site.sources.texts[path]
        for match in _FILLED.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield Finding(
                path, line, f'what stands inside <script src="{match[1]}"> is never run: put it into {match[1]}'
            )


def _call_of(site: StyledSite, page: str, name: str) -> str:
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
