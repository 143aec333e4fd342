"""What a person reads of a session: complete, and safe to paste."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from roomcode.protocol.display import FileChange, PageReport
from roomcode.protocol.events import (
    Approval,
    Call,
    CallOpened,
    Event,
    Note,
    RequestStarted,
    Result,
    StepStarted,
    Text,
)
from roomcode.session.infos import SessionInfo, info_of
from roomcode.session.records import Record, State
from roomcode.session.reports import json_lines, markdown_lines, plain_lines
from roomcode.session.timeline import INTERRUPTED
from tests.support.sessions import SETUP, ended, header, request, write

FENCE = "```"


def session(folder: Path, records: Sequence[Record]) -> SessionInfo:
    path = write(folder / "20260101-000000-0badcafe.jsonl", [header(), SETUP, *records])
    info = info_of(path)
    assert info is not None
    return info


def markdown(folder: Path, records: Sequence[Record]) -> str:
    return "\n".join(markdown_lines(session(folder, records))) + "\n"


def one_call(call: Call, result: Result, *more: Event) -> list[Event]:
    return [
        RequestStarted(request=1, prompt="do it", model="m", form="xml"),
        StepStarted(step=1),
        CallOpened(call=call.call, tool=call.tool),
        call,
        result,
        *more,
        ended(1),
    ]


def test_the_whole_story_is_told_in_order(tmp_path: Path) -> None:
    events = request(1, prompt="make it")
    text = markdown(tmp_path, [events[0], State(time=1_700_000_000.0), *events[1:], *request(2, prompt="again")])
    parts = [
        "# roomcode session 0badcafe",
        "- project: /project",
        "- model: m, calls in xml form",
        "## Request 1 · 2023-11-1",
        "make it",
        "> I write.",
        "**write_file** `a.js` · ok · 0.0 s",
        "<details><summary>diff, 4 lines</summary>",
        "+x",
        "</details>",
        "Created a.js.",
        "> Done.",
        "**1 step · 1 tool call**",
        "## Request 2",
        "again",
    ]
    places = []
    at = 0
    for part in parts:
        at = text.index(part, at)
        places.append(at)
    assert places == sorted(places)


def test_foreign_text_cannot_break_out(tmp_path: Path) -> None:
    evil = f"{FENCE}\n# Not a heading\n</details>\n\x1b[31m\u202eabc\r\n````\n"
    change = FileChange("a.md", None, evil)
    call = Call(call="1.1.1", tool="write_file", arguments={"path": "a`b.md", "content": evil})
    result = Result(call="1.1.1", tool="write_file", state="ok", text=evil, display=change)
    text = markdown(tmp_path, one_call(call, result, Text(text=evil)))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\r" not in text
    assert "`` a`b.md ``" in text
    lines = text.split("\n")
    open_fence = ""
    outside = []
    for line in lines:
        bare = line.rstrip("abcdefghijklmnopqrstuvwxyz")
        if not open_fence and line.startswith(FENCE):
            open_fence = bare
        elif open_fence and line == open_fence:
            open_fence = ""
        elif not open_fence:
            outside.append(line)
    assert open_fence == ""
    assert "# Not a heading" not in outside
    opened = [line for line in outside if line.startswith("<details>")]
    assert len(opened) == outside.count("</details>") == 2, "the diff and the result, and none of the foreign ones"


def test_what_was_refused_repaired_and_noted_is_told(tmp_path: Path) -> None:
    call = Call(call="1.1.1", tool="edit_file", arguments={"path": "a.js"}, repairs=("file is path",))
    rejected = Result(call="1.1.1", tool="edit_file", state="rejected", text="The person said no: why?")
    events = one_call(call, rejected, Note(topic="repeat", text="Do something else.", to_model=True))
    events.insert(4, Approval(call="1.1.1", tool="edit_file", state="rejected", comment="why?"))
    events.insert(2, Text(text="let me think", thought=True))
    text = markdown(tmp_path, events)
    assert "- repaired: file is path" in text
    assert "*not approved: why?*" in text
    assert "· rejected ·" in text
    assert "*repeat (to the model):*" in text
    assert "<details><summary>thinking</summary>" in text


def test_a_page_is_named_with_its_state(tmp_path: Path) -> None:
    page = PageReport("http://127.0.0.1:5173/", 5173, "t", "errors", ("TypeError",))
    call = Call(call="1.1.1", tool="serve", arguments={"path": ".", "port": 5173})
    result = Result(call="1.1.1", tool="serve", state="ok", text="1 error\nTypeError", display=page)
    text = markdown(tmp_path, one_call(call, result))
    assert "Page `http://127.0.0.1:5173/`: errors" in text
    assert '"port": 5173' in text


def test_a_killed_session_is_told_to_its_end(tmp_path: Path) -> None:
    info = session(tmp_path, request(1)[:5])
    for lines in (markdown_lines(info), plain_lines(info)):
        assert INTERRUPTED in "\n".join(lines)
    assert json.loads("\n".join(json_lines(info)))["events"][-1]["reason"] == "stopped"


def test_json_holds_every_event(tmp_path: Path) -> None:
    events = [*request(1), *request(2)]
    whole = json.loads("\n".join(json_lines(session(tmp_path, events))))
    assert whole["format"] == 1
    assert whole["session"]["id"] == "0badcafe"
    assert whole["session"]["requests"] == 2
    assert [event["kind"] for event in whole["events"]][:3] == ["request_started", "step_started", "text"]
    assert len(whole["events"]) == len(events)
    assert json.loads("\n".join(json_lines(session(tmp_path, []))))["events"] == []


def test_the_short_form_says_what_was_asked_done_and_answered(tmp_path: Path) -> None:
    lines = list(plain_lines(session(tmp_path, request(1, prompt="make\nit \x1b[31mred"))))
    assert lines[-5:] == [
        "  > it \ufffd[31mred",
        "  I write.",
        "  [write_file a.js: ok, Created a.js.]",
        "  Done.",
        "  1 step · 1 tool call",
    ]


@pytest.mark.parametrize("text", ["naïve 日本語 ✅", "👩🏽\u200d💻", "a\tb"])
def test_text_of_every_language_stays(tmp_path: Path, text: str) -> None:
    events = request(1, prompt=text)
    assert text in markdown(tmp_path, events)
    assert any(text in line for line in plain_lines(session(tmp_path, events)))
