"""Several attempts at one request: where checks say that the work is not done, it is tried anew from the same state.

A conversation's state costs nothing to go back to, and a small model that failed once succeeds at another draw more
often than it mends what it made. The attempt with the fewest faults is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from roomcode.agent.conversation import Conversation, Turn

__all__ = ["Attempts", "Files", "no_files"]


class Files(Protocol):
    """The files of the project, as far as the running request wrote them."""

    @property
    def undoable(self) -> bool:
        """Whether what was written may be taken back, as far as is known before."""
        ...

    async def take_back(self) -> int | None:
        """Undo what was written. A number for `bring_back`; 0: nothing was written; None: it cannot be undone."""
        ...

    async def bring_back(self, number: int) -> bool: ...


class _NoFiles:
    undoable = False

    async def take_back(self) -> int | None:
        return None

    async def bring_back(self, number: int) -> bool:
        return False


no_files: Files = _NoFiles()
"""Nothing can be taken back, so there is one attempt."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt that was given up: its faults, its turns, its answer, the files it wrote and how to get them back."""

    number: int
    faults: tuple[str, ...]
    turns: tuple[Turn, ...]
    answer: str
    files: tuple[str, ...]
    undone: int


class Attempts:
    """The attempts of one request; `most` is how many there may be. `begin` is called once its own turn stands."""

    def __init__(self, conversation: Conversation, files: Files, most: int) -> None:
        self._conversation = conversation
        self._files = files
        self._begun: tuple[Turn, ...] = ()
        self._given_up: list[Attempt] = []
        self.most = most

    def begin(self) -> None:
        """Every attempt begins with the conversation as it is now."""
        self._begun = tuple(self._conversation.turns)

    @property
    def number(self) -> int:
        """Of the attempt that runs, from 1."""
        return len(self._given_up) + 1

    @property
    def another(self) -> bool:
        """Whether another attempt may follow this one."""
        return self.number < self.most and self._files.undoable

    async def start_over(self, faults: Sequence[str], answer: str, files: Sequence[str]) -> bool:
        """Give this attempt up and be where it began; False when that cannot be, and everything is as before."""
        if not self.another:
            return False
        undone = await self._files.take_back()
        if undone is None or (files and not undone):
            return False  # files without versions are still as they were written
        turns = tuple(self._conversation.turns)
        self._given_up.append(Attempt(self.number, tuple(faults), turns, answer, tuple(files), undone))
        self._conversation.replace(self._begun)
        return True

    async def keep_best(self, faults: Sequence[str], longest: int = 0) -> Attempt | None:
        """After the last attempt, which left `faults`: put an earlier one with fewer in its place and return it; None
        when the last one is kept. With `longest` only one of at most so many turns: to go on from a long one, all of it
        has to be computed again."""
        begun = len(self._begun)
        short = [one for one in self._given_up if not longest or len(one.turns) - begun <= longest]
        best = min(short, key=lambda attempt: len(attempt.faults), default=None)
        if best is None or len(best.faults) >= len(faults):
            return None
        undone = await self._files.take_back()
        if undone is None:
            return None
        if best.undone and not await self._files.bring_back(best.undone):
            if undone:
                await self._files.bring_back(undone)
            return None
        self._conversation.replace(best.turns)
        return best
