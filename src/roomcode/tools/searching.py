"""The tool that finds text: search."""

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roomcode.protocol.display import TextBlock
from roomcode.protocol.tools import Parameter, ToolContext, ToolResult, ToolSpec
from roomcode.tools.running import failed
from roomcode.tools.text import cut_middle, plural, with_notes
from roomcode.workspace import Target, Workspace, WorkspaceError
from roomcode.workspace.names import shown
from roomcode.workspace.search import Hit, SearchReport, search

__all__ = ["Search"]

MOST_HITS = 30
SECONDS = 2.0
HIT_CHARACTERS = 180

SEARCH = ToolSpec(
    "search",
    "Search the project's files with a regex.",
    (
        Parameter("pattern", "string", "regex"),
        Parameter("path", "string", "file or folder", required=False, default="."),
    ),
    "read",
)


@dataclass(frozen=True, slots=True)
class Search:
    """Hits as `path:line: text`, 30 at most; a pattern that runs over 2 seconds is refused."""

    workspace: Workspace

    @property
    def spec(self) -> ToolSpec:
        return SEARCH

    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        pattern = arguments.get("pattern")
        if not isinstance(pattern, str) or not pattern.strip():
            return ToolResult(
                "failed", "search needs a pattern. Example: search pattern=addEventListener", hint="format"
            )
        stopped = threading.Event()
        try:
            target = await asyncio.to_thread(self._target, arguments.get("path") or ".")
            report = await asyncio.to_thread(
                search,
                self.workspace.root,
                target.rel,
                pattern,
                limit=MOST_HITS,
                seconds=SECONDS,
                stop=stopped.is_set,
            )
        except WorkspaceError as error:
            return failed(error)
        finally:
            # A search whose caller was cancelled ends in its thread, within one slice of matching time.
            stopped.set()
        text = with_notes(_told(report, pattern, target), target.notes)
        return ToolResult("ok", cut_middle(text), TextBlock(text))

    def _target(self, path: str) -> Target:
        target = self.workspace.resolve(path)
        if self.workspace.info(target) is None:
            raise WorkspaceError(self.workspace.missing(target))
        if target.protected:
            raise WorkspaceError(f"{target.shown} is protected ({target.protected}) and is not searched.")
        return target


def _told(report: SearchReport, pattern: str, target: Target) -> str:
    lines = [f"{shown(hit.rel)}:{hit.line}: {_excerpt(hit)}" for hit in report.hits]
    if not lines:
        where = "" if target.rel == "." else f" in {target.shown}"
        lines.append(f"No hits for {pattern[:200]}{where} ({plural(report.files, 'file')} searched).")
    elif report.any_case:
        lines.append("[found by ignoring upper and lower case]")
    if report.literal:
        lines.append("[the pattern is not a valid regex, so it was searched as plain text]")
    if report.more:
        lines.append(f"[more than {MOST_HITS} hits: use a longer pattern or a path]")
    if report.unfinished:
        lines.append("[the project is large and was not searched to its end: give a path]")
    if report.left_out.count:
        more = ", ..." if report.left_out.count > len(report.left_out.names) else ""
        lines.append(f"[ignored, not searched: {', '.join(map(shown, report.left_out.names))}{more}]")
    if report.large:
        lines.append(f"[{plural(report.large, 'very large file')} not searched]")
    return "\n".join(lines)


def _excerpt(hit: Hit) -> str:
    """The line around its match."""
    text = hit.text.strip()
    if len(text) <= HIT_CHARACTERS:
        return text
    first = max(0, hit.column - HIT_CHARACTERS // 3)
    piece = hit.text[first : first + HIT_CHARACTERS].strip()
    before = "..." if first > 0 else ""
    after = "..." if first + HIT_CHARACTERS < len(hit.text) else ""
    return f"{before}{piece}{after}"
