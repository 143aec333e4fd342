"""Edits that were meant to add something keep what they would take away."""

from roomcode.additions import additions, kept
from roomcode.preview.references import parse_sources

PAGE = """<!doctype html>
<html>
<body>
  <ul id="cart">
    <li>Cheese</li>
  </ul>
  <button id="remove">Remove last</button>
  <p><b>one</b> two</p>
  <script src="shop.js"></script>
</body>
</html>
"""
SCRIPT = 'document.getElementById("remove").addEventListener("click", () => {});\n'


def edit(prompt, old, new, *, name="index.html", page=PAGE, script=SCRIPT):
    texts = {"index.html": page, "shop.js": script}
    start = texts[name].index(old)
    return kept(prompt, parse_sources(texts), name, texts[name], start, start + len(old), new)


def test_a_button_that_is_to_be_added_does_not_replace_another_one() -> None:
    old, new = '<button id="remove">Remove last</button>', '<button id="dark">Dark mode</button>'
    assert edit('Add a button "Dark mode".', old, new) == f"{old}\n  {new}"


def test_what_no_script_asks_for_is_kept_too_when_a_request_only_adds() -> None:
    assert edit("Add an entry Butter to the cart.", "<li>Cheese</li>", "<li>Butter</li>") == (
        "<li>Cheese</li>\n    <li>Butter</li>"
    )


def test_within_a_line_a_space_goes_between() -> None:
    assert edit("Please add a three.", "<b>one</b>", "<b>three</b>") == "<b>one</b> <b>three</b>"


def test_a_request_that_changes_may_take_away_what_nothing_needs() -> None:
    assert edit("Change the entry in the cart to Butter.", "<li>Cheese</li>", "<li>Butter</li>") is None
    assert edit("Make a list of sweets.", "<li>Cheese</li>", "<li>Cake</li>") is None


def test_an_id_that_a_script_asks_for_is_kept_whatever_the_request_is() -> None:
    old, new = '<button id="remove">Remove last</button>', '<button id="dark">Dark mode</button>'
    assert edit("Make the page dark at night, with a switch.", old, new) == f"{old}\n  {new}"
    assert edit("Make the page dark at night, with a switch.", old, new, script="") is None


def test_what_the_request_speaks_of_may_go() -> None:
    old, new = '<button id="remove">Remove last</button>', '<button id="drop">Drop last</button>'
    assert edit("Rename remove to drop: Remove last is Drop last now.", old, new) is None
    assert edit("Add one for a drop.", old, new) == f"{old}\n  {new}"


def test_what_the_request_names_and_wants_does_not_go() -> None:
    old, new = "<p><b>one</b> two</p>", '<p id="message">Time is up</p>'
    prompt = 'The countdown has id="time", the element with id="message" says "Time is up".'
    page = PAGE.replace(old, '<h1 id="time">10</h1>')
    assert edit(prompt, '<h1 id="time">10</h1>', new, page=page) == f'<h1 id="time">10</h1>\n  {new}'


def test_an_edit_that_keeps_everything_is_left_alone() -> None:
    old = '<button id="remove">Remove last</button>'
    assert edit("Add a button.", old, f"{old} <button>More</button>") is None


def test_an_edit_that_brings_nothing_new_is_no_addition() -> None:
    assert edit("Add nothing.", "<li>Cheese</li>", "") is None


def test_handlers_in_a_script_are_kept_beside_a_new_one() -> None:
    old = 'document.getElementById("remove").addEventListener("click", () => {});'
    new = 'document.getElementById("empty").addEventListener("click", () => {});'
    page = PAGE.replace("<p>", '<button id="empty">Empty</button><p>')
    assert edit('Add a button "Empty".', old, new, name="shop.js", page=page) == f"{old}\n{new}"


def test_two_things_that_do_not_go_together_are_not_put_together() -> None:
    old, new = "const total = 1;", "function sum() { return 2;"
    assert edit("Add a sum.", old, new, name="shop.js", script=old + "\n") is None


def test_the_project_is_read_as_it_is_on_disk(tmp_path) -> None:
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "shop.js").write_text(SCRIPT)
    old, new = '<button id="remove">Remove last</button>', '<button id="dark">Dark mode</button>'
    start = PAGE.index(old)
    place = PAGE, start, start + len(old)
    keep = additions(tmp_path)
    assert keep("Change the button.", "index.html", *place, new) == f"{old}\n  {new}"
    (tmp_path / "shop.js").unlink()
    assert keep("Change the button.", "index.html", *place, new) is None


def test_a_tag_that_closes_something_is_kept() -> None:
    assert edit("Add an entry Butter to the cart.", "</ul>", "<li>Butter</li>") == "</ul>\n  <li>Butter</li>"
    assert edit("Fix the cart.", "</ul>", "") is None, "it takes away, and that is for the person to see"
