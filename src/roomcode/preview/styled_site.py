"""What the styles, markup and scripts of a folder say of classes and ids."""

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from roomcode.preview.declarations import Code, line_of, text_of
from roomcode.preview.loading import local_path, target_of
from roomcode.preview.markup import Element
from roomcode.preview.references import Sources, loaded_by
from roomcode.preview.style_rules import TEMPLATE, Rules, rules_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["StyledSite"]

_FONTS = re.compile(r"(?:https?:)?//fonts\.googleapis\.com/css2?\?(?!.*(?:Material|Icons))")
_LATE_STYLES = re.compile(r"stylesheet|adoptedStyleSheets")
_PREFIX = re.compile(r"([\w-]+)(?:\$\{|[\"'`]\s*\+)")
_SUFFIX = re.compile(r"(?:\}|\+\s*[\"'`])([\w-]+)")
_NO_WORDS = {"class", "id", "for", "list", "form", "headers", "name", "style", "title", "alt", "placeholder", "content"}
_WORD = re.compile(r"[\w-]+")


class StyledSite:
    """The facts of a folder that several rules need; the costly ones are only found when something looks wrong."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.users = loaded_by(sources)
        plain = {name: page for name, page in sources.pages.items() if not page.base}
        self.pages = {name: page for name, page in plain.items() if not TEMPLATE.search(sources.texts[name])}
        self.sheets = [rules_of(sources.texts[name], name, self.users.get(name, set())) for name in sources.styles]
        self.sheets += [
            rules_of(part.text, path, {path}, part.line - 1)
            for path, page in self.pages.items()
            for part in page.styles
        ]
        self.by_page: dict[str, list[Rules]] = {}
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
