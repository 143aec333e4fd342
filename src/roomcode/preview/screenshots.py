"""One picture for each load, in a folder of the caller's choice; old ones are removed."""

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

__all__ = ["default_folder", "store"]

_KEPT = 40


def default_folder(root: Path) -> Path:
    """Where the pictures of a project go when nobody says: the user's cache folder, one folder a project."""
    from platformdirs import user_cache_path

    name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
    return user_cache_path("roomcode") / "screenshots" / name


def store(folder: Path, port: int, number: int, png: bytes) -> str:
    """Write one picture whole or not at all; returns its path, or empty when it cannot be stored."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        target = folder / f"{port}-{number:04d}.png"
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(png)
            os.replace(temporary, target)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _thin(folder)
    except OSError:
        return ""
    return str(target)


def _thin(folder: Path) -> None:
    pictures = sorted(folder.glob("*.png"), key=lambda path: path.stat().st_mtime_ns)
    for old in pictures[:-_KEPT]:
        with contextlib.suppress(OSError):
            old.unlink()
