"""Which values of a call's arguments exist, so that a constraint can hold the model to them."""

from collections.abc import Callable, Sequence

from roomcode.workspace import Workspace

__all__ = ["existing_paths"]

_MOST = 1000
"""With more files than this a path is not held to them: naming them all would cost more than it saves."""


def existing_paths(workspace: Workspace) -> Callable[[str, str], Sequence[str] | None]:
    """For a tool and a parameter: the paths that it can be given, or None where any text may be right.

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
            case "read_file" | "edit_file":
                return tuple(files())
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


def _folders(names: Sequence[str]) -> tuple[str, ...]:
    """All folders that hold one of `names`, at any depth."""
    found: dict[str, None] = {}
    for name in names:
        parts = name.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            found["/".join(parts[:depth])] = None
    return tuple(found)
