"""Computed states on disk: what was computed once need not be computed at the next start.

A file holds the tokens and the state of one sequence, behind a checksum. A damaged or foreign file is ignored and
removed; the oldest files go when all together are larger than the cap.
"""

import contextlib
import hashlib
import logging
import os
import struct
import tempfile
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SavedState", "StateStore", "state_key"]

log = logging.getLogger(__name__)

_MAGIC = b"roomcode-state-1\n"
_HEAD = struct.Struct("<32sQ")  # checksum, number of tokens


@dataclass(frozen=True, slots=True)
class SavedState:
    """Tokens and the native state after them."""

    tokens: tuple[int, ...]
    state: bytes


class StateStore:
    """States in `folder`, together at most `cap` bytes. Nothing here raises: a cache that fails is an empty cache."""

    def __init__(self, folder: Path, cap: int = 2_000_000_000) -> None:
        self._folder = folder
        self._cap = cap

    def load(self, key: str) -> SavedState | None:
        """The state stored under `key`, or None."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        state = _decoded(data)
        if state is None:
            log.warning("%s is damaged and is removed", path)
            path.unlink(missing_ok=True)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # used now: goes last
        return state

    def save(self, key: str, state: SavedState) -> bool:
        """Store a state; True when it is on disk."""
        data = _encoded(state)
        if len(data) > self._cap:
            return False
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._make_room(len(data))
            handle, name = tempfile.mkstemp(dir=self._folder, suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(self._path(key))
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            log.warning("a state could not be kept: %s", error)
            return False
        return True

    def _path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.state"

    def _make_room(self, size: int) -> None:
        known: list[tuple[float, int, Path]] = []
        for path in self._folder.glob("*.state"):
            facts = path.stat()
            known.append((facts.st_mtime, facts.st_size, path))
        total = sum(s for _, s, _ in known)
        for _, taken, path in sorted(known):
            if total + size <= self._cap:
                return
            path.unlink(missing_ok=True)
            total -= taken


def _encoded(saved: SavedState) -> bytes:
    body = array("i", saved.tokens).tobytes() + saved.state
    return _MAGIC + _HEAD.pack(hashlib.sha256(body).digest(), len(saved.tokens)) + body


def _decoded(data: bytes) -> SavedState | None:
    start = len(_MAGIC) + _HEAD.size
    if len(data) < start or not data.startswith(_MAGIC):
        return None
    checksum, count = _HEAD.unpack_from(data, len(_MAGIC))
    tokens = array("i")
    end = start + count * tokens.itemsize
    if end > len(data) or hashlib.sha256(memoryview(data)[start:]).digest() != checksum:
        return None
    tokens.frombytes(data[start:end])
    return SavedState(tuple(tokens), data[end:])


def state_key(identity: Sequence[str], what: str, tokens: Sequence[int] = ()) -> str:
    """A key from everything that made a state."""
    digest = hashlib.sha256(array("i", tokens).tobytes()).hexdigest() if tokens else ""
    return "\0".join([*identity, what, digest])
