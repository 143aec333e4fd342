"""The real engine: one thread owns a llama.cpp model and its context, everyone else awaits."""

import asyncio
import contextvars
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
from roomcode.engine.matcher import GrammarMatcher
from roomcode.engine.slot import Slot
from roomcode.engine.states import SavedState, StateStore, state_key
from roomcode.engine.vocabulary import Vocabulary
from roomcode.engine.words import Words
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

    def __init__(self, path: Path) -> None:
        self._path = path
        self._executor = ThreadPoolExecutor(1, "engine")
        self._writer = ThreadPoolExecutor(1, "states")
        self._writing: Future[bool] | None = None
        self._abort = native.AbortFlag()
        self._words = Words(str(path))
        self._model: native.Model
        self._context: native.Context
        self._slot: Slot
        self._vocabulary: Vocabulary
        self._info: EngineInfo
        self._silent: frozenset[int] = frozenset()
        self._states: StateStore | None = None
        self._identity: tuple[str, ...] = ()
        self._closed = False

    @classmethod
    async def load(
        cls, path: Path, name: str, options: LlamaOptions, on_progress: Callable[[float], None] | None = None
    ) -> "LlamaEngine":
        """Load a GGUF. Raises EngineError. `on_progress` gets 0..1 on the engine's thread.

        When the caller is cancelled, so is the loading, and what was loaded is freed.
        """
        engine = cls(path)
        work = engine._on_thread(engine._load, name, options, on_progress)
        try:
            await asyncio.shield(work)
        except BaseException:
            engine._abort.set()
            await asyncio.wait([work])
            if not work.cancelled() and work.exception() is None:
                await engine.close()
            else:
                engine._let_go(wait=False)
            raise
        return engine

    def _load(self, name: str, options: LlamaOptions, on_progress: Callable[[float], None] | None) -> None:
        def progress(share: float) -> bool:
            # The file is a model, then, and llama.cpp is busy with it for a while.
            self._words.start()
            if on_progress is not None:
                on_progress(share)
            return not self._abort

        path = self._path
        model = native.Model(str(path), gpu_layers=options.gpu_layers, on_progress=progress)
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
        words = self._words.facts()
        self._silent = words.silent
        self._vocabulary = Vocabulary(
            lambda text, special: model.tokenize(text, special=special), model.piece, words.markers
        )
        bos, eos = model.bos(), model.eos()
        self._info = EngineInfo(
            name=name,
            path=str(path),
            template=model.template(),
            context=context.size,
            parameters=model.parameters,
            bos=model.token_text(bos) if bos >= 0 else "",
            eos=model.token_text(eos) if eos >= 0 else "",
            end_tokens=words.end_tokens,
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

    @property
    def info(self) -> EngineInfo:
        return self._info

    def encode(self, text: str, *, control: bool = False) -> list[int]:
        return self._vocabulary.encode(text, control=control)

    def decode(self, tokens: Sequence[int]) -> bytes:
        return self._vocabulary.decode(tokens)

    def matcher(self, grammar: str) -> Matcher:
        return GrammarMatcher(self._words.tokenizer(), grammar, self.encode)

    async def generate(self, generation: Generation, on_text: OnText) -> Answer:
        loop = asyncio.get_running_loop()
        # A thread has a context of its own; what starts tasks in `on_text` needs that of whoever asked.
        context = contextvars.copy_context()

        def emit(text: str, retract: int) -> None:
            loop.call_soon_threadsafe(on_text, text, retract, context=context)

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
        sampler = native.Sampler(generation.sampling, self._model.vocab_size, self._silent)
        backend = _Backend(self._model, self._context, sampler, self._abort, self._vocabulary, self._info.end_tokens)
        try:
            prefix = self._prefix_answer(backend, generation.tokens, generation.prefix)
            if prefix is not None and prefix.finish == "aborted":
                return prefix
            answer = decode_answer(backend, self._slot, generation, emit)
            return answer if prefix is None else _with_prefix(answer, prefix)
        except EngineError:
            self._slot.forget()
            raise
        finally:
            sampler.close()

    def _prefix_answer(self, backend: "_Backend", tokens: Sequence[int], size: int) -> Answer | None:
        """Have the prefix, the first `size` of `tokens`, in memory: from disk, or computed on its own and then kept on
        disk.

        Returns the answer (without tokens) of computing it, or None where nothing had to be computed.
        """
        prefix = tuple(tokens[:size])
        if self._states is None or not prefix or self._slot.reachable(tokens) >= size:
            return None
        key = state_key(self._identity, "prefix", prefix)
        self._end_writing()
        saved = self._states.load(key)
        if saved is not None and saved.tokens == prefix and self._adopt(saved):
            self._slot.mark(pin=True)
            return None
        computed = decode_answer(backend, self._slot, Generation(prefix, 0), lambda _text, _retract: None)
        if computed.finish != "aborted":
            self._slot.mark(pin=True)
            self._write(key, prefix)
        return computed

    def prepare(self, prefix: Sequence[int]) -> None:
        """Have system prompt and tools in memory before the first request needs them. Returns at once; a request or a
        wish to close that comes meanwhile is served next."""
        self._abort.clear()
        self._executor.submit(self._prepare, tuple(prefix))

    def _prepare(self, prefix: tuple[int, ...]) -> None:
        sampler = native.Sampler(Generation((), 0).sampling, self._model.vocab_size)
        backend = _Backend(self._model, self._context, sampler, self._abort, self._vocabulary, self._info.end_tokens)
        try:
            self._prefix_answer(backend, prefix, len(prefix))
        except EngineError as error:
            self._slot.forget()
            log.warning("the prefix could not be prepared: %s", error)
        finally:
            sampler.close()

    def _adopt(self, saved: SavedState) -> bool:
        """Put a saved state into the slot; False (and an empty slot) when llama.cpp does not take it."""
        self._slot.forget()
        if len(saved.tokens) >= self._context.size or not self._context.restore(0, saved.state, partial=False):
            self._slot.forget()
            return False
        self._slot.tokens = list(saved.tokens)
        return True

    async def save_slot(self, name: str) -> bool:
        """Keep the whole conversation's state on disk under `name`, so that reopening it computes nothing. It is
        written in the background, at the latest when the engine is closed. False when there is nothing to keep."""
        return await self._on_thread(self._save_slot, name)

    def _save_slot(self, name: str) -> bool:
        if self._states is None or not self._slot.tokens:
            return False
        self._write(state_key(self._identity, f"slot {name}"), tuple(self._slot.tokens), name)
        return True

    async def load_slot(self, name: str) -> int:
        """Bring back what `save_slot` kept; returns how many tokens need no computing. Where nothing was kept, memory
        stays as it is."""
        return await self._on_thread(self._load_slot, name)

    def _load_slot(self, name: str) -> int:
        if self._states is None:
            return 0
        self._end_writing()
        saved = self._states.load(state_key(self._identity, f"slot {name}"), name)
        return len(saved.tokens) if saved is not None and self._adopt(saved) else 0

    def _write(self, key: str, tokens: tuple[int, ...], owner: str = "") -> None:
        """Keep the state of the slot, which holds `tokens`. One at a time: each may be hundreds of megabytes."""
        assert self._states is not None
        self._end_writing()
        state = SavedState(tokens, self._context.save(0, partial=False))
        self._writing = self._writer.submit(self._states.save, key, state, owner)

    def _end_writing(self) -> None:
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()

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
        """Free the model, once what runs has ended and all states are on disk. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self.abort()
        await self._on_thread(self._close)
        self._executor.shutdown()

    def _close(self) -> None:
        self._let_go(wait=True)
        self._context.close()
        self._model.close()

    def _let_go(self, *, wait: bool) -> None:
        self._words.close(wait=wait)
        self._writer.shutdown(wait=wait)
        if not wait:
            self._executor.shutdown(wait=False)

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
