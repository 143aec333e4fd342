"""One SQLite file shared by threads and processes: opening, mending, transactions, and errors as sentences."""

import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from roomcode.workspace.errors import WorkspaceError, explain

__all__ = ["Database"]


class Database:
    """A database at `path` in WAL mode, opened when it is first needed, one user at a time within this process.

    Its folder gets a `.gitignore` of `*`. A damaged file is put aside and a new one started; `notes` says so. All
    methods raise WorkspaceError when the database cannot be used.
    """

    def __init__(self, path: Path, tables: str, version: int, *, wait: float = 5.0) -> None:
        self.path = path
        self.notes: list[str] = []
        self._tables = tables
        self._version = version
        self._wait = wait
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._suspect = False

    @property
    def exists(self) -> bool:
        return self._connection is not None or self.path.exists()

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """The connection, for reading."""
        with self._lock:
            try:
                yield self._open()
            except sqlite3.Error as error:
                if not isinstance(error, (sqlite3.OperationalError, sqlite3.ProgrammingError)):
                    self._suspect = True
                    self.close()
                raise WorkspaceError(
                    f"The history in {self.path.parent} cannot be used: {_cause(error)}. Nothing was changed."
                ) from error

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction that holds the write lock of the database from its start."""
        with self.using() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        self._make_folder()
        try:
            self._connection = self._connect()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            self._put_aside()
            self._connection = self._connect()
        self._suspect = False
        return self._connection

    def _make_folder(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            marker = self.path.parent / ".gitignore"
            if not marker.exists():
                marker.write_text("*\n")
        except OSError as error:
            raise WorkspaceError(
                f"Earlier versions cannot be kept in {self.path.parent}: {explain(error)}. Nothing was changed."
            ) from None

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=self._wait, isolation_level=None, check_same_thread=False)
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > self._version:
                raise sqlite3.OperationalError("it was written by a newer roomcode")
            if version == 0:
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if version == 0:
                connection.execute("BEGIN IMMEDIATE")
                for statement in self._tables.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {self._version}")
                connection.execute("COMMIT")
            if self._suspect and connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise sqlite3.DatabaseError("damaged")
        except BaseException:
            connection.close()
            raise
        return connection

    def _put_aside(self) -> None:
        aside = self.path.with_name(
            f"{self.path.stem}-damaged-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}{self.path.suffix}"
        )
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                os.replace(f"{self.path}{suffix}", f"{aside}{suffix}")
        self.notes.append(f"The history of earlier versions was damaged; it was put aside as {aside.name}.")


def _cause(error: sqlite3.Error) -> str:
    text = str(error)
    if "locked" in text or "busy" in text:
        return "another roomcode holds it; try again"
    if "full" in text:
        return "the disk is full"
    if "readonly" in text:
        return "it is read-only"
    if "unable to open" in text:
        return "it cannot be opened"
    return text
