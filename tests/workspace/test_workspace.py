"""What the workspace tells about changes by others, and the files it names."""

import os
from pathlib import Path

import pytest

from roomcode.workspace import StaleError, TextFile, Workspace, WorkspaceError


@pytest.fixture
def workspace(tmp_path: Path):
    workspace = Workspace(tmp_path)
    yield workspace
    workspace.close()


def read(workspace: Workspace, name: str) -> None:
    workspace.load(workspace.resolve(name), reader="conversation")


def test_each_change_by_hand_is_told_once(workspace: Workspace, tmp_path: Path):
    for name in ("a.js", "b.js", "unread.js"):
        (tmp_path / name).write_text("1")
    workspace.begin_request(1)
    read(workspace, "a.js")
    read(workspace, "b.js")
    (tmp_path / "a.js").write_text("2")
    (tmp_path / "b.js").unlink()
    (tmp_path / "c.js").write_text("new")
    (tmp_path / "unread.js").write_text("2")
    workspace.begin_request(2)
    assert workspace.changes_since_last_request() == ["a.js", "b.js (deleted)", "c.js (new)"]
    workspace.begin_request(3)
    assert workspace.changes_since_last_request() == []
    (tmp_path / "b.js").write_text("back")
    workspace.begin_request(4)
    assert workspace.changes_since_last_request() == ["b.js (new)"]


def test_touching_a_file_or_changing_it_back_is_no_change(workspace: Workspace, tmp_path: Path):
    (tmp_path / "a.js").write_text("1")
    read(workspace, "a.js")
    os.utime(tmp_path / "a.js", (1, 1))
    (tmp_path / "a.js").write_text("2")
    (tmp_path / "a.js").write_text("1")
    assert workspace.changes_since_last_request() == []


def test_what_tools_wrote_is_not_told(workspace: Workspace, tmp_path: Path):
    workspace.begin_request(1)
    target = workspace.resolve("new.js")
    workspace.save(target, TextFile("x"), before=None, reader="conversation", tool="write_file")
    workspace.begin_request(2)
    assert workspace.changes_since_last_request() == []


def test_what_an_undo_changed_is_told_and_guarded(workspace: Workspace, tmp_path: Path):
    (tmp_path / "a.js").write_text("1")
    workspace.begin_request(1)
    target = workspace.resolve("a.js")
    before = workspace.load(target, reader="conversation")
    workspace.save(target, TextFile("2"), before=before, reader="conversation", tool="write_file")
    workspace.carry_out(workspace.plan_undo())
    workspace.begin_request(2)
    assert workspace.changes_since_last_request() == ["a.js"]
    with pytest.raises(StaleError, match="by hand"):
        workspace.check_seen(workspace.current(target), target, "conversation")


def test_a_told_change_must_still_be_seen_before_a_write(workspace: Workspace, tmp_path: Path):
    (tmp_path / "a.js").write_text("1")
    read(workspace, "a.js")
    (tmp_path / "a.js").write_text("2")
    workspace.changes_since_last_request()
    target = workspace.resolve("a.js")
    with pytest.raises(StaleError) as caught:
        workspace.check_seen(workspace.current(target), target, "conversation")
    assert caught.value.loaded.file.text == "2"
    workspace.check_seen(workspace.current(target), target, "conversation")


def test_what_is_known_can_be_kept_with_a_session(tmp_path: Path, workspace: Workspace):
    (tmp_path / "a.js").write_text("1")
    read(workspace, "a.js")
    later = Workspace(tmp_path)
    later.restore_known(workspace.known())
    (tmp_path / "a.js").write_text("2")
    assert later.changes_since_last_request() == ["a.js"]
    later.forget()
    assert later.known() == {}


def test_names_leave_out_what_is_ignored(workspace: Workspace, tmp_path: Path):
    for name in ("b.js", "a/x.js", "node_modules/p/i.js", ".roomcode/config.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / os.fsdecode(b"\xff.txt")).write_text("")
    assert workspace.names() == ["b.js", "\\xff.txt", "a/x.js"]
    assert workspace.names(limit=1) == ["b.js"]


def test_the_text_of_a_file_for_those_who_only_look(workspace: Workspace, tmp_path: Path):
    (tmp_path / "a.js").write_bytes(b"a\r\nb")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\0")
    (tmp_path / ".env").write_text("KEY")
    assert workspace.text_of("a.js") == "a\nb"
    assert [workspace.text_of(name) for name in ("logo.png", ".env", "no.js", "../x", "")] == [None] * 5
    assert workspace.known() == {}


def test_a_file_deleted_while_a_change_waits_is_not_written(workspace: Workspace, tmp_path: Path):
    (tmp_path / "a.js").write_text("1")
    target = workspace.resolve("a.js")
    before = workspace.load(target)
    (tmp_path / "a.js").unlink()
    with pytest.raises(WorkspaceError, match="deleted meanwhile"):
        workspace.save(target, TextFile("2"), before=before, reader="conversation", tool="edit_file")
    assert not (tmp_path / "a.js").exists()


def test_a_new_file_that_appears_while_a_change_waits_is_not_overwritten(workspace: Workspace, tmp_path: Path):
    target = workspace.resolve("a.js")
    (tmp_path / "a.js").write_text("mine")
    with pytest.raises(StaleError):
        workspace.save(target, TextFile("2"), before=None, reader="conversation", tool="write_file")
    assert (tmp_path / "a.js").read_text() == "mine"
