"""The tool that writes whole files: write_file."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roomcode.protocol.tools import HintKind, Parameter, ToolContext, ToolResult, ToolSpec
from roomcode.tools.changing import Draft, apply, stale_result
from roomcode.tools.guards import (
    LEFT_NUMBERS,
    LEFT_WRAPPING,
    is_html_fragment,
    is_style_fragment,
    is_whole_page,
    placeholder,
    shrinks,
    starts_alike,
    without_line_numbers,
    without_wrapping,
)
from roomcode.tools.running import failed, path_of
from roomcode.tools.text import plural
from roomcode.workspace import Loaded, StaleError, Target, TextFile, Workspace, WorkspaceError
from roomcode.workspace.textfile import unified

__all__ = ["WriteFile"]

WRITE_FILE = ToolSpec(
    "write_file",
    "Create or replace a file.",
    (
        Parameter("path", "string", "file"),
        Parameter("content", "string", "text", raw=True, filled=True),
        Parameter("append", "boolean", "add to the end", required=False, default=False),
    ),
    "write",
)
_USE_EDIT = "To change a part of it use edit_file with old (copied from the file) and new."


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Creates, replaces or appends; asks first, and refuses what would destroy a file by carelessness."""

    workspace: Workspace

    @property
    def spec(self) -> ToolSpec:
        return WRITE_FILE

    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            path = path_of(arguments, "write_file", "write_file path=index.html content=...")
            content = _content(arguments, path, context)
            draft = await asyncio.to_thread(self._draft, path, content, bool(arguments.get("append")), context)
        except StaleError as error:
            return stale_result(error)
        except WorkspaceError as error:
            return failed(error)
        if isinstance(draft, ToolResult):
            return draft
        return await apply(self.workspace, draft, context, "write_file")

    def _draft(self, path: str, content: str, append: bool, context: ToolContext) -> Draft | ToolResult:
        target = self.workspace.resolve(path)
        before = self.workspace.current(target)
        notes: list[str] = []
        if (bare := without_line_numbers(path, content)) != content:
            content = bare
            notes.append(LEFT_NUMBERS)
        if (bare := without_wrapping(path, content)) != content:
            content = bare
            notes.append(LEFT_WRAPPING)
        if before is None:
            made = TextFile(unified(content))
            return Draft(target, None, made, lambda file: _wrote("Created", target, file), notes=tuple(notes))
        if append and starts_alike(before.file.text, content):
            append = False
            notes.append("your text starts like the file itself, so it replaced the file instead of doubling it.")
        if not append and is_style_fragment(target.rel, before.file.text, content):
            append = True
            notes.append("your text has none of the rules that are there, so it was put behind them.")
        if append:
            return self._append(target, before, content, tuple(notes), context)
        after = before.file.with_text(content)
        if after.text == before.file.text:
            self.workspace.saw(before, context.reader)
            return _unchanged(target)
        self.workspace.check_seen(before, target, context.reader)
        self._guard(target, before, after, context)
        return Draft(target, before, after, lambda file: _wrote("Replaced", target, file), notes=tuple(notes))

    def _append(
        self, target: Target, before: Loaded, content: str, notes: tuple[str, ...], context: ToolContext
    ) -> Draft | ToolResult:
        if not content:
            return _unchanged(target)
        there = before.file.text
        if is_whole_page(target.rel, there):
            raise WorkspaceError(
                f"{target.shown} is complete: it ends with </html>, and nothing can stand behind that. Nothing was "
                f"written. {_USE_EDIT}",
                hint="copy_old",
            )
        self.workspace.check_seen(before, target, context.reader)
        # A part never starts in the middle of the last line of the part before it.
        joint = "\n" if there and not there.endswith("\n") and not content.startswith(("\n", "\r")) else ""
        after = before.file.appended(joint + content)
        added = plural(TextFile(unified(content)).lines, "line")
        return Draft(
            target,
            before,
            after,
            lambda file: f"Appended {added} to {target.shown} (now {plural(file.lines, 'line')}).",
            notes=notes,
        )

    def _guard(self, target: Target, before: Loaded, after: TextFile, context: ToolContext) -> None:
        """Raises WorkspaceError for a replacement that looks like an accident."""
        name, old, new = target.shown, before.file.text, after.text
        if not new:
            # An empty content was given on purpose: a missing one is refused before.
            return
        if is_html_fragment(target.rel, old, new):
            raise WorkspaceError(
                f"{name} is a whole page and your content is only a piece of it (no <!doctype, no <html). "
                f"Nothing was written. {_USE_EDIT}",
                hint="copy_old",
            )
        line = placeholder(new, old, old)
        if line:
            raise WorkspaceError(
                f"Your content leaves code out: {line[:120]!r}. It would delete the rest of {name}. "
                f"Nothing was written. {_USE_EDIT}",
                hint="copy_old",
            )
        lines = shrinks(old, new)
        if lines is not None and not self.workspace.refused_before(context.reader, f"shrink:{target.rel}"):
            raise WorkspaceError(
                f"This would drop {lines[0] - lines[1]} of the {lines[0]} lines of {name}. Nothing was written. "
                f"{_USE_EDIT} If the whole file really must go, call write_file again.",
                hint="copy_old",
            )


def _content(arguments: Mapping[str, Any], path: str, context: ToolContext) -> str:
    content = arguments.get("content")
    if isinstance(content, str):
        return content
    hint: HintKind = "format"
    if context.cut_at is not None:
        hint = "parts"
        why = (
            f"Your answer was cut at {context.cut_at:,} tokens, so content is missing. "
            "Write a shorter file first, then add the rest with append: true."
        )
    else:
        why = 'content is missing. Give the whole text of the file; for an empty file give content "".'
    raise WorkspaceError(f"{why} {path} was not written.", hint=hint)


def _unchanged(target: Target) -> ToolResult:
    return ToolResult(
        "unchanged",
        f"{target.shown} already holds exactly this: nothing changed. Serve it, fix something else, or finish.",
    )


def _wrote(verb: str, target: Target, file: TextFile) -> str:
    return f"{verb} {target.shown} ({plural(file.lines, 'line')})."
