"""How each item of the timeline looks, as strips of one width."""

from rich.text import Text
from textual.strip import Strip

from roomcode.tui.brush import Brush, Part
from roomcode.tui.card_drawing import draw_card
from roomcode.tui.foreign import safe, safe_line, shortened
from roomcode.tui.items import Answer, Banner, Card, Item, Problem, Remark, Request, Summary, Thought

__all__ = ["draw"]

_MOST_REQUEST_LINES = 12
_REMARK_MARKS = {
    "notice": "•",
    "hint": "•",
    "nudge": "↻",
    "repeat": "↻",
    "compaction": "≡",
    "engine": "•",
    "check": "•",
    "attempt": "↺",
    "steer": "↳",
    "app": "•",
}


def draw(item: Item, width: int, brush: Brush, *, chosen: bool = False) -> list[Strip]:
    """The item's lines, with a blank line below it. `chosen`: the person's cursor is on it."""
    match item:
        case Banner():
            strips = _banner(item, width, brush)
        case Request():
            strips = _request(item, width, brush, chosen)
        case Answer():
            strips = item.body.strips(width, brush)
        case Thought():
            strips = _thought(item, width, brush, chosen)
        case Card():
            strips = draw_card(item, width, brush, chosen=chosen)
        case Remark():
            strips = _remark(item, width, brush)
        case Summary():
            strips = _summary(item, width, brush)
        case Problem():
            strips = _problem(item, width, brush, chosen)
        case _:
            raise TypeError(f"no drawing for {type(item).__name__}")
    return [*strips, brush.blank(width)]


def _banner(item: Banner, width: int, brush: Brush) -> list[Strip]:
    palette = brush.palette
    lines = [brush.text(("  ", palette.text), (safe_line(item.title), palette.strong + palette.accent))]
    for line in map(safe_line, item.lines):
        if line.startswith(("/", "~")):
            # The end of a path says where one is.
            lines.append(brush.text(("  " + shortened(line[::-1], width - 3)[::-1], palette.muted)))
        else:
            lines += [_indented(part, 2) for part in brush.wrapped(brush.text((line, palette.muted)), width - 3)]
    return [brush.blank(width), *(brush.strip(line, width) for line in lines)]


def _request(item: Request, width: int, brush: Brush, chosen: bool) -> list[Strip]:
    palette = brush.palette
    lines = brush.wrapped(brush.text((safe(item.text).strip("\n"), palette.strong)), width - 4)
    left_out = len(lines) - _MOST_REQUEST_LINES
    if left_out > 1 and not item.unfolded:
        lines = [*lines[:_MOST_REQUEST_LINES], brush.text((f"… {left_out} more lines", palette.faint))]
    strips = []
    for number, line in enumerate(lines):
        mark: Part = ("❯ " if number == 0 else "  ", palette.strong + palette.accent)
        strips += brush.framed([line], width, mark, palette.cursor if chosen else palette.card)
    return strips


def _thought(item: Thought, width: int, brush: Brush, chosen: bool) -> list[Strip]:
    palette = brush.palette
    text = safe("".join(item.pieces)).strip()
    lines = [brush.text(("  ∴ thinking ", palette.faint), (f"{len(text.split())} words", palette.faint))]
    if item.unfolded:
        body = brush.wrapped(brush.text((text, palette.muted)), width - 5)
        lines += [_indented(line, 4) for line in body]
    return [brush.strip(line, width, palette.cursor if chosen else None) for line in lines]


def _remark(item: Remark, width: int, brush: Brush) -> list[Strip]:
    palette = brush.palette
    style = palette.warn if item.topic in ("repeat", "check", "engine") else palette.muted
    if item.topic == "steer":
        style = palette.strong
    text = safe(item.text).strip()
    head = {"hint": "hint: ", "nudge": "told the model: ", "repeat": "told the model: "}.get(item.topic, "")
    lines = brush.wrapped(brush.text((head, palette.faint), (text, style)), width - 5)
    mark = _REMARK_MARKS.get(item.topic, "•")
    strips = []
    for number, line in enumerate(lines):
        bar: Part = (
            f"  {mark} " if number == 0 else "    ",
            palette.accent if item.topic == "steer" else palette.faint,
        )
        strips += brush.framed([line], width, bar)
    return strips


def _summary(item: Summary, width: int, brush: Brush) -> list[Strip]:
    palette = brush.palette
    style = {"done": palette.ok, "stopped": palette.warn, "limit": palette.warn}.get(item.reason, palette.bad)
    mark = {"done": "✓", "stopped": "■", "limit": "■"}.get(item.reason, "✗")
    text = brush.wrapped(brush.text((safe_line(item.text), palette.muted)), width - 5)
    strips = []
    for number, line in enumerate(text):
        strips += brush.framed([line], width, (f"  {mark} " if number == 0 else "    ", style))
    return strips


def _problem(item: Problem, width: int, brush: Brush, chosen: bool) -> list[Strip]:
    palette = brush.palette
    lines = brush.wrapped(brush.text((safe_line(item.title), palette.bad)), width - 5)
    if item.unfolded:
        lines += brush.wrapped(brush.text((safe(item.detail), palette.muted)), width - 5)
    else:
        lines.append(brush.text(("The app goes on; the log has the details.", palette.faint)))
    return brush.framed(lines, width, ("▎ ! ", palette.bad), palette.cursor if chosen else palette.card)


def _indented(line: Text, by: int) -> Text:
    whole = Text(" " * by, no_wrap=True, end="")
    whole.append_text(line)
    return whole
