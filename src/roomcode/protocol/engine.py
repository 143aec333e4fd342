"""Tokens in, tokens out: what the agent knows of an engine, and what an engine knows of a constraint.

Token ids are ints of the model's vocabulary. Everything here is plain data or a protocol; the real engine (llama.cpp)
and the scripted one live in `engine/`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from roomcode.protocol.events import Usage

__all__ = [
    "Answer",
    "Codec",
    "Constraint",
    "Engine",
    "EngineError",
    "EngineInfo",
    "Finish",
    "Generation",
    "Mask",
    "Matcher",
    "OnText",
    "Rewrite",
    "Sampling",
    "Weighing",
]

Mask = npt.NDArray[np.int32]
"""Bit set of allowed tokens, 32 to a word, lowest bit first; shape (ceil(vocab / 32),)."""

Finish = Literal["stop", "length", "aborted", "forced"]
"""`stop`: the model ended its turn. `length`: the cap was reached. `forced`: too many forced tokens in a
row, which means that the engine produces garbage."""


class EngineError(Exception):
    """The model or engine failed; the message is one sentence for the person, with the cause."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings of the sampler chain; temperature 0 means greedy."""

    temperature: float = 0.7
    top_k: int = 20
    top_p: float = 0.8
    min_p: float = 0.0
    repeat_penalty: float = 1.0
    repeat_last: int = 64
    """How many of the last tokens the repeat penalty looks at."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The last `drop` tokens of the answer are taken back and `tokens` put in their place."""

    drop: int
    tokens: tuple[int, ...]


class Codec(Protocol):
    """Text to tokens and back, for one vocabulary."""

    def encode(self, text: str, *, control: bool = False) -> list[int]:
        """Tokens of `text`. Only with `control` may control tokens come out of it."""
        ...

    def decode(self, tokens: Sequence[int]) -> bytes:
        """Bytes of `tokens`; control tokens as their text."""
        ...


class Matcher(Protocol):
    """One grammar being followed token by token."""

    def mask(self) -> Mask: ...

    def commit(self, token: int) -> bool:
        """Advance by one token; False (and no change) when the grammar does not allow it."""
        ...

    def forced(self) -> list[int]:
        """Tokens that must come next, in order; empty where there is a choice."""
        ...

    def rollback(self, count: int) -> None:
        """Take back the last `count` committed tokens."""
        ...

    def accepts(self, tokens: Sequence[int]) -> int:
        """How many of `tokens` could be committed, in order, from here."""
        ...

    @property
    def done(self) -> bool:
        """The grammar has been followed to its end and nothing may follow."""
        ...


class Constraint(Protocol):
    """Rules over the tokens of one answer. Called on the engine's thread, one call at a time."""

    def mask(self) -> Mask | None:
        """Tokens allowed next; None when any is."""
        ...

    def commit(self, token: int) -> Rewrite | None:
        """The token was sampled and is part of the answer. A rewrite replaces the end of the answer; its tokens are
        not committed again."""
        ...

    def forced(self) -> Sequence[int]:
        """Tokens that must come next. The engine adds them as one batch; they count as committed."""
        ...

    @property
    def greedy(self) -> bool:
        """Whether the next token is to be the most likely one."""
        ...


@runtime_checkable
class Weighing(Protocol):
    """What a constraint offers when it wants to see how likely the tokens are."""

    def weigh(self, logits: npt.NDArray[np.float32]) -> None:
        """The next token is taken from these, shape (vocabulary,); what the mask forbids is at minus infinity."""
        ...


@dataclass(frozen=True, slots=True)
class Generation:
    """One model call."""

    tokens: tuple[int, ...]
    """The whole prompt, from position 0."""
    max_tokens: int
    sampling: Sampling = field(default_factory=Sampling)
    constraint: Constraint | None = None
    prefix: int = 0
    """The first `prefix` tokens are system prompt and tools: their state stays pinned."""
    slot: int = 0
    forced_cap: int = 400
    """More forced tokens in a row than this end the answer with `forced`."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model call gave. `tokens` are exactly what was sampled and forced, with the end-of-turn token if any."""

    tokens: tuple[int, ...]
    text: str
    """Decoded tokens without the end-of-turn token; control tokens appear as their text."""
    finish: Finish
    usage: Usage
    rewrites: int = 0


OnText = Callable[[str, int], None]
"""(text, retract): first take back `retract` characters that were sent before, then append `text`. Called on the event
loop's thread, with whole characters only."""


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """Facts about the loaded model."""

    name: str
    path: str
    template: str
    """The chat template (Jinja source), or empty."""
    context: int
    """Tokens the engine's context holds."""
    parameters: int
    """Number of weights."""
    bos: str = ""
    eos: str = ""
    end_tokens: frozenset[int] = frozenset()
    """Tokens that end a turn."""
    devices: int = 1
    constrained: bool = True
    """Whether constraints are applied; the scripted engine does not."""
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Engine(Codec, Protocol):
    """Holds one model. All waiting is async; the work runs on the engine's own thread."""

    @property
    def info(self) -> EngineInfo: ...

    async def generate(self, generation: Generation, on_text: OnText) -> Answer:
        """Run one model call. Raises EngineError. After `abort` the answer so far comes back with finish `aborted`."""
        ...

    def matcher(self, grammar: str) -> Matcher:
        """Start following a grammar (llguidance's Lark dialect). Raises EngineError when it does not compile."""
        ...

    def abort(self) -> None:
        """Stop the running model call, also in prefill; harmless when none runs."""
        ...

    async def close(self) -> None: ...
