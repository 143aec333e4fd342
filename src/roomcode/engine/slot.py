"""One sequence in the engine's context, and how much of it a new prompt can reuse."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from roomcode.engine.states import State

__all__ = ["Checkpoint", "Memory", "Slot", "common_prefix"]


class Memory(Protocol):
    """What a slot needs of the native context."""

    def cut(self, sequence: int, position: int) -> bool: ...
    def clear(self, sequence: int) -> None: ...
    def last_position(self, sequence: int) -> int: ...
    def save(self, sequence: int, *, partial: bool) -> State: ...
    def restore(self, sequence: int, state: State, *, partial: bool) -> bool: ...


def common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    """How many leading items are equal."""
    limit = min(len(left), len(right))
    if left[:limit] == right[:limit]:
        return limit
    for i in range(limit):
        if left[i] != right[i]:
            return i
    return limit


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """State of a sequence that cannot be cut, after its first `position` tokens."""

    position: int
    state: State


class Slot:
    """Tokens whose state is in memory, for one sequence.

    Memory that can be cut anywhere (plain attention) is simply cut where a new prompt departs. Recurrent, hybrid and
    sliding-window memory goes back to the nearest checkpoint: one pinned after the prefix, and a ring of later ones.
    """

    def __init__(self, memory: Memory, sequence: int, *, cuttable: bool, checkpoints: int = 8) -> None:
        self._memory = memory
        self._sequence = sequence
        self._cuttable = cuttable
        self._ring_size = checkpoints
        self._ring: list[Checkpoint] = []
        self._pinned: Checkpoint | None = None
        self.tokens: list[int] = []

    @property
    def keeps_marks(self) -> bool:
        """Whether `mark` does anything: only where memory cannot be cut."""
        return not self._cuttable and self._ring_size > 0

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """Positions that can be gone back to, pinned one first."""
        pinned = (self._pinned.position,) if self._pinned else ()
        return pinned + tuple(c.position for c in self._ring)

    def reuse(self, prompt: Sequence[int]) -> int:
        """Keep what `prompt` shares with memory and drop the rest; returns how many tokens need no computing.

        At least the last token of the prompt is always left to compute, because its logits are needed.
        """
        shared = min(common_prefix(self.tokens, list(prompt)), len(prompt) - 1)
        if shared == len(self.tokens):
            return shared
        return self.go_back(shared)

    def reachable(self, prompt: Sequence[int]) -> int:
        """How many tokens of `prompt` memory has or can go back to. Changes nothing."""
        shared = common_prefix(self.tokens, list(prompt))
        if self._cuttable or shared == len(self.tokens):
            return shared
        return max((position for position in self.checkpoints if position <= shared), default=0)

    def go_back(self, position: int) -> int:
        """Drop the tokens from `position` on, or from the nearest checkpoint before it; returns where memory ends."""
        if self._cuttable and self._memory.cut(self._sequence, position):
            reached = position
        else:
            reached = self._restore(position)
        del self.tokens[reached:]
        self._ring = [c for c in self._ring if c.position <= reached]
        if self._pinned is not None and self._pinned.position > reached:
            self._pinned = None
        return reached

    def _restore(self, position: int) -> int:
        known = [*self._ring, *([self._pinned] if self._pinned else [])]
        for checkpoint in sorted(known, key=lambda c: c.position, reverse=True):
            if checkpoint.position > position:
                continue
            if self._memory.restore(self._sequence, checkpoint.state, partial=True) and self._memory.cut(
                self._sequence, checkpoint.position
            ):
                return checkpoint.position
        self._memory.clear(self._sequence)
        return 0

    def mark(self, *, pin: bool = False) -> None:
        """Remember the state here, if this memory cannot be cut."""
        if not self.keeps_marks or not self.tokens:
            return
        position = len(self.tokens)
        known = next((c for c in self._ring if c.position == position), None)
        if known is not None and pin:
            self._ring.remove(known)
            self._pinned = known
        if position in self.checkpoints:
            return
        checkpoint = Checkpoint(position, self._memory.save(self._sequence, partial=True))
        if pin:
            self._pinned = checkpoint
        else:
            self._ring = [*self._ring, checkpoint][-self._ring_size :]

    def forget(self) -> None:
        """Empty the slot."""
        self._memory.clear(self._sequence)
        self.tokens.clear()
        self._ring.clear()
        self._pinned = None
