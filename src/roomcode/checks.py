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
    check,
    dead_handlers,
    missing_files,
    missing_ids,
    read_sources,
    syntax_errors,
    unused_files,
)
from roomcode.preview.report import entry_line
from roomcode.promises import intent, named_files, unkept_claims, unkept_wishes

__all__ = ["Pages", "ProjectChecks"]

_FILE_NAME = re.compile(r"(?:[\w-]+/)*[\w-]+\.\w+")
_TROUBLE = re.compile(
    r"\b(?:fix|repair|mend|bugs?|broken|breaks?|errors?|wrong|fails?|failing|problems?|trouble|crash(?:es)?|console"
    r"|nothing happens|stays? empty|(?:do|does|is|are|did|has|have)(?:n['’]t|\s+not)|no longer|nothing|missing)\b",
    re.IGNORECASE,
)
_NOTHING_CHANGED = "the request asks for a change, but no file was changed"
_PLACE = re.compile(r"^\S+:\d+ ")
_WEB = (".html", ".htm", ".css", ".js", ".mjs", ".json", ".webmanifest", ".svg")
_LINES_AFTER_CHANGE = 2
_LINES_AT_END = 6


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

    async def before_start(self, prompt: str) -> list[str]:
        """What is wrong with the project's page before a request is dealt with; what no console shows only for a
        request that speaks of trouble."""
        sources = await asyncio.to_thread(read_sources, self._root)
        if not sources.pages:
            return []
        named = [name for name in named_files(prompt) if name in sources.pages]
        lines = await self._page_errors(sources, named or ["index.html"])
        if _TROUBLE.search(prompt):
            lines += [str(finding) for finding in check(sources)]
        return _distinct(lines)[:_LINES_AT_END]

    async def before_end(self, prompt: str, changed: Sequence[str], answer: str = "") -> list[str]:
        """What is still wrong when a request is about to end; empty when nothing is.

        Loads the page where a file that it may use was changed, and looks for what no console shows. Faults of files
        that the request did not touch are only told when the browser shows them. What the request names and what the
        answer says was done are compared with what is there.
        """
        if not changed:
            return [_NOTHING_CHANGED] if intent(prompt) == "change" else []
        sources = await asyncio.to_thread(read_sources, self._root)
        lines = unkept_wishes(prompt, sources.texts, sources.names)
        lines += await self._page_errors(sources, changed)
        for look in (syntax_errors, missing_files, missing_ids, dead_handlers, unused_files):
            lines += [str(finding) for finding in look(sources) if _concerns(finding, changed)]
        lines += unkept_claims(answer, changed, sources.names)
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
