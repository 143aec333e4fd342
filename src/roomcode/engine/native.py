"""The few things roomcode needs of llama.cpp, through the low-level binding. The only place with pointers.

Everything here runs on the engine's thread, except `AbortFlag.set`.
"""

import ctypes
import logging
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import llama_cpp as lib
import numpy as np
import numpy.typing as npt

from roomcode.engine.states import State
from roomcode.protocol.engine import EngineError, Sampling

__all__ = [
    "AbortFlag",
    "Context",
    "ContextOptions",
    "Model",
    "Sampler",
    "default_batch",
    "library_version",
    "quiet_logs",
    "take_error",
]

log = logging.getLogger(__name__)

_STATE_PARTIAL_ONLY = 1  # LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY

CONTROL = 0x8  # LLAMA_TOKEN_ATTR_CONTROL
USER_DEFINED = 0x10  # LLAMA_TOKEN_ATTR_USER_DEFINED

ABORTED = 2
"""What `Context.decode` returns when the abort flag stopped it."""


def _log_line(level: int, text: bytes, _: Any) -> None:
    line = text.decode("utf-8", "replace").rstrip()
    if line:
        log.debug("%s", line)
        if level == 4:  # GGML_LOG_LEVEL_ERROR
            _last_error[:] = [line]


_last_error: list[str] = []
# The callback must outlive every model, so it is made once; llama.cpp itself keeps only one per process.
_log_callback = lib.llama_log_callback(_log_line)


def quiet_logs() -> None:
    """Send llama.cpp's log lines to the `logging` module instead of the terminal."""
    lib.llama_log_set(_log_callback, ctypes.c_void_p(0))


def take_error() -> str:
    """The last error line llama.cpp logged, and forget it; empty if there was none."""
    line = _last_error[-1] if _last_error else ""
    _last_error.clear()
    return line


def default_batch() -> int:
    """Tokens of one batch. A processor is as fast with small ones, and stops sooner: the largest matrix product of a
    batch is what a wish to stop waits for."""
    return 512 if lib.llama_supports_gpu_offload() else 128


def library_version() -> str:
    """The llama.cpp that made a state, as far as it says so."""
    return f"llama-cpp-python {lib.__version__}"


class AbortFlag:
    """A flag that llama.cpp looks at between graph nodes, without taking Python's lock.

    llama.cpp calls `bool f(void *data)` some thousand times per token. A Python function there would cost milliseconds
    and wait for the interpreter lock; libc's `strlen` has the same shape, and on a two-byte buffer it answers 0 or 1.
    """

    def __init__(self) -> None:
        self._buffer = ctypes.create_string_buffer(64)
        self._strlen = ctypes.CDLL(None).strlen

    @property
    def callback(self) -> Any:
        return ctypes.cast(self._strlen, lib.ggml_abort_callback)

    @property
    def data(self) -> ctypes.c_void_p:
        return ctypes.cast(self._buffer, ctypes.c_void_p)

    def set(self) -> None:
        self._buffer[0] = b"\x01"

    def clear(self) -> None:
        self._buffer[0] = b"\x00"

    def __bool__(self) -> bool:
        return self._buffer[0] != b"\x00"


class Model:
    """A loaded GGUF. Raises EngineError when llama.cpp cannot load it."""

    def __init__(
        self,
        path: str,
        *,
        gpu_layers: int = 0,
        on_progress: Callable[[float], bool] | None = None,
        vocab_only: bool = False,
    ) -> None:
        """`on_progress` is told the share that is done and says whether to go on: False ends the loading with an
        EngineError. With `vocab_only` there are no weights, and only what is about tokens and the template works."""
        quiet_logs()
        lib.llama_backend_init()
        params = lib.llama_model_default_params()
        params.n_gpu_layers = gpu_layers
        params.vocab_only = vocab_only
        # Read, not mapped: weights that llama.cpp rearranges for this processor would else be in memory twice.
        params.load_mode = lib.LLAMA_LOAD_MODE_NONE
        stopped = False

        def progress(fraction: float, _: Any) -> bool:
            nonlocal stopped
            stopped = on_progress is not None and not on_progress(fraction)
            return not stopped

        callback = lib.llama_progress_callback(progress)
        params.progress_callback = callback
        take_error()
        pointer = lib.llama_model_load_from_file(path.encode(), params)
        if not pointer:
            if stopped:
                raise EngineError("The loading of the model was stopped.")
            raise EngineError(f"llama.cpp cannot load {path}: {take_error() or 'no reason given'}")
        self.pointer = pointer
        self.vocab = lib.llama_model_get_vocab(pointer)
        self.vocab_size: int = lib.llama_vocab_n_tokens(self.vocab)
        self.parameters: int = lib.llama_model_n_params(pointer)
        self.training_context: int = lib.llama_model_n_ctx_train(pointer)
        self.cuttable = not (lib.llama_model_is_recurrent(pointer) or lib.llama_model_is_hybrid(pointer))
        """Whether any tail of a sequence can be removed from memory."""

    def template(self) -> str:
        raw = lib.llama_model_chat_template(self.pointer, None)
        return raw.decode("utf-8", "replace") if raw else ""

    def ends_turn(self, token: int) -> bool:
        return bool(lib.llama_vocab_is_eog(self.vocab, token))

    def token_text(self, token: int) -> str:
        raw = lib.llama_vocab_get_text(self.vocab, token)
        return raw.decode("utf-8", "replace") if raw else ""

    def bos(self) -> int:
        return int(lib.llama_vocab_bos(self.vocab))

    def eos(self) -> int:
        return int(lib.llama_vocab_eos(self.vocab))

    def eot(self) -> int:
        return int(lib.llama_vocab_eot(self.vocab))

    def tokenize(self, text: bytes, *, special: bool) -> list[int]:
        if not self.pointer:
            raise EngineError("The model is closed.")
        size = len(text) + 8
        while True:
            buffer = (lib.llama_token * size)()
            count = lib.llama_tokenize(self.vocab, text, len(text), buffer, size, False, special)
            if count >= 0:
                return list(buffer[:count])
            size = -count

    def piece(self, token: int) -> bytes:
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            count = lib.llama_token_to_piece(self.vocab, token, buffer, size, 0, True)
            if count >= 0:
                return buffer.raw[:count]
            size = -count

    def pieces(self) -> list[bytes]:
        """The bytes of every token."""
        size = 256
        buffer = ctypes.create_string_buffer(size)
        view = memoryview(buffer).cast("B")
        to_piece, vocab = lib.llama_token_to_piece, self.vocab
        found: list[bytes] = []
        for token in range(self.vocab_size):
            count = to_piece(vocab, token, buffer, size, 0, True)
            found.append(view[:count].tobytes() if count >= 0 else self.piece(token))
        return found

    def flags(self) -> list[int]:
        """What llama.cpp says about every token: see CONTROL and USER_DEFINED."""
        flags_of, vocab = lib.llama_vocab_get_attr, self.vocab
        return [flags_of(vocab, token) for token in range(self.vocab_size)]

    @staticmethod
    def tokenize_address() -> int:
        """Where `llama_tokenize` is, for llguidance."""
        return ctypes.cast(lib.llama_cpp._lib.llama_tokenize, ctypes.c_void_p).value or 0

    def close(self) -> None:
        if self.pointer:
            lib.llama_model_free(self.pointer)
            self.pointer = None


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """Sizes in tokens."""

    size: int
    threads: int
    batch: int = 512
    sequences: int = 1


class Context:
    """Memory and graph for one or more sequences of a model."""

    def __init__(self, model: Model, options: ContextOptions, abort: AbortFlag) -> None:
        params = lib.llama_context_default_params()
        params.n_ctx = options.size
        params.n_batch = options.batch
        params.n_ubatch = options.batch
        params.n_seq_max = options.sequences
        params.n_threads = options.threads
        params.n_threads_batch = options.threads
        params.kv_unified = True
        # A sliding window keeps all its keys and values, so that it can be cut anywhere like plain attention.
        params.swa_full = True
        params.no_perf = True
        take_error()
        pointer = lib.llama_init_from_model(model.pointer, params)
        if not pointer:
            raise EngineError(
                f"There is not enough memory for a context of {options.size} tokens "
                f"({take_error() or 'llama.cpp gave no reason'}); choose a smaller one with --context."
            )
        self.pointer = pointer
        self.options = options
        self.size: int = lib.llama_n_ctx(pointer)
        self.memory = lib.llama_get_memory(pointer)
        self._vocab_size = model.vocab_size
        self._abort = abort  # kept alive as long as llama.cpp may call it
        self._abort_callback = abort.callback
        lib.llama_set_abort_callback(pointer, self._abort_callback, abort.data)
        self._batch = lib.llama_batch_init(options.batch, 0, 1)

    def decode(self, tokens: Sequence[int], position: int, sequence: int) -> int:
        """Compute at most one batch of tokens; logits for the last one. Returns llama.cpp's code (0 is good)."""
        batch = self._batch
        count = len(tokens)
        batch.n_tokens = count
        for i, token in enumerate(tokens):
            batch.token[i] = token
            batch.pos[i] = position + i
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = sequence
            batch.logits[i] = 0
        batch.logits[count - 1] = 1
        return int(lib.llama_decode(self.pointer, batch))

    def logits(self) -> npt.NDArray[np.float32]:
        """Logits of the last decoded token, shape (vocabulary,); a view that may be written to."""
        pointer = lib.llama_get_logits_ith(self.pointer, -1)
        return np.ctypeslib.as_array(pointer, shape=(self._vocab_size,))

    def cut(self, sequence: int, position: int) -> bool:
        """Remove everything from `position` on; False where the memory cannot be cut there."""
        return bool(lib.llama_memory_seq_rm(self.memory, sequence, position, -1))

    def last_position(self, sequence: int) -> int:
        """The last position in memory, -1 when the sequence is empty."""
        return int(lib.llama_memory_seq_pos_max(self.memory, sequence))

    def clear(self, sequence: int) -> None:
        lib.llama_memory_seq_rm(self.memory, sequence, -1, -1)

    def save(self, sequence: int, *, partial: bool) -> State:
        """State of a sequence; with `partial` only the part that cannot be cut (recurrent state, sliding window)."""
        flags = _STATE_PARTIAL_ONLY if partial else 0
        size = lib.llama_state_seq_get_size_ext(self.pointer, sequence, flags)
        buffer = (ctypes.c_uint8 * size)()
        written = lib.llama_state_seq_get_data_ext(self.pointer, buffer, size, sequence, flags)
        return memoryview(buffer).cast("B")[:written]

    def restore(self, sequence: int, state: State, *, partial: bool) -> bool:
        flags = _STATE_PARTIAL_ONLY if partial else 0
        # NumPy gives the address of bytes that may only be read, without copying them.
        data = np.frombuffer(state, np.uint8)
        pointer = data.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
        return bool(lib.llama_state_seq_set_data_ext(self.pointer, pointer, len(data), sequence, flags))

    def close(self) -> None:
        if self.pointer:
            lib.llama_batch_free(self._batch)
            lib.llama_free(self.pointer)
            self.pointer = None


class Sampler:
    """llama.cpp's own sampler chain for one answer; it never gives a token of `silent`."""

    def __init__(self, sampling: Sampling, vocab_size: int, silent: Collection[int] = ()) -> None:
        params = lib.llama_sampler_chain_default_params()
        params.no_perf = True
        chain = lib.llama_sampler_chain_init(params)
        add = lib.llama_sampler_chain_add
        if silent:
            never = (lib.llama_logit_bias * len(silent))(*((token, -math.inf) for token in silent))
            add(chain, lib.llama_sampler_init_logit_bias(vocab_size, len(silent), never))
        if sampling.repeat_penalty != 1.0:
            penalties = (vocab_size, sampling.repeat_last, sampling.repeat_penalty, 0.0, 0.0)
            add(chain, lib.llama_sampler_init_penalties(*penalties))
        if sampling.temperature <= 0:
            add(chain, lib.llama_sampler_init_greedy())
        else:
            if sampling.top_k > 0:
                add(chain, lib.llama_sampler_init_top_k(sampling.top_k))
            if sampling.top_p < 1:
                add(chain, lib.llama_sampler_init_top_p(sampling.top_p, 1))
            if sampling.min_p > 0:
                add(chain, lib.llama_sampler_init_min_p(sampling.min_p, 1))
            add(chain, lib.llama_sampler_init_temp(sampling.temperature))
            add(chain, lib.llama_sampler_init_dist(sampling.seed & 0xFFFFFFFF))
        self._chain = chain

    def sample(self, context: Context) -> int:
        return int(lib.llama_sampler_sample(self._chain, context.pointer, -1))

    def accept(self, token: int) -> None:
        """Tell the repeat penalty of a token that was not sampled here."""
        lib.llama_sampler_accept(self._chain, token)

    def close(self) -> None:
        if self._chain:
            lib.llama_sampler_free(self._chain)
            self._chain = None
