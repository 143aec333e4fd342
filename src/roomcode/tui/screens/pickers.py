"""Panels that list things: consoles of pages, sessions, requests, models."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widgets import OptionList, ProgressBar, Static
from textual.widgets.option_list import Option

from roomcode.tui.backend import ModelRow, SessionRow
from roomcode.tui.brush import Brush
from roomcode.tui.foreign import safe_line, shortened
from roomcode.tui.screens.panel import Choices, ConfirmPanel, ListPanel, Pager, Paint, Panel

__all__ = ["ConsolePanel", "ModelsPanel", "RequestsPanel", "SessionsPanel", "model_line", "paint_console", "size_text"]

_COLUMNS = 90
"""Cells from which on the models' names have a column of their own."""
_LONGEST_NAME = 24
_ROOMY = 60
"""Cells below which what a model is good for says more than the memory it needs."""


def size_text(size: int) -> str:
    """Bytes for people."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def paint_console(lines: Sequence[str], width: int, brush: Brush) -> list[Strip]:
    """Console lines, oldest first."""
    if not lines:
        return [brush.strip(brush.text(("The page has written nothing.", brush.palette.muted)), width)]
    strips = []
    for line in lines:
        text = safe_line(line)
        style = brush.palette.bad if text.lower().startswith(("error", "uncaught")) else brush.palette.text
        strips += [brush.strip(part, width) for part in brush.wrapped(brush.text((text, style)), width)]
    return strips


def model_line(row: ModelRow, width: int, brush: Brush, names: int = 0) -> Text:
    """One model: name (in a column of `names` cells), what it is, memory, whether it is here and fits."""
    palette = brush.palette
    if row.here:
        state, style = "on disk", palette.ok
    elif not row.fits:
        state, style = "too big here", palette.bad
    else:
        state, style = f"fetch {size_text(row.size)}", palette.accent
    left = brush.text(
        (f"{safe_line(row.name):<{names}}  ", palette.strong),
        ("recommended: " if row.recommended else "", palette.ok),
        (safe_line(row.about), palette.muted),
    )
    memory = f"needs {size_text(row.memory)}  " if row.memory and width >= _ROOMY else ""
    return brush.ends(left, brush.text((memory, palette.muted), (f"{state:>13}", style)), width)


class ConsolePanel(Panel[None]):
    """What the page of each port wrote."""

    KEYS = (("Tab", "next page"), ("↑↓ PgUp PgDn", "scroll"), ("Esc", "close"))
    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "next", "Next page", priority=True)]

    def __init__(self, consoles: Mapping[int, Sequence[str]], brush: Brush) -> None:
        super().__init__(brush)
        self._consoles = consoles
        self._ports = list(consoles)
        self._at = len(self._ports) - 1

    def heading(self) -> str:
        if not self._ports:
            return "console of the pages"
        ports = "  ".join(f"[:{port}]" if place == self._at else f":{port}" for place, port in enumerate(self._ports))
        return f"console of  {ports}"

    def body(self) -> ComposeResult:
        if not self._ports:
            yield Static("No page is served yet. The agent serves one when its files are written.", classes="body")
            return
        pager = Pager(self._paint(), self.brush)
        pager.add_class("body")
        yield pager

    def _paint(self) -> Paint:
        lines = self._consoles[self._ports[self._at]]
        return lambda width, brush: paint_console(lines, width, brush)

    def action_next(self) -> None:
        if self._ports:
            self._at = (self._at + 1) % len(self._ports)
            self.set_heading(self.heading())
            self.query_one(Pager).show(self._paint())


class SessionsPanel(ListPanel[str]):
    """Choose a session; dismissed with its id."""

    KEYS = (("↑↓", "session"), ("Enter", "go on with it"), ("d", "delete it"), ("Esc", "close"))
    TITLE = "sessions of this project"
    EMPTY = "There are no sessions of this project yet."
    BINDINGS: ClassVar[list[BindingType]] = [Binding("d,delete", "delete", "Delete it")]

    def __init__(
        self, rows: Sequence[SessionRow], brush: Brush, *, delete: Callable[[str, Callable[[], None]], None]
    ) -> None:
        """`delete` gets an id, and what to call when that session is no more."""
        super().__init__(brush)
        self._rows = list(rows)
        self._delete = delete

    def lines(self, width: int) -> list[Text]:
        return [self._line(row, width) for row in self._rows]

    def _line(self, row: SessionRow, width: int) -> Text:
        palette = self.brush.palette
        requests = f"{row.requests} request{'s' if row.requests != 1 else ''}"
        left = self.brush.text(
            (f"{safe_line(row.when)}  ", palette.muted),
            (safe_line(row.title) or "(nothing was asked)", palette.strong),
        )
        right = self.brush.text(("open now  " if row.present else "", palette.ok), (requests, palette.muted))
        return self.brush.ends(left, right, width)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        row = self._rows[event.option_index]
        self.dismiss(None if row.present else row.id)

    def action_delete(self) -> None:
        if self.at is None or not self._rows:
            return
        row = self._rows[self.at]
        if row.present:
            self.notify("It is open: start a new task or open another session first.", markup=False, severity="warning")
            return
        title = shortened(safe_line(row.title) or "(nothing was asked)", 60)
        question = f"Delete “{title}” of {safe_line(row.when)} for good?"
        self.app.push_screen(ConfirmPanel(question, "delete it", self.brush), lambda yes: self._deletes(row, yes))

    def _deletes(self, row: SessionRow, yes: bool | None) -> None:
        if yes:
            self._delete(row.id, lambda: self._gone(row))

    def _gone(self, row: SessionRow) -> None:
        if self.is_attached:
            self._rows.remove(row)
            self.show_lines()


class RequestsPanel(ListPanel[int]):
    """Choose one of the session's requests; dismissed with its number."""

    KEYS = (("↑↓", "request"), ("Enter", "ask it anew, in a new session"), ("Esc", "close"))
    TITLE = "fork: go on from before a request"

    def __init__(self, asked: Sequence[tuple[int, str]], brush: Brush) -> None:
        """`asked` is the number and text of each, newest first."""
        super().__init__(brush)
        self._asked = asked

    def lines(self, width: int) -> list[Text]:
        palette = self.brush.palette
        lines = []
        for number, text in self._asked:
            line = self.brush.text((f"{number:>3}  ", palette.muted), (safe_line(text), palette.strong))
            line.truncate(width, overflow="ellipsis")
            lines.append(line)
        return lines

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._asked[event.option_index][0])


class ModelsPanel(Panel[str]):
    """Choose a model; dismissed with its name. One that is not here is fetched first by `fetch`."""

    DEFAULT_CSS = """
    ModelsPanel {
        & .intro { height: auto; max-height: 70%; padding: 1 1; }
        & OptionList { height: 1fr; background: $background; }
        & .progress { height: auto; padding: 0 1; display: none; }
        & ProgressBar { padding: 0 1; display: none; width: 100%; }
        & ProgressBar Bar { width: 1fr; }
    }
    """
    KEYS = (("↑↓", "model"), ("Enter", "use it, fetch it if needed"), ("Esc", "close"))
    TITLE = "models"

    def __init__(
        self,
        rows: Sequence[ModelRow],
        brush: Brush,
        *,
        fetch: Callable[[ModelRow, "ModelsPanel"], None],
        title: str = "models",
        intro: str = "",
    ) -> None:
        super().__init__(brush)
        self._rows = rows
        self._fetch = fetch
        self._title = title
        self._intro = intro
        self.fetching = ""

    def heading(self) -> str:
        return self._title

    def body(self) -> ComposeResult:
        if self._intro:
            yield Static(Text(self._intro), classes="intro", markup=False)
        options = Choices(classes="body")
        yield options
        yield Static("", classes="progress", markup=False)
        yield ProgressBar(total=100, show_eta=False)

    def show(self, rows: Sequence[ModelRow]) -> None:
        """The models are in another state."""
        self._rows = rows
        if self.is_attached:
            self.on_resize()

    def on_resize(self) -> None:
        options = self.query_one(OptionList)
        at = options.highlighted
        width = max(10, self.size.width - 4)
        names = max((len(row.name) for row in self._rows), default=0) if width >= _COLUMNS else 0
        names = min(names, _LONGEST_NAME)
        options.set_options(Option(model_line(row, width, self.brush, names)) for row in self._rows)
        if at is None:
            at = next((place for place, row in enumerate(self._rows) if row.recommended), 0)
        options.highlighted = at if self._rows else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        row = self._rows[event.option_index]
        if self.fetching:
            return
        if not row.fits and not row.here:
            self.tell(f"{row.name} needs {size_text(row.memory)} of memory, which this machine does not have.")
        elif row.here:
            self.dismiss(row.name)
        else:
            self._fetch(row, self)

    def tell(self, text: str, share: float | None = None) -> None:
        """One line below the list, and a bar while something is fetched."""
        if not self.is_attached:
            return
        line = self.query_one(".progress", Static)
        line.display = bool(text)
        line.update(Text(shortened(safe_line(text), 3 * max(20, self.size.width - 4))))
        bar = self.query_one(ProgressBar)
        bar.display = share is not None
        if share is not None:
            bar.update(progress=share * 100)
