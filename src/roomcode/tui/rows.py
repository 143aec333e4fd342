"""Which lines of a long column belong to which block, with heights that may be guesses until they are seen."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Anchor", "Rows"]


class Anchor(NamedTuple):
    """A line of a block, and the row of the view where it stands."""

    place: int
    line: int
    row: int


class Rows:
    """Heights of blocks in order. Changing a block costs the blocks after it, asking costs a binary search."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._tops: list[int] = []
        """First line of each block; right up to `_sound` blocks."""
        self._sound = 0
        self._guessed: set[int] = set()
        self._noted: dict[int, int] = {}
        """Exact heights of guessed blocks that are not in use yet."""

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
        self._noted.pop(index, None)
        difference = height - self._heights[index]
        if difference:
            self._heights[index] = height
            self._sound = min(self._sound, index + 1)
        return difference

    def note(self, index: int, height: int) -> None:
        """Remember the exact height of a guessed block until `use_noted`: each use moves what comes after it."""
        if index in self._guessed:
            self._noted[index] = height

    def use_noted(self) -> None:
        noted, self._noted = self._noted, {}
        for index, height in noted.items():
            self.set(index, height)

    def doubt(self, index: int) -> None:
        """The height of a block is a guess from now on."""
        self._guessed.add(index)
        self._noted.pop(index, None)

    def doubt_all(self) -> None:
        self._guessed = set(range(len(self._heights)))
        self._noted.clear()

    def is_guess(self, index: int) -> bool:
        return index in self._guessed

    @property
    def unknown(self) -> int:
        """How many heights are guesses and not even noted."""
        return len(self._guessed) - len(self._noted)

    def unknowns(self) -> list[int]:
        """Those blocks, from the end up."""
        return sorted(self._guessed.difference(self._noted), reverse=True)

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

    def anchor(self, line: int, top: int) -> Anchor | None:
        """A line as part of its block, for a view that begins at line `top`; None outside of all blocks."""
        place = self.at(line)
        return None if place is None else Anchor(place, line - self.top(place), line - top)

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
