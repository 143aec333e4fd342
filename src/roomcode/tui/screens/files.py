"""Panels of files: those that were changed, and the versions of one."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widgets import OptionList

from roomcode.protocol.display import FileChange
from roomcode.tui.backend import KeptFiles, Version
from roomcode.tui.brush import Brush
from roomcode.tui.changes import FileRow, moment
from roomcode.tui.foreign import safe_line
from roomcode.tui.screens.changes import counted, paint_change
from roomcode.tui.screens.panel import ListPanel, Pager

__all__ = ["ChangePanel", "FilesPanel", "VersionsPanel"]

T = TypeVar("T")


class ChangePanel(ListPanel[T], Generic[T]):
    """A list, and below it the change that belongs to the chosen line."""

    DEFAULT_CSS = """
    ChangePanel {
        & OptionList { height: auto; max-height: 40%; background: $surface; }
        & Pager { border-top: solid $foreground 20%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "scroll_change(-1)", "Page up", priority=True),
        Binding("pagedown", "scroll_change(1)", "Page down", priority=True),
    ]

    def below(self) -> ComposeResult:
        yield Pager(self._paint, self.brush)

    def change(self, place: int) -> FileChange:
        """What belongs to a line."""
        raise TypeError("a list of changes needs changes")

    def head(self, place: int) -> str:
        """A line above the change, or empty."""
        return ""

    def _paint(self, width: int, brush: Brush) -> list[Strip]:
        place = self.at
        if place is None:
            return []
        change = self.change(place)
        head = brush.wrapped(brush.text((safe_line(self.head(place)), brush.palette.warn)), width)
        strips = [brush.strip(line, width) for line in head if line.plain]
        return [*strips, *paint_change(change.path, change.before, change.after, width, brush)]

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self.query_one(Pager).show(self._paint)

    def action_scroll_change(self, pages: int) -> None:
        pager = self.query_one(Pager)
        pager.scroll_relative(y=pages * max(1, pager.size.height - 1), animate=False)


class FilesPanel(ChangePanel[None]):
    """Files with versions."""

    TITLE = "changed files"
    EMPTY = "The agent has not changed a file yet."
    KEYS = (
        ("Enter", "versions"),
        ("o", "open"),
        ("u", "undo"),
        ("Esc", "close"),
        ("↑↓", "file"),
        ("PgUp PgDn", "scroll"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "open", "Open"),
        Binding("u", "app.undo", "Undo the last request"),
    ]

    def __init__(
        self, rows: Sequence[FileRow], brush: Brush, *, versions: Callable[[str], None], launch: Callable[[str], None]
    ) -> None:
        """`versions` and `launch` are called with the path of the chosen file."""
        super().__init__(brush)
        self._rows = rows
        self._versions = versions
        self._launch = launch

    def lines(self, width: int) -> list[Text]:
        return [self._line(row, width) for row in self._rows]

    def _line(self, row: FileRow, width: int) -> Text:
        palette, change = self.brush.palette, row.change
        left = self.brush.text(
            (f"{safe_line(change.path)}  ", palette.strong if row.in_session else palette.text),
            (counted(change.before, change.after), palette.muted),
        )
        count = f"{row.versions} version{'s' if row.versions != 1 else ''}" if row.versions else "no versions kept"
        right = self.brush.text(
            ("" if row.in_session else "before this session  ", palette.muted), (count, palette.muted)
        )
        return self.brush.ends(left, right, width)

    def change(self, place: int) -> FileChange:
        return self._rows[place].change

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._versions(self._rows[event.option_index].change.path)

    def action_open(self) -> None:
        if self.at is not None:
            self._launch(self._rows[self.at].change.path)


class VersionsPanel(ChangePanel[None]):
    """The versions of one file, each with what it changed."""

    KEYS = (("Enter", "restore it"), ("Esc", "back"), ("↑↓", "version"), ("PgUp PgDn", "scroll"))

    def __init__(
        self,
        path: str,
        rows: Sequence[Version],
        kept: KeptFiles,
        brush: Brush,
        *,
        restore: Callable[[str, int], None],
    ) -> None:
        """`restore` is called with the path and the number of the chosen version."""
        super().__init__(brush)
        self._path = path
        self._rows = rows
        self._kept = kept
        self._restore = restore
        self._changes: dict[int, FileChange] = {}

    def heading(self) -> str:
        count = f"{len(self._rows)} version{'s' if len(self._rows) != 1 else ''}"
        return f"{safe_line(self._path)}: {count}, newest first"

    def lines(self, width: int) -> list[Text]:
        return [self._line(row, width) for row in self._rows]

    def _line(self, row: Version, width: int) -> Text:
        palette = self.brush.palette
        left = self.brush.text(
            (f"{row.number:>3}  ", palette.accent),
            (f"{moment(row.time):<10}  ", palette.muted),
            (safe_line(row.deed), palette.text),
            ("" if row.deed.endswith("by hand") else f", {safe_line(row.author)}", palette.muted),
        )
        notes = [f"request {row.operation}"] if row.operation is not None else []
        notes += [] if row.kept else ["not kept"]
        return self.brush.ends(left, self.brush.text((" · ".join(notes), palette.muted)), width)

    def change(self, place: int) -> FileChange:
        if place not in self._changes:
            self._changes[place] = self._kept.version_change(self._rows[place])
        return self._changes[place]

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._restore(self._path, self._rows[event.option_index].number)
