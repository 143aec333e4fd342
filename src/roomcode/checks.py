"""Looking at the result, not only at the calls: what is wrong with the project's pages after a change."""

import asyncio
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from roomcode.preview import Fault, LoadReport, PreviewError, ProbeReport, probe_lines
from roomcode.preview.references import (
    Finding,
    Sources,
    check,
    dead_handlers,
    loading_faults,
    missing_files,
    missing_ids,
    read_sources,
    syntax_errors,
    unused_files,
)
from roomcode.preview.report import error_line
from roomcode.promises import intent, named_files, not_there, unkept_claims, unkept_wishes

__all__ = ["Pages", "ProjectChecks"]

_log = logging.getLogger(__name__)

_FILE_NAME = re.compile(r"(?:[\w-]+/)*[\w-]+\.\w+")
_TROUBLE = re.compile(
    r"\b(?:fix|repair|mend|bugs?|broken|breaks?|errors?|wrong|fails?|failing|problems?|trouble|crash(?:es)?|console"
    r"|nothing happens|stays? empty|(?:do|does|is|are|did|has|have)(?:n['’]t|\s+not)|no longer|nothing|missing)\b",
    re.IGNORECASE,
)
_NOTHING_CHANGED = "the request asks for a change, but no file was changed"
_PLACE = re.compile(r"^(?:after .*?: )?\S+:\d+ ")
_UNKNOWN = re.compile(r"\b(\w+)\(\) is (?:called here|in a module)|^after .* ReferenceError: (\w+) is not defined")
_NOT_DEFINED = re.compile(r"ReferenceError: (\w+) is not defined")
_TAG = re.compile(r"<script src=[^>]*>")
_WEB = (".html", ".htm", ".css", ".js", ".mjs", ".json", ".webmanifest", ".svg")
_CODE = (".html", ".htm", ".js", ".mjs")
_LINES_AFTER_CHANGE = 2
_LINES_AT_END = 6


class Pages(Protocol):
    """What the checks need of a preview."""

    async def serve(self, path: str) -> LoadReport:
        """Load a page. Raises PreviewError."""
        ...

    async def probe(self, path: str) -> ProbeReport:
        """Use a page once. Raises PreviewError."""
        ...


class ProjectChecks:
    """Checks of one project; `preview` loads its page."""

    def __init__(self, root: Path, preview: Pages) -> None:
        self._root = root
        self._preview = preview
        self._idle: set[Fault] = set()
        """What led nowhere before the request, which therefore need not be mended by it."""

    async def after_change(self, prompt: str, paths: Sequence[str]) -> list[str]:
        """At most two lines about files that were just written: what does not parse, what leads nowhere; where nothing
        is wrong, what comes next."""
        sources = await asyncio.to_thread(read_sources, self._root)
        found = [*syntax_errors(sources), *missing_files(sources), *missing_ids(sources)]
        found = [f for f in found if f.path in paths] + [f for f in loading_faults(sources) if _concerns(f, paths)]
        lines = [str(finding) for finding in found[:_LINES_AFTER_CHANGE]]
        if lines:
            return lines
        if missing := not_there(prompt, sources.names):
            return [f"Next: write {missing[0]}."]
        if wishes := unkept_wishes(prompt, sources.texts, sources.names):
            return [f"Still to do: {wishes[0]}."]
        return ["Next: serve, if nothing else is to be changed."] if sources.pages else []

    async def before_start(self, prompt: str) -> list[str]:
        """What is wrong with the project's page before a request is dealt with; what no console shows only for a
        request that speaks of trouble."""
        self._idle = set()
        sources = await asyncio.to_thread(read_sources, self._root)
        if not sources.pages:
            return []
        named = [name for name in named_files(prompt) if name in sources.pages]
        trouble = _TROUBLE.search(prompt) is not None
        lines, faults = await self._page_errors(sources, named or ["index.html"], trouble or intent(prompt) == "change")
        if not trouble:
            self._idle = set(faults)
        else:
            told = _told_by_browser(sources, lines)
            lines += [*probe_lines(faults), *(str(finding) for finding in check(sources) if finding not in told)]
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
        errors, faults = await self._page_errors(sources, changed)
        lines += [*errors, *probe_lines(self._concerning(faults, changed))]
        told = _told_by_browser(sources, errors)
        for look in (syntax_errors, missing_files, missing_ids, loading_faults, dead_handlers, unused_files):
            findings = [one for one in look(sources) if one not in told and _concerns(one, changed)]
            lines += [str(finding) for finding in findings]
        lines += unkept_claims(answer, changed, sources.names)
        return _distinct(lines)[:_LINES_AT_END]

    def _concerning(self, faults: Sequence[Fault], changed: Sequence[str]) -> list[Fault]:
        """A button without a handler or a link to nowhere may be meant to be like that when it was before."""
        code = any(path.lower().endswith(_CODE) for path in changed)
        return [fault for fault in faults if fault.kind not in ("idle", "link") or (code and fault not in self._idle)]

    async def _page_errors(
        self, sources: Sources, changed: Sequence[str], use: bool = True
    ) -> tuple[list[str], tuple[Fault, ...]]:
        """What loading a page shows, and what using it does."""
        if not sources.pages or not any(path.lower().endswith(_WEB) for path in changed):
            return [], ()
        written = [path for path in changed if path in sources.pages]
        if "index.html" in sources.pages and (not written or "index.html" in written):
            path = "."
        else:
            path = [*written, *sources.pages][0]
        try:
            report = await self._preview.serve(path)
            if report.state in ("no_answer", "no_browser"):
                return [report.reason] if report.state == "no_answer" else [], ()
        except PreviewError:
            return [], ()
        return [error_line(entry) for entry in report.errors], await self._use(path) if use else ()

    async def _use(self, path: str) -> tuple[Fault, ...]:
        try:
            return (await self._preview.probe(path)).faults
        except PreviewError as error:
            _log.debug("%s was not used: %s", path, error)
        except Exception:
            # What was found without it counts all the same.
            _log.exception("%s could not be used", path)
        return ()


def _concerns(finding: Finding, changed: Sequence[str]) -> bool:
    if finding.path in changed:
        return True
    return any(re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w-])", finding.text) for path in changed)


def _told_by_browser(sources: Sources, errors: Sequence[str]) -> list[Finding]:
    """Faults of scripts that do not parse where the browser's line says what to do: it stops at the first of them."""
    said = [line for line in errors if "SyntaxError" in line and " Fix: " in line]
    scripts = [finding for finding in syntax_errors(sources) if finding.path in sources.scripts]
    return [finding for finding in scripts if any(line.startswith(f"{finding.path}:") for line in said)]


def _says(told: str, line: str) -> bool:
    """Whether the cure in a line that was told holds what another one says."""
    cure = told.partition(" Fix: ")[2]
    tag = _TAG.search(line) if "no page loads it" in line else None
    return _PLACE.sub("", line) in cure or (tag is not None and tag[0] in cure)


def _distinct(lines: Sequence[str]) -> list[str]:
    """Each fault once: the browser and the texts often tell of the same missing file."""
    kept: list[str] = []
    missing: set[str] = set()
    cured = {match[1] for line in lines if " Fix: " in line and (match := _NOT_DEFINED.search(line))}
    unknown = {match[1] for line in lines if (match := _UNKNOWN.search(line)) and match[1]}
    for line in lines:
        if (match := _UNKNOWN.search(line)) and (match[1] in cured or match[2] in unknown - cured):
            # What says more about such a function is told alone.
            continue
        gone = ""
        if "does not exist" in line or "not found" in line:
            gone = next(iter(_FILE_NAME.findall(_PLACE.sub("", line))), "")
        if line in kept or gone in missing or any(_says(told, line) for told in kept):
            continue
        if gone:
            missing.add(gone)
        kept.append(line)
    return kept
