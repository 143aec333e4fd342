"""A project folder: find, read and write its files so that nothing is lost.

All methods block and may be called from any thread; changes are made one at a time.
"""

import hashlib
import os
import stat
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from roomcode.workspace.encodings import NotText
from roomcode.workspace.errors import WorkspaceError, explain
from roomcode.workspace.filesystem import FileSystem, RealFileSystem, atomic_write
from roomcode.workspace.ignore import Ignore, LeftOut, walk
from roomcode.workspace.kinds import binary_kind, size_text
from roomcode.workspace.names import shown
from roomcode.workspace.paths import Target, resolve
from roomcode.workspace.seen import PERSON, Seen
from roomcode.workspace.textfile import TextFile

__all__ = ["LARGEST_TEXT", "Loaded", "Saved", "StaleError", "Workspace"]

LARGEST_TEXT = 20_000_000
"""Bytes of the largest file that is read as text."""
CONVERSATION = "conversation"


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
        super().__init__(f"{loaded.target.shown} was changed by {who} since you last saw it.")
        self.who = who
        self.loaded = loaded


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Workspace:
    """The files of one project. `root` must be an existing folder; it may be reached through a link."""

    def __init__(self, root: Path, *, files: FileSystem | None = None) -> None:
        given = os.path.abspath(root)
        self.root = Path(os.path.realpath(given))
        if not self.root.is_dir():
            raise WorkspaceError(f"{shown(given)} is not a folder. Name an existing folder.")
        self._roots = (given,) if given != str(self.root) else ()
        self._files = files or RealFileSystem()
        self._lock = threading.RLock()
        self._seen = Seen()
        self._noticed: dict[str, str | None] = {}
        self._author = "agent"
        self._request = 0

    # --- finding ---

    def resolve(self, path: str) -> Target:
        """What a path means in this project; raises WorkspaceError."""
        return resolve(self.root, path, roots=self._roots)

    def names(self, limit: int = 2000) -> list[str]:
        """Paths of the project's files that are not ignored, as `shown`, sorted by folder; at most `limit`."""
        names: list[str] = []
        for found in walk(Ignore(self.root), ".", LeftOut()):
            names.append(shown(found.rel))
            if len(names) >= limit:
                break
        return names

    def alike(self, target: Target) -> str:
        """The existing file whose path is most like that of a missing one, or ""."""
        names = self.names()
        base = target.shown.rsplit("/", 1)[-1].casefold()
        same = [name for name in names if name.rsplit("/", 1)[-1].casefold() == base]
        near = same or get_close_matches(target.shown, names, 1, 0.6)
        if not near:
            by_base = {name.rsplit("/", 1)[-1]: name for name in names}
            near = [by_base[found] for found in get_close_matches(base, list(by_base), 1, 0.7)]
        return near[0] if near else ""

    def alike_folder(self, target: Target) -> str:
        """The existing folder whose path is most like that of a missing one, or ""."""
        folders = sorted({name.rsplit("/", 1)[0] for name in self.names() if "/" in name})
        near = get_close_matches(target.shown, folders, 1, 0.6)
        return near[0] if near else ""

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
        except FileNotFoundError:
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

    def missing(self, target: Target) -> str:
        """What to say of a file that is not there."""
        alike = self.alike(target)
        if alike:
            return f"There is no file {target.shown}. Did you mean {alike}?"
        names = self.names(8)
        if not names:
            return f"There is no file {target.shown}. The project is empty: create files with write_file."
        return f"There is no file {target.shown}. The project has: {', '.join(names)}."

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
            now = self.current(target)
            if now is not None and (before is None or now.digest != before.digest):
                who = self._seen.stale(reader, target.rel, now.digest) or PERSON
                self._saw(reader, target.rel, now.digest)
                raise StaleError(who, now)
            if now is None and before is not None:
                raise WorkspaceError(
                    f"{target.shown} was deleted meanwhile. Create it again with write_file if needed."
                )
            try:
                info = os.lstat(target.path) if now is not None else None
                atomic_write(self._files, target.path, data, like=info)
            except OSError as error:
                raise WorkspaceError(f"{target.shown} was not written: {explain(error)}. Nothing changed.") from None
            self._seen.wrote(reader, self._name_of(reader), target.rel, digest_of(data))
            self._noticed[target.rel] = digest_of(data)
        return Saved(target, file)

    def _saw(self, reader: str, rel: str, digest: str | None) -> None:
        self._seen.saw(reader, rel, digest)
        self._noticed[rel] = digest

    def _name_of(self, reader: str) -> str:
        return self._author if reader == CONVERSATION else reader

    # --- requests ---

    def begin_request(self, number: int, author: str = "agent") -> None:
        """A new request starts: what tools write from now on belongs to it. `author` is who answers it."""
        with self._lock:
            self._request = number
            self._author = author
            self._seen.new_request()

    def changes_since_last_request(self) -> list[str]:
        """Files that some reader knows and that were changed or deleted by hand, as `shown`; each change once."""
        with self._lock:
            changed: list[str] = []
            for rel in sorted(self._seen.files()):
                digest = self._digest_on_disk(rel)
                if digest == self._noticed.get(rel):
                    continue
                self._noticed[rel] = digest
                self._seen.changed_by_person(rel, digest)
                changed.append(shown(rel) + ("" if digest else " (deleted)"))
            return changed

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
