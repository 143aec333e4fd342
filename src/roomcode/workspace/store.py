"""Where earlier versions are kept: one SQLite file in the project.

It lies in `.roomcode/history/` of the project and not in a folder of the user: it moves, is copied and is deleted with
the project, it costs disk space where the files are, and two people with one project see the same history. The folder
holds a `.gitignore` of `*`, so git never sees it; the settings file beside it can still be committed. The price is that
whoever deletes ignored files (`git clean -fdx`) deletes the history too.

Contents are kept once each, by their SHA-256, compressed. The database is in WAL mode; every change is one transaction,
and a writer holds the database's write lock while it replaces the file, so that two roomcodes never write at once.
"""

import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from roomcode.workspace.database import Database
from roomcode.workspace.digests import digest_of
from roomcode.workspace.errors import WorkspaceError
from roomcode.workspace.records import OPERATION_COLUMNS, VERSION_COLUMNS, Operation, Row, operation_of, row_of
from roomcode.workspace.retention import prune

__all__ = ["Change", "Found", "HistoryStore", "folder_of"]

_SCHEMA = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS contents (digest TEXT PRIMARY KEY, size INTEGER NOT NULL, packed BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS operations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL, request INTEGER NOT NULL, kind TEXT NOT NULL, target INTEGER,
    author TEXT NOT NULL, time REAL NOT NULL, taken_back INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path BLOB NOT NULL, number INTEGER NOT NULL,
    digest TEXT, before TEXT, mode INTEGER, folders INTEGER NOT NULL DEFAULT 0,
    operation INTEGER, session TEXT NOT NULL, author TEXT NOT NULL, action TEXT NOT NULL, time REAL NOT NULL,
    pending BLOB,
    UNIQUE (path, number)
);
CREATE INDEX IF NOT EXISTS versions_of_operation ON versions (operation);
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, pid INTEGER NOT NULL, time REAL NOT NULL);
"""


def folder_of(root: Path) -> Path:
    return root / ".roomcode" / "history"


@dataclass(frozen=True, slots=True)
class Found:
    """A file's content; `content` is None when it is not to be kept."""

    digest: str
    content: bytes | None
    mode: int | None


@dataclass(slots=True)
class Change:
    """Filled in while a file is written."""

    folders: int = 0


class HistoryStore:
    """The database of one project, for one session. Opened when it is first needed; usable from any thread.

    Every method raises WorkspaceError when the database cannot be used. `most_versions` and `most_bytes` (compressed)
    are what is kept at most, apart from the versions of running sessions, which are never dropped.
    """

    def __init__(
        self,
        root: Path,
        session: str,
        *,
        most_versions: int = 5000,
        most_bytes: int = 200_000_000,
        wait: float = 5.0,
    ) -> None:
        self.session = session
        self._root = root
        self._most_versions = most_versions
        self._most_bytes = most_bytes
        self._database = Database(folder_of(root) / "versions.db", _TABLES, _SCHEMA, wait=wait)
        self._registered = False
        self._until_pruning = 0
        self._unconfirmed: list[tuple[int, int]] = []

    @property
    def exists(self) -> bool:
        return self._database.exists

    @property
    def notes(self) -> list[str]:
        """What the person should be told, once: a damaged history that was put aside."""
        return self._database.notes

    def close(self) -> None:
        if self._registered:
            with suppress(WorkspaceError), self._database.transaction() as connection:
                connection.execute("DELETE FROM sessions WHERE id = ?", (self.session,))
            self._registered = False
        self._database.close()

    # --- writing ---

    def register(self) -> None:
        """This session starts to write: mend what a killed one left, and drop what is too old."""
        if self._registered:
            return
        with self._database.transaction() as connection:
            self._recover(connection)
            connection.execute(
                "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", (self.session, os.getpid(), time.time())
            )
        self._registered = True
        self.prune()

    def _recover(self, connection: sqlite3.Connection) -> None:
        """Writes that were announced and never confirmed, because their process was killed: they are on disk whole, or
        never happened."""
        rows = connection.execute(
            "SELECT versions.id, path, digest, pending, session, pid FROM versions "
            "LEFT JOIN sessions ON sessions.id = versions.session WHERE pending IS NOT NULL"
        ).fetchall()
        for number, path, digest, pending, session, pid in rows:
            if session != self.session and pid is not None and _alive(pid):
                continue
            with suppress(OSError):
                os.unlink(self._root / os.fsdecode(pending))
            try:
                now = digest_of((self._root / os.fsdecode(path)).read_bytes())
            except OSError:
                now = None
            if now == digest:
                connection.execute("UPDATE versions SET pending = NULL WHERE id = ?", (number,))
            else:
                connection.execute("DELETE FROM versions WHERE id = ?", (number,))

    def start_operation(self, request: int, kind: str, author: str, target: int | None = None) -> int:
        self.register()
        with self._database.transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO operations (session, request, kind, target, author, time) VALUES (?, ?, ?, ?, ?, ?)",
                (self.session, request, kind, target, author, time.time()),
            )
            return int(cursor.lastrowid or 0)

    def note(self, rel: str, look: Callable[[], Found | None], author: str) -> bool:
        """Add a version for what someone else made of a file that has versions; False when it is as it was.

        `look` reads the file while no other roomcode writes, None when there is none.
        """
        self.register()
        with self._database.transaction() as connection:
            return self._note(connection, rel, look(), author, first=False)

    def _note(self, connection: sqlite3.Connection, rel: str, found: Found | None, author: str, *, first: bool) -> bool:
        row = connection.execute(
            "SELECT digest FROM versions WHERE path = ? AND pending IS NULL ORDER BY number DESC LIMIT 1",
            (os.fsencode(rel),),
        ).fetchone()
        digest = found.digest if found is not None else None
        if (row is None and (found is None or not first)) or (row is not None and row[0] == digest):
            return False
        action = "deleted" if found is None else "found" if row is None else "changed"
        if found is not None:
            self._keep(connection, found.digest, found.content)
        mode = found.mode if found is not None else None
        self._insert(connection, rel, digest, row[0] if row else None, mode, None, author, action, None)
        return True

    @contextmanager
    def change(
        self,
        rel: str,
        new: Found | None,
        look: Callable[[], Found | None],
        *,
        operation: int,
        author: str,
        action: str,
        others: str,
        temporary: str,
    ) -> Iterator[Change]:
        """Around the write of one file: the version is announced first and confirmed when the block ends without error.

        `look` reads the file as it is while no other roomcode writes, and may raise to stop everything; what it finds
        becomes a version by `others` unless it is the last one. Inside the block no other roomcode writes either.
        `temporary` is the relative name of the file that a kill would leave.
        """
        self.register()
        self._confirm_late()
        with self._database.transaction() as connection:
            before = look()
            self._note(connection, rel, before, others, first=True)
            if new is not None:
                self._keep(connection, new.digest, new.content)
            version = self._insert(
                connection,
                rel,
                new.digest if new is not None else None,
                before.digest if before is not None else None,
                before.mode if before is not None else new.mode if new is not None else None,
                operation,
                author,
                action,
                os.fsencode(temporary),
            )
        change = Change()
        written = False
        try:
            with self._database.transaction() as connection:
                yield change
                written = True
                self._confirm(connection, version, change.folders)
        except BaseException as error:
            if not (written and isinstance(error, WorkspaceError)):
                with suppress(WorkspaceError), self._database.transaction() as connection:
                    connection.execute("DELETE FROM versions WHERE id = ?", (version,))
                raise
            # The file is written and only its confirmation failed: that is made up for with the next change.
            self._unconfirmed.append((version, change.folders))
        self._until_pruning -= 1
        if self._until_pruning <= 0:
            with suppress(WorkspaceError):
                self.prune()

    def _confirm(self, connection: sqlite3.Connection, version: int, folders: int) -> None:
        connection.execute("UPDATE versions SET pending = NULL, folders = ? WHERE id = ?", (folders, version))

    def _confirm_late(self) -> None:
        if self._unconfirmed:
            with self._database.transaction() as connection:
                for version, folders in self._unconfirmed:
                    self._confirm(connection, version, folders)
            self._unconfirmed.clear()

    def mark(self, operation: int, *, taken_back: bool) -> None:
        with self._database.transaction() as connection:
            connection.execute("UPDATE operations SET taken_back = ? WHERE id = ?", (taken_back, operation))

    def _keep(self, connection: sqlite3.Connection, digest: str, content: bytes | None) -> None:
        if content is None:
            return
        if connection.execute("SELECT 1 FROM contents WHERE digest = ?", (digest,)).fetchone() is None:
            connection.execute("INSERT INTO contents VALUES (?, ?, ?)", (digest, len(content), zlib.compress(content)))

    def _insert(
        self,
        connection: sqlite3.Connection,
        rel: str,
        digest: str | None,
        before: str | None,
        mode: int | None,
        operation: int | None,
        author: str,
        action: str,
        pending: bytes | None,
    ) -> int:
        path = os.fsencode(rel)
        last = connection.execute("SELECT max(number) FROM versions WHERE path = ?", (path,)).fetchone()[0]
        values = {
            "path": path,
            "number": (last or 0) + 1,
            "digest": digest,
            "before": before,
            "mode": mode,
            "operation": operation,
            "session": self.session,
            "author": author,
            "action": action,
            "time": time.time(),
            "pending": pending,
        }
        columns = ", ".join(values)
        marks = ", ".join(f":{name}" for name in values)
        cursor = connection.execute(f"INSERT INTO versions ({columns}) VALUES ({marks})", values)
        return int(cursor.lastrowid or 0)

    # --- reading ---

    def versions(self, rel: str | None = None, *, limit: int = 1000) -> list[Row]:
        """Versions of one file or of all, newest first."""
        if not self.exists:
            return []
        where, values = ("path = ? AND", [os.fsencode(rel)]) if rel is not None else ("", [])
        with self._database.using() as connection:
            rows = connection.execute(
                f"SELECT {VERSION_COLUMNS} WHERE {where} pending IS NULL ORDER BY versions.id DESC LIMIT ?",
                (*values, limit),
            ).fetchall()
        return [row_of(row) for row in rows]

    def latest(self, rel: str) -> Row | None:
        found = self.versions(rel, limit=1)
        return found[0] if found else None

    def files(self) -> list[str]:
        """Every file that has versions."""
        if not self.exists:
            return []
        with self._database.using() as connection:
            rows = connection.execute("SELECT DISTINCT path FROM versions WHERE pending IS NULL").fetchall()
        return sorted(os.fsdecode(row[0]) for row in rows)

    def content(self, digest: str) -> bytes | None:
        """None when it is not kept."""
        with self._database.using() as connection:
            row = connection.execute("SELECT packed FROM contents WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            return None
        try:
            return zlib.decompress(row[0])
        except zlib.error:
            return None

    def operation(self, number: int) -> Operation | None:
        found = self._operations("id = ?", number)
        return found[0] if found else None

    def operations(self) -> list[Operation]:
        """All operations that changed something, newest first."""
        return self._operations("EXISTS (SELECT 1 FROM versions WHERE operation = operations.id AND pending IS NULL)")

    def _operations(self, where: str, *values: object) -> list[Operation]:
        if not self.exists:
            return []
        with self._database.using() as connection:
            rows = connection.execute(
                f"SELECT {OPERATION_COLUMNS} FROM operations WHERE {where} ORDER BY id DESC", values
            ).fetchall()
        return [operation_of(row) for row in rows]

    def changes_of(self, operation: int) -> list[Row]:
        """The versions that an operation made, oldest first."""
        with self._database.using() as connection:
            rows = connection.execute(
                f"SELECT {VERSION_COLUMNS} WHERE operation = ? AND pending IS NULL ORDER BY versions.id", (operation,)
            ).fetchall()
        return [row_of(row) for row in rows]

    def running_sessions(self) -> frozenset[str]:
        """Other sessions whose process still runs."""
        if not self.exists:
            return frozenset()
        with self._database.using() as connection:
            rows = connection.execute("SELECT id, pid FROM sessions").fetchall()
        return frozenset(name for name, pid in rows if name != self.session and _alive(pid))

    def prune(self) -> None:
        """Drop the oldest versions beyond the limits; never those of a running session."""
        self._until_pruning = 64
        running = [*self.running_sessions(), self.session]
        with self._database.transaction() as connection:
            prune(connection, running, self._most_versions, self._most_bytes)
        with self._database.using() as connection:
            # Not `execute`: that would give back a single page.
            connection.executescript("PRAGMA incremental_vacuum")


def _alive(pid: int) -> bool:
    if pid == os.getpid():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
