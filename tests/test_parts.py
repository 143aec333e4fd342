"""Which part of a page a request wants to say something else, and where it stands."""

import pytest

from roomcode.parts import Addition, last_entry, relabelled, unsaid

PAGE = """<title>Fair</title>
<h1>Fair</h1>
<h2>Step one</h2>
<!-- <h2>Old</h2> -->
<h2>Step two</h2>
<button>Go</button> <button>Stop</button>
<footer>
  <p>Open from 8</p>
</footer>
"""


@pytest.mark.parametrize(
    ("prompt", "kind", "new"),
    [
        ('Change the second heading to "Step two: cut". Leave the others.', "second heading", "Step two: cut"),
        ('Change the heading of the page (h1) to "Market" and make it green.', "heading", "Market"),
        ('Please set the text of the last button to "Halt"', "last button", "Halt"),
        ('The footer should say "Open from 9".', "footer", "Open from 9"),
        ('Make the 3rd heading read "Third".', "3rd heading", "Third"),
        ('Change the label of the first button to "Run".', "first button", "Run"),
    ],
)
def test_a_part_that_is_to_say_something_else_is_known(prompt: str, kind: str, new: str) -> None:
    assert [(one.kind, one.new) for one in relabelled(prompt)] == [(kind, new)]


@pytest.mark.parametrize(
    "prompt",
    [
        'When I click on it, change the heading to "Bye".',
        'Change the footer so that the link says "x".',
        'Change the heading from "A" to "B".',
        'Add a heading "News".',
        'Change the colour of the second heading to red. It says "News".',
        'Move the heading to "index.html"' + " and more" * 3,
    ],
)
def test_other_wishes_are_none(prompt: str) -> None:
    assert relabelled(prompt) == []


@pytest.mark.parametrize(
    ("prompt", "place"),
    [
        ('Change the last heading to "X".', ("index.html", 5)),
        # The second of all is the first of the two below the title: the words decide.
        ('Change the second heading to "Step two: cut".', ("index.html", 5)),
        ('Change the second heading to "Step one: wash".', ("index.html", 3)),
        ('Change the second heading to "Other words".', None),
        ('Change the main heading to "Market".', ("index.html", 2)),
        ('Change the second button to "Halt".', ("index.html", 6)),
        ('Change the second button to "Stop".', None),
        ('Change the button to "Halt".', None),
        ('Change the footer to "Open from 9".', ("index.html", 8)),
        ('Change the footer to "Open from 8".', None),
        ('Change the fifth heading to "X".', None),
        ('Change the caption to "X".', None),
    ],
)
def test_the_place_of_a_part_that_does_not_say_it_yet(prompt: str, place: tuple[str, int] | None) -> None:
    (wish,) = relabelled(prompt)
    assert unsaid(wish, {"index.html": PAGE, "app.js": "<h2>no page</h2>"}) == place


def test_of_several_pages_with_that_part_none_is_meant() -> None:
    (wish,) = relabelled('Change the footer to "Open".')
    assert unsaid(wish, {"a.html": PAGE, "b.html": PAGE}) is None


LIST = "<nav><a>Home</a></nav>\n<ul id=cart>\n<li>Bread</li>\n  <li data-price=2>Milk</li>\n</ul>\n"


@pytest.mark.parametrize(
    ("prompt", "text", "line"),
    [
        ('Add an entry "Butter" with a price of 3.10 to the end of the cart.', "Butter", 4),
        ('Please add another list item called "Salt".', "Salt", 4),
        ('Add an item "Salt" at the top of the list.', "", 0),
        ('Add an item "Salt" before the milk.', "", 0),
        ('Add an entry "Salt" and an item. Add an entry "Oil".', "", 0),
        ('Add a button "Salt" to the list.', "", 0),
    ],
)
def test_where_an_entry_is_added(prompt: str, text: str, line: int) -> None:
    expected = Addition(text, "index.html", line) if text else None
    assert last_entry(prompt, {"index.html": LIST, "app.js": "<ul><li>a</li></ul>"}) == expected


@pytest.mark.parametrize(
    "page", [LIST + LIST, "<ul></ul>", "<ul><li>a<ul><li>b</li></ul></li></ul>", "<!-- <ul><li>a</li></ul> -->"]
)
def test_in_another_list_nobody_knows_where_an_entry_goes(page: str) -> None:
    assert last_entry('Add an entry "Salt".', {"index.html": page}) is None


@pytest.mark.parametrize(
    "prompt",
    [
        'Change the button to say "Stop" while it runs.',
        'Change the text of the first button to "Go" after a click.',
        'Set the first column to "50px".',
        'Rename the button class to "primary".',
        'Change the link in the footer to "/about".',
    ],
)
def test_what_is_no_text_or_comes_later_is_no_new_text(prompt: str) -> None:
    assert relabelled(prompt) == []
