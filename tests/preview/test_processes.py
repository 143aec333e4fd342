"""What is left behind: nothing, however the end comes."""

import asyncio
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest

from roomcode.preview import Limits, Preview
from roomcode.preview.browser import Browser, find_browsers

from .conftest import free_port, write

pytestmark = pytest.mark.browser

CHILD = """
import asyncio, sys
from pathlib import Path
from roomcode.preview import Preview

async def main():
    preview = Preview(Path(sys.argv[1]), screenshots=Path(sys.argv[1]) / "pictures")
    report = await preview.serve(".", int(sys.argv[2]))
    # A page that hangs could not end by itself.
    preview.page(report.port).channel.send_soon("Runtime.evaluate", {"expression": "for (;;);"})
    await asyncio.sleep(0.1)
    print(report.state, report.port, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def gone(processes: list[psutil.Process], within: float = 20) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        if not any(_alive(process) for process in processes):
            return True
        time.sleep(0.05)
    return False


def _alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
async def test_when_the_program_is_killed_no_browser_and_no_port_survive(tmp_path: Path, how: signal.Signals) -> None:
    write(tmp_path, {"index.html": "<h1>a</h1>"})
    port = free_port()
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHILD, str(tmp_path), str(port), stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    said = (await asyncio.wait_for(child.stdout.readline(), 60)).decode().split()
    assert said == ["clean", str(port)]
    family = psutil.Process(child.pid).children(recursive=True)
    assert any("chrom" in process.name().lower() for process in family)
    child.send_signal(how)
    await asyncio.wait_for(child.wait(), 20)
    assert await asyncio.to_thread(gone, family)
    with pytest.raises(OSError, match=r"refused|Connect call failed"):
        await asyncio.open_connection("127.0.0.1", port)


async def test_closing_ends_every_process_also_with_a_hanging_page(tmp_path: Path) -> None:
    write(tmp_path, {"index.html": "<h1>a</h1>"})
    preview = Preview(tmp_path, screenshots=tmp_path / "pictures")
    report = await preview.serve(".", free_port())
    page, main = preview.page(report.port), preview.browser.process
    assert page is not None
    assert main is not None
    family = [main, *main.children(recursive=True)]
    assert len(family) > 2
    page.channel.send_soon("Runtime.evaluate", {"expression": "for (;;);"})
    await asyncio.sleep(0)
    await preview.close()
    assert preview.browser.processes() == 0
    assert await asyncio.to_thread(gone, family)


async def test_a_browser_that_crashed_is_started_again(tmp_path: Path) -> None:
    write(tmp_path, {"index.html": "<h1>a</h1>"})
    preview = Preview(tmp_path, screenshots=tmp_path / "pictures")
    port = free_port()
    try:
        assert (await preview.serve(".", port)).state == "clean"
        before = preview.browser.process
        assert before is not None
        before.kill()
        assert await asyncio.to_thread(gone, [before])
        assert (await preview.serve(".", port)).state == "clean"
        assert preview.browser.process not in (None, before)
        assert (await preview.run_js("1 + 1", port)).value == "2"
    finally:
        await preview.close()


async def test_a_page_that_was_left_alone_rests_and_wakes_up(tmp_path: Path) -> None:
    script = "let n = 0; (function again() { n += 1; setTimeout(again, 0); })();"
    write(tmp_path, {"index.html": f"<h1>a</h1><script>{script}</script>"})
    preview = Preview(tmp_path, screenshots=tmp_path / "pictures", limits=Limits(rest=0.1))
    port = free_port()
    try:
        await preview.serve(".", port)
        page = preview.page(port)
        assert page is not None
        async with asyncio.timeout(20):
            await page.at_rest.wait()
        first = await preview.run_js("const m = n; await new Promise(r => setTimeout(r, 50)); n > m", port)
        assert first.value == "true"
        assert preview.page(port) is page
    finally:
        await preview.close()


async def test_a_greedy_page_is_stopped_by_its_memory_alone(tmp_path: Path) -> None:
    write(tmp_path, {"index.html": "<h1>a</h1><script>const a = new Uint8Array(4e8).fill(1)</script>"})
    preview = Preview(tmp_path, screenshots=tmp_path / "pictures", limits=Limits(memory=300_000_000))
    port = free_port()
    try:
        report = await preview.serve(".", port)
        state = report.reason
        async with asyncio.timeout(20):
            while "memory" not in state:
                await asyncio.sleep(0.05)
                state = (await preview.logs(port)).state
        write(tmp_path, {"index.html": "<h1>small</h1>"})
        assert (await preview.serve(".", port)).state == "clean"
    finally:
        await preview.close()


async def test_a_browser_starts_in_the_background_and_counts_its_memory() -> None:
    browser = Browser(network=False, limits=Limits())
    try:
        await browser.warm()
        assert browser.running
        assert browser.version
        assert browser.processes() > 2
        assert browser.memory() > 50_000_000
        tab = await browser.tab()
        assert await tab.close(5)
    finally:
        await browser.close()
    assert not browser.running


def test_the_asked_for_browser_is_the_only_one_tried() -> None:
    assert list(find_browsers("/opt/x/chrome")) == ["/opt/x/chrome"]
    assert next(iter(find_browsers("sh"))).endswith("/sh")
