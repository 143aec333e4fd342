"""Checks of a folder of web files without a browser: names that lead nowhere, files nobody loads, ids nobody has.

Everything works on texts (`Sources`); only `read_sources` touches the disk. A check that is not sure says nothing.
"""

import html
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from roomcode.preview.loading import early_scripts, loaded_twice, local_path, target_of
from roomcode.preview.markup import Markup, Reference, parse_html
from roomcode.preview.names import nearest, nearest_name
from roomcode.preview.paths import files_below
from roomcode.preview.scripts import Script, parse_script
from roomcode.preview.syntax import Style, json_fault, parse_css

__all__ = [
    "Finding",
    "Sources",
    "check",
    "dead_handlers",
    "loaded_by",
    "loading_faults",
    "missing_files",
    "missing_ids",
    "nameless",
    "nearest_id",
    "parse_sources",
    "read_sources",
    "syntax_errors",
    "unused_files",
    "with_text",
]

_PAGES, _SCRIPTS, _STYLES, _DATA = (".html", ".htm"), (".js", ".mjs"), (".css",), (".json", ".webmanifest")
_LARGEST = 400_000
_MOST_TEXT = 4_000_000
_CALL = re.compile(r"\s*(?:return\s+)?(?:void\s+)?([A-Za-z_$][\w$]*)\s*\(")
_BUILT_IN = re.compile(
    r"alert|confirm|prompt|if|for|while|switch|print|open|close|stop|scroll(?:To|By)?|fetch|setTimeout|setInterval"
    r"|requestAnimationFrame|eval|parseInt|parseFloat|String|Number|Boolean|Function|focus|blur"
)
_NO_PAGE_FILES = re.compile(
    r"(^|/)(?:[\w.-]+\.(?:config|test|spec|min)\.m?js|sw\.js|service-?worker\.js)$|(^|/)tests?/"
)

_NAMELESS = re.compile(
    r"<(button|a|h[1-6]|summary|label)\b(?![^<>]*\sid\s*=)[^<>]*>([^<>]{1,40})</\1\s*>", re.IGNORECASE
)
_DECORATION = re.compile(r"^(?:btn|button|link)-|-(?:btn|button|link|el|element)$")
"""What an id says beside what its element says."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: a path relative to the checked folder, a line (from 1, 0 for the whole file), a short sentence."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.text}" if self.line else f"{self.path} {self.text}"


@dataclass(frozen=True, slots=True)
class Sources:
    """A folder as read and parsed once. `names` holds every file, also those that are no text."""

    texts: Mapping[str, str]
    names: frozenset[str]
    pages: Mapping[str, Markup] = field(default_factory=dict)
    scripts: Mapping[str, Script] = field(default_factory=dict)
    styles: Mapping[str, Style] = field(default_factory=dict)
    inline: Mapping[str, tuple[tuple[int, Script], ...]] = field(default_factory=dict)
    """Scripts written into pages, with the line before their first."""


def read_sources(folder: Path) -> Sources:
    """Read the web files of a folder: no hidden ones, no dependency folders, nothing above 400,000 bytes."""
    texts: dict[str, str] = {}
    names: list[str] = []
    room = _MOST_TEXT
    for name in files_below(folder):
        names.append(name)
        if not name.lower().endswith((*_PAGES, *_SCRIPTS, *_STYLES, *_DATA)):
            continue
        try:
            path = folder / name
            if path.stat().st_size <= min(_LARGEST, room):
                texts[name] = path.read_text(encoding="utf-8-sig", errors="replace")
                room -= len(texts[name])
        except OSError:
            continue
    return parse_sources(texts, names)


def parse_sources(texts: Mapping[str, str], names: Iterable[str] = ()) -> Sources:
    """Parse texts by the endings of their names; `names` adds files that exist without a text here."""
    pages = {name: parse_html(text) for name, text in texts.items() if name.lower().endswith(_PAGES)}
    scripts = {name: parse_script(text) for name, text in texts.items() if name.lower().endswith(_SCRIPTS)}
    styles = {name: parse_css(text) for name, text in texts.items() if name.lower().endswith(_STYLES)}
    inline = {
        name: tuple((part.line - 1, parse_script(part.text)) for part in page.scripts) for name, page in pages.items()
    }
    return Sources(texts, frozenset({*texts, *names}), pages, scripts, styles, inline)


def with_text(sources: Sources, name: str, text: str) -> Sources:
    """The same folder with another text in one of its files; only that file is parsed."""
    one = parse_sources({name: text})
    return Sources(
        {**sources.texts, **one.texts},
        sources.names | one.names,
        {**sources.pages, **one.pages},
        {**sources.scripts, **one.scripts},
        {**sources.styles, **one.styles},
        {**sources.inline, **one.inline},
    )


def check(sources: Sources) -> list[Finding]:
    """All checks, faults of syntax first."""
    checks = (syntax_errors, missing_files, missing_ids, loading_faults, dead_handlers, unused_files)
    return [finding for one in checks for finding in one(sources)]


def syntax_errors(sources: Sources) -> list[Finding]:
    """What does not parse, at most three faults a file."""
    found: list[Finding] = []
    for name, page in sources.pages.items():
        faults = list(page.errors)
        faults.extend((line + before, text) for before, script in sources.inline[name] for line, text in script.errors)
        for part in page.styles:
            faults.extend((line + part.line - 1, text) for line, text in parse_css(part.text).errors)
        found.extend(Finding(name, line, text) for line, text in sorted(faults)[:3])
    for parsed in (sources.scripts, sources.styles):
        for name, one in parsed.items():
            found.extend(Finding(name, line, text) for line, text in one.errors[:3])
    for name, text in sources.texts.items():
        if name.lower().endswith(_DATA) and (fault := json_fault(text)) is not None:
            found.append(Finding(name, *fault))
    return found


def _exists(sources: Sources, target: str) -> bool:
    return target in sources.names or f"{target.rstrip('/')}/index.html".lstrip("/") in sources.names


def _page_references(sources: Sources) -> Iterator[tuple[str, Reference]]:
    """Everything a page itself loads or links to, its inline styles and scripts included."""
    for name, page in sources.pages.items():
        if page.base:
            continue
        for reference in page.references:
            yield name, reference
        for part in page.styles:
            style = parse_css(part.text)
            for line, url in style.imports:
                yield name, Reference(line + part.line - 1, "style", url)
            for line, url in style.urls:
                yield name, Reference(line + part.line - 1, "media", url)
        for before, script in sources.inline[name]:
            for line, url in script.imports:
                if url.startswith((".", "/")):
                    yield name, Reference(line + before, "script", url)
            for line, url in script.loads:
                yield name, Reference(line + before, "media", url)


def _file_references(sources: Sources) -> Iterator[tuple[str, Reference]]:
    """What style sheets and modules load, relative to themselves."""
    for name, style in sources.styles.items():
        for line, url in style.imports:
            yield name, Reference(line, "style", url)
        for line, url in style.urls:
            yield name, Reference(line, "media", url)
    for name, script in sources.scripts.items():
        for line, url in script.imports:
            if url.startswith((".", "/")):
                yield name, Reference(line, "script", url)


def missing_files(sources: Sources) -> list[Finding]:
    """Local files that a page, style sheet or module asks for and that do not exist."""
    found: list[Finding] = []
    for name, reference in (*_page_references(sources), *_file_references(sources)):
        path = local_path(reference.url)
        if path is None:
            continue
        target = target_of(name, path)
        if target and not _exists(sources, target):
            found.append(Finding(name, reference.line, _not_there(sources, target)))
    users = loaded_by(sources)
    for name, script in sources.scripts.items():
        for line, url in script.loads:
            path = local_path(url)
            homes = users.get(name) or {name}
            if path and not any(_exists(sources, target_of(home, path)) for home in homes):
                found.append(Finding(name, line, _not_there(sources, target_of(sorted(homes)[0], path))))
    return list(dict.fromkeys(found))


def _not_there(sources: Sources, target: str) -> str:
    guess = nearest(target.rstrip("/"), sources.names)
    return f"{target} does not exist" + (f"; did you mean {guess}?" if guess else "")


def loaded_by(sources: Sources) -> dict[str, set[str]]:
    """For each script and style sheet the pages that load it, also through other files."""
    edges: dict[str, set[str]] = {}
    for name, reference in (*_page_references(sources), *_file_references(sources)):
        path = local_path(reference.url)
        if path is not None and reference.kind != "link":
            edges.setdefault(name, set()).add(target_of(name, path))
    for name, script in sources.scripts.items():
        for _, url in script.loads:
            if path := local_path(url):
                edges.setdefault(name, set()).update({target_of(name, path), target_of("", path)})
    users: dict[str, set[str]] = {}
    for page in sources.pages:
        queue, seen = [page], {page}
        while queue:
            for target in edges.get(queue.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    users.setdefault(target, set()).add(page)
                    queue.append(target)
    return users


def unused_files(sources: Sources) -> list[Finding]:
    """Scripts and style sheets that no page loads; nothing when there is no page, or when one sets a base address."""
    if not sources.pages or any(page.base for page in sources.pages.values()):
        return []
    used = loaded_by(sources)
    # A name that stands in a script's string may be loaded by code that this cannot follow.
    scripts = [*sources.scripts.values(), *(script for parts in sources.inline.values() for _, script in parts)]
    mentioned = {posixpath.basename(_bare(text)) for script in scripts for text in script.strings}
    page = "index.html" if "index.html" in sources.pages else next(iter(sources.pages))
    found = []
    for name in (*sources.scripts, *sources.styles):
        if name in used or posixpath.basename(name) in mentioned or _NO_PAGE_FILES.search(name):
            continue
        address = posixpath.relpath(name, posixpath.dirname(page) or ".")
        tag = f'<link rel="stylesheet" href="{address}">'
        if name in sources.scripts:
            kind = ' type="module"' if sources.scripts[name].imports or name.endswith(".mjs") else ""
            tag = f'<script{kind} src="{address}"></script>'
        found.append(Finding(name, 0, f"no page loads it; add {tag} to {page}"))
    return found


def _bare(text: str) -> str:
    """An address without its query and fragment."""
    return text.partition("?")[0].partition("#")[0]


def loading_faults(sources: Sources) -> list[Finding]:
    """Scripts and style sheets that a page loads twice, and scripts that run before the elements they need."""
    return [Finding(*fault) for fault in (*loaded_twice(sources), *early_scripts(sources))]


def missing_ids(sources: Sources) -> list[Finding]:
    """Ids that a script asks for and that no page using it has, and no script makes."""
    everything = [*sources.scripts.values(), *(script for parts in sources.inline.values() for _, script in parts)]
    made = {name for script in everything for name in script.makes}
    prefixes = tuple(name for script in everything for name in script.makes_prefixes)
    if "" in prefixes:
        return []
    users = loaded_by(sources)
    asked = [
        (name, users[name], line, wanted)
        for name, script in sources.scripts.items()
        if name in users
        for line, wanted in script.ids
    ]
    asked.extend(
        (name, {name}, line + before, wanted)
        for name, parts in sources.inline.items()
        for before, script in parts
        for line, wanted in script.ids
    )
    found: dict[tuple[str, str], Finding] = {}
    for name, homes, line, wanted in asked:
        there = {one for home in homes for one in sources.pages[home].ids}
        if wanted in there or wanted in made or wanted.startswith(prefixes):
            continue
        pages = ", ".join(sorted(homes)[:2]) + (" …" if len(homes) > 2 else "")
        guess = nearest_id(wanted, there)
        cure = f'; did you mean "{guess}"?' if guess else ""
        if (place := nameless(wanted, {home: sources.texts[home] for home in homes})) is not None:
            cure = f': write id="{wanted}" into <{place[2]}> in {place[0]}:{place[1]}'
        text = f'no element in {pages} has id="{wanted}"{cure}'
        found.setdefault((name, wanted), Finding(name, line, text))
    return list(found.values())


def nameless(wanted: str, pages: Mapping[str, str]) -> tuple[str, int, str] | None:
    """(page, line, tag) of the one element without an id whose text is what the id `wanted` says, like a button "Start"
    for `start` or `startButton`."""
    bare = _DECORATION.sub("", re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\s]+", "-", wanted).lower()).replace("-", "")
    found = [
        (name, text.count("\n", 0, match.start()) + 1, match[1].lower())
        for name, text in pages.items()
        for match in _NAMELESS.finditer(text)
        if bare and re.sub(r"[\W_]+", "", html.unescape(match[2])).lower() == bare
    ]
    return found[0] if len(found) == 1 else None


def nearest_id(wanted: str, there: Iterable[str]) -> str:
    """The id that was probably meant, or empty."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(wanted, sorted(there), 1, 0.7)), "")


def _home_of(function: str, homes: Sequence[str]) -> str:
    """The script where a function is missing: the only one, or the one that is called like it."""
    if len(homes) == 1:
        return homes[0]
    alike = [
        one
        for one in homes
        if re.sub(r"\W|_", "", one.rsplit("/", 1)[-1].rsplit(".", 1)[0]).lower() == function.replace("_", "").lower()
    ]
    return alike[0] if len(alike) == 1 else ""


def dead_handlers(sources: Sources) -> list[Finding]:
    """`onclick="start()"` and its like whose function no script of the page defines, or only a module does."""
    users = loaded_by(sources)
    found: list[Finding] = []
    for name, page in sources.pages.items():
        addresses = [(local_path(one.url), one.module) for one in page.references if one.kind == "script"]
        if any(address is None for address, _ in addresses):
            # A script from elsewhere may define anything.
            continue
        parts = zip(page.scripts, sources.inline[name], strict=True)
        classic = [script for part, (_, script) in parts if not part.module]
        classic += [
            sources.scripts[target]
            for address, module in addresses
            if address is not None and not module and (target := target_of(name, address)) in sources.scripts
        ]
        homes = [path for path, script in sources.scripts.items() if name in users.get(path, ()) and script in classic]
        homes += [name] if any(script in classic for _, script in sources.inline[name]) else []
        loaded = [script for path, script in sources.scripts.items() if name in users.get(path, ())]
        loaded += [script for _, script in sources.inline[name]]
        known = {one for script in classic for one in script.defines} | {one for s in loaded for one in s.exposes}
        hidden = {one for script in loaded for one in script.defines} - known
        for handler in page.handlers:
            called = _CALL.match(handler.text)
            if called is None or called[1] in known or _BUILT_IN.fullmatch(called[1]) or "function" in handler.text:
                continue
            text = f"{called[1]}() is called here, but no script defines it"
            if guess := nearest_name(called[1], known):
                text += f"; did you mean {guess}()?"
            elif home := _home_of(called[1], homes):
                text += f": write function {called[1]}() in {home}"
            if called[1] in hidden:
                text = f"{called[1]}() is in a module and not known here; add window.{called[1]} = {called[1]} to it"
            found.append(Finding(name, handler.line, text))
    return list(dict.fromkeys(found))
