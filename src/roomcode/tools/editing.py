"""The tool that changes a part of a file: edit_file."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from roomcode.protocol.tools import HintKind, Parameter, ToolContext, ToolResult, ToolSpec
from roomcode.tools.changing import Draft, apply, stale_result
from roomcode.tools.guards import (
    LEFT_NUMBERS,
    is_markup,
    is_page_for_piece,
    is_web_file,
    lost_lines,
    overlap,
    placeholder,
    sent_before,
    sent_behind,
    unclosed,
    unclosed_block,
    without_line_numbers,
)
from roomcode.tools.running import failed, path_of
from roomcode.tools.text import cut_line, cut_middle, numbered
from roomcode.workspace import Loaded, StaleError, Target, TextFile, Workspace, WorkspaceError
from roomcode.workspace.matching import Match, Missing, Several, find
from roomcode.workspace.textfile import unified

__all__ = ["EditFile", "Keep", "keep_nothing"]

Keep = Callable[[str, str, str, int, int, str], str | None]
"""(prompt, path, text of the file, start, end, new) → what is to stand at start:end instead of `new`, because an
addition would take away what is there; None: `new` is right."""


def keep_nothing(_prompt: str, _path: str, _text: str, _start: int, _end: int, _new: str) -> str | None:
    return None


EDIT_FILE = ToolSpec(
    "edit_file",
    "Replace old, which stands in the file exactly once, by new.",
    (
        Parameter("path", "string", "file"),
        Parameter("old", "string", "text copied from the file", raw=True),
        Parameter("new", "string", "its replacement", raw=True),
    ),
    "write",
)
NOT_DOUBLED = "The end of new stands behind old already, so it was not written twice."
BEFORE_NOT_DOUBLED = "The beginning of new stands before old already, so it was not written twice."
BEHIND_NOT_DOUBLED = "new goes on with the lines behind old, so it took their place too."
WHOLE_PAGE = "new was a whole page, so it took the place of the whole page."
WHOLE_BLOCK = "new was a whole block, so it took the place of the whole block."
KEPT = "What you replaced is still needed, so it was kept and your text was put behind it."
_LOOSE = {
    "characters": "old matched only when quotes, dashes and odd spaces were read as plain ones",
    "spacing": "old matched only without its indentation and line numbers",
}


@dataclass(frozen=True, slots=True)
class EditFile:
    """Replaces one piece of text; asks first. Only that piece of the file changes."""

    workspace: Workspace
    keep: Keep = keep_nothing

    @property
    def spec(self) -> ToolSpec:
        return EDIT_FILE

    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            path = path_of(arguments, "edit_file", "edit_file path=index.html old=<h1>A</h1> new=<h1>B</h1>")
            old, new = _texts(arguments, path, context)
            draft = await asyncio.to_thread(self._draft, path, old, new, context)
        except StaleError as error:
            return stale_result(error)
        except WorkspaceError as error:
            return failed(error)
        if isinstance(draft, ToolResult):
            return draft
        return await apply(self.workspace, draft, context, "edit_file")

    def _draft(self, path: str, old: str, new: str, context: ToolContext) -> Draft | ToolResult:
        target = self.workspace.resolve(path)
        before = self.workspace.current(target)
        if before is None:
            raise WorkspaceError(f"{self.workspace.missing(target)} A new file is made by write_file.")
        if not old.strip():
            raise WorkspaceError(
                "old is empty. Copy the text to replace from the file into old; "
                "to add to the end use write_file with append: true.",
                hint="copy_old",
            )
        if old == new:
            raise WorkspaceError(
                "old and new are the same, so nothing would change. Put the changed text into new.", hint="copy_old"
            )
        bare = old if old in before.file.text else without_line_numbers(path, old), without_line_numbers(path, new)
        found = find(before.file.text, *bare)
        notes = self._check_seen(before, target, found, context)
        if bare != (old, new):
            notes = (*notes, LEFT_NUMBERS)
            new = bare[1]
        if isinstance(found, Match) and is_page_for_piece(target.rel, old, new):
            rest = before.file.text[: found.start] + before.file.text[found.end :]
            if lost := lost_lines(rest, new):
                raise WorkspaceError(
                    f"new is a whole page that lacks {lost[0]} of the {lost[1]} other lines of {target.shown}. "
                    "Nothing was written. Put only the changed lines into old and new."
                )
            return self._matched(
                target, before, replace(found, start=0, end=len(before.file.text)), (*notes, WHOLE_PAGE)
            )
        if isinstance(found, Match):
            if is_markup(target.rel) and (closing := unclosed(before.file.text, found.end, old, found.new)):
                found = replace(found, end=found.end + closing)
            if is_web_file(target.rel) and (block := unclosed_block(before.file.text, found.end, old, found.new)):
                found, notes = replace(found, end=found.end + block), (*notes, WHOLE_BLOCK)
            if again := sent_before(before.file.text, found.start, found.new):
                found, notes = replace(found, start=found.start - again), (*notes, BEFORE_NOT_DOUBLED)
            if doubled := overlap(before.file.text, found.end, found.new):
                found, notes = replace(found, end=found.end + doubled), (*notes, NOT_DOUBLED)
            elif behind := sent_behind(before.file.text, found.end, found.new):
                found, notes = replace(found, end=found.end + behind), (*notes, BEHIND_NOT_DOUBLED)
            both = self.keep(context.prompt, target.rel, before.file.text, found.start, found.end, found.new)
            if both is not None:
                found, notes = replace(found, new=both), (*notes, KEPT)
            return self._matched(target, before, found, notes)
        if isinstance(found, Several):
            lines = ", ".join(map(str, found.lines))
            raise WorkspaceError(
                f"old stands in {target.shown} more than once: at lines {lines}. "
                "Give a longer old, with the lines around it.",
                hint="copy_old",
            )
        return self._missing(target, before, found, new)

    def _check_seen(
        self, before: Loaded, target: Target, found: Match | Several | Missing, context: ToolContext
    ) -> tuple[str, ...]:
        """Refuse once over changes the model has not seen. A file that something keeps touching must not make a loop:
        after one refusal an exact match is let through, as it changes nothing that the model did not name."""
        try:
            self.workspace.check_seen(before, target, context.reader)
        except StaleError as error:
            repeated = self.workspace.refused_before(context.reader, f"stale:{target.rel}")
            if repeated and isinstance(found, Match) and found.level == "exact":
                return (f"{target.shown} was changed {error.by} meanwhile; only the text you named was replaced.",)
            raise
        return ()

    def _matched(self, target: Target, before: Loaded, found: Match, notes: tuple[str, ...]) -> Draft | ToolResult:
        after = before.file.replace(found.start, found.end, found.new)
        if after.text == before.file.text:
            return ToolResult(
                "unchanged",
                f"{target.shown} already holds exactly this: nothing changed. Serve it, fix something else, or finish.",
            )
        line = placeholder(found.new, before.file.text, before.file.text[found.start : found.end])
        if line:
            raise WorkspaceError(
                f"new leaves code out: {line[:120]!r}. Nothing was written. Give the full text in new, "
                "or a smaller old and new.",
                hint="copy_old",
            )
        first = before.file.text.count("\n", 0, found.start) + 1

        def told(file: TextFile) -> str:
            return _told(target, found, first, file)

        return Draft(target, before, after, told, loose=found.level != "exact", notes=notes)

    def _missing(self, target: Target, before: Loaded, found: Missing, new: str) -> ToolResult:
        if len(new.strip()) >= 10 and unified(new).strip() in before.file.text:
            return ToolResult(
                "unchanged",
                f"{target.shown} already holds the text of new: nothing changed. "
                "Serve it, fix something else, or finish.",
            )
        text = f"old is not in {target.shown}. "
        if found.closest:
            lines = "\n".join(f"{number}: {cut_line(line, number, limit=300)}" for number, line in found.closest)
            text += f"The closest lines are:\n{lines}\nCopy old from there exactly, without the line numbers."
        else:
            text += f"Nothing in it is like it. Use read_file path={target.shown} and copy old from there."
        return ToolResult("failed", cut_middle(text), hint="copy_old")


def _texts(arguments: Mapping[str, Any], path: str, context: ToolContext) -> tuple[str, str]:
    """`old` and `new` with `\\n` line ends; raises WorkspaceError when one is missing."""
    missing = [name for name in ("old", "new") if not isinstance(arguments.get(name), str)]
    if missing:
        hint: HintKind = "format"
        why = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing."
        if context.cut_at is not None:
            why = f"Your answer was cut at {context.cut_at:,} tokens, so {why} Make a smaller edit."
            hint = "parts"
        raise WorkspaceError(f"{why} {path} was not changed.", hint=hint)
    return unified(arguments["old"]), unified(arguments["new"])


def _told(target: Target, found: Match, first: int, file: TextFile) -> str:
    count = found.new.count("\n") + 1
    where = f"line {first}" if count == 1 else f"lines {first}-{first + count - 1}"
    text = f"Edited {target.shown}, {where}."
    if found.level != "exact":
        lines = file.text.split("\n")[first - 1 : first - 1 + min(count, 8)]
        text += f" Loose match: {_LOOSE[found.level]}. The file now has:\n" + "\n".join(numbered(lines, first))
    return text
