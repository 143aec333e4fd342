"""Drawings of the timeline's items that are kept as long as they are right."""

from collections import OrderedDict
from collections.abc import Callable

from rich.cells import cell_len
from textual.strip import Strip

from roomcode.tui.brush import Brush
from roomcode.tui.items import Item

__all__ = ["Draw", "Drawings", "marked", "plain"]

_KEPT = 200

Draw = Callable[..., list[Strip]]
"""(item, width, brush, chosen=…): all lines of an item."""


class Drawings:
    """Draws items at one width, and keeps the last drawings."""

    def __init__(self, brush: Brush, draw: Draw, failed: Callable[[str, Exception], None]) -> None:
        """`failed` is told what could not be drawn; in its place stands a line that says so."""
        self.brush = brush
        self.width = 0
        self.draw = draw
        self._failed = failed
        self._kept: OrderedDict[tuple[int, bool], list[Strip]] = OrderedDict()
        """By the item's identity and whether it is chosen."""

    def of(self, item: Item, chosen: bool) -> list[Strip]:
        """An item as it was when its drawings were dropped last."""
        key = (id(item), chosen)
        strips = self._kept.get(key)
        if strips is None:
            strips = self._kept[key] = self.fresh(item, chosen)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return strips

    def fresh(self, item: Item, chosen: bool = False) -> list[Strip]:
        """An item as it is now; the drawing is not kept."""
        try:
            return self.draw(item, self.width, self.brush, chosen=chosen)
        except Exception as error:
            kind = type(item).__name__
            self._failed(f"drawing a {kind}", error)
            text = self.brush.text((f"  ! this {kind.lower()} cannot be shown", self.brush.palette.bad))
            return [self.brush.strip(text, self.width), self.brush.blank(self.width)]

    def drop(self, item: Item) -> None:
        """The item looks different now."""
        for chosen in (False, True):
            self._kept.pop((id(item), chosen), None)

    def clear(self) -> None:
        """All items look different now."""
        self._kept.clear()


def plain(strip: Strip) -> str:
    """The text of a line, without the edge of a card."""
    return strip.text.rstrip().removeprefix("▎ ")


def marked(strip: Strip, span: tuple[int, int], brush: Brush) -> Strip:
    """A strip with a span of characters shown as selected; an end of -1 is the end of the line."""
    text = strip.text
    start, end = span
    first = cell_len(text[:start])
    last = strip.cell_length if end == -1 else cell_len(text[:end])
    style = brush.palette.selection
    middle = Strip([type(s)(s.text, (s.style or style) + style, None) for s in strip.crop(first, last)])
    return Strip.join([strip.crop(0, first), middle, strip.crop(last)])
