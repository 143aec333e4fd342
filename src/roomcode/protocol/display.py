"""Results as data for the person's eyes; a front end decides how they look.

These records are part of events, so they are versioned msgspec structs.
"""

from typing import Literal

import msgspec

__all__ = ["Display", "FileChange", "PageReport", "TextBlock"]


class FileChange(msgspec.Struct, frozen=True, tag="file_change", tag_field="type"):
    """One file before and after. `before` is None for a new file, `after` is None for a deletion.

    Both are decoded text with `\\n` line endings, for diffs; what is written may differ in encoding and line endings.
    """

    path: str
    before: str | None
    after: str | None
    loose: bool = False
    """True when the edit matched loosely (quotes, spaces or indentation differed)."""


class TextBlock(msgspec.Struct, frozen=True, tag="text", tag_field="type"):
    """Plain text, shown folded to a few lines. `language` is a lexer name for highlighting, or empty."""

    text: str
    language: str = ""


class PageReport(msgspec.Struct, frozen=True, tag="page", tag_field="type"):
    """A served page after one load."""

    url: str
    port: int
    title: str
    state: Literal["clean", "errors", "no_answer", "no_browser"]
    lines: tuple[str, ...] = ()
    """Console lines, errors first."""
    screenshot: str = ""
    """Path of a PNG on disk, or empty."""


Display = FileChange | TextBlock | PageReport
