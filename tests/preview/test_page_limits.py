"""A page over a tab that is played: what happens when answers do not come."""

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from roomcode.preview.channel import Channel, GoneError
from roomcode.preview.console import ConsoleLog
from roomcode.preview.locate import Place, SiteMap
from roomcode.preview.page import LivePage
from roomcode.preview.recorder import Recorder
from roomcode.preview.types import Limits

LIMITS = Limits(load=0.3, answer=0.15, settle=0.02, screenshot=0.1, close=0.1)
URL = "http://127.0.0.1:5173"


class PlayedTab:
    """Answers commands from a table; a command that is not in it never gets an answer."""

    frame = "MAIN"
    agent = "agent"

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = dict(answers)
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.handlers: dict[str, Callable[[dict[str, Any]], None]] = {}
        self.on_download: Callable[[str], None] = lambda name: None
        self.on_closed: Callable[[], None] = lambda: None
        self.closed = False

    async def send(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        self.sent.append((method, dict(params or {})))
        answer = self.answers.get(method)
        if answer is None:
            await asyncio.Event().wait()
        if isinstance(answer, Exception):
            raise answer
        return answer(self) if callable(answer) else answer

    def on(self, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
        self.handlers[event] = handler

    async def screenshot(self, limit: float) -> bytes:
        await asyncio.Event().wait()
        return b""

    async def close(self, limit: float) -> bool:
        self.closed = True
        return True

    def emit(self, event: str, **params: Any) -> None:
        self.handlers[event](params)

    def methods(self) -> list[str]:
        return [method for method, _ in self.sent]


def loads(tab: PlayedTab) -> dict[str, Any]:
    tab.emit("Page.frameNavigated", frame={"id": "MAIN", "url": f"{URL}/"})
    tab.emit("Page.loadEventFired")
    return {"frameId": "MAIN"}


READY = {"Target.setAutoAttach": {}, "Page.navigate": loads}


def page_over(tab: PlayedTab, folder: Path = Path("/nonexistent"), limits: Limits = LIMITS) -> LivePage:
    site = SiteMap(5173, folder)
    return LivePage(tab, site, Recorder(site, ConsoleLog(), network=False, clock=time.monotonic), limits)


async def test_a_page_is_done_when_it_is_loaded_and_quiet() -> None:
    tab = PlayedTab(READY)
    page = page_over(tab, limits=Limits(load=30, settle=0.02))
    assert await asyncio.wait_for(page.open(f"{URL}/"), 5) == ""
    assert page.loaded


async def test_a_navigation_that_gets_no_answer_ends_at_the_limit() -> None:
    page = page_over(PlayedTab({"Target.setAutoAttach": {}}))
    assert await asyncio.wait_for(page.open(f"{URL}/"), 5) == "the page did not start to load"


async def test_an_error_of_the_navigation_is_told() -> None:
    page = page_over(PlayedTab({**READY, "Page.navigate": {"errorText": "net::ERR_CONNECTION_REFUSED"}}))
    assert await page.open(f"{URL}/") == "net::ERR_CONNECTION_REFUSED"


async def test_an_empty_page_in_place_of_ours_is_no_page_of_ours() -> None:
    def blank(tab: PlayedTab) -> dict[str, Any]:
        tab.emit("Page.frameNavigated", frame={"id": "MAIN", "url": "about:blank"})
        tab.emit("Page.loadEventFired")
        return {"frameId": "MAIN"}

    page = page_over(PlayedTab({**READY, "Page.navigate": blank}))
    assert await page.open(f"{URL}/") == "the page did not load"


async def test_a_page_that_answers_nothing_is_given_up_with_the_line_that_runs() -> None:
    tab = PlayedTab({**READY, "Page.createIsolatedWorld": None})

    def pause(_: PlayedTab) -> dict[str, Any]:
        tab.emit("Debugger.paused", callFrames=[{"location": {"scriptId": "7", "lineNumber": 2}}])
        return {}

    tab.answers["Debugger.pause"] = pause
    page = page_over(tab)
    await page.open(f"{URL}/")
    tab.emit("Debugger.scriptParsed", scriptId="7", url=f"{URL}/game.js")
    assert await asyncio.wait_for(page.facts(), 5) is None
    assert page.busy_at == Place("game.js", 3, 0)
    assert page.trouble == "the page does not answer; game.js:3 may be in an endless loop"
    assert not page.usable
    with pytest.raises(GoneError, match="endless loop"):
        await page.channel.ask("Runtime.evaluate")


async def test_a_page_that_loads_itself_anew_is_asked_again(tmp_path: Path) -> None:
    def gone(tab: PlayedTab) -> dict[str, Any]:
        tab.answers["Page.createIsolatedWorld"] = {"executionContextId": 7}
        tab.emit("Page.frameNavigated", frame={"id": "MAIN", "url": f"{URL}/"})
        raise GoneError("Cannot find context")

    value = {"title": "T", "elements": 2, "text": "x"}
    tab = PlayedTab({**READY, "Page.createIsolatedWorld": gone, "Runtime.evaluate": {"result": {"value": value}}})
    page = page_over(tab, tmp_path)
    await page.open(f"{URL}/")
    facts = await page.facts()
    assert facts is not None
    assert (facts.title, facts.elements, page.usable) == ("T", 2, True)
    tab.answers["Page.createIsolatedWorld"] = GoneError("refused")
    assert await page.facts() is None
    assert page.trouble == "refused"


async def test_a_page_that_cannot_even_be_paused_is_given_up_without_a_line() -> None:
    page = page_over(PlayedTab(READY))
    await page.open(f"{URL}/")
    assert await asyncio.wait_for(page.answers(), 5) is False
    assert page.trouble == "the page does not answer; it may be in an endless loop"


async def test_waiting_ends_when_the_page_crashes() -> None:
    tab = PlayedTab(READY)
    page = page_over(tab, limits=Limits(answer=60))
    await page.open(f"{URL}/")
    asking = asyncio.ensure_future(page.facts())
    await asyncio.sleep(0)
    tab.emit("Inspector.targetCrashed")
    assert await asyncio.wait_for(asking, 5) is None
    assert page.trouble == "the page crashed; it probably used too much memory"


async def test_a_flood_of_events_ends_the_page() -> None:
    tab = PlayedTab(READY)
    page = page_over(tab, limits=Limits(events=50))
    for _ in range(60):
        tab.emit("Runtime.consoleAPICalled", type="log", args=[{"type": "string", "value": "x"}])
    assert page.trouble == "the page writes to the console without end and was stopped"


async def test_leaving_the_site_is_stopped_and_frames_may_go_where_they_like() -> None:
    tab = PlayedTab({**READY, "Fetch.failRequest": {}, "Fetch.continueRequest": {}})
    page = page_over(tab)
    for frame, url in (("MAIN", f"{URL}/next.html"), ("MAIN", "https://evil.example/"), ("SUB", "https://x.example/")):
        tab.emit("Fetch.requestPaused", requestId=url, frameId=frame, request={"url": url})
    await asyncio.sleep(0.01)
    assert [(method, params["requestId"]) for method, params in tab.sent] == [
        ("Fetch.continueRequest", f"{URL}/next.html"),
        ("Fetch.failRequest", "https://evil.example/"),
        ("Fetch.continueRequest", "https://x.example/"),
    ]
    assert page.usable


async def test_a_picture_that_does_not_come_is_no_picture() -> None:
    page = page_over(PlayedTab(READY))
    assert await asyncio.wait_for(page.screenshot(), 5) == b""


async def test_a_worker_is_set_up_before_it_runs_and_its_events_carry_its_name() -> None:
    tab = PlayedTab({**READY, "Target.sendMessageToTarget": {}})
    heard: list[tuple[str, str]] = []
    channel = Channel(tab, 1)
    await channel.listen_to_children(lambda method, params, source: heard.append((method, source)))
    tab.emit("Target.attachedToTarget", sessionId="S", targetInfo={"type": "worker"})
    await asyncio.sleep(0.01)
    setup = [params["message"] for method, params in tab.sent if method == "Target.sendMessageToTarget"]
    assert '"Runtime.enable"' in setup[0]
    assert '"Runtime.runIfWaitingForDebugger"' in setup[-1]
    tab.emit("Target.receivedMessageFromTarget", sessionId="S", message='{"method": "Runtime.x", "params": {}}')
    tab.emit("Target.receivedMessageFromTarget", sessionId="S", message="not json")
    assert heard == [("Runtime.x", "worker")]
    assert channel.has_children
    tab.emit("Target.detachedFromTarget", sessionId="S")
    assert not channel.has_children
    with pytest.raises(GoneError, match="worker has ended"):
        await channel.ask_child("Runtime.evaluate", {})


async def test_answers_of_a_worker_find_their_question() -> None:
    tab = PlayedTab({"Target.sendMessageToTarget": {}, "Target.setAutoAttach": {}})
    channel = Channel(tab, 1)
    tab.emit("Target.attachedToTarget", sessionId="S", targetInfo={"type": "worker"})
    first = asyncio.ensure_future(channel.ask_child("A", {}))
    second = asyncio.ensure_future(channel.ask_child("B", {}))
    await asyncio.sleep(0.01)
    numbers = [int(params["message"].split('"id": ')[1].split(",")[0]) for _, params in tab.sent[-2:]]
    for number, answer in ((numbers[1], '"error": {"message": "no"}'), (numbers[0], '"result": {"a": 1}')):
        tab.emit("Target.receivedMessageFromTarget", sessionId="S", message=f'{{"id": {number}, {answer}}}')
    assert await first == {"a": 1}
    with pytest.raises(GoneError, match="no"):
        await second
