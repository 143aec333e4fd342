"""How much memory there is, how much a model needs, and which context size follows from both."""

import math
from pathlib import Path

__all__ = ["available_memory", "default_context", "memory_needed", "total_memory"]

_GB = 1000**3
_OVERHEAD = 400_000_000
"""Bytes for the compute buffers, the vocabulary and roomcode itself, beyond weights and KV cache."""
_SMALLEST = 2048
"""A context below this cannot hold the system prompt, a file and an answer."""
_STEP = 1024
_TOLERANCE = 1.05
"""Models are named after rounded sizes: a `2B` model may hold a little more than two billion weights."""
_SIZES = ((2e9, 8192), (30e9, 16384), (math.inf, 32768))


def memory_needed(weights: int, kv_bytes_per_token: int, context: int) -> int:
    """Bytes of memory that a model takes with a context of `context` tokens."""
    return weights + kv_bytes_per_token * context + _OVERHEAD


def default_context(
    parameters: int,
    training_context: int = 0,
    *,
    weights: int = 0,
    kv_bytes_per_token: int = 0,
    memory: int | None = None,
) -> int:
    """Tokens of context a model gets when nobody says otherwise.

    Up to 2 billion weights 8,192, up to 30 billion 16,384, above 32,768; never more than the model was trained on
    (`training_context`, 0 when unknown), and never more than fits into `memory` bytes together with the weights, but
    at least 2,048 (or the training context, if that is less).
    """
    context = next(tokens for limit, tokens in _SIZES if parameters <= limit * _TOLERANCE)
    if training_context > 0:
        context = min(context, training_context)
    if memory is not None and kv_bytes_per_token > 0:
        room = (memory - memory_needed(weights, kv_bytes_per_token, 0)) // kv_bytes_per_token
        if room < context:
            context = min(context, max(_SMALLEST, room // _STEP * _STEP))
    return context


def total_memory() -> int:
    """Bytes of memory this process could ever have: the machine's, or the container's if that is less."""
    import psutil

    limit = _cgroup_limit()
    total = int(psutil.virtual_memory().total)
    return total if limit is None else min(total, limit[0])


def available_memory() -> int:
    """Bytes that can be taken now without swapping, within the container's limit if there is one."""
    import psutil

    available = int(psutil.virtual_memory().available)
    limit = _cgroup_limit()
    return available if limit is None else max(0, min(available, limit[0] - limit[1]))


def _cgroup_limit(root: Path = Path("/sys/fs/cgroup")) -> tuple[int, int] | None:
    """The container's limit and use in bytes, or None without one. Memory of cached files does not count as used."""
    try:
        limit = int((root / "memory.max").read_text())
        used = int((root / "memory.current").read_text())
        cached = sum(
            int(line.split()[1])
            for line in (root / "memory.stat").read_text().splitlines()
            if line.startswith(("active_file ", "inactive_file "))
        )
    except (OSError, ValueError):
        return None
    return limit, max(0, used - cached)
