"""Result files survive interruptions."""

from collections.abc import Callable
from pathlib import Path

import pytest
from evals.records import Record, append, key_of, read

Make = Callable[..., Record]


def test_what_is_written_is_read(tmp_path: Path, record: Make) -> None:
    path = tmp_path / "new" / "results.jsonl"
    assert read(path) == []
    first, second = record("a", failure="“no”\nnext line", passed=False), record("b", versions={"python": "3.11"})
    append(path, [first])
    append(path, [second])
    assert read(path) == [first, second]
    assert len(path.read_text().splitlines()) == 2


def test_a_cut_last_line_is_left_out_and_thrown_away_by_the_next_write(tmp_path: Path, record: Make) -> None:
    path = tmp_path / "results.jsonl"
    append(path, [record("a"), record("b")])
    path.write_bytes(path.read_bytes()[:-30])
    assert [r.task for r in read(path)] == ["a"]
    append(path, [record("c")])
    assert [r.task for r in read(path)] == ["a", "c"]


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path, record: Make) -> None:
    path = tmp_path / "results.jsonl"
    append(path, [record("a")])
    path.write_bytes(b"{nonsense\n" + path.read_bytes())
    with pytest.raises(ValueError, match="line 1"):
        read(path)


def test_of_two_equal_runs_the_later_counts(tmp_path: Path, record: Make) -> None:
    path = tmp_path / "results.jsonl"
    append(path, [record("a", passed=False), record("a", seed=2), record("a", passed=True)])
    assert {(r.seed, r.passed) for r in read(path)} == {(1, True), (2, True)}
    assert key_of(record("a")) != key_of(record("a", variant="plain"))
