"""What is read from the words of a request."""

import pytest

from roomcode.wording import (
    adds_only,
    answer_lead,
    intent,
    named_files,
    pages_spoken_of,
    placed_files,
    planned_files,
    replaced_texts,
    sentence_with,
    speaks_of_looks,
    wants_library,
    wants_new_file,
)

# Whether a change is wanted


@pytest.mark.parametrize(
    "prompt",
    [
        "Make a page with a clock",
        "please add a footer",
        "Can you rename calc to sum?",
        "I would like you to create a todo app",
        "The button does nothing. Fix it.",
        "Look at the console and fix it",
        "data.json comes from elsewhere, so do not touch it. The names should be shown.",
        "I need a small page with opening hours",
        "Double it.",
        "Now use blue instead",
        "Which file is it in? Then delete it.",
        "The highest score has to come first.",
        "Change the title. Change nothing else.",
        "Make the footer bold. Do not change style.css.",
        "Add a test button; don't touch anything else",
        "- add a header\n- make it red",
        "For the page:\n1. add a header",
        "When I click Save, it should say saved",
        'The page says "Add files". Make it say "Upload".',
    ],
)
def test_a_request_for_a_change_is_known(prompt: str) -> None:
    assert intent(prompt) == "change"


@pytest.mark.parametrize(
    "prompt",
    [
        "How long is the snake? Do not change any files.",
        "Which key pauses the game?",
        "In which file is the colour used? Only tell me, change nothing.",
        "Explain how to add a page",
        "what does app.js do",
        "List the functions of game.js",
        "Why is the title red",
        "Should I use a list here?",
        "Find the place where scores are sorted",
        'Where does it say "Make a wish"?',
        "How many lives are there? Change nothing yet.",
        "Don't edit anything, just explain what a click on Save does",
    ],
)
def test_a_question_is_no_request_for_a_change(prompt: str) -> None:
    assert intent(prompt) == "question"


@pytest.mark.parametrize("prompt", ["", "hello", "thanks, that looks good", "Erstelle eine Seite mit einer Uhr", "42"])
def test_other_words_are_unclear(prompt: str) -> None:
    assert intent(prompt) == "unclear"


# Files that a request names


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("Make a tip page: index.html with inputs; the JavaScript in app.js", ["index.html", "app.js"]),
        ("index.html, style.css and js/main.mjs. Then app.js!", ["index.html", "style.css", "js/main.mjs", "app.js"]),
        ("Change `app.js` (not the page) so that “data.json” is read", ["app.js", "data.json"]),
        ("app.js and app.js", ["app.js"]),
        ("write about-us.html", ["about-us.html"]),
        ("see https://example.com/logo.svg and www.site.com/app.js", []),
        ("mail me@page.html, read ../up.html or /etc/x.txt", []),
        ("version 1.2.js3, file.jsx and archive.html.bak", []),
        ("no file named here", []),
        ("", []),
        ("like Vue.js or Node.js, with three.js", []),
        ("a page without style.css", []),
        ("do not make app.js", []),
        ("don't touch app.js; write main.js", ["main.js"]),
        ("delete old.css and older.css", []),
        ("rename a.js to b.js", []),
        ("Write no comments. Put the code in app.js", ["app.js"]),
        ("Use no library, just app.js", ["app.js"]),
    ],
)
def test_files_that_a_request_wants(prompt: str, names: list[str]) -> None:
    assert named_files(prompt) == names


@pytest.mark.parametrize(
    ("prompt", "new"),
    [
        ("Move the CSS into a new file", True),
        ("Add an about page", False),
        ("Make a page about cats", True),
        ("build me a small snake game", True),
        ("Create another style sheet for print", True),
        ("Put the code into app.js", True),
        ("Make the page blue", True),
        ("Change index.html", False),
        ("Make it red; do not make new files", False),
        ("Rename the function", False),
    ],
)
def test_a_request_for_a_new_file_is_known(prompt: str, new: bool) -> None:
    assert wants_new_file(prompt, ["site/index.html"]) == new


@pytest.mark.parametrize(
    ("prompt", "adds"),
    [
        ('Add a button "Remove all" that removes everything.', True),
        ("Please show the sum under the list. Everything else stays.", True),
        ("Also, insert a footer", True),
        ("Add a footer and change the heading", False),
        ("Make a footer", False),
        ("Show the sum instead of the count", False),
        ("Fix the list", False),
    ],
)
def test_a_request_that_only_adds_is_told_from_one_that_changes(prompt: str, adds: bool) -> None:
    assert adds_only(prompt) is adds


def test_the_sentence_of_a_request_that_names_something_is_found() -> None:
    prompt = 'Make it nice. The box is #fff. Say "Hi. You"!\nThe end'
    assert sentence_with(prompt, "#fff") == "The box is #fff."
    assert sentence_with(prompt, "end") == "The end"
    assert sentence_with(prompt, "nowhere") == ""
    assert sentence_with("x" * 300, "x") == "", "too long to be told again"


@pytest.mark.parametrize(
    ("plan", "names"),
    [
        (
            "I'll change the `contacts.js` file to hold phones. Then, I'll update the `index.html` file.",
            ["contacts.js", "index.html"],
        ),
        ("I'll change the order of tags in index.html to ensure that greet.js is loaded late", ["index.html"]),
        (
            "I'll change the JavaScript in dice.js to compute it and update the HTML in index.html to show it",
            ["dice.js", "index.html"],
        ),
        ("I'll change the page so that it reads people.json", []),
        ("I'll change the colour with style.css", []),
    ],
)
def test_the_files_that_a_plan_changes_are_those_behind_such_a_word(plan: str, names: list[str]) -> None:
    assert planned_files(plan) == names


# The place that a request speaks of

NAMES = ("admin/app.js", "admin/index.html", "contact.html", "contact.css", "docs/admin.md", "index.html", "main.css")


@pytest.mark.parametrize(
    ("prompt", "files"),
    [
        ("On the admin page, Save shows nothing", ["admin/app.js", "admin/index.html"]),
        ("The button in the Admin folder is grey. The start page keeps its own.", ["admin/app.js", "admin/index.html"]),
        ("Make the text on the contact page green", ["contact.html"]),
        ("Save on the admin page, then on the admin page again", ["admin/app.js", "admin/index.html"]),
        ("On the start page, add a link to the admin page", []),
        ("Add a link to the admin page", []),
        ("On the admin page and on the contact page, make it green", []),
        ('It says "on the admin page". Make it green', []),
        ("Add a footer on the main page", []),
        ("Add a contact link to index.html like the one on the admin page", []),
        ("Nothing on the admin page may change. Add a link", []),
        ("When I press buy on the contact page the cart should show it", []),
        ("Use the logo in the docs folder as icon", []),
        ("Make the text in the admin part bigger", []),
        ("Add the footer that stands on the contact page to the start page", []),
        ("The menu on the contact page is right, make the start page look similar", []),
    ],
)
def test_files_of_the_place_that_a_request_speaks_of(prompt: str, files: list[str]) -> None:
    assert placed_files(prompt, NAMES) == files


@pytest.mark.parametrize(
    ("prompt", "pairs"),
    [
        ('Save should show "stored" instead of "saved".', [("saved", "stored")]),
        ('Change the text "Old" to "New" and rename "a" into "b"', [("Old", "New"), ("a", "b")]),
        ("Replace “Rye” by “Oat”", [("Rye", "Oat")]),
        ('It says "a", make it say "b"', []),
        ('Change "a" when I press "b"', []),
        ('The page shows "undefined" instead of "Anna". Fix it.', []),
        ('When the button is clicked, change "Start" to "Stop".', []),
        ('Clicking the button should change "Start" to "Stop"', []),
        ('Don\'t replace "Home" with "Start"; add "Start" to the menu as well', []),
        ('Write "Hello" instead of "Hi" if it is after noon', []),
    ],
)
def test_texts_that_are_to_replace_others(prompt: str, pairs: list[tuple[str, str]]) -> None:
    assert replaced_texts(prompt) == pairs


@pytest.mark.parametrize(
    ("prompt", "library"),
    [
        ("Draw it with three.js", True),
        ("Use jQuery for it", True),
        ("Load https://a.b/c.js", True),
        ("Make a page with a map of keys", False),
        ("Put the script into app.js", False),
    ],
)
def test_a_library_that_a_request_names(prompt: str, library: bool) -> None:
    assert wants_library(prompt) == library


@pytest.mark.parametrize(
    ("prompt", "lead"),
    [
        ("How many products in data.json are sold out?", "There are"),
        ("How many lives does the player have?", ""),
        ("How many are there? Remove the last one.", ""),
        ("Which products are sold out?", ""),
    ],
)
def test_how_an_answer_begins(prompt: str, lead: str) -> None:
    assert answer_lead(prompt) == lead


@pytest.mark.parametrize(
    ("prompt", "pages"),
    [
        ("The fee is wrong: at the moment loans.html asks 16.00 for 80 days.", ["loans.html"]),
        ("In shop/index.html the total is missing", ["shop/index.html"]),
        ("Make the link to about.html red", []),
        ('The button says "in a.html"', []),
    ],
)
def test_pages_that_a_request_speaks_of(prompt: str, pages: list[str]) -> None:
    assert pages_spoken_of(prompt) == pages


@pytest.mark.parametrize(
    ("prompt", "looks"),
    [
        ("Make the title blue.", True),
        ("The cards should stand beside each other.", True),
        ("Use #ff0000.", True),
        ("The fee should never be more than 10 euros.", False),
        ('Change the heading to "Red bikes".', False),
        ("The list breaks off after Tom.", False),
    ],
)
def test_whether_a_request_speaks_of_looks(prompt: str, looks: bool) -> None:
    assert speaks_of_looks(prompt) == looks
