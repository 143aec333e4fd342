"""What a model's vocabulary says, read beside the weights.

Reading 150,000 tokens and building llguidance's view of them takes one to two seconds in Python. llama.cpp gives the
interpreter free while it loads the weights, so that this costs no time of its own: the vocabulary is read from the file
once more, without weights, on a thread of its own.
"""

import logging
import re
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from roomcode.engine import native
from roomcode.engine.matcher import grammar_tokenizer
from roomcode.engine.vocabulary import CHAT_MARKERS
from roomcode.protocol.engine import EngineError

__all__ = ["WordFacts", "Words"]

_SPOKEN = re.compile(
    r"tool|call|function|think|reason|channel|message|constrain|return|action|plan|respon", re.IGNORECASE
)
"""Control tokens that some models' answers do hold: around calls, thoughts and channels."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WordFacts:
    """`markers` are texts that must stay text in foreign input: control tokens, and user-defined ones that the template
    uses. `end_tokens` end a turn. `silent` are control tokens that no answer has a use for, like the one that begins a
    turn: a small model that samples one goes on to play somebody else's part."""

    markers: frozenset[str]
    end_tokens: frozenset[int]
    silent: frozenset[int]


class Words:
    """The vocabulary of the model at `path`. Nothing is read before `start`."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(1, "words")
        self._model: native.Model | None = None
        self._flags: list[int] = []
        self._closing = False
        self._facts: Future[WordFacts] | None = None
        self._tokenizer: Future[Any] | None = None

    def start(self) -> None:
        """Begin to read; harmless when that has been done."""
        if self._facts is None:
            self._facts = self._thread.submit(self._read)
            self._tokenizer = self._thread.submit(self._build)

    def facts(self) -> WordFacts:
        """Blocks until they are known. Raises EngineError."""
        self.start()
        assert self._facts is not None
        return self._facts.result()

    def tokenizer(self) -> Any:
        """llguidance's view of the vocabulary. Blocks until it is built. Raises EngineError."""
        self.start()
        assert self._tokenizer is not None
        return self._tokenizer.result()

    def close(self, *, wait: bool = True) -> None:
        """Free everything; what is being built is given up as soon as that is possible."""
        self._closing = True
        self._thread.submit(self._free)
        self._thread.shutdown(wait=wait)

    def _read(self) -> WordFacts:
        model = self._model = native.Model(self._path, vocab_only=True, on_progress=lambda _share: not self._closing)
        self._go_on()
        self._flags = model.flags()
        template = model.template()
        markers = set(CHAT_MARKERS)
        ends = {model.eos(), model.eot()}
        silent: set[int] = set()
        for token, flags in enumerate(self._flags):
            if flags & (native.CONTROL | native.USER_DEFINED):
                ends.add(token)
                text = model.token_text(token)
                if flags & native.CONTROL and not _SPOKEN.search(text):
                    silent.add(token)
                if flags & native.CONTROL or text in template:
                    markers.add(text)
        end_tokens = frozenset(token for token in ends if token >= 0 and model.ends_turn(token))
        return WordFacts(
            frozenset(marker for marker in markers if marker.strip()), end_tokens, frozenset(silent - end_tokens)
        )

    def _build(self) -> Any:
        assert self._facts is not None
        self._facts.result()
        model = self._model
        assert model is not None
        self._go_on()
        pieces = model.pieces()
        self._go_on()
        special = [
            bool(flags & native.CONTROL)
            or bool(flags & native.USER_DEFINED and piece[:1] == b"<" and piece[-1:] == b">")
            for piece, flags in zip(pieces, self._flags, strict=True)
        ]
        return grammar_tokenizer(pieces, special, model.vocab, model.tokenize_address(), [model.eos()])

    def _go_on(self) -> None:
        if self._closing:
            raise EngineError("The model is closed.")

    def _free(self) -> None:
        if self._model is not None:
            self._model.close()
