"""What the model sees of folders and files, within the limits of one call."""

import os
import re
from pathlib import Path

import pytest

from roomcode.protocol.approval import Decision
from roomcode.protocol.display import TextBlock
from tests.support.files import Project


async def test_a_folder_lists_folders_first_and_sizes(project: Project):
    project.put("b.js", "x" * 1200)
    project.put("a.html", "x")
    project.put("css/s.css", "x")
    result = await project.call("list_dir")
    assert result.text == "css/\na.html 1 B\nb.js 1.2 KB"
    assert result.state == "ok"
    assert result.changed == ()


async def test_ignored_entries_are_left_out_and_counted(project: Project):
    for name in (".gitignore", "a.log", "dist/x", "node_modules/p/x", "keep.js"):
        project.put(name, "*.log\ndist\n")
    text = (await project.call("list_dir")).text
    assert text == ".gitignore 11 B\nkeep.js 11 B\n[3 ignored: dist/, node_modules/, a.log]"


async def test_an_ignored_folder_is_listed_and_read_when_asked_for_by_name(project: Project):
    project.put("node_modules/p/index.js", "exports.x = 1\n")
    assert (await project.call("list_dir", path="node_modules/p")).text == "index.js 14 B"
    assert (await project.call("read_file", path="node_modules/p/index.js")).text == "1: exports.x = 1"


async def test_a_folder_shows_at_most_200_entries(project: Project):
    for number in range(250):
        project.put(f"f{number:03}.txt", "")
    lines = (await project.call("list_dir")).text.split("\n")
    assert len(lines) == 201
    assert lines[199].startswith("f199.txt")
    assert lines[200].startswith("[200 of 250 entries")


async def test_folders_that_are_empty_missing_or_files(project: Project):
    project.put("css/main/s.css", "a")
    assert (await project.call("list_dir", path="css")).text == "main/"
    missing = await project.call("list_dir", path="css/mian")
    assert missing.state == "failed"
    assert "Did you mean css/main?" in missing.text
    file = await project.call("list_dir", path="css/main/s.css")
    assert "Use read_file" in file.text
    (project.root / "empty").mkdir()
    assert (await project.call("list_dir", path="empty")).text == "(empty folder)"


async def test_names_and_links_are_shown_safely(project: Project):
    project.put("two\nlines.txt", "x")
    (project.root / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    os.symlink("two", project.root / "link")
    os.mkfifo(project.root / "pipe")
    text = (await project.call("list_dir")).text
    assert text == "caf\\xe9.txt 1 B\nlink -> two\npipe (not a regular file)\ntwo\\nlines.txt 1 B"
    assert (await project.call("read_file", path="two\\nlines.txt")).text == "1: x"
    assert (await project.call("read_file", path="caf\\xe9.txt")).text == "1: x"


async def test_a_file_has_line_numbers_and_unix_line_ends(project: Project):
    project.put("a.js", b"\xef\xbb\xbfone\r\n\r\n\tthree\r\n")
    result = await project.call("read_file", path="a.js")
    assert result.text == "1: one\n2: \n3: \tthree"
    assert isinstance(result.display, TextBlock)


async def test_200_lines_a_call_and_where_to_read_on(project: Project):
    project.put("a.txt", "".join(f"{number}\n" for number in range(1, 451)))
    first = (await project.call("read_file", path="a.txt")).text
    assert first.split("\n")[199] == "200: 200"
    assert first.split("\n")[200] == "[lines 1-200 of 450; read_file start=201 reads on]"
    second = (await project.call("read_file", path="a.txt", start=201)).text
    assert second.startswith("201: 201\n")
    assert second.endswith("[lines 201-400 of 450; read_file start=401 reads on]")
    third = (await project.call("read_file", path="a.txt", start=401)).text
    assert third.endswith("450: 450")


async def test_8000_characters_a_call_of_which_6000_are_shown_and_the_gap_is_named(project: Project):
    project.put("a.txt", "".join(f"line {number} {'x' * 60}\n" for number in range(1, 1000)))
    text = (await project.call("read_file", path="a.txt")).text
    assert len(text) <= 6000
    gap = re.search(r"\[lines (\d+)-(\d+) left out; read_file start=(\d+) shows them\]", text)
    end = re.search(r"\[lines 1-(\d+) of 999; read_file start=(\d+) reads on\]$", text)
    assert gap is not None
    assert end is not None
    first, last, start = (int(number) for number in gap.groups())
    assert first == start
    shown = [int(number) for number in re.findall(r"^(\d+): line", text, re.MULTILINE)]
    assert shown == [*range(1, first), *range(last + 1, int(end[1]) + 1)]
    assert 100 <= int(end[1]) <= 120
    assert int(end[2]) == int(end[1]) + 1


async def test_a_line_of_two_megabytes_is_cut_visibly_and_can_be_read_on(project: Project):
    project.put("app.min.js", "0123456789" * 209_715 + "ab")
    text = (await project.call("read_file", path="app.min.js")).text
    assert "[line cut: 2,000 of 2,097,152 characters; read_file start=1 column=2001 reads on]" in text
    assert len(text) < 2200
    text = (await project.call("read_file", path="app.min.js", start=1, column=2001)).text
    assert text.startswith("1: 0123456789")
    assert "[characters 2,001 to 6,000 of 2,097,152; read_file start=1 column=6001 reads on]" in text
    assert len(text) < 4200
    text = (await project.call("read_file", path="app.min.js", column=2_097_145)).text
    assert text == "1: 456789ab\n[end of file]"
    assert "past its end" in (await project.call("read_file", path="app.min.js", column=9_000_000)).text


async def test_a_page_with_embedded_pictures_stays_small(project: Project):
    line = '<img src="data:image/png;base64,' + "A" * 500_000 + '">\n'
    project.put("big.html", "<!doctype html>\n" + line * 10 + "</html>\n")
    text = (await project.call("read_file", path="big.html")).text
    assert len(text) <= 6000
    assert text.startswith("1: <!doctype html>\n2: <img")


async def test_four_cases_with_four_answers(project: Project):
    project.put("index.html", "x\n" * 40)
    project.put("x.css", "")
    (project.root / "img").mkdir()
    folder = await project.call("read_file", path="img/")
    missing = await project.call("read_file", path="indx.html")
    past = await project.call("read_file", path="index.html", start=99999)
    empty = await project.call("read_file", path="x.css")
    assert folder.text == "img is a folder, not a file. Use list_dir to see what is in it."
    assert missing.text == "There is no file indx.html. Did you mean index.html?"
    assert past.text == "index.html has 40 lines; line 99,999 is past the end."
    assert empty.text == "(empty file)"
    assert [result.state for result in (folder, missing, past, empty)] == ["failed", "failed", "ok", "ok"]


async def test_a_missing_file_in_an_empty_project_and_one_that_is_elsewhere(project: Project):
    assert "The project is empty" in (await project.call("read_file", path="a.js")).text
    project.put("src/deep/app.js", "x")
    assert "Did you mean src/deep/app.js?" in (await project.call("read_file", path="app.js")).text
    assert "The project has: src/deep/app.js." in (await project.call("read_file", path="zebra")).text


@pytest.mark.parametrize("arguments", [{}, {"path": ""}, {"path": "  "}])
async def test_a_call_without_a_path_is_answered_with_an_example(project: Project, arguments: dict[str, str]):
    result = await project.call("read_file", **arguments)
    assert result.state == "failed"
    assert "read_file needs a path" in result.text
    assert "Example: read_file path=index.html" in result.text
    assert result.hint == "format"


async def test_binary_files_are_named_with_kind_and_size(project: Project):
    project.put("logo.png", b"\x89PNG\r\n\x1a\n" + bytes(12_000))
    project.put("noise", os.urandom(65_536))
    assert "logo.png is not text: PNG picture, 12 KB" in (await project.call("read_file", path="logo.png")).text
    assert "noise is not text: binary file, 66 KB" in (await project.call("read_file", path="noise")).text


async def test_a_file_of_50_megabytes_is_refused_with_its_size_and_not_read(project: Project):
    with (project.root / "data.csv").open("wb") as file:
        file.truncate(50_000_000)
    result = await project.call("read_file", path="data.csv")
    assert result.state == "failed"
    assert "too large: 50 MB" in result.text


async def test_a_pipe_is_not_opened(project: Project):
    os.mkfifo(project.root / "pipe")
    assert "not a regular file" in (await project.call("read_file", path="pipe")).text


async def test_what_is_read_is_what_is_on_disk(project: Project):
    await project.call("write_file", path="README.md", content="The path is ~/.roomcode/<project>/<id>.jsonl.")
    assert project.bytes("README.md") == b"The path is ~/.roomcode/<project>/<id>.jsonl."
    assert (await project.call("read_file", path="README.md")).text == (
        "1: The path is ~/.roomcode/<project>/<id>.jsonl."
    )
    project.put("README.md", "other")
    assert (await project.call("read_file", path="README.md")).text == "1: other"


async def test_a_protected_file_is_shown_only_after_the_person_agreed(project: Project):
    project.put(".env", "KEY=1")
    project.gate.decision = Decision(False, "not that one")
    refused = await project.call("read_file", path=".env")
    assert refused.state == "rejected"
    assert "KEY" not in refused.text
    assert "not that one" in refused.text
    assert project.gate.asked[0].reading
    project.gate.decision = Decision(True)
    assert (await project.call("read_file", path=".env")).text == "1: KEY=1"
    assert len(project.gate.asked) == 2


async def test_start_below_one_is_the_start(project: Project):
    project.put("a.txt", "a\nb\n")
    assert (await project.call("read_file", path="a.txt", start=-3)).text == "1: a\n2: b"


async def test_how_a_path_was_taken_is_noted(project: Project):
    project.put("index.html", "x")
    text = (await project.call("read_file", path="/index.html")).text
    assert text == "1: x\nNote: /index.html was taken as index.html: paths start at the project folder."


def test_the_root_must_be_a_folder(tmp_path: Path):
    with pytest.raises(Exception, match="not a folder"):
        Project(tmp_path / "missing")
