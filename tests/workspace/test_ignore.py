"""Git's ignore rules, and walks that never enter what is ignored."""

import subprocess
from pathlib import Path

import pytest

from roomcode.workspace.ignore import Ignore, LeftOut, walk


def put(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")


def walked(root: Path, start: str = ".", **options: str) -> tuple[list[str], LeftOut]:
    left_out = LeftOut()
    return [found.rel for found in walk(Ignore(root, **options), start, left_out)], left_out


def test_ignored_files_and_folders_are_left_out_and_counted(tmp_path: Path):
    put(tmp_path, "a.js", "b.log", "dist/x.js", "src/c.log", "src/d.js", ".git/config", "node_modules/p/i.js")
    put(tmp_path, ".roomcode/config.toml")
    (tmp_path / ".gitignore").write_text("*.log\ndist/\n")
    files, left_out = walked(tmp_path)
    assert files == [".gitignore", "a.js", "src/d.js"]
    assert left_out.count == 5
    assert set(left_out.names) == {".git/", "b.log", "dist/", "node_modules/", "src/c.log"}


def test_nested_rules_and_negation(tmp_path: Path):
    put(tmp_path, "a.txt", "sub/keep.txt", "sub/b.txt", "sub/deep/keep.txt", "out/keep.txt")
    (tmp_path / ".gitignore").write_text("*.txt\nout/\n")
    (tmp_path / "sub" / ".gitignore").write_text("!keep.txt\n")
    (tmp_path / "out" / ".gitignore").write_text("!keep.txt\n")
    files, _ = walked(tmp_path)
    assert files == [".gitignore", "sub/.gitignore", "sub/keep.txt", "sub/deep/keep.txt"]


def test_an_ignored_folder_is_walked_when_it_is_asked_for_by_name(tmp_path: Path):
    put(tmp_path, "node_modules/p/index.js", "node_modules/p/node_modules/q/index.js")
    assert Ignore(tmp_path).ignores("node_modules/p", folder=True)
    files, left_out = walked(tmp_path, "node_modules/p", below="node_modules/p")
    assert files == ["node_modules/p/index.js"]
    assert left_out.names == ["node_modules/p/node_modules/"]


def test_a_file_below_an_ignored_folder_is_ignored(tmp_path: Path):
    (tmp_path / ".gitignore").write_text("build/\n!build/keep.js\n")
    assert Ignore(tmp_path).ignores("build/keep.js", folder=False)
    assert not Ignore(tmp_path).ignores("src/build.js", folder=False)


def test_rules_above_a_project_inside_a_repository_count(tmp_path: Path):
    put(tmp_path, "app/a.tmp", "app/a.js", "app/secret.js")
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("secret.js\n")
    (tmp_path / ".gitignore").write_text("*.tmp\n/app/b.js\n")
    put(tmp_path, "app/b.js")
    assert walked(tmp_path / "app")[0] == ["a.js"]


def test_rules_that_are_not_utf8_or_not_valid_do_no_harm(tmp_path: Path):
    (tmp_path / ".gitignore").write_bytes(b"caf\xe9\n!\n***/[\n*.log\n")
    put(tmp_path, "a.log", "a.js")
    assert walked(tmp_path)[0] == [".gitignore", "a.js"]


def test_links_are_not_followed(tmp_path: Path):
    put(tmp_path, "a/x.js")
    (tmp_path / "a" / "again").symlink_to(tmp_path, target_is_directory=True)
    assert walked(tmp_path)[0] == ["a/x.js"]


def test_a_walk_ends_when_it_is_stopped(tmp_path: Path):
    put(tmp_path, *(f"d{number}/f.js" for number in range(20)))
    answers = iter([False, False, False, False, True])
    assert len(list(walk(Ignore(tmp_path), ".", LeftOut(), lambda: next(answers)))) == 3


def test_the_same_files_as_git(tmp_path: Path):
    put(tmp_path, "a.js", "b/c.js", "b/c.o", "b/keep.o", "x y.o", "doc/frotz/a", "doc/a/frotz/b", "foo/bar/q", "é.o")
    (tmp_path / ".gitignore").write_text("*.o\n!/b/keep.o\ndoc/frotz/\n/foo/*\n!/foo/bar\n\n# note\n\\#x\n")
    try:
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
        told = subprocess.run(
            ["git", "-C", tmp_path, "ls-files", "-zco", "--exclude-standard"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("git is not here")
    assert sorted(walked(tmp_path)[0]) == sorted(told.strip("\0").split("\0"))
