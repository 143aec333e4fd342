"""Drawing Markdown."""

from functools import lru_cache
from typing import Any, ClassVar

from markdown_it import MarkdownIt
from rich import markdown as rich_markdown
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import MarkdownElement
from rich.padding import Padding
from rich.text import Text
from textual.strip import Strip

from roomcode.tui.brush import Brush
from roomcode.tui.highlight import code_lines
from roomcode.tui.palette import Palette

__all__ = ["block_starts", "markdown_strips"]


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
        # Rich's own constructor would make a parser each time, which takes longer than all the rest.
        self.palette = palette
        self.markup = text
        self.parsed = _parser().parse(text)
        self.code_theme = self.inline_code_theme = ""
        self.inline_code_lexer = self.justify = None
        self.style = "none"
        self.hyperlinks = False


@lru_cache(1)
def _parser() -> MarkdownIt:
    # Tags are text here: models write `<div>` without quoting it, and it must not vanish.
    return MarkdownIt("commonmark", {"html": False}).enable("strikethrough").enable("table")


def block_starts(text: str) -> list[int]:
    """The lines (from 0) where the blocks of `text` begin, those inside of other blocks left out."""
    return [token.map[0] for token in _parser().parse(text) if token.level == 0 and token.map and token.nesting >= 0]


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
