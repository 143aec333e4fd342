"""One page with all scripts of its project, parsed when they are asked for."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from roomcode.preview.declarations import Code, Declared, Lookup, text_of
from roomcode.preview.loading import Loaded, local_path, page_scripts, target_of
from roomcode.preview.references import Sources, loaded_by
from roomcode.preview.types import Entry

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Here", "Project", "declaration_place", "import_address"]


@dataclass(frozen=True, slots=True, eq=False)
class Here:
    """One script: a file, or a part of a page."""

    file: str
    code: Code
    before: int = 0
    """Lines of the file before its first."""
    loaded: Loaded | None = None
    """How the page loads it; None when it does not, and for the code of `onclick` and its like."""

    @property
    def name(self) -> str:
        """What to call it."""
        return f"the script of line {self.before + 1}" if self.loaded is not None and self.loaded.inline else self.file


class Project:
    """A page and the texts of its project. Nothing here touches the disk."""

    def __init__(self, sources: Sources, page: str) -> None:
        self.sources = sources
        self.page = page
        self._codes: dict[tuple[str, int], Code] = {}

    @cached_property
    def scripts(self) -> tuple[Loaded, ...]:
        """The scripts of the page."""
        return page_scripts(self.sources, self.page)

    def _code(self, file: str, part: int = -1) -> Code:
        key = file, part
        if key not in self._codes:
            text = self.sources.texts[file] if part < 0 else self.sources.pages[file].scripts[part].text
            self._codes[key] = Code(text)
        return self._codes[key]

    def _here(self, loaded: Loaded) -> Here:
        before = self.sources.pages[loaded.file].scripts[loaded.part].line - 1 if loaded.inline else 0
        return Here(loaded.file, self._code(loaded.file, loaded.part), before, loaded)

    def loaded(self) -> Iterator[Here]:
        """The page's scripts that are files of the project or parts of the page."""
        for one in self.scripts:
            if one.file:
                yield self._here(one)

    def unloaded(self) -> Iterator[Here]:
        """Scripts of the project that the page does not load in any way."""
        users = loaded_by(self.sources)
        for file in self.sources.scripts:
            if self.page not in users.get(file, ()):
                yield Here(file, self._code(file))

    def at(self, entry: Entry) -> Here | None:
        """The script in which an error happened; None for code of `onclick` and its like."""
        if entry.file in self.sources.scripts:
            loaded = next((one for one in self.scripts if one.file == entry.file), None)
            return Here(entry.file, self._code(entry.file), 0, loaded)
        if entry.file == self.page:
            for one in self.scripts:
                if one.inline:
                    part = self.sources.pages[self.page].scripts[one.part]
                    if part.line <= entry.line <= part.line + part.text.count("\n"):
                        return self._here(one)
        return None

    def node_at(self, entry: Entry, here: Here) -> "Node":
        """The smallest named node at an error's place."""
        row, column = entry.line - here.before - 1, max(entry.column - 1, 0)
        return here.code.root.named_descendant_for_point_range((row, column), (row, column)) or here.code.root

    def shared_lookup(self, name: str, here: Here) -> Lookup | None:
        """The lookup that a variable of another plain script of the page holds."""
        if here.code.resolve(name, here.code.root) is not None:
            return None
        for one in self.loaded():
            for found in one.code.declared:
                if found.name == name and found.top and one.loaded is not None and not one.loaded.module:
                    return one.code.lookup(found.value)
        return None

    def owner(self, lookup: Lookup, here: Here) -> tuple[Loaded | None, Code]:
        """The script that a lookup stands in."""
        for one in (here, *self.loaded()):
            if any(node.id == lookup.node.id for node in one.code.nodes):
                return one.loaded, one.code
        return None, here.code

    def makes(self, name: str) -> bool:
        """Whether a script gives this id to an element."""
        scripts = [*self.sources.scripts.values(), *(one for _, one in self.sources.inline[self.page])]
        return any(name in one.makes or name.startswith(tuple(one.makes_prefixes)) for one in scripts)

    def mentioned(self, text: str) -> bool:
        """Whether a text of the project holds these words."""
        return any(text in one for one in self.sources.texts.values())

    def methods(self) -> set[str]:
        """Names of functions that are members of the page's own objects and classes."""
        return {name for one in self.loaded() for name in one.code.methods}

    def functions(self) -> list[str]:
        """Names of functions that the page's scripts declare."""
        return [found.name for one in self.loaded() for found in one.code.declared if found.top and found.callable]

    def source_text(self, receiver: str, member: str, entry: Entry, here: Here | None) -> str | None:
        """The expression that made what `receiver.member` was called on."""
        if here is None:
            return None
        for node in here.code.accesses(member, entry.line - here.before):
            held = node.child_by_field_name("object")
            if held is None:
                continue
            if held.type == "identifier":
                declared = here.code.resolve(text_of(held), held)
                if declared is not None and declared.value is not None:
                    return text_of(declared.value)
                return None
            return text_of(held)
        return None

    def module(self, address: str, asker: str) -> Here | None:
        """The project's module that a file imports by an address."""
        path = local_path(address)
        file = target_of(asker or self.page, path) if path else ""
        return Here(file, self._code(file)) if file in self.sources.scripts else None

    def importer(self, address: str) -> str:
        """The first script that imports an address."""
        parts = ((self.page, script) for _, script in self.sources.inline[self.page])
        for file, script in (*self.sources.scripts.items(), *parts):
            if any(url == address for _, url in script.imports):
                return file
        return ""

    def tags_of(self, file: str) -> list[Loaded]:
        """The page's script tags for a file."""
        return [one for one in self.scripts if one.file == file and not one.inline and one.how != "import"]


def declaration_place(here: Here, declared: Declared) -> str:
    """`app.js:3`"""
    return f"{here.file}:{here.before + declared.line}"


def import_address(asker: str, file: str) -> str:
    """How a file names another one in an import: `./lib/dice.js`."""
    address = posixpath.relpath(file, posixpath.dirname(asker) or ".")
    return address if address.startswith("../") else f"./{address}"
