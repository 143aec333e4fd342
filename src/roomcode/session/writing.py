"""Appending to a session file so that it holds whole lines only, whatever the disk does.

What cannot be written stays in memory and is tried again with everything that follows, so that the file is complete
again once there is space. Data counts as safe when the system has said that it is on the disk, not before.
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from roomcode.session.errors import reason_of
from roomcode.session.reading import records_in

__all__ = ["Disk", "RealDisk", "SessionFile"]

_BLOCK = 65_536


class Disk(Protocol):
    """What appending needs of the operating system. Everything raises OSError."""

    def open(self, path: Path) -> int:
        """Open for reading and appending; the file and its folder are made when they are missing."""
        ...

    def size(self, handle: int) -> int: ...
    def read(self, handle: int, count: int, offset: int) -> bytes: ...
    def write(self, handle: int, data: memoryview) -> int:
        """Append; returns how many bytes were written, which may be fewer than given."""
        ...

    def truncate(self, handle: int, size: int) -> None: ...
    def sync(self, handle: int) -> None: ...
    def close(self, handle: int) -> None: ...


class RealDisk:
    """The operating system itself. Only the owner may read what it makes."""

    def open(self, path: Path) -> int:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)

    def size(self, handle: int) -> int:
        return os.fstat(handle).st_size

    def read(self, handle: int, count: int, offset: int) -> bytes:
        os.lseek(handle, offset, os.SEEK_SET)
        return os.read(handle, count)

    def write(self, handle: int, data: memoryview) -> int:
        return os.write(handle, data)

    def truncate(self, handle: int, size: int) -> None:
        os.ftruncate(handle, size)

    def sync(self, handle: int) -> None:
        os.fsync(handle)

    def close(self, handle: int) -> None:
        os.close(handle)


class SessionFile:
    """One session file, opened with the first line. No method raises: `on_trouble` is told the reason, once until all
    is safe again. Usable from any thread; `on_trouble` is called on the thread that found the trouble."""

    def __init__(self, path: Path, on_trouble: Callable[[str], None], disk: Disk | None = None) -> None:
        self.path = path
        self._on_trouble = on_trouble
        self._disk = disk or RealDisk()
        self._lock = threading.RLock()
        self._handle: int | None = None
        self._waiting: list[bytes] = []
        self._unsafe: list[bytes] = []
        """Written since the last sync."""
        self._written = 0
        """Size of the file up to its last whole line."""
        self._safe = 0
        """Size of the file at the last sync."""
        self._torn = False
        self._told = False

    @property
    def saved(self) -> bool:
        """Nothing waits in memory."""
        return not self._waiting

    def append(self, lines: bytes) -> None:
        """Add whole lines to the file."""
        with self._lock:
            self._waiting.append(lines)
            self._write_waiting()

    def sync(self) -> None:
        """Return when what was appended is on the disk, or could not be put there. Blocks."""
        with self._lock:
            if not self._write_waiting() or self._handle is None:
                return
            handle, size, count = self._handle, self._written, len(self._unsafe)
        try:
            self._disk.sync(handle)
        except OSError as error:
            with self._lock:
                self._take_back()
                self._trouble(error)
            return
        with self._lock:
            self._safe = max(self._safe, size)
            del self._unsafe[:count]
            self._told = False

    def close(self) -> bool:
        """Sync and close. Returns whether everything is on the disk."""
        self.sync()
        with self._lock:
            handle, self._handle = self._handle, None
            if handle is not None:
                try:
                    self._disk.close(handle)
                except OSError as error:
                    self._trouble(error)
            return not self._waiting and not self._unsafe

    def _write_waiting(self) -> bool:
        try:
            if self._waiting and self._handle is None:
                self._open()
            while self._waiting:
                self._write_one(self._waiting[0])
                self._unsafe.append(self._waiting.pop(0))
        except OSError as error:
            self._trouble(error)
            return False
        return True

    def _write_one(self, lines: bytes) -> None:
        assert self._handle is not None
        if self._torn:
            self._cut_to(self._written)
        whole = b"\n" + lines if self._torn else lines
        rest = memoryview(whole)
        try:
            while rest:
                written = self._disk.write(self._handle, rest)
                if written <= 0:
                    raise OSError(28, "No space left on device")
                rest = rest[written:]
        except OSError:
            if self._torn or len(rest) < len(whole):
                self._cut_to(self._written)
            raise
        self._written = self._disk.size(self._handle) if self._torn else self._written + len(whole)
        self._torn = False

    def _cut_to(self, size: int) -> None:
        """Take a piece of a line off the end; where not even that is possible, the next line starts with a line end."""
        assert self._handle is not None
        try:
            self._disk.truncate(self._handle, size)
            self._written, self._torn = size, False
        except OSError:
            self._torn = True

    def _take_back(self) -> None:
        """A sync failed, and nobody knows what of it is on the disk: all of it is written again."""
        if self._handle is None:
            return
        self._cut_to(self._safe)
        if not self._torn:
            self._waiting[:0] = self._unsafe
            self._unsafe.clear()

    def _open(self) -> None:
        handle = self._disk.open(self.path)
        try:
            self._written = self._safe = self._mend(handle)
        except OSError:
            self._disk.close(handle)
            raise
        self._handle = handle

    def _mend(self, handle: int) -> int:
        """Make the file end with a whole line; returns its size."""
        size = self._disk.size(handle)
        tail = b""
        while len(tail) < size and b"\n" not in tail:
            start = max(0, size - max(_BLOCK, 2 * len(tail)))
            tail = self._disk.read(handle, size - start, start)
        end = size - len(tail) + tail.rfind(b"\n") + 1
        if end == size:
            return size
        if not _holds_a_record(tail[tail.rfind(b"\n") + 1 :]):
            self._disk.truncate(handle, end)
            return end
        self._disk.write(handle, memoryview(b"\n"))
        return size + 1

    def _trouble(self, error: OSError) -> None:
        if not self._told:
            self._told = True
            self._on_trouble(reason_of(error))


def _holds_a_record(line: bytes) -> bool:
    """Whether something would be lost without this line, be it of a kind that only a newer roomcode knows."""
    records, whole = records_in(line)
    return bool(records) or (whole and bool(line.strip(b"\0\r\t ")))
