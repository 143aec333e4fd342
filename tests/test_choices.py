"""Requests that speak of several controls alike, and such that only sound like it."""

import pytest

from roomcode.choices import choices


@pytest.mark.parametrize(
    ("prompt", "kinds"),
    [
        ("A click on a question opens its answer and closes the one that was open before.", ["alone"]),
        ("When I click one, that one turns gold (the others don't).", ["alone"]),
        ("Clicking a heading opens its text; only one section is open at a time.", ["alone"]),
        ("A click on a tab shows its panel and hides all others.", ["alone"]),
        ("Click a row to mark it. The other rows are not marked.", ["alone"]),
        ("Choose a colour; the others are deselected.", ["alone"]),
        ("A click opens the answer. A second click on the same question closes its answer again.", ["again"]),
        ("A click on the title shows the text, clicking it again hides it.", ["again"]),
        (
            "Only one panel may be open at a time when I click a heading, and clicking again closes it.",
            ["alone", "again"],
        ),
        ("Give every second row a light grey background, #eeeeee.", ["stripes"]),
        ("Give every second row the background #eeeeee, starting with the first.", []),
        ("Every second click changes the background to #eeeeee.", []),
        (
            'Add a button "Dark". A click makes it black, a second click brings the colours back.',
            ["again Dark"],
        ),
        ('Buttons "A" and "B" show a text. Clicking again takes it back.', ["again"]),
        # Nothing is clicked, it is a text in quotes, or something else is meant.
        ("Show one picture at a time.", []),
        ('Click on "Only one open at a time" to see the rule.', []),
        ("A click on Save stores the note; the other notes stay as they are.", []),
        ("A button adds an item, another one removes it.", []),
        ("A second click on the button is ignored.", []),
    ],
)
def test_what_is_said_of_several_controls(prompt: str, kinds: list[str]) -> None:
    assert [f"{one.kind} {one.button}".strip() for one in choices(prompt)] == kinds
