"""The one place where foreign text (of models, tools, files, names, titles) is made safe for the terminal.

Everything the app shows goes through `safe` or `safe_line`. The result holds no control code but the line end, so it
cannot steer the terminal, and no mark that turns the reading direction around, so a change reads as what it is.
"""

import re

__all__ = ["is_safe", "safe", "safe_line", "shortened"]

_SEQUENCES = re.compile(
    r"""
      (?: \x1b\[ | \x9b ) [0-?]* [ -/]* [@-~]              # CSI: colours, cursor, modes
    | (?: \x1b[\]P^_X] | [\x9d\x90\x9e\x9f\x98] ) [^\x07\x1b\x9c\n]* (?: \x07 | \x1b\\ | \x9c )  # OSC, DCS and such
    | \x1b [ -/]+ [0-~]                                     # character sets
    """,
    re.VERBOSE,
)
"""Whole sequences that only make sense to a terminal: taken out. What is left of broken ones is made visible."""

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_UNSAFE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f"
    "\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_ANY_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_TAB = 4


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return "\ufffd"


def safe(text: str, *, literal: bool = False) -> str:
    """`text` with line ends as `\\n`, tabs as spaces, and nothing else that a terminal would obey.

    Colour codes and the like are taken out, since they were meant for a terminal; with `literal` they are made visible
    instead, for text that a person has to judge (a change to a file).
    """
    text = _LINE_ENDS.sub("\n", text)
    if not literal and ("\x1b" in text or _ANY_CONTROL.search(text)):
        text = _SEQUENCES.sub("", text)
    if "\t" in text:
        text = "\n".join(line.expandtabs(_TAB) for line in text.split("\n"))
    return _UNSAFE.sub(_visible, text)


def safe_line(text: str) -> str:
    """`text` made safe, on one line."""
    return " ".join(safe(text).split("\n"))


def is_safe(text: str) -> bool:
    """Whether `text` may go to the terminal as it is. Line ends are not: they belong to the layout."""
    return text.isprintable() or (_ANY_CONTROL.search(text) is None and _UNSAFE.search(text) is None)


def shortened(text: str, width: int) -> str:
    """The start of a safe line, at most `width` terminal cells wide, with `…` where something is left out."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…" if width > 1 else "…"[:width]
