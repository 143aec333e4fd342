"""The input history of a project."""

from pathlib import Path

from roomcode.tui.history import History, history_path


def test_walking_back_and_forth_keeps_the_draft() -> None:
    history = History()
    history.add("one")
    history.add("two")
    assert history.before("half a dra") == "two"
    assert history.before("two") == "one"
    assert history.before("one") is None
    assert history.after() == "two"
    assert history.after() == "half a dra"
    assert history.after() is None


def test_texts_come_back_after_a_restart_with_their_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "history.jsonl"
    History(path).add("line one\nline “two”")
    again = History(path)
    assert again.before("") == "line one\nline “two”"
    assert path.stat().st_mode & 0o077 == 0


def test_the_same_text_twice_in_a_row_is_kept_once_and_blanks_never() -> None:
    history = History()
    for text in ("a", "a", "  ", "b"):
        history.add(text)
    assert [history.before(""), history.before(""), history.before("")] == ["b", "a", None]


def test_a_damaged_file_loses_only_what_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(b'"good"\n{"not": "text"}\n\xff\xfe broken\n"also good"\n"cut off')
    history = History(path)
    assert [history.before(""), history.before(""), history.before("")] == ["also good", "good", None]


def test_a_long_history_is_shortened(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text("".join(f'"text {n}"\n' for n in range(1_200)))
    assert History(path).before("") == "text 1199"
    assert len(path.read_text().splitlines()) == 500


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    history = History(blocked / "history.jsonl")
    history.add("kept in memory")
    assert history.before("") == "kept in memory"


def test_each_project_has_its_own_file(tmp_path: Path) -> None:
    assert history_path(tmp_path / "a") != history_path(tmp_path / "b")
