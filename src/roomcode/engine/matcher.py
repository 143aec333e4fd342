"""Grammars followed token by token, with llguidance."""

from collections.abc import Callable, Sequence
from typing import Any

import llguidance
import llguidance.numpy
import numpy as np

from roomcode.protocol.engine import EngineError, Mask

__all__ = ["GrammarMatcher", "grammar_tokenizer"]


def grammar_tokenizer(
    pieces: Sequence[bytes], special: Sequence[bool], vocab: Any, tokenize: int, ends: Sequence[int]
) -> llguidance.LLTokenizer:
    """llguidance's view of a llama.cpp vocabulary; takes about a second for 150,000 tokens.

    `pieces` and `special` go by token; `tokenize` is the address of `llama_tokenize`, which llguidance calls itself.
    """
    # A leading 0xFF keeps a special token apart from the same text spelled out.
    tokens = [b"\xff" + piece if apart else piece for piece, apart in zip(pieces, special, strict=True)]
    return llguidance.LLTokenizer.from_llamacpp(
        tokens=tokens, vocab_ptr=vocab, tokenize_fptr=tokenize, eos_token=list(ends)
    )


_FUEL = 10_000_000
"""What a grammar and a mask may cost, in expressions: some tenths of a second. A piece of a long file takes 500,000."""


class GrammarMatcher:
    """One grammar (llguidance's Lark dialect) being followed. Making one, and a mask, raises EngineError where it does
    not compile or is too complex."""

    def __init__(self, tokenizer: llguidance.LLTokenizer, grammar: str, encode: Callable[[str], Sequence[int]]) -> None:
        """`encode` gives tokens of text none of which is a marker."""
        self._encode = encode
        limits = llguidance.LLParserLimits(initial_lexer_fuel=_FUEL, step_lexer_fuel=_FUEL)
        self._matcher = llguidance.LLMatcher(tokenizer, grammar, log_level=0, limits=limits)
        if error := self._matcher.get_error():
            raise EngineError(f"The grammar of a tool call does not compile: {error}")
        self._bitmask = llguidance.numpy.allocate_token_bitmask(1, tokenizer.vocab_size)

    def mask(self) -> Mask:
        llguidance.numpy.fill_next_token_bitmask(self._matcher, self._bitmask, 0)
        if self._matcher.is_error():
            raise EngineError(f"The grammar of a tool call became too complex: {self._matcher.get_error()}")
        mask: Mask = self._bitmask[0].view(np.int32)
        return mask

    def commit(self, token: int) -> bool:
        if self._matcher.validate_tokens([token]) != 1:
            return False
        return bool(self._matcher.consume_token(token))

    def forced(self) -> list[int]:
        if self._matcher.is_stopped():
            return []
        tokens = list(self._matcher.compute_ff_tokens())
        if self._matcher.validate_tokens(tokens) < len(tokens):
            # llama.cpp reads the text of some markers as the marker, even where that is not what the grammar allows.
            text = self._matcher.compute_ff_bytes().decode("utf-8", "ignore")
            tokens = list(self._encode(text))
            tokens = tokens[: self._matcher.validate_tokens(tokens)]
        return tokens

    def rollback(self, count: int) -> None:
        if count:
            self._matcher.rollback(count)

    def accepts(self, tokens: Sequence[int]) -> int:
        return int(self._matcher.validate_tokens(list(tokens)))

    @property
    def done(self) -> bool:
        return bool(self._matcher.is_stopped())
