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


ORDINARY = {
    "similar rules": "".join(f".color-{i} {{ background: #{i * 65793:06x}; width: {i}px; }}\n" for i in range(200)),
    "a table": "<table>\n" + "".join(f"<tr><td>{i}</td><td>name {i}</td></tr>\n" for i in range(300)) + "</table>",
    "a grid of equal elements": '<div class="cell"></div>\n' * 64,
    "base64": base64.b64encode(random.Random(1).randbytes(6000)).decode(),
    "a list of numbers": ", ".join(str(i % 7) for i in range(900)),
    "prose": "The quick brown fox jumps over the lazy dog. " * 4,
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_repetitive_content_is_not_cut(name: str) -> None:
    text = ORDINARY[name]
    guard = RepetitionGuard()
    cut = any(guard.push(text[i : i + 3], 0, in_value=True) for i in range(0, len(text), 3))
    assert not cut


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
