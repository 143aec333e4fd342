"""The real engine: one thread owns a llama.cpp model and its context, everyone else awaits."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
import psutil

from roomcode.engine import native
from roomcode.engine.decoding import decode_answer
from roomcode.engine.matcher import GrammarMatcher, grammar_tokenizer
from roomcode.engine.slot import Slot, common_prefix
from roomcode.engine.states import SavedState, StateStore, state_key
from roomcode.engine.vocabulary import CHAT_MARKERS, Vocabulary
from roomcode.protocol.engine import Answer, EngineError, EngineInfo, Generation, Matcher, OnText

__all__ = ["LlamaEngine", "LlamaOptions"]

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LlamaOptions:
    """How to load a model. `context` in tokens; `threads` 0 means the physical cores."""

    context: int
    threads: int = 0
    batch: int = 0
    """Tokens of one batch; 0 means what suits the machine."""
    gpu_layers: int = -1
    checkpoints: int = 8
    states: Path | None = None
    """Folder for computed states; None keeps none."""


class LlamaEngine:
    """An `Engine` on llama.cpp. Make one with `LlamaEngine.load`."""

    def __init__(self, executor: ThreadPoolExecutor, abort: native.AbortFlag) -> None:
        self._executor = executor
        self._abort = abort
        self._model: native.Model
        self._context: native.Context
        self._slot: Slot
        self._vocabulary: Vocabulary
        self._info: EngineInfo
        self._helper: ThreadPoolExecutor
        self._states: StateStore | None = None
        self._identity: tuple[str, ...] = ()
        self._grammars: Future[Any]

    @classmethod
    async def load(
        cls, path: Path, name: str, options: LlamaOptions, on_progress: Callable[[float], None] | None = None
    ) -> "LlamaEngine":
        """Load a GGUF. Raises EngineError. `on_progress` gets 0..1 on the engine's thread."""
        engine = cls(ThreadPoolExecutor(1, "engine"), native.AbortFlag())
        try:
            await engine._on_thread(engine._load, path, name, options, on_progress)
        except BaseException:
            engine._executor.shutdown(wait=False)
            raise
        return engine

    def _load(self, path: Path, name: str, options: LlamaOptions, on_progress: Callable[[float], None] | None) -> None:
        model = native.Model(str(path), gpu_layers=options.gpu_layers, on_progress=on_progress)
        try:
            threads = options.threads or psutil.cpu_count(logical=False) or 1
            size = min(options.context, model.training_context or options.context)
            context = native.Context(
                model, native.ContextOptions(size, threads, options.batch or native.default_batch()), self._abort
            )
        except BaseException:
            model.close()
            raise
        self._model = model
        self._context = context
        self._slot = Slot(context, 0, cuttable=model.cuttable, checkpoints=options.checkpoints)
        template = model.template()
        self._vocabulary = Vocabulary(
            lambda text, special: model.tokenize(text, special=special), model.piece, _markers(model, template)
        )
        bos, eos = model.bos(), model.eos()
        self._info = EngineInfo(
            name=name,
            path=str(path),
            template=template,
            context=context.size,
            parameters=model.parameters,
            bos=model.token_text(bos) if bos >= 0 else "",
            eos=model.token_text(eos) if eos >= 0 else "",
            end_tokens=model.end_tokens(),
        )

        if options.states is not None:
            self._states = StateStore(options.states)
            facts = path.stat()
            self._identity = (
                str(path.resolve()),
                f"{facts.st_size} {facts.st_mtime_ns}",
                native.library_version(),
                f"checkpoints {options.checkpoints}",
            )
        # Takes about a second in Python, so it runs beside the first prefill; the vocabulary itself never changes.
        self._helper = ThreadPoolExecutor(1, "grammars")
        self._grammars = self._helper.submit(self._grammar_tokenizer)

    def _grammar_tokenizer(self) -> Any:
        model = self._model
        pieces, special = model.vocabulary()
        return grammar_tokenizer(pieces, special, model.vocab, model.tokenize_address(), [model.eos()])

    @property
    def info(self) -> EngineInfo:
        return self._info

    def encode(self, text: str, *, control: bool = False) -> list[int]:
        return self._vocabulary.encode(text, control=control)

    def decode(self, tokens: Sequence[int]) -> bytes:
        return self._vocabulary.decode(tokens)

    def matcher(self, grammar: str) -> Matcher:
        return GrammarMatcher(self._grammars.result(), grammar)

    async def generate(self, generation: Generation, on_text: OnText) -> Answer:
        loop = asyncio.get_running_loop()

        def emit(text: str, retract: int) -> None:
            loop.call_soon_threadsafe(on_text, text, retract)

        self._abort.clear()
        work = self._on_thread(self._generate, generation, emit)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            # The thread must be out of llama.cpp before anything else may use the slot.
            self.abort()
            await asyncio.wait([work])
            raise

    def _generate(self, generation: Generation, emit: Callable[[str, int], None]) -> Answer:
        sampler = native.Sampler(generation.sampling, self._model.vocab_size)
        backend = _Backend(self._model, self._context, sampler, self._abort, self._vocabulary, self._info.end_tokens)
        try:
            prefix = self._prefix_answer(backend, generation)
            if prefix is not None and prefix.finish == "aborted":
                return prefix
            answer = decode_answer(backend, self._slot, generation, emit)
            return answer if prefix is None else _with_prefix(answer, prefix)
        except EngineError:
            self._slot.forget()
            raise
        finally:
            sampler.close()

    def _prefix_answer(self, backend: "_Backend", generation: Generation) -> Answer | None:
        """Have the prefix in memory: from disk, or computed on its own and then kept on disk.

        Returns the answer (without tokens) of computing it, or None where nothing had to be computed.
        """
        prefix = generation.tokens[: generation.prefix]
        if self._states is None or not prefix or common_prefix(self._slot.tokens, prefix) == len(prefix):
            return None
        key = state_key(self._identity, "prefix", prefix)
        saved = self._states.load(key)
        if saved is not None and saved.tokens == prefix and self._adopt(saved):
            self._slot.mark(pin=True)
            return None
        computed = decode_answer(backend, self._slot, Generation(prefix, 0), lambda _text, _retract: None)
        if computed.finish != "aborted":
            self._slot.mark(pin=True)
            state = SavedState(prefix, self._context.save(0, partial=False))
            self._helper.submit(self._states.save, key, state)
        return computed

    def _adopt(self, saved: SavedState) -> bool:
        """Put a saved state into the slot; False (and an empty slot) when llama.cpp does not take it."""
        self._slot.forget()
        if len(saved.tokens) >= self._context.size or not self._context.restore(0, saved.state, partial=False):
            self._slot.forget()
            return False
        self._slot.tokens = list(saved.tokens)
        return True

    async def save_slot(self, name: str) -> bool:
        """Keep the whole conversation's state on disk under `name`, so that reopening it computes nothing."""
        return await self._on_thread(self._save_slot, name)

    def _save_slot(self, name: str) -> bool:
        if self._states is None or not self._slot.tokens:
            return False
        state = SavedState(tuple(self._slot.tokens), self._context.save(0, partial=False))
        return self._states.save(state_key(self._identity, f"slot {name}"), state)

    async def load_slot(self, name: str) -> int:
        """Bring back what `save_slot` kept; returns how many tokens need no computing."""
        return await self._on_thread(self._load_slot, name)

    def _load_slot(self, name: str) -> int:
        saved = self._states.load(state_key(self._identity, f"slot {name}")) if self._states is not None else None
        return len(saved.tokens) if saved is not None and self._adopt(saved) else 0

    def abort(self) -> None:
        self._abort.set()

    async def next_token_logits(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        """Logits after `tokens`, shape (vocabulary,), reusing what the slot holds; for tests and comparisons."""

        def compute() -> npt.NDArray[np.float32]:
            self._abort.clear()
            found: list[npt.NDArray[np.float32]] = []
            sampler = native.Sampler(Generation((), 0).sampling, self._model.vocab_size)
            backend = _Backend(
                self._model, self._context, sampler, self._abort, self._vocabulary, frozenset(), found.append
            )
            try:
                decode_answer(backend, self._slot, Generation(tuple(tokens), 1), lambda _text, _retract: None)
            finally:
                sampler.close()
            return found[0]

        return await self._on_thread(compute)

    async def forget(self) -> None:
        """Empty the slot: the next prompt is computed from its first token."""
        await self._on_thread(self._slot.forget)

    async def close(self) -> None:
        self.abort()
        await self._on_thread(self._close)
        self._executor.shutdown()

    def _close(self) -> None:
        self._helper.shutdown()
        self._context.close()
        self._model.close()

    def _on_thread(self, function: Callable[..., T], *args: Any) -> "asyncio.Future[T]":
        return asyncio.get_running_loop().run_in_executor(self._executor, function, *args)


def _with_prefix(answer: Answer, prefix: Answer) -> Answer:
    """The usage of both: the prefix was computed for this answer."""
    usage = answer.usage
    seconds = prefix.usage.seconds
    return replace(
        answer,
        usage=msgspec.structs.replace(
            usage,
            new=usage.new + prefix.usage.new,
            reused=usage.reused - prefix.usage.new,
            prefill_seconds=usage.prefill_seconds + seconds,
            seconds=usage.seconds + seconds,
        ),
    )


def _markers(model: native.Model, template: str) -> set[str]:
    """Texts that must stay text in foreign input: control tokens, and user-defined ones that the template uses."""
    markers = set(CHAT_MARKERS)
    for token in range(model.vocab_size):
        flags = model.token_flags(token)
        if flags & (native.CONTROL | native.USER_DEFINED):
            text = model.token_text(token)
            if flags & native.CONTROL or text in template:
                markers.add(text)
    return {m for m in markers if m.strip()}


class _Backend:
    """The native model as the decode loop sees it, for one answer."""

    def __init__(
        self,
        model: native.Model,
        context: native.Context,
        sampler: native.Sampler,
        abort: native.AbortFlag,
        vocabulary: Vocabulary,
        end_tokens: frozenset[int],
        on_logits: Callable[[npt.NDArray[np.float32]], None] | None = None,
    ) -> None:
        self._model = model
        self._context = context
        self._sampler = sampler
        self._abort = abort
        self._end_tokens = end_tokens
        self._on_logits = on_logits
        self.piece = vocabulary.piece
        self.accept = sampler.accept

    @property
    def context_size(self) -> int:
        return self._context.size

    @property
    def batch_size(self) -> int:
        return self._context.options.batch

    @property
    def end_tokens(self) -> frozenset[int]:
        return self._end_tokens

    @property
    def aborted(self) -> bool:
        return bool(self._abort)

    def compute(self, tokens: Sequence[int], position: int) -> bool:
        code = self._context.decode(tokens, position, 0)
        if code == 0:
            return True
        if code == native.ABORTED or self._abort:
            return False
        reason = native.take_error()
        if code == 1:
            raise EngineError("The context is full: start a new task or choose a larger --context.")
        raise EngineError(f"llama.cpp failed while computing (code {code}): {reason or 'no reason given'}")

    def logits(self) -> npt.NDArray[np.float32]:
        return self._context.logits()

    def sample(self) -> int:
        if self._on_logits is not None:
            self._on_logits(self._context.logits().copy())
        return self._sampler.sample(self._context)
