"""All keys and commands, made from the bindings themselves."""

from collections.abc import Callable, Iterable

from rich.text import Text
from textual.binding import Binding
from textual.strip import Strip

from roomcode.tui.brush import Brush
from roomcode.tui.commands import COMMANDS

__all__ = ["Section", "paint_help"]

Section = tuple[str, Iterable[Binding]]
"""A heading and the keys below it."""

_KEYS = 19
_NARROW = 50
"""Width below which what a key does stands below the key."""


def paint_help(
    sections: Iterable[Section], key_name: Callable[[Binding], str], width: int, brush: Brush
) -> list[Strip]:
    """The whole help."""
    palette = brush.palette
    lines: list[Text] = []

    def heading(text: str) -> None:
        if lines:
            lines.append(brush.text(""))
        lines.append(brush.text((text, palette.strong + palette.accent)))

    def row(left: str, right: str) -> None:
        if width < _NARROW:
            lines.extend(brush.wrapped(brush.text((left, palette.strong)), width))
            for line in brush.wrapped(brush.text((right, palette.muted)), width - 2):
                lines.append(brush.text("  "))
                lines[-1].append_text(line)
            return
        for number, line in enumerate(brush.wrapped(brush.text((right, palette.text)), width - _KEYS - 3)):
            head = brush.text((f"  {left if number == 0 else '':<{_KEYS}} ", palette.strong))
            head.append_text(line)
            lines.append(head)

    for title, bindings in sections:
        heading(title)
        for keys, description in _joined(bindings, key_name):
            row(keys, description)
    heading("Commands (type them into the input)")
    for command in COMMANDS:
        row(command.usage, command.help)
    heading("In the input")
    row("@name", "a file of the project; Tab completes it")
    row("long pastes", "fold to a chip and are sent whole")
    return [brush.strip(line, width) for line in lines]


def _joined(bindings: Iterable[Binding], key_name: Callable[[Binding], str]) -> list[tuple[str, str]]:
    """Keys that do the same in one row, in the order of the bindings."""
    rows: dict[str, list[str]] = {}
    for binding in bindings:
        if binding.description:
            rows.setdefault(binding.description, []).append(key_name(binding))
    return [(" ".join(dict.fromkeys(keys)), description) for description, keys in rows.items()]
