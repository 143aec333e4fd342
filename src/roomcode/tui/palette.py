"""The colours and marks of everything that is drawn line by line, made from the app's theme."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rich.style import Style
from rich.theme import Theme as RichTheme
from textual.color import Color

__all__ = ["Palette"]


@dataclass(frozen=True, slots=True)
class Palette:
    """Styles by what they mean. `plain` ones have no background, so that they can lie on any."""

    text: Style
    muted: Style
    faint: Style
    """For rules, line numbers and folded parts."""
    strong: Style
    accent: Style
    ok: Style
    warn: Style
    bad: Style
    ground: Style
    """Background of the timeline."""
    card: Style
    """Background of a card's body."""
    cursor: Style
    """Background of the chosen item."""
    added: Style
    removed: Style
    added_word: Style
    removed_word: Style
    selection: Style
    code: Mapping[str, Style]
    """Styles of code by kind of token: keyword, string, comment, number, name, tag, operator."""

    @classmethod
    def from_theme(cls, variables: Mapping[str, str], *, ansi: bool) -> "Palette":
        """`variables` are the theme's CSS variables; `ansi` themes have the terminal's own 16 colours and no blends."""

        def plain(name: str) -> Style:
            return Style(color=_parse(variables[name]).rich_color)

        if ansi:
            return cls._of_terminal(plain)
        ground = _parse(variables["background"])
        fore = _parse(variables["foreground"])
        surface = _parse(variables["surface"])
        good, bad, primary = (_parse(variables[name]) for name in ("success", "error", "primary"))

        def on(color: Color) -> Style:
            return Style(bgcolor=color.rich_color)

        def code(name: str, otherwise: str) -> Style:
            return plain(f"code-{name}" if f"code-{name}" in variables else otherwise)

        def mixed(amount: float) -> Style:
            return Style(color=ground.blend(fore, amount).rich_color)

        return cls(
            text=Style(color=fore.rich_color),
            muted=mixed(0.66),
            faint=mixed(0.44),
            strong=Style(color=fore.rich_color, bold=True),
            accent=plain("primary"),
            ok=plain("success"),
            warn=plain("warning"),
            bad=plain("error"),
            ground=on(ground),
            card=on(ground.blend(surface, 0.75)),
            cursor=on(ground.blend(primary, 0.16)),
            added=on(ground.blend(good, 0.16)),
            removed=on(ground.blend(bad, 0.16)),
            added_word=Style(bgcolor=ground.blend(good, 0.40).rich_color, bold=True),
            removed_word=Style(bgcolor=ground.blend(bad, 0.40).rich_color, bold=True),
            selection=on(ground.blend(primary, 0.45)),
            code={
                "keyword": code("keyword", "accent"),
                "string": code("string", "success"),
                "comment": Style(color=ground.blend(fore, 0.5).rich_color, italic=True),
                "number": code("number", "warning"),
                "name": code("name", "primary"),
                "tag": code("tag", "secondary"),
                "operator": mixed(0.75),
            },
        )

    @classmethod
    def _of_terminal(cls, plain: Callable[[str], Style]) -> "Palette":
        none = Style()
        return cls(
            text=none,
            muted=Style(dim=True),
            faint=Style(dim=True),
            strong=Style(bold=True),
            accent=plain("primary") + Style(bold=True),
            ok=plain("success"),
            warn=plain("warning"),
            bad=plain("error") + Style(bold=True),
            ground=none,
            card=none,
            cursor=Style(bold=True),
            added=plain("success"),
            removed=plain("error"),
            added_word=Style(underline=True, bold=True),
            removed_word=Style(underline=True, bold=True),
            selection=Style(reverse=True),
            code={
                "keyword": plain("accent"),
                "string": plain("success"),
                "comment": Style(dim=True),
                "number": plain("secondary"),
                "name": plain("primary"),
                "tag": plain("primary"),
                "operator": none,
            },
        )

    def markdown(self) -> RichTheme:
        """How Markdown looks."""
        return RichTheme(
            {
                "markdown.paragraph": self.text,
                "markdown.text": self.text,
                "markdown.em": Style(italic=True),
                "markdown.emph": Style(italic=True),
                "markdown.strong": self.strong,
                "markdown.s": Style(strike=True),
                "markdown.code": self.accent,
                "markdown.code_block": self.text,
                "markdown.block_quote": self.muted,
                "markdown.list": self.text,
                "markdown.item": self.text,
                "markdown.item.bullet": self.accent,
                "markdown.item.number": self.accent,
                "markdown.hr": self.faint,
                "markdown.h1": self.accent + Style(bold=True),
                "markdown.h2": self.accent + Style(bold=True),
                "markdown.h3": self.strong,
                "markdown.h4": self.strong,
                "markdown.h5": self.muted + Style(bold=True),
                "markdown.h6": self.muted,
                "markdown.h7": self.muted,
                "markdown.link": self.accent,
                "markdown.link_url": self.muted,
                "markdown.table.border": self.faint,
                "markdown.table.header": self.strong,
            },
            inherit=True,
        )


def _parse(value: str) -> Color:
    """A colour of the theme; a share of transparency (`#fff 50%`) is left out."""
    return Color.parse(value.split()[0])
