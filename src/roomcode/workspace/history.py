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
from roomcode.workspace.store import HistoryStore

__all__ = ["LARGEST_KEPT", "ChangedMeanwhile", "History"]

LARGEST_KEPT = 10_000_000
"""Bytes of the largest content that is kept."""


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

    def on_disk(self, rel: str) -> tuple[bytes, os.stat_result] | None:
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
        try:
            now = self.on_disk(rel)
            if (digest_of(now[0]) if now else None) != expected:
                raise ChangedMeanwhile
            if self.store is None:
                self._write(rel, data, now, mode, folders, self.root / rel, None)
                return []
            return self._put_as_version(
                self.store, rel, data, now, expected, operation(), author, action, mode, folders
            )
        except OSError as error:
            verb = "deleted" if data is None else "written"
            raise WorkspaceError(f"{shown(rel)} was not {verb}: {explain(error)}. Nothing changed.") from None

    def _put_as_version(
        self,
        store: HistoryStore,
        rel: str,
        data: bytes | None,
        now: tuple[bytes, os.stat_result] | None,
        expected: str | None,
        operation: int,
        author: str,
        action: str,
        mode: int | None,
        folders: int,
    ) -> list[str]:
        why_not = self._why_not_kept(rel, data, now[0] if now else None)
        self._observe(store, rel, now, keep=not why_not, always=True)
        temporary = temporary_name(self.root / rel)
        new_mode = stat.S_IMODE(now[1].st_mode) if now else mode
        with store.change(
            rel,
            digest=digest_of(data) if data is not None else None,
            content=None if why_not else data,
            before=expected,
            mode=new_mode,
            operation=operation,
            author=author,
            action=action,
            temporary=temporary.relative_to(self.root).as_posix(),
        ) as change:
            # Now that no other roomcode writes: is the file still what it was?
            again = self.on_disk(rel)
            if (digest_of(again[0]) if again else None) != expected:
                raise ChangedMeanwhile
            change.folders = self._write(rel, data, again, mode, folders, self.root / rel, temporary)
        if why_not and rel not in self._told:
            self._told.add(rel)
            return [f"no earlier versions of {shown(rel)} are kept: {why_not}."]
        return []

    def _write(
        self,
        rel: str,
        data: bytes | None,
        now: tuple[bytes, os.stat_result] | None,
        mode: int | None,
        folders: int,
        path: Path,
        temporary: Path | None,
    ) -> int:
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

    def _observe(
        self,
        store: HistoryStore,
        rel: str,
        now: tuple[bytes, os.stat_result] | None,
        *,
        keep: bool,
        always: bool,
    ) -> bool:
        """Note as a version what someone else made of the file since its last version; `always`: also the first one."""
        digest = digest_of(now[0]) if now else None
        latest = store.latest(rel)
        if latest is None and (now is None or not always):
            return False
        if latest is not None and latest.digest == digest:
            return False
        store.add(
            rel,
            digest=digest,
            content=now[0] if now and keep else None,
            mode=stat.S_IMODE(now[1].st_mode) if now else None,
            author=PERSON,
            action="deleted" if now is None else "found" if latest is None else "changed",
        )
        return True

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
                    now = self.on_disk(rel)
                    keep = not self._why_not_kept(rel, now[0] if now else None)
                    self._observe(self.store, rel, now, keep=keep, always=False)
                    self._checked[rel] = stamp
