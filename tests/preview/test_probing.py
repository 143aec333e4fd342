"""What is told of a page that was used once: the exact lines, and silence where a page is right."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

from roomcode.preview import Limits, Preview, PreviewError, ProbeReport, probe_lines

from .conftest import Project, write
from .probe_pages import FAULTS, RIGHT, Files, html

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

_AT_ONCE = 3


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def reports(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Mapping[str, "asyncio.Task[ProbeReport]"]]:
    """What is said of every page that is asked for: one browser, a few pages at once, in their order."""
    items = [item for item in request.session.items if "reports" in getattr(item, "fixturenames", ())]
    names = [item.callspec.params["name"] for item in items]  # type: ignore[attr-defined]
    root = tmp_path_factory.mktemp("pages")
    preview = Preview(root, limits=Limits(probe=60.0, load=10.0, answer=5.0, ports=len(names) + 1))
    places = asyncio.Semaphore(_AT_ONCE)

    async def use(number: int, name: str) -> ProbeReport:
        async with places:
            write(root / str(number), (FAULTS.get(name) or RIGHT[name])[0])
            return await preview.probe(str(number))

    running = {name: asyncio.ensure_future(use(number, name)) for number, name in enumerate(names)}
    try:
        yield running
    finally:
        for task in running.values():
            task.cancel()
        await asyncio.gather(*running.values(), return_exceptions=True)
        await preview.close()


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_told_in_these_lines(reports: Mapping[str, "asyncio.Task[ProbeReport]"], name: str) -> None:
    _, filled, clicked, lines = FAULTS[name]
    report = await reports[name]
    folder = report.page.removesuffix("index.html")
    # Cures are proven where they are made.
    assert [line.replace(folder, "").partition(". Fix: ")[0] for line in probe_lines(report.faults)] == lines
    assert (report.filled, report.clicked, report.reason) == (filled, clicked, "")


@pytest.mark.parametrize("name", RIGHT)
async def test_a_page_that_is_right_is_used_without_a_word(
    reports: Mapping[str, "asyncio.Task[ProbeReport]"], name: str
) -> None:
    _, filled, clicked = RIGHT[name]
    report = await reports[name]
    assert probe_lines(report.faults) == ()
    assert (report.filled, report.clicked, report.reason) == (filled, clicked, "")


async def probed(project: Project, files: Files, path: str = ".") -> ProbeReport:
    project.fill(files)
    if not project.preview.ports:
        await project.preview.serve(path, project.port)
    return await project.preview.probe(path)


@pytest.mark.parametrize(
    ("files", "lines"),
    [
        (
            html("<button id=b>Start</button>", "let n = 0; b.onclick = () => {\n  while (true) n += 1;\n};"),
            ['after a click on "Start" the page does not answer; app.js:2 may be in an endless loop'],
        ),
        (
            html("<input id=i>", "i.oninput = () => {\n  for (;;);\n};"),
            ["after typing the page does not answer; app.js:2 may be in an endless loop"],
        ),
        (
            html("<button id=b>Go</button>", "b.onclick = () => setTimeout(() => {\n  for (;;);\n}, 20);"),
            ['after a click on "Go" the page does not answer; app.js:2 may be in an endless loop'],
        ),
        (html("<button>Go</button>", "for (;;);"), []),
        (html("<button id=b>Go</button>", "b.onclick = () => { while (true) document.title += 1 };"), None),
        (html("<button id=b>Go</button>", "b.onclick = () => { while (true) alert('again') };"), None),
        (html("<button id=b>Go</button>", "b.onclick = () => { while (true) console.log('x') };"), None),
        (
            html(
                "<button id=b>Go</button>", "const a = []; b.onclick = () => { for (;;) a.push(Array(1e6).fill(.5)) };"
            ),
            None,
        ),
        (
            html("<button id=b>Go</button>", "b.onclick = () => { for (let i = 0; i < 1e5; i++) setTimeout(boom) };"),
            None,
        ),
    ],
)
async def test_what_would_never_end_ends(project: Project, files: Files, lines: list[str] | None) -> None:
    began = time.monotonic()
    report = await probed(project, files)
    assert time.monotonic() - began < 40
    if lines is not None:
        assert list(probe_lines(report.faults)) == lines
        assert "endless loop" in report.reason
    assert all("Go" in line or "endless" in line for line in probe_lines(report.faults))
    assert (await probed(project, {"index.html": "<p>fine"})).reason == ""


async def test_time_is_up_at_the_limit(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("".join(f"<button onclick='n = {n}'>{n}</button>" for n in range(15)))
    preview = Preview(tmp_path, limits=Limits(probe=0.0))
    try:
        report = await preview.probe()
        assert (report.clicked, report.faults, report.reason) == (0, (), "time was up")
    finally:
        await preview.close()


async def test_the_open_page_its_storage_and_its_log_stay_as_they_are(project: Project) -> None:
    files = html(
        "<button id=b>B</button><input id=i>", "let n = 0;\nb.onclick = () => { n += 1; localStorage.n = n; no() };"
    )
    report = await project.load(files)
    page, ports = project.preview.page(project.port), list(project.preview.ports)
    await project.preview.run_js("n = 41; i.value = 'mine'", project.port)
    probe = await project.preview.probe(".")
    assert (probe.clicked, probe.filled) == (1, 1)
    assert len(probe.faults) == 1
    assert project.preview.page(project.port) is page
    after = await project.preview.run_js("[n, i.value, localStorage.length].join()", project.port)
    assert after.value == '"41,mine,0"'
    log = await project.preview.logs(project.port, report.cursor)
    assert [entry.text for entry in log.entries if "no" in entry.text] == []
    assert list(project.preview.ports) == ports


async def test_a_page_in_a_folder_is_named_with_it(project: Project) -> None:
    files = {"site/a.html": "<button onclick=go()>Go</button>", "index.html": "<p>x"}
    report = await probed(project, files, "site/a.html")
    assert report.page == "site/a.html"
    assert probe_lines(report.faults) == ('after a click on "Go": site/a.html:1 ReferenceError: go is not defined',)


async def test_a_page_whose_script_does_not_run_is_not_used(project: Project) -> None:
    report = await probed(project, html("<button id=b>Go</button><input>", "start();\nb.onclick = () => {};"))
    assert (report.clicked, report.filled, report.faults) == (0, 0, ())
    assert report.reason == "the page has errors before it is used"


async def test_no_more_than_fifteen_clicks(project: Project) -> None:
    report = await probed(project, html("".join(f"<button>{n}</button>" for n in range(40)), "onclick = () => {};"))
    assert (report.clicked, report.faults) == (15, ())


async def test_a_page_that_does_not_exist_is_refused(project: Project) -> None:
    with pytest.raises(PreviewError, match="does not exist"):
        await probed(project, {"index.html": "<p>x"}, "nope.html")


async def test_without_a_browser_the_reason_is_told(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<button>x</button>")
    preview = Preview(tmp_path, browser=str(tmp_path / "none"))
    try:
        report = await preview.probe()
        assert report.faults == ()
        assert "does not exist" in report.reason
    finally:
        await preview.close()


async def test_a_preview_that_is_closed_in_the_middle_ends_the_probe(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("".join(f"<button onclick='alert(1)'>{n}</button>" for n in range(15)))
    preview = Preview(tmp_path, limits=Limits(probe=60.0))
    probing = asyncio.ensure_future(preview.probe())
    await asyncio.wait({probing}, timeout=1.0)
    await preview.close()
    report = await asyncio.wait_for(probing, 40)
    assert report.faults == ()
    assert report.reason
