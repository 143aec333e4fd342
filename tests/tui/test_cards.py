"""What a tool card says in each of its states."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.protocol.display import FileChange, PageReport, TextBlock
from roomcode.protocol.tools import ResultState
from roomcode.tui.brush import Brush
from roomcode.tui.drawing import draw
from roomcode.tui.foreign import is_safe
from roomcode.tui.items import Answer, Banner, Card, Item, Problem, Remark, Request, Summary, Thought

OLD = "".join(f"line {n}\n" for n in range(1, 31))
NEW = OLD.replace("line 15\n", "line fifteen\n")


def shown(item: Item, brush: Brush, width: int = 80, *, chosen: bool = False) -> list[str]:
    return [strip.text.rstrip() for strip in draw(item, width, brush, chosen=chosen)]


def card(state: str, **fields: Any) -> Card:
    made = Card("1.1.1", fields.pop("tool", "write_file"), arguments=fields.pop("arguments", {"path": "a.js"}))
    for name, value in fields.items():
        setattr(made, name, value)
    made.move(state)  # type: ignore[arg-type]
    return made


def test_a_card_fills_in_while_it_is_written(brush: Brush) -> None:
    made = Card("1.1.1", "")
    assert "…" in shown(made, brush)[0]
    made.tool = "write_file"
    made.grow("path", "a.")
    made.grow("path", "js")
    assert shown(made, brush)[0].split() == ["▎", "✎", "write_file", "a.js", "writing"]
    for number in range(1, 13):
        made.grow("content", f"let a{number} = 1;\n")
    head, *body = shown(made, brush)
    assert head.endswith("writing · 13 lines")
    assert [line.split()[1] for line in body if line] == ["7", "8", "9", "10", "11", "12"]
    assert body[-2].endswith("let a12 = 1;")


@pytest.mark.parametrize(
    ("state", "label"),
    [
        ("ready", "next"),
        ("waiting", "waiting for you"),
        ("running", "running"),
        ("unchanged", "unchanged"),
        ("failed", "failed"),
        ("rejected", "rejected"),
        ("stopped", "stopped"),
        ("unknown", "unknown tool"),
    ],
)
def test_every_state_is_named(state: str, label: str, brush: Brush) -> None:
    assert shown(card(state, text="why"), brush)[0].endswith(label)


def test_an_edit_shows_a_real_difference_with_numbers_and_counts(brush: Brush) -> None:
    made = card("ok", tool="edit_file", display=FileChange("a.js", OLD, NEW), seconds=0.25)
    head, *body = shown(made, brush)
    assert head.endswith("+1 -1  0.2 s")
    assert any(line.split()[1:] == ["15", "-", "line", "15"] for line in body)
    assert any(line.split()[1:] == ["15", "+", "line", "fifteen"] for line in body)
    assert any("11 unchanged lines" in line for line in body)


def test_changed_words_stand_out(brush: Brush) -> None:
    made = card("ok", tool="edit_file", display=FileChange("a.js", OLD, NEW))
    marked = [
        segment.text
        for strip in draw(made, 80, brush)
        for segment in strip
        if segment.style is not None and segment.style.bgcolor == brush.palette.added_word.bgcolor
    ]
    assert "".join(marked).strip() == "fifteen"


def test_a_long_result_folds_and_unfolds(brush: Brush) -> None:
    made = card("ok", tool="read_file", text=OLD)
    assert shown(made, brush)[-2] == "▎ … 27 more lines"
    made.unfolded = True
    assert sum("line " in line for line in shown(made, brush)) == 30


def test_no_mark_takes_the_place_of_a_single_line(brush: Brush) -> None:
    made = card("ok", tool="read_file", text="1\n2\n3\n4")
    assert not any("more line" in line for line in shown(made, brush))


def test_repairs_and_errors_are_marked(brush: Brush) -> None:
    text = "\n".join(shown(card("failed", text="no such file", repairs=("path taken from file",)), brush))
    assert "no such file" in text
    assert "repaired: path taken from file" in text


def test_a_loose_match_is_said(brush: Brush) -> None:
    made = card("ok", tool="edit_file", display=FileChange("a.js", OLD, NEW, loose=True))
    assert "matched loosely" in "\n".join(shown(made, brush))


def test_a_waiting_card_shows_the_change_and_its_keys(brush: Brush) -> None:
    made = card("waiting", tool="edit_file", change=FileChange("a.js", OLD, NEW))
    away = "\n".join(shown(made, brush))
    there = "\n".join(shown(made, brush, chosen=True))
    assert "line fifteen" in there
    assert "y approve" in there
    assert "v full diff" in there
    assert "Tab to answer:" in away
    assert "Tab to answer:" not in there


def test_a_card_that_wants_to_read_a_secret_offers_no_blanket_yes(brush: Brush) -> None:
    made = card("waiting", change=FileChange(".env", "KEY=1", "KEY=1"), reading=True)
    text = "\n".join(shown(made, brush, chosen=True))
    assert "secrets" in text
    assert "this session" not in text


def test_a_rejection_shows_the_reason(brush: Brush) -> None:
    assert "you: too red" in "\n".join(shown(card("rejected", comment="too red"), brush))


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("clean", "loaded without errors"),
        ("errors", "has errors"),
        ("no_answer", "did not answer"),
        ("no_browser", "no browser"),
    ],
)
def test_a_served_page_shows_address_title_and_verdict(state: Any, says: str, brush: Brush) -> None:
    page = PageReport("http://127.0.0.1:5173/", 5173, "Tips", state, ("http://127.0.0.1:5173/ has it", "app.js:1 boom"))
    text = "\n".join(shown(card("ok", tool="serve", display=page), brush))
    assert "http://127.0.0.1:5173/" in text
    assert says in text
    assert "“Tips”" in text
    assert "app.js:1 boom" in text
    assert "has it" not in text


def test_a_deletion_and_an_unchanged_edit_are_said(brush: Brush) -> None:
    gone = card("waiting", change=FileChange("a.js", OLD, None))
    same = card("waiting", change=FileChange("a.js", OLD, OLD))
    assert "deletes this file (30 lines)" in "\n".join(shown(gone, brush))
    assert "no visible difference" in "\n".join(shown(same, brush))


def test_a_running_card_counts_the_seconds(brush: Brush) -> None:
    made = card("running")
    made.since -= 3.2
    assert shown(made, brush)[0].endswith("running 3 s")


def test_control_codes_in_a_change_are_visible(brush: Brush) -> None:
    made = card("waiting", change=FileChange("a.js", "a\n", "a\x1b[2J\n"))
    assert "a␛[2J" in "\n".join(shown(made, brush))


wild = st.text(alphabet="ab \n\t[]/\x1b\x00\x07\r\u202e日本😀👩🏽\u200d💻{}<>&", max_size=60)


@settings(deadline=None, max_examples=60)
@given(
    tool=wild,
    path=wild,
    text=wild,
    before=st.none() | wild,
    after=st.none() | wild,
    state=st.sampled_from(
        ["writing", "ready", "waiting", "running", "ok", "failed", "unchanged", "rejected", "stopped", "unknown"]
    ),
    show=st.sampled_from(["none", "change", "text", "page"]),
    width=st.integers(6, 100),
    unfolded=st.booleans(),
)
def test_whatever_a_card_holds_its_lines_are_safe_and_of_one_width(
    tool: str, path: str, text: str, before: str | None, after: str | None, state: ResultState, show: str, width: int,
    unfolded: bool,
) -> None:  # fmt: skip
    from roomcode.tui.palette import Palette
    from roomcode.tui.themes import own_themes

    brush = Brush(Palette.from_theme(own_themes()[0].to_color_system().generate(), ansi=False))
    made = card(state, tool=tool, arguments={"path": path}, text=text, error=text, repairs=(text,), comment=text)
    made.change = FileChange(path, before, after)
    made.display = {
        "none": None,
        "change": FileChange(path, before, after, loose=True),
        "text": TextBlock(text, "html"),
        "page": PageReport(text, 1, text, "errors", (text,)),
    }[show]
    made.grow("content", text)
    made.unfolded = unfolded
    for strip in draw(made, width, brush):
        assert strip.cell_length == width
        assert is_safe(strip.text)


@settings(deadline=None, max_examples=60)
@given(text=wild, width=st.integers(6, 60), unfolded=st.booleans())
def test_every_other_item_is_safe_at_any_width(text: str, width: int, unfolded: bool) -> None:
    from roomcode.tui.palette import Palette
    from roomcode.tui.themes import own_themes

    brush = Brush(Palette.from_theme(own_themes()[0].to_color_system().generate(), ansi=False))
    answer = Answer()
    answer.body.append(text)
    items: list[Item] = [
        answer,
        Banner(text, (text,)),
        Request(text),
        Thought([text]),
        Remark("hint", text),
        Summary(text, "error"),
        Problem(text, text),
    ]
    for item in items:
        item.unfolded = unfolded
        for strip in draw(item, width, brush, chosen=True):
            assert strip.cell_length == width
            assert is_safe(strip.text)
