"""What the history holds, as plain records."""

import os
from dataclasses import dataclass

from roomcode.workspace.names import shown

__all__ = ["OPERATION_COLUMNS", "VERSION_COLUMNS", "Operation", "Row", "operation_of", "row_of"]

_DEEDS = {
    "found": "as it was",
    "changed": "changed by hand",
    "deleted": "deleted by hand",
    "write_file": "written",
    "edit_file": "edited",
    "undo": "undone",
    "redo": "redone",
    "restore": "restored",
}


@dataclass(frozen=True, slots=True)
class Operation:
    """What belongs together and is taken back together: the changes of one request, a restore, an undo."""

    id: int
    session: str
    request: int
    kind: str
    """`request`, `restore`, `undo` or `redo`."""
    target: int | None
    """For undo and redo: the operation that they take back."""
    author: str
    time: float
    taken_back: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One version of one file."""

    rel: str
    number: int
    """Counts from 1 for each file."""
    digest: str | None
    """None: the file was deleted."""
    before: str | None
    """The state that this version replaced; None: there was no file."""
    mode: int | None
    folders: int
    """How many parent folders were made for it."""
    operation: int | None
    author: str
    action: str
    time: float
    size: int | None
    """Bytes, or None when the content is not kept (ignored, too large, or dropped with time)."""

    @property
    def shown(self) -> str:
        """The path, safe to print."""
        return shown(self.rel)

    @property
    def deed(self) -> str:
        """What made this version, in words for people."""
        return _DEEDS.get(self.action, self.action)

    @property
    def kept(self) -> bool:
        """Whether it can be brought back: its content is there, or it is a deletion."""
        return self.size is not None or self.digest is None


OPERATION_COLUMNS = "id, session, request, kind, target, author, time, taken_back"
VERSION_COLUMNS = (
    "path, number, versions.digest, before, mode, folders, operation, author, action, time, contents.size "
    "FROM versions LEFT JOIN contents ON contents.digest = versions.digest"
)


def operation_of(values: tuple[int, str, int, str, int | None, str, float, int]) -> Operation:
    number, session, request, kind, target, author, time, taken_back = values
    return Operation(number, session, request, kind, target, author, time, bool(taken_back))


def row_of(values: tuple[bytes, ...]) -> Row:
    return Row(os.fsdecode(values[0]), *values[1:])  # type: ignore[arg-type]
