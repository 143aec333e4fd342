"""Reloading the person's own browser when a served file changes. Nothing of this is written to files."""

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import web

__all__ = ["AGENT_MARK", "FileWatch", "LiveReload", "with_script"]

_SCRIPT = '<script>new EventSource("/{path}").addEventListener("change", () => location.reload());</script>'
_END = re.compile(rb"</body\s*>|</html\s*>", re.IGNORECASE)
_EVERY = 0.4

AGENT_MARK = "roomcode/"
"""In the User-Agent of the preview's own browser, followed by a number for each tab."""


class FileWatch:
    """Remembers the state of the files that were given out, and of those that were asked for in vain."""

    def __init__(self) -> None:
        self._seen: dict[Path, tuple[int, int]] = {}

    def add(self, file: Path) -> None:
        self._seen[file] = _stamp(file)

    def clear(self) -> None:
        self._seen.clear()

    def changed(self) -> bool:
        """Whether any of them is not what it was. Reads the disk."""
        return any(_stamp(file) != stamp for file, stamp in list(self._seen.items()))


class LiveReload:
    """Tells open browser windows that one of the files they were given has changed."""

    path = "__roomcode/changes"

    def __init__(self) -> None:
        self.files = FileWatch()
        self._closed = asyncio.Event()

    def wanted(self, request: "web.BaseRequest") -> bool:
        """Whether this is a person's browser: the checked page stays exactly as its file is."""
        agent = request.headers.get("User-Agent", "")
        return "Mozilla" in agent and AGENT_MARK not in agent

    def close(self) -> None:
        self._closed.set()

    async def stream(self, request: "web.BaseRequest") -> "web.StreamResponse":
        """An event stream that says `change` once, when any given file changed, and then ends."""
        from aiohttp import web

        headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        while not self._closed.is_set():
            try:
                await asyncio.wait_for(self._closed.wait(), _EVERY)
            except TimeoutError:
                if await asyncio.to_thread(self.files.changed):
                    await response.write(b"event: change\ndata: \n\n")
                    break
                # A comment shows whether the window is still there.
                await response.write(b":\n\n")
        return response


def _stamp(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except OSError:
        return (0, -1)
    return status.st_mtime_ns, status.st_size


def with_script(page: bytes, path: str) -> bytes:
    """The page with the reloading script at its end, so that no line of it moves."""
    script = _SCRIPT.format(path=path).encode()
    ends = list(_END.finditer(page))
    if not ends:
        return page + script
    last = next((end for end in ends if end.group().lower().startswith(b"</body")), ends[-1])
    return page[: last.start()] + script + page[last.start() :]
