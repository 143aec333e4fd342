"""The headless browser: finding one, starting it, handing out fresh tabs, ending it with everything it started.

The only place that knows Playwright.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import psutil

from roomcode.preview.inject import FOR_PAGES
from roomcode.preview.programs import FLAGS, LOCAL_ONLY, find_browsers, may_sandbox, why
from roomcode.preview.reload import AGENT_MARK
from roomcode.preview.types import Limits

if TYPE_CHECKING:
    from playwright.async_api import Browser as Chromium
    from playwright.async_api import BrowserContext, CDPSession, Page, Playwright

__all__ = ["Browser", "BrowserTab", "NoBrowserError"]

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_RETRY = 20.0
"""Seconds until a browser that did not start is tried again."""

_DOMAINS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Page.enable", {}),
    ("Runtime.enable", {}),
    ("Network.enable", {}),
    ("Log.enable", {}),
    ("Debugger.enable", {}),
    # `debugger` statements must not stop a page that nobody debugs; asking it to stop still works.
    ("Debugger.setBreakpointsActive", {"active": False}),
    # Requests of pages only, so that leaving the site can be stopped; everything else goes through untouched.
    ("Fetch.enable", {"patterns": [{"urlPattern": "*", "resourceType": "Document"}]}),
)


class NoBrowserError(Exception):
    """No browser could be started; the message is one sentence for the person, with what to do."""


class BrowserTab:
    """One page in a context of its own: no storage, cookies or cache shared with any other."""

    def __init__(self, context: "BrowserContext", page: "Page", session: "CDPSession", frame: str, agent: str) -> None:
        self._context = context
        self._page = page
        self._session = session
        self.frame = frame
        """Protocol id of the main frame."""
        self.agent = agent
        """The User-Agent of this tab and no other, workers included."""
        self.on_download: Callable[[str], None] = lambda name: None
        self.on_closed: Callable[[], None] = lambda: None
        self.closed = False
        context.on("page", self._popup)
        page.on("download", lambda download: self.on_download(download.suggested_filename))
        page.on("close", lambda _: self.on_closed())

    async def send(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """One protocol command, without a limit. Raises playwright's Error when it fails or the page is gone."""
        result: dict[str, Any] = await self._session.send(method, dict(params or {}))
        return result

    def on(self, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
        self._session.on(event, handler)

    async def screenshot(self, limit: float) -> bytes:
        """The visible part as PNG. Raises playwright's Error or TimeoutError."""
        return await self._page.screenshot(timeout=limit * 1000, animations="allow", caret="initial")

    async def close(self, limit: float) -> bool:
        """Throw the page away; False when the browser did not manage it in time."""
        if self.closed:
            return True
        self.closed = True
        try:
            await asyncio.wait_for(self._context.close(), limit)
        except TimeoutError:
            return False
        except Exception as error:
            _log.debug("closing a tab: %s", error)
        return True

    def _popup(self, page: "Page") -> None:
        # What it was to show is told by the opener; here it only goes.
        if page is self._page:
            return
        task = asyncio.ensure_future(page.close())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())


class Browser:
    """Starts the browser when it is first needed, again after a crash, and keeps one empty tab ready."""

    def __init__(
        self, *, network: bool, executable: str = "", limits: Limits, size: tuple[int, int] = (1280, 800)
    ) -> None:
        """`size` is the width and height of pages in CSS pixels."""
        self._network = network
        self._executable = executable
        self._limits = limits
        self._size = size
        self._playwright: Playwright | None = None
        self._chromium: Chromium | None = None
        self._process: psutil.Process | None = None
        self._lock = asyncio.Lock()
        self._spare: asyncio.Task[BrowserTab] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._busy = 0
        self._tabs = 0
        self._agent = ""
        self._closed = False
        self._failure: NoBrowserError | None = None
        self._try_again = 0.0
        self.version = ""

    async def tab(self) -> BrowserTab:
        """A fresh tab. Raises NoBrowserError when no browser starts within its limit."""
        for attempt in (1, 2):
            await self._ensure()
            spare, self._spare = self._spare, None
            try:
                tab = await asyncio.wait_for(spare or self._open(), self._limits.start)
            except NoBrowserError:
                raise
            except Exception as error:
                _log.debug("opening a tab (try %d): %s", attempt, error)
                await self._end()
                continue
            self._spare = self._task(self._open())
            return tab
        raise NoBrowserError("the browser does not open pages; start roomcode again")

    def warm(self) -> asyncio.Task[None]:
        """Start the browser in the background; failures show when a tab is asked for."""

        async def start() -> None:
            with contextlib.suppress(NoBrowserError):
                await self._ensure()
                self._spare = self._spare or self._task(self._open())

        return asyncio.ensure_future(start())

    async def close(self) -> None:
        """End the browser and every process it started."""
        self._closed = True
        async with self._lock:
            await self._end()

    @property
    def running(self) -> bool:
        return self._chromium is not None and self._chromium.is_connected()

    @property
    def process(self) -> psutil.Process | None:
        """The browser's main process, parent of all its others."""
        return self._process

    def memory(self) -> int:
        """Bytes all its processes hold (shared pages counted once where the system tells)."""
        return sum(_held(process) for process in self._family())

    def processes(self) -> int:
        return len(self._family())

    async def renew(self) -> None:
        """End the browser because it hangs; the next tab starts a new one."""
        async with self._lock:
            await self._end()

    async def _ensure(self) -> None:
        async with self._lock:
            if self._closed:
                raise NoBrowserError("the preview is closed")
            if self.running:
                return
            if self._failure is not None and time.monotonic() < self._try_again:
                raise NoBrowserError(str(self._failure))
            await self._end()
            try:
                await asyncio.wait_for(self._start(), self._limits.start)
            except TimeoutError:
                await self._end()
                self._fail(f"the browser did not start within {self._limits.start:.0f} s")
            except NoBrowserError as error:
                await self._end()
                self._fail(str(error))
            except BaseException:
                await self._end()
                raise
            self._failure = None

    def _fail(self, reason: str) -> NoReturn:
        # Not tried again for each page: that takes time, and what was missing is hardly there a second later.
        self._failure, self._try_again = NoBrowserError(reason), time.monotonic() + _RETRY
        raise self._failure

    async def _start(self) -> None:
        try:
            from playwright.async_api import async_playwright
        except ImportError as error:
            raise NoBrowserError(f"Playwright cannot be loaded ({error}); install roomcode again") from None
        found = list(find_browsers(self._executable))
        if self._executable and not Path(found[0]).is_file():
            raise NoBrowserError(f"the browser {found[0]} does not exist")
        self._playwright = await async_playwright().start()
        own = self._playwright.chromium.executable_path
        if not self._executable and Path(own).is_file():
            found.append(own)
        if not found:
            raise NoBrowserError("no browser was found; install Chromium or run: playwright install chromium")
        reason = ""
        for program in found:
            for sandbox in (True, False) if may_sandbox() else (False,):
                try:
                    await self._launch(program, sandbox)
                except Exception as error:
                    reason = why(str(error))
                    _log.info("%s (sandbox %s) did not start: %s", program, sandbox, reason)
                    continue
                return
        raise NoBrowserError(f"the browser {found[0]} does not start: {reason}")

    async def _launch(self, program: str, sandbox: bool) -> None:
        assert self._playwright is not None
        flags = [*FLAGS, *(() if self._network else LOCAL_ONLY)]
        # Talking over a pipe makes the browser end itself when this process is gone, however it ended.
        self._chromium = await self._playwright.chromium.launch(
            executable_path=program,
            args=flags,
            chromium_sandbox=sandbox,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            timeout=self._limits.start * 1000,
        )
        self.version = self._chromium.version
        session = await self._chromium.new_browser_cdp_session()
        info = await session.send("SystemInfo.getProcessInfo")
        self._agent = str((await session.send("Browser.getVersion")).get("userAgent", "")).replace("Headless", "")
        await session.detach()
        pid = next((int(p["id"]) for p in info.get("processInfo", ()) if p.get("type") == "browser"), 0)
        with contextlib.suppress(psutil.Error):
            self._process = psutil.Process(pid) if pid else None
        self._watch = self._task(self._watch_memory())

    async def _open(self) -> BrowserTab:
        chromium = self._chromium
        if chromium is None:
            raise NoBrowserError("the browser has ended")
        self._tabs += 1
        agent = f"{self._agent} {AGENT_MARK}{self._tabs}"
        context = await chromium.new_context(
            user_agent=agent,
            accept_downloads=False,
            service_workers="block",
            viewport={"width": self._size[0], "height": self._size[1]},
        )
        page = await context.new_page()
        session = await context.new_cdp_session(page)
        *_, tree = await asyncio.gather(
            *(session.send(method, params) for method, params in _DOMAINS),
            session.send("Page.addScriptToEvaluateOnNewDocument", {"source": FOR_PAGES}),
            session.send("Page.getFrameTree"),
        )
        return BrowserTab(context, page, session, str(tree["frameTree"]["frame"]["id"]), agent)

    async def _end(self) -> None:
        spare, self._spare = self._spare, None
        watch, self._watch = self._watch, None
        for task in (spare, watch):
            if task is not None:
                task.cancel()
        family = self._family()
        playwright, self._playwright = self._playwright, None
        chromium, self._chromium = self._chromium, None
        self._process = None
        for part in (chromium.close() if chromium else None, playwright.stop() if playwright else None):
            if part is not None:
                try:
                    await asyncio.wait_for(part, self._limits.close)
                except Exception as error:
                    _log.debug("ending the browser: %s", error)
        await asyncio.to_thread(_end_all, family)

    def _family(self) -> list[psutil.Process]:
        if self._process is None:
            return []
        try:
            return [self._process, *self._process.children(recursive=True)]
        except psutil.Error:
            return []

    def _task(self, work: Coroutine[Any, Any, _T]) -> "asyncio.Task[_T]":
        task = asyncio.ensure_future(work)
        # What went wrong is seen by who awaits it; nobody awaits a task that was cancelled.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    async def _watch_memory(self) -> None:
        while True:
            await asyncio.sleep(0.25 if self._busy else 2.0)
            await asyncio.to_thread(self._stop_the_greedy)

    def _stop_the_greedy(self) -> None:
        for process in self._family()[1:]:
            with contextlib.suppress(psutil.Error):
                if process.memory_info().rss > self._limits.memory and "--type=renderer" in process.cmdline():
                    _log.info("stopping a page that holds %d bytes", process.memory_info().rss)
                    process.kill()

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """While a page is loaded or a script runs, memory is watched closely."""
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1


def _end_all(processes: list[psutil.Process]) -> None:
    """Kill what is still there. psutil knows a process by its start time too: a number used again is not killed."""
    for process in processes:
        with contextlib.suppress(psutil.Error):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                process.kill()


def _held(process: psutil.Process) -> int:
    try:
        full = process.memory_full_info()
        return int(getattr(full, "pss", 0) or full.rss)
    except psutil.Error:
        return 0
