"""Which values of a call's arguments exist, and the text that an edit is held to."""

import os

import pytest

from roomcode.tools.grounding import existing_paths, text_to_edit, text_to_make
from tests.support.files import Project


def test_an_edit_takes_files_that_hold_something(project: Project) -> None:
    project.put("a.html", "<p>a</p>\n")
    project.put("css/empty.css", "")
    project.put("css/b.css", "p {}\n")
    choices = existing_paths(project.workspace)
    assert choices("edit_file", "path") == ("a.html", "css/b.css")
    assert set(choices("read_file", "path") or ()) == {"a.html", "css/b.css", "css/empty.css"}
    assert choices("list_dir", "path") == (".", "css")
    assert choices("serve", "path") == (".", "a.html")
    assert choices("write_file", "path") is None
    assert choices("edit_file", "old") is None


def test_with_very_many_files_paths_are_free(project: Project) -> None:
    for number in range(1001):
        project.put(f"{number}.txt", "x")
    assert existing_paths(project.workspace)("edit_file", "path") is None


@pytest.mark.parametrize("data", [b"one\r\ntwo\r\n", b"one\ntwo\n", b"\xef\xbb\xbfone\r\ntwo\n", b"one\rtwo\r"])
def test_the_text_to_edit_has_the_line_ends_that_the_model_sees(project: Project, data: bytes) -> None:
    project.put("a.txt", data)
    assert text_to_edit(project.workspace)("a.txt") == "one\ntwo\n"


def test_the_text_to_edit_is_what_is_on_disk_now(project: Project) -> None:
    text = text_to_edit(project.workspace)
    project.put("a.txt", "before\n")
    assert text("a.txt") == "before\n"
    project.put("a.txt", "after\n")
    assert text("a.txt") == "after\n"


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n\0\0\0", b"x" * 60_001, b"\0" * 40], ids=["picture", "long", "binary"]
)
def test_no_edit_is_held_to_what_is_no_text_or_too_long(project: Project, data: bytes) -> None:
    project.put("a.txt", data)
    assert text_to_edit(project.workspace)("a.txt") is None


def test_no_edit_is_held_to_what_is_not_there_or_outside(project: Project) -> None:
    outside = project.root.parent / "secret.txt"
    outside.write_text("secret\n")
    os.symlink(outside, project.root / "link.txt")
    text = text_to_edit(project.workspace)
    assert [text(path) for path in ("none.txt", "../secret.txt", "link.txt", ".", "")] == [None] * 5


def test_reading_a_file_to_hold_an_edit_does_not_count_as_seeing_it(project: Project) -> None:
    project.put("a.txt", "text\n")
    text_to_edit(project.workspace)("a.txt")
    assert project.workspace.known() == {}


def test_files_that_are_to_stay_are_not_edited_and_no_new_ones_written(project: Project) -> None:
    project.put("a.css", "p {}")
    project.put("b.html", "<p>")
    assert existing_paths(project.workspace, kept={"a.css"})("edit_file", "path") == ("b.html",)
    assert existing_paths(project.workspace, kept={"a.css"})("write_file", "path") is None
    closed = existing_paths(project.workspace, kept={"a.css"}, new_files=False)
    assert closed("write_file", "path") == ("b.html",)
    both = existing_paths(project.workspace, kept={"a.css", "b.html"}, new_files=False)
    assert both("write_file", "path") is None, "something has to be possible"
    assert both("edit_file", "path") == ("a.css", "b.html")


def test_only_a_new_file_gets_a_known_text(project: Project) -> None:
    text = text_to_make(project.workspace, {"app.js": "let a;\n", "there.js": "let b;\n"})
    project.put("there.js", "let c;\n")
    assert [text(path) for path in ("app.js", "./app.js", "there.js", "other.js", "../app.js")] == [
        "let a;\n", "let a;\n", None, None, None,
    ]  # fmt: skip
