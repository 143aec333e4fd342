"""Text files keep every byte that an edit does not name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.workspace import WorkspaceError
from roomcode.workspace.encodings import NotText, decode
from roomcode.workspace.textfile import TextFile, unified

SAMPLES = {
    "empty": b"",
    "utf-8": "naïve — 日本語 👩🏽‍💻\n".encode(),
    "utf-8 bom": b"\xef\xbb\xbflet a = 1;\r\n",
    "only bom": b"\xef\xbb\xbf",
    "utf-16 le": "a\r\nb é\n".encode("utf-16"),
    "utf-16 be": b"\xfe\xff" + "x\ny".encode("utf-16-be"),
    "utf-16 without bom": "plain ascii text\r\n".encode("utf-16-le"),
    "utf-32": b"\xff\xfe\x00\x00" + "ab\n".encode("utf-32-le"),
    "latin-1": b"const x = 1;\n// caf\xe9 note\n",
    "windows-1252": b"it\x92s \x93fine\x94\r\n",
    "shift-jis": "// 日本語テスト\nlet a = 1;\n".encode("shift-jis"),
    "gbk": "// 中文注释\nlet a = 1;\n".encode("gbk"),
    "cp1251": "Привет, мир\n".encode("cp1251"),
    "mostly utf-8": "äöü äöü ß\n".encode() + b"\xff one wrong\n",
    "mixed endings": b"a\r\nb\nc\rd\r\n\r\re",
    "no final newline": b"a\nb",
    "only newlines": b"\n\r\n\n",
    "tabs and form feed": b"\ta\x0c\n",
    "escape sequences": b"\x1b[31mred\x1b[0m\n",
}


@pytest.mark.parametrize("data", SAMPLES.values(), ids=SAMPLES.keys())
def test_reading_and_writing_gives_the_same_bytes(data: bytes):
    file = TextFile.parse(data)
    assert file.to_bytes() == data
    assert "\r" not in file.text
    file.text.encode("utf-8")


@pytest.mark.parametrize(
    "data",
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", bytes(range(256)) * 4, b"text with \0 in it", b"\xff\xfe\x00", b"\x00" * 64],
)
def test_binary_data_is_not_text(data: bytes):
    with pytest.raises(NotText):
        TextFile.parse(data)


def change(data: bytes, old: str, new: str) -> bytes:
    file = TextFile.parse(data)
    start = file.text.index(old)
    return file.replace(start, start + len(old), new).to_bytes()


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        (b"let a = 1;\r\nlet b = 2;\r\n", "let a = 1;\nlet b", "let a = 10;\nlet b", b"let a = 10;\r\nlet b = 2;\r\n"),
        (b"one\r\nline2\r\nthree\r\n", "line2\n", "two\n", b"one\r\ntwo\r\nthree\r\n"),
        (b"one\r\ntwo\r\n", "two\n", "two\nthree\n", b"one\r\ntwo\r\nthree\r\n"),
        (b"const x = 1;\n// caf\xe9\n", "x = 1", "x = 2", b"const x = 2;\n// caf\xe9\n"),
        (b"\xef\xbb\xbfa\n", "a", "b", b"\xef\xbb\xbfb\n"),
        (b"a\r\nb\nc\r\n", "b", "B\nBB", b"a\r\nB\nBB\nc\r\n"),
        (b"a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc", b"a\r\nB\nc\r\n"),
        (b"a\r\nb\nc\r\n", "a\nb\nc\n", "a\nc\n", b"a\r\nc\r\n"),
        (b"x\ry\rz", "y", "1\n2", b"x\r1\r2\rz"),
        (b"a\nb", "b", "c", b"a\nc"),
    ],
)
def test_an_edit_keeps_encoding_mark_and_line_ends(data: bytes, old: str, new: str, expected: bytes):
    assert change(data, old, new) == expected


def test_carriage_returns_in_new_text_become_the_ending_of_the_file():
    assert change(b"a\nb\n", "b", "x\r\ny") == b"a\nx\ny\n"
    assert change(b"a\r\nb\r\n", "b", "x\r\ny") == b"a\r\nx\r\ny\r\n"


def test_replacing_the_whole_text_keeps_the_ending_of_each_line_that_stays():
    file = TextFile.parse(b"keep\r\nold\nkeep too\r\n")
    assert file.with_text("keep\nnew\nkeep too\n").to_bytes() == b"keep\r\nnew\nkeep too\r\n"


def test_a_character_that_does_not_fit_is_named():
    file = TextFile.parse(b"caf\xe9\n").with_text("✓")
    with pytest.raises(WorkspaceError, match="Windows-1252 and cannot hold the character '✓'"):
        file.to_bytes()


def test_half_a_character_is_refused():
    with pytest.raises(WorkspaceError, match="half a character"):
        TextFile("a\ud800").to_bytes()


def test_a_wrong_byte_survives_in_utf8_and_new_text_is_utf8():
    data = "äöü\n".encode() + b"\xff\n" + b"end\n"
    assert change(data, "end", "ß") == "äöü\n".encode() + b"\xff\n" + "ß\n".encode()


def test_line_count_ignores_a_final_newline():
    assert [TextFile(text).lines for text in ("", "a", "a\n", "a\nb", "\n")] == [0, 1, 1, 2, 1]


ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])
LINES = st.lists(st.tuples(st.text("aé“ \t;日", max_size=5), ENDINGS), max_size=12)
CODECS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be-mark"])


def stored(text: str, codec: str) -> bytes:
    return b"\xfe\xff" + text.encode("utf-16-be") if codec == "utf-16-be-mark" else text.encode(codec)


@settings(deadline=None)
@given(LINES, st.text("xé\t", max_size=4), CODECS, st.data())
def test_every_byte_outside_a_changed_span_is_what_it_was(lines: list, tail: str, codec: str, data: st.DataObject):
    raw = "".join(body + ending for body, ending in lines) + tail
    before = stored(raw, codec)
    file = TextFile.parse(before)
    assert file.text == unified(raw)
    start = data.draw(st.integers(0, len(file.text)))
    end = data.draw(st.integers(start, len(file.text)))
    new = data.draw(st.text("ab\nü", max_size=8))
    after = file.replace(start, end, new)
    head, rest = raw_parts(raw, start, end)
    if not new and head.endswith("\r") and rest.startswith("\n"):
        # Without what stood between them the two are one line end, and both must stay as they are.
        return
    got, encoding = decode(after.to_bytes())
    assert encoding.bom == TextFile.parse(before).encoding.bom or not raw
    assert got.startswith(head)
    assert got.endswith(rest)
    assert unified(got[len(head) : len(got) - len(rest)]) == new
    assert after.text == file.text[:start] + new + file.text[end:]


def raw_parts(raw: str, start: int, end: int) -> tuple[str, str]:
    """The stored text before and after a span of the shown text."""
    offsets = [0]
    at = 0
    while at < len(raw):
        at += 2 if raw.startswith("\r\n", at) else 1
        offsets.append(at)
    return raw[: offsets[start]], raw[offsets[end] :]


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_text_that_comes_back_or_not_text(data: bytes):
    try:
        file = TextFile.parse(data)
    except NotText:
        return
    assert file.to_bytes() == data
    assert "\0" not in file.text
