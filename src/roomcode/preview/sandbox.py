"""Where `run_js` runs: beside a served page, or in a worker that has no page, network or storage."""

import asyncio
import time
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from roomcode.preview.browser import Browser
from roomcode.preview.channel import Channel, GoneError
from roomcode.preview.console import ConsoleLog, clip, one_line
from roomcode.preview.locate import SiteMap
from roomcode.preview.page import LivePage
from roomcode.preview.report import entry_line
from roomcode.preview.script import NAME, Place, Printer, Verdict, evaluate, is_module
from roomcode.preview.server import StaticServer
from roomcode.preview.types import Limits, ScriptReport

__all__ = ["run_beside", "run_empty"]

_ANSWER = 0.5
_QUIET = 0.1
_QUIET_TIMERS = 0.6
_TIMERS = ("setTimeout", "setInterval", "requestAnimationFrame", "addEventListener", ".then(")
_EMPTY_PAGE = (
    '<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "script-src 'unsafe-eval' blob:; worker-src blob:\">"
)
_START_WORKER = (
    "new Worker(URL.createObjectURL(new Blob(['setInterval(() => 0, 1e6); console.debug(\"roomcode:ready\")'], "
    "{type: 'text/javascript'}))); undefined"
)


async def run_beside(
    page: LivePage, server: StaticServer, site: SiteMap, at: str, code: str, log: ConsoleLog, limits: Limits
) -> ScriptReport:
    """Run `code` with the globals of an open page whose file is `at` (relative to the folder, empty for its index)."""
    began = time.monotonic()
    printer, before = Printer(), log.cursor
    page.printer = printer
    name, address = "", ""
    try:
        if is_module(code):
            # An import is resolved against the script's own address, so the script seems to lie beside the page.
            name = str(PurePosixPath(at).parent / f"{NAME}.js")
            # A browser loads a module once for each address.
            address = f"/{name}?{began}"
            server.add_module(name, code)
        place = Place(
            page.channel.ask,
            lambda: page.answers(limit=_ANSWER),
            lambda details: page.recorder.place(details).text,
        )
        verdict = await evaluate(place, code, limits.script, import_from=address)
        await _settle(printer, code, began, limits)
        verdict = await _still_there(page, verdict)
    finally:
        page.printer = None
        if name:
            server.remove_module(name)
    faults = [entry for entry in log.since(before) if entry.severity == "error" or entry.kind == "page"]
    lines = (*printer.all(), *(f"page: {entry_line(entry)}" for entry in faults[:5]))
    name = f"page {site.named(at or 'index.html')}"
    return ScriptReport(not verdict.error, lines, verdict.value, verdict.error, name, time.monotonic() - began)


async def _still_there(page: LivePage, verdict: Verdict) -> Verdict:
    """What became of the page: code may also start something that hangs after its last line."""
    if not page.usable or not await page.answers(limit=_ANSWER):
        return Verdict(error=page.trouble or "the page was closed")
    return verdict


async def run_empty(browser: Browser, code: str, limits: Limits) -> ScriptReport:
    """Run `code` in a fresh worker that can reach nothing. Raises NoBrowserError."""
    tab = await browser.tab()
    began = time.monotonic()
    channel, printer = Channel(tab, limits.answer), Printer()
    faults: list[str] = []
    ready = asyncio.Event()

    def on_event(method: str, params: Mapping[str, Any], source: str) -> None:
        if method == "Runtime.consoleAPICalled" and not ready.is_set():
            # Code that runs before the worker's own first line crashes the browser now and then.
            ready.set()
        elif method == "Runtime.consoleAPICalled":
            printer.console(params)
        elif method == "Runtime.exceptionThrown":
            details = params.get("exceptionDetails", {})
            description = str(details.get("exception", {}).get("description") or details.get("text", ""))
            faults.append(clip(one_line(description.partition("\n    at ")[0])))
        elif method == "Inspector.targetCrashed":
            channel.give_up("the sandbox crashed; it probably used too much memory")

    tab.on("Inspector.targetCrashed", lambda params: on_event("Inspector.targetCrashed", params, ""))
    try:
        await channel.ask("Page.setDocumentContent", {"frameId": tab.frame, "html": _EMPTY_PAGE})
        await channel.listen_to_children(on_event)
        await channel.ask("Runtime.evaluate", {"expression": _START_WORKER})
        await asyncio.wait_for(ready.wait(), limits.answer)
        if is_module(code):
            verdict = Verdict(error="the empty sandbox cannot import files: serve the page and give its port")
        else:
            place = Place(channel.ask_child, lambda: _worker_answers(channel))
            verdict = await evaluate(place, code, limits.script)
            await _settle(printer, code, began, limits)
        if channel.trouble:
            verdict = Verdict(error=channel.trouble)
    except (TimeoutError, GoneError) as error:
        verdict = Verdict(error=channel.trouble or f"the sandbox did not start ({error})")
    finally:
        if not await channel.close(limits.close):
            await browser.renew()
    lines = (*printer.all(), *(f"uncaught: {fault}" for fault in faults[:5]))
    return ScriptReport(
        not verdict.error, lines, verdict.value, verdict.error, "empty sandbox", time.monotonic() - began
    )


async def _worker_answers(channel: Channel) -> bool:
    try:
        await channel.ask_child("Runtime.evaluate", {"expression": "0"}, _ANSWER)
    except (TimeoutError, GoneError):
        return False
    return True


async def _settle(printer: Printer, code: str, began: float, limits: Limits) -> None:
    """Wait for what the code prints after its last line, as long as it may still come."""
    quiet = _QUIET_TIMERS if any(word in code for word in _TIMERS) else _QUIET
    count, since = len(printer.lines), time.monotonic()
    while (now := time.monotonic()) - began < limits.script and now - since < quiet:
        await asyncio.sleep(0.02)
        if len(printer.lines) != count:
            count, since = len(printer.lines), now
