"""An atomic write leaves the old file or the new one, never less and nothing else."""

import errno
import os
import stat
from pathlib import Path

import pytest

from roomcode.workspace.filesystem import RealFileSystem, atomic_write
from tests.support.files import FailingFileSystem, snapshot

STEPS = ("make_folder", "create", "write", "set_mode", "set_owner", "sync", "close", "replace")


def test_a_new_file_with_new_folders(tmp_path: Path):
    made = atomic_write(RealFileSystem(), tmp_path / "a" / "b" / "c.txt", b"x")
    assert made == 2
    assert snapshot(tmp_path) == {"a": "folder", "a/b": "folder", "a/b/c.txt": b"x"}


def test_permission_bits_are_kept_and_a_new_file_follows_the_umask(tmp_path: Path):
    path = tmp_path / "run.sh"
    path.write_text("old")
    path.chmod(0o751)
    atomic_write(RealFileSystem(), path, b"new", like=path.stat())
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    plain = tmp_path / "plain"
    plain.write_text("")
    atomic_write(RealFileSystem(), tmp_path / "new", b"")
    assert (tmp_path / "new").stat().st_mode == plain.stat().st_mode


def test_short_writes_are_continued(tmp_path: Path):
    files = FailingFileSystem(short=3)
    atomic_write(files, tmp_path / "f", b"0123456789")
    assert (tmp_path / "f").read_bytes() == b"0123456789"
    assert files.calls.count("write") == 4


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_failure_at_any_step_leaves_the_folder_as_it_was(tmp_path: Path, step: str, code: int):
    (tmp_path / "f").write_bytes(b"old")
    for name, like in (("f", (tmp_path / "f").stat()), ("new/deep/g", None)):
        before = snapshot(tmp_path)
        files = FailingFileSystem(step, code, partly=2)
        if step == "set_owner" or (step == "make_folder" and name == "f"):
            atomic_write(files, tmp_path / name, b"new content", like=like, mode=0o644)
            assert (tmp_path / name).read_bytes() == b"new content"
        else:
            with pytest.raises(OSError, match=os.strerror(code)) as caught:
                atomic_write(files, tmp_path / name, b"new content", like=like, mode=0o644)
            assert caught.value.errno == code
            assert snapshot(tmp_path) == before


def test_a_second_folder_that_fails_takes_the_first_with_it(tmp_path: Path):
    with pytest.raises(OSError, match="No space"):
        atomic_write(FailingFileSystem("make_folder", at=2), tmp_path / "a" / "b" / "c", b"x")
    assert snapshot(tmp_path) == {}


def test_a_folder_that_cannot_be_synced_is_no_failure(tmp_path: Path):
    atomic_write(FailingFileSystem("sync_folder", errno.EINVAL), tmp_path / "f", b"x")
    assert snapshot(tmp_path) == {"f": b"x"}


def test_the_write_never_goes_through_a_link(tmp_path: Path):
    (tmp_path / "victim").write_bytes(b"v")
    os.symlink("victim", tmp_path / "planted")
    with pytest.raises(FileExistsError):
        atomic_write(RealFileSystem(), tmp_path / "f", b"x", temporary=tmp_path / "planted")
    assert (tmp_path / "victim").read_bytes() == b"v"


def test_long_names_still_have_room_for_a_temporary_one(tmp_path: Path):
    name = "é" * 120
    atomic_write(RealFileSystem(), tmp_path / name, b"x")
    assert snapshot(tmp_path) == {name: b"x"}
