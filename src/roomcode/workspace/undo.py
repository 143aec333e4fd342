"""Taking back what a request did to the files, as a whole, and taking that back again.

Only what was written is undone: a file that someone changed since is named and left, unless the person says so.
"""

import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from roomcode.protocol.display import FileChange
from roomcode.workspace.digests import digest_of
from roomcode.workspace.encodings import NotText
from roomcode.workspace.errors import WorkspaceError
from roomcode.workspace.history import ChangedMeanwhile, History
from roomcode.workspace.kinds import binary_kind, size_text
from roomcode.workspace.names import shown
from roomcode.workspace.records import Operation, Row
from roomcode.workspace.seen import PERSON
from roomcode.workspace.store import HistoryStore
from roomcode.workspace.textfile import TextFile

__all__ = [
    "Outcome",
    "Plan",
    "PlannedFile",
    "carry_out",
    "plan_back",
    "plan_redo",
    "plan_restore",
    "plan_undo",
    "readable",
]


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """What would happen to one file. With a `conflict` (a sentence) it is left as it is unless the person says so."""

    path: str
    """As `shown`."""
    change: FileChange
    """The file now, and as it would be."""
    conflict: str
    possible: bool
    """False when the content that would be put there is no longer kept."""
    rel: str
    now: str | None
    goal: str | None
    mode: int | None
    folders: int

    def goes(self, anyway: Collection[str] = ()) -> bool:
        """Whether it is changed when `anyway` names the files that are to be changed in spite of a conflict."""
        return not self.conflict or (self.possible and self.path in anyway)


@dataclass(frozen=True, slots=True)
class Plan:
    """What an undo, a redo or a restore would do; nothing is done yet."""

    kind: Literal["undo", "redo", "restore"]
    operation: Operation | None
    """What is taken back; None for a restore."""
    files: tuple[PlannedFile, ...]

    @property
    def deed(self) -> str:
        """What has been done to a file when it is carried out."""
        return {"undo": "undone", "redo": "redone", "restore": "restored"}[self.kind]

    @property
    def about(self) -> str:
        """What is taken back, by its number and local time; empty for a restore."""
        if self.operation is None:
            return ""
        when = time.strftime("%H:%M", time.localtime(self.operation.time))
        return f"{self.operation.kind} {self.operation.id} of {when}"

    def told(self, outcome: "Outcome") -> str:
        """What was done, on one line for people."""
        left = ", ".join(f"{path} ({reason})" for path, reason in outcome.left)
        parts = [f"{self.deed}: {', '.join(outcome.done)}"] if outcome.done else []
        return "; ".join([*parts, *([f"left as it is: {left}"] if left else [])])


@dataclass(frozen=True, slots=True)
class Outcome:
    """`done`: paths that were changed, as `shown`. `left`: path and reason of each file that was left as it is."""

    done: tuple[str, ...]
    left: tuple[tuple[str, str], ...]


def plan_undo(history: History, request: int | None = None, *, any_session: bool = False) -> Plan:
    """Plan to take back a request or restore: the last one that is not taken back, or the one with that number.

    Requests of other roomcodes that still run are passed over, unless `any_session`. Raises WorkspaceError when there
    is nothing to take back.
    """
    store = _store(history)
    if request is not None:
        operation = store.operation(request)
        if operation is None or not store.changes_of(request):
            raise WorkspaceError(f"There is no request {request} that changed files. `roomcode files log` lists them.")
        return _revert(history, store, operation, "undo")
    for operation in _reachable(store, any_session):
        if operation.kind in ("request", "restore") and not operation.taken_back:
            return _revert(history, store, operation, "undo")
    raise WorkspaceError("There is nothing to undo.")


def plan_redo(history: History, *, any_session: bool = False) -> Plan:
    """Plan to take back the last undo. Raises WorkspaceError when there is none."""
    store = _store(history)
    for operation in _reachable(store, any_session):
        # What the agent took back itself, for another attempt, is no undo of the person's.
        if operation.kind == "undo" and operation.author == PERSON and not operation.taken_back:
            return _revert(history, store, operation, "redo")
    raise WorkspaceError("There is nothing to redo.")


def plan_back(history: History, undone: int) -> Plan:
    """Plan to take back the undo with this number. Raises WorkspaceError when there is none."""
    store = _store(history)
    operation = store.operation(undone)
    if operation is None or operation.kind != "undo":
        raise WorkspaceError(f"There is no undo {undone}.")
    return _revert(history, store, operation, "redo")


def plan_restore(history: History, rel: str, number: int | None = None) -> Plan:
    """Plan to bring back version `number` of a file; without a number the one before its present state."""
    store = _store(history)
    rows = store.versions(rel)
    if not rows:
        raise WorkspaceError(f"There are no versions of {shown(rel)}.")
    now = history.on_disk(rel)
    now_digest = digest_of(now[0]) if now else None
    if number is None:
        row = next((row for row in rows if row.digest != now_digest), None)
        if row is None:
            raise WorkspaceError(f"There is no other version of {shown(rel)}.")
    else:
        found = [row for row in rows if row.number == number]
        if not found:
            raise WorkspaceError(
                f"There is no version {number} of {shown(rel)}; it has {rows[-1].number} to {rows[0].number}."
            )
        row = found[0]
    if row.digest == now_digest:
        raise WorkspaceError(f"{shown(rel)} already is as in version {row.number}.")
    return Plan("restore", None, (_planned(history, store, rel, now_digest, row.digest, row.mode, 0, ""),))


def _store(history: History) -> HistoryStore:
    if history.store is None or not history.store.exists:
        raise WorkspaceError("No versions are kept here yet.")
    return history.store


def _reachable(store: HistoryStore, any_session: bool) -> list[Operation]:
    others = frozenset[str]() if any_session else store.running_sessions()
    return [operation for operation in store.operations() if operation.session not in others]


def _revert(history: History, store: HistoryStore, operation: Operation, kind: Literal["undo", "redo"]) -> Plan:
    by_file: dict[str, list[Row]] = {}
    for row in store.changes_of(operation.id):
        by_file.setdefault(row.rel, []).append(row)
    files: list[PlannedFile] = []
    for rel, rows in by_file.items():
        first, last = rows[0], rows[-1]
        if first.before == last.digest:
            continue
        now = history.on_disk(rel)
        now_digest = digest_of(now[0]) if now else None
        if now_digest == first.before:
            continue
        conflict = "" if now_digest == last.digest else _who_changed(store, rel, now_digest)
        mode = last.mode
        folders = max(row.folders for row in rows) if first.before is None else 0
        files.append(_planned(history, store, rel, now_digest, first.before, mode, folders, conflict))
    if not files:
        raise WorkspaceError("There is nothing to do: the files already are as they were.")
    return Plan(kind, operation, tuple(files))


def _who_changed(store: HistoryStore, rel: str, now: str | None) -> str:
    latest = store.latest(rel)
    deed = "changed" if now is not None else "deleted"
    if latest is None or latest.digest != now or latest.author == PERSON:
        return f"it was {deed} by hand since"
    return f"it was {deed} later by {latest.author} (request {latest.operation})"


def _planned(
    history: History,
    store: HistoryStore,
    rel: str,
    now: str | None,
    goal: str | None,
    mode: int | None,
    folders: int,
    conflict: str,
) -> PlannedFile:
    there = history.on_disk(rel)
    content = store.content(goal) if goal is not None else None
    possible = goal is None or content is not None
    if not possible:
        conflict = "the content it had is not kept"
    change = FileChange(shown(rel), readable(there[0] if there else None), readable(content))
    return PlannedFile(shown(rel), change, conflict, possible, rel, now, goal, mode, folders)


def readable(data: bytes | None) -> str | None:
    """Content for people: its text, else in brackets what it is; None stays None."""
    if data is None:
        return None
    try:
        return TextFile.parse(data).text
    except NotText:
        return f"({binary_kind(data[:300])}, {size_text(len(data))})"


def carry_out(history: History, plan: Plan, anyway: Collection[str] = (), author: str = PERSON) -> Outcome:
    """Do what the plan says. `anyway` names (as `shown`) the files with a conflict that are to be changed all the same.

    A file that cannot be changed is left and named; the others are changed.
    """
    store = _store(history)
    started: list[int] = []

    def operation() -> int:
        if not started:
            source = plan.operation
            started.append(
                store.start_operation(source.request if source else 0, plan.kind, author, source.id if source else None)
            )
        return started[0]

    done: list[str] = []
    left: list[tuple[str, str]] = []
    for file in plan.files:
        if not file.goes(anyway):
            left.append((file.path, file.conflict))
            continue
        try:
            content = store.content(file.goal) if file.goal is not None else None
            if file.goal is not None and content is None:
                raise WorkspaceError("the content it had is not kept")
            history.put(
                file.rel,
                content,
                expected=file.now,
                operation=operation,
                author=author,
                action=plan.kind,
                mode=file.mode,
                folders=file.folders,
            )
        except ChangedMeanwhile:
            left.append((file.path, "it was changed just now"))
        except WorkspaceError as error:
            left.append((file.path, str(error)))
        else:
            done.append(file.path)
    if done and plan.operation is not None:
        store.mark(plan.operation.id, taken_back=True)
        if plan.kind == "redo" and plan.operation.target is not None:
            store.mark(plan.operation.target, taken_back=False)
    return Outcome(tuple(done), tuple(left))
