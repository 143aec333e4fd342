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
            'A counter (id="count") starts at 0. A button "+" adds one, a button "-" takes one away, but it never goes'
            " below zero.",
            ["#count=0", "-: #count=0"],
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
        (
            'id="title" says "Hello." at first; the counter with id="count" starts at 5 instead of 0.',
            ["#title=Hello", "#count=5"],
        ),
        ('id="n" shows 3, and each miss takes one. Then a button "+" adds 2.', ["#n=3", "+: #n+2"]),
        (
            'A button "New" opens the dialog with id="new" with a field. A button "Save" closes it,'
            ' a button "No" closes it.',
            ["New: +#new", "No: -#new", "New: +#new"],
        ),
    ],
)
def test_plain_sentences_are_read(prompt: str, lines: list[str]) -> None:
    assert told(prompt) == lines


def test_a_wizard_has_no_button_for_each_step() -> None:
    prompt = 'Only one step is visible: id="a", id="b", id="c". Use the buttons "Back", "Next" and "Done".'
    assert told(prompt) == []
    assert told(prompt.replace("Back", "One").replace("Next", "Two").replace("Done", "Three"))[-1] == "One: {a b c}:a"


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
        # What a page shows now.
        'At the moment id="count" shows 0. Make it show 5.',
        'Now the element with id="price" shows 12, change it to 15.',
        'id="price" shows 12. It should show 15.',
        'The number with id="n" starts at 0. Let the number with id="n" begin at 5: id="n" starts at 5.',
        # What it shows for one input, or in some case.
        'For 100 id="result" shows 212.',
        'With an input of 100, id="result" shows 212, and for example id="second" shows 3.',
        'id="tries" shows 5, when the game is lost.',
        'A button "Send" shows the message with id="thanks" if the name is not empty.',
        'A form with a field. A button "Send" shows the message with id="thanks".',
        'A button "Load" shows the box with id="load" while it loads.',
        'A button "Hint" shows the box with id="hint" after 3 seconds.',
        # Parts of numbers, and several.
        'id="time" shows 1:30 at first.',
        'id="price" shows 1,000 at first.',
        'id="x" (at first 0.5.1).',
        'id="gallery" shows 1, 2 or 3 pictures.',
        'id="status" says "Loading" at first.',
        # Another number than that of the element.
        'A canvas with id="game"; the score starts at 0.',
        'The score is in id="score". The speed is a value that starts at 5.',
        'A score in id="lives", and a ball that starts at 5.',
        # What only some of them are, or only here.
        'The answers with id="x", the answer with id="a" and the answer with id="b". The answers are hidden at first.'
        " The first one is open.",
        'The panel with id="b". The other panel is hidden at first.',
        'The menu with id="menu": on small screens the menu is hidden at first.',
        'The banner with id="b". The banner is hidden when the page loads if "OK" was clicked before.',
        # Numbers that have an end, or need something first.
        'A list of tasks with id="left". A button "Add" adds one.',
        'The coins are in id="coins". A button "Buy" takes 10.',
        'id="page" is the page. A button "Next" adds one, a button "Previous" takes one away.',
        'A score with id="home" and a button "Home" that adds one, and id="guest" and a button "Guest" that adds one.',
        'In id="count" a button "+" adds one if shift is held.',
    ],
)
def test_what_may_mean_something_else_is_left_out(prompt: str) -> None:
    assert told(prompt) == []


def test_a_pasted_text_is_not_read() -> None:
    assert told('id="count" shows 0. ' + 'id="a", ' * 1000) == []
