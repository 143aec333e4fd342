"""What a list of sessions shows, from the first and the last lines of each file."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from roomcode.protocol.events import RequestStarted
from roomcode.session.reading import only_newer, records_in
from roomcode.session.records import Header, Setup

__all__ = ["SessionInfo", "info_of", "title_of"]

_HEAD = 65_536
_MOST_HEAD = 4_000_000
_BLOCK = 262_144
_LAST_REQUEST = b'\n{"kind":"request_started"'
_TITLE = 60


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One session. Times are seconds since 1970."""

    id: str
    path: Path
    project: str
    created: float
    updated: float
    """When it was last written."""
    model: str
    """The model of the last request."""
    requests: int
    title: str
    """First words of the first request."""
    size: int
    """Bytes."""
    parent: str = ""
    """The session that it was forked from."""
    newer: bool = False
    """A newer roomcode wrote it; this one cannot open it."""


class _Started(msgspec.Struct, frozen=True):
    request: int = 0
    model: str = ""


def title_of(prompt: str, limit: int = _TITLE) -> str:
    """The first words of a request on one line, without control characters."""
    words = " ".join("".join(c if c.isprintable() else " " for c in prompt[: 20 * limit]).split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"


def info_of(path: Path) -> SessionInfo | None:
    """The facts of one session, or None when there is nothing in it or it cannot be read."""
    try:
        with open(path, "rb") as file:
            stat = os.fstat(file.fileno())
            head = file.read(_HEAD)
            while stat.st_size > len(head) < _MOST_HEAD and b'"kind":"request_started"' not in head:
                head += file.read(len(head))
            if b'"kind":"request_started"' in head:
                head += file.readline(_MOST_HEAD)
            if not head.strip(b"\0\n"):
                return None
            last = _last_request(file.fileno(), stat.st_size)
    except OSError:
        return None
    number = path.stem.rpartition("-")[2]
    header, setup, first = _begin(head)
    return SessionInfo(
        id=number,
        path=path,
        project=header.project if header is not None else "",
        created=header.created if header is not None else stat.st_mtime,
        updated=stat.st_mtime,
        model=last.model or (first.model if first is not None else setup.model if setup is not None else ""),
        requests=max(last.request, first.request if first is not None else 0),
        title=title_of(first.prompt) if first is not None else "",
        size=stat.st_size,
        parent=header.parent if header is not None else "",
        newer=bool(only_newer(head.partition(b"\n")[0])),
    )


def _begin(head: bytes) -> tuple[Header | None, Setup | None, RequestStarted | None]:
    header: Header | None = None
    setup: Setup | None = None
    for record in _records(head):
        if isinstance(record, Header):
            header = header or record
        elif isinstance(record, Setup):
            setup = setup or record
        elif isinstance(record, RequestStarted):
            return header, setup, record
    return header, setup, None


def _records(head: bytes) -> Iterator[object]:
    for line in head.split(b"\n"):
        yield from records_in(line)[0]


def _last_request(handle: int, size: int) -> _Started:
    """Number and model of the last request, looked for from the end."""
    end, after = size, b""
    while end > 0:
        start = max(0, end - _BLOCK)
        os.lseek(handle, start, os.SEEK_SET)
        block = os.read(handle, end - start) + after
        at = block.rfind(_LAST_REQUEST)
        if at >= 0:
            line = block[at + 1 :].partition(b"\n")[0]
            if len(line) == len(block) - at - 1:
                # The line goes on behind what was read: its number stands at its start, but JSON has to be whole.
                os.lseek(handle, start + at + 1, os.SEEK_SET)
                line = os.read(handle, _MOST_HEAD).partition(b"\n")[0]
            try:
                return msgspec.json.decode(line, type=_Started)
            except (msgspec.DecodeError, UnicodeDecodeError):
                pass
        after = block[: len(_LAST_REQUEST)]
        end = start
    return _Started()
