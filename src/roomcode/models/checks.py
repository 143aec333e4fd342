"""Whether a model file can be run here: asked before llama.cpp sees it, because that may crash the process."""

from importlib.util import find_spec
from pathlib import Path

from roomcode.models.errors import ModelError
from roomcode.models.facts import ModelFacts, inspect
from roomcode.models.memory import available_memory, default_context, memory_needed

__all__ = ["check", "check_facts", "check_memory", "size_text"]

_NO_CHAT = frozenset(["gemma-embedding", "llama-embed", "t5encoder", "wavtokenizer-dec", "eurobert"])
"""Architectures that turn text into vectors or sound: llama.cpp loads them, but they cannot answer."""
_COMMON = frozenset(["llama", "qwen2", "qwen3"])
"""Known to every llama.cpp of the last years: no need to look them up."""


def check(path: Path, *, context: int = 0, memory: int | None = None) -> ModelFacts:
    """The facts of a model that can be run; raises ModelError with one sentence that says why not and what to do.

    `context` is the wanted context in tokens (0: the default for this model), `memory` the free memory in bytes
    (None: measure it).
    """
    facts = inspect(path)
    check_facts(facts)
    check_memory(facts, context=context, memory=available_memory() if memory is None else memory)
    return facts


def check_facts(facts: ModelFacts) -> None:
    """Raise ModelError when the file itself cannot be run, whatever the machine."""
    path = facts.path
    if facts.part > 1:
        first = facts.path.name.replace(f"-{facts.part:05d}-of-", "-00001-of-")
        named = "" if first == facts.path.name else f", {first}"
        raise ModelError(f"{path} is part {facts.part} of a split model: give its first part{named}.")
    if facts.missing_parts:
        what = facts.missing_parts[0] + (" …" if len(facts.missing_parts) > 1 else "")
        raise ModelError(f"{path} is the first part of a split model, but {what} is missing: download all parts.")
    if facts.architecture == "clip" or facts.kind == "mmproj":
        raise ModelError(f"{path} is the vision part of a model (mmproj): give the language model's own GGUF file.")
    if facts.kind == "adapter":
        raise ModelError(f"{path} is a LoRA adapter, not a model: give the GGUF file of the whole model.")
    if facts.kind == "imatrix":
        raise ModelError(f"{path} is an importance matrix, not a model: give the GGUF file of the model.")
    if facts.architecture in _NO_CHAT or "bert" in facts.architecture.split("-"):
        raise ModelError(
            f"{path} is no chat model (its architecture is {facts.architecture}): choose one from `roomcode models`."
        )
    if not facts.architecture:
        raise ModelError(f"{path} does not say its architecture: it is damaged or not a language model.")
    if not is_known_architecture(facts.architecture):
        raise ModelError(
            f"{path} has the architecture {facts.architecture!r}, which this llama.cpp does not know: "
            "update llama-cpp-python, or choose a model from `roomcode models`."
        )
    if facts.weights == 0:
        raise ModelError(f"{path} holds a vocabulary but no weights: download the full model.")
    if facts.size < facts.expected_size:
        raise ModelError(
            f"{path} is cut short ({size_text(facts.size)} of {size_text(facts.expected_size)}): download it again."
        )


def check_memory(facts: ModelFacts, *, context: int, memory: int) -> None:
    """Raise ModelError when weights and KV cache do not fit into `memory` bytes."""
    wanted = context or default_context(
        facts.parameters,
        facts.training_context,
        weights=facts.size,
        kv_bytes_per_token=facts.kv_bytes_per_token,
        memory=memory,
    )
    needed = memory_needed(facts.size, facts.kv_bytes_per_token, wanted)
    if needed <= memory:
        return
    if memory_needed(facts.size, facts.kv_bytes_per_token, 2048) <= memory:
        advice = "choose a smaller context"
    else:
        advice = "close other programs or choose a smaller model from `roomcode models`"
    raise ModelError(
        f"{facts.path.name} needs {size_text(needed)} of memory with a context of {wanted} tokens "
        f"and {size_text(memory)} is free: {advice}."
    )


def is_known_architecture(name: str) -> bool:
    """Whether the installed llama.cpp can know this architecture.

    Its library holds the names it knows as text, which is truer than any list: the list in the `gguf` package is
    released apart from it. That list is still asked last, because a compiler may build short names into the code.
    """
    return name in _COMMON or _in_library(name) or _in_gguf_package(name)


def _in_library(name: str) -> bool:
    spec = find_spec("llama_cpp")
    if spec is None or spec.origin is None or not (name and name.isascii()):
        return False
    folder = Path(spec.origin).parent / "lib"
    libraries = (
        sorted(folder.glob("*llama.so")) + sorted(folder.glob("*llama.dylib")) + sorted(folder.glob("*llama.dll"))
    )
    return any(b"\0" + name.encode() + b"\0" in library.read_bytes() for library in libraries)


def _in_gguf_package(name: str) -> bool:
    from gguf.constants import MODEL_ARCH_NAMES

    return name in MODEL_ARCH_NAMES.values()


def size_text(size: int) -> str:
    """Bytes for people: `1.1 GB`, `98 MB`."""
    if size >= 1_000_000_000:
        return f"{size / 1e9:.1f} GB"
    if size >= 1_000_000:
        return f"{size / 1e6:.0f} MB"
    if size >= 1_000:
        return f"{size / 1e3:.0f} kB"
    return f"{size} bytes"
