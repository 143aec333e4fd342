"""A static file server for one folder, for this machine only."""

import asyncio
import logging
import os
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from roomcode.preview.mime import content_type, is_text
from roomcode.preview.names import nearest
from roomcode.preview.paths import files_below, resolve, url_path
from roomcode.preview.ports import claim
from roomcode.preview.reload import FileWatch, LiveReload, with_script

if TYPE_CHECKING:
    from aiohttp import web

__all__ = ["StaticServer"]

_log = logging.getLogger(__name__)
_CHUNK = 256 * 1024
_MOST_MISSED = 1000
_CHARSET_CHECK = 1024 * 1024
_NO_CACHE = {"Cache-Control": "no-store"}


class StaticServer:
    """Serves the files of `folder` at `http://127.0.0.1:port/`.

    Only GET and HEAD, only regular files inside the folder that are not hidden, only requests whose Host header names
    this machine and port (so that no foreign web page can reach it through a name of its own).
    """

    def __init__(self, folder: Path, *, live_reload: bool = False) -> None:
        self.folder = folder
        self.port = 0
        self._runner: web.ServerRunner | None = None
        self._modules: dict[str, str] = {}
        self.given = FileWatch()
        """Files that were asked for since the last `forget`."""
        self.missed: list[tuple[str, str]] = []
        """User-Agent and address of what was asked for in vain since the last `forget`."""
        self.on_request: Callable[[str, str], None] = lambda agent, target: None
        """Told the User-Agent and target of every request."""
        self._reload = LiveReload() if live_reload else None

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self, wanted: int) -> int:
        """Listen on the wanted port or the next free one, and return it. Raises OSError when there is none."""
        from aiohttp import web

        sock = claim(wanted)
        try:
            self.port = int(sock.getsockname()[1])
            self._hosts = {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")}
            if self.port == 80:
                self._hosts |= {"127.0.0.1", "localhost", "[::1]"}
            server = web.Server(self._handle, access_log=None)
            runner = web.ServerRunner(server, shutdown_timeout=0.2)
            await runner.setup()
            await web.SockSite(runner, sock).start()
        except BaseException:
            sock.close()
            raise
        self._runner = runner
        return self.port

    async def close(self) -> None:
        """Stop listening and drop open connections."""
        if self._reload is not None:
            self._reload.close()
        if self._runner is not None:
            runner, self._runner = self._runner, None
            for connection in runner.server.connections if runner.server else ():
                # A client that does not read its answer must not hold up the end.
                if connection.transport is not None:
                    connection.transport.abort()
            await runner.cleanup()

    def forget(self) -> None:
        """A new load begins."""
        self.given.clear()
        self.missed.clear()

    def add_module(self, path: str, code: str) -> None:
        """Answer `path` (without leading slash) with a script that is no file, until `remove_module`."""
        self._modules[path] = code

    def remove_module(self, path: str) -> None:
        self._modules.pop(path, None)

    async def _handle(self, request: "web.BaseRequest") -> "web.StreamResponse":
        from aiohttp import web

        self.on_request(request.headers.get("User-Agent", ""), request.raw_path)
        host = request.headers.get("Host", "")
        if host.lower() not in self._hosts:
            return web.Response(status=403, text="This server answers only to its own address.\n", headers=_NO_CACHE)
        if request.method not in ("GET", "HEAD"):
            headers = {**_NO_CACHE, "Allow": "GET, HEAD"}
            return web.Response(status=405, text="This server only serves files.\n", headers=headers)
        try:
            return await self._answer(request)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except OSError as error:
            _log.warning("could not serve %s: %s", request.path, error)
            return web.Response(status=500, text="The file could not be read.\n", headers=_NO_CACHE)

    async def _answer(self, request: "web.BaseRequest") -> "web.StreamResponse":
        from aiohttp import web

        path = url_path(request.raw_path)
        if path is None:
            return web.Response(status=404, text="Not found.\n", headers=_NO_CACHE)
        if path in self._modules:
            body = self._modules[path]
            return web.Response(text=body, content_type="text/javascript", charset="utf-8", headers=_NO_CACHE)
        if self._reload is not None and path == self._reload.path:
            return await self._reload.stream(request)
        real, is_folder = await asyncio.to_thread(_look_up, self.folder, path)
        if is_folder:
            location = request.raw_path.partition("?")[0] + "/"
            return web.Response(status=302, headers={**_NO_CACHE, "Location": f"/{location.lstrip('/')}"})
        if real is None:
            self._remember(self.folder / path)
            if len(self.missed) < _MOST_MISSED:
                self.missed.append((request.headers.get("User-Agent", ""), f"{self.origin}{request.raw_path}"))
            return await self._missing(path)
        return await self._file(request, real, path)

    def _remember(self, file: Path) -> None:
        self.given.add(file)
        if self._reload is not None:
            self._reload.files.add(file)

    async def _missing(self, path: str) -> "web.Response":
        from aiohttp import web

        names = await asyncio.to_thread(lambda: list(files_below(self.folder)))
        wanted = path if path and not path.endswith("/") else f"{path}index.html"
        guess = nearest(wanted, names)
        hint = f" Did you mean {guess}?" if guess else ""
        body = f"<!doctype html><title>Not found</title><p>{escape(wanted)} was not found.{escape(hint)}</p>\n"
        return web.Response(status=404, text=body, content_type="text/html", charset="utf-8", headers=_NO_CACHE)

    async def _file(self, request: "web.BaseRequest", real: Path, path: str) -> "web.StreamResponse":
        from aiohttp import web

        kind = content_type(real.name if path.endswith("/") or not path else path)
        try:
            file, size, utf8 = await asyncio.to_thread(_open, real, is_text(kind))
        except FileNotFoundError:
            return await self._missing(path)
        try:
            headers = {**_NO_CACHE, "Accept-Ranges": "bytes"}
            headers["Content-Type"] = f"{kind}; charset=utf-8" if utf8 else kind
            self._remember(real)
            if self._reload is not None and kind == "text/html" and self._reload.wanted(request):
                page = await asyncio.to_thread(file.read)
                return web.Response(body=with_script(page, self._reload.path), headers=headers)
            try:
                start, end = _span(request, size)
            except ValueError:
                return web.Response(status=416, headers={**_NO_CACHE, "Content-Range": f"bytes */{size}"})
            partial = (start, end) != (0, size)
            if partial:
                headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
            response = web.StreamResponse(status=206 if partial else 200, headers=headers)
            response.content_length = end - start
            await response.prepare(request)
            if request.method != "HEAD":
                await _send(response, file, start, end)
            await response.write_eof()
            return response
        finally:
            file.close()


def _look_up(folder: Path, path: str) -> tuple[Path | None, bool]:
    """The file for `path` (a folder's index.html for a folder), and whether a slash is missing at its end."""
    real = resolve(folder, path)
    if real is None or not real.is_dir():
        return real, False
    if path and not path.endswith("/"):
        return real, True
    index = resolve(folder, f"{path}index.html")
    return (index if index is not None and index.is_file() else None), False


def _open(real: Path, text: bool) -> tuple[BinaryIO, int, bool]:
    """The open file, its size, and whether it is to be called UTF-8."""
    # The path was checked a moment ago; a link or pipe put there since is not followed and does not block.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(real, flags), "rb")
    try:
        size = os.fstat(file.fileno()).st_size
        utf8 = False
        if text:
            utf8 = _is_utf8(file.read(_CHARSET_CHECK), size)
            file.seek(0)
    except BaseException:
        file.close()
        raise
    return file, size, utf8


def _is_utf8(head: bytes, size: int) -> bool:
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character cut by the end of what was looked at is no fault of the file.
        return len(head) < size and error.start >= len(head) - 3
    return True


def _span(request: "web.BaseRequest", size: int) -> tuple[int, int]:
    """First byte and the byte after the last one. Raises ValueError when the range cannot be satisfied."""
    header = request.headers.get("Range", "")
    unit, _, spec = header.partition("=")
    if unit.strip().lower() != "bytes" or "," in spec:
        # Several ranges in one answer are optional in HTTP, and no browser asks for them.
        return 0, size
    first, dash, last = spec.strip().partition("-")
    if not dash or not (first or last) or not (first + last).isdecimal() or not (first + last).isascii():
        return 0, size
    if not first:
        length = min(int(last), size)
        if length == 0:
            raise ValueError("empty range")
        return size - length, size
    start = int(first)
    end = min(int(last) + 1, size) if last else size
    if start >= size or end <= start:
        raise ValueError("range outside the file")
    return start, end


async def _send(response: "web.StreamResponse", file: BinaryIO, start: int, end: int) -> None:
    await asyncio.to_thread(file.seek, start)
    left = end - start
    while left > 0:
        chunk = await asyncio.to_thread(file.read, min(_CHUNK, left))
        if not chunk:
            # The file shrank while it was sent: a short answer would look complete.
            raise ConnectionResetError("file became shorter")
        left -= len(chunk)
        await response.write(chunk)
