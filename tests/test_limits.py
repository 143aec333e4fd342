"""What a request forbids."""

import pytest

from roomcode.limits import kept_files, no_new_files

NAMES = ("index.html", "style.css", "js/app.js", "admin/style.css")


@pytest.mark.parametrize(
    ("prompt", "kept"),
    [
        ("Make the footer bold. Do not change style.css.", {"style.css", "admin/style.css"}),
        ("Make it bold; don't touch index.html or js/app.js", {"index.html", "js/app.js"}),
        ("Make it bold without changing `index.html`, please", {"index.html"}),
        ("Leave app.js exactly as it is, and index.html too", {"js/app.js"}),
        ("Keep index.html unchanged", {"index.html"}),
        ("The file index.html stays as it is.", {"index.html"}),
        ("index.html must remain untouched", {"index.html"}),
        ("index.html must not be edited. Fix app.js", {"index.html"}),
        ("Never modify the files index.html and admin/style.css", {"index.html", "admin/style.css"}),
        ("Do not change anything in index.html", {"index.html"}),
        ("Do not change the title in index.html", set()),
        ("Do not change index.html's title", set()),
        ("Do not change index.html except for the heading", set()),
        ("Do not change more than index.html", set()),
        ("Change index.html. Leave the other headings as they are.", set()),
        ("I cannot see a change in index.html", set()),
        ("Do not change about.html", set()),
        ("Change style.css", set()),
        ("Do not use index.html.old", set()),
    ],
)
def test_files_that_are_to_stay_as_they_are(prompt: str, kept: set[str]) -> None:
    assert kept_files(prompt, NAMES) == kept


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("Add a clock, but do not add any new files.", True),
        ("Add a clock without making new files", True),
        ("Add a clock. No new files!", True),
        ("Don't create additional files", True),
        ("Never write a new file", True),
        ("Add a clock in a new file", False),
        ("There is no file clock.js", False),
        ("No new files except clock.js", False),
        ("Do not add a new button", False),
    ],
)
def test_whether_new_files_are_wanted(prompt: str, said: bool) -> None:
    assert no_new_files(prompt) is said
