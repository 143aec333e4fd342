"""The model's text as Markdown that grows: finished blocks are drawn once, only the last one again."""

from itertools import pairwise
from typing import Any, ClassVar

from markdown_it import MarkdownIt
from rich import markdown as rich_markdown
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import MarkdownElement
from rich.padding import Padding
from rich.text import Text
from textual.strip import Strip

from roomcode.tui.brush import Brush
from roomcode.tui.foreign import safe
from roomcode.tui.highlight import code_lines
from roomcode.tui.palette import Palette

__all__ = ["GrowingMarkdown", "markdown_strips"]


class _Heading(rich_markdown.Heading):
    LEVEL_ALIGN = dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "left")


class _Code(rich_markdown.CodeBlock):
    """A code block in the colours of the theme."""

    def __init__(self, lexer_name: str, theme: str, palette: Palette) -> None:
        super().__init__(lexer_name, theme)
        self._palette = palette

    @classmethod
    def create(cls, markdown: rich_markdown.Markdown, token: Any) -> "_Code":
        assert isinstance(markdown, _Markdown)
        return cls((token.info or "").partition(" ")[0], "", markdown.palette)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = code_lines(str(self.text).rstrip("\n"), self.lexer_name, self._palette)
        for line in lines:
            line.no_wrap = False
            line.overflow = "fold"
        body = Text("\n", end="", overflow="fold").join(lines)
        yield Padding(body, (0, 1), style=self._palette.card, expand=True)


class _Markdown(rich_markdown.Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **rich_markdown.Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
    }

    def __init__(self, text: str, palette: Palette) -> None:
        super().__init__("", hyperlinks=False)
        self.palette = palette
        self.parsed = _parser().parse(text)


def _parser() -> MarkdownIt:
    # Tags are text here: models write `<div>` without quoting it, and it must not vanish.
    return MarkdownIt("commonmark", {"html": False}).enable("strikethrough").enable("table")


def markdown_strips(text: str, width: int, brush: Brush, indent: int = 2) -> list[Strip]:
    """`text` (made safe before) drawn as Markdown, `width` cells wide, without blank lines at both ends."""
    inner = max(1, width - indent - 1)
    lines = brush.rendered(_Markdown(text, brush.palette), inner)
    drawn = [brush.segments(line, inner) for line in lines]
    while drawn and not drawn[0].text.strip():
        drawn.pop(0)
    while drawn and not drawn[-1].text.strip():
        drawn.pop()
    left, right = brush.blank(indent), brush.blank(width - inner - indent)
    return [Strip.join([left, strip, right]) for strip in drawn]


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
        tail = "".join(self._tail)
        starts = [
            token.map[0] for token in _parser().parse(tail) if token.level == 0 and token.map and token.nesting >= 0
        ]
        lines = tail.split("\n")
        for start, end in pairwise([0, *starts[1:]]):
            self._finished.append("\n".join(lines[start:end]) + "\n")
        if len(starts) > 1:
            self._tail = ["\n".join(lines[starts[-1] :])]


def _add(lines: list[Strip], more: list[Strip], width: int, brush: Brush) -> None:
    if more and lines:
        lines.append(brush.blank(width))
    lines.extend(more)
