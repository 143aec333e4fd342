"""write_file: what is written, what is refused, and what the model is told."""

import os
import stat
import unicodedata

import pytest

from roomcode.protocol.approval import Decision
from roomcode.protocol.display import FileChange
from tests.support.files import Project, snapshot

PAGE = "<!doctype html>\n<html>\n<body>\n<h1>A</h1>\n</body>\n</html>\n"
LONG = "".join(f"function f{number}() {{}}\n" for number in range(120))


async def test_a_new_file_is_created_as_given(project: Project):
    content = 'it’s “fine” — ok\n\tlog("$& \\1 \\u201c");\n'
    result = await project.call("write_file", path="js/a.js", content=content)
    assert (result.state, result.changed) == ("ok", ("js/a.js",))
    assert result.text == "Created js/a.js (2 lines)."
    assert project.bytes("js/a.js").decode() == content
    assert result.display == FileChange("js/a.js", None, content)


async def test_replacing_keeps_encoding_line_ends_and_mode(project: Project):
    path = project.put("a.bat", b"\xef\xbb\xbfone\r\ntwo\r\n")
    path.chmod(0o755)
    await project.call("write_file", path="a.bat", content="one\n2\nthree\n")
    assert project.bytes("a.bat") == b"\xef\xbb\xbfone\r\n2\r\nthree\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


async def test_the_change_asked_about_is_the_change_made(project: Project):
    project.put("a.txt", b"old\r\n")
    await project.call("write_file", path="a.txt", content="new\n")
    assert [asked.change for asked in project.gate.asked] == [FileChange("a.txt", "old\n", "new\n")]
    assert project.gate.asked[0].tool == "write_file"


async def test_a_rejection_writes_nothing_and_gives_the_reason_to_the_model(project: Project):
    project.put("a.txt", "old")
    before = snapshot(project.root)
    project.gate.decision = Decision(False, "use css/")
    result = await project.call("write_file", path="a.txt", content="new")
    assert result.state == "rejected"
    assert "Reason: use css/" in result.text
    assert snapshot(project.root) == before
    assert not (project.root / ".roomcode").exists()


async def test_a_text_edited_by_the_person_is_what_is_written_and_shown_to_the_model(project: Project):
    project.put("a.txt", b"old\r\n")
    project.gate.decision = Decision(True, content="theirs\nand more\n")
    result = await project.call("write_file", path="a.txt", content="new\n")
    assert project.bytes("a.txt") == b"theirs\r\nand more\r\n"
    assert "The person changed your text" in result.text
    assert "1: theirs\n2: and more" in result.text
    assert result.display == FileChange("a.txt", "old\n", "theirs\nand more\n")
    project.gate.decision = Decision(True)
    assert (await project.call("edit_file", path="a.txt", old="theirs", new="x")).state == "ok"


async def test_exactly_what_the_file_holds_is_unchanged(project: Project):
    project.put("a.txt", b"same\r\n")
    result = await project.call("write_file", path="a.txt", content="same\n")
    assert result.state == "unchanged"
    assert result.ok
    assert "Serve it, fix something else, or finish" in result.text
    assert project.gate.asked == []


async def test_a_fragment_never_replaces_a_whole_page(project: Project):
    project.put("index.html", PAGE)
    result = await project.call("write_file", path="index.html", content="<h1>B</h1>")
    assert result.state == "failed"
    assert "edit_file" in result.text
    assert result.hint == "copy_old"
    assert project.bytes("index.html").decode() == PAGE
    assert (await project.call("write_file", path="index.html", content="<!DOCTYPE html><h1>B")).state == "ok"


async def test_a_placeholder_for_left_out_code_is_refused_every_time(project: Project):
    project.put("game.js", LONG)
    for _ in range(3):
        result = await project.call(
            "write_file", path="game.js", content="function f0() { return 1; }\n// ... rest of the code unchanged\n"
        )
        assert result.state == "failed"
        assert "rest of the code unchanged" in result.text
        assert "edit_file" in result.text
    assert project.bytes("game.js").decode() == LONG


async def test_losing_most_of_a_long_file_is_refused_once_and_then_asked_about(project: Project):
    project.put("game.js", LONG)
    result = await project.call("write_file", path="game.js", content="let a;\n" * 15)
    assert result.state == "failed"
    assert "drop 105 of the 120 lines" in result.text
    assert project.gate.asked == []
    result = await project.call("write_file", path="game.js", content="let a;\n" * 15)
    assert result.state == "ok"
    assert len(project.gate.asked) == 1


@pytest.mark.parametrize("cut_at", [None, 8192])
async def test_a_missing_content_is_refused_and_never_empty(project: Project, cut_at: int | None):
    project.put("game.js", LONG)
    result = await project.call("write_file", path="game.js", cut_at=cut_at)
    assert result.state == "failed"
    assert project.bytes("game.js").decode() == LONG
    if cut_at:
        assert "cut at 8,192 tokens" in result.text
        assert "append" in result.text
        assert result.hint == "parts"
    else:
        assert "content is missing" in result.text


async def test_an_empty_content_is_allowed(project: Project):
    project.put("game.js", LONG)
    assert (await project.call("write_file", path="game.js", content="")).state == "ok"
    assert (await project.call("write_file", path="new.css", content="")).text == "Created new.css (0 lines)."
    assert snapshot(project.root) == {"game.js": b"", "new.css": b""}


async def test_append_adds_to_the_end_on_a_line_of_its_own(project: Project):
    project.put("a.js", b"one();\r\ntwo();")
    result = await project.call("write_file", path="a.js", content="three();\n", append=True)
    assert project.bytes("a.js") == b"one();\r\ntwo();\r\nthree();\r\n"
    assert result.text == "Appended 1 line to a.js (now 3 lines)."
    await project.call("write_file", path="a.js", content="four();", append=True)
    assert project.bytes("a.js") == b"one();\r\ntwo();\r\nthree();\r\nfour();"


async def test_append_to_a_missing_file_creates_it(project: Project):
    result = await project.call("write_file", path="a.js", content="x\n", append=True)
    assert (result.state, project.bytes("a.js")) == ("ok", b"x\n")


async def test_an_append_that_starts_like_the_file_replaces_it(project: Project):
    project.put("index.html", PAGE)
    longer = PAGE.replace("</body>", "<p>more</p>\n</body>")
    result = await project.call("write_file", path="index.html", content=longer, append=True)
    assert project.bytes("index.html").decode() == longer
    assert "instead of doubling it" in result.text


async def test_nothing_outside_the_project_is_ever_written(project: Project, tmp_path_factory: pytest.TempPathFactory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "victim.txt").write_text("v")
    os.symlink(outside, project.root / "out")
    os.symlink(outside / "victim.txt", project.root / "note.md")
    os.symlink(outside / "notyet", project.root / "draft.txt")
    for path in ("out/x.txt", "note.md", "draft.txt", "../x.txt", "/home/user/x.txt", "~/x.txt", "C:\\x.txt"):
        result = await project.call("write_file", path=path, content="x")
        assert result.state == "failed", path
        assert (await project.call("edit_file", path=path, old="v", new="x")).state == "failed"
    assert snapshot(outside) == {"victim.txt": b"v"}
    assert sorted(snapshot(project.root)) == ["draft.txt", "note.md", "out"]


async def test_a_link_inside_the_project_is_written_through(project: Project):
    project.put("css/s.css", "a")
    os.symlink("css/s.css", project.root / "main.css")
    result = await project.call("write_file", path="main.css", content="b")
    assert result.changed == ("css/s.css",)
    assert "main.css is a link to css/s.css" in result.text
    assert (project.root / "main.css").is_symlink()
    assert project.bytes("css/s.css") == b"b"


async def test_an_odd_spelling_of_a_path_makes_no_odd_file(project: Project):
    for path in ("/index.html", "index.html ", '"index.html"', "file:///index.html", "./app/../index.html"):
        assert (await project.call("write_file", path=path, content=f"<!doctype html>{path}")).state == "ok"
    assert list(snapshot(project.root)) == ["index.html"]


async def test_the_other_form_of_an_accent_is_the_same_file(project: Project):
    decomposed = unicodedata.normalize("NFD", "Café.html")
    project.put(decomposed, "old")
    await project.call("write_file", path=unicodedata.normalize("NFC", "Café.html"), content="new")
    assert snapshot(project.root) == {decomposed: b"new"}


@pytest.mark.parametrize("path", [".env", ".git/config", "deploy/key.pem", ".roomcode/config.toml"])
async def test_protected_files_are_never_written(project: Project, path: str):
    result = await project.call("write_file", path=path, content="x")
    assert result.state == "failed"
    assert "protected" in result.text
    assert project.gate.asked == []
    assert not (project.root / path).exists()


async def test_places_that_cannot_be_written_say_why(project: Project):
    project.put("css/s.css", "a")
    project.put("locked.txt", "a").chmod(0o444)
    project.put("logo.png", b"\x89PNG\r\n\x1a\n\0")
    expected = {
        "css": "is a folder",
        "css/s.css/x.css": "css/s.css is a file, not a folder",
        ".": "is the project folder",
        "locked.txt": "read-only",
        "logo.png": "PNG picture",
        "x" * 300: "the name is too long",
    }
    for path, why in expected.items():
        result = await project.call("write_file", path=path, content="new")
        assert result.state == "failed", path
        assert why in result.text


async def test_a_character_that_the_file_cannot_hold_is_refused(project: Project):
    project.put("a.txt", b"caf\xe9\n")
    result = await project.call("write_file", path="a.txt", content="café ✓\n")
    assert "cannot hold the character '✓'" in result.text
    assert project.bytes("a.txt") == b"caf\xe9\n"
    assert project.gate.asked == []
    assert (await project.call("write_file", path="a.txt", content="cafés\n")).state == "ok"
    assert project.bytes("a.txt") == b"caf\xe9s\n"


async def test_writing_twice_and_editing_between_without_reading_is_never_stale(project: Project):
    project.put("a.js", "one\ntwo\n")
    await project.call("read_file", path="a.js")
    for tool, arguments in [
        ("edit_file", {"old": "one", "new": "1"}),
        ("edit_file", {"old": "two", "new": "2"}),
        ("write_file", {"content": "x\n"}),
        ("write_file", {"content": "y\n"}),
    ]:
        assert (await project.call(tool, path="a.js", **arguments)).state == "ok"
    os.utime(project.root / "a.js", (1, 1))
    assert (await project.call("write_file", path="a.js", content="z\n")).state == "ok"


async def test_a_change_by_hand_is_never_overwritten_unseen(project: Project):
    project.put("a.js", "one\n")
    await project.call("read_file", path="a.js")
    project.put("a.js", "mine\n")
    result = await project.call("write_file", path="a.js", content="theirs\n")
    assert result.state == "failed"
    assert "changed by hand" in result.text
    assert "1: mine" in result.text
    assert project.bytes("a.js") == b"mine\n"
    assert (await project.call("write_file", path="a.js", content="theirs\n")).state == "ok"


async def test_a_change_by_a_subagent_is_named(project: Project):
    project.put("a.js", "one\n")
    await project.call("read_file", path="a.js")
    await project.call("write_file", path="a.js", content="two\n", reader="css helper")
    result = await project.call("write_file", path="a.js", content="three\n")
    assert "changed by css helper" in result.text
    assert "1: two" in result.text


async def test_a_change_while_the_person_is_asked_is_not_overwritten(project: Project):
    project.put("a.js", "one\n")
    await project.call("read_file", path="a.js")

    project.gate.meanwhile = lambda: project.put("a.js", "saved in the editor\n")
    result = await project.call("write_file", path="a.js", content="two\n")
    assert result.state == "failed"
    assert "1: saved in the editor" in result.text
    assert project.bytes("a.js") == b"saved in the editor\n"


async def test_a_large_refusal_stays_within_the_limit_of_a_result(project: Project):
    project.put("a.js", "x\n")
    await project.call("read_file", path="a.js")
    project.put("a.js", LONG * 20)
    result = await project.call("write_file", path="a.js", content="y\n")
    assert len(result.text) <= 6000
    assert result.text.endswith("Make your change to this text.")


async def test_line_numbers_that_were_copied_are_left_out_also_of_an_append(project: Project):
    result = await project.call("write_file", path="a.js", content="1: let alphabet = 1;\n2: let b;\n")
    assert project.bytes("a.js") == b"let alphabet = 1;\nlet b;\n"
    assert "the line numbers of read_file were left out" in result.text
    again = await project.call(
        "write_file", path="a.js", content="1: let alphabet = 1;\n2: let b;\n3: let c;", append=True
    )
    assert project.bytes("a.js") == b"let alphabet = 1;\nlet b;\nlet c;"
    assert "it replaced the file instead of doubling it" in again.text


async def test_nothing_is_added_behind_the_end_of_a_page(project: Project):
    project.put("index.html", PAGE)
    result = await project.call("write_file", path="index.html", content="<p>more</p>\n", append=True)
    assert result.state == "failed"
    assert "it ends with </html>" in result.text
    assert "use edit_file" in result.text
    assert project.bytes("index.html") == PAGE.encode()
    project.put("part.html", "<ul>\n<li>one</li>\n")
    assert (await project.call("write_file", path="part.html", content="</ul>\n", append=True)).state == "ok"
    project.put("notes.txt", "about </html>\n")
    assert (await project.call("write_file", path="notes.txt", content="more\n", append=True)).state == "ok"


@pytest.mark.parametrize(
    ("path", "content", "held"),
    [
        ("a.html", "```html\n<!doctype html>\n<p>a</p>\n```", "<!doctype html>\n<p>a</p>\n"),
        ("a.html", "```html\n<p>a</p>\n</html>\n```\n<tool_call>", "<p>a</p>\n</html>\n"),
        ("a.js", "\n~~~\nlet a = `x`;", "let a = `x`;"),
        ("a.css", "<style>\np { top: 0 }\n</style>", "p { top: 0 }\n"),
        ("a.js", "<script type='module'>let a;</script>\n", "let a;"),
        ("a.js", "const a = '<script>';\n", "const a = '<script>';\n"),
        ("a.html", "<style>\np { top: 0 }\n</style>", "<style>\np { top: 0 }\n</style>"),
        ("a.md", "```js\nlet a;\n```\n", "```js\nlet a;\n```\n"),
        ("a.js", "let a;\n// ```\n", "let a;\n// ```\n"),
    ],
)
async def test_what_stands_around_the_whole_text_is_left_out(project: Project, path: str, content: str, held: str):
    result = await project.call("write_file", path=path, content=content)
    assert (project.root / path).read_text() == held
    assert ("left out" in result.text) == (held != content)


async def test_rules_for_a_style_sheet_are_put_behind_those_that_are_there(project: Project):
    path = project.put("a.css", b"body { color: red; }\nh1 { color: blue; }\n")
    project.workspace.load(project.workspace.resolve("a.css"), reader="conversation")
    result = await project.call("write_file", path="a.css", content="button { color: green; }")
    assert path.read_text() == "body { color: red; }\nh1 { color: blue; }\nbutton { color: green; }"
    assert "behind" in result.text
    await project.call("write_file", path="a.css", content="body { color: red; }")
    assert path.read_text() == "body { color: red; }", "a shorter version of it is one"
