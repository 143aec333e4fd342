"""The decode loop of one answer: prefill, then sample or force, commit, emit.

It knows nothing of llama.cpp: `Backend` is what it needs. It runs on the engine's thread from start to end.
"""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from roomcode.engine.slot import Slot
from roomcode.engine.text import AnswerText
from roomcode.protocol.engine import Answer, EngineError, Finish, Generation, Mask, Weighing
from roomcode.protocol.events import Usage

__all__ = ["Backend", "allowed", "decode_answer"]


class Backend(Protocol):
    """The native side: computing tokens and sampling from the last logits."""

    @property
    def context_size(self) -> int: ...
    @property
    def batch_size(self) -> int: ...
    @property
    def end_tokens(self) -> frozenset[int]: ...
    @property
    def aborted(self) -> bool: ...

    def compute(self, tokens: Sequence[int], position: int) -> bool:
        """Compute at most `batch_size` tokens; False when aborted (nothing of the batch counts then)."""
        ...

    def logits(self) -> npt.NDArray[np.float32]: ...
    def sample(self) -> int:
        """Sample from the last logits with the generation's settings."""
        ...

    def accept(self, token: int) -> None: ...
    def piece(self, token: int) -> bytes: ...


def allowed(mask: Mask, size: int) -> npt.NDArray[np.bool_]:
    """A bit mask as booleans, shape (size,)."""
    return np.unpackbits(mask.view(np.uint8), bitorder="little")[:size].view(np.bool_)


class _Abort(Exception):
    pass


def decode_answer(backend: Backend, slot: Slot, generation: Generation, emit: Callable[[str, int], None]) -> Answer:
    """Run one model call on `slot`. Raises EngineError when the prompt does not fit or computing fails."""
    run = _Run(backend, slot, generation, emit)
    return run.answer()


class _Run:
    def __init__(self, backend: Backend, slot: Slot, generation: Generation, emit: Callable[[str, int], None]) -> None:
        self._backend = backend
        self._slot = slot
        self._generation = generation
        self._constraint = generation.constraint
        self._weighing = self._constraint if isinstance(self._constraint, Weighing) else None
        self._limit = min(generation.max_tokens, backend.context_size - len(generation.tokens))
        self._tokens: list[int] = []
        self._chosen: list[bool] = []  # for each token of the answer, whether it was sampled
        self._text = AnswerText(backend.piece, emit)
        self._computed = 0  # of self._tokens, how many are in memory
        self._rewrites = 0
        self._streak = 0  # forced tokens in a row
        self._ended = False

    def answer(self) -> Answer:
        prompt = self._generation.tokens
        if not prompt or len(prompt) >= self._backend.context_size:
            raise EngineError(
                f"The conversation has {len(prompt)} tokens and the context {self._backend.context_size}; "
                "start a new task or choose a larger --context."
            )
        started = time.perf_counter()
        reused = self._slot.reuse(prompt)
        prefilled = 0.0
        try:
            self._prefill(prompt, reused)
            prefilled = time.perf_counter()
            finish = self._decode()
        except _Abort:
            finish = "aborted"
        new = len(prompt) - reused if prefilled else max(0, len(self._slot.tokens) - reused)
        prefilled = prefilled or time.perf_counter()
        self._text.finish()
        sampled = sum(self._chosen)
        usage = Usage(
            new=new,
            reused=reused,
            forced=len(self._tokens) - sampled,
            sampled=sampled,
            prefill_seconds=prefilled - started,
            seconds=time.perf_counter() - started,
        )
        return Answer(tuple(self._tokens), self._text.value, finish, usage, self._rewrites)

    def _prefill(self, prompt: Sequence[int], reused: int) -> None:
        parts = [len(prompt)]
        marks = (self._generation.prefix, len(prompt) - 1)
        if self._slot.keeps_marks:
            # One mark behind system prompt and tools, one before the last token: that one is computed again for its
            # logits whenever the answer is sampled anew.
            parts = sorted({mark for mark in marks if max(reused, 1) <= mark < len(prompt)}) + parts
        for end in parts:
            self._compute(prompt[reused:end])
            reused = end
            if end < len(prompt):
                self._slot.mark(pin=end == self._generation.prefix)

    def _compute(self, tokens: Sequence[int]) -> None:
        """Compute `tokens` behind those in memory."""
        step = self._backend.batch_size
        for start in range(0, len(tokens), step):
            if self._backend.aborted:
                raise _Abort
            piece = tokens[start : start + step]
            position = len(self._slot.tokens)
            if not self._backend.compute(piece, position):
                # What of this batch reached memory is not known.
                self._slot.go_back(position)
                raise _Abort
            self._slot.tokens.extend(piece)

    def _decode(self) -> Finish:
        constraint = self._constraint
        if constraint is not None:
            self._force(constraint.forced())
        while not self._ended:
            if self._streak > self._generation.forced_cap:
                return "forced"
            if len(self._tokens) >= self._limit:
                return "length"
            self._catch_up()
            token = self._next()
            self._streak = 0
            self._tokens.append(token)
            self._chosen.append(True)
            rewrite = constraint.commit(token) if constraint is not None else None
            if rewrite is not None:
                self._rewrite(rewrite.drop, rewrite.tokens)
            elif token in self._backend.end_tokens:
                return "stop"
            else:
                self._text.push(token)
            if constraint is not None:
                self._force(constraint.forced())
        return "stop"

    def _catch_up(self) -> None:
        """Compute the tokens of the answer that are not in memory yet, so that logits are those after the last one."""
        waiting = self._tokens[self._computed :]
        if waiting:
            self._compute(waiting)
            self._computed = len(self._tokens)

    def _next(self) -> int:
        constraint = self._constraint
        mask = constraint.mask() if constraint is not None else None
        if self._backend.aborted:
            raise _Abort
        if mask is None and not (constraint is not None and constraint.greedy):
            return self._backend.sample()
        logits = self._backend.logits()
        if mask is not None:
            permitted = allowed(mask, logits.shape[0])
            if not permitted.any():
                raise EngineError("The call format allows no token here; this is a bug in roomcode's grammar.")
            logits[~permitted] = -np.inf
            if self._weighing is not None:
                self._weighing.weigh(logits)
        if constraint is not None and constraint.greedy:
            token = int(logits.argmax())
            self._backend.accept(token)
            return token
        return self._backend.sample()

    def _force(self, tokens: Sequence[int]) -> None:
        self._streak += len(tokens)
        for token in tokens[: max(0, self._limit - len(self._tokens))]:
            self._tokens.append(token)
            self._chosen.append(False)
            self._backend.accept(token)
            if token in self._backend.end_tokens:
                self._ended = True
                break
            self._text.push(token)

    def _rewrite(self, drop: int, tokens: Sequence[int]) -> None:
        self._rewrites += 1
        keep = len(self._tokens) - drop
        added = tokens[: max(0, self._limit - keep)]
        self._tokens[keep:] = added
        self._chosen[keep:] = [False] * len(added)
        for token in added:
            self._backend.accept(token)
        self._text.replace(self._tokens)
        if keep < self._computed:
            reached = self._slot.go_back(len(self._slot.tokens) - (self._computed - keep))
            prompt = self._generation.tokens
            self._computed = max(0, reached - len(prompt))
            # A checkpoint may lie before the end of the prompt: compute the difference again.
            self._compute(prompt[reached:])
