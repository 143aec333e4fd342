"""`roomcode files`, `undo` and `redo` from the command line."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from roomcode.commands.files import files, redo, undo
from roomcode.workspace import TextFile, Workspace


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.js").write_bytes(b"one\r\n")
    workspace = Workspace(tmp_path)
    for number, text in ((1, "two\n"), (2, "three\n")):
        workspace.begin_request(number)
        target = workspace.resolve("a.js")
        before = workspace.load(target)
        workspace.save(target, before.file.with_text(text), before=before, reader="conversation", tool="write_file")
    workspace.save(workspace.resolve("b@2"), TextFile("b"), before=None, reader="helper", tool="write_file")
    workspace.close()
    return tmp_path


def run(command: object, project: Path, *words: str) -> Result:
    return CliRunner().invoke(command, [*words, "--dir", str(project)])  # type: ignore[arg-type]


def test_log_lists_versions_newest_first(project: Path):
    lines = run(files, project, "log").stdout.splitlines()
    assert [line.split("  ")[1] for line in lines] == ["b@2@1", "a.js@3", "a.js@2", "a.js@1"]
    assert lines[0].endswith("written, helper  request 2")
    assert lines[3].endswith("as it was, you")
    assert len(run(files, project, "log", "a.js", "-n", "2").stdout.splitlines()) == 2


def test_log_of_nothing(project: Path, tmp_path_factory: pytest.TempPathFactory):
    result = run(files, tmp_path_factory.mktemp("empty"), "log")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no versions" in result.stderr


def test_show_gives_the_bytes_of_a_version(project: Path):
    assert run(files, project, "show", "a.js@1").stdout_bytes == b"one\r\n"
    assert run(files, project, "show", "a.js").stdout_bytes == b"three\r\n"
    assert run(files, project, "show", "b@2").stdout_bytes == b"b"
    missing = run(files, project, "show", "a.js@9")
    assert missing.exit_code == 1
    assert "no version 9 of a.js" in missing.stderr


def test_diff_goes_from_the_version_to_now(project: Path):
    assert run(files, project, "diff", "a.js@1").stdout.splitlines()[2:] == ["@@ -1 +1 @@", "-one", "+three"]
    assert run(files, project, "diff", "a.js").stdout.splitlines()[3:] == ["-two", "+three"]


def test_restore_brings_back_a_version(project: Path):
    result = run(files, project, "restore", "a.js@1")
    assert (result.exit_code, result.stdout) == (0, "restored: a.js\n")
    assert (project / "a.js").read_bytes() == b"one\r\n"


def test_undo_shows_what_changes_and_wants_a_yes(project: Path):
    result = run(undo, project)
    assert result.exit_code == 2
    assert "+two" in result.stderr
    assert (project / "a.js").read_bytes() == b"three\r\n"
    result = run(undo, project, "--yes")
    assert result.stdout.splitlines() == ["undone: a.js", "undone: b@2"]
    assert (project / "a.js").read_bytes() == b"two\r\n"
    assert run(redo, project, "--yes").stdout.splitlines() == ["redone: a.js", "redone: b@2"]
    assert (project / "b@2").read_text() == "b"


def test_undo_of_a_request_leaves_what_changed_since_unless_forced(project: Path):
    result = run(undo, project, "--request", "1", "--yes")
    assert result.exit_code == 1
    assert "left as it is: a.js (it was changed later by agent (request 2))" in result.stderr
    assert run(undo, project, "--request", "1", "--yes", "--force").exit_code == 0
    assert (project / "a.js").read_bytes() == b"one\r\n"


def test_nothing_to_undo_is_one_sentence(tmp_path: Path):
    result = run(undo, tmp_path)
    assert (result.exit_code, result.stderr) == (1, "Error: No versions are kept here yet.\n")
    assert run(undo, tmp_path, "--request", "x").exit_code == 2
