"""A session file that anything may have happened to gives up all that is still in it."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.protocol.events import Call, Note, Text
from roomcode.session.errors import SessionError
from roomcode.session.reading import SessionReader, records_in
from roomcode.session.records import VERSION, Record, State, TurnRecord, encode_record
from tests.support.sessions import SETUP, header, request, write

RECORDS: list[Record] = [
    header(),
    SETUP,
    *request(1, calls=("a.js", "b.js")),
    TurnRecord(id=1, turn="request", request=1, step=0, text='say {"kind":"text"} and \n <|im_end|>', tokens=(1, 2)),
    State(time=1.0, ports={5173: "index.html"}, known={"ä.js": None}),
]
LINES = [encode_record(record) for record in RECORDS]


def read(path: Path, data: bytes) -> tuple[list[Record], SessionReader]:
    path.write_bytes(data)
    reader = SessionReader(path)
    return list(reader), reader


def test_what_was_written_is_read(tmp_path: Path) -> None:
    records, reader = read(tmp_path / "s", b"".join(LINES))
    assert records == RECORDS
    assert reader.damaged == 0
    assert reader.size == len(b"".join(LINES))


@given(at=st.integers(0, len(b"".join(LINES))))
def test_a_file_that_ends_at_any_byte_keeps_its_whole_lines(tmp_path_factory: pytest.TempPathFactory, at: int) -> None:
    data = b"".join(LINES)[:at]
    records, reader = read(tmp_path_factory.mktemp("cut") / "s", data)
    whole = data.count(b"\n")
    # A line whose newline alone is missing counts as well.
    assert records in (RECORDS[:whole], RECORDS[: whole + 1])
    assert reader.damaged == 0


@given(after=st.integers(1, len(LINES) - 1), count=st.integers(1, 5000), ends=st.booleans())
def test_blocks_of_nul_bytes_cost_nothing(
    tmp_path_factory: pytest.TempPathFactory, after: int, count: int, ends: bool
) -> None:
    data = b"".join(LINES[:after]) + b"\0" * count + (b"\n" if ends else b"") + b"".join(LINES[after:])
    records, reader = read(tmp_path_factory.mktemp("nul") / "s", data)
    assert records == RECORDS
    assert reader.damaged == 0


@given(st.lists(st.integers(1, len(LINES) - 1), min_size=2, max_size=4))
def test_records_on_one_line_are_told_apart(numbers: Sequence[int]) -> None:
    fused = b"".join(LINES[n].rstrip(b"\n") for n in numbers)
    assert records_in(fused) == ([RECORDS[n] for n in numbers], True)


@given(
    torn=st.integers(0, len(LINES) - 1),
    after=st.integers(0, len(LINES) - 1),
    share=st.floats(0.01, 0.99),
)
def test_a_record_glued_to_a_torn_one_survives(torn: int, after: int, share: float) -> None:
    line = LINES[torn].rstrip(b"\n")
    piece = line[: max(1, int(len(line) * share))]
    found, whole = records_in(piece + LINES[after])
    assert found[-1] == RECORDS[after]
    assert len(found) == 1
    assert not whole


def test_a_beginning_inside_an_argument_is_no_record() -> None:
    call = Call(call="1.1.1", tool="plan", arguments={"steps": [{"kind": "text", "text": "x", "thought": False}]})
    note = Note(topic="notice", text="n")
    found, whole = records_in(encode_record(call).rstrip(b"\n") + encode_record(note))
    assert found == [call, note]
    assert whole


@given(st.lists(st.binary(max_size=80), max_size=4), st.integers(0, len(LINES)))
def test_rubbish_never_raises_and_costs_only_itself(
    tmp_path_factory: pytest.TempPathFactory, rubbish: list[bytes], at: int
) -> None:
    lines = [piece.replace(b"\n", b"") + b"\n" for piece in rubbish]
    data = b"".join([*LINES[:at], *lines, *LINES[at:]])
    records, _ = read(tmp_path_factory.mktemp("rubbish") / "s", data)
    assert [record for record in records if record in RECORDS] == RECORDS


def test_unknown_kinds_and_fields_are_passed_over(tmp_path: Path) -> None:
    data = (
        LINES[0]
        + b'{"kind":"holiday","days":3}\n'
        + b'{"kind":"text","text":"hi","thought":false,"colour":"red"}\n'
        + b'{"days":3}\n'
    )
    records, reader = read(tmp_path / "s", data)
    assert records == [RECORDS[0], Text(text="hi")]
    assert reader.damaged == 1, "a line without a kind is rubbish"


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\0" * 4096])
def test_a_file_with_nothing_in_it_has_no_records(tmp_path: Path, data: bytes) -> None:
    assert read(tmp_path / "s", data)[0] == []


def test_a_newer_format_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(b'{"kind":"session","version":%d,"wheels":4}\n{"kind":"text","text":"x"}\n' % (VERSION + 1))
    with pytest.raises(SessionError, match=r"newer roomcode .*update roomcode"):
        list(SessionReader(path))


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="cannot be read"):
        list(SessionReader(tmp_path / "none"))


def test_half_characters_do_not_stop_a_record(tmp_path: Path) -> None:
    path = write(tmp_path / "s", [header(), Text(text="a\udc80b")])
    assert list(SessionReader(path))[1] == Text(text="a?b")
