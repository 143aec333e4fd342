"""Every change is a version; undo takes back a request as a whole and touches nothing else."""

import os
import sqlite3
import stat
import subprocess
import sys
import textwrap
import threading
from itertools import pairwise
from pathlib import Path

import pytest

from roomcode.protocol.display import FileChange
from roomcode.workspace import TextFile, Workspace, WorkspaceError
from roomcode.workspace.digests import digest_of
from roomcode.workspace.history import LARGEST_KEPT
from roomcode.workspace.store import Found, HistoryStore
from tests.support.files import FailingFileSystem, snapshot


@pytest.fixture
def workspace(tmp_path: Path):
    workspace = Workspace(tmp_path, session="one")
    workspace.begin_request(1)
    yield workspace
    workspace.close()


def write(workspace: Workspace, name: str, text: str, reader: str = "conversation") -> tuple[str, ...]:
    target = workspace.resolve(name)
    before = workspace.load(target) if target.path.exists() else None
    file = before.file.with_text(text) if before else TextFile(text)
    return workspace.save(target, file, before=before, reader=reader, tool="write_file").notes


def undo(workspace: Workspace, **options: object) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    outcome = workspace.carry_out(workspace.plan_undo(**options))  # type: ignore[arg-type]
    return outcome.done, outcome.left


def test_the_first_write_keeps_what_was_there(workspace: Workspace, tmp_path: Path):
    (tmp_path / "a.txt").write_bytes(b"old\r\n")
    write(workspace, "a.txt", "new\n")
    rows = workspace.versions("a.txt")
    assert [(row.number, row.author, row.action) for row in rows] == [(2, "agent", "write_file"), (1, "you", "found")]
    assert [workspace.version_content(row) for row in rows] == [b"new\r\n", b"old\r\n"]


def test_nothing_is_written_to_a_project_that_is_only_read(workspace: Workspace, tmp_path: Path):
    (tmp_path / "a.txt").write_text("x")
    workspace.load(workspace.resolve("a.txt"), reader="conversation")
    workspace.changes_since_last_request()
    assert workspace.versions() == []
    with pytest.raises(WorkspaceError):
        workspace.plan_undo()
    assert not (tmp_path / ".roomcode").exists()


def test_git_does_not_see_the_history_but_the_settings_beside_it(workspace: Workspace, tmp_path: Path):
    write(workspace, "a.txt", "x")
    (tmp_path / ".roomcode" / "config.toml").write_text("")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    told = subprocess.run(
        ["git", "-C", str(tmp_path), "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True
    ).stdout
    assert told.split() == ["??", ".roomcode/config.toml", "??", "a.txt"]


def test_undo_takes_back_a_whole_request_and_redo_brings_it_back(workspace: Workspace, tmp_path: Path):
    (tmp_path / "a.txt").write_text("a0")
    before = snapshot(tmp_path)
    write(workspace, "a.txt", "a1")
    write(workspace, "new/deep/b.txt", "b1")
    write(workspace, "a.txt", "a2")
    after = snapshot(tmp_path)
    plan = workspace.plan_undo()
    assert [(file.path, file.change.before, file.change.after) for file in plan.files] == [
        ("a.txt", "a2", "a0"),
        ("new/deep/b.txt", "b1", None),
    ]
    assert snapshot(tmp_path) == after
    workspace.carry_out(plan)
    assert snapshot(tmp_path) == before
    workspace.carry_out(workspace.plan_redo())
    assert snapshot(tmp_path) == after
    undo(workspace)
    assert snapshot(tmp_path) == before


def test_undo_walks_back_request_by_request_and_redo_forward(workspace: Workspace, tmp_path: Path):
    for number in (1, 2, 3):
        workspace.begin_request(number)
        write(workspace, "a.txt", f"v{number}")
    states = []
    for _ in range(3):
        undo(workspace)
        states.append(snapshot(tmp_path).get("a.txt"))
    assert states == [b"v2", b"v1", None]
    with pytest.raises(WorkspaceError, match="nothing to undo"):
        workspace.plan_undo()
    states = []
    for _ in range(3):
        workspace.carry_out(workspace.plan_redo())
        states.append(snapshot(tmp_path).get("a.txt"))
    assert states == [b"v1", b"v2", b"v3"]
    with pytest.raises(WorkspaceError, match="nothing to redo"):
        workspace.plan_redo()


def test_a_file_changed_by_hand_since_is_named_and_left(workspace: Workspace, tmp_path: Path):
    write(workspace, "a.txt", "a1")
    write(workspace, "b.txt", "b1")
    (tmp_path / "a.txt").write_text("mine")
    done, left = undo(workspace)
    assert done == ("b.txt",)
    assert left == (("a.txt", "it was changed by hand since"),)
    assert snapshot(tmp_path) == {"a.txt": b"mine"}


def test_a_file_changed_since_goes_when_the_person_says_so_and_comes_back(workspace: Workspace, tmp_path: Path):
    (tmp_path / "a.txt").write_text("a0")
    write(workspace, "a.txt", "a1")
    (tmp_path / "a.txt").write_text("mine")
    workspace.carry_out(workspace.plan_undo(), ["a.txt"])
    assert (tmp_path / "a.txt").read_text() == "a0"
    workspace.carry_out(workspace.plan_redo())
    assert (tmp_path / "a.txt").read_text() == "mine"


def test_an_older_request_names_the_later_one(workspace: Workspace, tmp_path: Path):
    write(workspace, "a.txt", "a1")
    workspace.begin_request(2)
    write(workspace, "a.txt", "a2")
    first = workspace.operations()[-1].id
    _, left = undo(workspace, request=first)
    assert left == (("a.txt", "it was changed later by agent (request 2)"),)
    assert (tmp_path / "a.txt").read_text() == "a2"


def test_a_file_deleted_by_hand_is_not_brought_back_by_undo(workspace: Workspace, tmp_path: Path):
    (tmp_path / "a.txt").write_text("a0")
    write(workspace, "a.txt", "a1")
    (tmp_path / "a.txt").unlink()
    plan = workspace.plan_undo()
    assert plan.files[0].conflict == "it was deleted by hand since"
    assert workspace.carry_out(plan).done == ()
    workspace.carry_out(plan, ["a.txt"])
    assert (tmp_path / "a.txt").read_text() == "a0"


def test_undo_keeps_a_folder_that_was_there_before_and_one_with_other_files(workspace: Workspace, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    write(workspace, "empty/a.txt", "x")
    write(workspace, "made/b.txt", "x")
    (tmp_path / "made" / "mine.txt").write_text("m")
    undo(workspace)
    assert snapshot(tmp_path) == {"empty": "folder", "made": "folder", "made/mine.txt": b"m"}


def test_undo_keeps_bytes_and_mode(workspace: Workspace, tmp_path: Path):
    path = tmp_path / "run.sh"
    path.write_bytes(b"#!/bin/sh\r\necho caf\xe9\n")
    path.chmod(0o755)
    write(workspace, "run.sh", "#!/bin/sh\n")
    undo(workspace)
    assert path.read_bytes() == b"#!/bin/sh\r\necho caf\xe9\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


def test_hand_changes_become_versions_once_and_deletions_too(workspace: Workspace, tmp_path: Path):
    write(workspace, "a.txt", "a1")
    (tmp_path / "a.txt").write_text("mine")
    workspace.begin_request(2)
    workspace.begin_request(3)
    (tmp_path / "a.txt").unlink()
    workspace.begin_request(4)
    rows = workspace.versions("a.txt")
    assert [(row.author, row.action) for row in rows] == [
        ("you", "deleted"),
        ("you", "changed"),
        ("agent", "write_file"),
    ]


def test_a_version_can_be_restored_and_that_undone(workspace: Workspace, tmp_path: Path):
    for number in (1, 2, 3):
        workspace.begin_request(number)
        write(workspace, "a.txt", f"v{number}")
    workspace.carry_out(workspace.plan_restore("a.txt", 1))
    assert (tmp_path / "a.txt").read_text() == "v1"
    undo(workspace)
    assert (tmp_path / "a.txt").read_text() == "v3"
    workspace.carry_out(workspace.plan_restore("a.txt"))
    assert (tmp_path / "a.txt").read_text() != "v3"
    with pytest.raises(WorkspaceError, match="no version 99"):
        workspace.plan_restore("a.txt", 99)


def test_ignored_and_large_files_are_written_but_not_kept_and_that_is_said_once(workspace: Workspace, tmp_path: Path):
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "a.log").write_text("old")
    assert "ignored" in "".join(write(workspace, "a.log", "new"))
    assert write(workspace, "a.log", "newer") == ()
    assert "larger" in "".join(write(workspace, "big.txt", "x" * (LARGEST_KEPT + 1)))
    assert all(row.size is None for row in workspace.versions())
    plan = workspace.plan_undo()
    assert {file.path: file.conflict for file in plan.files} == {
        "a.log": "the content it had is not kept",
        "big.txt": "",
    }
    assert workspace.carry_out(plan, ["a.log", "big.txt"]).done == ("big.txt",)
    assert (tmp_path / "a.log").read_text() == "newer"


def test_a_write_that_fails_leaves_no_version(tmp_path: Path):
    (tmp_path / "a.txt").write_text("a0")
    workspace = Workspace(tmp_path, files=FailingFileSystem("replace"))
    with pytest.raises(WorkspaceError, match="the disk is full"):
        write(workspace, "a.txt", "a1")
    assert [row.action for row in workspace.versions()] == ["found"]
    with pytest.raises(WorkspaceError, match="nothing to undo"):
        workspace.plan_undo()
    write(workspace, "a.txt", "a1")
    assert [row.action for row in workspace.versions()] == ["write_file", "found"]
    workspace.close()


def test_a_file_that_cannot_be_put_back_is_left_and_the_others_are_done(tmp_path: Path):
    files = FailingFileSystem()
    workspace = Workspace(tmp_path, files=files)
    (tmp_path / "a.txt").write_text("a0")
    (tmp_path / "b.txt").write_text("b0")
    write(workspace, "a.txt", "a1")
    write(workspace, "b.txt", "b1")
    plan = workspace.plan_undo()
    files.step, files.at = "replace", files.calls.count("replace") + 1
    outcome = workspace.carry_out(plan)
    assert outcome.done == ("b.txt",)
    assert "the disk is full" in outcome.left[0][1]
    assert snapshot(tmp_path) == {"a.txt": b"a1", "b.txt": b"b0"}
    workspace.close()


def test_versions_can_be_switched_off(tmp_path: Path):
    workspace = Workspace(tmp_path, versions=False)
    write(workspace, "a.txt", "x")
    assert workspace.versions() == []
    assert snapshot(tmp_path) == {"a.txt": b"x"}
    with pytest.raises(WorkspaceError, match="No versions"):
        workspace.plan_undo()
    workspace.close()


def test_names_that_are_not_utf8_have_versions(workspace: Workspace, tmp_path: Path):
    name = os.fsdecode(b"caf\xe9.txt")
    (tmp_path / name).write_text("old")
    write(workspace, name, "x")
    assert {row.shown for row in workspace.versions(name)} == {"caf\\xe9.txt"}
    assert undo(workspace)[0] == ("caf\\xe9.txt",)
    assert snapshot(tmp_path) == {name: b"old"}


def test_a_version_says_what_it_changed_and_what_is_there_now(workspace: Workspace, tmp_path: Path):
    (tmp_path / "a.txt").write_bytes(b"old\r\n")
    write(workspace, "a.txt", "new\n")
    (tmp_path / "a.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    workspace.plan_undo()
    changes = [workspace.version_change(row) for row in workspace.versions("a.txt")]
    assert changes[1:] == [FileChange("a.txt", "old\n", "new\n"), FileChange("a.txt", None, "old\n")]
    assert changes[0].before == "new\n"
    assert (changes[0].after or "").startswith("(PNG picture")
    assert workspace.text_now("a.txt") == changes[0].after
    assert workspace.text_now("b.txt") is None
    assert workspace.text_now(".").startswith("(not shown")  # type: ignore[union-attr]


def test_a_deleted_file_with_an_odd_name_is_found_by_the_name_that_is_shown(tmp_path: Path):
    (tmp_path / "a\nb.txt").write_text("x\n")
    workspace = Workspace(tmp_path)
    write(workspace, "a\nb.txt", "y\n")
    (tmp_path / "a\nb.txt").unlink()
    plan = workspace.plan_restore("a\\nb.txt", 1)
    assert [row.number for row in workspace.versions("a\\nb.txt")] == [3, 2, 1]
    assert workspace.carry_out(plan).done == ("a\\nb.txt",)
    assert (tmp_path / "a\nb.txt").read_text() == "x\n"
    workspace.close()


def test_a_plan_says_what_it_takes_back_and_which_files_go(workspace: Workspace, tmp_path: Path):
    write(workspace, "a.txt", "1\n")
    write(workspace, "b.txt", "1\n")
    (tmp_path / "b.txt").write_text("mine\n")
    plan = workspace.plan_undo()
    assert plan.deed == "undone"
    assert plan.about.startswith("request 1 of ")
    assert [file.goes() for file in plan.files] == [True, False]
    assert [file.goes({"b.txt"}) for file in plan.files] == [True, True]
    assert workspace.carry_out(plan, {"b.txt"}).left == ()
    assert workspace.plan_redo().about.startswith("undo 2 of ")
    assert workspace.plan_restore("a.txt", 1).about == ""


def test_subagents_are_the_authors_of_what_they_write(workspace: Workspace):
    write(workspace, "a.txt", "x", reader="css helper")
    assert workspace.versions()[0].author == "css helper"


# --- keeping it small ---


def add(store: HistoryStore, content: bytes, before: bytes | None) -> None:
    """A version by the agent, without a file."""
    found = [None if data is None else Found(digest_of(data), data, None) for data in (content, before)]
    with store.change(
        "a", found[0], lambda: found[1], operation=1, author="agent", action="edit_file", others="you", temporary="t"
    ):
        pass


def test_the_oldest_versions_go_and_those_of_a_running_session_stay(tmp_path: Path):
    old = HistoryStore(tmp_path, "old", most_versions=10)
    for number in range(30):
        add(old, b"%d" % number, b"%d" % (number - 1) if number else None)
    assert len(old.versions()) == 30
    old.close()
    new = HistoryStore(tmp_path, "new", most_versions=10)
    new.register()
    numbers = [row.number for row in new.versions()]
    assert numbers == list(range(30, 20, -1))
    add(new, b"x", b"29")
    assert new.versions()[0].number == 31
    new.close()


def test_a_size_limit_drops_contents_that_nothing_needs(tmp_path: Path):
    old = HistoryStore(tmp_path, "old")
    contents = [os.urandom(10_000) for _ in range(20)]
    for before, content in pairwise([None, *contents]):
        add(old, content or b"", before)
    old.close()
    new = HistoryStore(tmp_path, "new", most_bytes=50_000)
    new.register()
    kept = [row for row in new.versions() if row.size is not None]
    assert 1 <= len(kept) <= 5
    assert kept[0].number == 20
    new.close()
    size = sum(path.stat().st_size for path in (tmp_path / ".roomcode" / "history").iterdir())
    assert size < 120_000


def test_equal_contents_are_kept_once_and_compressed(workspace: Workspace, tmp_path: Path):
    for number in range(10):
        write(workspace, "a.txt", f"{'long line of text ' * 500}{number % 2}\n")
    with sqlite3.connect(tmp_path / ".roomcode" / "history" / "versions.db") as connection:
        count, size = connection.execute("SELECT count(*), sum(length(packed)) FROM contents").fetchone()
    connection.close()
    assert count == 2
    assert size < 2000


# --- damage, locks, other processes ---


def test_a_damaged_history_is_put_aside_and_that_is_said(tmp_path: Path):
    folder = tmp_path / ".roomcode" / "history"
    folder.mkdir(parents=True)
    (folder / "versions.db").write_bytes(b"this is no database at all" * 100)
    workspace = Workspace(tmp_path)
    notes = write(workspace, "a.txt", "x")
    assert "damaged" in "".join(notes)
    assert len(workspace.versions()) == 1
    assert len(list(folder.glob("versions-damaged-*.db"))) == 1
    assert write(workspace, "a.txt", "y") == ()
    workspace.close()


def test_a_history_that_cannot_be_made_stops_the_write(tmp_path: Path):
    (tmp_path / ".roomcode").write_text("a file in its place")
    workspace = Workspace(tmp_path)
    with pytest.raises(WorkspaceError, match="Earlier versions cannot be kept"):
        write(workspace, "a.txt", "x")
    assert snapshot(tmp_path) == {".roomcode": b"a file in its place"}


def test_a_newer_history_is_not_touched(tmp_path: Path, workspace: Workspace):
    write(workspace, "a.txt", "x")
    workspace.close()
    path = tmp_path / ".roomcode" / "history" / "versions.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    other = Workspace(tmp_path)
    with pytest.raises(WorkspaceError, match="newer roomcode"):
        write(other, "a.txt", "y")
    assert (tmp_path / "a.txt").read_text() == "x"
    assert path.exists()


def test_a_lock_that_another_holds_for_long_is_an_error_and_nothing_is_written(tmp_path: Path, workspace: Workspace):
    write(workspace, "a.txt", "x")
    other = sqlite3.connect(tmp_path / ".roomcode" / "history" / "versions.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = HistoryStore(tmp_path, "two", wait=0.05)
    second = Workspace(tmp_path, store=store)
    with pytest.raises(WorkspaceError, match="another roomcode"):
        write(second, "a.txt", "y")
    other.execute("ROLLBACK")
    other.close()
    assert (tmp_path / "a.txt").read_text() == "x"
    write(second, "a.txt", "y")
    second.close()


def test_undo_passes_over_the_requests_of_another_roomcode_that_runs(tmp_path: Path, workspace: Workspace):
    write(workspace, "a.txt", "mine")
    other = Workspace(tmp_path, session="two")
    other.begin_request(1)
    write(other, "b.txt", "theirs")
    assert [file.path for file in workspace.plan_undo().files] == ["a.txt"]
    assert [file.path for file in workspace.plan_undo(any_session=True).files] == ["b.txt"]
    other.close()
    assert [file.path for file in workspace.plan_undo().files] == ["b.txt"]


SCRIPT = """
    import os, sys
    from pathlib import Path
    from roomcode.workspace import RealFileSystem, TextFile, Workspace

    class Killed(RealFileSystem):
        def sync(self, handle):
            super().sync(handle)
            if sys.argv[2] == "before":
                os._exit(9)
        def sync_folder(self, path):
            super().sync_folder(path)
            if sys.argv[2] == "after":
                os._exit(9)

    root, mode, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    workspace = Workspace(root, files=Killed())
    workspace.begin_request(1)
    for number in range(count):
        target = workspace.resolve(f"{mode}-{number % 3}.txt" if mode == "many" else "a.txt")
        before = workspace.load(target) if target.path.exists() else None
        workspace.save(target, TextFile(f"{os.getpid()} {number}"), before=before, reader="x", tool="write_file")
    workspace.close()
"""


def run(root: Path, mode: str, count: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(SCRIPT), str(root), mode, str(count)])


def test_a_process_killed_before_the_rename_leaves_the_old_file_and_no_litter_for_long(tmp_path: Path):
    (tmp_path / "a.txt").write_text("old")
    assert run(tmp_path, "before", 1).wait(30) == 9
    assert (tmp_path / "a.txt").read_text() == "old"
    assert len(snapshot(tmp_path)) == 2
    workspace = Workspace(tmp_path)
    write(workspace, "b.txt", "x")
    assert snapshot(tmp_path) == {"a.txt": b"old", "b.txt": b"x"}
    assert [row.action for row in workspace.versions("a.txt")] == ["found"]
    workspace.close()


def test_a_process_killed_after_the_rename_has_made_a_version_that_can_be_undone(tmp_path: Path):
    (tmp_path / "a.txt").write_text("old")
    assert run(tmp_path, "after", 1).wait(30) == 9
    assert (tmp_path / "a.txt").read_text() != "old"
    workspace = Workspace(tmp_path)
    write(workspace, "b.txt", "x")
    undo(workspace)
    undo(workspace)
    assert snapshot(tmp_path) == {"a.txt": b"old"}
    workspace.close()


def test_two_processes_write_at_once_and_every_version_is_kept(tmp_path: Path):
    processes = [run(tmp_path, "many", 12) for _ in range(2)]
    codes = [process.wait(60) for process in processes]
    workspace = Workspace(tmp_path)
    rows = workspace.versions()
    contents = {workspace.version_content(row) for row in rows if row.author != "you"}
    ours = [content for content in contents if content]
    assert all(row.size is not None for row in rows)
    # A process that loses the race for a file stops with an error; what it wrote before is there.
    assert 0 in codes or ours
    for name in ("many-0.txt", "many-1.txt", "many-2.txt"):
        numbers = [row.number for row in workspace.versions(name)]
        assert numbers == list(range(len(numbers), 0, -1))
        assert workspace.version_content(workspace.versions(name)[0]) == (tmp_path / name).read_bytes()
    assert not list(tmp_path.glob(".*roomcode-tmp"))
    workspace.close()


def test_threads_share_a_workspace(workspace: Workspace, tmp_path: Path):
    errors: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(5):
                write(workspace, name, f"{number}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(f"{n}.txt",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(workspace.versions()) == 20
