"""In which order a page loads and runs its scripts, and what that order breaks."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit

from roomcode.preview.declarations import Code, Lookup
from roomcode.preview.markup import SCRIPT_TYPES, Element

if TYPE_CHECKING:
    from roomcode.preview.references import Sources

__all__ = [
    "Loaded",
    "early_scripts",
    "element_name",
    "loaded_twice",
    "local_path",
    "matching",
    "page_scripts",
    "target_of",
    "too_early",
    "twice",
]

_ASKS = re.compile(r"getElementById|querySelector\b")
_PART = re.compile(r"([\w-]*)((?:[.#][A-Za-z_][\w-]*)*)")
_MARKS = re.compile(r"[.#][^.#]+")


def local_path(url: str) -> str | None:
    """The path of an address in the same folder tree, or None when it leads elsewhere."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    if parts.scheme or parts.netloc or not parts.path or any(char in url for char in "{}<>$"):
        return None
    return unquote(parts.path)


def target_of(origin: str, path: str) -> str:
    """Where `path` leads from the file `origin`; like a browser, never above the folder."""
    joined = path if path.startswith("/") else posixpath.join("/", posixpath.dirname(origin), path)
    target = posixpath.normpath(joined).lstrip("/")
    return f"{target}/" if path.endswith("/") and target else target


@dataclass(frozen=True, slots=True)
class Loaded:
    """One script as a page loads it."""

    file: str
    """The file; the page itself for a script that is written into it; empty for one from elsewhere."""
    line: int
    """Line of the tag in the page."""
    order: int
    """Place of the tag among the page's elements."""
    how: Literal["classic", "defer", "async", "module", "import"]
    """`import`: by another module."""
    part: int = -1
    """Which of the scripts in the page it is, from 0; -1 for a file."""

    @property
    def module(self) -> bool:
        return self.how in ("module", "import")

    @property
    def inline(self) -> bool:
        return self.part >= 0


def page_scripts(sources: "Sources", page: str) -> tuple[Loaded, ...]:
    """The scripts of a page in the order of its tags, then what its modules import. Empty for a page with a base
    address, whose scripts are elsewhere."""
    markup = sources.pages[page]
    if markup.base:
        return ()
    found: list[Loaded] = []
    part = 0
    for order, element in enumerate(markup.elements):
        kind = element.attributes.get("type", "").lower()
        if element.tag != "script" or kind not in SCRIPT_TYPES:
            continue
        if "src" not in element.attributes:
            if not element.inert:
                how: Literal["module", "classic"] = "module" if kind == "module" else "classic"
                found.append(Loaded(page, element.line, order, how, part))
            part += 1
        elif not element.inert:
            path = local_path(element.attributes["src"])
            file = target_of(page, path) if path else ""
            found.append(Loaded(file if file in sources.scripts else "", element.line, order, _how(element)))
    return (*found, *_imports(sources, page, found))


def _how(element: Element) -> Literal["classic", "defer", "async", "module"]:
    if element.attributes.get("type", "").lower() == "module":
        return "module"
    if "async" in element.attributes:
        return "async"
    return "defer" if "defer" in element.attributes else "classic"


def _imports(sources: "Sources", page: str, scripts: list[Loaded]) -> Iterator[Loaded]:
    waiting = [one for one in scripts if one.module]
    seen = {one.file for one in scripts if not one.inline}
    while waiting:
        one = waiting.pop(0)
        script = sources.inline[page][one.part][1] if one.inline else sources.scripts.get(one.file)
        for _, url in script.imports if script is not None else ():
            path = local_path(url)
            file = target_of(one.file, path) if path and url.startswith((".", "/")) else ""
            if file in sources.scripts and file not in seen:
                seen.add(file)
                waiting.append(found := Loaded(file, one.line, one.order, "import"))
                yield found


def loaded_twice(sources: "Sources") -> Iterator[tuple[str, int, str]]:
    """(page, line, sentence) for each file that one page loads by two tags."""
    for page, markup in sources.pages.items():
        seen: dict[str, int] = {}
        for element in markup.elements:
            style = element.tag == "link" and "stylesheet" in element.attributes.get("rel", "").lower().split()
            if element.inert or not (style or element.tag == "script") or markup.base:
                continue
            path = local_path(element.attributes.get("href" if style else "src", ""))
            if path is None or (file := target_of(page, path)) not in sources.names:
                continue
            if file in seen:
                yield page, element.line, twice(file, seen[file], element.line)
            seen.setdefault(file, element.line)


def twice(file: str, first: int, second: int) -> str:
    """What is said of a file that is loaded by two tags."""
    lines = f"lines {first} and {second}" if first != second else f"both in line {first}"
    return f"loads {file} twice, {lines}: remove one"


def matching(elements: list[Element], lookup: Lookup) -> list[int]:
    """Places of the elements that a lookup may mean, by the last part of its selector; none for selectors that are
    not plain."""
    if lookup.method == "getElementById":
        return [at for at, one in enumerate(elements) if not one.inert and one.attributes.get("id") == lookup.wanted]
    last = lookup.wanted.split()[-1] if lookup.wanted.strip() else ""
    part = _PART.fullmatch(last)
    if part is None or not last:
        return []
    ids = {mark[1:] for mark in _MARKS.findall(part[2]) if mark[0] == "#"}
    classes = {mark[1:] for mark in _MARKS.findall(part[2]) if mark[0] == "."}
    return [
        at
        for at, one in enumerate(elements)
        if not one.inert
        and part[1] in ("", one.tag)
        and ids <= {one.attributes.get("id", "")}
        and classes <= set(one.attributes.get("class", "").split())
    ]


def element_name(element: Element) -> str:
    """`<button id="save">`, or the class where there is no id."""
    for name in ("id", "class"):
        if value := element.attributes.get(name):
            return f'<{element.tag} {name}="{value}">'
    return f"<{element.tag}>"


def too_early(sources: "Sources", page: str, scripts: tuple[Loaded, ...], script: Loaded, lookup: Lookup) -> str:
    """What to do when a page runs a script before the element that it asks for exists; empty when it does not."""
    markup = sources.pages[page]
    places = matching(markup.elements, lookup)
    if script.how != "classic" or not places or min(places) < script.order:
        return ""
    everything = [*sources.scripts.values(), *(one for _, one in sources.inline[page])]
    made = markup.elements[places[0]].attributes.get("id", "")
    if made and any(made in one.makes or made.startswith(tuple(one.makes_prefixes)) for one in everything):
        return ""
    name = element_name(markup.elements[places[0]])
    if script.inline:
        return f"this script runs before {name} exists: move it to the end of <body>"
    later = [one for one in scripts if one.order > script.order and one.how == "classic"]
    cure = "add defer to that script tag"
    if any(one.inline for one in later):
        # A script of the page itself cannot wait, and may need what this one defines.
        cure = f"move that script tag below line {markup.elements[places[0]].line}"
    elif later:
        cure = "add defer to all script tags"
    return f"loads {script.file} before {name} exists: {cure}"


def early_scripts(sources: "Sources") -> Iterator[tuple[str, int, str]]:
    """(page, line, sentence) for each script that surely fails because it runs before an element is there."""
    for page, markup in sources.pages.items():
        scripts = page_scripts(sources, page)
        for script in scripts:
            if script.how != "classic" or not script.file or script.order + 1 == len(markup.elements):
                continue
            text = markup.scripts[script.part].text if script.inline else sources.texts[script.file]
            if not _ASKS.search(text) or (code := Code(text)).broken:
                continue
            for lookup in code.needed_at_once():
                if cure := too_early(sources, page, scripts, script, lookup):
                    yield page, script.line, cure
                    break
