"""What is found wrong with a project before a request ends, and what a person's words mean for it."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from roomcode.checks import ProjectChecks
from roomcode.cures import MARKUP, Unfinished, cure
from roomcode.preview import Entry, Expectation, Fault, Limits, LoadReport, Preview, PreviewError, ProbeReport


class FakePages:
    """A preview whose page has these errors, and these faults when it is used; `served` and `used` are the paths it was
    asked for."""

    def __init__(self, *errors: Entry, state: str = "", reason: str = "", refuses: bool = False) -> None:
        self.errors = errors
        self.state = state or ("errors" if errors else "clean")
        self.reason = reason
        self.refuses = refuses
        self.served: list[str] = []
        self.used: list[str] = []
        self.faults: tuple[Fault, ...] = ()
        self.breaks: Exception | None = None

    async def probe(self, path: str, expected: Sequence[Expectation] = ()) -> ProbeReport:
        self.used.append(path)
        if self.breaks is not None:
            raise self.breaks
        return ProbeReport(path, self.faults)

    async def serve(self, path: str) -> LoadReport:
        self.served.append(path)
        if self.refuses:
            raise PreviewError("no free port")
        return LoadReport("http://x", 1, 1, self.state, errors=self.errors, reason=self.reason)  # type: ignore[arg-type]


PAGE = '<!doctype html>\n<title>t</title>\n<body>\n<p id="total"></p>\n{more}\n</body>\n'


def page(more: str = "") -> str:
    return PAGE.format(more=more)


@pytest.fixture
def put(tmp_path: Path) -> Path:
    return tmp_path


def files(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


async def found(
    folder: Path, texts: Mapping[str, str], *changed: str, prompt: str = "", pages: FakePages | None = None
) -> list[str]:
    files(folder, texts)
    return await ProjectChecks(folder, pages or FakePages()).before_end(prompt, changed or tuple(texts))


# Before the end


async def test_a_sound_project_has_no_findings(put: Path) -> None:
    pages = FakePages()
    texts = {
        "index.html": page('<script src="app.js"></script><link rel="stylesheet" href="style.css">'),
        "app.js": 'document.getElementById("total").textContent = "1";\n',
        "style.css": "p { color: red }\n",
    }
    assert await found(put, texts, prompt="index.html with app.js and style.css", pages=pages) == []
    assert pages.served == ["."]


async def test_a_named_file_that_is_not_there_comes_first(put: Path) -> None:
    lines = await found(put, {"index.html": page('<script src="app.js"></script>')}, prompt="index.html and app.js")
    assert lines == ["app.js, which the request names, does not exist"], "and the page's own word of it is not repeated"


async def test_a_named_file_may_stand_in_a_folder(put: Path) -> None:
    texts = {"site/index.html": page('<script src="app.js"></script>'), "site/app.js": "let a;\n"}
    assert await found(put, texts, prompt="make index.html and app.js") == []


async def test_errors_of_the_browser_are_told_with_their_line(put: Path) -> None:
    pages = FakePages(Entry("error", "exception", "TypeError: x is null", file="app.js", line=12))
    assert await found(put, {"index.html": page()}, pages=pages) == ["app.js:12 TypeError: x is null"]


async def test_a_page_that_hangs_is_told(put: Path) -> None:
    pages = FakePages(state="no_answer", reason="the page did not answer; it may be in an endless loop")
    assert await found(put, {"index.html": page()}, pages=pages) == [pages.reason]


@pytest.mark.parametrize("pages", [FakePages(state="no_browser", reason="no browser"), FakePages(refuses=True)])
async def test_without_a_browser_the_texts_are_looked_at_alone(put: Path, pages: FakePages) -> None:
    lines = await found(put, {"index.html": page('<script src="gone.js"></script>')}, pages=pages)
    assert len(lines) == 1
    assert "gone.js does not exist" in lines[0]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"index.html": page(), "style.css": "p {}\n"}, "style.css no page loads it"),
        ({"index.html": page('<button onclick="start()">x</button>')}, "start() is called here"),
        (
            {"index.html": page('<script src="a.js"></script>'), "a.js": 'document.getElementById("sum").click();\n'},
            'id="sum"',
        ),
        ({"index.html": page('<script src="a.js"></script>'), "a.js": "function (\n"}, "a.js:"),
        ({"data.json": '{"a": 1,}'}, "data.json:"),
    ],
)
async def test_what_no_console_shows_is_found(put: Path, texts: dict[str, str], words: str) -> None:
    lines = await found(put, texts)
    assert any(words in line for line in lines), lines


@pytest.mark.parametrize(
    ("changed", "served"),
    [
        (("index.html",), ["."]),
        (("app.js",), ["."]),
        (("about.html",), ["about.html"]),
        (("index.html", "about.html"), ["."]),
        (("notes.txt",), []),
        (("notes.txt", "style.css"), ["."]),
    ],
)
async def test_the_page_that_was_written_is_loaded(put: Path, changed: tuple[str, ...], served: list[str]) -> None:
    pages = FakePages()
    await found(put, {"index.html": page(), "about.html": page(), "notes.txt": "x"}, *changed, pages=pages)
    assert pages.served == served


async def test_without_an_index_the_written_page_or_the_only_one_is_loaded(put: Path) -> None:
    pages = FakePages()
    await found(put, {"clock.html": page(), "app.js": "let a;\n"}, "app.js", pages=pages)
    assert pages.served == ["clock.html"]


async def test_faults_of_files_that_were_not_touched_are_not_told(put: Path) -> None:
    texts = {
        "index.html": page('<script src="data.js"></script><script src="a.js"></script>'),
        "a.js": "let a;\n",
        "old.css": "p {}\n",
        "broken.js": "function (\n",
    }
    # `data.js` is missing, which names `a.js` no more than its last letters do.
    assert await found(put, texts, "a.js") == []


async def test_no_more_than_six_lines_are_told(put: Path) -> None:
    texts = {f"s{n}.css": "p {}\n" for n in range(20)} | {"index.html": page()}
    assert len(await found(put, texts)) == 6


async def test_each_fault_is_told_once(put: Path) -> None:
    pages = FakePages(Entry("error", "missing", "app.js not found (404)", file="index.html", line=5))
    lines = await found(put, {"index.html": page('<script src="app.js"></script>')}, pages=pages)
    assert lines == ["index.html:5 app.js not found (404)"]


async def test_a_change_that_was_asked_for_and_not_made_is_told(put: Path) -> None:
    files(put, {"index.html": page()})
    checks = ProjectChecks(put, FakePages())
    assert await checks.before_end("Make the title red", (), "I made it red.") == [
        "the request asks for a change, but no file was changed"
    ]
    assert await checks.before_end("How many pages are there?", (), "One.") == []


async def test_what_the_request_names_and_the_answer_claims_is_compared_with_the_files(put: Path) -> None:
    files(put, {"index.html": page('<button>Save</button><script src="app.js"></script>'), "app.js": "let a;\n"})
    prompt = 'Add a button "Save" and a note "Undo everything", id="undo", in #336699'
    lines = await ProjectChecks(put, FakePages()).before_end(prompt, ("index.html",), "I added the handler to app.js.")
    assert lines == [
        'nothing has id="undo", which the request names',
        "the colour #336699, which the request names, is nowhere",
        'the text "Undo everything", which the request names, is nowhere',
        "you say that app.js was changed, but it was not",
    ]


# Using the page

CLICK = 'a click on "Go"'
BROKEN = Fault("error", "app.js:2 ReferenceError: start is not defined", CLICK)
IDLE = Fault("idle", "has no click handler", control='button "Stop"')
LOST = Fault("link", 'the link "News" leads nowhere: no element has id="news"')


def used_pages(*faults: Fault, errors: tuple[Entry, ...] = ()) -> FakePages:
    pages = FakePages(*errors)
    pages.faults = faults
    return pages


async def test_what_breaks_when_the_page_is_used_is_told_after_the_errors_of_the_load(put: Path) -> None:
    pages = used_pages(BROKEN, IDLE, errors=(Entry("error", "missing", "no.png not found", file="index.html", line=4),))
    texts = {"index.html": page("<script>let a;</script>"), "unused.css": "p {}\n"}
    lines = await found(put, texts, pages=pages)
    assert lines[:3] == [
        "index.html:4 no.png not found",
        'after a click on "Go": app.js:2 ReferenceError: start is not defined',
        'the button "Stop" has no click handler',
    ]
    assert "unused.css" in lines[3]
    assert pages.used == pages.served == ["."]


async def test_the_same_fault_found_in_the_text_and_in_use_is_told_once(put: Path) -> None:
    pages = used_pages(BROKEN, Fault("error", "app.js:3 data.json not found", CLICK))
    texts = {
        "index.html": page('<button onclick="start()">Go</button><script src="app.js"></script>'),
        "app.js": "let a;\nfunction go() {\n  fetch('data.json');\n}\n",
    }
    lines = await found(put, texts, pages=pages)
    assert len(lines) == 2
    assert lines[0] == 'after a click on "Go": app.js:3 data.json not found'
    assert "start() is called here" in lines[1]


async def test_what_the_cure_of_an_error_says_is_not_said_again(put: Path) -> None:
    early = 'index.html:4 loads app.js before <p id="total"> exists: add defer to all script tags'
    lost = 'roll is in dice.js, which index.html does not load: add <script src="dice.js"></script> before line 4'
    pages = FakePages(
        Entry("error", "syntax", "SyntaxError: Unexpected end of input", "b.js", 3, advice="the { of b.js:1 is open"),
        Entry("error", "exception", "TypeError: x is null", "app.js", 1, advice=early),
        Entry("error", "exception", "ReferenceError: roll is not defined", "app.js", 2, advice=lost),
    )
    texts = {
        "index.html": '<!doctype html>\n<title>t</title>\n<body>\n<script src="app.js"></script>\n<p id="total"></p>\n'
        '<button onclick="roll()">x</button>\n<script src="b.js"></script></body>\n',
        "app.js": "document.getElementById('total').textContent = 1;\nroll();\n",
        "b.js": "function b() {\n",
        "dice.js": "function roll() {}\n",
    }
    lines = await found(put, texts, pages=pages)
    assert lines == [
        "b.js:3 SyntaxError: Unexpected end of input. Fix: the { of b.js:1 is open",
        f"app.js:1 TypeError: x is null. Fix: {early}",
        f"app.js:2 ReferenceError: roll is not defined. Fix: {lost}",
    ]
    silent = await found(put, texts)
    assert [line.partition(" ")[0] for line in silent] == ["b.js:1", "index.html:4", "index.html:6", "dice.js"]
    assert silent[1] == early


@pytest.mark.parametrize("state", ["no_answer", "no_browser"])
async def test_a_page_that_cannot_be_loaded_is_not_used(put: Path, state: str) -> None:
    pages = FakePages(state=state, reason="no")
    pages.faults = (IDLE,)
    assert all("Stop" not in line for line in await found(put, {"index.html": page()}, pages=pages))
    assert pages.used == []


@pytest.mark.parametrize("error", [PreviewError("no free port"), RuntimeError("a bug"), TimeoutError()])
async def test_when_using_fails_the_rest_counts(put: Path, error: Exception) -> None:
    pages = FakePages(Entry("error", "exception", "TypeError: x is null", file="app.js", line=12))
    pages.breaks = error
    assert await found(put, {"index.html": page()}, pages=pages) == ["app.js:12 TypeError: x is null"]
    assert pages.used == ["."]


async def test_what_led_nowhere_before_the_request_may_stay_like_that(put: Path) -> None:
    files(put, {"index.html": page("<script>let a;</script>")})
    pages = used_pages(IDLE, LOST)
    checks = ProjectChecks(put, pages)
    assert await checks.before_start("Change the heading to Hello") == []
    new = Fault("idle", "has no click handler", control='button "Undo"')
    pages.faults = (IDLE, new, LOST, BROKEN)
    assert await checks.before_end("", ("index.html",)) == [
        'after a click on "Go": app.js:2 ReferenceError: start is not defined',
        'the button "Undo" has no click handler',
    ]
    assert await checks.before_start("How many buttons are there?") == []
    assert pages.used == [".", "."], "a question needs no use of the page"


async def test_a_request_that_speaks_of_trouble_is_told_what_breaks_and_until_it_is_mended(put: Path) -> None:
    files(put, {"index.html": page("<script>let a;</script>")})
    checks = ProjectChecks(put, used_pages(BROKEN, IDLE))
    lines = [
        'after a click on "Go": app.js:2 ReferenceError: start is not defined',
        'the button "Stop" has no click handler',
    ]
    assert await checks.before_start("Nothing happens when I click") == lines
    assert await checks.before_end("", ("index.html",)) == lines


async def test_a_new_style_makes_no_button_idle(put: Path) -> None:
    lines = await found(put, {"index.html": page(), "a.svg": "<svg/>"}, "a.svg", pages=used_pages(IDLE, LOST, BROKEN))
    assert len(lines) == 1
    assert "ReferenceError" in lines[0]


@pytest.mark.browser
async def test_a_real_page_that_does_nothing_is_found(put: Path) -> None:
    preview = Preview(put, screenshots=put / ".pictures", limits=Limits(probe=30))
    try:
        texts = {
            "index.html": page('<button id="go">Go</button><button>Stop</button><script src="app.js"></script>'),
            "app.js": 'document.getElementById("go").onclick = () => {\n  total.innerText = 1 * total.size;\n};\n',
        }
        files(put, texts)
        assert await ProjectChecks(put, preview).before_end("", ("index.html", "app.js")) == [
            'after a click on "Go" the page shows NaN in #total: correct what app.js writes there',
            'the button "Stop" has no click handler',
        ]
    finally:
        await preview.close()


# Before the start


async def test_before_a_request_the_page_s_errors_are_told_and_what_no_console_shows_only_in_trouble(put: Path) -> None:
    files(put, {"index.html": page('<button onclick="start()">x</button>')})
    checks = ProjectChecks(put, FakePages(Entry("error", "exception", "TypeError: x is null", file="app.js", line=2)))
    assert await checks.before_start("Add a footer") == ["app.js:2 TypeError: x is null"]
    lines = await checks.before_start("The button does not work, fix it")
    assert lines[0] == "app.js:2 TypeError: x is null"
    assert "start()" in lines[1]


async def test_the_page_that_a_request_names_is_looked_at(put: Path) -> None:
    files(put, {"index.html": page(), "admin.html": page()})
    pages = FakePages()
    assert await ProjectChecks(put, pages).before_start("Fix admin.html") == []
    assert pages.served == ["admin.html"]


async def test_without_pages_nothing_is_looked_at_before_a_request(put: Path) -> None:
    pages = FakePages()
    assert await ProjectChecks(put, pages).before_start("Fix it") == []
    assert pages.served == []


# After a change


async def after(folder: Path, texts: Mapping[str, str], *paths: str, prompt: str = "") -> list[str]:
    files(folder, texts)
    pages = FakePages()
    lines = await ProjectChecks(folder, pages).after_change(prompt, paths)
    assert pages.served == [], "no page is loaded after each change"
    return lines


async def test_after_a_change_its_own_faults_are_told_in_two_lines(put: Path) -> None:
    texts = {"index.html": page("".join(f'<script src="{n}.js"></script>\n' for n in "abcd"))}
    lines = await after(put, texts, "index.html")
    assert len(lines) == 2
    assert all("does not exist" in line for line in lines)


@pytest.mark.parametrize("written", ["index.html", "app.js"])
async def test_a_script_that_runs_too_early_is_told_whichever_file_came_last(put: Path, written: str) -> None:
    texts = {
        "index.html": page().replace("<body>", '<script src="app.js"></script><body>'),
        "app.js": "const total = document.getElementById('total');\ntotal.textContent = '1';\n",
    }
    lines = await after(put, texts, written)
    assert lines == ['index.html:3 loads app.js before <p id="total"> exists: add defer to that script tag']
    assert await after(put, texts, "other.css") == ["Next: serve, if nothing else is to be changed."]


async def test_faults_of_other_files_are_left_for_later(put: Path) -> None:
    texts = {"broken.js": "function (\n", "index.html": page()}
    assert await after(put, texts, "index.html") == ["Next: serve, if nothing else is to be changed."]


async def test_a_file_that_is_still_to_be_made_is_next(put: Path) -> None:
    texts = {"index.html": page()}
    assert await after(put, texts, "index.html", prompt="index.html and app.js") == ["Next: write app.js."]


async def test_what_the_request_names_and_is_not_there_yet_is_still_to_do(put: Path) -> None:
    lines = await after(put, {"index.html": page("<p>Save</p>")}, "index.html", prompt='Add a button "Save"')
    assert lines == ['Still to do: there is no button "Save"; use <button>.']


async def test_a_wish_is_told_in_the_words_of_the_request(put: Path) -> None:
    prompt = "Make it nice. A click gives the body a black background (#000000)."
    lines = await after(put, {"index.html": page()}, "index.html", prompt=prompt)
    assert lines == [
        "Still to do: the colour #000000, which the request names, is nowhere "
        "(A click gives the body a black background (#000000))."
    ]


async def test_what_is_unfinished_after_a_change_is_known(put: Path) -> None:
    text = page('<script src="app.js"></script><script>document.getElementById("sum").focus()</script>')
    files(put, {"index.html": text})
    checks = ProjectChecks(put, FakePages())
    prompt = 'Make the page #00ff00 and say "Good day"; a notes.md'
    await checks.after_change(prompt, ("index.html",))
    assert checks.unfinished == Unfinished(
        ("app.js", "notes.md"), ('id="sum"',), ("index.html",), MARKUP, insert='<div id="sum"'
    )
    files(put, {"index.html": page('<link rel="stylesheet" href="a.css">'), "a.css": "p {}"})
    await checks.after_change(prompt, ("index.html",))
    assert checks.unfinished == Unfinished(("notes.md",), ("#00ff00",), ("a.css",))
    files(put, {"index.html": page("<p style='color: #0f0'>"), "a.css": "p {}"})
    await checks.after_change(prompt, ("index.html",))
    assert checks.unfinished == Unfinished(("notes.md",), ("Good day",), ("index.html",))
    files(put, {"index.html": page(), "app.js": "// Good day #0f0", "notes.md": ""})
    await checks.after_change(prompt, ("index.html",))
    assert checks.unfinished is None
    await checks.before_end(prompt, ("index.html", "app.js"))
    tag = '<script src="app.js"></script>'
    assert checks.unfinished == cure(f"app.js no page loads it; add {tag} to index.html"), "a file that no page loads"
    files(put, {"index.html": page('<script src="app.js"></script>')})
    (put / "a.css").unlink()
    assert await checks.before_end(prompt, ("index.html", "app.js")) == []
    assert checks.unfinished is None


async def test_files_of_the_plan_are_changed_one_after_the_other(put: Path) -> None:
    links = '<link rel="stylesheet" href="site.css"><script src="app.js"></script>'
    files(put, {"index.html": page(links), "app.js": "let a;", "site.css": "p {}"})
    checks = ProjectChecks(put, FakePages())
    checks.begin()
    checks.plan("I'll change index.html to load app.js, update the script in app.js, and edit none.js.")
    told = "Next: change app.js, as you said, or serve if that is not needed."
    assert await checks.after_change("Make it so", ("index.html",)) == [told]
    assert not checks.complete
    lines = await checks.after_change("Make it so", ("site.css",))
    assert lines == ["Next: serve, if nothing else is to be changed."], "it is told once"
    assert checks.unfinished is None
    checks.plan("I'll change app.js")
    checks.begin()
    assert await checks.after_change("Make it so", ("site.css",)) == lines, "plans are forgotten with their request"


async def test_a_file_that_no_page_loads_yet_is_linked_next(put: Path) -> None:
    files(put, {"index.html": page(), "old.css": "p {}"})
    checks = ProjectChecks(put, FakePages())
    checks.begin()
    files(put, {"style.css": "p {}"})
    tag = '<link rel="stylesheet" href="style.css">'
    lines = await checks.after_change("Move the CSS", ("style.css",))
    assert lines == [f"Next: style.css no page loads it; add {tag} to index.html."]
    assert checks.unfinished == cure(lines[0][6:-1])
    assert not checks.complete
    files(put, {"index.html": page(tag)})
    lines = await checks.after_change("Move the CSS", ("index.html",))
    assert lines == ["Next: serve, if nothing else is to be changed."]
    assert checks.complete


async def test_nothing_is_forced_for_ever(put: Path) -> None:
    files(put, {"index.html": page('<img src="cat.png">')})
    checks = ProjectChecks(put, FakePages())
    states = []
    for _ in range(8):
        await checks.after_change("Add a cat", ("index.html",))
        states.append(checks.unfinished is not None)
    assert states == [True] * 4 + [False] * 4
    checks.begin()
    await checks.after_change("Add a cat", ("index.html",))
    assert checks.unfinished == Unfinished(), "a picture is nothing that could be written"


async def test_without_a_page_nothing_is_said(put: Path) -> None:
    assert await after(put, {"notes.txt": "x"}, "notes.txt") == []


async def test_an_empty_folder_is_no_fault(put: Path) -> None:
    assert await after(put, {}) == []
    assert await ProjectChecks(put, FakePages()).before_end("", ()) == []


# What could be whole


@pytest.mark.parametrize(
    ("before", "after", "prompt", "complete"),
    [
        ({}, {"index.html": page()}, "Make a page", True),
        ({}, {"index.html": page()}, 'Make a page with id="none"', True),
        ({}, {"index.html": page('<script src="app.js"></script>')}, "Make a page", False),
        ({}, {"index.html": page()}, "Make index.html and app.js", False),
        ({}, {"app.js": "let a;"}, "Make a page", False),
        ({"index.html": page()}, {"index.html": page("<p>new</p>")}, "Add a line", True),
        ({"index.html": page()}, {"index.html": page("<p>new</p>")}, 'Add a line with id="none"', False),
        (
            {"index.html": page()},
            {"index.html": page("<script>document.getElementById('none').focus()</script>")},
            "Add a line",
            False,
        ),
        ({"index.html": page()}, {"index.html": page("<script>let (</script>")}, 'Add a line with id="none"', True),
    ],
)
async def test_work_can_be_judged_when_nothing_is_left_to_be_written(
    put: Path, before: Mapping[str, str], after: Mapping[str, str], prompt: str, complete: bool
) -> None:
    files(put, before)
    checks = ProjectChecks(put, FakePages())
    checks.begin()
    assert not checks.complete
    files(put, after)
    await checks.after_change(prompt, tuple(after))
    assert checks.complete is complete


async def test_where_nothing_listens_for_want_of_a_script_that_is_told(put: Path) -> None:
    files(put, {"index.html": page()})
    checks = ProjectChecks(put, used_pages(IDLE))
    lines = await checks.before_end("", ("index.html",))
    assert lines == ['the button "Stop" has no click handler: the page has no script, add one before </body>']
    assert checks.unfinished == Unfinished(texts=("<script>",), edit=("index.html",))
    files(put, {"index.html": page("<script>let a;</script>")})
    assert await checks.before_end("", ("index.html",)) == ['the button "Stop" has no click handler']


async def test_files_that_no_page_loaded_before_are_left_alone(put: Path) -> None:
    files(put, {"index.html": page(), "old/app.js": "let a;", "app.js": "let b;"})
    checks = ProjectChecks(put, FakePages())
    checks.begin()
    assert await checks.before_end("", ("index.html",)) == []
    await checks.after_change("", ("app.js",))
    told = 'app.js no page loads it; add <script src="app.js"></script> to index.html'
    assert await checks.before_end("", ("index.html", "app.js")) == [told]


async def test_a_cure_that_says_what_to_add_where_is_asked_for(put: Path) -> None:
    early = '<!doctype html>\n<head><script src="app.js"></script></head>\n<body><button id="go">Go</button></body>\n'
    files(put, {"index.html": early, "app.js": "document.getElementById('go').onclick = () => {};\n"})
    checks = ProjectChecks(put, FakePages())
    checks.begin()
    lines = await checks.before_start("The button does nothing, fix it")
    assert lines == ['index.html:2 loads app.js before <button id="go"> exists: add defer to that script tag']
    assert checks.unfinished == cure(lines[0])
    await checks.after_change("Fix it", ("app.js",))
    assert checks.unfinished == cure(lines[0])
    files(put, {"index.html": early.replace("<script ", "<script defer ")})
    assert await checks.before_end("Fix it", ("index.html",)) == []
    assert checks.unfinished is None


async def test_what_was_found_is_forgotten_when_it_is_taken_back(put: Path) -> None:
    early = '<!doctype html>\n<head><script src="app.js"></script></head>\n<body><button id="go">Go</button></body>\n'
    files(put, {"index.html": early, "app.js": "document.getElementById('go').onclick = () => {};\n"})
    checks = ProjectChecks(put, FakePages())
    checks.begin()
    await checks.before_start("The button does nothing, fix it")
    at_first = checks.unfinished
    assert at_first is not None
    checks.plan("I'll change app.js")
    await checks.after_change('Fix it with id="none"', ("index.html",))
    assert checks.unfinished == Unfinished(
        texts=('id="none"',), edit=("index.html",), within=MARKUP, insert='<div id="none"'
    )
    checks.begin_again()
    assert (checks.unfinished, checks.changes, checks.complete) == (at_first, 0, False)
    checks.begin_again(kept=True)
    assert checks.changes == 1, "a file that is there is edited and not written once more"
    checks.begin()
    assert checks.unfinished is None


async def test_a_model_that_cannot_do_it_is_let_go(put: Path) -> None:
    files(put, {"index.html": page()})
    checks = ProjectChecks(put, FakePages())
    checks.begin()
    assert checks.to_be_done() is None
    await checks.after_change('Add id="none"', ("index.html",))
    assert [checks.to_be_done() is not None for _ in range(12)] == [True] * 10 + [False] * 2
    checks.begin_again()
    await checks.after_change('Add id="none"', ("index.html",))
    assert checks.to_be_done() == checks.unfinished is not None


async def test_a_change_belongs_to_the_page_that_the_request_speaks_of(put: Path) -> None:
    both = page('<script src="app.js"></script>')
    files(put, {"index.html": both, "app.js": "", "admin/index.html": both, "admin/app.js": "", "admin/notes.md": "x"})
    files(put, {"shared.js": "", "admin/index.html": page('<script src="../shared.js"></script>')})
    checks = ProjectChecks(put, FakePages())
    prompt = 'On the admin page, Save should show "stored". Fix it.'
    checks.begin(prompt)
    placed = ("admin/app.js", "admin/index.html", "shared.js")
    assert checks.placed == placed
    assert await checks.before_start(prompt) == [
        'admin/app.js no page loads it; add <script src="admin/app.js"></script> to index.html'
    ]
    files(put, {"app.js": "'stored'"})
    told = await checks.before_end(prompt, ("app.js",))
    assert told == [
        "the change belongs to admin/app.js or admin/index.html or shared.js, but none of these was changed"
    ]
    assert checks.unfinished == Unfinished(edit=placed)
    assert await checks.before_end(prompt, ("app.js", "shared.js")) == []
    checks.begin("Fix the button")
    assert checks.placed == ()


async def test_the_first_change_brings_what_the_request_names(put: Path) -> None:
    script = "go.onclick = () => { state.textContent = 'saved' };\n"
    files(put, {"index.html": page('<p id="state">not saved</p>'), "app.js": script})
    checks = ProjectChecks(put, FakePages())
    checks.begin('Save should show "stored" instead of "saved".')
    assert (checks.first_change.texts, checks.first_change.edit) == (("stored",), ("app.js",))
    assert re.search(checks.first_change.within, "x\n" + script) is not None
    assert re.search(checks.first_change.within, page('<p id="state">not saved</p>')) is None
    checks.begin('Make the button #00ff00 and say "Good day"')
    assert checks.first_change == Unfinished(texts=("Good day",))
    checks.begin("Make the button #00ff00")
    assert checks.first_change == Unfinished(texts=("#00ff00",))
    checks.begin('The console says "Good day". Fix it.')
    assert checks.first_change == Unfinished()
    checks.begin('Where does it say "Good day"?')
    assert checks.first_change == Unfinished()


async def test_a_name_is_changed_in_place_after_place_until_none_is_left(put: Path) -> None:
    tax = "const a = calc;\nfunction calc(net) { return net; }\nfunction calcNote() { return calc(1); }\n// calc\n"
    files(put, {"index.html": page('<script src="tax.js"></script>'), "tax.js": tax, "calc.css": ".calc-box {}"})
    checks = ProjectChecks(put, FakePages())
    prompt = "Rename the function calc to grossPrice everywhere. The function calcNote keeps its name."
    checks.begin(prompt)
    assert checks.first_change == cure("tax.js:1 still says calc; write grossPrice there")
    rows = tax.split("\n")
    for number in range(3):
        rows[number] = re.sub(r"\bcalc\b", "grossPrice", rows[number])
        files(put, {"tax.js": "\n".join(rows)})
        told = await checks.after_change(prompt, ("tax.js",))
        if number < 2:
            line = f"tax.js:{number + 2} still says calc; write grossPrice there"
            assert told == [f"Next: {line}."]
            assert checks.to_be_done() == cure(line)
            assert not checks.complete
            assert await checks.before_end(prompt, ("tax.js",)) == [line]
    assert checks.unfinished is None
    assert checks.complete
    assert await checks.before_end(prompt, ("tax.js",)) == []


async def test_files_that_are_left_over_are_not_what_a_request_complains_of(put: Path) -> None:
    files(
        put, {"index.html": page('<script src="app.js"></script>'), "app.js": "let n = 1;\n", "one.js": "let m = 1;\n"}
    )
    checks = ProjectChecks(put, FakePages())
    prompt = "The number is wrong. Fix it."
    checks.begin(prompt)
    assert await checks.before_start(prompt) == [
        'one.js no page loads it; add <script src="one.js"></script> to index.html'
    ]
    files(put, {"two.js": "let k = 1;\n"})
    checks.begin(prompt)
    assert await checks.before_start(prompt) == []
    assert checks.unfinished is None


async def test_what_a_page_lacks_is_told_where_the_request_wants_it_or_made_it(put: Path) -> None:
    save = page("<script>onclick = () => localStorage.setItem('a', 1)</script>")
    lacks = (
        'nothing reads localStorage "a" back; call localStorage.getItem("a") at the start of the script in index.html'
    )
    checks = ProjectChecks(put, FakePages())
    checks.begin("Make a page")
    files(put, {"index.html": save})
    assert await checks.before_end("Make a page", ("index.html",)) == [lacks]
    assert checks.unfinished == cure(lacks)
    checks.begin("Make it red")
    assert await checks.before_end("Make it red", ("index.html",)) == [], "it was like that before"
    (told,) = await checks.before_end("Make the Escape key hide it", ("index.html",))
    assert told.startswith("nothing reacts to the Escape key")


async def test_mistakes_that_no_console_shows_are_told_of_what_was_changed(put: Path) -> None:
    before = "const points = [40, 7, 100];\npoints.sort();\n"
    style = "p { colour: red; }\n"
    tags = '<link rel="stylesheet" href="a.css"><script src="app.js"></script>'
    files(put, {"index.html": page(tags), "app.js": before, "a.css": style})
    checks = ProjectChecks(put, FakePages())
    checks.begin("Make the heading green")
    assert await checks.before_end("Make the heading green", ("a.css", "app.js")) == [], "they were there before"
    checks.begin("The points are in a wrong order, fix it")
    told = await checks.before_start("The points are in a wrong order, fix it")
    assert [line.partition(" ")[0] for line in told] == ["app.js:2", "a.css:1"]
    assert checks.unfinished == cure(told[0])
    assert checks.unfinished is not None
    assert checks.unfinished.texts == ("sort((a, b) => a - b)", "sort((a, b) => b - a)")
    files(put, {"app.js": before.replace("sort()", "sort((a, b) => b - a)"), "a.css": style.replace("colour", "color")})
    assert await checks.before_end("Fix it", ("a.css", "app.js")) == []


@pytest.mark.parametrize(
    ("anew", "wrong", "mended"),
    [
        (True, ["app.js:2 x = 5 sets and does not compare: write x === 5 there"], True),
        (True, ['the button "A" has no click handler'], False),
        (False, ['the button "A" has no click handler'], True),
        (False, ["a table has a row of 2 cells under a header of 3", 'no column says "Phone"'], True),
        (False, ['the button "A" has no click handler', "index.html:9 </main> closes nothing"], False),
        (False, ['after a click on "A": app.js:2 TypeError: x is null'], False),
    ],
)
def test_what_has_a_cure_or_only_lacks_something_is_gone_on_with(
    put: Path, anew: bool, wrong: list[str], mended: bool
) -> None:
    files(put, {} if anew else {"index.html": page()})
    checks = ProjectChecks(put, FakePages())
    checks.begin("Add a button")
    assert checks.mendable(wrong) is mended


async def test_rows_that_lack_a_cell_are_mended_where_they_are_made(put: Path) -> None:
    pages = FakePages()
    pages.faults = (Fault("idle", "a table has a row of 2 cells under a header of 3", ""),)
    code = "for (const one of all) {\n  row.insertCell().textContent = one.a;\n  row.insertCell().textContent = 1;\n}\n"
    files(put, {"index.html": page('<script src="app.js"></script>'), "app.js": code})
    checks = ProjectChecks(put, pages)
    checks.begin()
    (line,) = await checks.before_end("Add a column", ("app.js",))
    assert line == "a table has a row of 2 cells under a header of 3: add the missing cell behind app.js:3"
    assert checks.unfinished == cure(line)
    assert checks.unfinished is not None
    assert checks.unfinished.edit == ("app.js",)
    assert checks.mendable([line])
    files(put, {"other.js": code})
    assert await checks.before_end("Add a column", ("app.js",)) == [line.partition(":")[0]], "one of two scripts may be"


@pytest.mark.parametrize(
    ("prompt", "told", "held"),
    [
        ("One planet is missing, fix it", True, True),
        ("The last planet does not show, fix it", True, True),
        ("The colours are wrong, fix it", True, False),
        ("Make the heading green. Do not change style.css", False, False),
        ("Make the heading green", False, False),
    ],
)
async def test_doubts_are_told_where_somebody_looks_for_a_fault(put: Path, prompt: str, told: bool, held: bool) -> None:
    code = "for (let i = 1; i < planets.length; i++) {\n  show(planets[i]);\n}\n"
    files(put, {"index.html": page('<script src="app.js"></script>'), "app.js": code})
    checks = ProjectChecks(put, FakePages())
    checks.begin(prompt)
    lines = await checks.before_start(prompt)
    assert lines == (["app.js:1 the loop leaves out planets[0]: write i = 0 there"] if told else [])
    texts = checks.unfinished.texts if checks.unfinished is not None else ()
    assert texts == (("i = 0",) if held else ()), "it may be meant: an edit is held to it where it would show like that"


def test_a_new_page_that_lacks_little_is_mended(put: Path) -> None:
    checks = ProjectChecks(put, FakePages())
    checks.begin('Make a page with an element with id="message"')
    start = 'index.html:5 no element in index.html has id="start": write id="start" into <button> in index.html:3'
    message = 'nothing has id="message", which the request names'
    assert checks.mendable([message])
    assert checks.mendable([message, f'after a click on "Go": TypeError: x is null. Fix: {start[13:]}', start])
    assert not checks.mendable([message, "nothing says why"])
    follows = "after a click on \"Stop\": index.html:9 TypeError: Cannot set properties of null (setting 'disabled')"
    assert checks.mendable([start, follows])
    assert not checks.mendable([message, follows])
    assert not checks.mendable([f'nothing has id="{name}", which the request names' for name in "abcd"])


async def test_a_missing_cell_is_like_the_one_before_it(put: Path) -> None:
    pages = FakePages()
    pages.faults = (Fault("idle", "a table has a row of 1 cells under a header of 2", ""),)
    code = "const all = [{ name: 'Mia', phoneNumber: '1' }];\n  row.insertCell().textContent = one.name;\n"
    table = "<table><tr><th>Name</th><th>Phone number</th></tr></table><script src='app.js'></script>"
    files(put, {"index.html": page(table), "app.js": code})
    checks = ProjectChecks(put, pages)
    checks.begin()
    (line,) = await checks.before_end("Add a column", ("app.js",))
    assert line.endswith("add the missing cell behind app.js:2, write row.insertCell().textContent = one.phoneNumber;")
    assert checks.unfinished is not None
    assert checks.unfinished.becomes[0]
    files(put, {"app.js": code.replace("phoneNumber", "fax")})
    (line,) = await checks.before_end("Add a column", ("app.js",))
    assert line.endswith("add the missing cell behind app.js:2"), "nothing is called like the column"


async def test_what_writes_undefined_is_the_script_that_writes(put: Path) -> None:
    pages = FakePages()
    pages.faults = (Fault("shown", "the page shows undefined in #list", ""),)
    files(
        put, {"index.html": page("<script src='data.js'></script><script src='app.js'></script>"), "data.js": "let a;"}
    )
    files(put, {"app.js": "list.textContent = a;\n"})
    checks = ProjectChecks(put, pages)
    checks.begin()
    (line,) = await checks.before_end("Show it", ("app.js",))
    assert line == "the page shows undefined in #list: correct what app.js writes there"
    assert checks.unfinished == Unfinished(edit=("app.js",))
    files(put, {"data.js": "list.append(a);\n"})
    assert await checks.before_end("Show it", ("app.js",)) == ["the page shows undefined in #list"]


async def test_a_page_that_a_request_names_is_where_its_change_belongs(put: Path) -> None:
    loans = page("<script src='fee.js'></script>")
    files(
        put, {"index.html": page(), "loans.html": loans, "fee.js": "fetch('fees.json')", "fees.json": "{}", "x.js": ""}
    )
    checks = ProjectChecks(put, FakePages())
    checks.begin("The fee is wrong: loans.html asks 16.00")
    assert checks.placed == ("loans.html", "fee.js", "fees.json")
    checks.begin("The fee is wrong: loans.html asks 16.00, as in index.html")
    assert checks.placed == ()


async def test_what_an_entry_of_an_entry_lacks_is_told_with_its_place(put: Path) -> None:
    pages = FakePages()
    pages.faults = (Fault("shown", "the page shows undefined in #list", ""),)
    files(put, {"index.html": page("<ul id='list'></ul><script src='app.js'></script>")})
    files(
        put,
        {"app.js": "n.innerText = a.children.length;\nlist.innerText = one.name;\nlist.innerText = one.home.city;\n"},
    )
    checks = ProjectChecks(put, pages)
    checks.begin()
    (line,) = await checks.before_end("Show it", ("app.js",))
    assert line == (
        "the page shows undefined in #list: one.home.city is not there for all: write something else then in app.js:3"
    )
    assert checks.unfinished is not None
    assert checks.unfinished.edit == ("app.js",)
    assert checks.unfinished.within


@pytest.mark.browser
async def test_a_layout_that_a_request_asks_for_is_its_first_change(put: Path) -> None:
    files(
        put,
        {
            "index.html": page('<link rel="stylesheet" href="a.css"><main class="row"><p>A</p><p>B</p></main>'),
            "a.css": ".row { display: flex; }\n.row p { height: 90px; width: 200px; }\n",
        },
    )
    preview = Preview(put, screenshots=put / ".pictures", limits=Limits(probe=30))
    checks = ProjectChecks(put, preview)
    prompt = "On screens narrower than 600 pixels the texts should stand below each other."
    try:
        checks.begin(prompt)
        assert await checks.before_start(prompt) == []
        assert checks.first_change.edit == ("a.css",)
        (rule,) = checks.first_change.texts
        assert rule == "@media (max-width: 599px) { .row { flex-direction: column; } .row > p { width: auto; } }"
        files(put, {"a.css": f".row {{ display: flex; }}\n.row p {{ height: 90px; }}\n{rule}\n"})
        assert await checks.before_end(prompt, ("a.css",)) == []
    finally:
        await preview.close()


def test_a_request_that_speaks_of_no_looks_changes_no_style_first(put: Path) -> None:
    tags = '<link rel="stylesheet" href="a.css"><script src="fee.js"></script>'
    files(put, {"fees.html": page(tags), "other.html": page(), "a.css": "p { x: y }", "fee.js": "let a;"})
    checks = ProjectChecks(put, FakePages())
    checks.begin("On the fees page nobody should pay more than 10 euros.")
    assert set(checks.first_change.edit) == {"fees.html", "fee.js"}
    checks.begin("On the fees page all should be red.")
    assert set(checks.first_change.edit) == {"fees.html", "fee.js", "a.css"}


def test_an_element_that_is_missing_comes_into_a_page_first(put: Path) -> None:
    files(put, {"index.html": page('<p>A</p><script src="a.js"></script>'), "a.js": "let a;"})
    checks = ProjectChecks(put, FakePages())
    checks.begin('Show the total in an element with id="grand-sum".')
    assert (checks.first_change.texts, checks.first_change.edit) == (('id="grand-sum"',), ("index.html",))
