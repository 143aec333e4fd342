"""A model that repeats itself is noticed; content that is repetitive by nature is not."""

import base64
import random

import pytest

from roomcode.agent.repetition import RepetitionGuard, repeats


@pytest.mark.parametrize(
    "phrase",
    [
        "I will now fix it. ",
        "Let me check the file again.\n",
        "the the ",
        "\n- [ ] test the page and the script, then go on\n",
    ],
)
def test_the_same_phrase_again_and_again_is_noticed_in_prose(phrase: str) -> None:
    assert repeats("First I look at the page.\n" + phrase * 40)
    assert not repeats("First I look at the page.\n" + phrase * 3)


def test_a_line_repeated_for_ever_is_noticed_in_content_too() -> None:
    assert repeats("let a = 1;\n" * 400, in_value=True)
    assert repeats(
        "function f() {\n  // a longer block of code that comes back again and again\n  return compute(1, 2, 3);\n}\n\n"
        * 40,
        in_value=True,
    )


LETTERS = [f"{a}{b}" for a in "abcdefghijkl" for b in "mnopqrstuvwxyz"]

ORDINARY = {
    "similar rules": "".join(f".color-{i} {{ background: #{i * 65793:06x}; width: {i}px; }}\n" for i in range(200)),
    "a table": "<table>\n" + "".join(f"<tr><td>{i}</td><td>name {i}</td></tr>\n" for i in range(300)) + "</table>",
    "a grid of equal elements": '<div class="cell"></div>\n' * 64,
    "base64": base64.b64encode(random.Random(1).randbytes(6000)).decode(),
    "a list of numbers": ", ".join(str(i % 7) for i in range(900)),
    "prose": "The quick brown fox jumps over the lazy dog. " * 4,
    "a list with counters": "<ul>\n" + "".join(f"  <li>Item {i}</li>\n" for i in range(1, 301)) + "</ul>",
    "an array of numbers": "[" + ", ".join(str(i * 7919 % 1000) for i in range(500)) + "]",
    "an array of zeros": "const map = [" + "0, " * 1000 + "];",
    "a matrix of equal rows": "  [0, 0, 1, 1, 0, 0, 0, 0, 1, 1],\n" * 60,
    "a board of values": "  [null, null, null, null, null, null, null, null],\n" * 8,
    "a field of cells": "false, " * 400,
    "minified code": "".join(f"function {a}(e,t){{return e.{a}x(t)||t.{a}y({i})}}" for i, a in enumerate(LETTERS)),
    "a long drawing": ("#" + "." * 78 + "#\n") * 40 + ("+" + "-" * 78 + "+\n") * 3,
    "equal columns": "time,left,right\n" + "12:00,1.0,1.0\n" * 90,
    "equal columns of numbers": "0.5,0.5,0.5,0.5\n" * 300,
    "a board of equal elements": '      <div class="cell"></div>\n' * 225,
    "cards to be filled in": '<div class="card">\n  <h3>Title</h3>\n  <p>Some text.</p>\n</div>\n' * 30,
    "a line with a counter": "".join(f"console.log('this is the line number {i}');\n" for i in range(40)),
    "an ordinary switch": "".join(f"    case {i}:\n      draw(shape);\n      break;\n" for i in range(60)),
    "empty lines": "a\n" + "\n" * 400 + "b",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_repetitive_content_is_not_cut(name: str) -> None:
    text = ORDINARY[name]
    guard = RepetitionGuard()
    cut = any(guard.push(text[i : i + 3], 0, in_value=True) for i in range(0, len(text), 3))
    assert not cut


CIRCLES = {
    "the same line of code": "console.log('this is the line');\n" * 40,
    "the same comment": "    // Add more code here as needed\n" * 40,
    "the same rule": ".item { color: red; padding: 4px; }\n" * 40,
    "the same paragraph": "<p>This is a paragraph with text that comes again and again.</p>\n" * 200,
    "zeros without end": "0, " * 5000,
    "elements without end": '<div class="cell"></div>\n' * 1000,
}


@pytest.mark.parametrize("name", CIRCLES)
def test_going_round_in_circles_is_noticed_in_content(name: str) -> None:
    text = "function start() {\n  const page = document.body;\n}\n" + CIRCLES[name]
    guard = RepetitionGuard()
    pieces = [text[i : i + 3] for i in range(0, len(text), 3)]
    assert any(guard.push(piece, 0, in_value=True) for piece in pieces)
    assert guard.kept < len(text) / 10


DRAWING = "```\n" + "+----------------------------------+\n" + "|                                  |\n" * 12 + "```"


@pytest.mark.parametrize(
    "text",
    [
        DRAWING,
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 30,
        "".join(f"{i}. Open file {i}.js and look at it.\n" for i in range(60)),
        "-" * 200,
    ],
)
def test_drawings_and_lists_in_an_answer_are_not_cut(text: str) -> None:
    guard = RepetitionGuard()
    assert not any(guard.push(text[i : i + 3], 0, in_value=False) for i in range(0, len(text), 3))


def test_the_guard_follows_what_is_taken_back() -> None:
    guard = RepetitionGuard()
    loop = "again and again "
    assert not guard.push(loop * 12, 0, in_value=False)
    assert not guard.push(
        "something else entirely, said once " + "and then a longer explanation of it " * 2,
        len(loop) * 12,
        in_value=False,
    )
    assert guard.push(loop * 60, 0, in_value=False)


def test_a_passage_that_comes_four_times_in_an_answer_is_enough() -> None:
    passage = "body { margin: 0; font-family: sans-serif; }\nh1 { color: red; font-size: 2rem; }\n" * 2
    passage += "button { padding: 4px 12px; }\n"
    text = "I change the style sheet.\n" + passage
    assert not repeats(text + passage * 2)
    assert repeats(text + passage * 3)
    assert not repeats(text + passage * 3, in_value=True)
