"""Differences are complete, numbered and marked."""

from hypothesis import given
from hypothesis import strategies as st

from roomcode.tui.diff import counts, diff_lines, split_lines

lines = st.lists(st.sampled_from(["a", "b", "  c = 1;", "  c = 2;", "", "日本"]), max_size=30).map(
    lambda found: "".join(line + "\n" for line in found)
)


@given(lines, lines)
def test_a_difference_with_all_context_holds_both_texts(before: str, after: str) -> None:
    found = diff_lines(before, after, context=1_000)
    if before == after:
        assert found == []
        return
    assert [line.text for line in found if line.kind != "added"] == split_lines(before)
    assert [line.text for line in found if line.kind != "removed"] == split_lines(after)


@given(lines, lines)
def test_numbers_name_the_lines_of_the_files(before: str, after: str) -> None:
    old, new = split_lines(before), split_lines(after)
    found = diff_lines(before, after)
    for line in found:
        if line.kind in ("same", "removed"):
            assert line.old is not None
            assert old[line.old - 1] == line.text
        if line.kind in ("same", "added"):
            assert line.new is not None
            assert new[line.new - 1] == line.text
    added, removed = counts(found)
    assert added - removed == len(new) - len(old)


def test_unchanged_lines_far_away_become_one_gap() -> None:
    before = "".join(f"{n}\n" for n in range(100))
    found = diff_lines(before, before.replace("50\n", "fifty\n"))
    assert [line.kind for line in found] == ["gap", *["same"] * 3, "removed", "added", *["same"] * 3, "gap"]
    assert found[0].text == "47 unchanged lines"
    assert found[-1].text == "46 unchanged lines"


def test_changed_words_are_marked_in_both_lines() -> None:
    removed, added = diff_lines("const tip = 0.1;\n", "const tip = 0.15;\n")
    assert [removed.text[a:b] for a, b in removed.marks] == ["1"]
    assert [added.text[a:b] for a, b in added.marks] == ["15"]


def test_lines_with_nothing_in_common_are_not_marked() -> None:
    removed, added = diff_lines("alpha beta\n", "<div>\n")
    assert removed.marks == added.marks == ()


def test_a_new_file_is_all_added_and_a_deleted_one_all_removed() -> None:
    assert [line.kind for line in diff_lines(None, "a\nb\n")] == ["added", "added"]
    assert [line.kind for line in diff_lines("a\nb\n", None)] == ["removed", "removed"]


def test_two_large_files_without_a_common_line_are_compared_at_once() -> None:
    found = diff_lines("".join(f"a{n}\n" for n in range(5_000)), "".join(f"b{n}\n" for n in range(5_000)))
    assert counts(found) == (5_000, 5_000)
