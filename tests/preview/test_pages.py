"""What the model reads about real pages: the exact lines."""

import asyncio
import socket
import time

import pytest

from roomcode.preview import log_lines

from .conftest import Project

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

CASES = {
    "clean": (
        {"index.html": "<title>Tips</title><h1>Tip calculator</h1><p>Bill</p>"},
        ["URL loaded with no errors.", 'Title "Tips", 2 visible elements, text: Tip calculator Bill'],
    ),
    "blank": (
        {"index.html": "<title>T</title><div></div><p style='display:none'>hidden</p>"},
        ["URL loaded with no errors.", 'Title "T", but the page is blank: nothing in <body> can be seen.'],
    ),
    "uncaught error": (
        {
            "index.html": "<h1>a</h1><script src=game.js></script>",
            "game.js": "function start() {\n  const box = document.getElementById('box');\n  box.textContent = 1;\n}\n"
            "start();",
        },
        [
            "URL has 1 error:",
            "game.js:3 TypeError: Cannot set properties of null (setting 'textContent')",
            "    3 | box.textContent = 1;",
            '    Fix: no element in index.html has id="box": add id="box" to the element that is meant',
        ],
    ),
    "missing files, nearest names": (
        {
            "index.html": "<link rel=stylesheet href=stlye.css>\n<link rel=icon href=favicon.ico>\n"
            "<script src=App.js></script>\n<img src=img/logo.png><h1>a</h1>",
            "style.css": "",
            "app.js": "",
            "pictures/logo.png": b"",
        },
        [
            "URL has 3 errors:",
            "index.html:3 App.js not found; did you mean app.js?",
            "    3 | <script src=App.js></script>",
            "index.html:1 stlye.css not found; did you mean style.css?",
            "index.html:4 img/logo.png not found; did you mean pictures/logo.png?",
        ],
    ),
    "dialogs": (
        {
            "index.html": "<script>alert('hi'); if (confirm('sure?')) prompt('name');"
            " window.onbeforeunload = () => 'x'</script><h1>ok</h1>"
        },
        [
            "URL loaded with no errors.",
            "No title, 1 visible element, text: ok",
            "alert: hi (dismissed)",
            "confirm: sure? (dismissed)",
        ],
    ),
    "rejected promises": (
        {
            "index.html": "<h1>a</h1>\n<script>\nPromise.reject('plain');\nPromise.reject();\n"
            "Promise.reject({code: 5});\n"
            "Promise.reject(new TypeError('bad'));\nconst p = Promise.reject(new Error('late'));\n"
            "setTimeout(() => p.catch(() => 0), 20);\n</script>"
        },
        [
            "URL has 4 errors:",
            'index.html:3 Uncaught (in promise) "plain"',
            "    3 | Promise.reject('plain');",
            "index.html:4 Uncaught (in promise) undefined",
            "index.html:5 Uncaught (in promise) {code: 5}",
            "index.html:6 Uncaught (in promise) TypeError: bad",
        ],
    ),
    "a caught error that is logged": (
        {
            "index.html": "<h1>a</h1><script src=a.js></script>",
            "a.js": "function f() {\n  throw new Error('deep');\n}\n"
            "try { f() } catch (e) {\n  console.error('failed:', e);\n}",
        },
        ["URL has 1 error:", "a.js:2 failed: Error: deep", "    2 | throw new Error('deep');"],
    ),
    "modules": (
        {
            "index.html": "<h1>a</h1>\n<script type=module src=a.js></script>\n<script type=module src=b.js></script>\n"
            "<script type=module>\nimport 'vue'\n</script>\n<script type=module src=c.ts></script>",
            "a.js": "import {nope} from './lib.js'\n",
            "b.js": "let y = 1;\nconst x = ;\n",
            "lib.js": "export const yes = 1",
            "c.ts": "let a: number = 1",
        },
        [
            "URL has 4 errors:",
            "a.js:1 SyntaxError: The requested module './lib.js' does not provide an export named 'nope'",
            "    1 | import {nope} from './lib.js'",
            "    Fix: lib.js exports only yes: import one of these, or write nope there",
            "b.js:2 SyntaxError: Unexpected token ';'",
            "c.ts not sent as a script (text/plain): browsers run only .js and .mjs files",
            'index.html:5 TypeError: Failed to resolve module specifier "vue". '
            'Relative references must start with either "/", "./", or "../".',
            '    Fix: there are no packages here: take the import of "vue" out and write what it does yourself',
        ],
    ),
    "end of input": (
        {"index.html": "<h1>a</h1><script src=a.js></script>", "a.js": "function f() {\n  return 1\n"},
        [
            "URL has 1 error:",
            "a.js:3 SyntaxError: Unexpected end of input",
            "    2 | return 1",
            "    Fix: the { of a.js:1 is never closed: add }",
        ],
    ),
    "off-site navigation": (
        {"index.html": "<h1>app</h1><script>location = 'https://evil.example/'</script>"},
        ["URL has 1 error:", "the page leaves the app for https://evil.example/; that was stopped"],
    ),
    "another program of this machine": (
        {"index.html": "<meta http-equiv=refresh content='0;url=http://localhost:1234/'><h1>app</h1>"},
        ["URL has 1 error:", "the page leaves the app for http://localhost:1234/; that was stopped"],
    ),
    "reload loop": (
        {"index.html": "<h1>app</h1><script>location.reload()</script>"},
        ["URL has 1 error:", "the page loads itself again and again; that was stopped"],
    ),
    "popups, downloads, close": (
        {
            "index.html": "<h1>app</h1><script>\nwindow.open('https://ads.example/x');\nwindow.open('other.html');\n"
            "const a = document.createElement('a');\na.href = 'data:text/csv,1';\na.download = 'r.csv';\na.click();\n"
            "window.close();\n</script>",
            "other.html": "<script>alert('in popup'); throw 1</script>",
        },
        [
            "URL loaded with no errors.",
            "No title, 1 visible element, text: app",
            "popup closed: https://ads.example/x",
            "popup closed: other.html",
            "window.close() was called; the preview keeps the page",
            "download stopped: r.csv",
        ],
    ),
    "policy of the page": (
        {
            "index.html": "<meta http-equiv=Content-Security-Policy content=\"default-src 'self'\">\n<h1>a</h1>\n"
            "<script>1</script>\n<img src=https://x.example/a.png>"
        },
        [
            "URL has 2 errors:",
            "index.html:3 Executing inline script is not allowed by the page's Content-Security-Policy "
            "'default-src 'self''",
            "    3 | <script>1</script>",
            "index.html:4 Loading the image 'https://x.example/a.png' is not allowed by the page's "
            "Content-Security-Policy \"default-src 'self'\"",
        ],
    ),
    "mixed content and blocked requests": (
        {
            "index.html": "<h1>a</h1>\n<img src=http://x.example/a.png>\n"
            "<script src=https://cdn.example/vue.js?v=1></script>\n"
            "<script>new WebSocket('wss://x.example/live')</script>"
        },
        [
            "URL has 2 errors:",
            "index.html:3 blocked: https://cdn.example/vue.js. Only this machine can be reached (setting: network); "
            "put the file into the project",
            "    3 | <script src=https://cdn.example/vue.js?v=1></script>",
            "index.html:4 blocked: wss://x.example/live. Only this machine can be reached (setting: network); "
            "put the file into the project",
            "index.html:2 blocked: http://x.example/a.png. Only this machine can be reached (setting: network); "
            "put the file into the project",
        ],
    ),
    "a server that is not there": (
        {"index.html": "<h1>a</h1>\n<script>\nfetch('/api/save', {method: 'POST'});\n</script>"},
        [
            "URL has 1 error:",
            "index.html:3 POST api/save: files are served here, nothing answers POST",
            "    3 | fetch('/api/save', {method: 'POST'});",
        ],
    ),
    "workers": (
        {
            "index.html": "<h1>a</h1>\n<script>\nnew Worker('w.js');\nnew Worker('nope.js');\n</script>",
            "w.js": "console.log('from worker');\nfetch('gone.json');\nsetTimeout(() => { noSuch() }, 10)",
        },
        [
            "URL has 3 errors:",
            "index.html:4 nope.js not found",
            "    4 | new Worker('nope.js');",
            "w.js:3 ReferenceError: noSuch is not defined (in worker)",
            "w.js:2 gone.json not found",
        ],
    ),
    "frames": (
        {
            "index.html": "<h1>a</h1><iframe src=f.html></iframe>",
            "f.html": "<script>\nalsoNo()</script>",
        },
        ["URL has 1 error:", "f.html:2 ReferenceError: alsoNo is not defined", "    2 | alsoNo()</script>"],
    ),
    "a debugger statement": (
        {"index.html": "<h1>a</h1><script>debugger; document.title = 'on'</script>"},
        ["URL loaded with no errors.", 'Title "on", 1 visible element, text: a'],
    ),
    "service worker": (
        {"index.html": "<h1>a</h1><script>navigator.serviceWorker.register('sw.js')</script>", "sw.js": "self.x = 1"},
        ["URL loaded with no errors.", "No title, 1 visible element, text: a"],
    ),
    "a long message": (
        {"index.html": "<h1>a</h1>\n<script>\nconsole.error('x'.repeat(1e6))\n</script>"},
        [
            "URL has 1 error:",
            "index.html:3 " + "x" * 144 + " […1000000 characters…] " + "x" * 72,
            "    3 | console.error('x'.repeat(1e6))",
        ],
    ),
    "the same error again and again": (
        {
            "index.html": "<h1>a</h1>\n<script>\n"
            "for (let i = 0; i < 10000; i++) setTimeout(() => { throw new Error('same') })\n</script>"
        },
        [
            "URL has 1 error:",
            "index.html:3 Error: same (10000 times)",
            "    3 | for (let i = 0; i < 10000; i++) setTimeout(() => { throw new Error('same') })",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
async def test_a_page_is_told_in_these_lines(project: Project, name: str) -> None:
    files, expected = CASES[name]
    assert await project.lines(files) == expected


async def test_more_errors_than_lines_point_to_the_log(project: Project) -> None:
    script = "\n".join(f"setTimeout(() => {{ throw new Error('e{n}') }})" for n in range(12))
    lines = await project.lines({"index.html": f"<h1>a</h1>\n<script>\n{script}\n</script>"})
    assert len(lines) == 8
    assert lines[:2] == ["URL has 12 errors:", "index.html:3 Error: e0"]
    assert lines[-1] == "and 7 more: call preview_logs(port=PORT, since=0)"


async def test_a_page_that_logs_all_the_time_is_done_at_once_and_folded(project: Project) -> None:
    began = time.monotonic()
    report = await project.load(
        {"index.html": "<h1>a</h1>\n<script>\nsetInterval(() => console.log('tick', Date.now()), 1)\n</script>"}
    )
    assert report.state == "clean"
    assert report.notices == ()
    page = await project.preview.logs(project.port, 0)
    ticks = [entry for entry in page.entries if entry.text.startswith("tick")]
    assert len(ticks) == 1
    assert ticks[0].count > 5
    assert ticks[0].place == "index.html:3"
    assert sum(map(len, log_lines(page))) < 3000
    later = await project.preview.logs(project.port, page.cursor)
    assert all(entry.number > page.cursor for entry in later.entries)
    assert time.monotonic() - began < 30


async def test_console_values_read_like_in_a_console(project: Project) -> None:
    await project.load(
        {
            "index.html": "<h1 id=t class='a b'>a</h1><script>\nconsole.log('%cred', 'color: red');\n"
            "console.log(document.querySelector('h1'));\nconst o = {a: 1}; o.self = o; console.log(o);\n"
            "console.log([1, 'x', null], new Map([[1, {a: 2}]]), -0, 12n, undefined, /x/g, () => 1);\n"
            "console.warn('careful'); console.assert(1 === 2, 'math');\n"
            "console.log('%s is %d', 'age', 7, 'x');\n</script>"
        }
    )
    page = await project.preview.logs(project.port, 0)
    lines = log_lines(page)
    assert list(lines[:-1]) == [
        "index.html:2 red",
        "index.html:3 <h1#t.a.b>",
        "index.html:4 {a: 1, self: {…}}",
        'index.html:5 [1, "x", null] Map(1) {1 => {…}} -0 12n undefined /x/g ()=>1'.replace("()=>1", "() => 1"),
        "WARNING index.html:6 careful",
        "ERROR index.html:6 Assertion failed: math",
        "index.html:7 age is 7 x",
    ]
    assert lines[-1] == f"next: preview_logs(port={project.port}, since={page.entries[-1].number})"


async def test_an_endless_loop_is_named_with_its_line_and_the_next_page_works(project: Project) -> None:
    began = time.monotonic()
    lines = await project.lines(
        {
            "index.html": "<h1>a</h1>\n<script src=game.js></script>",
            "game.js": "let n = 0;\nfunction tick() {\n  while (true) { n++; }\n}\ntick();",
        }
    )
    assert lines == [
        "URL: the page does not answer; game.js:3 may be in an endless loop.",
        "    3 | while (true) { n++; }",
        "Fix that, then call serve again.",
    ]
    assert time.monotonic() - began < 30
    assert (await project.load({"index.html": "<h1>fine</h1>"})).state == "clean"


async def test_a_loop_that_logs_is_ended_too(project: Project) -> None:
    lines = await project.lines({"index.html": "<h1>a</h1>\n<script>\nwhile (true) console.log('flood')\n</script>"})
    assert lines[0] == "URL: the page does not answer; index.html:3 may be in an endless loop."
    assert (await project.load({"index.html": "<h1>fine</h1>"})).state == "clean"


async def test_a_loop_that_starts_after_the_load_is_found_by_the_next_question(project: Project) -> None:
    report = await project.load(
        {"index.html": "<h1>a</h1>\n<script>\nsetTimeout(() => {\n  for (;;);\n}, 500)\n</script>"}
    )
    assert report.state == "clean"
    state = ""
    for _ in range(50):
        state = (await project.preview.logs(project.port, 0)).state
        if state:
            break
        await asyncio.sleep(0.05)
    assert state == "the page does not answer; index.html:4 may be in an endless loop. Call serve."
    assert (await project.load({"index.html": "<h1>fine</h1>"})).state == "clean"


@pytest.mark.parametrize(
    "script",
    [
        "const a = []; while (true) a.push(new Array(1e6).fill(1.5))",
        "const a = []; setInterval(() => a.push(new Uint8Array(1e8).fill(1)), 1)",
    ],
)
async def test_a_page_that_takes_all_memory_is_stopped_alone(project: Project, script: str) -> None:
    report = await project.load({"index.html": f"<h1>a</h1><script>{script}</script>"})
    state = report.reason
    async with asyncio.timeout(30):
        while not state:
            state = (await project.preview.logs(project.port, 0)).state
    # On a slow machine the time may be up before the memory is.
    assert "too much memory" in state or "endless loop" in state
    assert (await project.load({"index.html": "<h1>fine</h1>"})).state == "clean"


async def test_a_page_that_was_left_alone_rests_and_wakes_up(project: Project) -> None:
    script = "let n = 0; (function again() { n += 1; setTimeout(again, 0); })();"
    await project.load({"index.html": f"<h1>a</h1><script>{script}</script>"})
    page = project.preview.page(project.port)
    assert page is not None
    async with asyncio.timeout(30):
        await page.at_rest.wait()
    first = await project.preview.run_js("const m = n; await new Promise(r => setTimeout(r, 50)); n > m", project.port)
    assert first.value == "true"
    assert project.preview.page(project.port) is page


async def test_a_page_that_never_goes_quiet_ends_at_the_limit(project: Project) -> None:
    began = time.monotonic()
    report = await project.load(
        {"index.html": "<h1>a</h1><script>setInterval(() => fetch('d.json'), 30)</script>", "d.json": "{}"}
    )
    assert report.state == "clean"
    assert time.monotonic() - began < 30


async def test_a_request_that_hangs_is_named(project: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        port = hanging.getsockname()[1]
        lines = await project.lines({"index.html": f"<h1>a</h1><img src=http://127.0.0.1:{port}/x.png>"})
    assert lines[0] == "URL has no errors so far."
    assert lines[-1] == f"Still loading when time was up: http://127.0.0.1:{port}/x.png"


async def test_leaving_for_an_empty_page_is_an_error(project: Project) -> None:
    report = await project.load({"index.html": "<h1>app</h1><script>location = 'about:blank'</script>"})
    assert report.state == "errors"
    assert report.errors[0].text == "the page leaves the app for about:blank"


async def test_each_load_tells_only_about_itself(project: Project) -> None:
    first = await project.load({"index.html": "<h1>a</h1><script>localStorage.seen = 1; nope()</script>"})
    second = await project.load({"index.html": "<h1>a</h1><script>console.log(String(localStorage.seen))</script>"})
    assert (first.state, second.state) == ("errors", "clean")
    entries = (await project.preview.logs(project.port, 0)).entries
    assert [entry.text for entry in entries] == ["undefined"]
    assert entries[0].number > first.cursor


async def test_files_of_a_page_that_is_not_utf8_or_has_a_bom_are_shown_right(project: Project) -> None:
    report = await project.load({"index.html": '<meta charset="windows-1252"><h1>Café</h1>'.encode("cp1252")})
    assert report.text == "Café"
    report = await project.load({"index.html": "\ufeff<h1>日本語 ✅</h1>"})
    assert report.text == "日本語 ✅"
