"""The picture of a page, as large as the window allows."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from roomcode.tui.brush import Brush
from roomcode.tui.foreign import safe_line
from roomcode.tui.graphics import fitted, half_blocks, iterm, kitty, kitty_gone, opened, sixel, spots
from roomcode.tui.pictures import page_pictured, picture_missing
from roomcode.tui.screens.panel import Panel
from roomcode.tui.sturdy import SturdyWidget
from roomcode.tui.terminal import Terminal

if TYPE_CHECKING:
    from roomcode.tui.app import RoomcodeApp

__all__ = ["Drawn", "PicturePanel", "prepared", "show_picture"]

_CELL = (10, 20)
"""Pixels of a cell where the terminal does not say: what those assume that only pretend to have pixels."""
_MOST_SIXELS = 1_000
"""Pixels of width and height above which xterm shows nothing at all."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture made ready for a window."""

    columns: int
    rows: int
    strips: tuple[Strip, ...] = ()
    """Lines of characters; empty for a protocol."""
    sequence: str = ""
    """What shows the picture when it is sent with the cursor at its place."""


def prepared(data: bytes, room: tuple[int, int], terminal: Terminal, cell: tuple[int, int] | None) -> Drawn:
    """A PNG for a room of cells. Takes a tenth of a second, so it is work for a thread.

    Raises OSError or ValueError when it is no picture.
    """
    image = opened(data)
    graphics = terminal.graphics
    pixels = cell or _CELL
    if graphics == "sixel":
        room = min(room[0], _MOST_SIXELS // pixels[0]), min(room[1], _MOST_SIXELS // pixels[1])
    columns, rows = fitted(image.size, room, pixels)
    match graphics:
        case "kitty":
            return Drawn(columns, rows, sequence=kitty(data, columns, rows))
        case "iterm":
            return Drawn(columns, rows, sequence=iterm(data, columns, rows))
        case "sixel":
            return Drawn(columns, rows, sequence=sixel(image, (columns * pixels[0], rows * pixels[1])))
        case "dots":
            return Drawn(columns, rows, tuple(spots(image, columns, rows)))
        case _:
            return Drawn(columns, rows, tuple(half_blocks(image, columns, rows)))


def cell_size(descriptor: int = 0) -> tuple[int, int] | None:
    """Pixels of a cell, where the terminal told the system."""
    try:
        import fcntl
        import struct
        import termios

        size = fcntl.ioctl(descriptor, termios.TIOCGWINSZ, b"\0" * 8)
    except (ImportError, OSError):
        return None
    rows, columns, width, height = struct.unpack("HHHH", size)
    if not (rows and columns and width >= columns and height >= rows):
        return None
    return width // columns, height // rows


class _Picture(SturdyWidget, Widget, can_focus=True):
    """Fits a picture into itself, anew for each size."""

    DEFAULT_CSS = """
    _Picture { height: 1fr; width: 1fr; background: $background; }
    """

    def __init__(self, data: bytes, brush: Brush, terminal: Terminal, write: Callable[[str], None]) -> None:
        super().__init__(classes="body")
        self._data = data
        self._brush = brush
        self._terminal = terminal
        self._write = write
        self._drawn: Drawn | None = None
        self._said = "reading the picture …"
        self._to_put = False
        self._stands = False

    @property
    def ready(self) -> bool:
        """The picture (or why there is none) can be seen, or will be with the next drawing."""
        return self._drawn is not None or not self._said.endswith("…")

    def on_resize(self, event: events.Resize) -> None:
        self._drawn = None
        self._gone()
        if event.size.width > 0 and event.size.height > 0:
            self.run_worker(self._prepare(event.size.width, event.size.height), exclusive=True, exit_on_error=False)

    async def _prepare(self, width: int, height: int) -> None:
        try:
            self._drawn = await asyncio.to_thread(prepared, self._data, (width, height), self._terminal, cell_size())
        except (OSError, ValueError) as error:
            self._said = f"This picture cannot be shown: {safe_line(str(error))}"
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        # What is drawn with a protocol is wiped out by characters, so it follows each drawing of those.
        if self._drawn is not None and self._drawn.sequence and not self._to_put:
            self._to_put = True
            self.call_after_refresh(self._put)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width, drawn = self.size.width, self._drawn
        if drawn is None:
            if y != self.size.height // 2:
                return self._brush.blank(width)
            said = self._brush.text((self._said, self._brush.palette.muted))
            said.align("center", width)
            return self._brush.strip(said, width)
        row = y - (self.size.height - drawn.rows) // 2
        if not 0 <= row < len(drawn.strips):
            return self._brush.blank(width)
        left = (width - drawn.columns) // 2
        right = width - left - drawn.columns
        return Strip.join([self._brush.blank(left), drawn.strips[row], self._brush.blank(right)])

    def _put(self) -> None:
        """Show a picture of a protocol in its place."""
        self._to_put = False
        drawn = self._drawn
        if drawn is None or not self.is_attached or self.screen is not self.app.screen:
            return
        region = self.content_region
        row = region.y + (region.height - drawn.rows) // 2 + 1
        column = region.x + (region.width - drawn.columns) // 2 + 1
        self._gone()
        self._write(f"\x1b7\x1b[{row};{column}H{drawn.sequence}\x1b8")
        self._stands = True

    def _gone(self) -> None:
        """Take away what does not go by itself."""
        if self._stands and self._terminal.graphics == "kitty":
            self._write(kitty_gone())
        self._stands = False

    def on_unmount(self) -> None:
        self._gone()


class PicturePanel(Panel[None]):
    """One picture."""

    KEYS = (("o", "open the page"), ("Esc", "close"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,p,enter", "close", "Close", show=False),
        Binding("o", "app.open_page", "Open the page in the browser"),
    ]

    def __init__(self, title: str, data: bytes, brush: Brush, terminal: Terminal, write: Callable[[str], None]) -> None:
        super().__init__(brush)
        self._heading = title
        self.picture = _Picture(data, brush, terminal, write)

    def heading(self) -> str:
        return self._heading

    def body(self) -> ComposeResult:
        yield self.picture


def show_picture(app: "RoomcodeApp") -> None:
    """Show the picture of the chosen card's page, or of the last one; or say why there is none."""
    app.run_worker(_show(app), exit_on_error=False)


async def _show(app: "RoomcodeApp") -> None:
    page = page_pictured(app.story, app.timeline.chosen)
    missing = await asyncio.to_thread(picture_missing, page)
    if missing or page is None:
        app.notify(missing, markup=False, severity="warning")
        return
    try:
        data = await asyncio.to_thread(Path(page.screenshot).read_bytes)
    except OSError as error:
        app.notify(f"The picture of {page.url} cannot be read: {error.strerror}.", markup=False, severity="warning")
        return
    title = f"picture of :{page.port}" + (f"  “{page.title}”" if page.title else "")
    app.push_screen(PicturePanel(safe_line(title), data, app.brush, app.terminal, app.write_to_terminal))
