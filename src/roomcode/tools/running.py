"""Blocking work of tools, off the event loop, and what every file tool does with its outcome."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from roomcode.protocol.tools import ToolResult
from roomcode.workspace import WorkspaceError

__all__ = ["failed", "finished", "path_of"]

T = TypeVar("T")


async def finished(work: Callable[[], T]) -> T:
    """Run a short write in a thread. When the caller is cancelled meanwhile, what was done is told all the same: a file
    that was written must not count as untouched."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        return task.result()


def failed(error: WorkspaceError) -> ToolResult:
    return ToolResult("failed", str(error), hint=error.hint)


def path_of(arguments: Mapping[str, Any], tool: str, example: str) -> str:
    """The path argument; raises WorkspaceError with an example call when it is missing."""
    path = arguments.get("path")
    if not isinstance(path, str) or not path.strip():
        given = ", ".join(f"{name}={str(value)[:40]!r}" for name, value in arguments.items()) or "nothing"
        raise WorkspaceError(
            f"{tool} needs a path. You gave {given}. Example: {example}",
            hint="format",
        )
    return path
