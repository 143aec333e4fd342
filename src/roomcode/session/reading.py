"""Reading a session file that a crash, a full disk or a later version may have left in any state.

Whatever can be read is read: a torn last line, blocks of NUL bytes, two records on one line and lines of rubbish cost
at most themselves, and kinds of records that are not known are passed over.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from roomcode.session.errors import SessionError, reason_of
from roomcode.session.records import VERSION, Header, Record

__all__ = ["SessionReader", "decode_line", "only_newer", "records_in"]

_START = b'{"kind":"'
_MOST_STARTS = 64
"""Beginnings of records that are looked at in a line with more than one."""

_decoder = msgspec.json.Decoder(Record)


class _Peek(msgspec.Struct, frozen=True):
    kind: str
    version: int = 0


_peek = msgspec.json.Decoder(_Peek)


def decode_line(line: bytes) -> Record | None:
    """The one record that a line holds, or None when it holds none that is known. Raises ValueError for rubbish."""
    try:
        try:
            return _decoder.decode(line)
        except msgspec.ValidationError as error:
            if not str(error).endswith("`$.kind`"):
                raise
            msgspec.json.decode(line)  # the decoder gave up at the kind, whatever comes after it
            return None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def records_in(line: bytes) -> tuple[list[Record], bool]:
    """All records of a line, and whether nothing of it was lost."""
    line = line.strip(b"\0\r\n\t ")
    if not line:
        return [], True
    try:
        record = decode_line(line)
    except ValueError:
        return _fused(line)
    return ([record] if record is not None else []), True


def _fused(line: bytes) -> tuple[list[Record], bool]:
    """Records that share a line, each perhaps torn: an append that was cut short, with the next one glued to it."""
    starts: list[int] = []
    at = line.find(_START)
    while at >= 0 and len(starts) < _MOST_STARTS:
        starts.append(at)
        at = line.find(_START, at + 1)
    ends = [*starts[1:], len(line)]
    found: list[Record] = []
    whole = bool(starts) and starts[0] == 0
    number = 0
    while number < len(starts):
        # What looks like a beginning may be inside an argument, so the first end that makes sense is taken.
        for last in range(number, len(ends)):
            try:
                record = decode_line(line[starts[number] : ends[last]].strip(b"\0\r\n\t "))
            except ValueError:
                continue
            if record is not None:
                found.append(record)
            number = last
            break
        else:
            whole = False
        number += 1
    return found, whole


class SessionReader:
    """The records of one file, in order. Reads a line at a time; may be iterated once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        """Lines that lost something."""
        self.size = 0
        """Bytes read."""

    def __iter__(self) -> Iterator[Record]:
        """Raises SessionError when the file cannot be read, or was written by a version that this one cannot follow."""
        try:
            with open(self.path, "rb") as file:
                for line in file:
                    if not self.size and (newer := only_newer(line)):
                        raise SessionError(newer)
                    self.size += len(line)
                    records, whole = records_in(line)
                    torn = not line.endswith(b"\n") and not whole
                    self.damaged += not whole and not torn
                    for record in records:
                        if isinstance(record, Header) and record.version > VERSION:
                            raise SessionError(_newer(record.version))
                        yield record
        except OSError as error:
            raise SessionError(f"The session file {self.path} cannot be read: {reason_of(error)}.") from None


def only_newer(line: bytes) -> str:
    """Why a file with this first line is not for this version, as a sentence; empty when it is."""
    try:
        peek = _peek.decode(line.strip(b"\0\r\n\t "))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    return _newer(peek.version) if peek.kind == "session" and peek.version > VERSION else ""


def _newer(version: int) -> str:
    return (
        f"This session was written by a newer roomcode (format {version}, this one knows {VERSION}): "
        "update roomcode to open it."
    )
