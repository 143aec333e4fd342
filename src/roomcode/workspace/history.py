"""Changes of files that are kept as versions: the one way in which anything in the project is written."""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from roomcode.workspace.digests import digest_of
from roomcode.workspace.errors import WorkspaceError, explain
from roomcode.workspace.filesystem import FileSystem, atomic_write, temporary_name
from roomcode.workspace.ignore import Ignore
from roomcode.workspace.kinds import size_text
from roomcode.workspace.names import shown
from roomcode.workspace.seen import PERSON
from roomcode.workspace.store import Found, HistoryStore

__all__ = ["LARGEST_KEPT", "ChangedMeanwhile", "History"]

LARGEST_KEPT = 10_000_000
"""Bytes of the largest content that is kept."""


OnDisk = tuple[bytes, os.stat_result]
"""A file's bytes and what the system says of it."""


class ChangedMeanwhile(Exception):
    """The file on disk is not in the state that the change was made for."""


class History:
    """Writes and deletes files of the project at `root`, each change as a version in `store` (None: no versions).

    Ignored files and large ones are noted in the history, but their content is not kept; `put` says so once a file.
    """

    def __init__(self, root: Path, files: FileSystem, store: HistoryStore | None) -> None:
        self.root = root
        self.store = store
        self._files = files
        self._told: set[str] = set()
        self._checked: dict[str, tuple[int, int, int]] = {}

    def on_disk(self, rel: str) -> OnDisk | None:
        """The file's bytes, or None when there is no such file. Raises OSError for anything else."""
        path = self.root / rel
        try:
            info = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if not stat.S_ISREG(info.st_mode):
            raise OSError(f"{shown(rel)} is not a regular file")
        return self._files.read(path), info

    def put(
        self,
        rel: str,
        data: bytes | None,
        *,
        expected: str | None,
        operation: Callable[[], int],
        author: str,
        action: str,
        mode: int | None = None,
        folders: int = 0,
    ) -> list[str]:
        """Make the file hold `data`, or delete it for None. `expected` is the digest it must have now; None: no file.

        `mode` is for a file that does not exist. With a deletion, up to `folders` parent folders go too if they are
        empty. Returns notes for the model and the person. Raises ChangedMeanwhile or WorkspaceError; then nothing
        changed.
        """
        failed = f"{shown(rel)} was not {'deleted' if data is None else 'written'}"
        try:
            if self.store is None:
                self._write(rel, data, self._expected(rel, expected), mode, folders, None)
                return []
            now = self._expected(rel, expected)
            why_not = self._why_not_kept(rel, data, now[0] if now else None)
            temporary = temporary_name(self.root / rel)
            with self.store.change(
                rel,
                Found(digest_of(data), None if why_not else data, mode) if data is not None else None,
                lambda: self._found(self._expected(rel, expected), keep=not why_not),
                operation=operation(),
                author=author,
                action=action,
                others=PERSON,
                temporary=temporary.relative_to(self.root).as_posix(),
            ) as change:
                # Now that no other roomcode writes: is the file still what it was?
                now = self._expected(rel, expected)
                change.folders = self._write(rel, data, now, mode, folders, temporary)
        except OSError as error:
            raise WorkspaceError(f"{failed}: {explain(error)}. Nothing changed.") from None
        except WorkspaceError as error:
            raise WorkspaceError(f"{failed}. {error}") from None
        if why_not and rel not in self._told:
            self._told.add(rel)
            return [f"no earlier versions of {shown(rel)} are kept: {why_not}."]
        return []

    def _expected(self, rel: str, digest: str | None) -> OnDisk | None:
        now = self.on_disk(rel)
        if (digest_of(now[0]) if now else None) != digest:
            raise ChangedMeanwhile
        return now

    def _found(self, now: OnDisk | None, *, keep: bool) -> Found | None:
        if now is None:
            return None
        return Found(digest_of(now[0]), now[0] if keep else None, stat.S_IMODE(now[1].st_mode))

    def _write(
        self,
        rel: str,
        data: bytes | None,
        now: OnDisk | None,
        mode: int | None,
        folders: int,
        temporary: Path | None,
    ) -> int:
        path = self.root / rel
        if data is not None:
            return atomic_write(self._files, path, data, like=now[1] if now else None, mode=mode, temporary=temporary)
        self._files.remove(path)
        for folder in list(path.parents)[:folders]:
            with suppress(OSError):
                self._files.remove_folder(folder)
        return 0

    def _why_not_kept(self, rel: str, *contents: bytes | None) -> str:
        size = max((len(content) for content in contents if content is not None), default=0)
        if size > LARGEST_KEPT:
            return f"it is larger than {size_text(LARGEST_KEPT)}"
        if Ignore(self.root).ignores(rel, folder=False):
            return "it is an ignored file"
        return ""

    def observe_known(self) -> None:
        """Note as versions what was changed by hand in the files that have versions. Never raises."""
        if self.store is None or not self.store.exists:
            return
        with suppress(WorkspaceError):
            for rel in self.store.files():
                try:
                    info = os.lstat(self.root / rel)
                    stamp = (info.st_mtime_ns, info.st_size, info.st_ino)
                except OSError:
                    stamp = (0, 0, 0)
                if self._checked.get(rel) == stamp:
                    continue
                with suppress(OSError):
                    self._note(self.store, rel)
                    self._checked[rel] = stamp

    def _note(self, store: HistoryStore, rel: str) -> None:
        now = self.on_disk(rel)
        latest = store.latest(rel)
        if latest is None or latest.digest == (digest_of(now[0]) if now else None):
            return

        def look() -> Found | None:
            there = self.on_disk(rel)
            return self._found(there, keep=not self._why_not_kept(rel, there[0] if there else None))

        store.note(rel, look, PERSON)
