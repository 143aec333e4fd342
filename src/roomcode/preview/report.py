"""Reports as the few lines a small model reads."""

from collections.abc import Iterable, Sequence

from roomcode.preview.console import clip
from roomcode.preview.types import Entry, Fault, LoadReport, LogPage, ScriptReport

__all__ = ["entry_line", "error_line", "log_lines", "page_errors", "probe_lines", "result_lines", "script_lines"]

MOST_LINES = 8
LOG_LINES = 40
LOG_CHARACTERS = 3_000
_ENTRY_WIDTH = 240
_NAMED = 3


def entry_line(entry: Entry) -> str:
    """`game.js:12 TypeError: x is not a function (3 times)`"""
    place = f"{entry.place} " if entry.place else ""
    times = f" ({entry.count} times)" if entry.count > 1 else ""
    return f"{place}{clip(entry.text, _ENTRY_WIDTH)}{times}"


def error_line(entry: Entry) -> str:
    """The error and its cure in one line: `app.js:3 TypeError: x is not a function. Fix: did you mean y?`"""
    return _with_cure(entry_line(entry), entry.advice)


def _with_cure(line: str, advice: str) -> str:
    return f"{line.rstrip('.')}. Fix: {advice}" if advice else line


def page_errors(report: LoadReport) -> tuple[str, ...] | None:
    """The errors without line numbers and counts, so that the same error is known again after lines moved.

    None when the page could not be looked at.
    """
    if report.state == "no_browser":
        return None
    if report.state == "no_answer":
        return (report.reason,)
    return tuple(f"{entry.file}: {entry.text}" if entry.file else entry.text for entry in report.errors)


def probe_lines(faults: Iterable[Fault]) -> tuple[str, ...]:
    """`after a click on "Calculate": app.js:12 TypeError: x is null`; idle buttons together in one line."""
    lines: list[str] = []
    idle: dict[str, list[str]] = {}
    for fault in faults:
        if fault.control:
            noun, _, label = fault.control.partition(" ")
            idle.setdefault(noun, []).append(label)
        elif fault.kind == "reload":
            lines.append(f"{fault.action} {fault.text}")
        elif fault.action:
            lines.append(
                _with_cure(f"after {fault.action}{':' if fault.kind == 'error' else ''} {fault.text}", fault.advice)
            )
        else:
            lines.append(_with_cure(fault.text, fault.advice))
    for noun, labels in idle.items():
        handler = "input handler" if noun == "field" else "click handler"
        if len(labels) == 1:
            lines.append(f"the {noun} {labels[0]} has no {handler}")
            continue
        *first, last = labels if len(labels) <= _NAMED + 1 else [*labels[:_NAMED], f"{len(labels) - _NAMED} more"]
        lines.append(f"the {noun}s {', '.join(first)} and {last} have no {handler}")
    return tuple(lines)


def result_lines(report: LoadReport, limit: int = MOST_LINES) -> tuple[str, ...]:
    """What the model gets of a load: at most `limit` lines, errors first."""
    moved = f" (port {report.wanted_port} is in use)" if report.port != report.wanted_port else ""
    if report.state == "no_browser":
        return (f"Serving at {report.url}{moved}.", f"The page was not checked: {report.reason}.")
    lines: list[str] = []
    cures: list[int] = []
    if report.state == "no_answer":
        lines.append(f"{report.url}{moved}: {report.reason}.")
        if report.excerpt:
            lines.append(f"    {report.excerpt}")
        lines.append("Fix that, then call serve again.")
    count = len(report.errors)
    if count:
        if report.state != "no_answer":
            lines.append(f"{report.url}{moved} has {count} error{'s' if count > 1 else ''}:")
        for index, entry in enumerate(report.errors):
            lines.append(entry_line(entry))
            if index == 0 and report.excerpt and report.state != "no_answer":
                lines.append(f"    {report.excerpt}")
            if entry.advice:
                cures.append(len(lines))
                lines.append(f"    Fix: {entry.advice}")
    elif report.state == "clean":
        lines.append(f"{report.url}{moved} {'has no errors so far' if report.waiting else 'loaded with no errors'}.")
        lines.append(_seen(report))
    lines.extend(entry_line(entry) for entry in report.notices)
    if report.waiting:
        lines.append(f"Still loading when time was up: {', '.join(report.waiting[:3])}")
    while len(lines) > limit and len(cures) > 1:
        # What is wrong goes before how to mend it, but for the first.
        del lines[cures.pop()]
    if len(lines) > limit:
        more = len(lines) - limit + 1
        lines = [*lines[: limit - 1], f"and {more} more: call preview_logs(port={report.port}, since=0)"]
    return tuple(lines)


def _seen(report: LoadReport) -> str:
    title = f'Title "{report.title}"' if report.title else "No title"
    if not report.elements:
        return f"{title}, but the page is blank: nothing in <body> can be seen."
    count = f"{report.elements} visible element{'s' if report.elements > 1 else ''}"
    return f"{title}, {count}, text: {report.text}" if report.text else f"{title}, {count}, no text."


def log_lines(page: LogPage) -> tuple[str, ...]:
    """Log entries newest last, at most 40 lines and 3,000 characters, with the next cursor as the last line."""
    end = f"next: preview_logs(port={page.port}, since={page.cursor})"
    if not page.entries and not page.state:
        return ("Nothing new.", end)
    room = LOG_CHARACTERS - len(end) - len(page.state) - 60
    kept: list[str] = []
    shown = 0
    for entry in reversed(page.entries):
        line = _log_line(entry)
        added = [f"    Fix: {entry.advice}", line] if entry.advice else [line]
        room -= sum(len(one) + 1 for one in added)
        if room < 0 or len(kept) + len(added) > LOG_LINES - 3:
            break
        kept += added
        shown += 1
    kept.reverse()
    left = len(page.entries) - shown + page.left_out
    head = [f"({left} older lines left out)"] if left else []
    state = [page.state] if page.state else []
    return (*head, *kept, *state, end)


def _log_line(entry: Entry) -> str:
    mark = {"error": "ERROR ", "warning": "WARNING "}.get(entry.severity, "")
    return mark + entry_line(entry)


def script_lines(report: ScriptReport) -> tuple[str, ...]:
    """What `run_js` printed, its value, and its error."""
    lines = [*_bounded(report.printed)]
    if report.error:
        lines.append(report.error)
    elif report.value:
        lines.append(f"=> {report.value}")
    elif not report.printed:
        lines.append("Done; nothing was printed. Use console.log to see values.")
    return tuple(lines)


def _bounded(printed: Sequence[str], lines: int = LOG_LINES, characters: int = LOG_CHARACTERS) -> Iterable[str]:
    kept: list[str] = []
    for line in printed:
        characters -= len(line) + 1
        if characters < 0 or len(kept) == lines:
            kept.append(f"({len(printed) - len(kept)} more lines left out)")
            break
        kept.append(line)
    return kept
