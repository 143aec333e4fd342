"""Serving folders: ports, reuse, several pages, a browser that is not there."""

import asyncio
import socket
from pathlib import Path

import aiohttp
import pytest

from roomcode.preview import Limits, Preview, PreviewError, result_lines
from roomcode.preview.server import StaticServer

from .conftest import Project, free_port, write

NO_BROWSER = "/nonexistent/browser"


async def fetch(url: str) -> str:
    async with aiohttp.ClientSession() as client, client.get(url) as answer:
        return await answer.text()


async def test_without_a_browser_files_are_served_and_the_report_says_so(tmp_path: Path) -> None:
    write(tmp_path, {"index.html": "<h1>here</h1>"})
    preview = Preview(tmp_path, browser=NO_BROWSER)
    try:
        report = await preview.serve(".", free_port())
        assert report.state == "no_browser"
        lines = result_lines(report)
        assert lines[0] == f"Serving at {report.url}."
        assert lines[1] == "The page was not checked: the browser /nonexistent/browser does not exist."
        assert "here" in await fetch(report.url)
        assert (await preview.logs(report.port)).entries == ()
        with pytest.raises(PreviewError, match="run_js needs a browser"):
            await preview.run_js("1")
    finally:
        await preview.close()


async def test_the_same_folder_keeps_its_port_and_another_gets_the_next(tmp_path: Path) -> None:
    write(tmp_path, {"a/index.html": "A", "b/index.html": "B", "a/about.html": "about"})
    preview = Preview(tmp_path, browser=NO_BROWSER)
    wanted = free_port()
    try:
        first = await preview.serve("a", wanted)
        second = await preview.serve("b", wanted)
        again = await preview.serve("b", wanted)
        about = await preview.serve("a/about.html", wanted)
        assert first.port == about.port == wanted
        assert second.port == again.port != wanted
        assert about.url.endswith(f":{wanted}/about.html")
        assert f"(port {wanted} is in use)" in result_lines(second)[0]
        assert preview.ports == {wanted: "a/about.html", second.port: "b/index.html"}
        assert [await fetch(first.url), await fetch(second.url)] == ["A", "B"]
    finally:
        await preview.close()
    for port in (first.port, second.port):
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0


async def test_two_projects_on_one_machine_do_not_get_in_each_others_way(tmp_path: Path) -> None:
    write(tmp_path, {"one/index.html": "one", "two/index.html": "two"})
    previews = [Preview(tmp_path / name, browser=NO_BROWSER) for name in ("one", "two")]
    wanted = free_port()
    try:
        reports = [await preview.serve(".", wanted) for preview in previews]
        assert [await fetch(report.url) for report in reports] == ["one", "two"]
    finally:
        await asyncio.gather(*(preview.close() for preview in previews))


async def test_serving_at_the_same_time_makes_one_server(tmp_path: Path) -> None:
    write(tmp_path, {"index.html": "x"})
    preview = Preview(tmp_path, browser=NO_BROWSER)
    wanted = free_port()
    try:
        reports = await asyncio.gather(*(preview.serve(".", wanted) for _ in range(4)))
        assert {report.port for report in reports} == {wanted}
        assert len(preview.ports) == 1
    finally:
        await preview.close()


async def test_only_so_many_folders_are_served_and_the_oldest_gives_way(tmp_path: Path) -> None:
    write(tmp_path, {f"{name}/index.html": name for name in "abcd"})
    preview = Preview(tmp_path, browser=NO_BROWSER, limits=Limits(ports=3))
    wanted = free_port()
    try:
        ports = {name: (await preview.serve(name, wanted)).port for name in "abc"}
        await preview.serve("a", wanted)
        await preview.serve("d", wanted)
        assert set(preview.ports.values()) == {"a/index.html", "c/index.html", "d/index.html"}
        with pytest.raises(PreviewError, match="Nothing is served on port"):
            await preview.logs(ports["b"] if ports["b"] not in preview.ports else 1)
    finally:
        await preview.close()


@pytest.mark.parametrize("port", [0, -1, 65536])
async def test_a_port_that_does_not_exist_is_refused(tmp_path: Path, port: int) -> None:
    write(tmp_path, {"index.html": ""})
    preview = Preview(tmp_path, browser=NO_BROWSER)
    with pytest.raises(PreviewError, match=r"does not exist\. Leave port out"):
        await preview.serve(".", port)
    assert preview.ports == {}
    await preview.close()


async def test_a_closed_preview_serves_nothing_more(tmp_path: Path) -> None:
    write(tmp_path, {"index.html": ""})
    preview = Preview(tmp_path, browser=NO_BROWSER)
    await preview.close()
    await preview.close()
    with pytest.raises(PreviewError, match="closed"):
        await preview.serve(".")
    with pytest.raises(PreviewError, match=r'Nothing is served yet\. Call serve\(path="\."\) first\.'):
        await preview.logs(5173)


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_another_programs_page_is_never_shown_as_ours(project: Project, tmp_path: Path) -> None:
    write(tmp_path, {"index.html": "<title>theirs</title>"})
    theirs = StaticServer(tmp_path.resolve())
    wanted = await theirs.start(free_port())
    project.fill({"index.html": "<title>ours</title><h1>a</h1>"})
    try:
        report = await project.preview.serve(".", wanted)
    finally:
        await theirs.close()
    assert report.title == "ours"
    assert report.port != wanted
    assert f"(port {wanted} is in use)" in result_lines(report)[0]


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_each_load_has_its_picture(project: Project) -> None:
    first = await project.load({"index.html": "<body style='background: red'>"})
    second = await project.load({"index.html": "<body style='background: blue'>"})
    pictures = [Path(report.screenshot).read_bytes() for report in (first, second)]
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    assert pictures[0] != pictures[1]
    assert first.screenshot != second.screenshot


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_a_folder_inside_the_project_is_told_with_project_paths(project: Project) -> None:
    project.fill({"web/index.html": "<h1>a</h1><script src=app.js></script>", "web/app.js": "nope()", "app.js": ""})
    report = await project.preview.serve("web", project.port)
    assert report.page == "web/index.html"
    assert report.errors[0].place == "web/app.js:1"
    assert report.excerpt == "1 | nope()"


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_pages_can_be_loaded_at_the_same_time(project: Project) -> None:
    project.fill({f"p{n}/index.html": f"<title>p{n}</title><h1>a</h1><script>no{n}()</script>" for n in range(3)})
    reports = await asyncio.gather(*(project.preview.serve(f"p{n}", project.port) for n in range(3)))
    assert [report.title for report in reports] == ["p0", "p1", "p2"]
    assert [report.errors[0].text for report in reports] == [f"ReferenceError: no{n} is not defined" for n in range(3)]


async def test_listening_starts_no_browser_before_somebody_looks(tmp_path: Path) -> None:
    write(tmp_path, {"index.html": "<h1>here</h1><script>console.error('wrong')</script>"})
    preview = Preview(tmp_path, screenshots=tmp_path / "pictures")
    try:
        port = await preview.listen("index.html", free_port())
        assert "here" in await fetch(f"http://127.0.0.1:{port}/")
        assert preview.ports == {port: "index.html"}
        assert not preview.browser.running
        assert preview.page(port) is None
        assert await preview.listen("index.html", port) == port
        log = await preview.logs(port)
        assert [entry.text for entry in log.entries] == ["wrong"]
        assert preview.browser.running
        assert await preview.listen(".", port) == port, "what was looked at stays open"
        assert preview.page(port) is not None
    finally:
        await preview.close()


async def test_a_script_runs_beside_a_page_that_was_only_listened_for(tmp_path: Path) -> None:
    write(tmp_path, {"index.html": "<title>there</title>", "other/index.html": "<title>other</title>"})
    preview = Preview(tmp_path, screenshots=tmp_path / "pictures")
    try:
        await preview.listen("other", free_port())
        await preview.listen(".", free_port())
        report = await preview.run_js("console.log(document.title)")
        assert "there" in str(report), "the one that was served last"
    finally:
        await preview.close()


async def test_listening_without_a_browser_or_a_page_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"index.html": "<h1>here</h1>"})
    preview = Preview(tmp_path, browser=NO_BROWSER)
    try:
        port = await preview.listen(".", free_port())
        assert (await preview.logs(port)).entries == ()
        with pytest.raises(PreviewError, match="does not exist"):
            await preview.listen(".", 70_000)
        with pytest.raises(PreviewError):
            await preview.listen("nothing.html", free_port())
    finally:
        await preview.close()
