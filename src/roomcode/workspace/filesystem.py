"""The system calls that change files, behind one small object, and the atomic write made of them.

Tests hand in an object that fails, writes short or stops at a chosen call.
"""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Protocol

__all__ = ["FileSystem", "RealFileSystem", "atomic_write", "temporary_name"]


class FileSystem(Protocol):
    """What reading and writing a file need of the operating system. Everything raises OSError."""

    def read(self, path: Path) -> bytes: ...
    def make_folder(self, path: Path) -> None: ...
    def remove_folder(self, path: Path) -> None: ...
    def create(self, path: Path, mode: int) -> int:
        """Create a file that must not exist and open it for writing; the umask applies. Returns a descriptor."""
        ...

    def write(self, handle: int, data: memoryview) -> int:
        """Returns how many bytes were written, which may be fewer than given."""
        ...

    def set_mode(self, handle: int, mode: int) -> None: ...
    def set_owner(self, handle: int, user: int, group: int) -> None: ...
    def sync(self, handle: int) -> None: ...
    def close(self, handle: int) -> None: ...
    def replace(self, source: Path, target: Path) -> None: ...
    def remove(self, path: Path) -> None: ...
    def sync_folder(self, path: Path) -> None: ...


class RealFileSystem:
    """The operating system itself."""

    def read(self, path: Path) -> bytes:
        return path.read_bytes()

    def make_folder(self, path: Path) -> None:
        os.mkdir(path)

    def remove_folder(self, path: Path) -> None:
        os.rmdir(path)

    def create(self, path: Path, mode: int) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), mode)

    def write(self, handle: int, data: memoryview) -> int:
        return os.write(handle, data)

    def set_mode(self, handle: int, mode: int) -> None:
        if hasattr(os, "fchmod"):
            os.fchmod(handle, mode)

    def set_owner(self, handle: int, user: int, group: int) -> None:
        if hasattr(os, "fchown"):
            os.fchown(handle, user, group)

    def sync(self, handle: int) -> None:
        os.fsync(handle)

    def close(self, handle: int) -> None:
        os.close(handle)

    def replace(self, source: Path, target: Path) -> None:
        os.replace(source, target)

    def remove(self, path: Path) -> None:
        os.unlink(path)

    def sync_folder(self, path: Path) -> None:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def temporary_name(target: Path) -> Path:
    """A hidden name in the same folder that no file has, short enough also for long names."""
    return target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.roomcode-tmp")


def atomic_write(
    files: FileSystem,
    target: Path,
    data: bytes,
    *,
    like: os.stat_result | None = None,
    mode: int | None = None,
    temporary: Path | None = None,
) -> int:
    """Put `data` at `target` so that at every moment the old file is there whole, or the new one is.

    `target` must not be a link. `like` is the file that is replaced: its permission bits and owner are kept; `mode` are
    the permission bits of a new file. Missing parent folders are made; returns how many.

    When anything fails OSError is raised, the old file is as it was, and neither the temporary file nor a new folder is
    left behind.
    """
    temporary = temporary or temporary_name(target)
    made = _make_folders(files, target.parent)
    created = False
    try:
        handle = files.create(temporary, 0o666)
        created = True
        try:
            _write_all(files, handle, data)
            _keep_attributes(files, handle, like, mode)
            files.sync(handle)
        finally:
            files.close(handle)
        files.replace(temporary, target)
    except BaseException:
        if created:
            with suppress(OSError):
                files.remove(temporary)
        for folder in reversed(made):
            with suppress(OSError):
                files.remove_folder(folder)
        raise
    # The new file is in place; that its name is not yet on the platter is no reason to call it a failure.
    with suppress(OSError):
        files.sync_folder(target.parent)
    return len(made)


def _keep_attributes(files: FileSystem, handle: int, like: os.stat_result | None, mode: int | None) -> None:
    if like is not None:
        # Only root may give a file away, and some disks have no owners; that is no reason not to write.
        with suppress(OSError):
            files.set_owner(handle, like.st_uid, like.st_gid)
        mode = stat.S_IMODE(like.st_mode)
    if mode is not None:
        files.set_mode(handle, mode)


def _write_all(files: FileSystem, handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        written = files.write(handle, rest)
        if written <= 0:
            raise OSError(28, "No space left on device")
        rest = rest[written:]


def _make_folders(files: FileSystem, folder: Path) -> list[Path]:
    missing: list[Path] = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    made: list[Path] = []
    try:
        for path in reversed(missing):
            files.make_folder(path)
            made.append(path)
    except BaseException:
        for path in reversed(made):
            with suppress(OSError):
                files.remove_folder(path)
        raise
    return made
