"""What a page should do and no code of it does."""

import pytest

from roomcode.behaviour import missing_behaviour, missing_elements

PAGE = "<button>Open</button><script>%s</script>"


def found(prompt: str, code: str, page: str = PAGE) -> list[str]:
    return missing_behaviour(prompt, {"index.html": page % code})


@pytest.mark.parametrize(
    ("prompt", "key"),
    [
        ("Close hides it, and the Escape key hides it too", "Escape"),
        ("The box closes when I press Esc", "Escape"),
        ("Pressing Enter adds the text", "Enter"),
        ("The arrow keys move the snake", "arrow"),
    ],
)
def test_keys_that_nothing_reacts_to(prompt: str, key: str) -> None:
    (line,) = found(prompt, "open.onclick = () => {}")
    assert line.startswith(f"nothing reacts to the {key} key")


@pytest.mark.parametrize(
    ("prompt", "code", "page"),
    [
        ("the Escape key hides it", "onkeydown = e => { if (e.key === 'Escape') hide() }", PAGE),
        ("the Escape key hides it", "onkeydown = e => { if (e.keyCode == 27) hide() }", PAGE),
        ("the Escape key hides it", "box.showModal()", "<dialog id=box></dialog><script>%s</script>"),
        ("Pressing Enter adds it", "", "<form onsubmit='add()'></form>%s"),
        ("The arrow keys move it", "onkeydown = e => moves[e.key]()", PAGE + "moves[e.key]"),
        ("The space key fires", "", PAGE),
        ("Enter a key and press Save", "", PAGE),
        ("There is an arrow beside the key", "", PAGE),
        ("Show a second row", "", PAGE),
        ("Colour every second row", "", PAGE),
        ("Make every second card grey", "", PAGE),
        ("Show requests per second", "", PAGE),
        ("Add the text 'We plant one tree every second'", "", PAGE),
        ("Write 'Press Enter to continue' under the title", "", PAGE),
        ("Remove the text that says press Enter", "", PAGE),
        ("The enter key should not do anything", "", PAGE),
        ("Draw an arrow key icon", "", PAGE),
        ("Remove localStorage", "", PAGE),
        ("Keep it in memory, do not use localStorage", "", PAGE),
    ],
)
def test_what_is_done_in_some_way_is_not_told(prompt: str, code: str, page: str) -> None:
    assert missing_behaviour(prompt, {"index.html": page.replace("%s", code)}) == []


def test_what_should_happen_each_second() -> None:
    assert found("It counts down by one each second", "start.onclick = () => { n -= 1 }") != []
    assert found("It counts down by one each second", "setInterval(tick, 1000)") == []


def test_what_is_stored_is_read_back() -> None:
    save = "localStorage.setItem('note', note.value);"
    (line,) = found("Save the note", save)
    told = 'nothing reads localStorage "note" back; call localStorage.getItem("note") at the start of the script in '
    assert line == f"{told}index.html"
    for read in (
        "localStorage.getItem('note')",
        'localStorage.getItem("note")',
        "localStorage.note",
        "const k = 'note'; localStorage.getItem(k)",
        "localStorage['note']",
        "const s = localStorage; s.getItem('note')",
        "const {note} = localStorage",
    ):
        assert found("Save the note", save + read) == []
    assert found("Keep it in localStorage", "let kept = 1;") == ["the request wants localStorage, but nothing uses it"]
    assert found("Keep it in localStorage", save + "localStorage.getItem('note')") == []


@pytest.mark.parametrize(
    ("save", "field"),
    [
        ("localStorage.setItem('note', document.getElementById('text').value);", "text"),
        ("const kept = document.querySelector('#text').value.trim();\nlocalStorage.setItem('note', kept);", "text"),
        ("const area = document.getElementById('text');\nlocalStorage.setItem('note', area.value);", "text"),
        ("localStorage.setItem('note', JSON.stringify(notes));", ""),
        ("let kept = a.value;\nlet kept = b.value;\nlocalStorage.setItem('note', kept);", ""),
    ],
)
def test_how_a_stored_field_comes_back(save: str, field: str) -> None:
    write = f'write document.getElementById("{field}").value = localStorage.getItem("note") || "";'
    (line,) = found("Save the note", f"{save}\nlocalStorage.getItem('note');\n")
    what = write if field else 'call localStorage.getItem("note")'
    assert line == f'nothing reads localStorage "note" back; {what} at the start of the script in index.html'


@pytest.mark.parametrize(("script", "told"), [("<button>Escape</button>", 1), ("if (e.key === 'Escape') close()", 0)])
def test_a_key_is_named_in_code(script: str, told: int) -> None:
    assert len(found("The Escape key closes it", script)) == told


def test_what_is_read_is_stored_somewhere() -> None:
    read = "note.value = localStorage.getItem('note');"
    (line,) = found("Save the note", read)
    assert line == 'nothing stores localStorage "note"; call localStorage.setItem("note", ...) when it changes'
    for stored in ("localStorage.setItem('note', a)", "localStorage.note = a", "const s = localStorage; s.setItem(a)"):
        assert found("Save the note", read + stored) == []


FORM = '<form id="f">\n<input id="email" type="email">\n<button>Go</button></form><script>%s</script>'
SUBMIT = "f.addEventListener('submit', check)"


@pytest.mark.parametrize("prompt", ["If something is wrong, a message says what", "Show an error for an empty name"])
def test_messages_that_the_browser_s_own_check_hides(prompt: str) -> None:
    (line,) = found(prompt, SUBMIT, FORM)
    assert line == (
        "index.html:1 the browser's own check of the form comes before yours, so your messages are not seen: "
        "write novalidate into <form>"
    )


@pytest.mark.parametrize(
    ("prompt", "code", "page"),
    [
        ("If something is wrong, a message says what", SUBMIT, FORM.replace('id="f"', "novalidate")),
        ("If something is wrong, a message says what", SUBMIT, FORM.replace('type="email"', "")),
        ("If something is wrong, a message says what", "go.onclick = check", FORM),
        ("If something is wrong the browser says what", SUBMIT, FORM),
        ("A form with an email", SUBMIT, FORM),
    ],
)
def test_forms_whose_messages_are_seen_or_not_wanted(prompt: str, code: str, page: str) -> None:
    assert found(prompt, code, page) == []


START = 'The button "Start" counts it down'


@pytest.mark.parametrize(
    "code",
    [
        "\nconst timer = setInterval(() => {\n  n -= 1;\n}, 1000);",
        "let n = 1;\nsetInterval(tick, 1000)",
        "// }\nsetInterval(f)",
    ],
)
def test_a_timer_that_does_not_wait_for_its_button(code: str) -> None:
    (line,) = found(START, code)
    assert line == (
        'index.html:2 setInterval runs as soon as the page is loaded; call it in the function of the button "Start"'
    )
    assert found("It counts down each second", code) == []


@pytest.mark.parametrize(
    "code",
    [
        "function start() { timer = setInterval(tick, 1000); }",
        "start.onclick = () => setInterval(tick, 1000);",
        "const begin = () => setInterval(tick, 1000);",
        "start.addEventListener('click', () => { setInterval(tick, 1000); });",
        "start.addEventListener('click', () => setInterval(tick, 1000));",
        "const text = 'setInterval(';",
        "class Clock { run() { setInterval(this.tick, 1000); } }",
    ],
)
def test_a_timer_that_waits(code: str) -> None:
    assert found(START, code) == []


def test_without_a_page_nothing_is_missing() -> None:
    assert missing_behaviour("the Escape key", {"app.js": ""}) == []


@pytest.mark.parametrize(
    ("prompt", "code", "tags"),
    [
        ("one section for each planet, with the planet as its h2", "<div>Mars</div>", ["h2"]),
        ("a list of these entries (li) and a new <ol>", "<ul></ul>", ["li", "ol"]),
        ("a heading (h1) with the name", "<h1 class=a>x</h1>", []),
        ("each entry is a new <li>", "document.createElement('li')", []),
        ("use a heading, no h2", "<h1>x</h1>", []),
        ("Write it with instead of <b>bold</b> text", "<p>x</p>", []),
        ("a page about a < b and c > d", "<p>x</p>", []),
    ],
)
def test_elements_that_a_request_calls_by_their_tag(prompt: str, code: str, tags: list[str]) -> None:
    told = [f"there is no <{tag}>, which the request names" for tag in tags]
    assert missing_elements(prompt, {"index.html": code}) == told


@pytest.mark.parametrize(
    ("prompt", "script", "told"),
    [
        ('Show the average so far in an element with id="average".', "let average = 1;", 1),
        ('Its present value can be read beside it, in id="red-value".', "let average = 1;", 1),
        ('An element with id="hits" shows how many are visible.', "let n = 1;", 1),
        ('Show the average so far in an element with id="average".', 'by("average").textContent = 1;', 0),
        ('Show the average so far in an element with id="average".', "average.textContent = 1;", 0),
        ('Show the average so far in an element with id="average".', "document.getElementById(name).value = 1;", 0),
        ('Show our phone number 555 in an element with id="phone".', "let n = 1;", 0),
        ('Show the opening hours in an element with id="hours".', "let n = 1;", 0),
        ('Show the average so far in an element with id="average".', "", 0),
    ],
)
def test_what_is_to_be_computed_is_written_by_some_script(prompt: str, script: str, told: int) -> None:
    texts = {"index.html": '<p id="average"></p>', "app.js": script}
    lines = [line for line in missing_behaviour(prompt, texts) if line.startswith("no script")]
    assert len(lines) == told
    assert all(line.endswith(" in app.js") for line in lines)
