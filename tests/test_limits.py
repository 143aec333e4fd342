"""What a request forbids, and what it only seems to."""

import time

import pytest

from roomcode.limits import kept_files, no_new_files

NAMES = ("index.html", "style.css", "js/app.js", "admin/style.css", "shop/index.html", "data.json")


@pytest.mark.parametrize(
    ("prompt", "kept"),
    [
        ("Make the footer bold. Do not change style.css.", {"style.css"}),
        ("Make it bold; don't touch index.html or js/app.js", {"index.html", "js/app.js"}),
        ("Make it bold without changing `index.html`, please", {"index.html"}),
        ("Leave app.js exactly as it is, and make it red", {"js/app.js"}),
        ("Make it red. Keep index.html unchanged", {"index.html"}),
        ("The file index.html stays as it is.", {"index.html"}),
        ("Make it red, index.html must remain untouched", {"index.html"}),
        ("index.html must not be edited. Fix app.js", {"index.html"}),
        ("Never modify the files index.html and admin/style.css", {"index.html", "admin/style.css"}),
        ("Make it red, but do not change anything in index.html", {"index.html"}),
        ("- make it red\n- don't edit data.json\n- add a link", {"data.json"}),
        ("Do not change index.html and add a function to app.js", {"index.html"}),
        ("data.json comes from elsewhere, so do not touch it. Show the names.", {"data.json"}),
        ("Make list.html that loads data.json and shows it", {"data.json"}),
        ("Create a page about.html with the names from the data in data.json", {"data.json"}),
    ],
)
def test_files_that_are_to_stay_as_they_are(prompt: str, kept: set[str]) -> None:
    assert kept_files(prompt, NAMES) == kept


@pytest.mark.parametrize(
    "prompt",
    [
        "Do not change the title in index.html",
        "Do not change index.html's title",
        "Do not change index.html title",
        "Don't change style.css colors",
        "Don't edit app.js line 3",
        "Do not change index.html structure, just restyle it",
        "Keep style.css the same color scheme but bigger fonts",
        "Do not change index.html except for the heading",
        "Do not change index.html, except for the heading",
        "Do not change app.js (except the greeting)",
        "Do not change style.css, only add the class .big to it",
        "Do not change index.html beyond the title",
        "Don't change app.js too much",
        "Don't change index.html much, only the title",
        "Do not change more than index.html",
        "Change index.html. Leave the other headings as they are.",
        "I cannot see a change in index.html",
        "The save button must not overwrite data.json when the form is empty.",
        "The script should not overwrite data.json on every start; fix it.",
        "The user cannot edit data.json from the page; make it possible",
        "I changed style.css but index.html stays the same. Fix it.",
        "index.html remains unchanged after I click save, fix it",
        "Don't only edit index.html, edit the css as well",
        "Never change style.css without also updating app.js",
        "If you don't change app.js the page will break",
        "Without editing style.css I can't do it, so go ahead and edit style.css",
        "Do not change index.html and app.js should get a new function, so index.html calls it",
        "Do not change about.html",
        "Change style.css",
        "Show data.json as a list, and if it is empty do not change it",
        "Make list.html that loads data.json, and add an entry to data.json",
        "The page loads data.json too late, fix it",
        "Don't rewrite index.html; edit it",
        "Add a comment at the top of app.js: do not edit data.json.",
        "Write a README that says: do not edit style.css.",
        "Do not change style.css but its first rule",
        "Do not change 1.5, 2.5, 3.5 to 4.5",
    ],
)
def test_what_leaves_it_open_forbids_nothing(prompt: str) -> None:
    assert kept_files(prompt, NAMES) == frozenset()


def test_a_name_is_the_file_at_that_path_where_there_is_one() -> None:
    assert kept_files("Leave index.html as it is, but change shop/index.html", NAMES) == {"index.html"}
    assert kept_files("Do not edit index.html, instead edit shop/index.html", NAMES) == {"index.html"}


def test_long_lists_take_no_time() -> None:
    began = time.process_time()
    kept_files("Do not change " + ", ".join(f"{n}.5" for n in range(400)), NAMES)
    kept_files("Do not change " + ", ".join(f"f{n}.css" for n in range(400)), NAMES)
    kept_files("Do not change " + "a" * 5000, NAMES)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "prompt",
    [
        "Add a clock, but do not add any new files.",
        "Add a clock without making new files",
        "Add a clock. No new files!",
        "Never write a new file, please. Add a clock",
        "Show the average. Do it in app.js and index.html; do not make new files.",
    ],
)
def test_that_no_new_file_is_wanted(prompt: str) -> None:
    assert no_new_files(prompt, NAMES)
    assert not no_new_files(prompt, ()), "in an empty folder there is nothing else"


@pytest.mark.parametrize(
    "prompt",
    [
        "Add a clock in a new file",
        "There is no file clock.js",
        "No new files except clock.js",
        "Do not add a new button",
        "Make a snake game in a single file snake.html, no new files.",
        "Create a new page contact.html. No new files otherwise.",
        "Build me a clock. No external libraries, no separate files.",
        "If there are no new files, show 'Nothing to upload'",
        "Show a message when no new files are left",
        "The sync must not make new files when one exists",
        "The script never creates new files, fix it",
        "Show the message: no new files.",
        "Show a hint (no new files)",
    ],
)
def test_that_new_files_may_be_wanted(prompt: str) -> None:
    assert not no_new_files(prompt, NAMES)
