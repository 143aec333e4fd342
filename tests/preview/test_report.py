from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.preview import (
    Entry,
    Fault,
    LoadReport,
    LogPage,
    ScriptReport,
    log_lines,
    page_errors,
    probe_lines,
    result_lines,
    script_lines,
)
from roomcode.preview.report import error_line

CLEAN = LoadReport(
    "http://127.0.0.1:5173/", 5173, 5173, "clean", page="index.html", title="Tips", elements=3, text="Tip calculator"
)
ERROR = Entry("error", "exception", "TypeError: x is null", "game.js", 12, 5, count=3)


def test_a_clean_page_says_what_a_person_sees() -> None:
    assert result_lines(CLEAN) == (
        "http://127.0.0.1:5173/ loaded with no errors.",
        'Title "Tips", 3 visible elements, text: Tip calculator',
    )
    assert result_lines(replace(CLEAN, text="", elements=1))[1] == 'Title "Tips", 1 visible element, no text.'
    assert "the page is blank" in result_lines(replace(CLEAN, text="", elements=0, title=""))[1]


def test_errors_come_first_with_count_place_and_one_excerpt() -> None:
    notice = Entry("info", "page", "alert: hi (dismissed)")
    report = replace(CLEAN, state="errors", errors=(ERROR, ERROR), notices=(notice,), excerpt="12 | x.y = 1")
    assert result_lines(report) == (
        "http://127.0.0.1:5173/ has 2 errors:",
        "game.js:12 TypeError: x is null (3 times)",
        "    12 | x.y = 1",
        "game.js:12 TypeError: x is null (3 times)",
        "alert: hi (dismissed)",
    )


CURE = "app.js:1 declares x: move that line up"


def test_the_cure_stands_under_its_error() -> None:
    report = replace(CLEAN, state="errors", errors=(replace(ERROR, advice=CURE), ERROR), excerpt="12 | x.y = 1")
    assert result_lines(report)[1:] == (
        "game.js:12 TypeError: x is null (3 times)",
        "    12 | x.y = 1",
        f"    Fix: {CURE}",
        "game.js:12 TypeError: x is null (3 times)",
    )
    assert page_errors(report) == ("game.js: TypeError: x is null",) * 2
    assert error_line(replace(ERROR, advice=CURE, count=1)) == f"game.js:12 TypeError: x is null. Fix: {CURE}"
    assert error_line(ERROR) == "game.js:12 TypeError: x is null (3 times)"


@pytest.mark.parametrize(("count", "cures"), [(2, 2), (4, 2), (5, 1), (6, 1), (30, 1)])
def test_errors_go_before_all_cures_but_the_first(count: int, cures: int) -> None:
    errors = tuple(replace(ERROR, line=n, advice=f"cure {n}") for n in range(1, count + 1))
    lines = result_lines(replace(CLEAN, state="errors", errors=errors, excerpt="12 | x.y = 1"))
    assert len(lines) <= 8
    assert [line for line in lines if "Fix:" in line] == [f"    Fix: cure {n}" for n in range(1, cures + 1)]
    assert sum("TypeError" in line for line in lines) == min(count, 5 if count <= 5 else 4)
    assert lines[3] == "    Fix: cure 1"


def test_faults_of_use_are_told_with_their_cure() -> None:
    fault = Fault("error", "app.js:3 TypeError: a.b is not a function", 'a click on "Go"', advice="did you mean c?")
    assert probe_lines([fault]) == (
        'after a click on "Go": app.js:3 TypeError: a.b is not a function. Fix: did you mean c?',
    )


def test_cures_count_in_the_limits_of_the_log() -> None:
    entries = tuple(replace(ERROR, line=n, advice=f"{CURE} {n}") for n in range(1, 60))
    lines = log_lines(LogPage(5173, entries, 77))
    assert len(lines) <= 40
    assert sum(len(line) + 1 for line in lines) <= 3000
    shown = [line for line in lines if line.startswith("ERROR")]
    assert lines[0] == f"({59 - len(shown)} older lines left out)"
    assert lines[-3:-1] == ("ERROR game.js:59 TypeError: x is null (3 times)", f"    Fix: {CURE} 59")
    assert lines[1].startswith("ERROR"), "a cure never stands without its error"


def test_another_port_than_the_wanted_one_is_said() -> None:
    moved = replace(CLEAN, url="http://127.0.0.1:5174/", port=5174)
    assert result_lines(moved)[0] == "http://127.0.0.1:5174/ (port 5173 is in use) loaded with no errors."


def test_a_page_that_was_not_looked_at_is_not_called_clean() -> None:
    report = replace(CLEAN, state="no_browser", reason="no browser was found")
    assert result_lines(report) == (
        "Serving at http://127.0.0.1:5173/.",
        "The page was not checked: no browser was found.",
    )
    assert page_errors(report) is None


def test_errors_for_comparing_have_no_lines_and_counts() -> None:
    later = replace(ERROR, line=40, count=9)
    both = [page_errors(replace(CLEAN, state="errors", errors=(one,))) for one in (ERROR, later)]
    assert both[0] == both[1] == ("game.js: TypeError: x is null",)
    assert page_errors(CLEAN) == ()
    assert page_errors(replace(CLEAN, state="no_answer", reason="the page crashed")) == ("the page crashed",)


ENTRIES = st.lists(
    st.builds(
        Entry,
        st.sampled_from(["error", "warning", "info"]),
        st.just("console"),
        st.text(max_size=400),
        st.sampled_from(["", "a.js"]),
        st.integers(0, 5),
        count=st.integers(1, 3),
    ),
    max_size=60,
)


@settings(deadline=None)
@given(ENTRIES, st.sampled_from(["clean", "errors", "no_answer"]), st.lists(st.text(max_size=5), max_size=4))
def test_a_result_never_has_more_than_eight_lines(entries: list[Entry], state: str, waiting: list[str]) -> None:
    errors = tuple(entry for entry in entries if entry.severity == "error")
    notices = tuple(entry for entry in entries if entry.severity == "info")
    if (state == "clean") == bool(errors):
        state = "errors" if errors else "clean"
    report = replace(
        CLEAN, state=state, errors=errors, notices=notices, excerpt="1 | x", reason="r", waiting=tuple(waiting)
    )
    lines = result_lines(report)
    assert 1 <= len(lines) <= 8
    assert sum(map(len, lines)) < 3000


@settings(deadline=None)
@given(ENTRIES, st.integers(0, 9))
def test_a_log_fits_keeps_the_newest_and_names_the_next_cursor(entries: list[Entry], left_out: int) -> None:
    lines = log_lines(LogPage(5173, tuple(entries), 77, left_out))
    assert len(lines) <= 40
    assert sum(len(line) + 1 for line in lines) <= 3000
    assert lines[-1] == "next: preview_logs(port=5173, since=77)"
    if entries:
        assert lines[-2].endswith(f"({entries[-1].count} times)") or entries[-1].text[-20:] in lines[-2]
    if len(entries) > 40:
        assert "older lines left out" in lines[0]


def test_an_empty_log_and_a_dead_page() -> None:
    assert log_lines(LogPage(5173, (), 7)) == ("Nothing new.", "next: preview_logs(port=5173, since=7)")
    lines = log_lines(LogPage(5173, (ERROR,), 7, state="the page crashed. Call serve."))
    assert lines[0] == "ERROR game.js:12 TypeError: x is null (3 times)"
    assert lines[1] == "the page crashed. Call serve."


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (ScriptReport(True), ("Done; nothing was printed. Use console.log to see values.",)),
        (ScriptReport(True, ("a",)), ("a",)),
        (ScriptReport(True, ("a",), value="5"), ("a", "=> 5")),
        (ScriptReport(False, ("a",), value="5", error="line 1: bad"), ("a", "line 1: bad")),
    ],
)
def test_what_a_script_gave(report: ScriptReport, expected: tuple[str, ...]) -> None:
    assert script_lines(report) == expected


@given(st.lists(st.text(max_size=300), max_size=80))
def test_what_a_script_printed_is_bounded(printed: list[str]) -> None:
    lines = script_lines(ScriptReport(True, tuple(printed), value="1"))
    assert len(lines) <= 42
    assert sum(map(len, lines)) < 3300
