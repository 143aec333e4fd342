"""One page that was loaded: waiting for it with limits, asking it questions, throwing it away."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from roomcode.preview.channel import Channel, GoneError, Tab
from roomcode.preview.console import one_line
from roomcode.preview.locate import Place, SiteMap
from roomcode.preview.recorder import RECORDED, Recorder, short_url
from roomcode.preview.script import Printer
from roomcode.preview.types import Limits

__all__ = ["Departure", "Facts", "LivePage"]

_log = logging.getLogger(__name__)
_MOST_NAVIGATIONS = 8
_FACTS = """(() => {
  const body = document.body;
  if (!body) return {title: document.title, elements: 0, text: ""};
  const shown = e => e.checkVisibility({opacityProperty: true, visibilityProperty: true});
  let elements = 0;
  for (const e of body.querySelectorAll("*")) {
    if (/^(script|style|template|link|meta|noscript|br|source|track)$/i.test(e.localName)) continue;
    if (!shown(e)) continue;
    const box = e.getBoundingClientRect();
    if (box.width > 0 && box.height > 0) elements += 1;
    if (elements >= 9999) break;
  }
  const words = [];
  let length = 0;
  const walk = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let n = walk.nextNode(), i = 0; n && length < 160 && i < 5000; n = walk.nextNode(), i += 1) {
    const text = n.data.replace(/\\s+/g, " ").trim();
    if (!text || !n.parentElement || /^(script|style|noscript|template)$/i.test(n.parentElement.localName)) continue;
    if (!shown(n.parentElement)) continue;
    range.selectNodeContents(n);
    const box = range.getBoundingClientRect();
    if (!box.width || box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth) continue;
    words.push(text);
    length += text.length + 1;
  }
  return {title: document.title, elements, text: words.join(" ").slice(0, 200)};
})()"""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a person would see of a page."""

    title: str
    elements: int
    text: str


@dataclass(frozen=True, slots=True)
class Departure:
    """A try to load another document in place of the page. `reason` is the protocol's, like `formSubmissionGet`."""

    url: str
    reason: str


class LivePage:
    """A page in a tab of its own. All methods return within their limits, whatever the page does."""

    def __init__(
        self, tab: Tab, site: SiteMap, recorder: Recorder, limits: Limits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.channel = Channel(tab, limits.answer)
        self.recorder = recorder
        self.printer: Printer | None = None
        """While a script runs beside the page: takes what the script itself prints."""
        self.busy_at = Place()
        """The line that ran when the page did not answer."""
        self._site = site
        self._limits = limits
        self._clock = clock
        self._loaded = False
        self._paused: asyncio.Future[Place] | None = None
        self._scripts: dict[str, str] = {}
        self._navigations = 0
        self._arrived = False
        self._stays = False
        self._reason = ""
        self.departures: list[Departure] = []
        """What `stay` held back."""
        self.at_rest = asyncio.Event()
        """Set while its scripts are stopped."""
        self._listen(tab)

    @property
    def usable(self) -> bool:
        return not self.channel.gone

    @property
    def trouble(self) -> str:
        """Why the page can no longer be used, or empty."""
        return self.channel.trouble

    @property
    def loaded(self) -> bool:
        """Whether the load event has come."""
        return self._loaded

    @property
    def navigations(self) -> int:
        """How many documents were opened here."""
        return self._navigations

    def stay(self) -> None:
        """From now on the page stays open as it is: forms it sends and links it follows lead nowhere, nor does the way
        back to the browser's own empty page."""
        self._stays = True
        self.channel.send_soon("Page.resetNavigationHistory", {})

    def _listen(self, tab: Tab) -> None:
        note = self.recorder.note
        for method in RECORDED:
            tab.on(method, partial(self._record, method))
        tab.on("Page.loadEventFired", self._load_event)
        tab.on("Page.frameStoppedLoading", self._stopped)
        tab.on("Page.frameNavigated", self._navigated)
        tab.on("Page.frameRequestedNavigation", self._leaving)
        tab.on("Page.javascriptDialogOpening", self._dialog)
        tab.on("Page.windowOpen", lambda params: note(f"popup closed: {self._short(params)}"))
        tab.on("Fetch.requestPaused", self._document)
        tab.on("Inspector.targetCrashed", lambda _: self._crashed())
        tab.on("Debugger.scriptParsed", self._parsed)
        tab.on("Debugger.paused", self._halted)
        tab.on_download = lambda name: note(f"download stopped: {name}")

    def _record(self, method: str, params: Mapping[str, Any], source: str = "") -> None:
        recorder, limits = self.recorder, self._limits
        if self.printer is not None and method == "Runtime.consoleAPICalled" and self.printer.takes(params):
            self.printer.console(params)
            return
        recorder.handle(method, params, source=source)
        if source:
            # A worker that starts, and has said nothing yet, is something to wait for.
            recorder.touch()
        if recorder.events > limits.events or recorder.bytes > limits.event_bytes:
            self.channel.give_up("the page writes to the console without end and was stopped")

    def _short(self, params: Mapping[str, Any]) -> str:
        return short_url(str(params.get("url", "")), self._site)

    def _crashed(self) -> None:
        self.channel.give_up("the page crashed; it probably used too much memory")

    def _load_event(self, _: Mapping[str, Any]) -> None:
        self._loaded = True
        self.recorder.touch()

    def _stopped(self, params: Mapping[str, Any]) -> None:
        # Also comes when a page is held back from leaving, and then without a load event.
        if params.get("frameId") == self.channel.tab.frame and self._navigations:
            self._load_event(params)

    def _dialog(self, params: Mapping[str, Any]) -> None:
        kind = str(params.get("type", "dialog"))
        if kind != "beforeunload":
            self.recorder.note(f"{kind}: {params.get('message', '')} (dismissed)")

    def _navigated(self, params: Mapping[str, Any]) -> None:
        frame: Mapping[str, Any] = params.get("frame", {})
        if "parentId" in frame:
            return
        self._navigations += 1
        self._arrived = self._arrived or self._site.owns(str(frame.get("url", "")))
        if self._navigations > 1 and not self._site.owns(str(frame.get("url", ""))):
            self.recorder.note(f"the page leaves the app for {self._short(frame)}", severity="error")

    def _leaving(self, params: Mapping[str, Any]) -> None:
        if params.get("frameId") == self.channel.tab.frame:
            self._reason = str(params.get("reason", ""))
            # Until the next document is there, or was held back.
            self._loaded = self._loaded and self._stays

    def _document(self, params: Mapping[str, Any]) -> None:
        url = str(params.get("request", {}).get("url", ""))
        answer: dict[str, Any] = {"requestId": params.get("requestId")}
        fault = ""
        if params.get("frameId") == self.channel.tab.frame:
            if self._stays:
                self.departures.append(Departure(url, self._reason))
                # To a browser an answer without content means: keep what is shown.
                self.channel.send_soon("Fetch.fulfillRequest", {**answer, "responseCode": 204})
                return
            if not self._site.owns(url):
                fault = f"the page leaves the app for {short_url(url, self._site)}; that was stopped"
            elif self._navigations >= _MOST_NAVIGATIONS:
                fault = "the page loads itself again and again; that was stopped"
        if fault:
            self.recorder.note(fault, severity="error")
            self.channel.send_soon("Fetch.failRequest", {**answer, "errorReason": "Aborted"})
        else:
            self.channel.send_soon("Fetch.continueRequest", answer)

    def _parsed(self, params: Mapping[str, Any]) -> None:
        if url := str(params.get("url", "")):
            self._scripts[str(params.get("scriptId"))] = url

    def _halted(self, params: Mapping[str, Any]) -> None:
        frames = []
        for frame in params.get("callFrames", ()):
            location: Mapping[str, Any] = frame.get("location", {})
            frames.append({"url": self._scripts.get(str(location.get("scriptId")), ""), **location})
        if self._paused is not None and not self._paused.done():
            self._paused.set_result(self._site.first(frames))
        else:
            self.channel.send_soon("Debugger.resume", {})

    async def open(self, url: str) -> str:
        """Load `url` and wait until it is quiet, at most the load limit. Returns why it did not open, or empty."""
        began = self._clock()
        try:
            await self.channel.listen_to_children(self._record)
            # Our own server answers at once: a late answer means a busy machine, not a page that hangs.
            answer = await self.channel.ask("Page.navigate", {"url": url}, 2 * self._limits.load)
        except TimeoutError:
            return "the page did not start to load"
        except GoneError as error:
            return str(error)
        if reason := str(answer.get("errorText", "")):
            return reason
        deadline = max(began + self._limits.load, self._clock() + self._limits.load / 2)
        recorder, seen = self.recorder, 1
        while (now := self._clock()) < deadline and self.usable:
            if self._navigations > seen:
                # Each document gets its time, so that one that loads itself without end shows it on a slow machine too.
                seen, deadline = self._navigations, max(deadline, now + self._limits.load / 2)
            if self._loaded and not recorder.waiting and now - recorder.changed >= self._limits.settle:
                break
            await asyncio.sleep(0.02)
        # An empty page of the browser itself must not pass for a clean one of ours.
        return "" if self._arrived or self.trouble else "the page did not load"

    async def facts(self) -> Facts | None:
        """What can be seen, or None when the page does not answer (`trouble` says why)."""
        for _ in range(_MOST_NAVIGATIONS + 1):
            before = self._navigations
            try:
                world = await self.ask("Page.createIsolatedWorld", {"frameId": self.channel.tab.frame})
                question = {"expression": _FACTS, "returnByValue": True, "contextId": world["executionContextId"]}
                value = (await self.ask("Runtime.evaluate", question)).get("result", {}).get("value", {})
                break
            except GoneError as error:
                reason = str(error)
            # A page that loads itself anew takes the question with it; that it did so may be told a moment later.
            await asyncio.sleep(0 if self.channel.gone else self._limits.settle)
            if self.channel.gone or self._navigations == before:
                self.channel.give_up(reason)
                return None
        else:
            self.channel.give_up("the page loads itself again and again")
            return None
        return Facts(str(value.get("title", "")), int(value.get("elements", 0)), one_line(str(value.get("text", ""))))

    async def answers(self, limit: float = 0) -> bool:
        """Whether the page still answers, within `limit` seconds; if not it is given up."""
        try:
            await self.ask("Runtime.evaluate", {"expression": "0"}, limit)
        except GoneError as error:
            self.channel.give_up(str(error))
        return self.usable

    async def ask(self, method: str, params: Mapping[str, Any], limit: float = 0) -> dict[str, Any]:
        """One command. When no answer comes, the line that runs is looked up and the page gets a second chance: the
        machine may be busy. The command is then sent again, as the first one is also answered while an endless loop is
        held up to look at it. After that the page is given up. Raises GoneError."""
        limit = limit or self._limits.answer
        try:
            return await self.channel.ask(method, params, limit / 2)
        except TimeoutError:
            running = await self._running_line(limit / 2)
        with contextlib.suppress(TimeoutError):
            return await self.channel.ask(method, params, limit)
        self.busy_at = running
        reason = f"the page does not answer; {running.text or 'it'} may be in an endless loop"
        self.channel.give_up(reason)
        raise GoneError(reason)

    async def _running_line(self, limit: float) -> Place:
        """Where in the project the page's script is; empty when none runs. The script goes on after that."""
        self._paused = asyncio.get_running_loop().create_future()
        try:
            # The browser takes this command on a side thread: it works while a script keeps the page busy.
            self.channel.send_soon("Debugger.pause", {})
            return await asyncio.wait_for(self._paused, limit)
        except TimeoutError:
            return Place()
        finally:
            self._paused = None
            self.channel.send_soon("Debugger.resume", {})

    async def screenshot(self) -> bytes:
        """A PNG of the visible part, or empty when the page does not give one in time."""
        limit = self._limits.screenshot
        try:
            return await self.channel.within(self.channel.tab.screenshot(limit), "screenshot", limit)
        except (TimeoutError, GoneError) as error:
            _log.debug("no screenshot: %s", error)
            return b""

    async def freeze(self) -> bool:
        """Stop its scripts, timers and animations until `thaw`. False when the page should be closed instead: it does
        not answer and was given up, or it has workers, which would run on."""
        if self.at_rest.is_set():
            return True
        if not await self.answers() or self.channel.has_children:
            return False
        ask = self.channel.ask
        self._paused = asyncio.get_running_loop().create_future()
        try:
            await ask("Debugger.setBreakpointsActive", {"active": True})
            self.channel.send_soon("Runtime.evaluate", {"expression": "debugger"})
            await asyncio.wait_for(self._paused, self._limits.answer)
            self.at_rest.set()
        except (TimeoutError, GoneError) as error:
            _log.debug("a page was not frozen: %s", error)
        finally:
            self._paused = None
            with contextlib.suppress(TimeoutError, GoneError):
                await ask("Debugger.setBreakpointsActive", {"active": False})
        return self.at_rest.is_set()

    async def thaw(self) -> None:
        """Let a frozen page go on."""
        if self.at_rest.is_set():
            self.at_rest.clear()
            with contextlib.suppress(TimeoutError, GoneError):
                await self.channel.ask("Debugger.resume")

    async def close(self) -> bool:
        """Throw the page away; False when the browser hangs over it."""
        return await self.channel.close(self._limits.close)
