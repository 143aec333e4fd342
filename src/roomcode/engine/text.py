"""Tokens to text while they arrive: only whole characters are sent on."""

import codecs
from collections.abc import Callable, Sequence

__all__ = ["AnswerText", "common_length"]


def common_length(left: str, right: str) -> int:
    """How many leading characters are equal."""
    limit = min(len(left), len(right))
    for i in range(limit):
        if left[i] != right[i]:
            return i
    return limit


class AnswerText:
    """The text of a growing answer. `emit(text, retract)` gets new text, after `retract` characters were taken back.

    Bytes of an unfinished character wait for the rest of it; bytes that can never be a character become U+FFFD.
    """

    def __init__(self, piece: Callable[[int], bytes], emit: Callable[[str, int], None]) -> None:
        self._piece = piece
        self._emit = emit
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._parts: list[str] = []

    @property
    def value(self) -> str:
        return "".join(self._parts)

    def push(self, token: int) -> None:
        text = self._decoder.decode(self._piece(token))
        if text:
            self._parts.append(text)
            self._emit(text, 0)

    def replace(self, tokens: Sequence[int]) -> None:
        """The answer is now `tokens`: take back what is no longer true and send the rest."""
        before = self.value
        self._decoder.reset()
        after = self._decoder.decode(b"".join(map(self._piece, tokens)))
        same = common_length(before, after)
        self._parts = [after]
        if same < max(len(before), len(after)):
            self._emit(after[same:], len(before) - same)

    def finish(self) -> None:
        """The answer ends here: half a character is dropped."""
        self._decoder.reset()
