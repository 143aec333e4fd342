"""Finding sessions, one writer for each, and forks."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roomcode.protocol.events import RequestStarted
from roomcode.session import LAST, SessionError, SessionFolder, SessionReader, all_folders, state_of
from roomcode.session.folder import outgrown
from roomcode.session.infos import info_of, title_of
from roomcode.session.records import VERSION, State, TurnRecord, encode_record
from tests.support.sessions import SETUP, header, large_session, request, write


@pytest.fixture
def folder(tmp_path: Path) -> SessionFolder:
    return SessionFolder(Path("/project"), tmp_path / "sessions")


def put(folder: SessionFolder, number: str, *, at: float, prompt: str = "make it") -> Path:
    path = folder.path / f"20260101-000000-{number}.jsonl"
    write(path, [header(number), SETUP, *request(1, prompt=prompt), *request(2, prompt="more")])
    os.utime(path, (at, at))
    return path


HOLD = """
import sys, time
from pathlib import Path
from roomcode.session import SessionFolder
folder = SessionFolder(Path("/project"), Path(sys.argv[1]))
held = folder.open(sys.argv[2]) if len(sys.argv) > 2 else folder.new()
print(held.id, flush=True)
sys.stdin.read()
held.release()
"""


class Other:
    """Another process that has a session open."""

    def __init__(self, folder: SessionFolder, *wanted: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(folder.path), *wanted],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.id = self.process.stdout.readline().strip()
        assert self.id

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.end()

    def end(self) -> None:
        self.process.communicate("")


@pytest.fixture
def others() -> Iterator[list[Other]]:
    started: list[Other] = []
    yield started
    for other in started:
        other.end()


def test_sessions_are_listed_with_what_tells_them_apart(folder: SessionFolder) -> None:
    put(folder, "aaaa0001", at=100, prompt="make\n  a page")
    put(folder, "bbbb0002", at=300, prompt="fix it")
    put(folder, "cccc0003", at=200)
    found = folder.sessions()
    assert [info.id for info in found] == ["bbbb0002", "cccc0003", "aaaa0001"]
    first = found[-1]
    assert (first.title, first.requests, first.model, first.updated) == ("make a page", 2, "m", 100)
    assert (first.created, first.project, first.size) == (1_000_000.0, "/project", first.path.stat().st_size)


def test_what_is_no_session_is_not_listed(folder: SessionFolder) -> None:
    assert folder.sessions() == []
    put(folder, "aaaa0001", at=100)
    for name, data in [
        ("20260101-000000-bbbb0002.jsonl", b""),
        ("20260101-000000-cccc0003.jsonl", b"\0\0\0\n"),
        ("notes.jsonl", b"{}\n"),
        ("20260101-000000-dddd0004.json", b"{}\n"),
    ]:
        (folder.path / name).write_bytes(data)
    assert [info.id for info in folder.sessions()] == ["aaaa0001"]


def test_a_torn_header_costs_only_what_it_said(folder: SessionFolder) -> None:
    path = folder.path / "20260101-000000-aaaa0001.jsonl"
    write(path, [*request(1, prompt="make it")])
    path.write_bytes(b'{"kind":"session","ver\n' + path.read_bytes())
    info = info_of(path)
    assert info is not None
    assert (info.id, info.title, info.requests, info.project) == ("aaaa0001", "make it", 1, "")


def test_the_last_request_is_found_behind_a_large_one(folder: SessionFolder) -> None:
    path = folder.path / "20260101-000000-aaaa0001.jsonl"
    long = request(7, prompt="x" * 700_000)
    write(path, [header("aaaa0001"), *request(1), *long])
    info = info_of(path)
    assert info is not None
    assert info.requests == 7
    write(path, [header("aaaa0001"), *long, *request(8)])
    info = info_of(path)
    assert info is not None
    assert (info.requests, info.title[:3]) == (8, "xxx")


def test_an_id_may_be_cut_short(folder: SessionFolder) -> None:
    first, second = put(folder, "abcd0001", at=100), put(folder, "abce0002", at=200)
    assert folder.find("abcd") == first
    assert folder.find("ABCD0001") == first
    assert folder.find(LAST) == second
    with pytest.raises(SessionError, match=r"2 sessions begin with abc: abcd0001, abce0002"):
        folder.find("abc")
    for unknown in ("ffff", "", "a", "*", "../abcd"):
        with pytest.raises(SessionError, match="no session"):
            folder.find(unknown)


def test_an_empty_file_is_not_the_last_session(folder: SessionFolder) -> None:
    first = put(folder, "abcd0001", at=100)
    (folder.path / "20260101-000000-eeee0009.jsonl").write_bytes(b"")
    assert folder.find(LAST) == first


def test_each_project_has_a_folder_of_its_own(tmp_path: Path) -> None:
    names = {SessionFolder(tmp_path / name).path.name for name in ("a b", "a/b", "a-b", "ä", "..", "x" * 300)}
    assert len(names) == 6
    assert all(name.isascii() and "/" not in name and len(name) < 80 for name in names)
    (tmp_path / "a b").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a b")
    assert SessionFolder(tmp_path / "link").path == SessionFolder(tmp_path / "a b").path


def test_sessions_of_all_projects_are_found(tmp_path: Path) -> None:
    for name in ("one", "two"):
        put(SessionFolder(None, tmp_path / name), "aaaa0001", at=1)
    (tmp_path / "file").write_text("x")
    assert [len(folder.sessions()) for folder in all_folders(tmp_path)] == [1, 1]
    assert list(all_folders(tmp_path / "none")) == []


def test_a_session_that_another_process_has_is_refused(folder: SessionFolder, others: list[Other]) -> None:
    put(folder, "abcd0001", at=100)
    put(folder, "abce0002", at=100)
    others.append(Other(folder, "abcd"))
    assert folder.others()
    with pytest.raises(SessionError, match=r"abcd0001 is open in another roomcode: close it there"):
        folder.open("abcd")
    folder.open("abce").release()
    others[0].end()
    assert not folder.others()
    folder.open("abcd").release()


def test_a_killed_process_blocks_nothing(folder: SessionFolder, others: list[Other]) -> None:
    put(folder, "abcd0001", at=100)
    others += [Other(folder, "abcd"), Other(folder)]
    for other in others:
        other.kill()
    assert not folder.others()
    folder.open("abcd").release()
    locks = [path.name for path in folder.path.glob("*.lock")]
    assert locks in ([], ["20260101-000000-abcd0001.lock"]), "what was never written leaves nothing"


def test_a_session_that_was_never_written_leaves_nothing(folder: SessionFolder) -> None:
    held = folder.new()
    assert held.id
    assert folder.others()
    held.release()
    held.release()
    assert list(folder.path.iterdir()) == []


def test_a_newer_session_is_neither_opened_nor_touched(folder: SessionFolder) -> None:
    path = put(folder, "abcd0001", at=100)
    newer = encode_record(header("abcd0001", VERSION + 1)) + b'{"kind":"wheel"}\n{"torn'
    path.write_bytes(newer)
    with pytest.raises(SessionError, match="newer roomcode"):
        folder.open("abcd")
    assert path.read_bytes() == newer
    assert [info.newer for info in folder.sessions()] == [True]


def test_a_fork_holds_all_that_was_before_a_request(folder: SessionFolder) -> None:
    path = folder.path / "20260101-000000-aaaa0001.jsonl"
    turns = [TurnRecord(id=n, turn="request", request=n, step=0, text=f"ask {n}", tokens=(n,)) for n in (1, 2, 3)]
    known = State(time=5.0, known={"a.js": "d1"})
    records = [header("aaaa0001"), SETUP]
    for number in (1, 2, 3):
        records += [*request(number, prompt=f"ask {number}"), turns[number - 1], known]
    write(path, records)
    parent = folder.open("aaaa")
    held, prompt = folder.fork(parent, 3)
    assert prompt == "ask 3"
    state = state_of(SessionReader(held.path))
    assert state.header is not None
    assert (state.header.id, state.header.parent, state.header.before) == (held.id, "aaaa0001", 3)
    assert (state.requests, [turn.text for turn in state.turns]) == (2, ["ask 1", "ask 2"])
    assert (state.setup, state.known, state.whole) == (SETUP, {"a.js": "d1"}, True)
    assert not any(isinstance(event, RequestStarted) and event.request == 3 for event in state.events)
    assert list(SessionReader(path)) == records, "the parent is as it was"
    before = sorted(folder.path.glob("*.jsonl"))
    with pytest.raises(SessionError, match="no request 9"):
        folder.fork(parent, 9)
    assert sorted(folder.path.glob("*.jsonl")) == before
    held.release()
    parent.release()


def test_a_session_is_deleted_with_its_lock_and_no_other(folder: SessionFolder) -> None:
    first, second = put(folder, "abcd0001", at=100), put(folder, "abce0002", at=200)
    folder.open("abcd").release()
    assert folder.delete("abcd") == "abcd0001"
    assert not first.exists()
    assert [path.name for path in folder.path.iterdir()] == [second.name]
    for wanted in ("abcd", "", "*", "../abce0002"):
        with pytest.raises(SessionError, match="no session"):
            folder.delete(wanted)
    assert second.exists()


def test_an_open_session_is_not_deleted(folder: SessionFolder, others: list[Other]) -> None:
    path = put(folder, "abcd0001", at=100)
    others.append(Other(folder, "abcd"))
    with pytest.raises(SessionError, match=r"^Session abcd0001 is open in another roomcode: close it there first\.$"):
        folder.delete("abcd")
    assert path.exists()
    others[0].end()
    held = folder.open("abcd")
    with pytest.raises(SessionError, match="open"):
        folder.delete("abcd")
    held.release()
    assert folder.delete("abcd") == "abcd0001"
    assert list(folder.path.iterdir()) == []


def test_a_session_that_cannot_be_deleted_says_why(folder: SessionFolder) -> None:
    path = put(folder, "abcd0001", at=100)
    path.unlink()
    path.mkdir()
    with pytest.raises(SessionError, match=r"^Session abcd0001 cannot be deleted: .+\.$"):
        folder.delete("abcd")
    assert path.is_dir()


def test_the_oldest_sessions_go_when_there_are_too_many(folder: SessionFolder, others: list[Other]) -> None:
    paths = [put(folder, f"aaaa000{n}", at=n * 100) for n in range(8)]
    others.append(Other(folder, "aaaa0001"))
    held = folder.open("aaaa0002")
    paths[0].write_bytes(encode_record(header("aaaa0000", VERSION + 1)))
    os.utime(paths[0], (1, 1))
    assert folder.retire(0, 0) == []
    assert folder.retire(8, 10**9) == []
    # 0 is of a newer roomcode, 1 is open elsewhere, 2 is open here.
    assert folder.retire(3, 0) == ["aaaa0003", "aaaa0004"]
    assert [path.exists() for path in paths] == [True, True, True, False, False, True, True, True]
    held.release()
    assert folder.retire(3, 0) == ["aaaa0002"]
    assert folder.retire(3, 0) == []
    assert sorted(info.id[-1] for info in folder.sessions()) == ["0", "1", "5", "6", "7"]


def test_the_oldest_sessions_go_when_they_are_too_large(folder: SessionFolder) -> None:
    paths = [put(folder, f"aaaa000{n}", at=n * 100) for n in range(4)]
    size = paths[0].stat().st_size
    assert folder.retire(0, 4 * size) == []
    assert folder.retire(0, 3 * size) == ["aaaa0000"]
    assert folder.retire(0, 2 * size + 1) == ["aaaa0001"]
    # However large it is, the last one stays.
    assert folder.retire(1, 1) == ["aaaa0002"]
    assert folder.retire(1, 1) == []
    assert paths[3].exists()
    assert SessionFolder(Path("/project"), folder.path / "none").retire(1, 1) == []


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=9), st.integers(0, 5), st.integers(0, 20))
def test_what_is_left_is_as_much_as_allowed_and_always_the_newest(
    sessions: list[tuple[int, int]], count: int, size: int
) -> None:
    facts = [
        (Path(f"{n}"), os.stat_result((0, 0, 0, 0, 0, 0, taken, 0, at, 0))) for n, (at, taken) in enumerate(sessions)
    ]
    gone = outgrown(facts, count, size)
    left = [stat for path, stat in facts if path not in gone]
    assert len(gone) == len(set(gone))
    assert bool(left) == bool(facts)
    if len(left) > 1:
        assert not count or len(left) <= count
        assert not size or sum(stat.st_size for stat in left) <= size
    if gone:
        dropped = dict(facts)
        assert max(dropped[path].st_mtime for path in gone) <= min(stat.st_mtime for stat in left)


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("  make\n\ta   page ", "make a page"),
        ("\x1b[31mred\x07", "[31mred"),
        ("word " * 100, ("word " * 12)[:59].rstrip() + "…"),
        ("", ""),
    ],
)
def test_a_title_is_one_short_line(prompt: str, title: str) -> None:
    assert title_of(prompt) == title


def test_thirty_megabytes_are_listed_and_read_in_time(folder: SessionFolder) -> None:
    path = folder.path / "20260101-000000-abcd0001.jsonl"
    folder.path.mkdir(parents=True)
    with open(path, "wb") as file:
        file.writelines(map(encode_record, large_session(30_000_000)))
    assert path.stat().st_size >= 30_000_000
    began = time.process_time()
    (info,) = folder.sessions()
    listed = time.process_time() - began
    state = state_of(SessionReader(path))
    read = time.process_time() - began
    assert info.requests == state.requests > 100
    assert state.whole
    assert len(state.events) < 1000
    # Measured: 2 ms and 0.4 s.
    assert listed < 1
    assert read < 3
