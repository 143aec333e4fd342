"""The tools that look at files: list_dir and read_file."""

import asyncio
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roomcode.protocol.approval import ApprovalRequest
from roomcode.protocol.display import FileChange, TextBlock
from roomcode.protocol.tools import Parameter, ToolContext, ToolResult, ToolSpec
from roomcode.tools.running import failed, path_of
from roomcode.tools.text import RESULT_LIMIT, cut_line, cut_middle, plural, with_notes
from roomcode.workspace import Loaded, Target, Workspace, WorkspaceError
from roomcode.workspace.ignore import Ignore, LeftOut
from roomcode.workspace.kinds import size_text
from roomcode.workspace.names import shown

__all__ = ["ListDir", "ReadFile", "page"]

MOST_ENTRIES = 200
PAGE_LINES = 200
PAGE_CHARACTERS = 8000
COLUMN_LIMIT = 4000
"""Characters of a long line that are shown when it is read on."""

LIST_DIR = ToolSpec(
    "list_dir",
    "List a folder.",
    (Parameter("path", "string", "folder", required=False, default="."),),
    "read",
)
READ_FILE = ToolSpec(
    "read_file",
    "Read a text file with line numbers.",
    (
        Parameter("path", "string", "file"),
        Parameter("start", "integer", "first line", required=False, default=1),
        Parameter("column", "integer", "first character, in a cut line", required=False, default=1),
    ),
    "read",
)


@dataclass(frozen=True, slots=True)
class ListDir:
    """Folders first, then files with their size; ignored entries are counted, not listed."""

    workspace: Workspace

    @property
    def spec(self) -> ToolSpec:
        return LIST_DIR

    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            text = await asyncio.to_thread(self._list, arguments.get("path") or ".")
        except WorkspaceError as error:
            return failed(error)
        return ToolResult("ok", cut_middle(text), TextBlock(text))

    def _list(self, path: str) -> str:
        target = self.workspace.resolve(path)
        info = self.workspace.info(target)
        if info is None:
            raise WorkspaceError(self.workspace.missing_folder(target))
        if not stat.S_ISDIR(info.st_mode):
            raise WorkspaceError(f"{target.shown} is a file ({size_text(info.st_size)}). Use read_file to read it.")
        ignore = Ignore(self.workspace.root)
        if target.rel != "." and ignore.ignores(target.rel, folder=True):
            ignore = Ignore(self.workspace.root, below=target.rel)
        left_out = LeftOut()
        lines = self._entries(target, ignore, left_out)
        if len(lines) > MOST_ENTRIES:
            lines = [*lines[:MOST_ENTRIES], f"[{MOST_ENTRIES} of {len(lines)} entries; use search to find the others]"]
        elif not lines:
            lines = ["(empty folder)"]
        if left_out.count:
            names = ", ".join(shown(name) for name in left_out.names)
            more = ", ..." if left_out.count > len(left_out.names) else ""
            lines.append(f"[{left_out.count} ignored: {names}{more}]")
        return with_notes("\n".join(lines), target.notes)

    def _entries(self, target: Target, ignore: Ignore, left_out: LeftOut) -> list[str]:
        try:
            with os.scandir(target.path) as found:
                entries = sorted(found, key=lambda entry: (not entry.is_dir(follow_symlinks=False), entry.name))
        except OSError as error:
            raise self.workspace.unreadable(target, error) from None
        lines = []
        for entry in entries:
            rel = entry.name if target.rel == "." else f"{target.rel}/{entry.name}"
            folder = entry.is_dir(follow_symlinks=False)
            if ignore.ignores_entry(rel, folder=folder):
                left_out.add(entry.name + ("/" if folder else ""))
                continue
            lines.append(shown(entry.name) + self._kind(entry, folder))
        return lines

    def _kind(self, entry: "os.DirEntry[str]", folder: bool) -> str:
        if folder:
            return "/"
        try:
            if entry.is_symlink():
                return f" -> {shown(os.readlink(entry.path))}"
            info = entry.stat(follow_symlinks=False)
        except OSError:
            return ""
        return f" {size_text(info.st_size)}" if stat.S_ISREG(info.st_mode) else " (not a regular file)"


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A page of a text file: 200 lines or 8,000 characters, and where to read on."""

    workspace: Workspace

    @property
    def spec(self) -> ToolSpec:
        return READ_FILE

    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            path = path_of(arguments, "read_file", "read_file path=index.html")
            target = await asyncio.to_thread(self.workspace.resolve, path)
            if target.protected:
                refusal = await self._ask(target, context)
                if refusal is not None:
                    return refusal
            loaded = await asyncio.to_thread(self.workspace.load, target, reader=context.reader)
        except WorkspaceError as error:
            return failed(error)
        text = page(loaded, arguments.get("start") or 1, arguments.get("column") or 1)
        return ToolResult("ok", with_notes(text, target.notes), TextBlock(text))

    async def _ask(self, target: Target, context: ToolContext) -> ToolResult | None:
        """Ask the person before a protected file is shown to the model; the refusal, or None when it may be."""
        loaded = await asyncio.to_thread(self.workspace.load, target)
        change = FileChange(target.shown, loaded.file.text, loaded.file.text)
        decision = await context.approve(ApprovalRequest(context.call, "read_file", change, reading=True))
        if decision.approved:
            return None
        reason = f": {decision.comment}" if decision.comment else ""
        return ToolResult(
            "rejected", f"{target.shown} is protected ({target.protected}) and the person did not allow it{reason}."
        )


def page(loaded: Loaded, start: int, column: int = 1) -> str:
    """Lines of a file from `start` on (1-based), with numbers, up to the limits of one call."""
    text = loaded.file.text
    if not text:
        return "(empty file)"
    lines = text.removesuffix("\n").split("\n")
    start = max(1, start)
    if start > len(lines):
        return f"{loaded.target.shown} has {plural(len(lines), 'line')}; line {start:,} is past the end."
    if column > 1:
        return _long_line(lines[start - 1], start, column, len(lines))
    shown_lines: list[str] = []
    used = 0
    for number in range(start, min(start + PAGE_LINES, len(lines) + 1)):
        line = f"{number}: {cut_line(lines[number - 1], number)}"
        if shown_lines and used + len(line) + 1 > PAGE_CHARACTERS:
            break
        shown_lines.append(line)
        used += len(line) + 1
    last = start + len(shown_lines) - 1
    end = f"[lines {start}-{last} of {len(lines)}; read_file start={last + 1} reads on]" if last < len(lines) else ""
    return _fitted(shown_lines, start, end)


def _long_line(line: str, number: int, column: int, count: int) -> str:
    if column > len(line):
        return f"Line {number} has {plural(len(line), 'character')}; column {column:,} is past its end."
    text = f"{number}: {cut_line(line, number, column, COLUMN_LIMIT)}"
    if column - 1 + COLUMN_LIMIT >= len(line):
        text += "\n" + (
            f"[end of line {number} of {count}; read_file start={number + 1} reads on]"
            if number < count
            else "[end of file]"
        )
    return text


def _fitted(lines: list[str], start: int, end: str) -> str:
    """Whole lines within the limit of a result: the first ones, the last ones, and which are left out between them."""
    total = "\n".join([*lines, end] if end else lines)
    if len(total) <= RESULT_LIMIT:
        return total
    room = RESULT_LIMIT - len(end) - 80
    head: list[str] = []
    tail: list[str] = []
    rest = list(lines)
    while rest:
        # Two lines of the start for each line of the end: a reader goes on from the start.
        from_end = len(head) > 2 * len(tail)
        line = rest[-1 if from_end else 0]
        if len(line) + 1 > room:
            break
        room -= len(line) + 1
        rest.pop(-1 if from_end else 0)
        (tail if from_end else head).append(line)
    first = start + len(head)
    gap = f"[lines {first}-{first + len(rest) - 1} left out; read_file start={first} shows them]"
    return "\n".join([*head, gap, *reversed(tail), *([end] if end else [])])
