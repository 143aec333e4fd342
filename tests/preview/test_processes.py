"""What is left behind: nothing, however the end comes."""

import asyncio
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest

from roomcode.preview import Preview
from roomcode.preview.programs import find_browsers

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


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGHUP])
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


async def test_the_browser_starts_in_the_background_and_closing_ends_it_with_a_hanging_page(tmp_path: Path) -> None:
    write(tmp_path, {"index.html": "<h1>a</h1>"})
    preview = Preview(tmp_path, screenshots=tmp_path / "pictures")
    browser = preview.browser
    await browser.warm()
    assert browser.running
    assert browser.version
    assert browser.memory() > 50_000_000
    report = await preview.serve(".", free_port())
    page, main = preview.page(report.port), browser.process
    assert page is not None
    assert main is not None
    family = [main, *main.children(recursive=True)]
    assert len(family) == browser.processes() > 2
    page.channel.send_soon("Runtime.evaluate", {"expression": "for (;;);"})
    await asyncio.sleep(0)
    await preview.close()
    assert browser.processes() == 0
    assert not browser.running
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


def test_the_asked_for_browser_is_the_only_one_tried() -> None:
    assert list(find_browsers("/opt/x/chrome")) == ["/opt/x/chrome"]
    assert next(iter(find_browsers("sh"))).endswith("/sh")
