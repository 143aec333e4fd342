"""A regular expression over the files of a project, within a time that no pattern can break.

Matching releases the interpreter lock and is given short times, so that other work goes on meanwhile and a search that
is no longer wanted ends by itself.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import regex

from roomcode.workspace.encodings import NotText
from roomcode.workspace.errors import WorkspaceError
from roomcode.workspace.ignore import Ignore, LeftOut, walk
from roomcode.workspace.names import protection
from roomcode.workspace.textfile import TextFile

__all__ = ["Hit", "SearchReport", "search"]

_SLICES = (0.2, 0.5, 2.0)
"""Seconds for one match, longer each time it was too short: between two tries a search can be given up."""
_LARGEST = 8_000_000
_MOST_SECONDS = 20.0
"""For reading files and matching together; what was found until then is the answer."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that matches; `column` is the offset of the match in `text`, the whole line."""

    rel: str
    line: int
    text: str
    column: int


@dataclass(slots=True)
class SearchReport:
    hits: list[Hit] = field(default_factory=list)
    more: bool = False
    """There are more hits than were asked for."""
    files: int = 0
    """Files searched."""
    large: int = 0
    """Files not searched because of their size."""
    protected: int = 0
    left_out: LeftOut = field(default_factory=LeftOut)
    literal: bool = False
    """The pattern was not a valid expression, and was searched for as it stands."""
    any_case: bool = False
    """There were no hits in the given case, so it was ignored."""
    unfinished: bool = False


class _Budget:
    """The matching time that is left; raises WorkspaceError when there is none."""

    def __init__(self, seconds: float, stop: Callable[[], bool]) -> None:
        self.left = seconds
        self.seconds = seconds
        self.stop = stop

    def first(self, pattern: "regex.Pattern[str]", text: str, start: int) -> "regex.Match[str] | None":
        for allowed in _SLICES:
            if self.stop():
                return None
            began = time.perf_counter()
            try:
                return pattern.search(text, start, timeout=max(0.01, min(allowed, self.left)), concurrent=True)
            except TimeoutError:
                pass
            finally:
                self.left -= time.perf_counter() - began
            if self.left <= 0:
                break
        raise WorkspaceError(
            f"The pattern is too slow: it was stopped after {self.seconds:g} s. "
            "Use a simpler one, best a plain word without nested * or +."
        )


def search(
    root: Path,
    start: str,
    pattern: str,
    *,
    limit: int = 30,
    seconds: float = 2.0,
    stop: Callable[[], bool] = lambda: False,
) -> SearchReport:
    """Search the file or folder `start` (relative to `root`, "." for all). One hit a line, `limit` hits at most.

    When nothing is found in the given case, case is ignored. Protected files are never searched. Raises WorkspaceError
    when matching takes more than `seconds` in all.
    """
    report = SearchReport()
    flags = regex.MULTILINE | regex.VERSION0
    try:
        compiled = regex.compile(pattern, flags)
    except regex.error:
        report.literal = True
        compiled = regex.compile(regex.escape(pattern), flags)
    budget = _Budget(seconds, stop)
    _collect(root, start, compiled, report, limit, budget)
    if not report.hits and not report.unfinished and not stop():
        other = SearchReport(literal=report.literal, any_case=True)
        _collect(root, start, regex.compile(compiled.pattern, flags | regex.IGNORECASE), other, limit, budget)
        if other.hits:
            return other
    return report


def _collect(
    root: Path, start: str, pattern: "regex.Pattern[str]", report: SearchReport, limit: int, budget: _Budget
) -> None:
    deadline = time.perf_counter() + _MOST_SECONDS
    if (root / start).is_file():
        _search_file(root, start, pattern, report, limit, budget)
        return
    ignore = Ignore(root)
    if start != "." and ignore.ignores(start, folder=True):
        ignore = Ignore(root, below=start)
    for found in walk(ignore, start, report.left_out, budget.stop):
        if time.perf_counter() > deadline:
            report.unfinished = True
            return
        if protection(found.rel):
            report.protected += 1
            continue
        _search_file(root, found.rel, pattern, report, limit, budget)
        if report.more or budget.stop():
            return


def _search_file(
    root: Path, rel: str, pattern: "regex.Pattern[str]", report: SearchReport, limit: int, budget: _Budget
) -> None:
    path = root / rel
    try:
        if path.stat().st_size > _LARGEST:
            report.large += 1
            return
        text = TextFile.parse(path.read_bytes()).text
    except (OSError, NotText):
        return
    report.files += 1
    position = counted = 0
    line = 1
    while position <= len(text):
        match = budget.first(pattern, text, position)
        if match is None:
            return
        if len(report.hits) == limit:
            report.more = True
            return
        # A match that starts with blanks or line ends is told where its first letter stands.
        at = match.start() + len(match[0]) - len(match[0].lstrip())
        at = min(at, max(match.start(), match.end() - 1))
        if at == len(text) and text.endswith("\n") and at > 0:
            return
        first = text.rfind("\n", 0, at) + 1
        last = text.find("\n", at)
        last = len(text) if last < 0 else last
        line += text.count("\n", counted, first)
        counted = first
        report.hits.append(Hit(rel, line, text[first:last], at - first))
        position = max(last + 1, match.end())
