"""What the debugging protocol says about one page, turned into log entries."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from roomcode.preview.console import ConsoleLog, clip, format_arguments, format_value, one_line
from roomcode.preview.inject import CLOSE, DROPPED, MARK, REPEAT
from roomcode.preview.locate import Place, SiteMap, is_local
from roomcode.preview.names import nearest
from roomcode.preview.types import Entry, Kind, Severity

__all__ = ["RECORDED", "Recorder", "is_favicon", "short_url"]

RECORDED = (
    "Runtime.exceptionThrown",
    "Runtime.exceptionRevoked",
    "Runtime.consoleAPICalled",
    "Log.entryAdded",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Network.loadingFinished",
    "Network.loadingFailed",
)
"""The events a recorder understands."""

_SEVERITY: dict[str, Severity] = {"error": "error", "assert": "error", "warning": "warning"}
_SILENT = {"clear", "endGroup", "startGroup", "startGroupCollapsed", "profile", "profileEnd"}
_NEEDED = {"Script", "XHR", "Fetch", "WebSocket", "EventSource"}
"""Without these a page does not work; pictures, fonts and style sheets only change how it looks."""
_ENDLESS = {"EventSource", "WebSocket", "Ping", "Preflight", "CSPViolationReport"}
_REJECTED = "Uncaught (in promise) "
_SOCKET = re.compile(r"WebSocket connection to '(?P<url>[^']+)' failed:? ?(?P<reason>.*)")
_MODULE_TYPE = re.compile(r'module script: .* responded with a MIME type of "([^"]*)"')
_QUOTED = re.compile(r"'([^']+)'")
_SPECIFIER = re.compile(r'Failed to resolve module specifier "([^"]+)"')
_POLICY = re.compile(
    r"(.{1,200}?) violates the following Content Security Policy directive:? (['\"].{1,120}?['\"])(?:\.|$)"
)
_TOP = {"syntax": 0, "exception": 1, "security": 1, "blocked": 1, "failed": 1, "missing": 1, "console": 2, "page": 3}


@dataclass(slots=True)
class _Request:
    url: str
    kind: str
    place: Place = field(default_factory=Place)
    method: str = "GET"


class Recorder:
    """Takes protocol events of a page and its workers and frames; fills a `ConsoleLog`.

    `handle` may be called with anything the protocol sends: unknown events and missing members are ignored.
    """

    def __init__(self, site: SiteMap, log: ConsoleLog, *, network: bool, clock: Callable[[], float]) -> None:
        self._site = site
        self._log = log
        self._network = network
        self._clock = clock
        self._requests: dict[str, _Request] = {}
        self._open: dict[str, str] = {}
        self._thrown: dict[str, tuple[str, ...]] = {}
        self._icons: set[str] = set()
        self._failed_urls: set[str] = set()
        self._told: set[str] = set()
        self.events = 0
        self.bytes = 0
        self.changed = clock()
        """When the last event that matters came."""

    @property
    def waiting(self) -> tuple[str, ...]:
        """Requests that have no answer yet."""
        return tuple(dict.fromkeys(short_url(url, self._site) for url in self._open.values()))

    def handle(self, method: str, params: Mapping[str, Any], *, source: str = "") -> None:
        """One event. `source` names the worker or frame it came from, empty for the page."""
        action = {
            "Runtime.exceptionThrown": self._exception,
            "Runtime.exceptionRevoked": self._revoked,
            "Runtime.consoleAPICalled": self._console,
            "Log.entryAdded": self._browser_message,
            "Network.requestWillBeSent": self._sent,
            "Network.responseReceived": self._answered,
            "Network.loadingFinished": self._finished,
            "Network.loadingFailed": self._failed,
        }.get(method)
        if action is None:
            return
        self.events += 1
        if method == "Network.requestWillBeSent" and is_favicon(str(params.get("request", {}).get("url", ""))):
            self._icons.add(str(params.get("requestId")))
        if str(params.get("requestId")) in self._icons:
            # The browser asks for it by itself: no reason to wait, and nothing to tell.
            return
        if method != "Runtime.consoleAPICalled":
            # A page that goes on writing to its console is no reason to wait.
            self.touch()
        action(params, source)

    def touch(self) -> None:
        """Something happened that a wait for quiet has to begin again for."""
        self.changed = self._clock()

    def note(self, text: str, *, severity: Severity = "info", place: Place | None = None) -> None:
        """Something the page did that is no console line."""
        self._add(severity, "page", one_line(text), place or Place())

    def _add(
        self, severity: Severity, kind: Kind, text: str, place: Place, rank: int | None = None, count: int = 1
    ) -> tuple[str, ...]:
        return self._log.add(
            Entry(
                severity,
                kind,
                clip(text),
                place.file,
                place.line,
                place.column,
                count,
                rank=_TOP.get(kind, 2) if rank is None else rank,
            )
        )

    def _exception(self, params: Mapping[str, Any], source: str) -> None:
        details: Mapping[str, Any] = params.get("exceptionDetails", {})
        exception: Mapping[str, Any] = details.get("exception", {})
        stack = str(exception.get("description", ""))
        self.bytes += len(stack)
        place = self.place(details)
        text = one_line(format_value(exception) if exception else str(details.get("text", "")))
        if "(in promise)" in str(details.get("text", "")) and not text.startswith(_REJECTED):
            text = f"{_REJECTED}{text}"
        if match := _SPECIFIER.search(text):
            # The browser does not say where in a page's own module it is.
            line = self._site.line_of(place.file, f"'{match[1]}'", f'"{match[1]}"')
            place = Place(place.file, line or place.line)
        if source:
            text = f"{text} (in {source})"
        syntax = exception.get("className") == "SyntaxError" and not details.get("stackTrace")
        key = self._add("error", "syntax" if syntax else "exception", text, place)
        self._thrown[f"{source}:{details.get('exceptionId')}"] = key

    def place(self, details: Mapping[str, Any]) -> Place:
        """Where an exception came from: its stack's first frame in the project, or the script that did not parse."""
        frames = details.get("stackTrace", {}).get("callFrames", ())
        place = self._site.first(frames)
        if not place:
            place = self._site.first([details]) if "url" in details else Place()
        return place or self._site.first_in_stack(str(details.get("exception", {}).get("description", "")))

    def _revoked(self, params: Mapping[str, Any], source: str) -> None:
        key = self._thrown.pop(f"{source}:{params.get('exceptionId')}", None)
        if key is not None:
            self._log.revoke(key)

    def _console(self, params: Mapping[str, Any], source: str) -> None:
        kind = str(params.get("type", "log"))
        arguments = params.get("args", [])
        self.bytes += sum(len(str(a.get("value", ""))) for a in arguments if a.get("type") == "string")
        if kind in _SILENT:
            return
        frames = params.get("stackTrace", {}).get("callFrames", ())
        place = self._site.first(frames)
        severity = _SEVERITY.get(kind, "info")
        for argument in arguments if severity == "error" else ():
            if argument.get("subtype") == "error":
                # A caught error that is logged: where it was thrown says more than where it was logged.
                place = self._site.first_in_stack(str(argument.get("description", ""))) or place
                break
        text = format_arguments(arguments)
        if text.startswith(MARK) and self._from_inside(text, arguments):
            return
        if kind == "assert":
            text = f"Assertion failed: {text}"
        if "by Playwright" in text:
            text = "service workers are not started in the preview; in a browser they are"
        if source:
            text = f"{text} (in {source})"
        self._add(severity, "console", text or kind, place)

    def _browser_message(self, params: Mapping[str, Any], source: str) -> None:
        entry: Mapping[str, Any] = params.get("entry", {})
        text = one_line(str(entry.get("text", "")))
        self.bytes += len(text)
        level, origin = entry.get("level"), entry.get("source")
        socket = _SOCKET.match(text)
        if level not in ("error", "warning") or "favicon.ico" in text or text.startswith("Note that "):
            return
        # The rest of these is told by the requests and by the worker itself, with more detail.
        if (origin == "network" and socket is None) or origin == "worker" or "blocked by CORS policy" in text:
            return
        frames = entry.get("stackTrace", {}).get("callFrames", ())
        place = self._site.first(frames)
        if not place and entry.get("url"):
            place = Place(self._site.file(str(entry["url"])), int(entry.get("lineNumber", -1)) + 1)
        if place and not place.line and (quoted := _QUOTED.search(text)):
            place = self._mention(quoted[1], place)
        if socket is not None:
            self._unreachable(socket["url"], socket["reason"], "WebSocket", place)
            return
        severity: Severity = "error" if level == "error" else "warning"
        self._add(severity, "security" if severity == "error" else "console", _plainer(text), place)

    def _sent(self, params: Mapping[str, Any], source: str) -> None:
        request: Mapping[str, Any] = params.get("request", {})
        url, key = str(request.get("url", "")), str(params.get("requestId"))
        initiator: Mapping[str, Any] = params.get("initiator", {})
        place = self._site.first(initiator.get("stack", {}).get("callFrames", ()))
        if not place and "url" in initiator:
            line = int(initiator.get("lineNumber", -1)) + 1
            place = Place(self._site.file(str(initiator["url"])), line, int(initiator.get("columnNumber", -1)) + 1)
        kind = str(params.get("type", ""))
        self._requests[key] = _Request(url, kind, place, str(request.get("method", "GET")))
        # The script of a worker has no loader; when it is missing, the end of its request is never told.
        worker_script = not source and not params.get("loaderId")
        if kind not in _ENDLESS and kind != "Document" and not worker_script and not url.startswith(("data:", "blob:")):
            self._open[key] = url

    def _answered(self, params: Mapping[str, Any], source: str) -> None:
        key = str(params.get("requestId"))
        response: Mapping[str, Any] = params.get("response", {})
        url, status = str(response.get("url", "")), int(response.get("status", 0))
        if params.get("type") in ("Fetch", "XHR"):
            # A script that never reads the body keeps such a request open for ever.
            self._open.pop(key, None)
        if status < 400:
            return
        if url in self._told:
            self._told.discard(url)
            return
        self._no_answer(url, status, self._requests.get(key) or _Request(url, str(params.get("type", ""))))

    def add_missing(self, urls: Iterable[str]) -> None:
        """Addresses the server could not answer; those the browser told nothing about become entries."""
        for url in urls:
            if url not in self._failed_urls and not is_favicon(url):
                request = next((one for one in self._requests.values() if one.url == url), None)
                self._no_answer(url, 404, request or _Request(url, "Script"))
                self._told.add(url)

    def _mention(self, url: str, place: Place) -> Place:
        """Where the page's files name what was asked for; the browser does not always say who asked."""
        name = urlsplit(url).path.rpartition("/")[2]
        files = dict.fromkeys(self._site.file(request.url) for request in self._requests.values())
        for file in [place.file] if place else files:
            if name and (line := self._site.line_of(file, name)):
                return Place(file, line)
        return place

    def _no_answer(self, url: str, status: int, request: _Request) -> None:
        self._failed_urls.add(url)
        place, shown = request.place, short_url(url, self._site)
        if not place.line:
            place = self._mention(url, place)
        served = self._site.served(url)
        if not self._site.owns(url):
            self._add("error", "failed", f"{shown} answered {status}", place)
        elif status == 405:
            text = f"{request.method} {shown}: files are served here, nothing answers {request.method}"
            self._add("error", "failed", text, place)
        elif status != 404 or served is None:
            self._add("error", "failed", f"{shown} is not served", place)
        else:
            text = f"{self._site.named(served)} not found"
            if guess := nearest(served, self._site.files()):
                text += f"; did you mean {self._site.named(guess)}?"
            rank = 0 if request.kind in ("Script", "Document") else 1 if request.kind in _NEEDED else 2
            self._add("error", "missing", text, place, rank)

    def _finished(self, params: Mapping[str, Any], source: str) -> None:
        self._open.pop(str(params.get("requestId")), None)

    def _failed(self, params: Mapping[str, Any], source: str) -> None:
        key = str(params.get("requestId"))
        self._open.pop(key, None)
        request = self._requests.get(key)
        if request is None or request.url in self._failed_urls:
            return
        reason, url = str(params.get("errorText", "")), request.url
        if params.get("canceled") or reason == "net::ERR_ABORTED" or url.startswith(("blob:", "data:")):
            return
        if params.get("blockedReason"):
            # A policy of the page itself; the browser tells the reason in a message of its own.
            return
        if params.get("corsErrorStatus") and is_local(url):
            reason = "may not be read from this page (CORS)"
        self._unreachable(url, reason, request.kind, request.place)

    def _unreachable(self, url: str, reason: str, kind: str, place: Place) -> None:
        shown = short_url(url, self._site)
        if not self._network and not is_local(url):
            severity: Severity = "error" if kind in _NEEDED else "info"
            text = (
                f"blocked: {shown}. Only this machine can be reached (setting: network); put the file into the project"
            )
            self._add(severity, "blocked", text, place)
        elif "CONNECTION_REFUSED" in reason:
            self._add("error", "failed", f"{shown}: nothing answers there", place)
        elif "net::" in reason or not reason:
            self._add("error", "failed", f"{shown} failed: {_reason(reason)}", place)
        else:
            self._add("error", "failed", f"{shown} {reason}", place)

    def _from_inside(self, text: str, arguments: Sequence[Mapping[str, Any]]) -> bool:
        """Messages of the preview's own script in the page."""
        if text == CLOSE:
            self.note("window.close() was called; the preview keeps the page")
        elif text.startswith(DROPPED):
            self._add("info", "page", f"{arguments[1].get('value')} more console lines were left out", Place())
        elif text.startswith(REPEAT) and len(arguments) == 3:
            self._repeated(str(arguments[1].get("value", "")), int(arguments[2].get("value", 1)))
        else:
            return False
        return True

    def _repeated(self, what: str, count: int) -> None:
        try:
            error = json.loads(what)
            place = Place(self._site.file(error["file"]), int(error["line"]), int(error["column"]))
            text, stack = str(error["text"]), str(error["stack"])
        except (ValueError, KeyError, TypeError):
            return
        place = self._site.first_in_stack(stack) or (place if place else Place())
        self._add("error", "exception", one_line(text.removeprefix("Uncaught ")), place, count=count)


def is_favicon(url: str) -> bool:
    """Whether this is the icon that browsers ask for unasked."""
    return urlsplit(url).path.rpartition("/")[2] == "favicon.ico"


def _reason(code: str) -> str:
    return code.rpartition("net::ERR_")[2].replace("_", " ").lower() or "no answer"


def _plainer(text: str) -> str:
    """Long messages of the browser in fewer words."""
    if match := _MODULE_TYPE.search(text):
        return f"not sent as a script ({match[1]}): browsers run only .js and .mjs files"
    if match := _POLICY.match(text):
        return f"{match[1]} is not allowed by the page's Content-Security-Policy {match[2]}"
    return text


def short_url(url: str, site: SiteMap) -> str:
    """A project path for the folder's own addresses, else the address without query, cut."""
    if file := site.file(url):
        return file
    parts = urlsplit(url)
    if parts.scheme in ("data", "blob"):
        return f"{parts.scheme}: address"
    base = f"{parts.scheme}://{parts.netloc}{parts.path}" if parts.netloc else url
    return clip(one_line(base), 100)
