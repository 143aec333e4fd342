"""The list of completions above the input."""

from rich.cells import cell_len
from rich.text import Text
from textual.widgets import Static

from roomcode.tui.brush import Brush
from roomcode.tui.completion import Completion
from roomcode.tui.foreign import safe_line, shortened
from roomcode.tui.sturdy import SturdyWidget

__all__ = ["CompletionList"]

_SHOWN = 6


class CompletionList(SturdyWidget, Static):
    """Shows what can be completed; the input holds the keys."""

    DEFAULT_CSS = """
    CompletionList { height: auto; max-height: 6; padding: 0 2; background: $surface; display: none; }
    """

    def __init__(self, brush: Brush) -> None:
        super().__init__("", markup=False)
        self._brush = brush

    def paint_with(self, brush: Brush) -> None:
        self._brush = brush

    def show(self, completion: Completion | None, picked: int) -> None:
        self.display = completion is not None
        if completion is None:
            return
        # The input and the status line have to be seen, too.
        most = max(2, min(_SHOWN, self.app.size.height - 5))
        first = max(0, min(picked - most // 2, len(completion.choices) - most))
        palette = self._brush.palette
        width = max(10, self.app.size.width - 6)
        lines = []
        shown = completion.choices[first : first + most]
        column = max(cell_len(safe_line(text)) for text, _ in shown) if shown else 0
        for place, (text, note) in enumerate(shown, first):
            style = palette.strong + palette.accent if place == picked else palette.text
            mark = "› " if place == picked else "  "
            line = self._brush.text((mark, palette.accent), (shortened(safe_line(text), width), style))
            if note:
                line.append(" " * max(2, column + 4 - line.cell_len) + note, palette.muted)
            line.truncate(width, overflow="ellipsis")
            lines.append(line)
        self.update(Text("\n", end="").join(lines))
