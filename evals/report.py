"""Results as Markdown: what passed, how sure that is, how long it took, and where to read what failed."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from statistics import median

from evals.records import Record
from evals.tasks import FAMILIES

__all__ = ["compare", "rate", "render", "wilson"]

_Z = 1.959964
"""95 % of a normal distribution lies within so many standard deviations."""


def wilson(passed: int, runs: int) -> tuple[float, float]:
    """The 95 % score interval of a pass rate (Wilson 1927), as shares from 0 to 1; (0, 1) without runs."""
    if not runs:
        return (0.0, 1.0)
    share, square = passed / runs, _Z * _Z
    middle = share + square / (2 * runs)
    spread = _Z * math.sqrt(share * (1 - share) / runs + square / (4 * runs * runs))
    scale = 1 + square / runs
    return (max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale))


def rate(records: Sequence[Record]) -> str:
    """Like `12 of 30 · 40 % (25–58)`."""
    passed = sum(record.passed for record in records)
    if not records:
        return "no runs"
    low, high = wilson(passed, len(records))
    return f"{passed} of {len(records)} · {passed / len(records):.0%} ({low * 100:.0f}–{high * 100:.0f})".replace(
        "%", " %"
    )


def render(records: Sequence[Record], *, machine: str = "") -> str:
    """The whole report."""
    parts = ["# Eval results", "", *_heading(records, machine)]
    for model, of_model in _groups(records, lambda record: record.model):
        parts += ["", f"## {model}", "", *_variants(of_model)]
        for variant, rows in _groups(of_model, lambda record: record.variant):
            parts += ["", f"### {variant}", "", *_variant(rows)]
    return "\n".join(parts) + "\n"


def compare(first: Sequence[Record], second: Sequence[Record], names: tuple[str, str] = ("A", "B")) -> str:
    """Two results side by side, task by task."""
    tasks = sorted({(_family(r), r.task) for r in (*first, *second)})
    lines = [
        f"| task | {names[0]} | {names[1]} | change | seconds |",
        "|---|---|---|---|---|",
    ]
    gained: list[str] = []
    lost: list[str] = []
    for _, task in tasks:
        left = [r for r in first if r.task == task]
        right = [r for r in second if r.task == task]
        change = ""
        if left and right:
            difference = _share(right) - _share(left)
            change = f"{difference * 100:+.0f}" if difference else ""
            if difference:
                (gained if difference > 0 else lost).append(task)
        lines.append(f"| {task} | {_counts(left)} | {_counts(right)} | {change} | {_pace(left)} → {_pace(right)} |")
    both = {r.task for r in first} & {r.task for r in second}
    left, right = ([r for r in side if r.task in both] for side in (first, second))
    lines += [
        f"| **all {len(both)} in both** | {rate(left)} | {rate(right)} | {_points(left, right)} "
        f"| {_pace(left)} → {_pace(right)} |",
        "",
        f"Better: {', '.join(gained) or 'none'}.",
        f"Worse: {', '.join(lost) or 'none'}.",
    ]
    return "\n".join(lines) + "\n"


def _heading(records: Sequence[Record], machine: str) -> list[str]:
    if not records:
        return ["No runs."]
    days = sorted({record.started[:10] for record in records if record.started})
    versions: dict[str, set[str]] = {}
    for record in records:
        for name, version in record.versions.items():
            versions.setdefault(name, set()).add(version)
    period = f", from {days[0]} to {days[-1]}" if days else ""
    lines = [f"- Runs: {len(records)} of {len({r.task for r in records})} tasks{period}"]
    if machine:
        lines.append(f"- Machine: {machine}")
    lines += [f"- {name}: {', '.join(sorted(found))}" for name, found in sorted(versions.items())]
    return [
        *lines,
        "",
        "Pass rates with their 95 % interval (Wilson); times are those of the requests, without loading.",
    ]


def _variants(records: Sequence[Record]) -> list[str]:
    """A row for each variant, and what it is worth against everything on the same tasks and seeds."""
    whole = [record for record in records if record.variant == "everything"]
    lines = ["| variant | passed | against everything | steps | tokens | seconds |", "|---|---|---|---|---|---|"]
    for variant, rows in _groups(records, lambda record: record.variant):
        against = ""
        if variant != "everything" and whole:
            shared = {(r.task, r.seed) for r in rows} & {(r.task, r.seed) for r in whole}
            pair = [[r for r in side if (r.task, r.seed) in shared] for side in (whole, rows)]
            against = f"{_points(*pair)} in {len(shared)} runs" if shared else "no run in common"
        lines.append(
            f"| {variant} | {rate(rows)} | {against} | {_middle(rows, 'steps')} | {_middle(rows, 'tokens')} "
            f"| {_middle(rows, 'seconds')} |"
        )
    return lines


def _variant(records: Sequence[Record]) -> list[str]:
    lines = ["| family | passed | steps | tokens | seconds |", "|---|---|---|---|---|"]
    for family in (*FAMILIES, None):
        rows = [record for record in records if family is None or record.family == family]
        if rows:
            cells = " | ".join(_middle(rows, name) for name in ("steps", "tokens", "seconds"))
            lines.append(f"| {family or '**all**'} | {rate(rows)} | {cells} |")
    reasons = Counter(record.reason for record in records)
    passed = Counter(record.reason for record in records if record.passed)
    ends = ", ".join(f"{reason} {number} ({passed[reason]} passed)" for reason, number in reasons.most_common())
    lines += ["", f"Ends: {ends}.", "", "| task | passed | seconds |", "|---|---|---|"]
    for task, rows in _groups(sorted(records, key=lambda r: (_family(r), r.task)), lambda record: record.task):
        lines.append(f"| {task} | {_counts(rows)} | {_middle(rows, 'seconds')} |")
    failures = [record for record in records if not record.passed]
    if failures:
        lines += ["", "Failures:", ""]
        for record in sorted(failures, key=lambda r: (_family(r), r.task, r.seed)):
            cause = (
                record.failure if record.reason == "done" else f"{record.failure or record.detail} [{record.reason}]"
            )
            lines.append(f"- {record.task}, seed {record.seed}: {_line(cause)} — `{record.transcript}`")
    return lines


def _groups(records: Iterable[Record], name: Callable[[Record], str]) -> list[tuple[str, list[Record]]]:
    """Records by name, in the order in which the names come first."""
    found: dict[str, list[Record]] = {}
    for key, rows in groupby(records, key=name):
        found.setdefault(key, []).extend(rows)
    return list(found.items())


def _family(record: Record) -> int:
    return FAMILIES.index(record.family) if record.family in FAMILIES else len(FAMILIES)


def _share(records: Sequence[Record]) -> float:
    return sum(record.passed for record in records) / len(records) if records else 0.0


def _points(before: Sequence[Record], after: Sequence[Record]) -> str:
    return f"{(_share(after) - _share(before)) * 100:+.0f} points" if before and after else ""


def _counts(records: Sequence[Record]) -> str:
    return f"{sum(record.passed for record in records)}/{len(records)}" if records else "–"


def _pace(records: Sequence[Record]) -> str:
    return _middle(records, "seconds") if records else "–"


def _middle(records: Sequence[Record], name: str) -> str:
    """The median of a number of each run."""
    return f"{median(getattr(record, name) for record in records):.0f}"


def _line(text: str) -> str:
    return " ".join(text.split())[:240]
