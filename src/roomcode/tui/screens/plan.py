"""What an undo, a redo or a restore would do, before it is done."""

from collections.abc import Collection, Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import OptionList

from roomcode.protocol.display import FileChange
from roomcode.tui.backend import Plan, PlannedFile
from roomcode.tui.brush import Brush
from roomcode.tui.code_drawing import change_lines
from roomcode.tui.diff import counts
from roomcode.tui.foreign import safe_line
from roomcode.tui.screens.files import ChangePanel

__all__ = ["PlanPanel", "fate"]


def fate(file: PlannedFile) -> str:
    """What would become of a file, in a few words."""
    before, after = file.change.before, file.change.after
    if before is None or after is None:
        return "comes back" if before is None else "is deleted"
    added, removed = counts(change_lines(before, after))
    return f"+{added} -{removed}"


class PlanPanel(ChangePanel[Collection[str]]):
    """Dismissed with the paths that are to be changed in spite of a conflict, or None when nothing is to be done."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "do", "Do it"),
        Binding("space", "choose", "Change it or leave it"),
        Binding("n,q", "close", "Leave everything", show=False),
    ]

    def __init__(self, plan: Plan, title: str, brush: Brush) -> None:
        super().__init__(brush)
        self._files = plan.files
        self._title = title
        self._anyway: set[str] = set()

    def heading(self) -> str:
        return safe_line(self._title)

    def keys(self) -> Sequence[tuple[str, str]]:
        choice = [("Space", "take it along or not")] if self._doubtful else []
        return (("y", "do it"), ("Esc", "do nothing"), *choice, ("PgUp PgDn", "scroll"))

    @property
    def _doubtful(self) -> bool:
        return any(file.conflict and file.possible for file in self._files)

    def lines(self, width: int) -> list[Text]:
        return [self._line(file, width) for file in self._files]

    def _line(self, file: PlannedFile, width: int) -> Text:
        palette = self.brush.palette
        if not file.goes(self._anyway):
            mark, style, note = "–", palette.warn, "left as it is"
        elif file.conflict:
            mark, style, note = "!", palette.bad, "taken along"
        else:
            mark, style, note = "✓", palette.ok, ""
        left = self.brush.text(
            (f"{mark} ", style), (f"{safe_line(file.path)}  ", palette.strong), (fate(file), palette.muted)
        )
        return self.brush.ends(left, self.brush.text((note, style)), width)

    def change(self, place: int) -> FileChange:
        return self._files[place].change

    def head(self, place: int) -> str:
        file = self._files[place]
        if not file.conflict:
            return ""
        if not file.possible:
            return f"It cannot be changed: {file.conflict}."
        if file.path in self._anyway:
            return f"Taken along, although {file.conflict}. What it holds now stays as a version."
        return f"Left as it is, because {file.conflict}. Space takes it along."

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.action_choose()

    def action_choose(self) -> None:
        if self.at is None:
            return
        file = self._files[self.at]
        if file.conflict and file.possible:
            self._anyway ^= {file.path}
            self.show_lines()

    def action_do(self) -> None:
        if any(file.goes(self._anyway) for file in self._files):
            self.dismiss(self._anyway)
        else:
            self.notify("No file would be changed.", markup=False, severity="warning")
