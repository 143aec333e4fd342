"""Results are cut to size with what is left out said in place."""

from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.tools.text import cut_line, cut_middle, numbered_page, plural, with_notes


def test_a_short_text_is_not_cut():
    assert cut_middle("x" * 6000) == "x" * 6000


def test_start_and_end_stay_and_the_gap_is_counted():
    text = "\n".join(f"line {number}" for number in range(2000))
    cut = cut_middle(text)
    assert len(cut) <= 6000
    assert cut.startswith("line 0\nline 1\n")
    assert cut.endswith("\nline 1999")
    gap = next(line for line in cut.split("\n") if "left out" in line)
    removed = int(gap.split()[1].replace(",", ""))
    assert removed == len(text) - (len(cut) - len(gap) - 2)


@settings(deadline=None)
@given(st.text("ab\n", max_size=400), st.integers(60, 200))
def test_never_more_than_the_limit(text: str, limit: int):
    cut = cut_middle(text, limit)
    assert len(cut) <= max(limit, 0) or cut == text
    assert len(text) > limit or cut == text


def test_a_long_line_says_how_to_read_on():
    cut = cut_line("x" * 2_097_152, 7)
    assert cut.startswith("x" * 2000 + " [line cut: 2,000 of 2,097,152 characters;")
    assert "start=7 column=2001" in cut
    assert cut_line("x" * 2500, 1, 2001) == "x" * 500


def test_a_page_of_a_file_ends_where_it_must():
    text = "".join(f"{number}\n" for number in range(1000))
    page = numbered_page(text, 500)
    assert len(page) < 600
    last = page.split("\n")[-2].split(":")[0]
    assert page.endswith(f"[lines 1-{last} of 1000; read_file start={int(last) + 1} reads on]")
    assert numbered_page("", 500) == "(empty file)"
    assert numbered_page("a\nb", 500) == "1: a\n2: b"


def test_small_words():
    assert [plural(0, "hit"), plural(1, "hit"), plural(1200, "entry", "entries")] == [
        "0 hits",
        "1 hit",
        "1,200 entries",
    ]
    assert with_notes("done", ["a", "b"]) == "done\nNote: a\nNote: b"
