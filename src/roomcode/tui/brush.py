"""Drawing: from styled text to the strips of cells that Textual puts on the screen."""

import io
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rich.console import Console, RenderableType
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from roomcode.tui.foreign import is_safe, safe_line
from roomcode.tui.palette import Palette

__all__ = ["Brush", "Part"]

Part = tuple[str, Style]
"""A piece of text and its style."""


class Brush:
    """Draws lines in the colours of one palette."""

    def __init__(self, palette: Palette) -> None:
        self.palette = palette
        self._console = Console(
            file=io.StringIO(),
            theme=palette.markdown(),
            color_system="truecolor",
            force_terminal=True,
            legacy_windows=False,
            no_color=False,
            width=80,
        )

    def text(self, *parts: Part | str) -> Text:
        """One line of styled pieces."""
        line = Text(no_wrap=True, end="")
        for part in parts:
            content, style = (part, self.palette.text) if isinstance(part, str) else part
            line.append(content, style)
        return line

    def wrapped(self, text: Text, width: int) -> list[Text]:
        """`text` broken into lines of at most `width` cells; words too long for a line are broken too."""
        text.no_wrap = False
        return list(text.wrap(self._console, max(1, width), overflow="fold"))

    def strip(self, text: Text, width: int, ground: Style | None = None) -> Strip:
        """One line of exactly `width` cells."""
        return self.segments(text.render(self._console), width, ground)

    def segments(self, segments: Iterable[Segment], width: int, ground: Style | None = None) -> Strip:
        """Segments of one line as a strip of exactly `width` cells on `ground`."""
        ground = ground if ground is not None else self.palette.ground
        clean = [_clean(s) for s in segments if s.text and s.text != "\n"]
        return Strip(clean).adjust_cell_length(width).apply_style(ground)

    def blank(self, width: int, ground: Style | None = None) -> Strip:
        return Strip.blank(width, ground if ground is not None else self.palette.ground)

    def rendered(self, renderable: RenderableType, width: int) -> list[list[Segment]]:
        """A Rich renderable as lines of segments, none wider than `width`."""
        options = self._console.options.update(width=max(1, width), height=None)
        return self._console.render_lines(renderable, options, pad=False)

    def ends(self, left: Text, right: Text, width: int) -> Text:
        """`left` and `right` at the two ends of a line of `width` cells; `left` gives way, then `right` goes."""
        if right.cell_len + 8 > width:
            right = Text(end="")
        room = width - right.cell_len - (1 if right.cell_len else 0)
        left = left.copy()
        left.truncate(room, overflow="ellipsis")
        gap = width - left.cell_len - right.cell_len
        line = Text(no_wrap=True, end="")
        line.append_text(left)
        line.append(" " * max(0, gap))
        line.append_text(right)
        return line

    def framed(self, lines: Sequence[Text], width: int, bar: Part, ground: Style | None = None) -> list[Strip]:
        """Lines behind a coloured bar at the left edge."""
        mark, style = bar
        strips = []
        for line in lines:
            whole = Text(no_wrap=True, end="")
            whole.append(mark, style)
            whole.append_text(line)
            strips.append(self.strip(whole, width, ground))
        return strips


def _clean(segment: Segment) -> Segment:
    """The last gate before the terminal: nothing that it would obey gets through, whatever went wrong before."""
    text = segment.text
    if _known_safe(text):
        return Segment(text, segment.style)
    return Segment(safe_line(text), segment.style)


@lru_cache(4096)
def _known_safe(text: str) -> bool:
    return is_safe(text)
