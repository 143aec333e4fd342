"""The model's text as Markdown that grows: finished blocks are drawn once, only the last one again.

What parses and draws is imported with the first text: it takes longer to import than the app's first picture may.
"""

from itertools import pairwise

from textual.strip import Strip

from roomcode.tui.brush import Brush
from roomcode.tui.foreign import safe

__all__ = ["GrowingMarkdown"]


class GrowingMarkdown:
    """Text that grows at its end."""

    def __init__(self) -> None:
        self._finished: list[str] = []
        self._tail: list[str] = []
        self._drawn: dict[tuple[int, int], list[Strip]] = {}
        """Strips of finished blocks by (block, width)."""
        self._brush: Brush | None = None

    @property
    def text(self) -> str:
        """All of it, made safe."""
        return "".join(self._finished) + "".join(self._tail)

    @property
    def empty(self) -> bool:
        return not self._finished and not self._tail

    def append(self, piece: str) -> None:
        """Add text as it came from the model."""
        piece = safe(piece)
        self._tail.append(piece)
        if "\n" in piece:
            self._finish_blocks()

    def strips(self, width: int, brush: Brush) -> list[Strip]:
        """All lines; blocks are a blank line apart."""
        from roomcode.tui.markdown_drawing import markdown_strips

        if brush is not self._brush:
            self._drawn.clear()
            self._brush = brush
        lines: list[Strip] = []
        for number, block in enumerate(self._finished):
            key = (number, width)
            if key not in self._drawn:
                self._drawn[key] = markdown_strips(block, width, brush)
            _add(lines, self._drawn[key], width, brush)
        _add(lines, markdown_strips("".join(self._tail), width, brush), width, brush)
        return lines

    def _finish_blocks(self) -> None:
        """Everything before the last block of the tail will not change any more."""
        from roomcode.tui.markdown_drawing import block_starts

        tail = "".join(self._tail)
        starts = block_starts(tail)
        lines = tail.split("\n")
        for start, end in pairwise([0, *starts[1:]]):
            self._finished.append("\n".join(lines[start:end]) + "\n")
        if len(starts) > 1:
            self._tail = ["\n".join(lines[starts[-1] :])]


def _add(lines: list[Strip], more: list[Strip], width: int, brush: Brush) -> None:
    if more and lines:
        lines.append(brush.blank(width))
    lines.extend(more)
