"""Whatever the disk does, the file holds whole lines, in order, and in the end all of them."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.protocol.events import Text
from roomcode.session.reading import SessionReader, decode_line
from roomcode.session.records import encode_record
from roomcode.session.writing import RealDisk, SessionFile
from tests.support.sessions import header


class BadDisk(RealDisk):
    """A disk with room for `room` bytes, whose other steps fail when `fails` says so."""

    def __init__(self, room: int | None = None, fails: Callable[[str], int] = lambda _: 0) -> None:
        self.room = room
        self.fails = fails

    def _step(self, name: str) -> None:
        if code := self.fails(name):
            raise OSError(code, os.strerror(code))

    def open(self, path: Path) -> int:
        self._step("open")
        return super().open(path)

    def write(self, handle: int, data: memoryview) -> int:
        self._step("write")
        if self.room is not None:
            free = self.room - self.size(handle)
            if free <= 0:
                raise OSError(errno.ENOSPC, "full")
            data = data[:free]
        return super().write(handle, data)

    def truncate(self, handle: int, size: int) -> None:
        self._step("truncate")
        super().truncate(handle, size)

    def sync(self, handle: int) -> None:
        self._step("sync")
        super().sync(handle)


def lines(count: int, size: int = 10) -> Iterator[bytes]:
    return (encode_record(Text(text=f"{number} " + "x" * size)) for number in range(count))


def valid_lines(path: Path) -> bool:
    """One record on each line, and nothing else."""
    *every, rest = path.read_bytes().split(b"\n")
    try:
        return rest == b"" and all(decode_line(line) is not None for line in every)
    except ValueError:
        return False


class Told(list[str]):
    def __call__(self, reason: str) -> None:
        self.append(reason)


@pytest.fixture
def told() -> Told:
    return Told()


def test_lines_are_there_at_once_and_private(tmp_path: Path, told: Told) -> None:
    path = tmp_path / "new" / "folder" / "s.jsonl"
    file = SessionFile(path, told)
    every = list(lines(3))
    for line in every:
        file.append(line)
        assert path.read_bytes().endswith(line)
    assert file.close()
    assert path.read_bytes() == b"".join(every)
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0
    assert told == []


def test_a_full_disk_is_told_once_and_made_up_for(tmp_path: Path, told: Told) -> None:
    path = tmp_path / "s.jsonl"
    disk = BadDisk(room=100)
    file = SessionFile(path, told, disk)
    every = list(lines(20))
    for line in every[:10]:
        file.append(line)
    file.sync()
    assert told == ["the disk is full"]
    assert not file.saved
    assert valid_lines(path), "no half record is left behind"
    disk.room = None
    for line in every[10:]:
        file.append(line)
    assert file.saved
    assert file.close()
    assert path.read_bytes() == b"".join(every)
    assert told == ["the disk is full"]


def test_a_second_trouble_is_told_again_after_all_was_safe(tmp_path: Path, told: Told) -> None:
    disk = BadDisk(room=0)
    file = SessionFile(tmp_path / "s.jsonl", told, disk)
    file.append(b'{"kind":"text","text":"a"}\n')
    disk.room = None
    file.sync()
    disk.room = 0
    file.append(b'{"kind":"text","text":"b"}\n')
    file.append(b'{"kind":"text","text":"c"}\n')
    assert told == ["the disk is full", "the disk is full"]
    assert not file.close()


def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path, told: Told) -> None:
    file = SessionFile(tmp_path / "s.jsonl", told, BadDisk(fails=lambda step: errno.EACCES * (step == "open")))
    file.append(b"{}\n")
    assert told == ["its folder may not be used"]
    assert not file.close()
    assert not (tmp_path / "s.jsonl").exists()


def test_what_a_failed_sync_leaves_in_doubt_is_written_again(tmp_path: Path, told: Told) -> None:
    path = tmp_path / "s.jsonl"
    trouble = {"sync": errno.ENOSPC}
    file = SessionFile(path, told, BadDisk(fails=lambda step: trouble.get(step, 0)))
    every = list(lines(4))
    for line in every:
        file.append(line)
    file.sync()
    assert told == ["the disk is full"]
    assert not file.saved
    trouble.clear()
    assert file.close()
    assert path.read_bytes() == b"".join(every)


TAILS = [b"", b"\0" * 3000, b'{"kind":"text","te', b'{"kind":"text","text":"x', b"\x00\x00{", "ü".encode()[:1]]


@pytest.mark.parametrize("tail", TAILS)
def test_a_torn_end_is_taken_off_before_anything_is_added(tmp_path: Path, told: Told, tail: bytes) -> None:
    path = tmp_path / "s.jsonl"
    before = encode_record(header()) + b"".join(lines(3))
    path.write_bytes(before + tail)
    file = SessionFile(path, told)
    more = encode_record(Text(text="more"))
    file.append(more)
    assert file.close()
    assert path.read_bytes() == before + more


def test_a_whole_record_without_its_line_end_stays(tmp_path: Path, told: Told) -> None:
    path = tmp_path / "s.jsonl"
    before = encode_record(header()) + encode_record(Text(text="x" * 200_000))
    path.write_bytes(before[:-1])
    file = SessionFile(path, told)
    file.append(encode_record(Text(text="more")))
    assert file.close()
    assert path.read_bytes() == before + encode_record(Text(text="more"))


def test_a_torn_piece_that_cannot_be_taken_off_costs_only_itself(tmp_path: Path, told: Told) -> None:
    path = tmp_path / "s.jsonl"
    trouble = {"truncate": errno.EIO}
    disk = BadDisk(50, lambda step: trouble.get(step, 0))
    file = SessionFile(path, told, disk)
    every = list(lines(4))
    for line in every:
        file.append(line)
    disk.room = None
    file.append(b"".join(lines(1)))
    assert file.close()
    assert list(SessionReader(path)) == [decode_line(line) for line in [*every, *lines(1)]]
    assert not valid_lines(path)


@given(
    room=st.integers(0, 400),
    codes=st.lists(st.sampled_from([0, 0, 0, errno.ENOSPC, errno.EIO]), max_size=60),
    sizes=st.lists(st.integers(0, 60), min_size=1, max_size=25),
    syncs=st.sets(st.integers(0, 24)),
)
def test_any_row_of_faults_ends_well(
    tmp_path_factory: pytest.TempPathFactory, room: int, codes: list[int], sizes: list[int], syncs: set[int]
) -> None:
    path = tmp_path_factory.mktemp("faults") / "s.jsonl"
    left = iter(codes)
    # Taking back half a line needs no space, so it works.
    disk = BadDisk(room, lambda step: next(left, 0) if step != "truncate" else 0)
    told = Told()
    file = SessionFile(path, told, disk)
    records = [Text(text=f"{number} " + "x" * size) for number, size in enumerate(sizes)]
    for number, record in enumerate(records):
        file.append(encode_record(record))
        if number in syncs:
            file.sync()
        if number == len(records) // 2:
            disk.room = None
    left = iter(())
    file.sync()
    assert file.close()
    found = list(SessionReader(path))
    assert list(dict.fromkeys(found)) == records, "none is missing or out of order"
    assert valid_lines(path)


def test_a_good_record_behind_a_torn_one_is_not_thrown_away(tmp_path: Path, told: Told) -> None:
    path = tmp_path / "s.jsonl"
    good, more = encode_record(Text(text="good")), encode_record(Text(text="more"))
    path.write_bytes(encode_record(header()) + b'{"kind":"text","te' + good[:-1])
    file = SessionFile(path, told)
    file.append(more)
    assert file.close()
    assert list(SessionReader(path)) == [header(), Text(text="good"), Text(text="more")]


def test_a_kind_that_only_a_newer_roomcode_knows_is_not_thrown_away(tmp_path: Path, told: Told) -> None:
    path = tmp_path / "s.jsonl"
    before = encode_record(header()) + b'{"kind":"holiday","days":3}'
    path.write_bytes(before)
    file = SessionFile(path, told)
    file.append(encode_record(Text(text="more")))
    assert file.close()
    assert path.read_bytes() == before + b"\n" + encode_record(Text(text="more"))
