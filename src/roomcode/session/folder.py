"""The sessions of one project: where they are, listing them, opening one for writing.

Sessions lie in the user's data folder, in one folder for each project path, and not in the project like the versions of
its files. A conversation is private (it holds what was asked and whatever was read), while a web project is uploaded,
zipped and given away as a whole folder. And a session is believed when it is opened: its tokens are fed to the model as
they are, control tokens too. A project that came from somewhere else must not bring a conversation along. The price is
that a project folder which is moved starts anew; its sessions stay readable (`roomcode sessions --all`).

A session is `TIME-ID.jsonl`. Beside it `TIME-ID.lock` is held by the roomcode that writes it; the system lets go of it
when that process ends, however it ends.
"""

import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from roomcode.session.errors import SessionError, reason_of
from roomcode.session.forking import fork_records
from roomcode.session.infos import SessionInfo, info_of
from roomcode.session.reading import only_newer
from roomcode.session.records import VERSION, Header

__all__ = ["LAST", "NEW", "Held", "SessionFolder", "all_folders", "outgrown", "user_folder"]

NEW = ""
"""Instead of an id: a session of its own."""
LAST = "last"
"""Instead of an id: the one that was written last."""

_TRIES = 8
_SHORTEST = 2
"""Characters of an id that are enough, if only one session begins like that."""


@dataclass(slots=True)
class Held:
    """A session that this process may write; `release` lets go of it."""

    path: Path
    id: str
    lock: FileLock | None

    def release(self) -> None:
        lock, self.lock = self.lock, None
        if lock is None:
            return
        if not self.path.exists():
            # Nothing was written, so nobody else can want this session.
            with suppress(OSError):
                os.unlink(_lock_path(self.path))
        with suppress(OSError):
            lock.release(force=True)


def user_folder() -> Path:
    """The folder that holds a folder for each project."""
    import platformdirs

    return platformdirs.user_data_path("roomcode", appauthor=False) / "sessions"


def all_folders(root: Path | None = None) -> Iterator["SessionFolder"]:
    """The sessions of every project, also of those that are no longer where they were."""
    root = root or user_folder()
    with suppress(OSError):
        for path in sorted(root.iterdir()):
            if path.is_dir():
                yield SessionFolder(None, path)


class SessionFolder:
    """All sessions of the project at `project`. `path` is for tests and for folders of projects that are gone."""

    def __init__(self, project: Path | None, path: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self.project = Path(os.path.realpath(project)) if project is not None else None
        self.path = path or user_folder() / _name_of(self.project)
        self._clock = clock

    # --- looking ---

    def sessions(self) -> list[SessionInfo]:
        """All sessions, the one that was written last first. Reads little of each. Raises SessionError."""
        found = [info for path in self._paths() if (info := info_of(path)) is not None]
        return sorted(found, key=lambda info: (info.updated, info.path.name), reverse=True)

    def find(self, wanted: str) -> Path:
        """The file of the session whose id begins with `wanted`, or of the LAST one. Raises SessionError."""
        if wanted == LAST:
            newest = max(((*_written(path), path) for path in self._paths()), default=None)
            if newest is None or newest[0] < 0:
                raise SessionError("There is no session of this folder yet.")
            return newest[-1]
        matching = [path for path in self._paths() if _id_of(path).startswith(wanted.lower())]
        if len(wanted) < _SHORTEST or not matching:
            raise SessionError(f"There is no session {wanted!r} here. `roomcode sessions` lists them.")
        if len(matching) > 1:
            ids = ", ".join(sorted(map(_id_of, matching))[:5])
            raise SessionError(f"{len(matching)} sessions begin with {wanted}: {ids}. Give more of the id.")
        return matching[0]

    def _paths(self) -> list[Path]:
        try:
            return [path for path in self.path.glob("*.jsonl") if _id_of(path)]
        except OSError as error:
            raise SessionError(f"The sessions in {self.path} cannot be read: {reason_of(error)}.") from None

    def others(self) -> bool:
        """Whether another roomcode has a session of this project open. Tidies up after those that were killed."""
        busy = False
        with suppress(OSError):
            for path in self.path.glob("*.lock"):
                held = self._try(path.with_suffix(".jsonl"))
                if held is None:
                    busy = True
                else:
                    held.release()
        return busy

    # --- opening ---

    def new(self) -> Held:
        """A session that nothing is written of yet. Never raises: without a lock it is just not protected."""
        for _ in range(_TRIES):
            stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self._clock()))
            path = self.path / f"{stamp}-{secrets.token_hex(4)}.jsonl"
            held = self._try(path)
            # Whoever tidies up may have taken the lock file in the moment before it was locked.
            if held is not None and (held.lock is None or _lock_path(held.path).exists()):
                return held
        return Held(path, _id_of(path), None)

    def open(self, wanted: str) -> Held:
        """The session `wanted` (see `find`), to be written. Raises SessionError, also when another roomcode has it."""
        path = self.find(wanted)
        self._must_be_ours(path)
        held = self._try(path)
        if held is None:
            raise SessionError(
                f"Session {_id_of(path)} is open in another roomcode: close it there, or start a new session."
            )
        return held

    def fork(self, parent: Held, request: int) -> tuple[Held, str]:
        """A session that holds all that was before a request of another one, and the text of that request.

        Raises SessionError; then there is no new session.
        """
        held = self.new()
        try:
            lines, prompt = fork_records(parent.path, request, self.header(held, parent=parent.id, before=request))
            with open(held.path, "xb", opener=_private) as file:
                file.writelines(lines)
                file.flush()
                os.fsync(file.fileno())
        except (OSError, SessionError) as error:
            with suppress(OSError):
                os.unlink(held.path)
            held.release()
            if isinstance(error, SessionError):
                raise
            raise SessionError(f"The session cannot be forked: {reason_of(error)}.") from None
        return held, prompt

    # --- deleting ---

    def delete(self, wanted: str) -> str:
        """Delete the session `wanted` (see `find`); returns its id. Raises SessionError, also when it is open, here or
        in another roomcode."""
        path = self.find(wanted)
        held = self._try(path)
        if held is None:
            raise SessionError(f"Session {_id_of(path)} is open in another roomcode: close it there first.")
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise SessionError(f"Session {held.id} cannot be deleted: {reason_of(error)}.") from None
        finally:
            held.release()
        return held.id

    def retire(self, count: int, size: int) -> list[str]:
        """Delete those that were written longest ago, until there are at most `count` sessions of together at most
        `size` bytes (0: any number, any size); returns their ids.

        The last one stays, and so does one that is open anywhere, that a newer roomcode wrote, or that cannot be
        locked. Never raises: what cannot be deleted now may be later.
        """
        retired: list[str] = []
        with suppress(OSError, SessionError):
            for path in outgrown([(path, path.stat()) for path in self._paths()], count, size):
                with suppress(OSError, SessionError):
                    self._must_be_ours(path)
                    held = self._try(path)
                    if held is None:
                        continue
                    try:
                        if held.lock is not None:
                            path.unlink()
                            retired.append(held.id)
                    finally:
                        held.release()
        return retired

    def _must_be_ours(self, path: Path) -> None:
        try:
            with open(path, "rb") as file:
                newer = only_newer(file.readline(65_536))
        except OSError as error:
            raise SessionError(f"Session {_id_of(path)} cannot be read: {reason_of(error)}.") from None
        if newer:
            raise SessionError(newer)

    def header(self, held: Held, *, parent: str = "", before: int = 0) -> Header:
        """The first line of a new session."""
        from roomcode import __version__

        project = os.fsencode(self.project).decode("utf-8", "replace") if self.project is not None else ""
        return Header(
            version=VERSION,
            id=held.id,
            project=project,
            created=self._clock(),
            roomcode=__version__,
            parent=parent,
            before=before,
        )

    def _try(self, path: Path) -> Held | None:
        """The session, or None when another process has it."""
        lock = FileLock(_lock_path(path), timeout=0, thread_local=False)
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock.acquire()
        except Timeout:
            return None
        except (OSError, NotImplementedError):
            # No locks on this disk, or nothing may be written: the writer says so if it matters.
            return Held(path, _id_of(path), None)
        return Held(path, _id_of(path), lock)


def outgrown(sessions: Sequence[tuple[Path, os.stat_result]], count: int, size: int) -> list[Path]:
    """Which sessions are too many or too much, the oldest first; never the last one."""
    kept = 0
    too_much: list[Path] = []
    for place, (path, facts) in enumerate(sorted(sessions, key=lambda s: (s[1].st_mtime, s[0].name), reverse=True)):
        kept += facts.st_size
        if place and ((count and place >= count) or (size and kept > size)):
            too_much.append(path)
    return too_much[::-1]


def _name_of(project: Path | None) -> str:
    """A folder name for a project path: readable, and different for each path."""
    data = os.fsencode(project) if project is not None else b""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", project.name if project is not None else "").strip("-.")[:40]
    return f"{name or 'project'}-{hashlib.sha256(data).hexdigest()[:12]}"


def _lock_path(path: Path) -> Path:
    return path.with_suffix(".lock")


def _id_of(path: Path) -> str:
    """The id in a file name; empty when it is none of ours."""
    match = re.fullmatch(r"\d{8}-\d{6}-([0-9a-f]{8})", path.stem)
    return match[1] if match else ""


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _written(path: Path) -> tuple[float, str]:
    """When a session was written last, and its name; before all times when there is nothing in it."""
    try:
        stat = path.stat()
    except OSError:
        return -1.0, ""
    return stat.st_mtime if stat.st_size else -1.0, path.name
