"""Which values of a call's arguments exist, so that a constraint can hold the model to them."""

from collections.abc import Callable, Collection, Mapping, Sequence

from roomcode.workspace import Workspace, WorkspaceError

__all__ = ["existing_paths", "text_to_edit", "text_to_make"]

_MOST = 1000
"""With more files than this a path is not held to them: naming them all would cost more than it saves."""

_LONGEST = 60_000
"""Characters of the longest file that an edit is held to; the grammar of such a one takes half a second."""


def existing_paths(
    workspace: Workspace,
    *,
    to_write: Sequence[str] = (),
    to_edit: Sequence[str] = (),
    kept: Collection[str] = (),
    new_files: bool = True,
) -> Callable[[str, str], Sequence[str] | None]:
    """For a tool and a parameter: the paths that it can be given, or None where any text may be right. With `to_write`
    only these files are written, with `to_edit` only these are edited. Files that are `kept` are neither, and without
    `new_files` only what is there is written.

    The files are looked up once, at the first question: make a new one for each answer.
    """
    known: list[str] | None = None

    def files() -> list[str]:
        nonlocal known
        if known is None:
            known = workspace.names(limit=_MOST + 1)
        return known

    def choices(tool: str, parameter: str) -> Sequence[str] | None:
        if parameter != "path" or len(files()) > _MOST:
            return None
        match tool:
            case "write_file":
                there = tuple(name for name in files() if name not in kept)
                return tuple(to_write) or (there if there and not new_files else None)
            case "read_file":
                return tuple(files())
            case "edit_file":
                there = tuple(name for name in files() if _holds_something(workspace, name))
                there = tuple(name for name in there if name not in kept) or there
                return tuple(name for name in there if name in to_edit) or there
            case "list_dir":
                return (".", *_folders(files()))
            case "search":
                return (".", *_folders(files()), *files())
            case "serve":
                pages = tuple(name for name in files() if name.endswith((".html", ".htm")))
                return (".", *_folders(pages), *pages)
            case _:
                return None

    return choices


def text_to_edit(workspace: Workspace) -> Callable[[str], str | None]:
    """From a path to the text of that file as it is on disk now, or None where it is no text or too long a one."""

    def text(path: str) -> str | None:
        found = workspace.text_of(path)
        return found if found is not None and len(found) <= _LONGEST else None

    return text


def text_to_make(workspace: Workspace, known: Mapping[str, str]) -> Callable[[str], str | None]:
    """From a path to the text of that file in `known`, or None where there is none, or the file is there already."""

    def text(path: str) -> str | None:
        try:
            target = workspace.resolve(path)
            return known.get(target.rel) if workspace.info(target) is None else None
        except WorkspaceError:
            return None

    return text


def _holds_something(workspace: Workspace, name: str) -> bool:
    """There is a text in the file, so that a piece of it can be named."""
    try:
        found = workspace.info(workspace.resolve(name))
    except WorkspaceError:
        return False
    return found is not None and found.st_size > 0


def _folders(names: Sequence[str]) -> tuple[str, ...]:
    """All folders that hold one of `names`, at any depth."""
    found: dict[str, None] = {}
    for name in names:
        parts = name.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            found["/".join(parts[:depth])] = None
    return tuple(found)
