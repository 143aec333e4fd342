"""Which lines of a long column belong to which block, with heights that may be guesses until they are seen."""

from bisect import bisect_right
from collections.abc import Iterator

__all__ = ["Rows"]


class Rows:
    """Heights of blocks in order. Changing a block costs the blocks after it, asking costs a binary search."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._tops: list[int] = []
        """First line of each block; right up to `_sound` blocks."""
        self._sound = 0
        self._guessed: set[int] = set()

    def __len__(self) -> int:
        return len(self._heights)

    @property
    def total(self) -> int:
        """Lines in all."""
        self._settle(len(self._heights))
        return self._tops[-1] + self._heights[-1] if self._heights else 0

    @property
    def guessed(self) -> int:
        """How many heights are guesses."""
        return len(self._guessed)

    def append(self, guess: int) -> None:
        """Another block, whose height is not known exactly."""
        self._guessed.add(len(self._heights))
        self._heights.append(guess)
        self._tops.append(0)

    def set(self, index: int, height: int) -> int:
        """The exact height of a block; returns by how much it differs from what was thought."""
        self._guessed.discard(index)
        difference = height - self._heights[index]
        if difference:
            self._heights[index] = height
            self._sound = min(self._sound, index + 1)
        return difference

    def doubt(self, index: int) -> None:
        """The height of a block is a guess from now on."""
        self._guessed.add(index)

    def doubt_all(self) -> None:
        self._guessed = set(range(len(self._heights)))

    def is_guess(self, index: int) -> bool:
        return index in self._guessed

    def guesses(self) -> list[int]:
        """Blocks whose height is a guess, from the end up."""
        return sorted(self._guessed, reverse=True)

    def top(self, index: int) -> int:
        """First line of a block."""
        self._settle(index + 1)
        return self._tops[index]

    def height(self, index: int) -> int:
        return self._heights[index]

    def at(self, line: int) -> int | None:
        """The block that holds a line; None outside of all."""
        if line < 0 or line >= self.total:
            return None
        return bisect_right(self._tops, line) - 1

    def between(self, first: int, last: int) -> Iterator[int]:
        """Blocks that have a line from `first` to `last` (not included)."""
        index = self.at(max(0, first))
        while index is not None and index < len(self) and self.top(index) < last:
            yield index
            index += 1

    def clear(self) -> None:
        self.__init__()  # type: ignore[misc]

    def _settle(self, count: int) -> None:
        for index in range(self._sound, count):
            self._tops[index] = self._tops[index - 1] + self._heights[index - 1] if index else 0
        self._sound = max(self._sound, count)
