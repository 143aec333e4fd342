"""Addresses of the preview turned back into files and lines of the project."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from roomcode.preview.paths import files_below, resolve, url_path

__all__ = ["LOCAL_HOSTS", "Place", "SiteMap", "frames_of_stack", "is_local"]

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1", "0.0.0.0"})
_LOOPBACK = re.compile(r"127(?:\.\d{1,3}){3}")
_FRAME = re.compile(
    r"(?:\(|at |@|async )(?P<url>[a-z][a-z-]*://[^\s()]+|[\w./-]+\.js):(?P<line>\d+):(?P<column>\d+)\)?$"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a file of the project; line and column count from 1, 0 when unknown."""

    file: str = ""
    line: int = 0
    column: int = 0

    def __bool__(self) -> bool:
        return bool(self.file)

    @property
    def text(self) -> str:
        """`file:line`, `file`, or empty."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file


def is_local(url: str) -> bool:
    """Whether a request to `url` stays on this machine."""
    parts = urlsplit(url)
    if parts.scheme in ("data", "blob", "about", "filesystem"):
        return True
    host = (parts.hostname or "").rstrip(".")
    return host in LOCAL_HOSTS or host.endswith(".localhost") or _LOOPBACK.fullmatch(host) is not None


@dataclass(frozen=True, slots=True)
class SiteMap:
    """One served folder: `http://127.0.0.1:port/` is `prefix` of the project."""

    port: int
    folder: Path
    prefix: str = ""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def owns(self, url: str) -> bool:
        """Whether `url` is answered by this server."""
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            return False
        return parts.scheme in ("http", "ws") and port == self.port and parts.hostname in LOCAL_HOSTS

    def served(self, url: str) -> str | None:
        """Path below the folder that `url` asks for (`index.html` for a folder), whether or not it exists."""
        if not self.owns(url):
            return None
        path = url_path(urlsplit(url).path or "/")
        if path is None:
            return None
        if path == "" or path.endswith("/"):
            return f"{path}index.html"
        return f"{path}/index.html" if (self.folder / path).is_dir() else path

    def file(self, url: str) -> str:
        """Project-relative path of `url`, or empty when it is not from this folder."""
        served = self.served(url)
        return "" if served is None else self.named(served)

    def named(self, served: str) -> str:
        """Project-relative path of a path below the folder."""
        return f"{self.prefix}/{served}" if self.prefix else served

    def first(self, frames: Sequence[Mapping[str, Any]]) -> Place:
        """The first of some DevTools call frames (lines from 0) that is in the project."""
        for frame in frames:
            if file := self.file(str(frame.get("url", ""))):
                return Place(file, int(frame.get("lineNumber", -1)) + 1, int(frame.get("columnNumber", -1)) + 1)
        return Place()

    def first_in_stack(self, stack: str) -> Place:
        """The first line of a textual stack that is in the project."""
        for url, line, column in frames_of_stack(stack):
            if file := self.file(url):
                return Place(file, line, column)
        return Place()

    def source_line(self, place: Place, width: int = 100) -> str:
        """The source at `place` as `12 | text`, cut to `width` around the column; empty when it cannot be read."""
        if not place.file or not place.line:
            return ""
        lines = self._lines(place.file)[: place.line]
        # "Unexpected end of input" is one line behind the end: then the last line that says something is shown.
        while lines and not lines[-1].strip():
            lines.pop()
        if not lines:
            return ""
        return f"{len(lines)} | {_around(lines[-1].rstrip(), max(place.column - 1, 0), width)}"

    def line_of(self, file: str, *texts: str) -> int:
        """The first line (from 1) of a project file that holds one of `texts`, or 0."""
        return next((at for at, line in enumerate(self._lines(file), 1) if any(text in line for text in texts)), 0)

    def _lines(self, file: str) -> list[str]:
        served = file.removeprefix(f"{self.prefix}/") if self.prefix else file
        real = resolve(self.folder, served)
        try:
            return [] if real is None else real.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return []

    def files(self) -> list[str]:
        """Paths below the folder that can be asked for."""
        return list(files_below(self.folder))


def frames_of_stack(stack: str) -> Iterator[tuple[str, int, int]]:
    """(address, line, column) of each frame of an error's `stack` text."""
    for line in stack[:20_000].splitlines():
        if match := _FRAME.search(line.strip()):
            yield match["url"], int(match["line"]), int(match["column"])


def _around(text: str, column: int, width: int) -> str:
    stripped = text.lstrip()
    column = max(column - (len(text) - len(stripped)), 0)
    text = "".join(char if char.isprintable() else " " for char in stripped)
    if len(text) <= width:
        return text
    start = max(0, min(column - width // 2, len(text) - width))
    end = start + width
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
