"""A project folder: find, read and write its files so that nothing is lost.

All methods block and may be called from any thread; changes are made one at a time.
"""

import os
import secrets
import stat
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from roomcode.protocol.display import FileChange
from roomcode.workspace.digests import digest_of
from roomcode.workspace.encodings import NotText
from roomcode.workspace.errors import WorkspaceError, explain
from roomcode.workspace.filesystem import FileSystem, RealFileSystem
from roomcode.workspace.history import ChangedMeanwhile, History
from roomcode.workspace.kinds import binary_kind, size_text
from roomcode.workspace.lookup import missing, missing_folder, names
from roomcode.workspace.names import shown
from roomcode.workspace.paths import Target, resolve
from roomcode.workspace.records import Operation, Row
from roomcode.workspace.seen import PERSON, Seen
from roomcode.workspace.store import HistoryStore
from roomcode.workspace.textfile import TextFile
from roomcode.workspace.undo import Outcome, Plan, carry_out, plan_back, plan_redo, plan_restore, plan_undo, readable

__all__ = ["CONVERSATION", "LARGEST_TEXT", "Loaded", "Saved", "StaleError", "Workspace"]

LARGEST_TEXT = 20_000_000
"""Bytes of the largest file that is read as text."""
CONVERSATION = "conversation"
"""The reader that is the model's conversation, not one of its helpers."""
_MOST_NAMES = 2000


@dataclass(frozen=True, slots=True)
class Loaded:
    """A text file as it is on disk now."""

    target: Target
    file: TextFile
    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class Saved:
    """A file as it was written. `notes` are for the model and the person (for example: no versions are kept of it)."""

    target: Target
    file: TextFile
    notes: tuple[str, ...] = ()


class StaleError(WorkspaceError):
    """The file was changed by someone else since this reader saw it; `loaded` is what it holds now."""

    def __init__(self, who: str, loaded: Loaded) -> None:
        self.by = "by hand" if who == PERSON else f"by {who}"
        super().__init__(f"{loaded.target.shown} was changed {self.by} since you last saw it.")
        self.loaded = loaded


class Workspace:
    """The files of one project. `root` must be an existing folder; it may be reached through a link.

    `session` names the running session in the history (a fresh name when empty); with `versions` off no earlier
    versions are kept and nothing can be undone. `files` and `store` are for tests.
    """

    def __init__(
        self,
        root: Path,
        *,
        session: str = "",
        versions: bool = True,
        files: FileSystem | None = None,
        store: HistoryStore | None = None,
    ) -> None:
        given = os.path.abspath(root)
        self.root = Path(os.path.realpath(given))
        if not self.root.is_dir():
            raise WorkspaceError(f"{shown(given)} is not a folder. Name an existing folder.")
        self._roots = (given,) if given != str(self.root) else ()
        self._files = files or RealFileSystem()
        self._lock = threading.RLock()
        self._seen = Seen()
        self._noticed: dict[str, str | None] = {}
        if store is None and versions:
            store = HistoryStore(self.root, session or secrets.token_hex(8))
        self._store = store
        self._history = History(self.root, self._files, store)
        self._author = "agent"
        self._request = 0
        self._operation: int | None = None
        self._before_brought: dict[str, str | None] = {}
        """What files held before the running request brought something back."""
        self._names: frozenset[str] | None = None

    # --- finding ---

    def resolve(self, path: str) -> Target:
        """What a path means in this project; raises WorkspaceError."""
        return resolve(self.root, path, roots=self._roots)

    def names(self, limit: int = 2000) -> list[str]:
        """Paths of the project's files that are not ignored, as `shown`, sorted by folder; at most `limit`."""
        return names(self.root, limit)

    def missing(self, target: Target) -> str:
        """What to say of a file that is not there."""
        return missing(self.root, target)

    def missing_folder(self, target: Target) -> str:
        """What to say of a folder that is not there."""
        return missing_folder(self.root, target)

    # --- reading ---

    def load(self, target: Target, *, reader: str | None = None) -> Loaded:
        """The file as text; `reader` has then seen this state of it. Raises WorkspaceError that says what is there."""
        info = self.info(target)
        if info is None:
            raise WorkspaceError(self.missing(target))
        self._must_be_file(target, info)
        if info.st_size > LARGEST_TEXT:
            raise WorkspaceError(
                f"{target.shown} is too large: {size_text(info.st_size)}, at most {size_text(LARGEST_TEXT)} can be "
                "read. Work without reading it."
            )
        data = self._read(target)
        try:
            file = TextFile.parse(data)
        except NotText:
            raise WorkspaceError(
                f"{target.shown} is not text: {binary_kind(data[:300])}, {size_text(len(data))}. "
                "It cannot be read or edited; use it by its path."
            ) from None
        loaded = Loaded(target, file, digest_of(data), len(data))
        if reader is not None:
            with self._lock:
                self._saw(reader, target.rel, loaded.digest)
        return loaded

    def text_of(self, path: str) -> str | None:
        """The text of a file, or None when it cannot be read as text. Nobody counts as having seen it."""
        try:
            target = self.resolve(path)
            return None if target.protected else self.load(target).file.text
        except WorkspaceError:
            return None

    def info(self, target: Target) -> os.stat_result | None:
        """What the system says of the target, or None when there is nothing. Raises WorkspaceError."""
        try:
            return os.lstat(target.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise WorkspaceError(f"{target.shown} cannot be used: {explain(error)}.") from None

    def unreadable(self, target: Target, error: OSError) -> WorkspaceError:
        return WorkspaceError(f"{target.shown} cannot be read: {explain(error)}.")

    def _read(self, target: Target) -> bytes:
        try:
            return self._files.read(target.path)
        except OSError as error:
            raise self.unreadable(target, error) from None

    def _must_be_file(self, target: Target, info: os.stat_result) -> None:
        if stat.S_ISDIR(info.st_mode):
            raise WorkspaceError(f"{target.shown} is a folder, not a file. Use list_dir to see what is in it.")
        if not stat.S_ISREG(info.st_mode):
            raise WorkspaceError(f"{target.shown} is not a regular file (a pipe, socket or device). Use another file.")

    # --- writing ---

    def current(self, target: Target) -> Loaded | None:
        """The file that a write would replace, None for a new one. Raises WorkspaceError if it must not be written."""
        if target.protected:
            raise WorkspaceError(f"{target.shown} is protected ({target.protected}): it is never written.")
        if target.rel == ".":
            raise WorkspaceError("The path is the project folder. Give a file in it, for example index.html.")
        info = self.info(target)
        if info is None:
            self._must_be_creatable(target)
            return None
        self._must_be_file(target, info)
        if not info.st_mode & 0o222 or not os.access(target.path, os.W_OK):
            raise WorkspaceError(
                f"{target.shown} is read-only. Ask the person to make it writable, or use another file."
            )
        return self.load(target)

    def _must_be_creatable(self, target: Target) -> None:
        folder = target.path.parent
        while folder != self.root and not os.path.lexists(folder):
            folder = folder.parent
        if not folder.is_dir():
            name = shown(folder.relative_to(self.root).as_posix())
            raise WorkspaceError(
                f"{name} is a file, not a folder, so {target.shown} cannot be in it. Use another path."
            )

    def check_seen(self, current: Loaded | None, target: Target, reader: str) -> None:
        """Raises StaleError when someone changed the file since `reader` saw it. After that it has seen it."""
        with self._lock:
            digest = current.digest if current is not None else None
            who = self._seen.stale(reader, target.rel, digest)
            if not who:
                return
            self._saw(reader, target.rel, digest)
            # A file that was deleted meanwhile is a new one: there is nothing to lose.
            if current is not None:
                raise StaleError(who, current)

    def saw(self, loaded: Loaded, reader: str) -> None:
        """`reader` knows this state of the file, whether it read it or wrote the same itself."""
        with self._lock:
            self._saw(reader, loaded.target.rel, loaded.digest)

    def refused_before(self, reader: str, key: str) -> bool:
        """Whether a refusal of this kind was given before in this request; it counts as given from now on."""
        with self._lock:
            return self._seen.refused_before(reader, key)

    def save(self, target: Target, file: TextFile, *, before: Loaded | None, reader: str, tool: str) -> Saved:
        """Write the file atomically. `before` is the state that the change was made for; None means a new file.

        Raises StaleError when the disk holds another state, WorkspaceError when the write fails; then nothing changed.
        """
        data = file.to_bytes()
        with self._lock:
            self.current(target)
            try:
                notes = self._history.put(
                    target.rel,
                    data,
                    expected=before.digest if before is not None else None,
                    operation=self._operation_of_request,
                    author=self._name_of(reader),
                    action=tool,
                )
            except ChangedMeanwhile:
                raise self._changed_meanwhile(target, reader) from None
            self._seen.wrote(reader, self._name_of(reader), target.rel, digest_of(data))
            self._noticed[target.rel] = digest_of(data)
            notes += self._store_notes()
        return Saved(target, file, tuple(notes))

    def _changed_meanwhile(self, target: Target, reader: str) -> WorkspaceError:
        now = self.current(target)
        if now is None:
            return WorkspaceError(f"{target.shown} was deleted meanwhile. Create it again with write_file if needed.")
        who = self._seen.stale(reader, target.rel, now.digest) or PERSON
        self._saw(reader, target.rel, now.digest)
        return StaleError(who, now)

    def _operation_of_request(self) -> int:
        if self._operation is None:
            assert self._store is not None
            self._operation = self._store.start_operation(self._request, "request", self._author)
        return self._operation

    def _store_notes(self) -> list[str]:
        if self._store is None:
            return []
        notes = [*self._store.notes]
        self._store.notes.clear()
        return notes

    def _saw(self, reader: str, rel: str, digest: str | None) -> None:
        self._seen.saw(reader, rel, digest)
        self._noticed[rel] = digest

    def _name_of(self, reader: str) -> str:
        return self._author if reader == CONVERSATION else reader

    # --- requests ---

    def begin_request(self, number: int, author: str = "agent") -> None:
        """A new request starts: what tools write from now on belongs to it and is undone with it. `author` answers it.

        What was changed by hand in files with versions becomes a version now.
        """
        with self._lock:
            self._request = number
            self._author = author
            self._operation = None
            self._before_brought = {}
            self._seen.new_request()
            self._history.observe_known()
            if self._names is None:
                self._names = frozenset(self.names(_MOST_NAMES))

    def still_changed(self, names: Collection[str]) -> list[str]:
        """Those of `names` (as `shown`) that are not as they were before the running request. Without versions that is
        not known, and all count."""
        with self._lock:
            if self._operation is None or self._store is None:
                return list(names)
            before = dict(self._before_brought)
            for row in self._store.changes_of(self._operation):
                before.setdefault(row.rel, row.before)
            same = {shown(rel) for rel, digest in before.items() if self._digest_on_disk(rel) == digest}
            return [name for name in names if name not in same]

    def take_back(self) -> int | None:
        """Undo all that the running request wrote so far, so that it can be tried anew.

        Returns a number for `bring_back`, 0 when nothing was written, and None when a file was changed by hand
        meanwhile: then nothing is undone.
        """
        with self._lock:
            if self._operation is None or self._store is None:
                return 0
            self._history.observe_known()
            try:
                plan = plan_undo(self._history, self._operation)
            except WorkspaceError:
                return 0  # all is as it was
            if any(file.conflict for file in plan.files):
                return None
            if not self._put_back(plan):
                return None
            number = next(o.id for o in self._store.operations() if o.kind == "undo" and o.target == self._operation)
            self._operation = None
            return number

    def bring_back(self, number: int) -> bool:
        """Do again what `take_back` undid; False when that was not possible for every file."""
        with self._lock:
            try:
                plan = plan_back(self._history, number)
            except WorkspaceError:
                return False
            self._before_brought = {file.rel: self._digest_on_disk(file.rel) for file in plan.files}
            try:
                return self._put_back(plan)
            except WorkspaceError:
                return False

    def _put_back(self, plan: Plan) -> bool:
        """Carry out a plan of the agent's own, of which the conversation knows."""
        outcome = carry_out(self._history, plan, author=self._author)
        for file in plan.files:
            if file.path in outcome.done:
                self._seen.wrote(CONVERSATION, self._author, file.rel, file.goal)
                self._noticed[file.rel] = file.goal
        return not outcome.left

    def changes_since_last_request(self) -> list[str]:
        """Files that someone else changed, deleted or added since the model was last told, each change once.

        Paths as `shown`, with " (deleted)" or " (new)". Changes and deletions count for files that some reader knows.
        """
        with self._lock:
            changed: list[str] = []
            for rel in sorted(self._seen.files()):
                digest = self._digest_on_disk(rel)
                before = self._noticed.get(rel)
                if digest == before:
                    continue
                self._noticed[rel] = digest
                self._seen.changed_by_person(rel, digest)
                changed.append(shown(rel) + (" (deleted)" if digest is None else " (new)" if before is None else ""))
            return [*changed, *self._added(frozenset(map(shown, self._seen.files())))]

    def _added(self, known: frozenset[str]) -> list[str]:
        """New files that no tool made, at most 20."""
        before, now = self._names, frozenset(self.names(_MOST_NAMES))
        self._names = now
        if before is None or len(now) >= _MOST_NAMES:
            return []
        return [f"{name} (new)" for name in sorted(now - before - known)[:20]]

    def _digest_on_disk(self, rel: str) -> str | None:
        try:
            return digest_of(self._files.read(self.root / rel))
        except OSError:
            return None

    def known(self, reader: str = CONVERSATION) -> Mapping[str, str | None]:
        """Which state (digest) of which file a reader saw last: kept with a session, given back to `restore_known`."""
        with self._lock:
            return self._seen.known(reader)

    def restore_known(self, known: Mapping[str, str | None], reader: str = CONVERSATION) -> None:
        with self._lock:
            self._seen.restore(reader, known)
            self._noticed.update(known)

    def forget(self, reader: str = CONVERSATION) -> None:
        """The reader starts anew and knows no file."""
        with self._lock:
            self._seen.restore(reader, {})

    # --- versions ---

    def versions(self, path: str | None = None, *, limit: int = 1000) -> list[Row]:
        """Kept versions of one file or of all, newest first."""
        rel = self._versioned(path) if path is not None else None
        return self._store.versions(rel, limit=limit) if self._store is not None else []

    def version_content(self, row: Row) -> bytes | None:
        """The content of a version; None when it was a deletion, or is not kept."""
        if self._store is None or row.digest is None:
            return None
        return self._store.content(row.digest)

    def version_change(self, row: Row) -> FileChange:
        """What a version changed, for people: texts, or in brackets why there is none."""
        store = self._store

        def text(digest: str | None) -> str | None:
            content = store.content(digest) if store is not None and digest is not None else None
            return "(the content is not kept)" if content is None and digest is not None else readable(content)

        return FileChange(row.shown, text(row.before), text(row.digest))

    def text_now(self, path: str) -> str | None:
        """The file as it is on disk, for people: its text, else in brackets what it is; None when there is none."""
        target = self.resolve(path)
        info = self.info(target)
        if info is None:
            return None
        if not stat.S_ISREG(info.st_mode) or info.st_size > LARGEST_TEXT:
            return f"(not shown: {size_text(info.st_size)})"
        return readable(self._read(target))

    def _versioned(self, path: str) -> str:
        """The file with versions that is meant by a path; a deleted one is also known by its name as `shown`."""
        rel = self.resolve(path).rel
        if self._store is not None and self._store.exists and self._store.latest(rel) is None:
            return next((known for known in self._store.files() if shown(known) == path), rel)
        return rel

    def operations(self) -> list[Operation]:
        """Requests, restores, undos and redos that changed files, newest first."""
        return self._store.operations() if self._store is not None else []

    def plan_undo(self, request: int | None = None, *, any_session: bool = False) -> Plan:
        """What taking back the last request (or the one with this number) would do. Raises WorkspaceError."""
        with self._lock:
            self._history.observe_known()
            return plan_undo(self._history, request, any_session=any_session)

    def plan_redo(self, *, any_session: bool = False) -> Plan:
        """What taking back the last undo would do. Raises WorkspaceError."""
        with self._lock:
            self._history.observe_known()
            return plan_redo(self._history, any_session=any_session)

    def plan_restore(self, path: str, number: int | None = None) -> Plan:
        """What bringing back a version of a file would do; without a number the one before its present state."""
        with self._lock:
            self._history.observe_known()
            return plan_restore(self._history, self._versioned(path), number)

    def carry_out(self, plan: Plan, anyway: Collection[str] = ()) -> Outcome:
        """Do what a plan says; `anyway` names the files with a conflict that are to be changed all the same."""
        with self._lock:
            return carry_out(self._history, plan, anyway)

    def close(self) -> None:
        """Close the history; harmless when nothing was written."""
        if self._store is not None:
            self._store.close()
