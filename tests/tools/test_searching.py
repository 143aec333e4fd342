"""The search tool: hits the model can use, limits, and an end that comes at once."""

import asyncio
import threading
import time

from tests.support.files import Project


async def test_hits_name_path_line_and_text(project: Project):
    project.put("js/a.js", "let x;\n\tfoo(1);\n")
    assert (await project.call("search", pattern=r"foo\(\d")).text == "js/a.js:2: foo(1);"


async def test_at_most_30_hits(project: Project):
    project.put("a.txt", "x\n" * 40)
    lines = (await project.call("search", pattern="x")).text.split("\n")
    assert len(lines) == 31
    assert lines[30].startswith("[more than 30 hits")


async def test_a_long_line_is_shown_around_its_match(project: Project):
    project.put("a.min.js", "a" * 100_000 + "needle" + "b" * 100_000)
    text = (await project.call("search", pattern="needle")).text
    assert len(text) < 250
    assert "...aaaa" in text
    assert "needlebbbb" in text


async def test_nothing_found_says_how_much_was_searched(project: Project):
    project.put("a.txt", "x\n")
    assert (await project.call("search", pattern="zebra")).text == "No hits for zebra (1 file searched)."


async def test_what_was_done_differently_is_said(project: Project):
    project.put("a.txt", "Call(\n")
    text = (await project.call("search", pattern="call(")).text
    assert text.startswith("a.txt:1: Call(")
    assert "ignoring upper and lower case" in text
    assert "not a valid regex" in text


async def test_30000_ignored_files_cost_nothing_and_are_mentioned(project: Project):
    project.put(".gitignore", "node_modules/\nlib/\n")
    project.put("sub/.gitignore", "!keep.txt\n")
    project.put("sub/keep.txt", "TODO\n")
    folder = project.root / "lib"
    for part in range(30):
        (folder / str(part)).mkdir(parents=True)
        for number in range(100):
            (folder / str(part) / f"{number}.js").touch()
    began = time.perf_counter()
    text = (await project.call("search", pattern="TODO")).text
    listing = (await project.call("list_dir")).text
    assert time.perf_counter() - began < 2
    assert text == "sub/keep.txt:1: TODO\n[ignored, not searched: lib/]"
    assert "[1 ignored: lib/]" in listing


async def test_a_pattern_that_takes_too_long_is_refused(project: Project):
    project.put("a.txt", "a" * 60 + "?\n")
    began = time.perf_counter()
    result = await project.call("search", pattern=r"(?:a|aa)+$")
    assert time.perf_counter() - began < 6
    assert result.state == "failed"
    assert "too slow: it was stopped after 2 s" in result.text


async def test_a_cancelled_search_returns_at_once_and_leaves_no_thread_busy(project: Project):
    project.put("a.txt", "a" * 60 + "?\n")
    before = set(threading.enumerate())
    task = asyncio.create_task(project.call("search", pattern=r"(?:a|aa)+$"))
    await asyncio.sleep(0.1)
    began = time.perf_counter()
    task.cancel()
    (outcome,) = await asyncio.gather(task, return_exceptions=True)
    assert isinstance(outcome, asyncio.CancelledError)
    assert time.perf_counter() - began < 0.5
    # The pool's threads stay, idle: work that is handed in next starts at once.
    done = await asyncio.gather(*(asyncio.to_thread(threading.get_ident) for _ in range(8)))
    assert len(done) == 8
    assert len(set(threading.enumerate()) - before) <= 8


async def test_other_work_goes_on_during_a_slow_search(project: Project):
    project.put("a.txt", "a" * 60 + "?\n")
    task = asyncio.create_task(project.call("search", pattern=r"(?:a|aa)+$"))
    ticks = 0
    while not task.done():
        await asyncio.sleep(0.01)
        ticks += 1
    assert ticks > 20


async def test_missing_pattern_missing_path_and_protected_path(project: Project):
    project.put("index.html", "x")
    project.put(".env", "KEY")
    assert (await project.call("search")).hint == "format"
    assert "Did you mean index.html?" in (await project.call("search", pattern="x", path="indx.html")).text
    assert "protected" in (await project.call("search", pattern="KEY", path=".env")).text
    assert "No hits" in (await project.call("search", pattern="KEY")).text
