"""What write_file and edit_file share: asking the person, writing, and telling the outcome."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from roomcode.limits import kept_files, no_new_files
from roomcode.protocol.approval import ApprovalRequest
from roomcode.protocol.display import FileChange
from roomcode.protocol.tools import ToolContext, ToolResult
from roomcode.tools.running import failed, finished
from roomcode.tools.text import cut_middle, numbered_page, with_notes
from roomcode.workspace import Loaded, StaleError, Target, TextFile, Workspace, WorkspaceError

__all__ = ["Draft", "apply", "stale_result"]

FRESH_CHARACTERS = 5200
"""Of the present content that goes with a refusal."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A change that is ready to be written: `after` is exactly what will be, `before` what is there now."""

    target: Target
    before: Loaded | None
    after: TextFile
    told: Callable[[TextFile], str]
    """What the model is told of the file as it was written."""
    loose: bool = False
    notes: tuple[str, ...] = field(default=())


async def apply(workspace: Workspace, draft: Draft, context: ToolContext, tool: str) -> ToolResult:
    """Ask, write, and say what was written."""
    name = draft.target.shown
    before = draft.before.file.text if draft.before is not None else None
    if refusal := await asyncio.to_thread(_forbidden, workspace, context.prompt, draft):
        return ToolResult("failed", refusal)
    try:
        draft.after.to_bytes()
    except WorkspaceError as error:
        return failed(error)
    change = FileChange(name, before, draft.after.text, draft.loose)
    decision = await context.approve(ApprovalRequest(context.call, tool, change))
    if not decision.approved:
        reason = f" Reason: {decision.comment}" if decision.comment else ""
        return ToolResult(
            "rejected", f"The person rejected this change to {name}; nothing was written.{reason}", change
        )
    file = draft.after
    edited = decision.content is not None and decision.content != file.text
    if decision.content is not None and edited:
        file = (draft.before.file if draft.before is not None else draft.after).with_text(decision.content)
    try:
        saved = await finished(
            lambda: workspace.save(draft.target, file, before=draft.before, reader=context.reader, tool=tool)
        )
    except StaleError as error:
        return stale_result(error, "The file changed while the person was asked.")
    except WorkspaceError as error:
        return failed(error)
    notes = [*draft.notes, *draft.target.notes, *saved.notes]
    if edited:
        text = f"The person changed your text of {name} before it was written. It now holds:\n"
        text += numbered_page(file.text, FRESH_CHARACTERS)
    else:
        text = draft.told(file)
    shown_change = FileChange(name, before, file.text, draft.loose)
    return ToolResult("ok", cut_middle(with_notes(text, notes)), shown_change, changed=(name,))


def _forbidden(workspace: Workspace, prompt: str, draft: Draft) -> str:
    """What the request itself says against this change; "" for nothing."""
    name = draft.target.rel
    named = name.rsplit("/", 1)[-1] in prompt
    if named and draft.before is not None and name in kept_files(prompt, workspace.names()):
        return f"The request says that {name} is not to be changed, so nothing was written. Change another file."
    if draft.before is None and "new" in prompt and no_new_files(prompt, workspace.names()):
        return f"The request wants no new files, so {name} was not made. Use edit_file on a file that is there."
    return ""


def stale_result(error: StaleError, why: str = "") -> ToolResult:
    """The refusal of a write over a change that the model has not seen, with what the file holds now."""
    name = error.loaded.target.shown
    text = f"{why or error} Nothing was written. {name} now holds:\n"
    text += numbered_page(error.loaded.file.text, FRESH_CHARACTERS)
    text += "\nMake your change to this text."
    return ToolResult("failed", cut_middle(text))
