"""The status line: what runs, in which mode, how full the context is, which pages are served."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.style import Style
from rich.text import Text

from roomcode.protocol.events import Usage
from roomcode.tui.backend import Mode
from roomcode.tui.brush import Brush, Part
from roomcode.tui.foreign import safe_line
from roomcode.tui.palette import Palette

__all__ = ["Status", "meter", "status_text", "tokens_text"]

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_CELLS = 6
_FULL, _NEARLY = 0.9, 0.7


@dataclass(frozen=True, slots=True)
class Status:
    """All that the line shows."""

    mode: Mode = "ask"
    used: int = 0
    budget: int = 0
    usage: Usage = field(default_factory=Usage)
    ports: Sequence[int] = ()
    browser: str = ""
    """State of the page that was looked at last: clean, errors, no_answer, no_browser; empty when none was."""
    activity: str = ""
    """What is going on, or empty."""
    hint: str = ""
    """Something to say for a moment; it takes the place of the activity."""
    waiting: bool = False
    """It is the person's turn."""
    frame: int = 0


def tokens_text(tokens: int) -> str:
    """`950`, `3.1k`, `12k`."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 9_950:
        return f"{tokens / 1_000:.1f}k"
    return f"{tokens / 1_000:.0f}k"


def meter(used: int, budget: int, brush: Brush, cells: int = _CELLS) -> list[Part]:
    """A bar that fills up."""
    share = min(1.0, used / budget) if budget else 0.0
    full = min(cells, round(share * cells)) if share < 1 else cells
    if used and not full:
        full = 1
    palette = brush.palette
    style = palette.bad if share >= _FULL else palette.warn if share >= _NEARLY else palette.ok
    return [("▰" * full, style), ("▱" * (cells - full), palette.faint)]


def status_text(status: Status, width: int, brush: Brush) -> Text:
    """The line, at most `width` cells wide; what matters least goes first when there is no room."""
    parts = _parts(status, brush)
    separator: Part = ("  ", brush.palette.faint)
    while True:
        line = Text(" ", no_wrap=True, end="")
        for number, (_, pieces) in enumerate(parts):
            if number:
                line.append(*separator)
            for text, style in pieces:
                line.append(text, style)
        if line.cell_len <= width or len(parts) <= 1:
            line.truncate(width, overflow="ellipsis")
            return line
        parts.remove(max(parts, key=lambda part: part[0]))


def _parts(status: Status, brush: Brush) -> list[tuple[int, list[Part]]]:
    """Pieces in order, each with how soon it may go: the highest number goes first."""
    palette = brush.palette
    parts: list[tuple[int, list[Part]]] = []
    if status.hint:
        parts.append((0, [(safe_line(status.hint), palette.warn)]))
    elif status.activity:
        style = palette.warn if status.waiting else palette.accent
        mark = "?" if status.waiting else SPINNER[status.frame % len(SPINNER)]
        parts.append((1, [(f"{mark} {status.activity}", style)]))
    mode_style = palette.warn if status.mode == "auto" else palette.ok
    parts.append((0, [(status.mode, mode_style + Style(bold=True))]))
    if status.budget:
        numbers = f" {tokens_text(status.used)}/{tokens_text(status.budget)}"
        parts.append((2, [*meter(status.used, status.budget, brush), (numbers, palette.text)]))
    usage = status.usage
    if usage.new or usage.reused:
        parts.append((6, [(f"{tokens_text(usage.new)} new {tokens_text(usage.reused)} reused", palette.muted)]))
    if usage.tok_per_s:
        parts.append((5, [(f"{usage.tok_per_s:.0f} tok/s", palette.muted)]))
    if status.ports:
        parts.append((3, [(" ".join(f":{port}" for port in status.ports), palette.accent)]))
    if status.browser:
        parts.append((7, [_browser(status.browser, palette)]))
    return parts


def _browser(state: str, palette: Palette) -> Part:
    return {
        "clean": ("✓ page", palette.ok),
        "errors": ("✗ page", palette.bad),
        "no_answer": ("✗ hangs", palette.bad),
        "no_browser": ("no browser", palette.warn),
    }.get(state, (safe_line(state), palette.muted))
