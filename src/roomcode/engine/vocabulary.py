"""Text to tokens and back. Foreign text never becomes a control token."""

import re
from collections.abc import Callable, Iterable, Sequence

__all__ = ["CHAT_MARKERS", "Vocabulary", "split_markers"]

CHAT_MARKERS = (
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
    "<think>",
    "</think>",
)
"""Markers that some vocabularies list as ordinary user-defined tokens although templates give them meaning."""


def split_markers(text: str, markers: "re.Pattern[str] | None") -> list[str]:
    """Cut `text` inside every marker, so that no piece holds a whole one and the pieces joined are the text.

    `markers` has to find the shortest marker at each place: a cut inside of it cuts the longer ones there, too.
    """
    if markers is None:
        return [text] if text else []
    found: list[tuple[int, int]] = []
    at = 0
    while (match := markers.search(text, at)) is not None:
        found.append(match.span())
        # Going on one character further finds a marker that begins inside this one.
        at = match.start() + 1
    pieces: list[str] = []
    cut = 0
    # Of markers that overlap, the one that ends first decides: a cut before its last character may cut others as well.
    for start, end in sorted(found, key=lambda span: span[1]):
        if cut <= start:
            pieces.append(text[cut : end - 1])
            cut = end - 1
    pieces.append(text[cut:])
    return [piece for piece in pieces if piece]


class Vocabulary:
    """A `Codec` over a tokenizer that knows control tokens.

    `tokenize(text, special)` and `pieces[token]` come from the model; `markers` are the texts that must not become one
    token when they stand in foreign text.
    """

    def __init__(
        self, tokenize: Callable[[bytes, bool], list[int]], piece: Callable[[int], bytes], markers: Iterable[str]
    ) -> None:
        self._tokenize = tokenize
        self._piece = piece
        self._cache: dict[int, bytes] = {}
        ordered = sorted({m for m in markers if len(m) > 1}, key=len)
        self._markers = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def encode(self, text: str, *, control: bool = False) -> list[int]:
        """Tokens of `text`; control tokens only with `control`."""
        if not text:
            return []
        if control:
            return self._tokenize(text.encode("utf-8", "replace"), True)
        tokens: list[int] = []
        for piece in split_markers(text, self._markers):
            tokens += self._tokenize(piece.encode("utf-8", "replace"), False)
        return tokens

    def piece(self, token: int) -> bytes:
        """Bytes of one token, control tokens as their text."""
        known = self._cache.get(token)
        if known is None:
            known = self._cache[token] = self._piece(token)
        return known

    def decode(self, tokens: Sequence[int]) -> bytes:
        return b"".join(map(self.piece, tokens))
