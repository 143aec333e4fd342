"""The text of tokens that come one by one, of which the end can be taken back."""

from roomcode.protocol.engine import Codec

__all__ = ["Written"]


class Written:
    """Tokens and their text. Characters split between tokens are no text before they are whole."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._pieces: list[bytes] = []
        self.tokens: list[int] = []
        self.text = ""

    def add(self, token: int) -> None:
        piece = self._codec.decode([token])
        self.tokens.append(token)
        self._pieces.append(piece)
        self.text = self._joined() if self.partial else self.text + piece.decode("utf-8", "ignore")

    @property
    def partial(self) -> bool:
        """Whether the last token may hold a part of a character."""
        last = self._pieces[-1] if self._pieces else b""
        return bool(last) and (last[0] & 0xC0 == 0x80 or last[-1] & 0x80 != 0)

    def cut(self, position: int) -> tuple[int, str]:
        """Forget the text from `position` on: how many tokens go, and the text of the first of them that stays."""
        size = len(self.text[:position].encode())
        total = sum(map(len, self._pieces))
        count = len(self._pieces)
        while total > size:
            count -= 1
            total -= len(self._pieces[count])
        kept = self.text[:position].encode()[total:].decode("utf-8", "ignore")
        return self.keep(count), kept

    def keep(self, count: int) -> int:
        """Forget all but the first `count` tokens; returns how many go."""
        gone = len(self.tokens) - count
        del self.tokens[count:], self._pieces[count:]
        self.text = self._joined()
        return gone

    def _joined(self) -> str:
        return b"".join(self._pieces).decode("utf-8", "ignore")
