"""The browser that checks use: the system's Chromium without a way to other machines, and tabs of it."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from roomcode.preview.browser import find_browsers

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

__all__ = ["Tabs", "open_tabs"]

# Without the parts of the browser that nobody sees here a click costs half.
_FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-gpu",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
)
_CLOSE = 5.0
"""Seconds that a tab has to close."""
_SIZE = {"width": 1000, "height": 700}


class Tabs:
    """Hands out tabs that remember nothing. With `reuse` a tab is emptied and used again: four times as fast, for pages
    that are known to do no harm."""

    def __init__(self, browser: "Browser", *, reuse: bool = False) -> None:
        self._browser = browser
        self._reuse = reuse
        self._free: list[Page] = []

    async def take(self, *, fresh: bool = False) -> "Page":
        """An empty tab; a `fresh` one was never used before, and is not used again if `give_back` is told so."""
        if self._free and not fresh:
            return self._free.pop()
        context = await self._browser.new_context(viewport=_SIZE, service_workers="block")  # type: ignore[arg-type]
        return await context.new_page()

    async def give_back(self, page: "Page", origin: str, *, fresh: bool = False) -> None:
        """The tab is no longer needed; what pages of `origin` stored in it is forgotten."""
        from playwright.async_api import Error

        context = page.context
        if self._reuse and not fresh and context.pages == [page]:
            try:
                await page.goto("about:blank", timeout=2000)
                await context.clear_cookies()
                session = await context.new_cdp_session(page)
                await session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
                await session.detach()
            except Error:
                pass  # a tab that does not answer is thrown away like any other
            else:
                self._free.append(page)
                return
        # A page in an endless loop holds up its closing; it ends with the browser.
        with suppress(TimeoutError, Error):
            await asyncio.wait_for(context.close(), _CLOSE)


@asynccontextmanager
async def open_tabs(*, reuse: bool = False) -> AsyncIterator[Tabs]:
    """Start the browser. Raises RuntimeError when there is none."""
    from playwright.async_api import async_playwright

    program = next(find_browsers(), None)
    if program is None:
        raise RuntimeError("No Chromium or Chrome was found; the checks of the tasks need one (see `roomcode doctor`).")
    async with async_playwright() as playwright:
        sandbox = not (hasattr(os, "geteuid") and os.geteuid() == 0)
        browser = await playwright.chromium.launch(executable_path=program, args=_FLAGS, chromium_sandbox=sandbox)
        try:
            yield Tabs(browser, reuse=reuse)
        finally:
            await browser.close()
