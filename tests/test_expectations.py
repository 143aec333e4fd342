"""What is read from a request about a page's first look and its buttons, and what is not."""

import pytest

from roomcode.expectations import expectations


def told(prompt: str) -> list[str]:
    """Expectations in short: `#id=text`, `-#id` hidden, `+#id` visible, `{a b}:a` only a, with the action before."""
    lines = []
    for one in expectations(prompt):
        first = one.ids[0]
        what = {
            "text": f"#{first}={one.value}",
            "change": f"#{first}{'' if one.value.startswith('-') else '+'}{one.value}",
            "visible": f"+#{first}",
            "hidden": f"-#{first}",
            "only": f"{{{' '.join(one.ids)}}}:{one.value}",
        }[one.kind]
        action = one.button or one.key
        lines.append(f"{action}: {what}" if action else what)
    return lines


@pytest.mark.parametrize(
    ("prompt", "lines"),
    [
        ('An element with id="time" shows 10. Start starts it.', ["#time=10"]),
        ('A field with id="step" (1 at first) and a field id="name" shows "Mia" at first.', ["#name=Mia", "#step=1"]),
        (
            'A counter. It starts at 0. A button "+" adds one, a button "-" takes one away, a button "Reset" sets it'
            ' back to 0. The number is in an element with id="count".',
            ["#count=0", "-: #count-1", "+: #count+1", "+: #count+1", "Reset: #count=0"],
        ),
        (
            'The score (id="score") starts at 5. The button "Hit" increases the score by 10.',
            ["#score=5", "Hit: #score+10"],
        ),
        (
            'Make a button "Open". It opens a box with id="box" and a button "Close". The box is hidden at first; Close'
            " hides it, and the Escape key hides it too.",
            ["-#box", "Open: +#box", "Close: -#box", "Open: +#box", "Escape: -#box"],
        ),
        (
            'Three tabs: buttons "One" and "Two". Panels with id="one" and id="two". Only the panel of the chosen tab'
            " is visible; at first that is One.",
            ["{one two}:one", "Two: {one two}:two", "One: {one two}:one"],
        ),
        ('At first all answers are hidden. There are answers with id="a" and answers with id="b".', ["-#a", "-#b"]),
        (
            'An element with id="time" shows 10. The button "Start" counts it down by one each second to 0.',
            ["#time=10", "Start: #time-1"],
        ),
    ],
)
def test_plain_sentences_are_read(prompt: str, lines: list[str]) -> None:
    assert told(prompt) == lines


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        'When I click "Go", an element with id="result" shows 10.',
        'An element with id="total" shows 2 decimals.',
        'After each guess id="left" shows 3.',
        'An element with id="message" says "Done".',
        'A button "Add" adds one entry to the list with id="items".',
        'A button "-" takes one away, but never below 0, in id="count".',
        'A button "+" adds one to id="a" and a button "-" takes one away from id="b".',
        'The menu with id="menu" is hidden when I click on Close.',
        "Only the first panel is visible.",
        'Show only entries that contain the text; id="hits" shows how many are visible.',
        'id="a", id="b" and id="c" are fields. Only numbers are visible in them.',
    ],
)
def test_what_may_mean_something_else_is_left_out(prompt: str) -> None:
    assert told(prompt) == []
