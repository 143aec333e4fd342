"""edit_file: one place changes, byte for byte, or nothing does."""

import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roomcode.protocol.approval import Decision
from roomcode.protocol.display import FileChange
from tests.support.files import Project, snapshot


async def test_an_exact_edit_in_a_file_with_windows_line_ends(project: Project):
    project.put("win.js", b"let a = 1;\r\nlet b = 2;\r\nlet c = 3;\r\n")
    result = await project.call(
        "edit_file", path="win.js", old="let a = 1;\nlet b = 2;", new="let a = 10;\nlet b = 20;"
    )
    assert project.bytes("win.js") == b"let a = 10;\r\nlet b = 20;\r\nlet c = 3;\r\n"
    assert result.text == "Edited win.js, lines 1-2."
    assert result.changed == ("win.js",)


async def test_windows_line_ends_in_the_call_itself(project: Project):
    project.put("a.txt", "one\nline2\nthree\n")
    await project.call("edit_file", path="a.txt", old="line2\r\n", new="two\r\n")
    assert project.bytes("a.txt") == b"one\ntwo\nthree\n"


@pytest.mark.parametrize(
    "data",
    [
        b"const x = 1;\n// caf\xe9 note\n",
        "const x = 1;\n// 日本語\n".encode("shift-jis"),
        "const x = 1;\n// 中文\n".encode("gbk"),
        "const x = 1;\r\n// é\n".encode("utf-16"),
        b"\xef\xbb\xbfconst x = 1;\n",
        "const x = 1; // ｆｕｌｌ  \n\n\n".encode(),
    ],
)
async def test_bytes_outside_the_edit_stay_whatever_the_encoding(project: Project, data: bytes):
    project.put("a.js", data)
    assert (await project.call("edit_file", path="a.js", old="const x = 1;", new="const x = 2;")).state == "ok"
    one, two = ("1".encode(c) for c in ("utf-16-le", "utf-16-le")) if b"\0" in data else (b"1", b"1")
    assert project.bytes("a.js") == data.replace(one, two.replace(b"1", b"2"), 1)


async def test_mode_and_history_are_kept(project: Project):
    project.put("run.sh", "echo a\n").chmod(0o755)
    await project.call("edit_file", path="run.sh", old="a\n", new="b\n")
    assert stat.S_IMODE((project.root / "run.sh").stat().st_mode) == 0o755
    assert [row.action for row in project.workspace.versions("run.sh")] == ["edit_file", "found"]


async def test_a_loose_match_is_said_and_shown_and_asked_about_as_it_will_be(project: Project):
    project.put("f.js", "function f() {\n\treturn  1;\n}")
    result = await project.call("edit_file", path="f.js", old="    return 1;", new="    return 2;")
    assert project.bytes("f.js") == b"function f() {\n\treturn 2;\n}"
    assert "Loose match" in result.text
    assert "2: \treturn 2;" in result.text
    change = project.gate.asked[0].change
    assert change == FileChange("f.js", "function f() {\n\treturn  1;\n}", "function f() {\n\treturn 2;\n}", loose=True)


async def test_several_places_are_listed(project: Project):
    project.put("a.js", "a();\nb();\na();\n")
    result = await project.call("edit_file", path="a.js", old="a();", new="c();")
    assert result.state == "failed"
    assert "at lines 1, 3" in result.text
    assert result.hint == "copy_old"


async def test_a_miss_shows_the_closest_lines(project: Project):
    project.put("a.js", "function total(items) {\n  return 1;\n}\n")
    result = await project.call("edit_file", path="a.js", old="function totals(item) {", new="x")
    assert result.state == "failed"
    assert "1: function total(items) {" in result.text
    assert result.hint == "copy_old"
    result = await project.call("edit_file", path="a.js", old="@@@", new="x")
    assert "Use read_file path=a.js" in result.text


async def test_an_empty_old_is_refused(project: Project):
    project.put("index.html", "<p>a</p>")
    for old in ("", "\n", "  "):
        result = await project.call("edit_file", path="index.html", old=old, new="x")
        assert result.state == "failed"
        assert "old is empty" in result.text
        assert "append" in result.text
    missing = await project.call("edit_file", path="new.html", old="", new="x")
    assert missing.state == "failed"
    assert "write_file" in missing.text
    assert snapshot(project.root) == {"index.html": b"<p>a</p>"}


async def test_old_equal_to_new_is_an_error(project: Project):
    project.put("a.js", "x = 1\n")
    result = await project.call("edit_file", path="a.js", old="x = 1", new="x = 1")
    assert result.state == "failed"
    assert not result.ok
    assert "the same" in result.text


async def test_an_edit_that_is_done_already_is_unchanged(project: Project):
    project.put("a.js", "const speed = 20;\n")
    result = await project.call("edit_file", path="a.js", old="const speed = 10;", new="const speed = 20;")
    assert result.state == "unchanged"
    assert "already holds" in result.text


async def test_a_loose_match_that_changes_nothing_is_unchanged(project: Project):
    project.put("a.js", "\tf(1);\n")
    result = await project.call("edit_file", path="a.js", old="  f( 1);", new="    f( 1);")
    assert result.state in ("unchanged", "failed")
    assert project.bytes("a.js") == b"\tf(1);\n"


async def test_missing_texts_are_refused(project: Project):
    project.put("a.js", "x\n")
    result = await project.call("edit_file", path="a.js", old="x")
    assert "new is missing" in result.text
    assert (await project.call("edit_file", path="a.js")).text.startswith("old and new are missing")
    cut = await project.call("edit_file", path="a.js", old="x", cut_at=512)
    assert "cut at 512 tokens" in cut.text
    assert project.bytes("a.js") == b"x\n"


async def test_a_new_text_that_leaves_code_out_is_refused(project: Project):
    project.put("a.js", "function f() {\n  a();\n  b();\n}\n")
    result = await project.call(
        "edit_file", path="a.js", old="  a();\n  b();\n", new="  a(1);\n  // ... rest of the function\n"
    )
    assert result.state == "failed"
    assert "leaves code out" in result.text


async def test_line_numbers_copied_from_a_reading_do_no_harm(project: Project):
    project.put("a.js", "one();\ntwo();\n")
    await project.call("edit_file", path="a.js", old="1: one();\n2: two();", new="1: one(1);\n2: two();")
    assert project.bytes("a.js") == b"one(1);\ntwo();\n"


async def test_a_rejected_edit_writes_nothing(project: Project):
    project.put("a.js", "one();\n")
    project.gate.decision = Decision(False)
    result = await project.call("edit_file", path="a.js", old="one", new="two")
    assert (result.state, project.bytes("a.js")) == ("rejected", b"one();\n")


async def test_a_very_long_line_is_edited_whole(project: Project):
    project.put("a.min.js", "x" * 1_000_000 + "needle" + "y" * 1_000_000)
    result = await project.call("edit_file", path="a.min.js", old="needle", new="thread")
    assert project.bytes("a.min.js") == b"x" * 1_000_000 + b"thread" + b"y" * 1_000_000
    assert len(result.text) < 200
    loose = await project.call("edit_file", path="a.min.js", old="thread\u00a0", new="z")
    assert loose.state == "failed"
    assert len(loose.text) < 6000


async def test_a_stale_edit_is_refused_once_with_the_fresh_content(project: Project):
    project.put("a.js", "one();\ntwo();\n")
    await project.call("read_file", path="a.js")
    project.put("a.js", "one();\n\n\ntwo();\n")
    result = await project.call("edit_file", path="a.js", old="two();", new="2();")
    assert result.state == "failed"
    assert "changed by hand" in result.text
    assert "4: two();" in result.text
    assert (await project.call("edit_file", path="a.js", old="two();", new="2();")).state == "ok"


async def test_a_formatter_that_touches_the_file_each_time_makes_no_loop(project: Project):
    project.put("a.js", "one();\n")
    await project.call("read_file", path="a.js")
    states = []
    for number in range(4):
        project.put("a.js", f"one();\n// formatted {number}\n")
        result = await project.call("edit_file", path="a.js", old="one();", new="two();")
        states.append(result.state)
        if result.ok:
            break
    assert states == ["failed", "ok"]
    assert "changed by hand meanwhile" in result.text
    assert project.bytes("a.js") == b"two();\n// formatted 1\n"


LINE = st.tuples(st.text("ab =(){};“é\t ", max_size=8), st.sampled_from(["\n", "\r\n"]))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINE, min_size=1, max_size=8), st.booleans(), st.text("xy\n", max_size=6), st.data())
async def test_any_edit_changes_the_named_place_only(
    project: Project, lines: list[tuple[str, str]], bom: bool, new: str, data: st.DataObject
):
    raw = "".join(body + ending for body, ending in lines)
    stored = (b"\xef\xbb\xbf" if bom else b"") + raw.encode()
    project.put("p.txt", stored)
    project.workspace.forget()
    shown = raw.replace("\r\n", "\n")
    start = data.draw(st.integers(0, len(shown) - 1))
    old = shown[start : data.draw(st.integers(start + 1, len(shown)))]
    result = await project.call("edit_file", path="p.txt", old=old, new=new)
    after = project.bytes("p.txt")
    if result.state != "ok":
        assert after == stored
        return
    text = after.decode("utf-8-sig").replace("\r\n", "\n")
    places = [at for at in range(len(shown)) if shown.startswith(old, at)]
    assert after.startswith(b"\xef\xbb\xbf") == bom
    if len(places) == 1:
        assert text == shown[: places[0]] + new + shown[places[0] + len(old) :]
        head = "".join(body + ending for body, ending in lines[: shown.count("\n", 0, places[0])]).encode()
        assert after.removeprefix(b"\xef\xbb\xbf").startswith(head)


async def test_line_numbers_that_were_copied_do_not_reach_the_file(project: Project):
    project.put("a.js", "let a = 1;\nlet b = 2;\nlet c = 3;\n")
    result = await project.call(
        "edit_file", path="a.js", old="1: let a = 1;\n2: let b = 2;", new="1: let a = 1;\n2: let b = 20;"
    )
    assert project.bytes("a.js") == b"let a = 1;\nlet b = 20;\nlet c = 3;\n"
    assert "the line numbers of read_file were left out" in result.text


async def test_text_that_looks_like_line_numbers_and_stands_in_the_file_is_kept(project: Project):
    project.put("a.js", "x = `\n1: one\n2: two\n`;\n")
    await project.call("edit_file", path="a.js", old="1: one\n2: two", new="3: three\nfour")
    assert project.bytes("a.js") == b"x = `\n3: three\nfour\n`;\n"


async def test_lines_before_the_edit_that_are_sent_with_it_are_not_doubled(project: Project):
    project.put("a.html", "<main>\n<ul>\n<li>Rye bread</li>\n<li>Spelt bread</li>\n</ul>\n</main>\n")
    new = "<ul>\n<li>Rye bread</li>\n<li>Spelt bread</li>\n<li>Oat</li>\n</ul>"
    result = await project.call("edit_file", path="a.html", old="</ul>", new=new)
    assert project.bytes("a.html") == f"<main>\n{new}\n</main>\n".encode()
    assert "was not written twice" in result.text


async def test_what_closes_a_replaced_element_is_not_doubled(project: Project):
    project.put("a.html", "<main>\n<p>Open</p>\n</main>\n")
    await project.call("edit_file", path="a.html", old="<p>Open", new="<p>Closed</p>")
    assert project.bytes("a.html") == b"<main>\n<p>Closed</p>\n</main>\n"


async def test_a_whole_function_in_place_of_its_first_line_takes_the_place_of_the_function(project: Project):
    text = "function fee(days) {\n  return days * 2;\n}\nshow(fee(3));\n"
    for name in ("fee.js", "fee.txt"):
        project.put(name, text)
        new = "function fee(days) {\n  return 10;\n}"
        result = await project.call("edit_file", path=name, old="function fee(days) {", new=new)
        whole = name.endswith(".js")
        assert project.bytes(name).decode() == (
            f"{new}\nshow(fee(3));\n" if whole else f"{new}\n  return days * 2;\n}}\nshow(fee(3));\n"
        )
        assert ("took the place of the whole block" in result.text) == whole


async def test_lines_behind_the_edit_that_are_sent_with_it_are_not_doubled(project: Project):
    project.put("a.html", "<ul>\n<li>Rye</li>\n<li>Spelt</li>\n<li>Barley bread</li>\n</ul>\n")
    new = "<li>Oat</li>\n<li>Spelt</li>\n<li>Barley bread</li>"
    result = await project.call("edit_file", path="a.html", old="<li>Rye</li>", new=new)
    assert project.bytes("a.html") == b"<ul>\n<li>Oat</li>\n<li>Spelt</li>\n<li>Barley bread</li>\n</ul>\n"
    assert "was not written twice" in result.text


@pytest.mark.parametrize(
    ("prompt", "tool", "given", "said"),
    [
        (
            "Make it red. Do not change a.css.",
            "edit_file",
            {"path": "a.css", "old": "p", "new": "b"},
            "not to be changed",
        ),
        ("Make it red. Do not change a.css.", "write_file", {"path": "a.css", "content": "b {}"}, "not to be changed"),
        ("Make it red without new files.", "write_file", {"path": "b.css", "content": "b {}"}, "wants no new files"),
    ],
)
async def test_what_the_request_forbids_is_not_written(
    project: Project, prompt: str, tool: str, given: dict[str, str], said: str
):
    project.put("a.css", "p {}\n")
    before = snapshot(project.root)
    result = await project.call(tool, prompt=prompt, **given)
    assert result.state == "failed"
    assert said in result.text
    assert snapshot(project.root) == before
    assert (await project.call(tool, prompt="Make it red", **given)).state == "ok"


async def test_a_whole_page_in_place_of_a_piece_takes_the_place_of_the_page(project: Project):
    page = "<!doctype html>\n<html>\n<body>\n<p>a</p>\n</body>\n</html>\n"
    project.put("a.html", page)
    new = page.replace("<p>a</p>", "<p>b</p>").rstrip("\n")
    result = await project.call("edit_file", path="a.html", old="</body>\n</html>", new=new)
    assert project.bytes("a.html").decode() == new
    assert "took the place of the whole page" in result.text
    long = page.replace("<p>a</p>\n", "<p>a</p>\n" * 40)
    project.put("b.html", long)
    result = await project.call("edit_file", path="b.html", old="</body>\n</html>", new=new)
    assert result.state == "failed"
    assert project.bytes("b.html").decode() == long
