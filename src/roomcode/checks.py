"""Looking at the result, not only at the calls: what is wrong with the project's pages after a change."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

from roomcode.preview import Preview, PreviewError, page_errors
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

__all__ = ["ProjectChecks", "named_files"]

_FILE_NAME = re.compile(r"(?<![\w/.@-])((?:[\w-]+/)*[\w-]+\.(?:html?|css|m?js|json|svg|md|txt))(?![\w/-])")
_LINES_AFTER_CHANGE = 2
_LINES_AT_END = 6


def named_files(prompt: str) -> list[str]:
    """Files that a request names, in order, each once."""
    return list(dict.fromkeys(_FILE_NAME.findall(prompt)))


class ProjectChecks:
    """Checks of one project; `preview` loads its page."""

    def __init__(self, root: Path, preview: Preview) -> None:
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

        Loads the page, and looks for what no console shows. Faults of files that the request did not touch are only
        told when the browser shows them.
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
        if not sources.pages:
            return []
        pages = [*(p for p in changed if p in sources.pages), *sources.pages]
        path = "." if "index.html" in sources.pages else pages[0]
        try:
            report = await self._preview.serve(path)
        except PreviewError:
            return []
        return list(page_errors(report) or ())


def _concerns(finding: Finding, changed: Sequence[str]) -> bool:
    return finding.path in changed or any(path in finding.text for path in changed)


def _distinct(lines: Sequence[str]) -> list[str]:
    """Each fault once: the browser and the texts often tell of the same missing file."""
    kept: list[str] = []
    missing: set[str] = set()
    for line in lines:
        named = set(_FILE_NAME.findall(line))
        gone = "does not exist" in line or "not found" in line
        if line in kept or (gone and named and named <= missing):
            continue
        if gone:
            missing |= named
        kept.append(line)
    return kept
