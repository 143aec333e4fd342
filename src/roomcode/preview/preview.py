"""The preview of one project: servers, pages, their logs, and scripts run beside them."""

import asyncio
import itertools
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from roomcode.preview.advice import advise_all, error_in
from roomcode.preview.browser import Browser, NoBrowserError
from roomcode.preview.console import ConsoleLog
from roomcode.preview.expecting import unmet_expectations
from roomcode.preview.locate import Place, SiteMap
from roomcode.preview.page import LivePage
from roomcode.preview.paths import Target, find_page
from roomcode.preview.probing import probe_page
from roomcode.preview.recorder import Recorder, is_favicon
from roomcode.preview.references import read_sources
from roomcode.preview.sandbox import run_beside, run_empty
from roomcode.preview.screenshots import default_folder, store
from roomcode.preview.server import StaticServer
from roomcode.preview.types import (
    Entry,
    Expectation,
    Fault,
    Limits,
    LoadReport,
    LogPage,
    PageState,
    PreviewError,
    ProbeReport,
    ScriptReport,
)

__all__ = ["Preview"]

_log = logging.getLogger(__name__)
_PORT = 5173


@dataclass(slots=True)
class _Site:
    """One served folder."""

    target: Target
    server: StaticServer
    wanted: int
    log: ConsoleLog
    map: SiteMap
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    page: LivePage | None = None
    trouble: str = ""
    rest: asyncio.Task[None] | None = None
    used: int = 0
    looked: bool = False
    """Whether its page was ever loaded."""


class Preview:
    """Serves folders of one project on this machine and looks at their pages with a headless browser.

    Nothing starts before it is needed; `close` ends it all. A browser that cannot start is a report with the state
    `no_browser`: files are served all the same. Methods may be called at the same time.
    """

    def __init__(
        self,
        root: Path,
        *,
        network: bool = False,
        screenshots: Path | None = None,
        browser: str = "",
        live_reload: bool = False,
        size: tuple[int, int] = (1280, 800),
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`root` is the project folder. `network` lets pages leave this machine. `screenshots` is the folder for the
        pictures of pages, by default one in the user's cache. `browser` names a program; empty finds one.
        `live_reload` reloads pages that are open in the person's own browser when their files change. `size` is the
        width and height of pages in CSS pixels."""
        self._root = root.resolve()
        self._network = network
        self._screenshots = screenshots
        self._live_reload = live_reload
        self._limits = limits or Limits()
        self._clock = clock
        self._browser = Browser(network=network, executable=browser, limits=self._limits, size=size)
        self._sites: list[_Site] = []
        self._serving = asyncio.Lock()
        self._loads = itertools.count(1)
        self._closed = False

    @property
    def ports(self) -> dict[int, str]:
        """Port and project-relative page of every folder that is served, oldest first."""
        return {site.map.port: site.target.page_path for site in self._sites}

    @property
    def browser(self) -> Browser:
        return self._browser

    def page(self, port: int) -> LivePage | None:
        """The open page on a port; None when it was closed."""
        return self._at(port).page

    def warm(self) -> None:
        """Start the browser in the background, so that the first page does not wait for it."""
        self._browser.warm()

    async def serve(self, path: str = ".", port: int = _PORT) -> LoadReport:
        """Serve a folder (or the folder of an HTML file), load its page afresh, and report.

        The port is the wanted one or the next free one; a folder that is served already keeps its port. Raises
        PreviewError when there is no such page or no free port.
        """
        if not 1 <= port <= 65535:
            raise PreviewError(f"Port {port} does not exist.", "Leave port out, or use one from 1024 to 65535.")
        target = await asyncio.to_thread(find_page, self._root, path)
        async with self._serving:
            site = await self._site(target, port)
        async with site.lock:
            site.target = target
            return await self._load(site)

    async def listen(self, path: str = ".", port: int = 5173) -> int:
        """Serve a folder like `serve`, but do not look at its page: that, and starting a browser for it, waits until
        somebody asks for the page's log or runs a script beside it. Returns the port. Raises PreviewError."""
        if not 1 <= port <= 65535:
            raise PreviewError(f"Port {port} does not exist.", "Use one from 1024 to 65535.")
        target = await asyncio.to_thread(find_page, self._root, path)
        async with self._serving:
            site = await self._site(target, port)
        if not site.looked:
            site.target, site.used = target, next(self._loads)
        return site.map.port

    async def logs(self, port: int, since: int = 0) -> LogPage:
        """What the page on `port` wrote since a cursor. Raises PreviewError when nothing is served there."""
        site = self._at(port)
        async with site.lock:
            if not site.looked:
                await self._load(site)
            if site.page is not None and site.page.usable:
                await site.page.thaw()
                await site.page.answers()
                self._let_rest(site)
            entries = await self._advised(site.log.since(since), site.target.page_path)
            return LogPage(port, tuple(entries), site.log.cursor, site.log.dropped, self._state(site))

    async def run_js(self, code: str, port: int | None = None) -> ScriptReport:
        """Run a script: beside the page on `port`; without a port beside the page that was served last; with port 0,
        or when nothing is served, in an empty sandbox. Raises PreviewError for a port that is not served, or when
        there is no browser."""
        if not code.strip():
            raise PreviewError("code is empty.", "Give the script to run, like console.log(document.title).")
        try:
            if port == 0 or (port is None and not self._sites):
                with self._browser.at_work():
                    return await run_empty(self._browser, code, self._limits)
            site = self._at(port) if port is not None else max(self._sites, key=lambda one: one.used)
            async with site.lock:
                page = await self._current_page(site)
                with self._browser.at_work():
                    report = await run_beside(
                        page, site.server, site.map, site.target.page, code, site.log, self._limits
                    )
                if not page.usable:
                    await self._throw_away(site)
                else:
                    self._let_rest(site)
                return report
        except NoBrowserError as error:
            raise PreviewError(f"run_js needs a browser: {error}.") from None

    async def probe(self, path: str = ".", expected: Sequence[Expectation] = ()) -> ProbeReport:
        """Use a page once like an impatient person, in a tab of its own that is thrown away: the page that is open on
        the port, its storage and its log stay as they are. A page without errors is loaded once more and compared with
        what is expected of it. A folder that is not served yet is served from now on. Raises PreviewError when there is
        no such page or no free port."""
        target = await asyncio.to_thread(find_page, self._root, path)
        async with self._serving:
            same = [site for site in self._sites if site.target.folder == target.folder]
            site = max(same, key=lambda one: one.used) if same else await self._site(target, _PORT)
        async with site.lock:
            try:
                with self._browser.at_work():
                    return await self._use(site, target, expected)
            except NoBrowserError as error:
                return ProbeReport(target.page_path, reason=str(error))

    async def close(self) -> None:
        """Stop every server and the browser. Safe to call twice."""
        self._closed = True
        sites, self._sites = self._sites, []
        for site in sites:
            if site.rest is not None:
                site.rest.cancel()
            if site.page is not None:
                site.page.channel.give_up("the preview is closed")
        await asyncio.gather(self._browser.close(), *(site.server.close() for site in sites), return_exceptions=True)

    def _at(self, port: int) -> _Site:
        for site in self._sites:
            if site.map.port == port:
                return site
        if self._sites:
            served = ", ".join(str(site.map.port) for site in self._sites)
            raise PreviewError(f"Nothing is served on port {port}.", f"Served ports: {served}.")
        raise PreviewError("Nothing is served yet.", 'Call serve(path=".") first.')

    async def _site(self, target: Target, port: int) -> _Site:
        if self._closed:
            raise PreviewError("The preview is closed.")
        for site in self._sites:
            if site.target.folder == target.folder and port in (site.wanted, site.map.port):
                return site
        if len(self._sites) >= self._limits.ports:
            await self._stop(min(self._sites, key=lambda site: site.used))
        server = StaticServer(target.folder, live_reload=self._live_reload)
        try:
            actual = await server.start(port)
        except OSError as error:
            raise PreviewError(f"No port could be opened ({error}).") from None
        site = _Site(target, server, port, ConsoleLog(), SiteMap(actual, target.folder, target.prefix))
        self._sites.append(site)
        return site

    async def _stop(self, site: _Site) -> None:
        self._sites.remove(site)
        async with site.lock:
            await self._throw_away(site)
            await site.server.close()

    async def _load(self, site: _Site) -> LoadReport:
        began = self._clock()
        number = site.used = next(self._loads)
        site.looked = True
        await self._throw_away(site)
        site.log.clear()
        site.server.forget()
        base = LoadReport(
            f"{site.map.origin}/{site.target.page}", site.map.port, site.wanted, "no_browser", site.target.page_path
        )
        try:
            with self._browser.at_work():
                return await self._look(site, base, began, number)
        except NoBrowserError as error:
            return replace(base, reason=str(error))

    async def _open(self, site: _Site, url: str) -> tuple[LivePage, str]:
        tab = await self._browser.tab()
        recorder = Recorder(site.map, site.log, network=self._network, clock=self._clock)
        page = LivePage(tab, site.map, recorder, self._limits, self._clock)

        def on_request(agent: str, target: str) -> None:
            if agent == tab.agent and not is_favicon(target):
                recorder.touch()

        site.server.on_request = on_request
        site.page = page
        return page, await page.open(url)

    async def _look(self, site: _Site, base: LoadReport, began: float, number: int) -> LoadReport:
        page, fault = await self._open(site, base.url)
        facts, png = (None, b"") if fault else await asyncio.gather(page.facts(), page.screenshot())
        picture = ""
        if facts is not None and png:
            folder = self._screenshots or default_folder(self._root)
            picture = await asyncio.to_thread(store, folder, site.map.port, number, png)
        agent = page.channel.tab.agent
        page.recorder.add_missing(dict.fromkeys(url for asker, url in site.server.missed if asker == agent))
        errors, notices = _sorted(site.log.since(0))
        errors = await self._advised(errors, base.page)
        place = page.busy_at or (Place(errors[0].file, errors[0].line, errors[0].column) if errors else Place())
        excerpt = await asyncio.to_thread(site.map.source_line, place)
        report = replace(
            base,
            errors=tuple(errors),
            notices=tuple(notices),
            excerpt=excerpt,
            cursor=site.log.cursor,
            seconds=self._clock() - began,
            screenshot=picture,
        )
        waiting = () if page.loaded else page.recorder.waiting
        if facts is None or not page.usable:
            reason = fault or page.trouble or "the page does not answer"
            await self._throw_away(site)
            return replace(report, state="no_answer", reason=reason, waiting=waiting)
        self._let_rest(site)
        state: PageState = "errors" if errors else "clean"
        waiting = () if page.loaded else page.recorder.waiting
        return replace(
            report, state=state, title=facts.title, elements=facts.elements, text=facts.text, waiting=waiting
        )

    async def _use(self, site: _Site, target: Target, expected: Sequence[Expectation]) -> ProbeReport:
        url = f"{site.map.origin}/{target.page}"
        async with self._fresh(site) as (page, log):
            report = await probe_page(page, log, url, target.page_path, site.map, self._limits)
            faults = await self._advised_faults(report.faults, report.page)
        usable = not report.reason and not any(fault.kind in ("error", "stuck") for fault in faults)
        for some in ([one for one in expected if one.ids], [one for one in expected if not one.ids]):
            if not some or not usable or any(fault.kind == "unmet" for fault in faults):
                continue
            async with self._fresh(site) as (page, _):
                faults += tuple(await unmet_expectations(page, url, target.page_path, some, self._limits))
        return replace(report, faults=faults)

    @asynccontextmanager
    async def _fresh(self, site: _Site) -> AsyncIterator[tuple[LivePage, ConsoleLog]]:
        """A tab of its own, with a log of its own."""
        log = ConsoleLog()
        recorder = Recorder(site.map, log, network=self._network, clock=self._clock)
        page = LivePage(await self._browser.tab(), site.map, recorder, self._limits, self._clock)
        try:
            yield page, log
        finally:
            if not await page.close():
                await self._browser.renew()

    async def _advised(self, entries: list[Entry], page: str) -> list[Entry]:
        """The entries with what the project's texts say about the causes of errors."""
        if not any(entry.severity == "error" for entry in entries):
            return entries
        try:
            texts = await asyncio.to_thread(lambda: advise_all(entries, read_sources(self._root), page))
        except Exception:
            # The errors count all the same.
            _log.exception("no advice about the errors of %s", page)
            return entries
        return [replace(entry, advice=text) for entry, text in zip(entries, texts, strict=True)]

    async def _advised_faults(self, faults: tuple[Fault, ...], page: str) -> tuple[Fault, ...]:
        errors = [fault for fault in faults if fault.kind == "error"]
        advised = await self._advised([error_in(fault.text) for fault in errors], page)
        texts = dict(zip(errors, (entry.advice for entry in advised), strict=True))
        return tuple(replace(fault, advice=texts.get(fault, "")) for fault in faults)

    async def _current_page(self, site: _Site) -> LivePage:
        """The open page, or a fresh copy when it is gone or its files changed since."""
        if site.page is not None and site.page.usable and not await asyncio.to_thread(site.server.given.changed):
            await site.page.thaw()
            return site.page
        report = await self._load(site)
        if report.state == "no_browser":
            raise NoBrowserError(report.reason)
        if site.page is None:
            raise PreviewError(f"{site.trouble or 'the page does not answer'}.", "Fix that, then call serve.")
        return site.page

    def _let_rest(self, site: _Site) -> None:
        if site.rest is not None:
            site.rest.cancel()

        async def rest() -> None:
            await asyncio.sleep(self._limits.rest)
            async with site.lock:
                if site.page is not None and site.page.usable and not await site.page.freeze():
                    site.rest = None
                    await self._throw_away(site)

        site.rest = asyncio.ensure_future(rest())

    def _state(self, site: _Site) -> str:
        trouble = site.page.trouble if site.page is not None else site.trouble
        return f"{trouble}. Call serve." if trouble else ""

    async def _throw_away(self, site: _Site) -> None:
        if site.rest is not None:
            site.rest.cancel()
            site.rest = None
        page, site.page = site.page, None
        if page is None:
            return
        site.trouble = page.trouble
        if not await page.close():
            _log.info("the browser hangs over a page and is started again")
            await self._browser.renew()


def _sorted(entries: list[Entry]) -> tuple[list[Entry], list[Entry]]:
    errors = sorted((entry for entry in entries if entry.severity == "error"), key=lambda entry: entry.rank)
    notices = [entry for entry in entries if entry.severity != "error" and entry.kind in ("page", "blocked")]
    return errors, notices
