"""Searching finds what is there, and no pattern can hold it up."""

import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from roomcode.workspace import WorkspaceError
from roomcode.workspace.search import search

SLOW = r"(?:a|aa)+$"


def hits(root: Path, pattern: str, start: str = ".", **options: int) -> list[tuple[str, int, str]]:
    return [(hit.rel, hit.line, hit.text) for hit in search(root, start, pattern, **options).hits]


def test_one_hit_a_line_with_its_number(tmp_path: Path):
    (tmp_path / "a.js").write_bytes(b"x\r\nfoo foo\r\n\r\nbar foo\r\n")
    assert hits(tmp_path, "foo") == [("a.js", 2, "foo foo"), ("a.js", 4, "bar foo")]


def test_line_anchors_and_patterns_over_several_lines(tmp_path: Path):
    (tmp_path / "a.js").write_text("one\ntwo\none two\n")
    assert hits(tmp_path, "^two$") == [("a.js", 2, "two")]
    assert hits(tmp_path, r"one\s+two") == [("a.js", 1, "one"), ("a.js", 3, "one two")]
    assert hits(tmp_path, r"\s+two") == [("a.js", 2, "two"), ("a.js", 3, "one two")]


def test_patterns_that_match_nothing_or_everything_end(tmp_path: Path):
    (tmp_path / "a.js").write_text("a\n\nb")
    assert [line for _, line, _ in hits(tmp_path, "")] == [1, 2, 3]
    assert [line for _, line, _ in hits(tmp_path, "$")] == [1, 2, 3]
    assert [line for _, line, _ in hits(tmp_path, "^$")] == [2]
    assert len(hits(tmp_path, "[^z]+")) >= 1


def test_more_hits_than_the_limit_are_not_collected(tmp_path: Path):
    (tmp_path / "a.txt").write_text("x\n" * 31)
    report = search(tmp_path, ".", "x", limit=30)
    assert (len(report.hits), report.more) == (30, True)
    (tmp_path / "a.txt").write_text("x\n" * 30)
    report = search(tmp_path, ".", "x", limit=30)
    assert (len(report.hits), report.more) == (30, False)


def test_an_invalid_pattern_is_searched_as_text(tmp_path: Path):
    (tmp_path / "a.js").write_text("call(\n")
    report = search(tmp_path, ".", "call(")
    assert report.literal
    assert [hit.line for hit in report.hits] == [1]


def test_case_is_ignored_when_nothing_is_found_otherwise(tmp_path: Path):
    (tmp_path / "a.js").write_text("addEventListener\n")
    report = search(tmp_path, ".", "ADDEVENT")
    assert report.any_case
    assert len(report.hits) == 1
    assert not search(tmp_path, ".", "addEvent").any_case
    assert [hit.column for hit in search(tmp_path, ".", "[^a-z]").hits] == [3]


def test_binary_protected_ignored_and_huge_files_are_passed_over(tmp_path: Path):
    (tmp_path / "a.bin").write_bytes(b"needle\0")
    (tmp_path / ".env").write_text("needle")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "n.js").write_text("needle")
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(60_000_000)
    (tmp_path / "z.txt").write_text("needle")
    report = search(tmp_path, ".", "needle")
    assert [hit.rel for hit in report.hits] == ["z.txt"]
    assert (report.protected, report.large, report.left_out.count) == (1, 1, 1)


def test_a_file_or_an_ignored_folder_can_be_named(tmp_path: Path):
    (tmp_path / "node_modules" / "p").mkdir(parents=True)
    (tmp_path / "node_modules" / "p" / "n.js").write_text("needle")
    (tmp_path / "a.js").write_text("needle")
    assert [rel for rel, _, _ in hits(tmp_path, "needle", "node_modules/p")] == ["node_modules/p/n.js"]
    assert [rel for rel, _, _ in hits(tmp_path, "needle", "a.js")] == ["a.js"]


@pytest.mark.parametrize("pattern", [SLOW, r"(a|aa)+b"])
def test_a_slow_pattern_is_refused_in_about_its_time(tmp_path: Path, pattern: str):
    (tmp_path / "a.txt").write_text("a" * 60 + "?\n")
    began = time.perf_counter()
    with pytest.raises(WorkspaceError, match="too slow"):
        search(tmp_path, ".", pattern, seconds=0.3)
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(x|x)*y", r"(.*\s*)*<t"])
def test_known_slow_patterns_are_answered_one_way_or_the_other(tmp_path: Path, pattern: str):
    (tmp_path / "a.txt").write_text("a" * 40 + "!\n" + "x" * 40 + "\n")
    began = time.perf_counter()
    with suppress(WorkspaceError):
        assert search(tmp_path, ".", pattern, seconds=0.5).hits == []
    assert time.perf_counter() - began < 5


def test_slowness_over_many_files_adds_up(tmp_path: Path):
    for number in range(50):
        (tmp_path / f"{number}.txt").write_text("a" * 24 + "?\n" + "a" * 23 + "?\n")
    with pytest.raises(WorkspaceError, match="too slow"):
        search(tmp_path, ".", r"(?:a|aa)+(?:a|aa)+$", seconds=0.2)


def test_a_search_that_is_no_longer_wanted_ends_its_thread(tmp_path: Path):
    (tmp_path / "a.txt").write_text("a" * 60 + "?\n")
    started, stopped = threading.Event(), threading.Event()

    def stop() -> bool:
        started.set()
        return stopped.is_set()

    thread = threading.Thread(target=lambda: search(tmp_path, ".", SLOW, seconds=30, stop=stop))
    thread.start()
    assert started.wait(5)
    stopped.set()
    thread.join(5)
    assert not thread.is_alive()
