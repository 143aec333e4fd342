"""Computed states on disk: what was computed once need not be computed at the next start.

A file holds the tokens and the state of one sequence, behind a checksum. A damaged or foreign file is ignored and
removed; the oldest files go when all together are larger than the cap. A state may belong to an owner (a session). The
owner's name is part of the file's name, so that all its states can be removed without knowing what made them.
"""

import contextlib
import hashlib
import logging
import mmap
import os
import re
import struct
import tempfile
import time
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SavedState", "State", "StateStore", "state_key", "user_states"]

log = logging.getLogger(__name__)

_MAGIC = b"roomcode-state-1\n"
_HEAD = struct.Struct("<32sQ")  # checksum, number of tokens
_START = len(_MAGIC) + _HEAD.size
_ABANDONED = 3600.0
"""Seconds after which a file that is being written is one that a killed process left."""

State = bytes | bytearray | memoryview
"""Native bytes; a view where copying would take long."""


@dataclass(frozen=True, slots=True)
class SavedState:
    """Tokens and the native state after them."""

    tokens: tuple[int, ...]
    state: State


def user_states() -> Path:
    """The folder for the states of all projects of this user."""
    import platformdirs

    return platformdirs.user_cache_path("roomcode", appauthor=False) / "states"


class StateStore:
    """States in `folder`, together at most `cap` bytes. Nothing here raises: a cache that fails is an empty cache."""

    def __init__(self, folder: Path, cap: int = 2_000_000_000) -> None:
        self._folder = folder
        self._cap = cap

    def load(self, key: str, owner: str = "") -> SavedState | None:
        """The state stored under `key`, or None. It is read from the file while it is used."""
        path = self._path(key, owner)
        try:
            data = _mapped(path)
        except (OSError, ValueError):  # an empty file cannot be mapped
            data = None
        saved = _decoded(data) if data is not None else None
        if saved is None:
            if path.exists():
                log.warning("%s is damaged and is removed", path)
                _remove(path)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # used now: goes last
        return saved

    def save(self, key: str, saved: SavedState, owner: str = "") -> bool:
        """Store a state; True when it is on disk."""
        tokens = array("i", saved.tokens).tobytes()
        size = _START + len(tokens) + len(saved.state)
        if size > self._cap:
            return False
        digest = hashlib.sha256(tokens)
        digest.update(saved.state)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._make_room(size)
            handle, name = tempfile.mkstemp(dir=self._folder, suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_MAGIC + _HEAD.pack(digest.digest(), len(saved.tokens)) + tokens)
                    file.write(saved.state)
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(self._path(key, owner))
            except BaseException:
                _remove(Path(name))
                raise
        except OSError as error:
            log.warning("a state could not be kept: %s", error)
            return False
        return True

    def drop(self, owner: str) -> int:
        """Remove all states of an owner; returns how many there were."""
        with contextlib.suppress(OSError):
            return sum(_remove(path) for path in self._folder.glob(f"*.{_name(owner)}.state"))
        return 0

    def _path(self, key: str, owner: str) -> Path:
        number = hashlib.sha256(key.encode()).hexdigest()[:32]
        return self._folder / (f"{number}.{_name(owner)}.state" if owner else f"{number}.state")

    def _make_room(self, size: int) -> None:
        for written, _, path in _facts(self._folder, "*.tmp"):
            if written < time.time() - _ABANDONED:
                _remove(path)
        known = sorted(_facts(self._folder, "*.state"))
        total = sum(taken for _, taken, _ in known)
        for _, taken, path in known:
            if total + size <= self._cap:
                return
            _remove(path)
            total -= taken


def _facts(folder: Path, pattern: str) -> Iterator[tuple[float, int, Path]]:
    """When each file was written last, its size and path; files that vanish meanwhile are passed over."""
    for path in folder.glob(pattern):
        with contextlib.suppress(OSError):
            facts = path.stat()
            yield facts.st_mtime, facts.st_size, path


def _remove(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True


def _name(owner: str) -> str:
    """As a part of a file name, without dots."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", owner)


def _mapped(path: Path) -> memoryview:
    with open(path, "rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _decoded(data: memoryview) -> SavedState | None:
    if len(data) < _START or bytes(data[: len(_MAGIC)]) != _MAGIC:
        return None
    checksum, count = _HEAD.unpack_from(data, len(_MAGIC))
    tokens = array("i")
    end = _START + count * tokens.itemsize
    if end > len(data) or hashlib.sha256(data[_START:]).digest() != checksum:
        return None
    tokens.frombytes(data[_START:end])
    return SavedState(tuple(tokens), data[end:])


def state_key(identity: Sequence[str], what: str, tokens: Sequence[int] = ()) -> str:
    """A key from everything that made a state."""
    digest = hashlib.sha256(array("i", tokens).tobytes()).hexdigest() if tokens else ""
    return "\0".join([*identity, what, digest])
