"""Panels about a change that waits: the full difference, editing before it is written, the reason of a rejection."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input, Static, TextArea

from roomcode.tui.brush import Brush
from roomcode.tui.code_drawing import change_lines, diff_texts, numbered
from roomcode.tui.diff import counts
from roomcode.tui.foreign import safe, safe_line
from roomcode.tui.highlight import language_of
from roomcode.tui.screens.panel import Pager, Panel
from roomcode.tui.sturdy import Sturdy, SturdyWidget

__all__ = ["DiffPanel", "EditPanel", "ReasonPanel", "counted", "paint_change"]

_MOST_LINES = 5_000


def paint_change(path: str, before: str | None, after: str | None, width: int, brush: Brush) -> list[Strip]:
    """The whole difference, with broken lines."""
    language = language_of(path)
    if before is None and after is not None:
        lines = numbered(safe(after, literal=True), language, width, brush, most=_MOST_LINES, wrap=True)
    else:
        lines = diff_texts(change_lines(before, after), language, width, brush, most=_MOST_LINES, wrap=True)
    if not lines:
        lines = [brush.text(("no difference", brush.palette.muted))]
    return [brush.strip(line, width) for line in lines]


def counted(before: str | None, after: str | None) -> str:
    """A change in a few characters."""
    added, removed = counts(change_lines(before, after))
    if before is None or after is None:
        return "deleted" if before is not None else "new file" if after is not None else "no file now"
    return f"+{added} -{removed}" if added or removed else "no difference"


class DiffPanel(Panel[str]):
    """One change on the whole screen. Dismissed with the answering key that was pressed, or None."""

    KEYS = (("y", "approve"), ("n", "reject"), ("e", "edit"), ("↑↓ PgUp PgDn", "scroll"), ("Esc", "back"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer('y')", "Approve"),
        Binding("n", "answer('n')", "Reject"),
        Binding("e", "answer('e')", "Edit"),
        Binding("q,v", "close", "Back", show=False),
    ]

    def __init__(self, path: str, before: str | None, after: str | None, brush: Brush) -> None:
        super().__init__(brush)
        self._change = (path, before, after)

    def heading(self) -> str:
        path, before, after = self._change
        return f"{safe_line(path)}  {counted(before, after)}"

    def body(self) -> ComposeResult:
        pager = Pager(lambda width, brush: paint_change(*self._change, width, brush), self.brush)
        pager.add_class("body")
        yield pager

    def action_answer(self, key: str) -> None:
        self.dismiss(key)


class _Editor(SturdyWidget, TextArea):
    pass


class EditPanel(Panel[str]):
    """Edit the new text before it is written; dismissed with the text, or None."""

    KEYS = (("Ctrl+S", "approve this text"), ("Esc", "back without changes"))
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "save", "Approve this text", priority=True)]

    def __init__(self, path: str, text: str, brush: Brush) -> None:
        super().__init__(brush)
        self._path = path
        self._text = text

    def heading(self) -> str:
        return f"edit {safe_line(self._path)} before it is written"

    def body(self) -> ComposeResult:
        yield _Editor(self._text, show_line_numbers=True, soft_wrap=True, tab_behavior="indent", classes="body")

    def action_save(self) -> None:
        self.dismiss(self.query_one(_Editor).text)


class ReasonPanel(Sturdy, ModalScreen[str]):
    """Asks why a change is rejected, at the foot of the screen so that the card stays in view."""

    DEFAULT_CSS = """
    ReasonPanel {
        background: transparent;
        align: left bottom;
        & > Vertical { height: auto; background: $panel; padding: 0 1; }
        & Input, & Input:focus { border: none; height: 1; background: $background; padding: 0 1; }
        & Static { height: auto; }
    }
    """
    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back")]

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Why not? The agent is told. Enter rejects, Esc goes back.", markup=False)
            yield Input(placeholder="a reason, if you like")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())

    def action_back(self) -> None:
        self.dismiss(None)
