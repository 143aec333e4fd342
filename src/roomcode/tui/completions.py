"""The list of completions above the input."""

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
        first = max(0, min(picked - _SHOWN // 2, len(completion.choices) - _SHOWN))
        palette = self._brush.palette
        width = max(10, self.app.size.width - 6)
        lines = []
        for place, (text, note) in enumerate(completion.choices[first : first + _SHOWN], first):
            style = palette.strong + palette.accent if place == picked else palette.text
            mark = "› " if place == picked else "  "
            line = self._brush.text((mark, palette.accent), (shortened(safe_line(text), width), style))
            if note:
                line.append("  " + note, palette.muted)
            line.truncate(width, overflow="ellipsis")
            lines.append(line)
        self.update(Text("\n", end="").join(lines))
