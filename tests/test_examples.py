"""Requests from which an example follows, and such that only sound like it."""

import pytest

from roomcode.examples import examples
from roomcode.preview import Expectation

CALCULATOR = (
    'Make a calculator in index.html with buttons for the digits 0 to 9, "+", "-", "*", "/", "=" and "C"; the element '
    'with id="display" shows what was typed and the result.'
)
SUM = Expectation("text", ("display",), "15", "7", then=("+", "8", "="))
CLEARED = Expectation("text", ("display",), "4", "C", then=("9", "-", "5", "="))
WORDS = 'A textarea with id="text". Below it an element with id="words" {}.'


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        (CALCULATOR, [SUM, CLEARED]),
        (
            'A calculator with digit buttons, +, -, = and no clear key. The result is in id="result".',
            [Expectation("text", ("result",), "15", "7", then=("+", "8", "="))],
        ),
        (CALCULATOR.replace("calculator", "tip calculator"), []),
        (CALCULATOR.replace('"="', '"Go"'), []),
        (CALCULATOR.replace("the digits 0 to 9", "some numbers"), []),
        (CALCULATOR + ' The element with id="result" shows the result.', []),
        (
            WORDS.format("shows the number of words"),
            [Expectation("text", ("words",), "3", fill=("text", "one two three"))],
        ),
        (
            WORDS.format("always shows how many characters it has"),
            [Expectation("text", ("words",), "13", fill=("text", "one two three"))],
        ),
        (WORDS.format("shows how many characters are left"), []),
        (WORDS.format("shows the number of words after a click on Count"), []),
        ('An element with id="words" shows the number of words.', []),
    ],
)
def test_an_example_follows_from_what_is_wanted(prompt: str, found: list[Expectation]) -> None:
    assert list(examples(prompt)) == found
