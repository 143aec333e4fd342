"""Events and changes as lines of plain text."""

from collections.abc import Callable

from roomcode.protocol.display import FileChange, PageReport
from roomcode.protocol.events import (
    Approval,
    Call,
    CallOpened,
    Event,
    Note,
    RequestEnded,
    Result,
    StepEnded,
    Text,
)
from roomcode.tui.backend import ModelRow
from roomcode.tui.diff import counts, diff_lines, split_lines
from roomcode.tui.foreign import safe, safe_line
from roomcode.tui.story import Story

__all__ = ["PlainPrinter", "change_text", "counts_text", "model_text"]

_RESULT_LINES = 8
_CHANGE_LINES = 40


class PlainPrinter:
    """Prints what happens; the model's text as whole lines, once each."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._line = ""
        self.story = Story()

    def __call__(self, event: Event) -> None:
        self.story.apply(event)
        self.story.take_changed()
        if isinstance(event, Text):
            if not event.thought:
                self._text(event.text)
            return
        self.end_line()
        match event:
            case CallOpened(tool=tool) if tool:
                self._say(f"[{safe_line(tool)} is being written]")
            case Call(call=call):
                card = self.story.card(call)
                self._say(f"[{safe_line(event.tool)} {safe_line(card.main if card else '')[:200]}]")
                for repair in event.repairs:
                    self._say(f"  repaired: {safe_line(repair)}")
            case Approval(state="asked"):
                self._say(f"[{safe_line(event.tool)} waits for you]")
            case Approval(state="rejected", comment=comment):
                self._say(f"  rejected{': ' + safe_line(comment) if comment else ''}")
            case Result():
                self._say(_result(event))
            case Note(text=text):
                self._say(f"note: {safe(text)}")
            case StepEnded(usage=usage):
                self._say(
                    f"  context {event.context_used} of {event.context_budget} tokens, "
                    f"{usage.new} new, {usage.reused} reused, {usage.tok_per_s:.0f} tok/s"
                )
            case RequestEnded(summary=summary):
                self._say(safe_line(summary))
            case _:
                pass

    def end_line(self) -> None:
        """Print a line of the model that has no end yet."""
        if self._line.strip():
            self._say(safe(self._line))
        self._line = ""

    def _text(self, text: str) -> None:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._say(safe(line))


def _result(event: Result) -> str:
    display = event.display
    if isinstance(display, FileChange) and event.state == "ok":
        lines = diff_lines(display.before, display.after)
        added, removed = counts(lines)
        return f"  {event.state}: {safe_line(display.path)} +{added} -{removed}"
    if isinstance(display, PageReport):
        head = f"  {safe_line(display.url)} {display.state}"
        return "\n".join([head, *(f"  {safe_line(line)}" for line in display.lines)])
    lines_ = split_lines(safe(event.text))
    shown = [f"  {line}" for line in lines_[:_RESULT_LINES]]
    if len(lines_) > _RESULT_LINES:
        shown.append(f"  ... {len(lines_) - _RESULT_LINES} more lines")
    return "\n".join([f"  {event.state}:", *shown])


def change_text(change: FileChange, *, full: bool) -> str:
    """A change as a difference; `full`: all of it."""
    before = None if change.before is None else safe(change.before, literal=True)
    after = None if change.after is None else safe(change.after, literal=True)
    kind = "new file" if before is None else "delete" if after is None else "change"
    signs = {"same": " ", "added": "+", "removed": "-", "gap": "."}
    lines = [f"{signs[line.kind]} {line.text}" for line in diff_lines(before, after)]
    left_out = 0 if full else max(0, len(lines) - _CHANGE_LINES)
    shown = lines[: len(lines) - left_out]
    if left_out:
        shown.append(f"... {left_out} more lines")
    return "\n".join([f"{kind}: {safe_line(change.path)}", *shown])


def counts_text(change: FileChange) -> str:
    """A changed file with its counts."""
    if change.before is None and change.after is None:
        return f"{safe_line(change.path)} no file now"
    added, removed = counts(diff_lines(change.before, change.after))
    what = "new file, " if change.before is None else "deleted, " if change.after is None else ""
    return f"{safe_line(change.path)} {what}+{added} -{removed}"


def model_text(row: ModelRow) -> str:
    """One model in a list."""
    state = "on this machine" if row.here else f"to fetch, {row.size / 1e9:.1f} GB"
    fits = "" if row.fits else ", too big for this machine"
    best = ", recommended" if row.recommended else ""
    return f"{safe_line(row.name)}: {safe_line(row.about)} ({state}{fits}{best})"
