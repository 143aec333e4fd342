"""Reports and comparisons of results."""

from collections.abc import Callable

import pytest
from evals.records import Record
from evals.report import compare, rate, render, wilson
from hypothesis import given
from hypothesis import strategies as st

Make = Callable[..., Record]


@pytest.mark.parametrize(
    ("passed", "runs", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (45, 90, 0.3988, 0.6012), (0, 0, 0.0, 1.0)],
)
def test_the_interval_is_that_of_the_tables(passed: int, runs: int, low: float, high: float) -> None:
    assert wilson(passed, runs) == pytest.approx((low, high), abs=1e-4)


@given(st.integers(1, 10_000).flatmap(lambda runs: st.tuples(st.integers(0, runs), st.just(runs))))
def test_the_interval_holds_the_share_and_stays_between_0_and_1(case: tuple[int, int]) -> None:
    passed, runs = case
    low, high = wilson(passed, runs)
    assert 0.0 <= low <= passed / runs + 1e-9
    assert passed / runs - 1e-9 <= high <= 1.0


def test_a_rate_reads_well(record: Make) -> None:
    records = [record(seed=seed, passed=seed < 9) for seed in range(1, 11)]
    assert rate(records) == "8 of 10 · 80 % (49–94)"
    assert rate([]) == "no runs"


def test_the_report_names_rates_ends_and_the_transcript_of_each_failure(record: Make) -> None:
    records = [
        record("make-a", steps=2, tokens=100, seconds=10.0, versions={"commit": "abc"}),
        record("make-b", steps=4, tokens=300, seconds=30.0),
        record("fix-c", family="console-bug", passed=False, failure="No\nbutton.", steps=9, seconds=70.0),
        record("fix-d", family="console-bug", passed=False, reason="limit", detail="30 steps", seconds=90.0),
    ]
    text = render(records, machine="two cores")
    assert "| make | 2 of 2 · 100 % (34–100) | 3 | 200 | 20 |" in text
    assert "| console-bug | 0 of 2 · 0 % (0–66) |" in text
    assert "| **all** | 2 of 4 · 50 % (15–85) | 4 | 300 | 50 |" in text
    assert "Ends: done 3 (2 passed), limit 1 (0 passed)." in text
    assert "- fix-c, seed 1: No button. — `runs/fix-c.jsonl`" in text
    assert "- fix-d, seed 1: 30 steps [limit] — `runs/fix-d.jsonl`" in text
    assert "- commit: abc" in text
    assert "two cores" in text
    assert text.index("| make |") < text.index("| console-bug |")


def test_a_variant_is_measured_on_the_runs_that_it_shares_with_everything(record: Make) -> None:
    whole = [record("a", seed=1), record("a", seed=2), record("b", seed=1, passed=False)]
    less = [record("a", seed=1, variant="no-hints", passed=False), record("a", seed=2, variant="no-hints")]
    text = render(whole + less)
    assert "| no-hints | 1 of 2 · 50 % (9–91) | -50 points in 2 runs |" in text


def test_models_are_reported_apart(record: Make) -> None:
    text = render([record(model="big"), record(model="small", passed=False)])
    assert "## big" in text
    assert "## small" in text
    assert text.count("| **all** |") == 2


def test_an_empty_report_says_so() -> None:
    assert "No runs." in render([])
    assert "Better: none." in compare([], [])


def test_a_comparison_goes_task_by_task(record: Make) -> None:
    first = [record("a"), record("a", seed=2, passed=False), record("b"), record("only-first")]
    second = [record("a", seconds=40.0), record("a", seed=2), record("b", passed=False)]
    text = compare(first, second, ("old", "new"))
    assert "| task | old | new | change | seconds |" in text
    assert "| a | 1/2 | 2/2 | +50 | 20 → 30 |" in text
    assert "| b | 1/1 | 0/1 | -100 |" in text
    assert "| only-first | 1/1 | – |  | 20 → – |" in text
    assert "**all 2 in both** | 2 of 3" in text
    assert "Better: a." in text
    assert "Worse: b." in text
