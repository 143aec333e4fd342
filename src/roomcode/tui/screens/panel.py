"""What the panels have in common: a title, a body, a line of keys, Esc to close."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from roomcode.tui.brush import Brush
from roomcode.tui.card_drawing import key_lines
from roomcode.tui.sturdy import Sturdy, SturdyWidget

__all__ = ["Choices", "ConfirmPanel", "KeysLine", "ListPanel", "Pager", "Paint", "Panel", "TextPanel"]

T = TypeVar("T")

Paint = Callable[[int, Brush], list[Strip]]
"""Draws everything, for a width."""


class Pager(SturdyWidget, ScrollView, can_focus=True):
    """A long text to scroll in. It is drawn once for each width."""

    DEFAULT_CSS = """
    Pager {
        height: 1fr;
        background: $background;
        padding: 0 1;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("down,j", "scroll_down", "Down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown,space", "page_down", "Page down", show=False),
        Binding("home,g", "scroll_home", "Start", show=False),
        Binding("end,G", "scroll_end", "End", show=False),
    ]

    def __init__(self, paint: Paint, brush: Brush, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._paint = paint
        self._brush = brush
        self._strips: list[Strip] = []
        self._drawn_for = 0

    def show(self, paint: Paint) -> None:
        """Something else to look at, from its start."""
        self._paint = paint
        self._drawn_for = 0
        self._draw()
        self.scroll_to(y=0, animate=False)

    def _draw(self) -> None:
        region = self.scrollable_content_region
        width = region.width
        if width and width != self._drawn_for:
            self._strips = self._paint(width, self._brush)
            if len(self._strips) > region.height and not self.show_vertical_scrollbar:
                # The bar that will appear takes its room from the text.
                width -= self.scrollbar_size_vertical
                self._strips = self._paint(width, self._brush)
            self._drawn_for = width
            self.virtual_size = Size(width, len(self._strips))
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def render_line(self, y: int) -> Strip:
        line = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if line >= len(self._strips):
            return self._brush.blank(width)
        return self._strips[line].adjust_cell_length(width, self._brush.palette.ground)


class Choices(SturdyWidget, OptionList):
    """A list to choose from. In the terminal's own colours, of which there may be none, the chosen line is reversed."""

    DEFAULT_CSS = """
    Choices:ansi > .option-list--option-highlighted, Choices:ansi:focus > .option-list--option-highlighted {
        background: ansi_default; color: ansi_default; text-style: none;
    }
    """

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        option = next((segment.style.meta.get("option") for segment in strip if segment.style is not None), None)
        if self.app.native_ansi_color and option is not None and option == self.highlighted:
            return strip.apply_style(Style(reverse=True))
        return strip


class Panel(Sturdy, ModalScreen[T], Generic[T]):
    """A panel over everything. `dismiss(None)` on Esc."""

    DEFAULT_CSS = """
    Panel {
        background: $background;
        & > Vertical { width: 100%; height: 100%; background: $background; }
        & .title { height: 1; padding: 0 1; background: $panel; color: $foreground; text-style: bold; text-wrap: nowrap;
            text-overflow: ellipsis; }
        & OptionList, & OptionList:focus {
            border: none; padding: 0; scrollbar-size-vertical: 1; background-tint: transparent;
        }
        & OptionList > .option-list--option { padding: 0 1; }
        & OptionList > .option-list--option-highlighted,
        & OptionList:focus > .option-list--option-highlighted {
            background: $primary 25%; color: $foreground; text-style: none;
        }
        & TextArea, & TextArea:focus { border: none; padding: 0; }
        & .keys { height: auto; max-height: 2; padding: 0 1; background: $background; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", priority=True)]
    AUTO_FOCUS = ".body"
    TITLE = ""
    KEYS: ClassVar[Sequence[tuple[str, str]]] = (("Esc", "close"),)

    def __init__(self, brush: Brush) -> None:
        super().__init__()
        self.brush = brush

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(_title(self.heading()), classes="title", markup=False)
            yield from self.body()
            yield KeysLine(self.keys(), self.brush)

    def heading(self) -> str:
        """The title; made safe."""
        return self.TITLE or ""

    def body(self) -> ComposeResult:
        """The widgets between title and keys; the one of class `body` gets the focus."""
        raise TypeError("a panel needs a body")

    def keys(self) -> Sequence[tuple[str, str]]:
        """The line at the foot."""
        return self.KEYS

    def set_heading(self, text: str) -> None:
        self.query_one(".title", Static).update(_title(text))

    def action_close(self) -> None:
        self.dismiss(None)


def _title(text: str) -> Text:
    return Text(text, end="", no_wrap=True, overflow="ellipsis")


class KeysLine(Static):
    """Keys and what they do, in as many lines as they need."""

    def __init__(self, keys: Sequence[tuple[str, str]], brush: Brush) -> None:
        super().__init__(markup=False, classes="keys")
        self._keys_shown = keys
        self._brush = brush

    def on_resize(self, event: events.Resize) -> None:
        lines = key_lines(self._keys_shown, max(1, event.size.width), self._brush)
        self.update(Text("\n", end="").join(lines))


class ListPanel(Panel[T], Generic[T]):
    """A list to choose from. Its lines are drawn anew for each width; the choice stays."""

    DEFAULT_CSS = """
    ListPanel { & OptionList { height: 1fr; background: $background; } }
    """
    EMPTY = ""
    """What is said when there is nothing to choose from."""

    def lines(self, width: int) -> Sequence[Text]:
        """One line for each choice, at most `width` cells wide."""
        raise TypeError("a list needs lines")

    def body(self) -> ComposeResult:
        # Without lines the list is empty too, and says why.
        yield Choices(classes="body")
        yield from self.below()

    def below(self) -> ComposeResult:
        """Widgets below the list."""
        yield from ()

    def on_mount(self) -> None:
        self.show_lines()

    def on_resize(self) -> None:
        self.show_lines()

    def show_lines(self) -> None:
        """Draw the lines; they may be others than before."""
        options = self.query_one(OptionList)
        at = options.highlighted or 0
        lines = self.lines(max(10, self.size.width - 3))
        options.set_options(Option(line) for line in lines)
        if lines:
            options.highlighted = min(at, len(lines) - 1)
        elif self.EMPTY:
            options.add_option(Option(Text(self.EMPTY), disabled=True))

    @property
    def at(self) -> int | None:
        """Place of the highlighted line; None in an empty list."""
        return self.query_one(OptionList).highlighted


class TextPanel(Panel[None]):
    """A long text to read."""

    KEYS = (("↑↓ PgUp PgDn", "scroll"), ("Esc", "close"))
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "close", "Close", show=False)]

    def __init__(self, title: str, paint: Paint, brush: Brush) -> None:
        super().__init__(brush)
        self._heading = title
        self._paint = paint

    def heading(self) -> str:
        return self._heading

    def body(self) -> ComposeResult:
        pager: Widget = Pager(self._paint, self.brush)
        pager.add_class("body")
        yield pager


class ConfirmPanel(Sturdy, ModalScreen[bool]):
    """A question at the foot of the screen; dismissed with True for `y`."""

    DEFAULT_CSS = """
    ConfirmPanel {
        background: transparent;
        align: left bottom;
        & > Static { height: auto; background: $panel; padding: 0 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n,escape,q", "answer(False)", "No"),
    ]

    def __init__(self, question: str, yes: str, brush: Brush) -> None:
        """`question` is safe; `yes` says what `y` does."""
        super().__init__()
        self._question = question
        self._keys_shown = (("y", yes), ("Esc", "leave it"))
        self._brush = brush

    def compose(self) -> ComposeResult:
        yield Static(Text(self._question, self._brush.palette.strong), markup=False)
        yield KeysLine(self._keys_shown, self._brush)

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)
