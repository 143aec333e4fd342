"""Where an edit's old text is found, and that only the found span changes."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.workspace.matching import Match, Missing, Several, find


def edited(text: str, old: str, new: str) -> str:
    found = find(text, old, new)
    assert isinstance(found, Match), found
    return text[: found.start] + found.new + text[found.end :]


def level(text: str, old: str, new: str) -> str:
    found = find(text, old, new)
    assert isinstance(found, Match), found
    return found.level


def test_exact_text_is_replaced_and_nothing_else():
    text = "a  \n\tb;\nc\n"
    assert edited(text, "\tb;", "\tB;") == "a  \n\tB;\nc\n"
    assert level(text, "\tb;", "\tB;") == "exact"


def test_exact_match_wins_over_a_loose_one_elsewhere():
    text = 'say “x”\nsay "x"\n'
    found = find(text, 'say "x"', "y")
    assert isinstance(found, Match)
    assert (found.level, found.start) == ("exact", 8)


@pytest.mark.parametrize("pattern", ["$&", "$1", "$$", r"\1", r"\g<0>", r"\n", "{0}", "%s"])
def test_replacement_patterns_are_written_literally(pattern: str):
    assert edited('log("done");\n', '"done"', f'"{pattern} ok"') == f'log("{pattern} ok");\n'
    assert edited("\tlog( 'done');\n", "    log( 'done');", f"    log('{pattern}');") == f"\tlog('{pattern}');\n"


def test_two_exact_places_are_listed_by_line():
    assert find("x\ny\nx\n", "x", "z") == Several((1, 3), "exact")


def test_overlapping_places_are_two_places():
    assert isinstance(find("aaa", "aa", "b"), Several)


def test_blanks_at_line_ends_are_ignored_and_all_outside_the_span_stays():
    text = "title = “Menu” — today   \nreplace me   \nconst x = 'ｆｕｌｌ';\n"
    found = find(text, "replace me\nconst x", "done\nconst x")
    assert isinstance(found, Match)
    assert found.level == "characters"
    assert edited(text, "replace me\nconst x", "done\nconst x") == (
        "title = “Menu” — today   \ndone\nconst x = 'ｆｕｌｌ';\n"
    )


def test_curly_quotes_of_the_file_stay_curly():
    assert edited("She said, “Hello.”\n", 'She said, "Hello."', 'She said, "Hi."') == "She said, “Hi.”\n"


def test_quotes_that_new_brings_are_kept_as_given():
    assert edited("it’s fine\n", "it's fine", "it's “very” fine") == "it’s “very” fine\n"


def test_odd_spaces_dashes_and_ellipsis_are_read_as_plain():
    text = "wait…\u00a0for – me\n"
    assert edited(text, "wait... for - me", "wait... for - you").startswith("wait…\u00a0for – ")


def test_unchanged_lines_of_a_loose_match_keep_their_bytes():
    text = "a = ‘1’  \nb = 2\nc = ‘3’\t\n"
    assert edited(text, "a = '1'\nb = 2\nc = '3'\n", "a = '1'\nb = 5\nc = '3'\n") == "a = ‘1’  \nb = 5\nc = ‘3’\t\n"


def test_tabs_against_spaces_take_the_indentation_of_the_file():
    text = "function f() {\n\treturn  1;\n}"
    assert edited(text, "    return 1;", "    return 2;") == "function f() {\n\treturn 2;\n}"
    assert level(text, "    return 1;", "    return 2;") == "spacing"


def test_two_loose_places_are_refused_with_both_lines():
    text = "function f() {\n\treturn  1;\n}\nfunction g() {\n  return 1;\n}\n"
    assert find(text, "      return 1;", "      return 2;") == Several((2, 5), "spacing")


def test_new_inner_blocks_are_indented_in_the_units_of_the_file():
    text = "\tif (a) {\n\t\tb();\n\t}\n"
    new = "if (a) {\n    if (c) {\n        b();\n    }\n}"
    assert edited(text, "if (a) {\n    b();\n}", new) == "\tif (a) {\n\t\tif (c) {\n\t\t\tb();\n\t\t}\n\t}\n"


def test_spaces_of_another_width_are_converted():
    text = "<ul>\n    <li>a</li>\n    <li>b</li>\n</ul>\n"
    old = "  <li>a</li>\n  <li>b</li>"
    new = "  <li>a</li>\n  <li>b</li>\n  <li>\n    <b>c</b>\n  </li>"
    expected = "<ul>\n    <li>a</li>\n    <li>b</li>\n    <li>\n        <b>c</b>\n    </li>\n</ul>\n"
    assert edited(text, old, new) == expected


def test_a_first_line_given_from_its_first_letter_on():
    text = "class A {\n    run() {\n        go();\n    }\n}\n"
    old = "run()  {\n        go();\n    }"
    new = "run()  {\n        stop();\n        go();\n    }"
    assert edited(text, old, new) == "class A {\n    run() {\n        stop();\n        go();\n    }\n}\n"


def test_runs_of_blanks_inside_a_line_are_ignored():
    assert edited("x  =   1;  // one\n", "x = 1;", "x = 2;") == "x = 2;  // one\n"


def test_blanks_at_the_ends_of_a_piece_end_a_word_there():
    assert edited("let a = 1;  // count\n", "// count ", "// total ") == "let a = 1;  // total\n"
    assert isinstance(find("counter();\n", "count ", "total "), Missing)
    assert isinstance(find("recount();\n", " count", " total"), Missing)


def test_a_blank_line_in_new_is_left_without_blanks():
    assert edited("\ta();\n\tb();\n", "    a();\n    b();", "    a();\n\n    b();") == "\ta();\n\n\tb();\n"


def test_deleting_loosely_matched_lines_takes_their_line_end_along():
    assert edited("a\n\tb;\nc\n", "    b;\n", "") == "a\nc\n"


def test_line_numbers_of_a_reading_are_dropped():
    text = "one\ntwo\nthree\n"
    assert edited(text, "2: two\n3: three", "2: TWO\n3: three") == "one\nTWO\nthree\n"
    assert level(text, "2: two\n3: three", "2: TWO\n3: three") != "exact"


def test_numbers_that_belong_to_the_text_are_not_line_numbers():
    text = "1: red\n7: blue\n"
    assert edited(text, "7: blue", "7: green") == "1: red\n7: green\n"
    assert isinstance(find("red\nblue\n", "1: red\n7: blue", "x"), Missing)


def test_missing_shows_the_lines_most_alike():
    text = "".join(f"line {n}\n" for n in range(40)) + "function total(items) {\n  return sum(items);\n}\n"
    found = find(text, "function totals(item) {\n  return sum(item);\n}", "x")
    assert isinstance(found, Missing)
    assert found.closest[0] == (41, "function total(items) {")
    assert len(found.closest) <= 8


def test_nothing_alike_shows_nothing():
    assert find("apple\npear\n", "const zebra = 42;", "x") == Missing(())


def test_a_large_file_without_the_text_is_answered():
    text = "".join(f"let value_{n} = compute({n});\n" for n in range(50_000))
    found = find(text, "let value_x = computed(y);", "z")
    assert isinstance(found, Missing)
    assert found.closest


WORDS = st.text(string.ascii_letters + " \t“”‘’—\u00a0(){};=\"'-", max_size=12)
TEXTS = st.lists(WORDS, min_size=1, max_size=12).map("\n".join)


@settings(deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_outside_the_span_nothing_changes_and_the_rest_is_some_answer(text: str, old: str, new: str):
    if not old.strip():
        return
    found = find(text, old, new)
    if isinstance(found, Match):
        assert 0 <= found.start <= found.end <= len(text)
        assert "\r" not in found.new
        if found.level == "exact":
            assert text[found.start : found.end] == old
            assert found.new == new
    elif isinstance(found, Several):
        assert len(found.lines) >= 1
        assert all(1 <= line <= text.count("\n") + 1 for line in found.lines)


@settings(deadline=None)
@given(
    st.lists(st.text(string.ascii_lowercase, min_size=3, max_size=8), min_size=3, max_size=8, unique=True), st.data()
)
def test_any_piece_written_with_other_indentation_is_found(words: list[str], data: st.DataObject):
    depths = [data.draw(st.integers(0, 3)) for _ in words]
    lines = ["\t" * depth + f"call_{word}();" for depth, word in zip(depths, words, strict=True)]
    text = "\n".join(lines) + "\n"
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    old = "\n".join("  " * depths[n] + f"call_{words[n]}();" for n in range(first, last + 1))
    new = "\n".join("  " * depths[n] + f"call_{words[n]}(1);" for n in range(first, last + 1))
    expected = "\n".join(line.replace("()", "(1)") if first <= n <= last else line for n, line in enumerate(lines))
    assert edited(text, old, new) == expected + "\n"
