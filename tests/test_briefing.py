"""What a model is told when a request begins, and what its first call may be."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from roomcode.briefing import Briefing, Level
from roomcode.workspace import CONVERSATION, Workspace


class Told:
    """A briefing about a folder; `held` is what the conversation says, `faults` what the page shows."""

    def __init__(self, folder: Path, level: Level, room: int = 4000) -> None:
        self.workspace = Workspace(folder, versions=False)
        self.held = ""
        self.faults: list[str] = []
        self.asked: list[str] = []
        self.briefing = Briefing(
            self.workspace,
            level=level,
            count=len,
            room=lambda: room,
            held=lambda: self.held,
            faults=self._faults,
        )

    async def _faults(self, prompt: str) -> Sequence[str]:
        self.asked.append(prompt)
        return self.faults

    async def begin(self, request: int, prompt: str) -> list[str]:
        self.workspace.begin_request(request)
        return list(await self.briefing.begin(request, prompt))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text("<h1>Shop</h1>\n")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    (tmp_path / ".env").write_text("KEY=secret\n")
    return tmp_path


async def test_the_text_of_a_small_project_stands_with_the_request_and_counts_as_read(site: Path) -> None:
    told = Told(site, "text")
    names, text = await told.begin(1, "Make the heading red")
    assert names == "(Files in the project: .env, index.html, logo.png)"
    assert text == "(What the files hold now)\n\nindex.html\n```html\n<h1>Shop</h1>\n```"
    assert set(told.workspace.known(CONVERSATION)) == {"index.html"}


async def test_what_is_wrong_now_is_told_with_every_change_and_with_no_question(site: Path) -> None:
    told = Told(site, "text")
    told.faults = ["app.js:2 x is null"]
    assert (await told.begin(1, "Fix it"))[-1] == "(What is wrong now)\n- app.js:2 x is null"
    told.held = "<h1>Shop</h1>"
    told.faults = ["app.js:3 y is null"]
    assert await told.begin(2, "Fix it again") == ["(What is wrong now)\n- app.js:3 y is null"]
    assert not any("wrong" in line for line in await told.begin(3, "What is it?"))
    assert told.asked == ["Fix it", "Fix it again"]


async def test_later_requests_tell_what_changed_by_hand_and_how_it_reads_now(site: Path) -> None:
    told = Told(site, "text")
    await told.begin(1, "look at it")
    told.held = "<h1>Shop</h1>"
    (site / "index.html").write_text("<h1>Market</h1>\n")
    changed, text = await told.begin(2, "Make it red")
    assert changed == "(Changed by hand since your last answer: index.html)"
    assert "<h1>Market</h1>" in text


@pytest.mark.parametrize(("level", "lines"), [("names", ["(Files in the project: a.js)"]), ("none", [])])
async def test_larger_models_are_told_names_or_nothing(tmp_path: Path, level: Level, lines: list[str]) -> None:
    (tmp_path / "a.js").write_text("let a;")
    told = Told(tmp_path, level)
    assert await told.begin(1, "Fix it") == lines
    assert told.asked == []


@pytest.mark.parametrize(
    ("level", "prompt", "tools"),
    [
        ("text", "Make it red", ("edit_file",)),
        ("text", "Put it into app.js", ("edit_file", "write_file")),
        ("names", "Make it red", ("read_file", "search", "list_dir")),
        ("names", "Make a new page", ("write_file", "read_file", "search", "list_dir")),
        ("text", "What colour is it?", ()),
        ("names", "What colour is it?", ("read_file", "search", "list_dir")),
        ("text", "hello", ()),
        ("names", "hello", ("read_file", "search", "list_dir")),
    ],
)
async def test_the_first_call_suits_what_is_asked_and_what_is_known(
    site: Path, level: Level, prompt: str, tools: tuple[str, ...]
) -> None:
    told = Told(site, level)
    await told.begin(1, prompt)
    assert told.briefing.first_tools() == tools


@pytest.mark.parametrize(("prompt", "tools"), [("Make it red", 1), ("hello", 0), ("What is in it?", 0)])
async def test_in_an_empty_folder_only_a_change_has_to_begin_with_a_call(
    tmp_path: Path, prompt: str, tools: int
) -> None:
    told = Told(tmp_path, "names")
    assert await told.begin(1, prompt) == ["(Empty project.)"]
    assert len(told.briefing.first_tools()) == tools


async def test_a_project_that_is_too_large_is_not_taken_as_known(site: Path) -> None:
    (site / "long.js").write_text("let something = 1;\n" * 2000)
    told = Told(site, "text")
    await told.begin(1, "Where is the Shop?")
    assert told.briefing.first_tools() == ("read_file", "search", "list_dir")
    await told.begin(2, "Fix the Shop")
    assert told.briefing.first_tools() == ("edit_file", "read_file")
    assert told.briefing.mending_tools(write=False, changed=True) == ("edit_file", "read_file")
    assert told.briefing.mending_tools(write=True, changed=True) == ("write_file", "edit_file", "read_file")


async def test_what_is_known_whole_is_mended_without_reading_it_again(site: Path) -> None:
    told = Told(site, "text")
    await told.begin(1, "Fix the Shop")
    assert told.briefing.mending_tools(write=False, changed=False) == ("edit_file",)
    await told.begin(2, "Make a new page")
    assert told.briefing.mending_tools(write=False, changed=False) == ("write_file", "edit_file")
    assert told.briefing.mending_tools(write=False, changed=True) == ("edit_file",), "it would only be sent again"


async def test_where_nothing_is_yet_something_is_written_and_then_edited(tmp_path: Path) -> None:
    told = Told(tmp_path, "text")
    await told.begin(1, "Make a page")
    assert told.briefing.mending_tools(write=False, changed=False) == ("write_file",)
    assert told.briefing.mending_tools(write=False, changed=True) == ("edit_file",)
    assert told.briefing.mending_tools(write=True, changed=True) == ("write_file", "edit_file")


async def test_new_files_that_a_request_names_are_the_ones_to_write(site: Path) -> None:
    told = Told(site, "text")
    await told.begin(1, "Move the CSS of index.html into a new file looks.css")
    assert told.briefing.to_write == ("looks.css",)
    await told.begin(2, "Make it nicer")
    assert told.briefing.to_write == ()
