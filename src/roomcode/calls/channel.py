"""Text on its way out, tidied: no white space at the start or end, a blank line where something was taken out."""

from roomcode.calls.pieces import Piece, TextDelta

__all__ = ["Channel"]

_SPACE = " \t\r\n"


class Channel:
    """The visible text of an answer, or its thoughts. White space waits until more text follows it."""

    def __init__(self, thought: bool) -> None:
        self.empty = True
        """Nothing but white space came so far."""
        self._thought = thought
        self._space: list[str] = []
        self._parted = False

    def part(self) -> None:
        """Something that is not shown stands here: what follows is a new paragraph."""
        self._parted = not self.empty
        self._space = []

    def say(self, text: str, out: list[Piece]) -> None:
        """Add `text`; what may be shown by now is appended to `out`."""
        body = text.rstrip(_SPACE)
        if body:
            if self.empty:
                body = body.lstrip(_SPACE)
            elif self._parted:
                body = "\n\n" + body.lstrip(_SPACE)
            else:
                body = "".join(self._space) + body
            self.empty = False
            self._parted = False
            self._space = []
            out.append(TextDelta(body, self._thought))
        if not self.empty and not self._parted:
            self._space.append(text[len(text.rstrip(_SPACE)) :])
