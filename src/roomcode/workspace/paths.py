"""From what a model wrote as a path to a real file of the project, or a refusal that shows the right form.

Nothing outside the project is ever reached: not by `..`, not by an absolute path, not by `~`, not through a link.
Only names are looked at here; no file is opened.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from roomcode.workspace.errors import WorkspaceError
from roomcode.workspace.names import is_plain, protection, same_name, shown

__all__ = ["Target", "resolve"]

_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "<": ">"}
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_SYSTEM_FOLDERS = frozenset(
    [
        "Applications",
        "Library",
        "System",
        "Users",
        "Volumes",
        "app",
        "bin",
        "boot",
        "data",
        "dev",
        "etc",
        "home",
        "lib",
        "lib64",
        "media",
        "mnt",
        "opt",
        "private",
        "proc",
        "project",
        "projects",
        "repo",
        "root",
        "run",
        "sbin",
        "srv",
        "sys",
        "tmp",
        "user",
        "users",
        "usr",
        "var",
        "work",
        "workspace",
        "workspaces",
    ]
)


@dataclass(frozen=True, slots=True)
class Target:
    """A place in the project: links are followed, and names are spelled as on disk.

    `rel` is relative to the project with `/`, or "." for the project itself; it may hold bytes that are not UTF-8 as
    surrogates, `shown` never does. `notes` say how the path was understood when that was not obvious.
    """

    path: Path
    rel: str
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        return shown(self.rel)

    @property
    def protected(self) -> str:
        """Why this file is never written by a tool, or ""."""
        return protection(self.rel)


def resolve(root: Path, text: str, *, roots: Sequence[str] = ()) -> Target:
    """Find what `text` means inside `root`, a real path. `roots` are other spellings of the root (through links).

    The target need not exist. Raises WorkspaceError, with the root and a relative form where one can be guessed.
    """
    if not text.strip():
        raise WorkspaceError("path is empty. Give a file of the project, for example index.html.")
    if "\0" in text:
        raise WorkspaceError("path holds a NUL character. Give a plain path, for example index.html.")
    wanted = text if _stands_as_given(root, text) else _unwrapped(text)
    relative, taken = _relative(root, wanted, roots)
    notes = []
    if relative != "." and (taken or _tidy(text) != _tidy(relative)):
        notes.append(f"{shown(text.strip())} was taken as {shown(relative)}: paths start at the project folder.")
    spelled = _spelled_as_on_disk(root, relative)
    real = os.path.realpath(os.path.join(root, spelled))
    base = str(root)
    if real == base:
        return Target(root, ".", tuple(notes))
    if not real.startswith(base.rstrip(os.sep) + os.sep):
        raise WorkspaceError(
            f"{shown(relative)} is a link that leads outside the project. Use a file inside the project folder."
        )
    if os.path.islink(real):
        raise WorkspaceError(f"{shown(relative)} is a link that leads back to itself. Use another file.")
    rel = os.path.relpath(real, base).replace(os.sep, "/")
    rel = _spelled_as_on_disk(root, rel)
    if not os.path.lexists(real) and not all(is_plain(part) for part in rel.split("/")):
        raise WorkspaceError(f"{shown(rel)} is not a good file name. Use letters, digits, - and _, like index.html.")
    if protection(relative) and not protection(rel):
        # A link with a protected name: what it names is treated like the file that it leads to would be.
        raise WorkspaceError(f"{shown(relative)} is protected. Use another file.")
    if rel != spelled:
        notes.append(f"{shown(spelled)} is a link to {shown(rel)}.")
    return Target(root / rel, rel, tuple(notes))


def _stands_as_given(root: Path, text: str) -> bool:
    """A file with exactly this odd name exists, for example one that ends in a space."""
    if text.startswith(("/", "~")) or ".." in text.split("/"):
        return False
    return os.path.lexists(os.path.join(root, text))


def _unwrapped(text: str) -> str:
    """Without blanks and quotes around it, without `file://`, with `/` for `\\`."""
    text = text.strip()
    while len(text) > 2 and _QUOTES.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    scheme = _SCHEME.match(text)
    if scheme and scheme[1].lower() == "file":
        text = unquote(text[scheme.end() :])
    elif scheme:
        raise WorkspaceError(f"{shown(text)} is a URL, not a file. Give a path in the project, like index.html.")
    return text


def _tidy(path: str) -> str:
    return os.path.normpath(path.replace("\\", "/"))


def _relative(root: Path, path: str, roots: Sequence[str]) -> tuple[str, bool]:
    """The path relative to the root, and whether an absolute form was taken as a relative one."""
    if _DRIVE.match(path):
        raise _outside(root, path, path[2:].replace("\\", "/"))
    if "\\" in path and not _exists_by_parts(root, path):
        path = path.replace("\\", "/")
    if path.startswith("~") and not os.path.lexists(os.path.join(root, path)):
        raise _outside(root, path, path.partition("/")[2])
    absolute = path.startswith("/")
    if absolute:
        path = _under_root(root, path, roots)
    joined = os.path.normpath(os.path.join(root, path.lstrip("/")))
    base = str(root)
    if joined != base and not joined.startswith(base.rstrip("/") + "/"):
        raise _outside(root, path, "/".join(part for part in path.split("/") if part not in ("..", ".")))
    return os.path.relpath(joined, base).replace(os.sep, "/"), absolute


def _exists_by_parts(root: Path, path: str) -> bool:
    """Whether a name with a backslash is meant: an existing file, or one as it is shown."""
    return _spelled_as_on_disk(root, path) != path or os.path.lexists(os.path.join(root, path))


def _under_root(root: Path, path: str, roots: Sequence[str]) -> str:
    """An absolute path as one relative to the root: a path into the project, or a page's `/index.html`."""
    plain = os.path.normpath(path).replace("//", "/")
    for base in (str(root), *roots):
        if plain == base:
            return "."
        if plain.startswith(base.rstrip("/") + "/"):
            return plain[len(base) :].lstrip("/")
    inside = plain.lstrip("/")
    if not inside:
        return "."
    first = inside.split("/")[0]
    if os.path.lexists(root / first):
        return inside
    if first in _SYSTEM_FOLDERS or os.path.lexists("/" + first):
        raise _outside(root, path, inside)
    return inside


def _outside(root: Path, path: str, rest: str) -> WorkspaceError:
    """The refusal of a path that is not in the project, with the form that would be."""
    parts = [part for part in rest.split("/") if part not in ("", ".", "..")]
    form = parts[-1] if parts else "index.html"
    for index in range(len(parts)):
        tail = "/".join(parts[index:])
        if os.path.lexists(root / tail):
            form = tail
            break
    return WorkspaceError(
        f"{shown(path)} is outside the project. The project folder is {shown(str(root))}; "
        f"use a path relative to it: {shown(form)}"
    )


def _spelled_as_on_disk(root: Path, relative: str) -> str:
    """Each part as the folder spells it, so that one file has one name whatever the disk thinks of case and accents."""
    folder = str(root)
    parts = relative.split("/")
    for index, part in enumerate(parts):
        if part in ("", ".", ".."):
            return relative
        found = _entry(folder, part)
        if found is None:
            break
        parts[index] = found
        folder = os.path.join(folder, found)
    return "/".join(parts)


def _entry(folder: str, wanted: str) -> str | None:
    """The entry of `folder` that `wanted` means, or None when there is none (or the folder cannot be listed)."""
    try:
        meant = os.lstat(os.path.join(folder, wanted))
    except (OSError, ValueError):
        meant = None
    alike = None
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name == wanted:
                    return wanted
                if meant is not None:
                    # The disk found it under another spelling: it folds case or accents.
                    if entry.name.casefold() == wanted.casefold() or same_name(wanted, entry.name):
                        alike = entry.name
                elif same_name(wanted, entry.name):
                    alike = entry.name
    except OSError:
        return wanted if meant is not None else None
    return alike
