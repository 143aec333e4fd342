"""Using a page once, like an impatient person: fill every field, press every button, see what breaks.

It looks for what a load does not show: buttons that nothing listens to, errors of handlers, results like NaN, forms
that throw away what was typed. Where it is not sure it says nothing: a wrong word here sends a small model off to
"mend" a page that is right.
"""

import asyncio
import logging
import re
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from roomcode.preview.channel import GoneError
from roomcode.preview.console import ConsoleLog
from roomcode.preview.locate import SiteMap
from roomcode.preview.page import Departure, LivePage
from roomcode.preview.paths import resolve
from roomcode.preview.probing_script import PROBE
from roomcode.preview.references import Sources, read_sources
from roomcode.preview.report import entry_line
from roomcode.preview.types import Entry, Fault, FaultKind, Limits, ProbeReport

__all__ = ["probe_page"]

_log = logging.getLogger(__name__)
_MOST_CLICKS = 15
_MOST_FIELDS = 25
_SETTLE_FIELD, _SETTLE, _SETTLE_OPEN, _SETTLE_LAST = 0.02, 0.1, 0.3, 1.0
"""Seconds after a field was filled, after a click, after either while a request is open, and the same at the end."""
_PICTURE = 2
"""Rank of a missing file that is neither script nor data."""
_LATE_HANDLERS = 0.8
"""A page may set its handlers a while after it was loaded; a button is not called idle before."""

_TOLD = {"exception", "syntax", "missing", "security", "console"}
_OUT_OF_REACH = {"failed", "blocked"}
_SCRIPT_ERROR = re.compile(r"\b(?:Type|Reference|Range|Syntax|URI)Error: ")
_NOT_OURS = re.compile(
    r"\b(?:NotAllowed|Abort|NotSupported|Security|NotReadable|NotFound|InvalidState)Error\b(?!: Failed to execute)"
    r"|[Pp]ermission|[Ff]ullscreen|Failed to fetch|NetworkError|user (?:gesture|activation)|WebGL|[Cc]lipboard"
)
"""Errors of what a headless browser has not, or a person has to allow."""
_EXPRESSION = re.compile(r"^(?:Uncaught \(in promise\) )?SyntaxError: (?!.*(?:JSON|Failed to|regular expression))")
_TYPED = re.compile(r"\b(?:test|testtest|example\.com|5551234567)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"\blocation\b|URLSearchParams|document\.URL|\bnavigation\b")
_HASHES = re.compile(r"\blocation\b|\bhash\b")
_EVALUATES = re.compile(r"\beval\s*\(|\bFunction\s*\(")
_CODE = re.compile(r"<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_WORDS = ("NaN", "undefined", "null", "[object Object]", "[object Promise]", "Invalid Date")


async def probe_page(
    page: LivePage, log: ConsoleLog, url: str, name: str, site: SiteMap, limits: Limits
) -> ProbeReport:
    """Load `url` in a page that nobody else uses, and use it, for about `limits.probe` seconds. `name` is the page's
    project-relative path, `log` what the page's recorder writes to."""
    probe = _Probe(page, log, url, name, site, limits)
    reason = await page.open(url)
    if not reason:
        try:
            await probe.use()
            reason = probe.ended
        except GoneError as error:
            reason = page.trouble or str(error)
            probe.stuck()
    return ProbeReport(name, tuple(probe.faults), probe.filled, probe.clicked, reason, time.monotonic() - probe.began)


class _Probe:
    def __init__(self, page: LivePage, log: ConsoleLog, url: str, name: str, site: SiteMap, limits: Limits) -> None:
        self.faults: list[Fault] = []
        self.filled = self.clicked = 0
        self.ended = ""
        self.began = time.monotonic()
        self._page = page
        self._log = log
        self._url = url
        self._name = name
        self._site = site
        self._limits = limits
        self._opened = self.began
        self._object = ""
        self._action = ""
        self._cursor = 0
        self._known: set[tuple[str, str]] = set()
        self._words: set[str] = set()
        self._sources: Sources | None = None
        self._reloading: set[str] = set()
        self._left_at = 0
        self._turn = 0

    @property
    def _over(self) -> bool:
        return time.monotonic() - self.began > self._limits.probe

    async def use(self) -> None:
        """Fill and click until nothing is left or time is up. Raises GoneError when the page hangs or is gone."""
        self._opened = time.monotonic()
        self._page.stay()
        self._left_at = self._page.navigations
        loaded = [entry for entry in self._log.since(0) if entry.severity == "error"]
        if any(entry.kind != "missing" or entry.rank < _PICTURE for entry in loaded):
            # What a broken script did not set up fails in many ways, all with that one cause.
            self.ended = "the page has errors before it is used"
            return
        self._known = {(entry.place, entry.text) for entry in loaded}
        self._cursor = self._log.cursor
        answer = await self._page.ask("Runtime.evaluate", {"expression": PROBE, "includeCommandLineAPI": True})
        self._object = str(answer.get("result", {}).get("objectId", ""))
        first = await self._call("first")
        await self._look(first)
        self._words |= {word for word, _ in first["words"]}
        await self._stale()
        await self._filters()
        await self._fill(first)
        while self.clicked < _MOST_CLICKS:
            if self._over:
                self.ended = "time was up"
                break
            control = await self._call("next")
            if control is None:
                break
            self.clicked += 1
            self._action = f"a click on {control['label']}"
            held = len(self._page.departures)
            await self._click(control)
            await self._settle()
            state = await self._call("look")
            await self._look(state)
            for departure in self._page.departures[held:]:
                await self._leaves(control, departure, bool(state["kept"]))
            await self._fill(state)
        await self._settle(_SETTLE_FIELD, _SETTLE_LAST)
        await self._look(await self._call("look"))
        for name, cells, heads in (await self._call("uneven"))[:1]:
            table = f"the table #{name}" if name else "a table"
            self._add("idle", f"{table} has a row of {cells} cells under a header of {heads}", "")
        for name in (await self._call("beheaded"))[:1]:
            table = f"of the table #{name}" if name else "of a table"
            self._add("idle", f"the row of headings {table} is moved by a click: sort only the rows below it", "")
        await self._idle()

    async def _stale(self) -> None:
        """Numbers that are only worked out when somebody types."""
        touched, told = 0, False
        while touched < _MOST_FIELDS and not self._over:
            self._action = "typing"
            field = await self._call("touch")
            if field is None:
                break
            touched += 1
            self._action = f"typing into {field['name']}"
            if field["lost"] > 1 and not told:
                told = True
                text = f"typing into {field['name']} takes {field['lost']} entries away, also where all of them match"
                self._add("idle", f"{text}: hide them with style.display and show them again", "")
            if field["late"] and not told:
                told = True
                shown = f"#{field['late'][0]} is empty until {field['name']} is changed"
                self._add("idle", f"{shown}: call what fills it once at the start of the script", "")
            for name, was, now in field["stale"]:
                if told or not await self._stands(name, was):
                    continue
                told = True
                text = (
                    f'{self._name}: #{name} shows "{was}" until something is typed, then "{now}": write "{now}" there'
                )
                self._add("idle", text, "")
            self._take()
        self._action = ""

    async def _filters(self) -> None:
        """Fields that hide entries while somebody types, and do not bring them back."""
        for _ in range(_MOST_FIELDS):
            if self._over:
                break
            self._action = "typing"
            field = await self._call("filter")
            if field is None:
                break
            if field["stay"] > 0:
                text = (
                    f"typing into {field['name']} takes {field['stay']} entries away, and emptying it does not bring "
                )
                self._add("idle", f"{text}them back: hide them with style.display and show them again", "")
                break
            if field["counts"]:
                shown = f"#{field['counts'][0]} counts all entries when {field['name']} hides them"
                self._add("idle", f"{shown}: count only those that match", "")
                break
            self._take()
        self._action = ""

    async def _stands(self, name: str, text: str) -> bool:
        """Whether the page's own text says this in the element, so that it can be put right there."""
        page = (await self._read()).texts.get(self._site.served(self._url) or "", "")
        inside = rf"<[^<>]*\sid\s*=\s*[\"']?{re.escape(name)}[\"'\s>](?:[^<>]*>)?\s*{re.escape(text)}\s*<"
        return re.search(inside, page) is not None

    def stuck(self) -> None:
        """The page can no longer be used; told when it is known that the last action did it."""
        trouble = self._page.trouble
        known = self._page.busy_at or "does not answer" not in trouble
        if trouble and known and self._action:
            self._add("stuck", trouble)

    def _add(self, kind: FaultKind, text: str, action: str | None = None) -> None:
        self.faults.append(Fault(kind, text, self._action if action is None else action))

    async def _call(self, method: str) -> Any:
        """A method of the object in the page. Raises GoneError, also when the page went somewhere else."""
        self._turn += 1
        question = {
            "objectId": self._object,
            "functionDeclaration": f"function() {{ return this.call({self._turn}, '{method}') }}",
            "returnByValue": True,
            "userGesture": True,
        }
        if self._page.navigations != self._left_at:
            raise GoneError("the page went somewhere else")
        answer = await self._page.ask("Runtime.callFunctionOn", question)
        if "exceptionDetails" in answer:
            raise GoneError(f"{method}: {answer['exceptionDetails']}")
        return answer.get("result", {}).get("value")

    async def _fill(self, state: Mapping[str, Any]) -> None:
        """Fill the fields that are empty and were not filled before."""
        before = self._action
        while state["fields"] and self.filled < _MOST_FIELDS and not self._over:
            self._action = "typing"
            name = await self._call("fill")
            if name is None:
                break
            self.filled += 1
            self._action = f"typing into {name}"
            await self._settle(_SETTLE_FIELD)
            state = await self._call("look")
            await self._look(state)
        self._action = before

    async def _click(self, at: Mapping[str, Any]) -> None:
        events = (("mouseMoved", "none"), ("mousePressed", "left"), ("mouseReleased", "left"))
        results = await asyncio.gather(
            *(
                self._page.channel.ask(
                    "Input.dispatchMouseEvent",
                    {"type": kind, "x": at["x"], "y": at["y"], "button": button, "clickCount": int(button == "left")},
                    self._limits.answer / 2,
                )
                for kind, button in events
            ),
            return_exceptions=True,
        )
        if any(isinstance(result, TimeoutError) for result in results):
            # Not sent again, that would be a second click: a question tells a slow page from one that hangs.
            await self._page.answers()

    async def _settle(self, least: float = _SETTLE, most: float = _SETTLE_OPEN) -> None:
        """Wait for what an action started: timers and promises, and longer for requests."""
        began = time.monotonic()
        await asyncio.sleep(least)
        while time.monotonic() - began < most:
            if not self._page.recorder.waiting or not self._page.usable:
                break
            await asyncio.sleep(0.02)

    async def _look(self, state: Mapping[str, Any]) -> None:
        fresh = self._take()
        asked = any(entry.text.startswith("prompt:") for entry in fresh)
        shown = [(word, f"{kind} shows {word}") for kind, word in _said(fresh)]
        shown += [
            (word, f"the page shows {word}" + (f" in {where}" if where else "")) for word, where in state["words"]
        ]
        for word, text in shown:
            if word not in self._words:
                self._words.add(word)
                if not (asked and word in ("null", "undefined")) and await self._broken(word):
                    self._add("shown", text)

    def _take(self) -> list[Entry]:
        """What came into the log since the last time; its errors are told."""
        fresh = self._log.since(self._cursor)
        self._cursor = self._log.cursor
        cut_off = any(entry.kind in _OUT_OF_REACH for entry in fresh)
        asked = any(entry.text.startswith("prompt:") for entry in fresh)
        for entry in fresh:
            key = entry.place, entry.text
            if entry.severity != "error" or entry.kind not in _TOLD or key in self._known:
                continue
            self._known.add(key)
            if not _unsure(entry, cut_off, asked):
                self._add("error", entry_line(entry))
        return fresh

    async def _broken(self, word: str) -> bool:
        """Whether a word on the page comes from a computation that went wrong, for sure."""
        if word in ("NaN", "Invalid Date") and await self._call("numbers"):
            # A field for any text may have wanted a number.
            if self._action.startswith("a click"):
                at = await self._call("again")
                if at is None:
                    return False
                await self._click(at)
            await self._settle()
            still = any(one == word for one, _ in (await self._call("look"))["words"])
            self._take()
            if not still:
                return False
        sources = await self._read()
        return not _meant(word, sources) and not _mentions(sources, _EVALUATES)

    async def _read(self) -> Sources:
        if self._sources is None:
            self._sources = await asyncio.to_thread(read_sources, self._site.folder)
        return self._sources

    async def _leaves(self, control: Mapping[str, Any], departure: Departure, kept: bool) -> None:
        """A click that would have opened another document, or this one again."""
        here = urlsplit(departure.url).path == urlsplit(self._url).path
        if not self._site.owns(departure.url):
            return
        if not here:
            served = self._site.served(departure.url)
            if served is not None and await asyncio.to_thread(_is_missing, self._site.folder, served):
                self._add("error", f"{self._site.named(served)} not found")
            return
        if not departure.reason.startswith("formSubmission") or not control["form"] or kept:
            # A link or script may want a fresh start, and what was stored is not lost.
            return
        if _mentions(await self._read(), _ADDRESS):
            return
        self._reloading.add(control["label"])
        advice = 'call event.preventDefault() in the submit handler, or give the button type="button"'
        if not control["handled"]:
            advice = "the form has no submit handler"
        self._add("reload", f"reloads the page: {advice}")

    async def _idle(self) -> None:
        """Controls that nothing listens to, now that everything had time to be set."""
        found = await self._call("idle")
        if not any(found.values()):
            return
        await asyncio.sleep(max(0.0, self._opened + _LATE_HANDLERS - time.monotonic()))
        found = await self._call("idle")
        self.faults += [Fault("idle", "has no click handler", "", label) for label in found["buttons"]]
        self.faults += [Fault("idle", "has no input handler", "", label) for label in found["fields"]]
        forms = [label for label in found["forms"] if label not in self._reloading]
        if forms and not _mentions(await self._read(), _ADDRESS):
            self._add("idle", f"the form of the button {forms[0]} has no submit handler", "")
        if found["links"] and not _mentions(await self._read(), _HASHES):
            for name, label, hidden in found["links"][:2]:
                text = f'leads nowhere: no element has id="{name}"'
                if hidden:
                    text = f"does nothing: #{name} is hidden and no click handler shows it"
                self._add("link", f"the link {label} {text}", "")


def _said(entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """(kind of dialog, word) for dialogs that showed a broken value."""
    return [
        (f"an {kind}" if kind == "alert" else f"a {kind}", word)
        for entry in entries
        if entry.kind == "page" and (kind := entry.text.partition(":")[0]) in ("alert", "confirm")
        for word in _WORDS
        if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", entry.text)
    ]


def _unsure(entry: Entry, cut_off: bool, asked: bool) -> bool:
    """Whether an error may come from the probe itself, or from what a page in a preview cannot have. `cut_off`: a
    request was refused in the same moment; `asked`: the page asked for a text and got none."""
    text = entry.text
    if entry.kind == "missing":
        return bool(_TYPED.search(text) or re.search(r"(?<!\d)5(?!\d)", text))
    if entry.kind == "console" and not _SCRIPT_ERROR.search(text):
        # Pages use console.error for what is no fault of theirs, too.
        return True
    if entry.kind in ("console", "exception"):
        return bool(
            cut_off
            or _NOT_OURS.search(text)
            or _EXPRESSION.search(text)
            or _TYPED.search(text)
            or (asked and "null" in text)
        )
    return False


def _mentions(sources: Sources, pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(text) for name, text in sources.texts.items() if not name.endswith((".css", ".json")))


def _meant(word: str, sources: Sources) -> bool:
    """Whether a text of the project holds the word, so that it may be shown on purpose."""
    pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    scripts = [*sources.scripts.values(), *(script for parts in sources.inline.values() for _, script in parts)]
    if any(pattern.search(text) for script in scripts for text in script.strings):
        return True
    if any(pattern.search(_CODE.sub(" ", sources.texts[name])) for name in sources.pages):
        return True
    quoted = re.compile(rf'"[^"\n]*{pattern.pattern}[^"\n]*"')
    return any(quoted.search(text) for name, text in sources.texts.items() if name.endswith(".json"))


def _is_missing(folder: Path, served: str) -> bool:
    real = resolve(folder, served)
    return real is None or not real.is_file()
