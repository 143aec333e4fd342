import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.preview.console import ConsoleLog
from roomcode.preview.locate import Place, SiteMap, is_local
from roomcode.preview.recorder import RECORDED, Recorder, short_url

from .conftest import write

URL = "http://127.0.0.1:5173"


class Bench:
    """A recorder over a folder, fed with events by hand."""

    def __init__(self, folder: Path, *, network: bool = False, prefix: str = "") -> None:
        self.log = ConsoleLog()
        self.now = 0.0
        self.recorder = Recorder(SiteMap(5173, folder, prefix), self.log, network=network, clock=lambda: self.now)

    def send(self, method: str, source: str = "", **params: Any) -> None:
        self.recorder.handle(method, params, source=source)

    def request(self, url: str, kind: str = "Script", number: str = "1", line: int = 4, **more: Any) -> None:
        initiator = {"type": "parser", "url": f"{URL}/", "lineNumber": line}
        request = {"url": url, "method": more.pop("verb", "GET")}
        self.send(
            "Network.requestWillBeSent",
            requestId=number,
            loaderId="L",
            request=request,
            type=kind,
            initiator=initiator,
            **more,
        )

    def answer(self, url: str, status: int, number: str = "1", kind: str = "Script") -> None:
        self.send("Network.responseReceived", requestId=number, type=kind, response={"url": url, "status": status})

    def fail(self, number: str = "1", **params: Any) -> None:
        self.send("Network.loadingFailed", requestId=number, **params)

    @property
    def lines(self) -> list[tuple[str, str, str]]:
        return [(entry.severity, entry.place, entry.text) for entry in self.log.since(0)]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    write(tmp_path, {"index.html": "<p>\n<script src=app.js>", "app.js": "one\ntwo\n", "style.css": ""})
    return Bench(tmp_path.resolve())


def thrown(description: str, **details: Any) -> dict[str, Any]:
    exception = {"type": "object", "subtype": "error", "className": "TypeError", "description": description}
    return {"exceptionId": 1, "text": "Uncaught", "exception": exception, **details}


def frame(path: str, line: int, column: int = 0) -> dict[str, Any]:
    return {"url": path if "://" in path else f"{URL}{path}", "lineNumber": line, "columnNumber": column}


def test_an_exception_is_placed_at_its_first_frame_in_the_project(bench: Bench) -> None:
    stack = {"callFrames": [frame("https://cdn.example/lib.js", 9), frame("/app.js?v=2", 1, 4), frame("/", 7)]}
    bench.send("Runtime.exceptionThrown", exceptionDetails=thrown("TypeError: x\n    at y", stackTrace=stack))
    assert bench.lines == [("error", "app.js:2", "TypeError: x")]


def test_without_frames_the_script_or_the_text_of_the_stack_tells_the_place(bench: Bench) -> None:
    syntax = {"type": "object", "subtype": "error", "className": "SyntaxError", "description": "SyntaxError: bad"}
    details = {"text": "Uncaught", "exception": syntax, "url": f"{URL}/app.js", "lineNumber": 1}
    bench.send("Runtime.exceptionThrown", exceptionDetails=details)
    text = f"TypeError: x\n    at f ({URL}/style.css:3:1)\n    at {URL}/app.js:2:9"
    bench.send("Runtime.exceptionThrown", exceptionDetails=thrown(text))
    assert [line[1] for line in bench.lines] == ["app.js:2", "style.css:3"]
    assert bench.log.since(0)[0].kind == "syntax"


def test_a_rejection_that_is_handled_later_is_taken_back(bench: Bench) -> None:
    details = {**thrown("Error: late"), "text": "Uncaught (in promise)"}
    bench.send("Runtime.exceptionThrown", exceptionDetails=details)
    assert bench.lines == [("error", "", "Uncaught (in promise) Error: late")]
    bench.send("Runtime.exceptionRevoked", exceptionId=1)
    bench.send("Runtime.exceptionRevoked", exceptionId=1)
    assert bench.lines == []


def test_a_missing_file_is_told_once_with_who_asked_and_the_nearest_name(bench: Bench) -> None:
    bench.request(f"{URL}/stlye.css?x=1", "Stylesheet")
    bench.answer(f"{URL}/stlye.css?x=1", 404, kind="Stylesheet")
    bench.fail(errorText="net::ERR_ABORTED", canceled=True)
    entry = {"source": "network", "level": "error", "text": "Failed to load resource: 404", "url": f"{URL}/stlye.css"}
    bench.send("Log.entryAdded", entry=entry)
    bench.recorder.add_missing([f"{URL}/stlye.css?x=1"])
    assert bench.lines == [("error", "index.html:5", "stlye.css not found; did you mean style.css?")]


def test_what_only_the_server_knows_is_missing_is_placed_where_it_is_named(bench: Bench, tmp_path: Path) -> None:
    write(tmp_path, {"app.js": "one\nnew Worker('work.js')\n"})
    bench.request(f"{URL}/app.js", number="1")
    bench.recorder.add_missing([f"{URL}/work.js", f"{URL}/favicon.ico"])
    bench.answer(f"{URL}/work.js", 404, number="9")
    assert bench.lines == [("error", "app.js:2", "work.js not found")]


def test_an_icon_nobody_asked_for_is_never_told(bench: Bench) -> None:
    bench.request(f"{URL}/favicon.ico", "Other")
    bench.answer(f"{URL}/favicon.ico", 404)
    bench.send("Log.entryAdded", entry={"source": "other", "level": "error", "text": "favicon.ico 404"})
    bench.request("https://x.example/favicon.ico", "Other", number="2")
    bench.fail("2", errorText="net::ERR_NAME_NOT_RESOLVED")
    assert bench.lines == []


@pytest.mark.parametrize(
    ("url", "kind", "failure", "expected"),
    [
        ("https://cdn.example/a.js?k=1", "Script", "NAME_NOT_RESOLVED", ("error", "blocked: https://cdn.example/a.js.")),
        ("https://cdn.example/a.png", "Image", "NAME_NOT_RESOLVED", ("info", "blocked: https://cdn.example/a.png.")),
        ("http://localhost:3000/api", "Fetch", "CONNECTION_REFUSED", ("error", "http://localhost:3000/api: nothing")),
        ("http://127.0.0.1:6000/x", "Fetch", "UNSAFE_PORT", ("error", "http://127.0.0.1:6000/x failed: unsafe port")),
    ],
)  # fmt: skip
def test_requests_that_fail_say_why(bench: Bench, url: str, kind: str, failure: str, expected: tuple[str, str]) -> None:
    bench.request(url, kind)
    bench.fail(errorText=f"net::ERR_{failure}")
    ((severity, place, text),) = bench.lines
    assert (severity, place) == (expected[0], "index.html:5")
    assert text.startswith(expected[1])


def test_with_the_network_allowed_a_failure_is_an_ordinary_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path, network=True)
    bench.request("https://cdn.example/a.js")
    bench.fail(errorText="net::ERR_NAME_NOT_RESOLVED")
    assert bench.lines[0][2] == "https://cdn.example/a.js failed: name not resolved"


def test_what_the_page_itself_cancelled_or_forbade_is_not_told_twice(bench: Bench) -> None:
    bench.request("https://x.example/a.png", "Image")
    bench.fail(errorText="", blockedReason="csp")
    bench.request(f"{URL}/d.json", "Fetch", number="2")
    bench.fail("2", errorText="net::ERR_ABORTED", canceled=True)
    bench.request("data:text/plain,1", "Fetch", number="3")
    bench.fail("3", errorText="net::ERR_INVALID_URL")
    assert bench.lines == []


def test_statuses_of_other_servers_and_other_methods(bench: Bench) -> None:
    bench.request("http://localhost:3000/api", "Fetch")
    bench.answer("http://localhost:3000/api", 500)
    bench.request(f"{URL}/save", "Fetch", number="2", verb="POST")
    bench.answer(f"{URL}/save", 405, "2")
    bench.request(f"{URL}/.env", "Fetch", number="3")
    bench.answer(f"{URL}/.env", 404, "3")
    assert [line[2] for line in bench.lines] == [
        "http://localhost:3000/api answered 500",
        "POST save: files are served here, nothing answers POST",
        f"{URL}/.env is not served",
    ]


def test_open_requests_are_known_until_they_end(bench: Bench) -> None:
    bench.request(f"{URL}/a.js", number="1")
    bench.request(f"{URL}/b.js", number="2")
    bench.request(f"{URL}/events", "EventSource", number="3")
    bench.request(f"{URL}/d.json", "Fetch", number="4")
    assert bench.recorder.waiting == ("a.js", "b.js", "d.json")
    bench.send("Network.loadingFinished", requestId="1")
    bench.fail("2", errorText="net::ERR_ABORTED", canceled=True)
    bench.answer(f"{URL}/d.json", 200, "4", "Fetch")
    assert bench.recorder.waiting == ()


def test_a_page_that_only_logs_is_quiet_and_one_that_loads_is_not(bench: Bench) -> None:
    bench.now = 5.0
    bench.send("Runtime.consoleAPICalled", type="log", args=[{"type": "string", "value": "x"}])
    assert bench.recorder.changed == 0.0
    bench.request(f"{URL}/a.js")
    assert bench.recorder.changed == 5.0


def test_what_was_held_back_in_the_page_is_added_to_the_count(bench: Bench) -> None:
    stack = {"callFrames": [frame("/app.js", 1, 6)]}
    bench.send("Runtime.exceptionThrown", exceptionDetails=thrown("Error: same", stackTrace=stack))
    what = {"text": "Uncaught Error: same", "file": f"{URL}/app.js", "line": 2, "column": 7, "stack": ""}
    for value in (json.dumps(what), "not json", "[]", json.dumps({**what, "line": None})):
        args = [{"type": "string", "value": "roomcode:repeat"}, {"value": value}, {"value": 41}]
        bench.send("Runtime.consoleAPICalled", type="debug", args=args)
    args = [{"type": "string", "value": "roomcode:dropped"}, {"type": "number", "value": 7}]
    bench.send("Runtime.consoleAPICalled", type="debug", args=args)
    assert bench.lines == [("error", "app.js:2", "Error: same"), ("info", "", "7 more console lines were left out")]
    assert bench.log.since(0)[0].count == 42


def test_messages_of_the_browser_are_put_shorter(bench: Bench) -> None:
    text = (
        "Failed to load module script: Expected a JavaScript-or-Wasm module script but the server responded with a "
        'MIME type of "text/plain". Strict MIME type checking is enforced.'
    )
    bench.send("Log.entryAdded", entry={"source": "other", "level": "error", "text": text, "url": f"{URL}/a.ts"})
    bench.send("Log.entryAdded", entry={"source": "javascript", "level": "warning", "text": "deprecated thing"})
    bench.send("Log.entryAdded", entry={"source": "worker", "level": "error", "text": "told by the worker too"})
    bench.send("Log.entryAdded", entry={"source": "other", "level": "verbose", "text": "chatter"})
    assert bench.lines == [
        ("error", "a.ts", "not sent as a script (text/plain): browsers run only .js and .mjs files"),
        ("warning", "", "deprecated thing"),
    ]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner, max_size=2),
    max_leaves=6,
)


@settings(deadline=None)
@given(
    st.sampled_from([*RECORDED, "Some.event"]),
    st.fixed_dictionaries(
        {},
        optional={
            "requestId": st.text(max_size=3),
            "request": st.fixed_dictionaries({}, optional={"url": st.text(max_size=12), "method": st.text(max_size=4)}),
            "response": st.fixed_dictionaries(
                {}, optional={"url": st.text(max_size=12), "status": st.integers(0, 600)}
            ),
            "type": st.sampled_from(["Script", "log", "error", "assert", "Fetch", ""]),
            "errorText": st.text(max_size=9),
            "args": st.lists(
                st.fixed_dictionaries({"type": st.text(max_size=6)}, optional={"value": JUNK}), max_size=3
            ),
            "entry": st.fixed_dictionaries(
                {"level": st.sampled_from(["error", "warning"])}, optional={"text": st.text(max_size=20)}
            ),
        },
    ),
)
def test_incomplete_events_never_break_it(method: str, params: dict[str, Any]) -> None:
    bench = Bench(Path("/nonexistent"))
    bench.request("https://x.example/", number="")
    bench.recorder.handle(method, params)
    for severity, place, text in bench.lines:
        assert severity in ("error", "warning", "info")
        assert "\n" not in text + place


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:5173/", True),
        ("http://localhost/", True),
        ("http://app.localhost:3000/", True),
        ("http://[::1]:80/", True),
        ("data:text/html,x", True),
        ("blob:http://127.0.0.1/1", True),
        ("about:blank", True),
        ("https://example.com/", False),
        ("http://127.0.0.1.evil.example/", False),
        ("http://localhost.evil.example/", False),
        ("//evil.example/x", False),
        ("http://10.0.0.1/", False),
    ],
)
def test_what_stays_on_this_machine(url: str, local: bool) -> None:
    assert is_local(url) is local


def test_addresses_become_project_files(tmp_path: Path) -> None:
    write(tmp_path, {"web/index.html": "", "web/sub/index.html": "a\n  <b>x</b>\n", "web/long.js": "x" * 500})
    site = SiteMap(5173, (tmp_path / "web").resolve(), "web")
    files = {
        f"{URL}/": "web/index.html",
        f"{URL}/a%20b.js?q#h": "web/a b.js",
        "http://localhost:5173/sub": "web/sub/index.html",
        f"{URL}/sub/": "web/sub/index.html",
        "http://127.0.0.1:5174/a.js": "",
        "https://example.com/a.js": "",
        f"{URL}/../x": "",
        "http://127.0.0.1:99999/": "",
        "": "",
    }
    assert {url: site.file(url) for url in files} == files
    assert short_url("https://example.com/a?secret=1", site) == "https://example.com/a"
    assert site.source_line(Place("web/sub/index.html", 2)) == "2 | <b>x</b>"
    assert site.source_line(Place("web/sub/index.html", 9)) == "2 | <b>x</b>"
    assert site.source_line(Place("web/gone.js", 1)) == ""
    assert site.source_line(Place("web/../../x", 1)) == ""
    cut = site.source_line(Place("web/long.js", 1, 250))
    assert cut == f"1 | …{'x' * 100}…"
