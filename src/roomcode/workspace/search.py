"""A regular expression over the files of a project, within a time that no pattern can break.

Matching releases the interpreter lock and is given short times, so that other work goes on meanwhile and a search that
is no longer wanted ends by itself.
"""

import time
from collections.abc import Callable, Iterable, Iterator
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
    flags = regex.MULTILINE | regex.VERSION0
    literal = False
    try:
        exact = regex.compile(pattern, flags)
    except regex.error:
        literal = True
        exact = regex.compile(regex.escape(pattern), flags)
    any_case = regex.compile(exact.pattern, flags | regex.IGNORECASE)
    report = SearchReport(literal=literal)
    others = _Hits(limit)
    found = _Hits(limit)
    budget = _Budget(seconds, stop)
    for rel, text in _texts(root, start, report, stop):
        found.collect(rel, text, exact, budget)
        if not found.hits:
            others.collect(rel, text, any_case, budget)
        if found.full or stop():
            break
    report.any_case = not found.hits and bool(others.hits)
    chosen = others if report.any_case else found
    report.hits, report.more = chosen.hits[:limit], len(chosen.hits) > limit
    return report


def _texts(root: Path, start: str, report: SearchReport, stop: Callable[[], bool]) -> Iterator[tuple[str, str]]:
    """Path and text of each file to search; what is passed over is counted in the report."""
    deadline = time.perf_counter() + _MOST_SECONDS
    if (root / start).is_file():
        names: Iterable[str] = [start]
    else:
        ignore = Ignore(root)
        if start != "." and ignore.ignores(start, folder=True):
            ignore = Ignore(root, below=start)
        names = (found.rel for found in walk(ignore, start, report.left_out, stop))
    base = f"{root}/"
    for rel in names:
        if time.perf_counter() > deadline:
            report.unfinished = True
            return
        if protection(rel):
            report.protected += 1
            continue
        try:
            with open(base + rel, "rb") as file:
                data = file.read(_LARGEST + 1)
            if len(data) > _LARGEST:
                report.large += 1
                continue
            text = TextFile.parse(data).text
        except (OSError, NotText):
            continue
        report.files += 1
        yield rel, text


@dataclass(slots=True)
class _Hits:
    """Hits collected for one pattern, up to one more than `limit`, which shows that there are more."""

    limit: int
    hits: list[Hit] = field(default_factory=list)

    @property
    def full(self) -> bool:
        return len(self.hits) > self.limit

    def collect(self, rel: str, text: str, pattern: "regex.Pattern[str]", budget: _Budget) -> None:
        position = counted = 0
        line = 1
        while position <= len(text) and not self.full:
            match = budget.first(pattern, text, position)
            if match is None:
                return
            # A match that starts with blanks or line ends is told where its first letter stands.
            at = match.start() + len(match[0]) - len(match[0].lstrip())
            at = min(at, max(match.start(), match.end() - 1))
            if at == len(text) and text.endswith("\n"):
                return
            first = text.rfind("\n", 0, at) + 1
            last = text.find("\n", at)
            last = len(text) if last < 0 else last
            line += text.count("\n", counted, first)
            counted = first
            self.hits.append(Hit(rel, line, text[first:last], at - first))
            position = max(last + 1, match.end())
