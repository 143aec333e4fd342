"""Talking to one browser tab, its workers and separate frames over the debugging protocol, never without a limit."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

from roomcode.preview.inject import FOR_WORKERS

__all__ = ["Channel", "GoneError", "Tab"]

_T = TypeVar("_T")
_CHILD_SETUP: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Runtime.enable", {}),
    ("Log.enable", {}),
    ("Network.enable", {}),
    ("Runtime.evaluate", {"expression": FOR_WORKERS}),
    ("Runtime.runIfWaitingForDebugger", {}),
)


class GoneError(Exception):
    """The page is closed, crashed or was given up; or it refused the command."""


class Tab(Protocol):
    """What is needed of a browser tab."""

    frame: str
    agent: str
    on_download: Callable[[str], None]
    on_closed: Callable[[], None]

    async def send(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]: ...

    def on(self, event: str, handler: Callable[[dict[str, Any]], None]) -> None: ...

    async def screenshot(self, limit: float) -> bytes: ...

    async def close(self, limit: float) -> bool: ...


class Channel:
    """Commands with time limits, events with the name of the worker or frame they came from (empty for the page)."""

    def __init__(self, tab: Tab, limit: float) -> None:
        self.tab = tab
        self._limit = limit
        self._gone = asyncio.Event()
        self._sending: set[asyncio.Task[Any]] = set()
        self._children: dict[str, str] = {}
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._number = 0
        self._on_child: Callable[[str, Mapping[str, Any], str], None] = lambda method, params, source: None
        self.trouble = ""
        """Why the page can no longer be used, or empty."""
        tab.on("Target.attachedToTarget", self._attached)
        tab.on("Target.receivedMessageFromTarget", self._from_child)
        tab.on("Target.detachedFromTarget", self._detached)
        tab.on_closed = self._gone.set

    @property
    def gone(self) -> bool:
        return self._gone.is_set()

    @property
    def has_children(self) -> bool:
        """Whether it has workers or separate frames."""
        return bool(self._children)

    def give_up(self, reason: str) -> None:
        """Everything that waits for this page ends now; the first reason stays."""
        self.trouble = self.trouble or reason
        self._gone.set()

    async def listen_to_children(self, on_event: Callable[[str, Mapping[str, Any], str], None]) -> None:
        """Attach to every worker and separate frame before its first line runs."""
        self._on_child = on_event
        # Without `flatten` the children talk through this tab's own session, which is all that Playwright gives.
        await self.ask("Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": False})

    async def ask(self, method: str, params: Mapping[str, Any] | None = None, limit: float = 0) -> dict[str, Any]:
        """One command. Raises TimeoutError when no answer comes in time, GoneError when there will be none."""
        return await self.within(self.tab.send(method, params), method, limit)

    async def ask_child(self, method: str, params: Mapping[str, Any], limit: float = 0) -> dict[str, Any]:
        """One command to the only worker. Raises like `ask`."""
        session = next(iter(self._children), None)
        if session is None:
            raise GoneError("the worker has ended")
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        number = self._next()
        self._answers[number] = answer
        try:
            message = json.dumps({"id": number, "method": method, "params": params})
            await self.ask("Target.sendMessageToTarget", {"sessionId": session, "message": message})
            return await self.within(answer, method, limit)
        finally:
            self._answers.pop(number, None)

    def send_soon(self, method: str, params: Mapping[str, Any]) -> None:
        """Send without waiting, from event handlers; what goes wrong does not matter there."""

        async def send() -> None:
            with contextlib.suppress(Exception):
                await self.tab.send(method, params)

        task = asyncio.ensure_future(send())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def close(self, limit: float) -> bool:
        """Throw the tab away; False when the browser hangs over it."""
        self._gone.set()
        for task in list(self._sending):
            task.cancel()
        return await self.tab.close(limit)

    async def within(self, work: Awaitable[_T], name: str, limit: float) -> _T:
        """What `work` gives. Raises TimeoutError after `limit` seconds, GoneError when it fails or the page is gone."""
        task = asyncio.ensure_future(work)
        gone = asyncio.ensure_future(self._gone.wait())
        try:
            await asyncio.wait({task, gone}, timeout=limit or self._limit, return_when=asyncio.FIRST_COMPLETED)
            if task.done() and not task.cancelled():
                if error := task.exception():
                    raise GoneError(str(error)) from error
                return task.result()
            if self._gone.is_set():
                raise GoneError(self.trouble or "the page is closed")
            raise TimeoutError(name)
        finally:
            gone.cancel()
            if not task.done():
                task.cancel()
                task.add_done_callback(lambda done: done.cancelled() or done.exception())

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _attached(self, params: Mapping[str, Any]) -> None:
        session = str(params.get("sessionId", ""))
        kind = str(params.get("targetInfo", {}).get("type", ""))
        self._children[session] = "frame" if kind == "iframe" else "worker"
        for method, settings in _CHILD_SETUP:
            message = json.dumps({"id": self._next(), "method": method, "params": settings})
            self.send_soon("Target.sendMessageToTarget", {"sessionId": session, "message": message})

    def _detached(self, params: Mapping[str, Any]) -> None:
        self._children.pop(str(params.get("sessionId", "")), None)

    def _from_child(self, params: Mapping[str, Any]) -> None:
        try:
            message = json.loads(params.get("message", ""))
        except ValueError:
            return
        if method := message.get("method"):
            source = self._children.get(str(params.get("sessionId")), "worker")
            self._on_child(method, message.get("params", {}), source)
        elif (answer := self._answers.get(message.get("id", 0))) and not answer.done():
            if "error" in message:
                answer.set_exception(GoneError(str(message["error"].get("message", "refused"))))
            else:
                answer.set_result(message.get("result", {}))
