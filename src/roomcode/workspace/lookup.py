"""Which files a project has, and which of them was meant by a path that does not exist."""

import os
from difflib import get_close_matches
from pathlib import Path

from roomcode.workspace.ignore import Ignore, LeftOut, walk
from roomcode.workspace.names import shown
from roomcode.workspace.paths import Target

__all__ = ["alike", "missing", "missing_folder", "names"]

_LOOKED_AT = 2000
_NAMED = 8


def names(root: Path, limit: int) -> list[str]:
    """Paths of the files that are not ignored, as `shown`, sorted by folder; at most `limit`."""
    found: list[str] = []
    for file in walk(Ignore(root), ".", LeftOut()):
        found.append(shown(file.rel))
        if len(found) >= limit:
            break
    return found


def alike(root: Path, target: Target) -> str:
    """The existing file whose path is most like that of a missing one, or "". Its own folder goes first."""
    folder, _, base = target.shown.rpartition("/")
    beside = [f"{folder}/{name}" if folder else name for name in _files_in(target.path.parent)]
    near = get_close_matches(target.shown, beside, 1, 0.75)
    if near:
        return near[0]
    paths = names(root, _LOOKED_AT)
    same = [path for path in paths if path.rsplit("/", 1)[-1].casefold() == base.casefold()]
    near = same or get_close_matches(target.shown, paths, 1, 0.6)
    if not near:
        by_base = {path.rsplit("/", 1)[-1]: path for path in paths}
        near = [by_base[found] for found in get_close_matches(base, list(by_base), 1, 0.7)]
    return near[0] if near else ""


def missing(root: Path, target: Target) -> str:
    """What to say of a file that is not there."""
    near = alike(root, target)
    if near:
        return f"There is no file {target.shown}. Did you mean {near}?"
    paths = names(root, _NAMED)
    if not paths:
        return f"There is no file {target.shown}. The project is empty: create files with write_file."
    return f"There is no file {target.shown}. The project has: {', '.join(paths)}."


def missing_folder(root: Path, target: Target) -> str:
    """What to say of a folder that is not there."""
    folders = sorted({path.rsplit("/", 1)[0] for path in names(root, _LOOKED_AT) if "/" in path})
    near = get_close_matches(target.shown, folders, 1, 0.6)
    if near:
        return f"There is no folder {target.shown}. Did you mean {near[0]}?"
    return f"There is no folder {target.shown}. Call list_dir without a path to see what there is."


def _files_in(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(shown(entry.name) for entry in entries if entry.is_file(follow_symlinks=False))[:1000]
    except OSError:
        return []
