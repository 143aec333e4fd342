"""Source code in colours, line by line."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.style import Style
from rich.text import Text

from roomcode.tui.palette import Palette

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]

__all__ = ["code_lines", "language_of"]

_LONGEST = 200_000
"""Characters up to which code is coloured; longer text is shown plain."""
_LONGEST_LINE = 2_000

_BY_ENDING = {
    "html": "html", "htm": "html", "svg": "xml", "xml": "xml", "css": "css", "js": "javascript", "mjs": "javascript",
    "cjs": "javascript", "jsx": "jsx", "ts": "typescript", "tsx": "tsx", "json": "json", "webmanifest": "json",
    "md": "markdown", "py": "python", "sh": "bash", "toml": "toml", "yaml": "yaml", "yml": "yaml",
    "sql": "sql", "rs": "rust", "go": "go",
}  # fmt: skip

_KINDS = (
    ("Comment", "comment"),
    ("Keyword.Constant", "number"),
    ("Keyword", "keyword"),
    ("Literal.String", "string"),
    ("Literal.Number", "number"),
    ("Name.Tag", "tag"),
    ("Name.Attribute", "name"),
    ("Name.Function", "name"),
    ("Name.Class", "name"),
    ("Name.Builtin", "name"),
    ("Name.Decorator", "name"),
    ("Generic.Heading", "name"),
    ("Operator.Word", "keyword"),
    ("Operator", "operator"),
    ("Punctuation", "operator"),
)


def language_of(path: str) -> str:
    """The language of a file by its name; empty when it is not known."""
    return _BY_ENDING.get(path.rpartition(".")[2].lower(), "") if "." in path else ""


def code_lines(code: str, language: str, palette: Palette) -> list[Text]:
    """`code` (made safe before) as one styled text for each line. Never fails: what cannot be coloured stays plain."""
    lines = code.split("\n")
    lexer = _lexer(language) if language and len(code) <= _LONGEST else None
    if lexer is None or max(map(len, lines)) > _LONGEST_LINE:
        return [Text(line, palette.text, end="") for line in lines]
    styled = [Text(end="", no_wrap=True)]
    for token, value in lexer.get_tokens(code):
        style = _style(str(token), palette)
        first, *others = value.split("\n")
        if first:
            styled[-1].append(first, style)
        for other in others:
            styled.append(Text(end="", no_wrap=True))
            if other:
                styled[-1].append(other, style)
    # A lexer may add or drop a last line end; the text decides how many lines there are.
    del styled[len(lines) :]
    styled += [Text(end="") for _ in range(len(lines) - len(styled))]
    return styled


@lru_cache(32)
def _lexer(language: str) -> "Lexer | None":
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    options: dict[str, Any] = {"stripnl": False, "ensurenl": False}
    try:
        return get_lexer_by_name(language, **options)
    except ClassNotFound:
        return None


@lru_cache(512)
def _kind(token: str) -> str:
    name = token.removeprefix("Token.")
    return next((kind for start, kind in _KINDS if name == start or name.startswith(f"{start}.")), "")


def _style(token: str, palette: Palette) -> Style:
    kind = _kind(token)
    return palette.code[kind] if kind else palette.text
