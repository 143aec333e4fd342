"""What checks can see without a page: files and answers."""

from pathlib import Path
from typing import Any, cast

import pytest
from evals.site import Failure, Site, _stands, expect, open_site
from evals.tabs import open_tabs


@pytest.fixture
def site(tmp_path: Path) -> Site:
    for folder in ("project", "start"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.js").write_text("a")
        (tmp_path / folder / "b.js").write_text("b")
    return Site(tmp_path / "project", tmp_path / "start", (), "", 0.0, cast(Any, None))


@pytest.mark.parametrize(
    ("answer", "fact", "said"),
    [
        ("There are 4.", "4", True),
        ("There are **4** of them", "4", True),
        ("There are 14.", "4", False),
        ("It is 4.5 high", "4", False),
        ("Use `P`, please", "p", True),
        ("The space bar", "p", False),
        ("In css/rooms.css, line 1", "rooms.css", True),
        ("In css/showrooms.css", "rooms.css", False),
        ("", "4", False),
    ],
)
def test_facts_are_found_as_words_of_their_own(site: Site, answer: str, fact: str, said: bool) -> None:
    site.answers = ("other", answer)
    if said:
        site.says(fact)
    else:
        with pytest.raises(Failure, match="does not say"):
            site.says(fact)


def test_one_of_several_facts_is_enough_and_an_earlier_answer_can_be_asked_for(site: Site) -> None:
    site.answers = ("Three.", "Done.")
    site.says("3", "three", request=0)
    with pytest.raises(Failure):
        site.says("3", "three")


def test_an_untouched_project_is_unchanged(site: Site) -> None:
    (site.root / ".roomcode").mkdir()
    (site.root / ".roomcode/history.db").write_text("x")
    site.nothing_changed()


def test_changed_lost_and_new_files_are_named(site: Site) -> None:
    (site.root / "new.js").write_text("n")
    site.unchanged("a.js", "b.js")
    with pytest.raises(Failure, match=r"new\.js"):
        site.nothing_changed()
    (site.root / "a.js").write_text("changed")
    site.only_changed("a.js")
    with pytest.raises(Failure, match=r"a\.js was changed"):
        site.only_changed("b.js")
    (site.root / "b.js").unlink()
    with pytest.raises(Failure, match=r"b\.js is gone"):
        site.unchanged("b.js")
    with pytest.raises(Failure, match=r"no file b\.js"):
        site.read("b.js")


@pytest.mark.parametrize(
    ("text", "seen", "stands"),
    [
        ("3", "Count: 3", True),
        ("3", "Count: 13", False),
        ("3", "3.5", False),
        ("5", "-5", False),
        ("-1", "\u22121", True),
        ("Welcome", "welcome,\n Anna", True),
        ("saved", "not unsaved", False),
        ("8.00", "Total: 8.00 EUR", True),
        ("8.00", "18.00", False),
        ("email", "Your E-Mail is wrong", True),
        ("Time is up", "Time\n is up!", True),
    ],
)
def test_a_number_is_not_found_inside_a_longer_one(text: str, seen: str, stands: bool) -> None:
    assert _stands(text, seen) is stands


def test_a_console_error_is_a_complaint(site: Site) -> None:
    site.no_errors()
    site.errors.append("x is not defined")
    with pytest.raises(Failure, match="x is not defined"):
        site.no_errors()
    with pytest.raises(Failure, match="said so"):
        expect([], "said so")


@pytest.mark.browser
async def test_a_tab_that_is_used_again_remembers_nothing_and_reports_to_its_new_check_only(tmp_path: Path) -> None:
    text = "<!doctype html><p id=seen></p><script>seen.textContent = localStorage.a ?? 'none'; localStorage.a = 'old'"
    (tmp_path / "index.html").write_text(f"{text}; document.cookie = 'a=1'; nothing()</script>")
    async with open_tabs(reuse=True) as tabs:
        async with open_site(tabs, tmp_path, tmp_path) as first:
            await first.open()
            await first.shows("none", "#seen")
            tab = first.page
            assert len(first.errors) == 1
        async with open_site(tabs, tmp_path, tmp_path) as second:
            await second.open()
            assert second.page is tab
            assert second.origin == first.origin
            await second.shows("none", "#seen")
            await second.open()
            await second.shows("old", "#seen", after="after a second visit")
        assert len(first.errors) == 1
        async with open_site(tabs, tmp_path, tmp_path) as third:
            await third.open(clock=True)
            assert third.page is not tab


@pytest.mark.browser
async def test_a_button_beside_a_text_is_no_part_of_its_last_word(tmp_path: Path) -> None:
    page = "<!doctype html><ul id=items><li id=one>Milk<button>Delete</button><span role=button>Up</span></li></ul>"
    (tmp_path / "index.html").write_text(page)
    async with open_tabs(reuse=True) as tabs, open_site(tabs, tmp_path, tmp_path) as site:
        await site.open()
        before = await site.page.content()
        for word in ("Milk", "Delete", "Up"):
            await site.shows(word, "#items")
        assert await site.page.content() == before
