"""A session for reading: Markdown to paste into a report, JSON for programs, plain lines for a terminal.

Foreign text (what the model said, what files held) can not break out of its place: it is quoted or fenced, and loses
its control characters.
"""

import difflib
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from roomcode.protocol.display import FileChange, PageReport
from roomcode.protocol.events import Approval, Call, Event, Note, RequestEnded, RequestStarted, Result, Text, encode
from roomcode.session.infos import SessionInfo, title_of
from roomcode.session.reading import SessionReader
from roomcode.session.records import Header, Record, Setup, State, TurnRecord, Turns
from roomcode.session.timeline import closing

__all__ = ["json_lines", "markdown_lines", "plain_lines", "when"]

_SHORT = 3
"""Lines of a result that are shown unfolded."""
_MAIN = 80
_UNSAFE = dict.fromkeys(
    (
        *(code for code in range(0x20) if chr(code) not in "\n\t"),
        *range(0x7F, 0xA0),
        0x061C,
        *range(0x200E, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ),
    "\ufffd",
)
"""Control characters, and marks that turn the direction of text."""


def when(moment: float) -> str:
    """A time for people, in their own time zone."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


def markdown_lines(info: SessionInfo) -> Iterator[str]:
    """The whole session as Markdown. Raises SessionError when the file cannot be read."""
    yield f"# roomcode session {info.id}"
    yield ""
    yield from (f"- {line}" for line in _facts(info))
    calls: dict[str, Call] = {}
    for moment, event in _timeline(info.path):
        match event:
            case RequestStarted(request=request, prompt=prompt):
                yield from ("", f"## Request {request}{f' · {when(moment)}' if moment else ''}", "")
                yield from _fenced(prompt)
            case Text(text=text, thought=thought) if text.strip():
                yield ""
                if thought:
                    yield from _folded("thinking", text)
                else:
                    yield from (f"> {line}".rstrip() for line in _clean(text).strip("\n").split("\n"))
            case Call():
                calls[event.call] = event
            case Result():
                yield ""
                yield from _call(calls.pop(event.call, None), event)
            case Approval(state="rejected", comment=comment):
                yield from ("", f"*not approved{': ' + _line(comment) if comment else ''}*")
            case Note(topic=topic, text=text, to_model=to_model):
                yield from ("", f"*{topic}{' (to the model)' if to_model else ''}:*", "")
                yield from _fenced(text)
            case RequestEnded():
                yield from ("", f"**{_line(event.summary or event.detail or event.reason)}**")
            case _:
                pass


def _call(call: Call | None, result: Result) -> Iterator[str]:
    main = f" {_code(_main(call))}" if call is not None and _main(call) else ""
    yield f"**{_line(result.tool) or 'unknown tool'}**{main} · {result.state} · {result.seconds:.1f} s"
    for repair in call.repairs if call is not None else ():
        yield f"- repaired: {_line(repair)}"
    yield ""
    if isinstance(result.display, FileChange):
        diff = _diff(result.display)
        yield from _folded(f"diff, {len(diff)} lines", "\n".join(diff), "diff")
    elif call is not None and len(call.arguments) > 1:
        yield from _folded("arguments", json.dumps(call.arguments, ensure_ascii=False, indent=1, default=str), "json")
    if isinstance(result.display, PageReport):
        yield f"Page {_code(result.display.url)}: {result.display.state}"
        yield ""
    if result.text.count("\n") < _SHORT:
        yield from _fenced(result.text)
    else:
        yield from _folded(f"result, {result.text.count(chr(10)) + 1} lines", result.text)


def json_lines(info: SessionInfo) -> Iterator[str]:
    """The whole session as one JSON object: `session` (facts) and `events` (as `roomcode run --json` prints them)."""
    facts = {
        "id": info.id,
        "project": info.project,
        "created": info.created,
        "updated": info.updated,
        "model": info.model,
        "requests": info.requests,
        "parent": info.parent,
    }
    yield f'{{"format": 1, "session": {msgspec.json.encode(facts).decode()}, "events": ['
    before = ""
    for _, event in _timeline(info.path):
        if before:
            yield f"{before},"
        before = encode(event).decode()
    if before:
        yield before
    yield "]}"


def plain_lines(info: SessionInfo) -> Iterator[str]:
    """The session in short: what was asked, done and answered."""
    yield f"Session {info.id}"
    yield from (f"  {line}" for line in _facts(info))
    calls: dict[str, Call] = {}
    for moment, event in _timeline(info.path):
        match event:
            case RequestStarted(request=request, prompt=prompt):
                yield from ("", f"Request {request}{f', {when(moment)}' if moment else ''}")
                yield from (f"  > {line}" for line in _clean(prompt).strip("\n").split("\n"))
            case Text(text=text, thought=False) if text.strip():
                yield from (f"  {line}".rstrip() for line in _clean(text).strip("\n").split("\n"))
            case Call():
                calls[event.call] = event
            case Result():
                call = calls.pop(event.call, None)
                main = f" {_main(call)}" if call is not None else ""
                yield f"  [{_line(event.tool)}{main}: {event.state}, {title_of(event.text)}]"
            case Note(text=text):
                yield f"  note: {title_of(text, 2 * _MAIN)}"
            case RequestEnded():
                yield f"  {_line(event.summary or event.detail or event.reason)}"
            case _:
                pass


def _facts(info: SessionInfo) -> list[str]:
    header: Header | None = None
    setups: list[Setup] = []
    for record in SessionReader(info.path):
        if isinstance(record, Header):
            header = header or record
        elif isinstance(record, Setup):
            setups.append(record)
    facts = [f"project: {_line(info.project)}", f"begun: {when(info.created)}, last written: {when(info.updated)}"]
    if header is not None and header.roomcode:
        facts.append(f"roomcode {header.roomcode}")
    facts += dict.fromkeys(f"model: {_line(setup.model)}, calls in {setup.form} form" for setup in setups)
    facts.append(f"requests: {info.requests}")
    if header is not None and header.parent:
        facts.append(f"forked from session {header.parent} before its request {header.before}")
    return facts


def _timeline(path: Path) -> Iterator[tuple[float, Event]]:
    """All events with the time of requests (else 0), the unfinished one ended."""
    yield from _timed(SessionReader(path))
    yield from ((0.0, event) for event in closing(event for _, event in _timed(SessionReader(path))))


def _timed(records: Iterable[Record]) -> Iterator[tuple[float, Event]]:
    started: RequestStarted | None = None
    for record in records:
        if started is not None:
            yield (record.time if isinstance(record, State) else 0.0), started
            started = None
        if isinstance(record, RequestStarted):
            started = record
        elif not isinstance(record, Header | Setup | TurnRecord | Turns | State):
            yield 0.0, record
    if started is not None:
        yield 0.0, started


def _main(call: Call | None) -> str:
    """The argument that says most, on one line."""
    if call is None:
        return ""
    path = call.arguments.get("path")
    return title_of(str(path if path is not None else next(iter(call.arguments.values()), "")), _MAIN)


def _diff(change: FileChange) -> list[str]:
    before, after = (change.before or "").splitlines(), (change.after or "").splitlines()
    return list(
        difflib.unified_diff(
            before,
            after,
            change.path if change.before is not None else "/dev/null",
            change.path if change.after is not None else "/dev/null",
            lineterm="",
        )
    )


def _fenced(text: str, language: str = "") -> Iterator[str]:
    text = _clean(text).strip("\n")
    ticks = "`" * max(3, 1 + max(map(len, _runs(text)), default=0))
    yield f"{ticks}{language or 'text'}"
    yield text
    yield ticks


def _folded(title: str, text: str, language: str = "") -> Iterator[str]:
    yield f"<details><summary>{title}</summary>"
    yield ""
    yield from _fenced(text, language)
    yield ""
    yield "</details>"
    yield ""


def _code(text: str) -> str:
    """As a code span."""
    ticks = "`" * (1 + max(map(len, _runs(text)), default=0))
    return f"{ticks} {text} {ticks}" if "`" in text else f"`{text}`"


def _runs(text: str) -> list[str]:
    """Every run of backticks."""
    return [run for run in "".join(c if c == "`" else " " for c in text).split(" ") if run]


def _line(text: str) -> str:
    return " ".join(_clean(text).split())


def _clean(text: str) -> str:
    """Without characters that a terminal obeys or that turn text round."""
    return text.replace("\r\n", "\n").translate(_UNSAFE)
