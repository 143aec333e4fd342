"""Finding blocks by line."""

from hypothesis import given
from hypothesis import strategies as st

from roomcode.tui.rows import Rows

changes = st.lists(st.tuples(st.integers(0, 19), st.integers(1, 9)), max_size=40)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=20), changes)
def test_blocks_lie_one_below_the_other_after_any_change(guesses: list[int], sets: list[tuple[int, int]]) -> None:
    rows = Rows()
    heights = list(guesses)
    for guess in guesses:
        rows.append(guess)
    for index, height in sets:
        if index < len(heights):
            assert rows.set(index, height) == height - heights[index]
            heights[index] = height
    assert rows.total == sum(heights)
    owners = [index for index, height in enumerate(heights) for _ in range(height)]
    assert [rows.at(line) for line in range(rows.total)] == owners
    assert rows.at(-1) is None
    assert rows.at(rows.total) is None
    for index in range(len(heights)):
        assert rows.top(index) == sum(heights[:index])
    assert list(rows.between(2, 5)) == sorted(set(owners[2:5]))


def test_guesses_are_known_until_they_are_measured() -> None:
    rows = Rows()
    rows.append(4)
    rows.append(4)
    assert (rows.guessed, rows.unknowns()) == (2, [1, 0])
    rows.set(1, 7)
    assert (rows.guessed, rows.unknowns(), rows.is_guess(1)) == (1, [0], False)
    rows.doubt_all()
    assert rows.guessed == 2


def test_noted_heights_are_used_in_one_go_and_only_for_blocks_that_did_not_change() -> None:
    rows = Rows()
    for _ in range(4):
        rows.append(4)
    for index in (0, 1, 2):
        rows.note(index, 9)
    assert (rows.total, rows.unknown, rows.unknowns()) == (16, 1, [3])
    rows.doubt(1)
    rows.set(2, 1)
    assert rows.unknowns() == [3, 1]
    rows.use_noted()
    assert [rows.height(index) for index in range(4)] == [9, 4, 1, 4]
    assert rows.guessed == 2


def test_an_anchor_tells_a_line_by_its_block_and_its_place_in_the_view() -> None:
    rows = Rows()
    for _ in range(3):
        rows.append(5)
    assert rows.anchor(7, 4) == (1, 2, 3)
    assert rows.anchor(15, 4) is None
