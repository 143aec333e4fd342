"""Looking at the result, not only at the calls: what is wrong with the project's pages after a change."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from roomcode.preview import LoadReport, PreviewError
from roomcode.preview.references import (
    Finding,
    Sources,
    dead_handlers,
    missing_files,
    missing_ids,
    read_sources,
    syntax_errors,
    unused_files,
)
from roomcode.preview.report import entry_line

__all__ = ["Pages", "ProjectChecks", "named_files"]

_FILE_NAME = re.compile(r"(?<![\w/.@-])((?:[\w-]+/)*[\w-]+\.(?:html?|css|m?js|json|svg|md|txt))(?![\w/-]|\.\w)")
_UNWANTED = re.compile(
    r"\b(?:no|not|never|without|don['’]t|doesn['’]t|instead of|rather than|avoid|delete|remove|rename|rid of)\b"
    r"(?:[^.,;:!?()\n]|\.(?=\w))*$",
    re.IGNORECASE,
)
_PRODUCTS = re.compile(
    r"(?:alpine|angular|backbone|chart|d3|ember|express|jquery|moment|next|node|nuxt|p5|phaser|pixi|react|socket|svelte"
    r"|three|vue)\.js",
    re.IGNORECASE,
)
_PLACE = re.compile(r"^\S+:\d+ ")
_WEB = (".html", ".htm", ".css", ".js", ".mjs", ".json", ".webmanifest", ".svg")
_LINES_AFTER_CHANGE = 2
_LINES_AT_END = 6


def named_files(prompt: str) -> list[str]:
    """Files that a request wants to be there, in order, each once.

    A name behind a word like "without" or "delete" may not be wanted and is left out, and so are products that are
    called like files (`Vue.js`).
    """
    wanted = [
        match[1]
        for match in _FILE_NAME.finditer(prompt)
        if not _PRODUCTS.fullmatch(match[1]) and not _UNWANTED.search(prompt, max(0, match.start() - 80), match.start())
    ]
    return list(dict.fromkeys(wanted))


class Pages(Protocol):
    """What the checks need of a preview."""

    async def serve(self, path: str) -> LoadReport:
        """Load a page. Raises PreviewError."""
        ...


class ProjectChecks:
    """Checks of one project; `preview` loads its page."""

    def __init__(self, root: Path, preview: Pages) -> None:
        self._root = root
        self._preview = preview

    async def after_change(self, prompt: str, paths: Sequence[str]) -> list[str]:
        """At most two lines about files that were just written: what does not parse, what leads nowhere; where nothing
        is wrong, what comes next."""
        sources = await asyncio.to_thread(read_sources, self._root)
        found = [*syntax_errors(sources), *missing_files(sources), *missing_ids(sources)]
        lines = [str(f) for f in found if f.path in paths][:_LINES_AFTER_CHANGE]
        if lines:
            return lines
        if missing := self._not_made(prompt, sources):
            return [f"Next: write {missing[0]}."]
        return ["Next: serve, if nothing else is to be changed."] if sources.pages else []

    async def before_end(self, prompt: str, changed: Sequence[str]) -> list[str]:
        """What is still wrong when a request that changed files is about to end; empty when nothing is.

        Loads the page where a file that it may use was changed, and looks for what no console shows. Faults of files
        that the request did not touch are only told when the browser shows them.
        """
        sources = await asyncio.to_thread(read_sources, self._root)
        lines = [f"{name}, which the request names, does not exist" for name in self._not_made(prompt, sources)]
        lines += await self._page_errors(sources, changed)
        for check in (syntax_errors, missing_files, missing_ids, dead_handlers, unused_files):
            lines += [str(f) for f in check(sources) if _concerns(f, changed)]
        return _distinct(lines)[:_LINES_AT_END]

    def _not_made(self, prompt: str, sources: Sources) -> list[str]:
        bases = {name.rsplit("/", 1)[-1] for name in sources.names}
        return [name for name in named_files(prompt) if name not in sources.names and name not in bases]

    async def _page_errors(self, sources: Sources, changed: Sequence[str]) -> list[str]:
        if not sources.pages or not any(path.lower().endswith(_WEB) for path in changed):
            return []
        written = [path for path in changed if path in sources.pages]
        if "index.html" in sources.pages and (not written or "index.html" in written):
            path = "."
        else:
            path = [*written, *sources.pages][0]
        try:
            report = await self._preview.serve(path)
        except PreviewError:
            return []
        if report.state == "no_answer":
            return [report.reason]
        return [entry_line(entry) for entry in report.errors]


def _concerns(finding: Finding, changed: Sequence[str]) -> bool:
    if finding.path in changed:
        return True
    return any(re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w-])", finding.text) for path in changed)


def _distinct(lines: Sequence[str]) -> list[str]:
    """Each fault once: the browser and the texts often tell of the same missing file."""
    kept: list[str] = []
    missing: set[str] = set()
    for line in lines:
        gone = ""
        if "does not exist" in line or "not found" in line:
            gone = next(iter(_FILE_NAME.findall(_PLACE.sub("", line))), "")
        if line in kept or gone in missing:
            continue
        if gone:
            missing.add(gone)
        kept.append(line)
    return kept
