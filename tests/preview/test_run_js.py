"""Scripts beside a page and in the empty sandbox."""

import asyncio
import time

import pytest

from roomcode.preview import PreviewError, script_lines

from .conftest import Project

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PAGE = {
    "index.html": "<title>T</title><button id=b>0</button><script src=a.js></script>",
    "a.js": "let n = 0;\nconst score = 7;\nb.onclick = () => { b.textContent = ++n; console.log('clicked', n) };\n"
    "function boom() {\n  null.x;\n}\nsetInterval(() => console.log('tick'), 20);\n",
    "m.js": "export const a = 5;\n",
    "sub/deep.html": "<title>deep</title>",
    "sub/m.js": "export const a = 'deep';\n",
}

BESIDE = {
    "the page's elements and globals": ("b.click(); b.click(); b.textContent", ["clicked 1", "clicked 2", '=> "2"']),
    "names of its own": ("const score = 1; const n = 5; function boom() {}; score + n", ["=> 6"]),
    "return and await": ("const x = await Promise.resolve(4);\nreturn x + 1", ["=> 5"]),
    "nothing printed": ("const a = 1;", ["Done; nothing was printed. Use console.log to see values."]),
    "an object": ("({a: 1, b: [1, 2]})", ["=> {a: 1, b: […](2)}"]),
    "levels": ("console.warn('w'); console.error('e', {a: 1})", ["warning: w", "error: e {a: 1}"]),
    "an exception of the code": (
        "const q = 1;\nnope.foo",
        ["line 2: ReferenceError: nope is not defined\n    nope.foo"],
    ),
    "a syntax error": ("const q = 1;\nfoo bar", ["line 2: SyntaxError: Unexpected identifier 'bar'\n    foo bar"]),
    "something else thrown": ("throw 5", ["line 1: thrown: 5\n    throw 5"]),
    "an exception of the page": ("boom()", ["a.js:5 TypeError: Cannot read properties of null (reading 'x')"]),
    "an exception that comes later": (
        "setTimeout(boom, 10); 1",
        ["page: a.js:5 TypeError: Cannot read properties of null (reading 'x')", "=> 1"],
    ),
    "imports": ("import {a} from './m.js';\nconsole.log(a);\nexport default a + 1", ["5", "=> 6"]),
    "an import that is not there": (
        "import {a} from './nope.js'",
        ["page: run_js.js:1 nope.js not found", "an import could not be loaded"],
    ),
    "a module that does not parse": (
        "import {a} from './m.js';\nlet x = ;",
        ["line 2: SyntaxError: syntax error near: =\n    let x = ;"],
    ),
    "dialogs": ("alert('x'); confirm('y')", ["page: alert: x (dismissed)", "page: confirm: y (dismissed)", "=> false"]),
    "leaving": (
        "location.href = 'https://x.example/'; 1",
        ["page: the page leaves the app for https://x.example/; that was stopped", "=> 1"],
    ),
    "closing": ("window.close(); 1", ["page: window.close() was called; the preview keeps the page", "=> 1"]),
}


@pytest.mark.parametrize("name", BESIDE)
async def test_a_script_beside_the_page_is_told_in_these_lines(project: Project, name: str) -> None:
    code, expected = BESIDE[name]
    if project.root.joinpath("m.js").exists() and project.port in project.preview.ports:
        await project.preview.run_js("b.textContent = 0; n = 0; 1", project.port)
    else:
        await project.load(PAGE)
    report = await project.preview.run_js(code, project.port)
    assert list(script_lines(report)) == expected
    assert report.place == "page index.html"
    assert report.ok == (not report.error)


async def test_the_next_load_knows_nothing_of_what_a_script_did(project: Project) -> None:
    await project.load(PAGE)
    await project.preview.run_js("document.body.innerHTML = ''; localStorage.k = 1; window.mark = 1", project.port)
    assert (await project.preview.run_js("document.body.children.length", project.port)).value == "0"
    report = await project.preview.serve(".", project.port)
    assert report.elements == 1
    seen = await project.preview.run_js("[localStorage.k, window.mark]", project.port)
    assert seen.value == "[undefined, undefined]"


async def test_a_script_runs_beside_the_files_as_they_are_now(project: Project) -> None:
    await project.load(PAGE)
    project.root.joinpath("index.html").write_text("<title>changed</title><button id=b></button>")
    assert (await project.preview.run_js("document.title", project.port)).value == '"changed"'


async def test_without_a_port_the_page_served_last_is_meant(project: Project) -> None:
    await project.load(PAGE)
    deep = await project.preview.serve("sub/deep.html", project.port)
    try:
        assert (await project.preview.run_js("document.title")).value == '"deep"'
        assert (await project.preview.run_js("import {a} from './m.js'\nexport default a")).value == '"deep"'
        await project.preview.serve(".", project.port)
        assert (await project.preview.run_js("document.title")).value == '"T"'
    finally:
        assert deep.port != project.port


async def test_an_endless_loop_ends_at_the_limit_and_the_page_lives(project: Project) -> None:
    await project.load(PAGE)
    began = time.monotonic()
    report = await project.preview.run_js("while (true) {}", project.port)
    assert report.error == "stopped after 1 s: the code may be in an endless loop"
    assert time.monotonic() - began < 30
    assert (await project.preview.run_js("document.title", project.port)).value == '"T"'


async def test_a_promise_that_never_settles_is_told_from_a_loop(project: Project) -> None:
    await project.load(PAGE)
    report = await project.preview.run_js("await new Promise(() => {})", project.port)
    assert report.error == "not done after 1 s: it waits for something that does not come"
    assert not report.ok


async def test_a_loop_started_for_later_costs_the_page_not_the_preview(project: Project) -> None:
    await project.load(PAGE)
    report = await project.preview.run_js("setTimeout(() => { for (;;); }, 10); 1", project.port)
    assert report.error == "the page does not answer; it may be in an endless loop"
    assert (await project.preview.run_js("document.title", project.port)).value == '"T"'


async def test_output_is_capped_and_repeats_are_folded(project: Project) -> None:
    await project.load(PAGE)
    report = await project.preview.run_js("for (let i = 0; i < 200; i++) console.log('line', i)", project.port)
    lines = script_lines(report)
    assert lines[:2] == ("line 0", "line 1")
    assert lines[-1] == "(160 more lines left out)"
    report = await project.preview.run_js("for (let i = 0; i < 100; i++) console.log('same')", project.port)
    assert script_lines(report) == ("same (100 times)",)
    report = await project.preview.run_js("console.log('x'.repeat(1e6))", project.port)
    assert len(report.printed[0]) == 300
    assert "1000000 characters" in report.printed[0]


async def test_a_port_that_is_not_served_and_empty_code_are_refused(project: Project) -> None:
    await project.load(PAGE)
    with pytest.raises(PreviewError, match=r"Nothing is served on port 1\. Served ports: "):
        await project.preview.run_js("1", 1)
    with pytest.raises(PreviewError, match="code is empty"):
        await project.preview.run_js(" \n", project.port)


SANDBOX = {
    "a value": ("const f = a => a * 2;\nf(21)", ["=> 42"]),
    "printing": ("console.log('a', [1]); for (const x of [1, 2]) console.log(x)", ["a [1]", "1", "2"]),
    "no page": ("document.title", ["line 1: ReferenceError: document is not defined\n    document.title"]),
    "no imports": (
        "import {a} from './m.js'",
        ["the empty sandbox cannot import files: serve the page and give its port"],
    ),
    "an error later": (
        "setTimeout(() => { nofn() }, 10); 2",
        ["uncaught: ReferenceError: nofn is not defined", "=> 2"],
    ),
}


@pytest.mark.parametrize("name", SANDBOX)
async def test_a_script_in_the_sandbox_is_told_in_these_lines(project: Project, name: str) -> None:
    code, expected = SANDBOX[name]
    report = await project.preview.run_js(code, 0)
    assert list(script_lines(report)) == expected
    assert report.place == "empty sandbox"


async def test_the_sandbox_reaches_no_network_and_no_storage(project: Project) -> None:
    asked: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readline()).decode())
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        code = f"""
        const tries = {{
          fetch: () => fetch("http://{url}/a"),
          xhr: () => {{ const x = new XMLHttpRequest(); x.open("GET", "http://{url}/b", false); x.send(); }},
          scripts: () => importScripts("http://{url}/c"),
          module: () => import("http://{url}/d"),
          socket: () => new Promise((_, no) => new WebSocket("ws://{url}/e").onerror = no),
          events: () => new Promise((_, no) => new EventSource("http://{url}/f").onerror = no),
          database: () => indexedDB.open("x"),
          caches: () => caches.open("x"),
        }};
        const got = [];
        for (const [name, one] of Object.entries(tries)) {{
          try {{ await one(); got.push(name); }} catch {{ }}
        }}
        console.log("reached:", got.join());
        """
        report = await project.preview.run_js(code, 0)
    assert report.printed == ("reached:",)
    assert asked == []


async def test_the_sandbox_is_empty_again_each_time(project: Project) -> None:
    await project.preview.run_js("globalThis.left = 1", 0)
    assert (await project.preview.run_js("typeof left", 0)).value == '"undefined"'


async def test_a_sandbox_that_loops_or_takes_memory_is_stopped(project: Project) -> None:
    report = await project.preview.run_js("while (true) console.log('x')", 0)
    assert report.error == "stopped after 1 s: the code may be in an endless loop"
    report = await project.preview.run_js("await new Promise(() => {})", 0)
    assert report.error == "not done after 1 s: it waits for something that does not come"
    report = await project.preview.run_js("const a = []; while (true) a.push(new Array(1e6).fill(1.5))", 0)
    # On a slow machine the time may be up before the memory is.
    assert "too much memory" in report.error or "endless loop" in report.error
    assert (await project.preview.run_js("1 + 1", 0)).value == "2"
