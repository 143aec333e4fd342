"""A new session from the beginning of another one."""

from collections.abc import Iterator
from pathlib import Path

from roomcode.protocol.events import RequestStarted
from roomcode.session.errors import SessionError
from roomcode.session.reading import SessionReader
from roomcode.session.records import Header, Record, encode_record

__all__ = ["fork_records", "requests_in"]


def requests_in(path: Path) -> list[tuple[int, str]]:
    """Number and text of each request of a session, oldest first. Raises SessionError."""
    return [(record.request, record.prompt) for record in SessionReader(path) if isinstance(record, RequestStarted)]


def fork_records(path: Path, request: int, header: Header) -> tuple[Iterator[bytes], str]:
    """Lines of a session that holds all that was before request `request` of the session in `path`, and the text of
    that request. Raises SessionError when it has no such request."""
    prompt = next(
        (r.prompt for r in SessionReader(path) if isinstance(r, RequestStarted) and r.request == request), None
    )
    if prompt is None:
        raise SessionError(f"This session has no request {request}.")
    return _lines(path, request, header), prompt


def _lines(path: Path, request: int, header: Header) -> Iterator[bytes]:
    yield encode_record(header)
    for record in SessionReader(path):
        if _is_start(record, request):
            return
        if not isinstance(record, Header):
            yield encode_record(record)


def _is_start(record: Record, request: int) -> bool:
    return isinstance(record, RequestStarted) and record.request == request
