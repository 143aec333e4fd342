"""Whatever fails while a tool works: the old file is intact or the new one whole, nothing is left lying about, and the
model is told the cause."""

import errno
from pathlib import Path

import pytest

from tests.support.files import FailingFileSystem, Project, snapshot

WRITES = {
    "create": ("write_file", {"path": "new/deep/a.js", "content": "new\n"}, "new/deep/a.js", b"new\n"),
    "replace": ("write_file", {"path": "there.js", "content": "new\n"}, "there.js", b"new\n"),
    "append": ("write_file", {"path": "there.js", "content": "more\n", "append": True}, "there.js", b"old\nmore\n"),
    "edit": ("edit_file", {"path": "there.js", "old": "old", "new": "new"}, "there.js", b"new\n"),
}
CODES = {
    errno.ENOSPC: "the disk is full",
    errno.EACCES: "permission denied",
    errno.EROFS: "the disk is read-only",
    errno.EIO: "the disk reported an error",
}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("step", ["make_folder", "create", "write", "set_mode", "sync", "close", "replace"])
@pytest.mark.parametrize("case", WRITES)
async def test_a_failing_write_changes_nothing_and_says_why(tmp_path: Path, case: str, step: str, code: int):
    tool, arguments, path, expected = WRITES[case]
    files = FailingFileSystem(step, code, partly=1)
    project = Project(tmp_path, files=files)
    project.put("there.js", "old\n")
    before = snapshot(tmp_path)
    result = await project.call(tool, **arguments)
    if step in files.calls:
        assert result.state == "failed"
        assert CODES[code] in result.text
        assert path in result.text
        assert result.changed == ()
        assert snapshot(tmp_path) == before
        assert [row.action for row in project.workspace.versions()] in ([], ["found"])
        files.step = ""
        result = await project.call(tool, **arguments)
    assert result.state == "ok"
    assert project.bytes(path) == expected
    project.workspace.close()


@pytest.mark.parametrize("case", WRITES)
async def test_writes_that_take_a_byte_at_a_time_are_whole(tmp_path: Path, case: str):
    tool, arguments, path, expected = WRITES[case]
    project = Project(tmp_path, files=FailingFileSystem(short=1))
    project.put("there.js", "old\n")
    assert (await project.call(tool, **arguments)).state == "ok"
    assert project.bytes(path) == expected
    project.workspace.close()


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("case", ["replace", "edit"])
async def test_a_file_that_cannot_be_read_is_not_written(tmp_path: Path, case: str, at: int):
    tool, arguments, _, _ = WRITES[case]
    project = Project(tmp_path, files=FailingFileSystem("read", errno.EIO, at=at))
    project.put("there.js", "old\n")
    result = await project.call(tool, **arguments)
    assert result.state == "failed"
    assert "the disk reported an error" in result.text
    assert snapshot(tmp_path) == {"there.js": b"old\n"}
    project.workspace.close()


async def test_reading_tools_say_why_they_cannot_read(tmp_path: Path):
    project = Project(tmp_path, files=FailingFileSystem("read", errno.EIO))
    project.put("a.js", "x")
    result = await project.call("read_file", path="a.js")
    assert (result.state, result.text) == ("failed", "a.js cannot be read: the disk reported an error.")


async def test_a_history_without_room_stops_the_write(tmp_path: Path):
    (tmp_path / ".roomcode").mkdir()
    (tmp_path / ".roomcode" / "history").write_text("in the way")
    project = Project(tmp_path)
    project.put("a.js", "old\n")
    result = await project.call("write_file", path="a.js", content="new\n")
    assert result.state == "failed"
    assert "Earlier versions cannot be kept" in result.text
    assert snapshot(tmp_path) == {"a.js": b"old\n"}
