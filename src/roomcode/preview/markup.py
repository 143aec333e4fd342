"""What an HTML file holds: what it loads, its ids, scripts and styles, and where its tags do not fit."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser

__all__ = ["SCRIPT_TYPES", "Element", "Inline", "Markup", "Reference", "parse_html"]

_VOID = re.compile(r"area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
_MAY_STAY_OPEN = re.compile(
    r"html|head|body|p|li|dt|dd|option|optgroup|thead|tbody|tfoot|tr|td|th|colgroup|caption|rp|rt"
)
_LOADS = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "iframe": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "input": ("src",),
    "link": ("href",),
    "a": ("href",),
    "area": ("href",),
}
_NOT_LOADED = {"icon", "apple-touch-icon", "preconnect", "dns-prefetch", "canonical", "alternate", "author", "license"}
SCRIPT_TYPES = {"", "module", "text/javascript", "application/javascript"}


@dataclass(frozen=True, slots=True)
class Reference:
    """An address in a file. `kind` is `script`, `style`, `link` (to another page) or `media`."""

    line: int
    kind: str
    url: str
    module: bool = False


@dataclass(frozen=True, slots=True)
class Inline:
    """A script or style written into the page; `line` is the page's line on which its text starts."""

    line: int
    text: str
    module: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """One element, named by its start tag."""

    tag: str
    line: int
    attributes: Mapping[str, str]
    inert: bool = False
    """Inside a template or noscript: no part of the page."""
    in_form: bool = False


@dataclass(slots=True)
class Markup:
    """One parsed page. Lines count from 1."""

    references: list[Reference] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)
    scripts: list[Inline] = field(default_factory=list)
    styles: list[Inline] = field(default_factory=list)
    handlers: list[Inline] = field(default_factory=list)
    """Code of `onclick` and its like."""
    errors: list[tuple[int, str]] = field(default_factory=list)
    base: str = ""
    elements: list[Element] = field(default_factory=list)
    """In the order of their start tags."""


def parse_html(text: str) -> Markup:
    """Read a page as a browser would, and note tags that were left open or close nothing."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.finish()
    return reader.page


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Markup()
        self._open: list[tuple[str, int]] = []
        self._text: tuple[str, int, bool] | None = None
        self._parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        values = {name: value or "" for name, value in attrs}
        self._attributes(tag, values, line)
        if _VOID.fullmatch(tag):
            return
        self._open.append((tag, line))
        if tag in ("script", "style"):
            kind = values.get("type", "").lower()
            if tag == "style" or ("src" not in values and kind in SCRIPT_TYPES):
                shift = (self.get_starttag_text() or "").count("\n")
                self._text, self._parts = (tag, line + shift, kind == "module"), []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        self._attributes(tag, {name: value or "" for name, value in attrs}, line)
        in_drawing = any(name in ("svg", "math") for name, _ in self._open) or tag in ("svg", "math")
        if not in_drawing and not _VOID.fullmatch(tag) and not _MAY_STAY_OPEN.fullmatch(tag):
            self.page.errors.append((line, f"<{tag} /> stays open: write </{tag}>"))

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._parts.append(data)

    def handle_endtag(self, tag: str) -> None:
        line = self.getpos()[0]
        self._end_text()
        if _VOID.fullmatch(tag) or tag == "p":
            return
        if not any(name == tag for name, _ in self._open):
            self.page.errors.append((line, f"</{tag}> closes nothing"))
            return
        while self._open:
            name, opened = self._open.pop()
            if name == tag:
                return
            if not _MAY_STAY_OPEN.fullmatch(name):
                self.page.errors.append((opened, f"<{name}> is not closed before </{tag}> in line {line}"))

    def finish(self) -> None:
        self._end_text()
        for name, opened in self._open:
            if not _MAY_STAY_OPEN.fullmatch(name):
                self.page.errors.append((opened, f"<{name}> is never closed"))
        self.page.errors.sort()

    def _end_text(self) -> None:
        if self._text is not None:
            tag, line, module = self._text
            target = self.page.scripts if tag == "script" else self.page.styles
            target.append(Inline(line, "".join(self._parts), module))
            self._text = None

    def _attributes(self, tag: str, values: dict[str, str], line: int) -> None:
        page = self.page
        around = {name for name, _ in self._open}
        page.elements.append(Element(tag, line, values, bool(around & {"template", "noscript"}), "form" in around))
        for name, value in values.items():
            if "<" in value and "\n" in value and name in ("href", "src", "class", "id", "type", "alt"):
                page.errors.append((line, f'the quote of {name}="{value[:20].split(chr(10))[0]}… is not closed'))
                return
        if name := values.get("id", ""):
            if name in page.ids:
                page.errors.append((line, f'id "{name}" is already used in line {page.ids[name]}'))
            page.ids.setdefault(name, line)
        if tag == "base" and "href" in values:
            page.base = values["href"]
        page.handlers.extend(Inline(line, code) for name, code in values.items() if name.startswith("on") and code)
        self._references(tag, values, line)

    def _references(self, tag: str, values: dict[str, str], line: int) -> None:
        relation = set(values.get("rel", "").lower().split())
        if tag == "link" and relation & _NOT_LOADED:
            return
        for name in _LOADS.get(tag, ()):
            value = values.get(name, "").strip()
            if tag == "script" and not value and name in values:
                self.page.errors.append((line, "<script src> has no address"))
            for url in _candidates(value) if name == "srcset" else [value]:
                if url:
                    module = tag == "script" and values.get("type", "").lower() == "module"
                    self.page.references.append(Reference(line, _kind(tag, relation), url, module))


def _kind(tag: str, relation: set[str]) -> str:
    if tag == "script" or (tag == "link" and "modulepreload" in relation):
        return "script"
    if tag == "link":
        return "style" if "stylesheet" in relation else "media"
    return "link" if tag in ("a", "area", "iframe") else "media"


def _candidates(srcset: str) -> list[str]:
    return [part.split()[0] for part in re.split(r",\s+|,$", srcset) if part.split()]
