"""How a tool card looks in each of its states."""

import time
from collections.abc import Sequence

from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from roomcode.protocol.display import FileChange, PageReport, TextBlock
from roomcode.tui.brush import Brush, Part
from roomcode.tui.code_drawing import change_lines, diff_texts, numbered, numbered_tail
from roomcode.tui.diff import counts, split_lines
from roomcode.tui.foreign import safe, safe_line, shortened
from roomcode.tui.highlight import language_of
from roomcode.tui.items import Card
from roomcode.tui.palette import Palette

__all__ = ["ANSWER_KEYS", "READING_KEYS", "draw_card"]

_LIVE_LINES = 6
_FOLDED_TEXT = 3
_FOLDED_ERROR = 6
_FOLDED_CODE = 6
_FOLDED_DIFF = 12
_WAITING_DIFF = 16
_UNFOLDED = 400
"""Lines that an unfolded card shows at most."""

ANSWER_KEYS = (
    ("y", "approve"),
    ("n", "reject"),
    ("a", "this request"),
    ("A", "this session"),
    ("e", "edit"),
    ("v", "full diff"),
)
READING_KEYS = (("y", "let it read"), ("n", "refuse"))
_SHORT_KEYS = (("y", "yes"), ("n", "no"), ("a", ""), ("A", ""), ("e", ""), ("v", ""))
_NARROW, _TINY = 44, 30
"""Widths below which a card says less, so that the path and the change are seen."""

_ICONS = {
    "writing": "✎",
    "ready": "○",
    "waiting": "?",
    "running": "▶",
    "ok": "✓",
    "failed": "✗",
    "unchanged": "=",
    "rejected": "⊘",
    "stopped": "■",
    "unknown": "✗",
}


def draw_card(card: Card, width: int, brush: Brush, *, chosen: bool = False) -> list[Strip]:
    """All lines of a card, `width` cells wide."""
    palette = brush.palette
    style = _state_style(card, palette)
    ground = palette.cursor if chosen else palette.card
    inner = width - 3
    head = brush.framed([_head(card, inner, brush, style)], width, ("▎ ", style), ground)
    body = [*_question(card, inner, brush, chosen), *_body(card, inner, brush), *_repairs(card, inner, brush)]
    return [*head, *brush.framed(body, width, ("▎ ", style), palette.card)]


def _state_style(card: Card, palette: Palette) -> Style:
    match card.state:
        case "ok":
            return palette.ok
        case "waiting" | "rejected" | "stopped":
            return palette.warn
        case "failed" | "unknown":
            return palette.bad
        case "writing" | "running":
            return palette.accent
        case _:
            return palette.muted


def _head(card: Card, width: int, brush: Brush, style: Style) -> Text:
    palette = brush.palette
    tool = safe_line(card.tool) or "…"
    if width < _TINY and card.main:
        tool = tool.partition("_")[0]
    main = safe_line(card.main)
    left = brush.text(
        (f"{_ICONS[card.state]} ", style), (tool, palette.strong), ("  ", palette.text), (main, palette.text)
    )
    return brush.ends(left, brush.text(*_state_parts(card, palette, style, width)), width)


def _state_parts(card: Card, palette: Palette, style: Style, width: int) -> list[Part]:
    match card.state:
        case "writing":
            lines = _lines_written(card)
            if lines and width < _NARROW:
                return [(f"{lines} lines", style)]
            return [("writing", style), (f" · {lines} line{'s' if lines != 1 else ''}" if lines else "", palette.muted)]
        case "ready":
            return [("next", palette.muted)]
        case "waiting":
            return [("waiting for you", style)]
        case "running":
            passed = int(time.monotonic() - card.since)
            return [("running" + (f" {passed} s" if passed >= 1 else ""), style)]
        case "ok":
            return [*_change_counts(card, palette), (f"{card.seconds:.1f} s", palette.faint)]
        case "failed" | "unknown" | "rejected" | "stopped":
            label = "unknown tool" if card.state == "unknown" and not card.error else card.state
            return [(label, style)]
        case _:
            return [(card.state, palette.muted)]


def _lines_written(card: Card) -> int:
    """Lines of the longest argument, while it is written."""
    return max((ends + 1 for ends in card.line_ends.values() if ends), default=0)


def _change_counts(card: Card, palette: Palette) -> list[Part]:
    change = card.display
    if not isinstance(change, FileChange):
        return []
    if change.before is None:
        return [(f"{len(split_lines(change.after))} lines", palette.muted), ("  ", palette.muted)]
    added, removed = counts(change_lines(change.before, change.after))
    return [(f"+{added}", palette.ok), (" ", palette.muted), (f"-{removed}", palette.bad), ("  ", palette.muted)]


def _body(card: Card, width: int, brush: Brush) -> list[Text]:
    match card.state:
        case "writing":
            return _live(card, width, brush)
        case "waiting" if card.change is not None:
            return _change(card.change, width, brush, _UNFOLDED if card.unfolded else _WAITING_DIFF)
        case "ready" | "running":
            return []
        case "ok" | "unchanged":
            return _result(card, width, brush)
        case "rejected":
            return _rejected(card, width, brush)
        case _:
            most = _UNFOLDED if card.unfolded else _FOLDED_ERROR
            style = brush.palette.muted if card.state == "stopped" else brush.palette.bad
            return _plain(card.text or card.error, width, brush, most, style)


def _live(card: Card, width: int, brush: Brush) -> list[Text]:
    if not card.line_ends.get(card.growing):
        return []
    language = language_of(card.path) or ("javascript" if card.growing == "code" else "")
    return numbered_tail(card.streams[card.growing], card.line_ends[card.growing], language, width, brush, _LIVE_LINES)


def _change(change: FileChange, width: int, brush: Brush, most: int) -> list[Text]:
    palette = brush.palette
    language = language_of(change.path)
    if change.after is None:
        return [brush.text((f"deletes this file ({len(split_lines(change.before))} lines)", palette.bad))]
    if change.before is None:
        total = len(split_lines(change.after))
        shown = _shown(total, most)
        lines = numbered(safe(change.after, literal=True), language, width, brush, most=shown)
        return [*lines, *_more(total - shown, brush)]
    difference = change_lines(change.before, change.after)
    if not difference:
        return [brush.text(("no visible difference", palette.muted))]
    shown = _shown(len(difference), most)
    return [*diff_texts(difference, language, width, brush, most=shown), *_more(len(difference) - shown, brush)]


def _result(card: Card, width: int, brush: Brush) -> list[Text]:
    display = card.display
    match display:
        case FileChange():
            folded = _FOLDED_CODE if display.before is None else _FOLDED_DIFF
            found = _change(display, width, brush, _UNFOLDED if card.unfolded else folded)
            if display.loose:
                found.append(
                    brush.text(("matched loosely: quotes, spaces or indentation differed", brush.palette.warn))
                )
            return found
        case PageReport():
            return _page(display, width, brush, card.unfolded)
        case TextBlock():
            most = _UNFOLDED if card.unfolded else _FOLDED_TEXT
            if not display.language:
                return _plain(display.text, width, brush, most)
            total = len(split_lines(safe(display.text)))
            shown = _shown(total, most)
            lines = numbered(display.text, display.language, width, brush, most=shown)
            return [*lines, *_more(total - shown, brush)]
        case _:
            return _plain(card.text, width, brush, _UNFOLDED if card.unfolded else _FOLDED_TEXT)


def _unrepeated(page: PageReport) -> str:
    """The page's lines without the one that only says its address again."""
    lines = [line for line in page.lines if not line.startswith(page.url)]
    return "\n".join(lines)


def _page(page: PageReport, width: int, brush: Brush, unfolded: bool) -> list[Text]:
    palette = brush.palette
    verdict: Part = {
        "clean": ("loaded without errors", palette.ok),
        "errors": ("has errors", palette.bad),
        "no_answer": ("did not answer", palette.bad),
        "no_browser": ("served; no browser to look at it", palette.warn),
    }[page.state]
    title = safe_line(page.title)
    first = brush.text((safe_line(page.url), palette.accent), ("  ", palette.text), verdict)
    if title:
        first.append(f"  “{shortened(title, 40)}”", palette.muted)
    first.truncate(width, overflow="ellipsis")
    style = palette.bad if page.state == "errors" else palette.muted
    return [first, *_plain(_unrepeated(page), width, brush, _UNFOLDED if unfolded else _FOLDED_ERROR, style)]


def _rejected(card: Card, width: int, brush: Brush) -> list[Text]:
    said = f"you: {safe_line(card.comment)}" if card.comment else "you said no"
    lines = brush.wrapped(brush.text((said, brush.palette.warn)), width)
    if card.change is not None and card.unfolded:
        lines += _change(card.change, width, brush, _UNFOLDED)
    return lines


def _plain(text: str, width: int, brush: Brush, most: int, style: Style | None = None) -> list[Text]:
    """Text folded to `most` lines, each cut to the width."""
    lines = split_lines(safe(text).strip("\n"))
    shown = _shown(len(lines), most)
    found = []
    for line in lines[:shown]:
        text_line = brush.text((line, style or brush.palette.muted))
        text_line.truncate(width, overflow="ellipsis")
        found.append(text_line)
    return [*found, *_more(len(lines) - shown, brush)]


def _shown(total: int, most: int) -> int:
    """How many lines to show: a mark in place of a single line would save nothing."""
    return total if total <= most + 1 else most


def _more(left_out: int, brush: Brush) -> list[Text]:
    if left_out <= 0:
        return []
    return [brush.text((f"… {left_out} more line{'s' if left_out != 1 else ''}", brush.palette.faint))]


def _question(card: Card, width: int, brush: Brush, chosen: bool) -> list[Text]:
    """The keys that answer once the card has the focus. They stand above the change, to be seen however long it is."""
    if card.state != "waiting":
        return []
    found: list[Text] = []
    if card.reading:
        warning = "This file may hold secrets. Its text would go to the model."
        found += brush.wrapped(brush.text((warning, brush.palette.warn)), width)
    keys = READING_KEYS if card.reading else ANSWER_KEYS if width >= _TINY else _SHORT_KEYS
    shown = keys if chosen else (("Tab", "to answer:"), *keys)
    return [*found, *key_lines(shown, width, brush, click=f"app.answer('KEY', {card.call!r})")]


def _repairs(card: Card, width: int, brush: Brush) -> list[Text]:
    palette = brush.palette
    found: list[Text] = []
    for repair in card.repairs:
        found += brush.wrapped(brush.text(("repaired: ", palette.warn), (safe_line(repair), palette.muted)), width)
    return found


def key_lines(keys: Sequence[tuple[str, str]], width: int, brush: Brush, *, click: str = "") -> list[Text]:
    """Keys and what they do, in as many lines as they need. `click` is the action of a click, with the
    key for `KEY`."""
    palette = brush.palette
    lines = [Text(end="", no_wrap=True)]
    for key, what in keys:
        part = brush.text((key, palette.strong + palette.accent), (f" {what}" if what else "", palette.text))
        if click and len(key) == 1:
            part.stylize(Style(meta={"@click": click.replace("KEY", key)}))
        if lines[-1].cell_len and lines[-1].cell_len + 2 + part.cell_len > width:
            lines.append(Text(end="", no_wrap=True))
        if lines[-1].cell_len:
            lines[-1].append("  ")
        lines[-1].append_text(part)
    return lines
