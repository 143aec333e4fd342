"""What the running request wrote is taken back for another attempt, and brought back when it was the best."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from roomcode.workspace import CONVERSATION, TextFile, Workspace, WorkspaceError
from tests.support.files import snapshot


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "old.txt").write_bytes(b"one\ntwo\n")
    workspace = Workspace(tmp_path, session="one")
    workspace.begin_request(1)
    yield workspace
    workspace.close()


def write(workspace: Workspace, name: str, text: str) -> None:
    target = workspace.resolve(name)
    before = workspace.load(target) if target.path.exists() else None
    file = before.file.with_text(text) if before else TextFile(text)
    workspace.save(target, file, before=before, reader=CONVERSATION, tool="write_file")


def files(root: Path) -> dict[str, bytes | str]:
    return {name: data for name, data in snapshot(root).items() if not name.startswith(".roomcode")}


def test_all_that_an_attempt_wrote_is_taken_back_and_brought_back(workspace: Workspace, tmp_path: Path) -> None:
    start = files(tmp_path)
    write(workspace, "old.txt", "1\n2\n")
    write(workspace, "new/page.html", "<p>")
    write(workspace, "new/page.html", "<p>more")
    first = files(tmp_path)
    number = workspace.take_back()
    assert number
    assert files(tmp_path) == start
    write(workspace, "other.txt", "second attempt")
    assert workspace.take_back()
    assert workspace.bring_back(number)
    assert files(tmp_path) == first
    assert workspace.changes_since_last_request() == [], "the model's conversation knows of it"


def test_after_it_the_person_undoes_the_request_as_a_whole(workspace: Workspace, tmp_path: Path) -> None:
    start = files(tmp_path)
    write(workspace, "old.txt", "first")
    workspace.take_back()
    write(workspace, "old.txt", "second")
    workspace.carry_out(workspace.plan_undo())
    assert files(tmp_path) == start


def test_what_an_attempt_took_back_is_no_undo_of_the_person_s(workspace: Workspace, tmp_path: Path) -> None:
    write(workspace, "old.txt", "first")
    workspace.take_back()
    write(workspace, "old.txt", "second")
    with pytest.raises(WorkspaceError, match="nothing to redo"):
        workspace.plan_redo()
    workspace.carry_out(workspace.plan_undo())
    workspace.carry_out(workspace.plan_redo())
    assert (tmp_path / "old.txt").read_text() == "second"


def test_an_attempt_that_wrote_nothing_or_nothing_new_needs_no_taking_back(workspace: Workspace) -> None:
    assert workspace.take_back() == 0
    write(workspace, "old.txt", "x")
    write(workspace, "old.txt", "one\ntwo\n")
    assert workspace.take_back() == 0


def test_nothing_is_taken_back_when_a_file_was_changed_by_hand_since(workspace: Workspace, tmp_path: Path) -> None:
    write(workspace, "old.txt", "x")
    write(workspace, "new.txt", "y")
    (tmp_path / "new.txt").write_text("by hand")
    before = files(tmp_path)
    assert workspace.take_back() is None
    assert files(tmp_path) == before


def test_a_number_that_is_no_undo_brings_nothing_back(workspace: Workspace) -> None:
    write(workspace, "old.txt", "x")
    assert not workspace.bring_back(1)
    assert not workspace.bring_back(99)


def test_what_was_changed_and_changed_back_is_not_changed(workspace: Workspace, tmp_path: Path) -> None:
    assert workspace.still_changed(["old.txt"]) == ["old.txt"], "nothing is known yet"
    write(workspace, "old.txt", "x")
    write(workspace, "new.txt", "y")
    assert workspace.still_changed(["old.txt", "new.txt"]) == ["old.txt", "new.txt"]
    write(workspace, "old.txt", "one\ntwo\n")
    assert workspace.still_changed(["old.txt", "new.txt"]) == ["new.txt"]
    (tmp_path / "new.txt").unlink()
    assert workspace.still_changed(["old.txt", "new.txt"]) == []
    assert Workspace(tmp_path, versions=False).still_changed(["old.txt"]) == ["old.txt"]


def test_a_file_that_was_brought_back_counts_as_changed_however_it_is_edited(workspace: Workspace) -> None:
    write(workspace, "new.txt", "a")
    number = workspace.take_back()
    assert number
    assert workspace.bring_back(number)
    for text in ("b", "a"):
        write(workspace, "new.txt", text)
    write(workspace, "old.txt", "1\n")
    write(workspace, "old.txt", "one\ntwo\n")
    assert workspace.still_changed(["new.txt", "old.txt"]) == ["new.txt"]
