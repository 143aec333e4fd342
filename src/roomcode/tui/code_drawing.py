"""Drawing of source code and of differences, with line numbers."""

from collections.abc import Sequence

from rich.text import Text

from roomcode.tui.brush import Brush
from roomcode.tui.diff import DiffLine, diff_lines, split_lines
from roomcode.tui.foreign import safe
from roomcode.tui.highlight import code_lines

__all__ = ["change_lines", "diff_texts", "fit", "numbered", "numbered_tail"]

_NARROW = 60
"""Below this width a difference has one column of line numbers instead of two."""
_MOST_WRAPPED = 12
"""Screen lines that one line of a file may take."""
_LONGEST_LINE = 20_000


def fit(text: Text, width: int, brush: Brush, *, wrap: bool) -> list[Text]:
    """One line of code as screen lines: cut with `…`, or broken."""
    if text.cell_len <= width:
        return [text]
    if not wrap:
        text.truncate(max(1, width), overflow="ellipsis")
        return [text]
    if len(text) > _LONGEST_LINE:
        text = text[:_LONGEST_LINE]
    lines = brush.wrapped(text, width)
    if len(lines) > _MOST_WRAPPED:
        lines = [*lines[:_MOST_WRAPPED], brush.text(("… the rest of this line is not shown", brush.palette.faint))]
    return lines


def numbered(
    text: str, language: str, width: int, brush: Brush, *, first: int = 1, most: int | None = None, wrap: bool = False
) -> list[Text]:
    """Code with line numbers from `first`; only the first `most` lines of it."""
    lines = split_lines(safe(text))
    shown = lines if most is None else lines[:most]
    digits = max(3, len(str(first + len(lines) - 1)))
    found = []
    for number, code in enumerate(code_lines("\n".join(shown), language, brush.palette) if shown else [], first):
        for row, part in enumerate(fit(code, width - digits - 2, brush, wrap=wrap)):
            label = f"{number:>{digits}}" if row == 0 else " " * digits
            found.append(_joined(brush.text((f"{label}  ", brush.palette.faint)), part))
    return found


def numbered_tail(
    pieces: Sequence[str], line_ends: int, language: str, width: int, brush: Brush, most: int
) -> list[Text]:
    """The last lines of text that is still being written, in pieces. Costs what is shown, not what there is."""
    tail: list[str] = []
    ends = 0
    for piece in reversed(pieces):
        tail.append(piece)
        ends += piece.count("\n")
        if ends > most:
            break
    lines = "".join(reversed(tail)).split("\n")
    shown = lines[-most:] if lines[-1] else lines[-most - 1 : -1]
    last = line_ends + (1 if lines[-1] else 0)
    return numbered("\n".join(shown), language, width, brush, first=max(1, last - len(shown) + 1))


def change_lines(before: str | None, after: str | None) -> list[DiffLine]:
    """The difference of two texts, made visible: control characters in them show as marks."""
    return diff_lines(
        None if before is None else safe(before, literal=True), None if after is None else safe(after, literal=True)
    )


def diff_texts(
    lines: Sequence[DiffLine], language: str, width: int, brush: Brush, *, most: int | None = None, wrap: bool = False
) -> list[Text]:
    """A difference as screen lines; only the first `most` lines of it."""
    shown = lines if most is None else lines[:most]
    digits = max((len(str(n)) for line in lines for n in (line.old, line.new) if n is not None), default=1)
    digits = max(2, digits)
    narrow = width < _NARROW
    found = []
    for line in shown:
        found += _diff_line(line, language, width, brush, digits, narrow, wrap)
    return found


def _diff_line(
    line: DiffLine, language: str, width: int, brush: Brush, digits: int, narrow: bool, wrap: bool
) -> list[Text]:
    palette = brush.palette
    if line.kind == "gap":
        mark = "⋯".rjust(digits if narrow else 2 * digits + 1)
        return [brush.text((f"{mark}   {line.text}", palette.faint))]
    sign, ground, word = {
        "added": ("+", palette.added, palette.added_word),
        "removed": ("-", palette.removed, palette.removed_word),
        "same": (" ", None, None),
    }[line.kind]
    sign_style = {"added": palette.ok, "removed": palette.bad, "same": palette.faint}[line.kind]
    old = f"{line.old or '':>{digits}}"
    new = f"{line.new or '':>{digits}}"
    numbers = (new if line.new else old) if narrow else f"{old} {new}"
    code = code_lines(line.text, language, palette)[0]
    if word is not None:
        for start, end in line.marks:
            code.stylize(word, start, end)
    room = width - len(numbers) - 3
    found = []
    for row, part in enumerate(fit(code, room, brush, wrap=wrap)):
        head = brush.text(
            (numbers if row == 0 else " " * len(numbers), palette.faint), (f" {sign if row == 0 else ' '} ", sign_style)
        )
        whole = _joined(head, part)
        if ground is not None:
            whole.append(" " * max(0, width - whole.cell_len))
            whole.stylize_before(ground)
        found.append(whole)
    return found


def _joined(first: Text, second: Text) -> Text:
    whole = Text(no_wrap=True, end="")
    whole.append_text(first)
    whole.append_text(second)
    return whole
