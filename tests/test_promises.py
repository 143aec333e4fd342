"""What a request names and an answer claims, and what of it the files keep."""

import re

import pytest

from roomcode.cures import cure
from roomcode.promises import button_named, element_named, missing_texts, unkept_claims, unkept_wishes

# Wishes


def gone(prompt: str, **texts: str) -> list[str]:
    files = {name.replace("_", "."): text for name, text in texts.items()}
    return unkept_wishes(prompt, files, files)


PAGE = '<p id="total">0</p><button>Open &amp; close</button><script>say("Time is up")</script>'


@pytest.mark.parametrize(
    "prompt",
    [
        'an element with id="total"',
        "an element with id=total",
        "a div id total and a button id of your choice, each input id is yours",
        "a button “Open & close”",
        'a button "open &  Close"',
        'it says "Time is up"',
        'it says "up: time is"',
        'a button "+" and a button "-"',
        'Change "Old title" to "Time is up"',
        'show "Time is up" instead of "Over"',
        'Do not use the word "forbidden"',
        'without id="other"',
        'a 5" screen and a 7" screen',
        'a text that is far too long to be looked for: "' + "word " * 20 + '"',
        'an attribute type="module" and a file "app.html"',
        '"unfinished',
    ],
)
def test_what_is_there_or_not_wished_for_is_no_fault(prompt: str) -> None:
    assert [line for line in gone(prompt, index_html=PAGE) if "app.html" not in line] == []


@pytest.mark.parametrize(
    ("prompt", "line"),
    [
        ('an element with id="sum"', 'nothing has id="sum", which the request names'),
        ("a div id sum that shows 0", 'nothing has id="sum", which the request names'),
        ("a button with the id 'sum'", 'nothing has id="sum", which the request names'),
        ('a button "Reset"', 'there is no button "Reset"; use <button>'),
        ('a heading "Reset"', 'the text "Reset", which the request names, is nowhere'),
        ("says “Game over”", 'the text "Game over", which the request names, is nowhere'),
        ('Change "Time is up" to "The end"', 'the text "The end", which the request names, is nowhere'),
        ("in index.html and app.js", "app.js, which the request names, does not exist"),
    ],
)
def test_what_is_wished_for_and_not_there_is_told(prompt: str, line: str) -> None:
    assert gone(prompt, index_html=PAGE) == [line]


@pytest.mark.parametrize(
    "page",
    [
        '<button id="a">Home</button>',
        "<BUTTON><b>Go</b> Home</BUTTON>",
        '<input type="submit" value="Home">',
        '<a role="button" href="#">Home</a>',
        '<script>b = document.createElement("button"); b.textContent = name</script>Home',
        "<script>box.innerHTML = `<button>${name}</button>`</script>Home",
    ],
)
def test_a_button_may_be_made_in_any_way(page: str) -> None:
    assert gone('a button "Home"', a_html=page) == []


def test_a_link_is_no_button() -> None:
    page = '<a href="#home">Home</a> <a>News</a> <button>Contact</button>'
    assert gone('buttons "Home", "News" and "Contact"', a_html=page) == [
        'there is no button "Home"; use <button>',
        'there is no button "News"; use <button>',
    ]
    assert gone('instead of the button "Home"', a_html=page) == []
    assert gone('a button "+"', a_html=page) == [], "signs can be written in too many ways"


@pytest.mark.parametrize(
    ("prompt", "page", "right"),
    [
        ('a number field with id="bill"', '<input type="number" id="bill">', True),
        ('a number field with id="bill"', '<span class="n" id="bill"></span>', False),
        ('a textarea with id="note"', "<textarea rows=2 id=note></textarea>", True),
        ('a textarea with id="note"', '<input id="note">', False),
        ('a table with id="people"', '<div id="people"></div>', False),
        ('a text field with id="name"', '<TEXTAREA id="name"></TEXTAREA>', True),
        ('an element with id="bill"', '<span id="bill"></span>', True),
        ('a canvas with id="game"', '<p id="game-over"></p><canvas id="game"></canvas>', True),
    ],
)
def test_an_element_is_of_the_kind_that_is_asked_for(prompt: str, page: str, right: bool) -> None:
    lines = gone(prompt, a_html=page)
    assert (lines == []) == right
    assert right or "the request wants a" in lines[0]


@pytest.mark.parametrize(
    "script",
    [
        'box.innerHTML = `<p id="${name}">`',
        "box.innerHTML = '<p id=\"' + name + '\">'",
        "box.id = name",
        'box.setAttribute("id", name)',
    ],
)
def test_ids_that_a_script_puts_together_are_not_looked_for(script: str) -> None:
    assert gone('with id="mars"', app_js=script) == []
    assert gone('with id="mars"', app_js='box.id = "moon"') != []


@pytest.mark.parametrize("script", ['box.id = "mars"', "box.innerHTML = '<p id=mars>'", "make({'id': 'mars'})"])
def test_ids_that_a_script_gives_count(script: str) -> None:
    assert gone('with id="mars"', app_js=script) == []


@pytest.mark.parametrize(
    "style",
    ["color: #ff0000", "color: #F00", "color: red", "color: rgb(255, 0, 0)", "color: rgba(255 0 0 / 1)", "COLOR:RED"],
)
def test_a_colour_may_be_written_in_any_way(style: str) -> None:
    assert gone("in red (#FF0000)", a_css=style) == gone("in #f00", a_css=style) == []
    assert gone("in #fe0000", a_css=style) == ["the colour #fe0000, which the request names, is nowhere"]


def test_an_anchor_is_no_colour_and_an_empty_project_has_no_texts() -> None:
    assert gone("link to #intro and &#123456;", a_html="<p>") == []
    assert gone('a button "Save"') == []


# Claims


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        ("I updated style.css.", ["you say that style.css was changed, but it was not"]),
        ("I have created about.html. It is nice.", ["you say that about.html was made, but it does not exist"]),
        ("The code was moved to app.js and added to index.html.", []),
        ("I changed app.js; style.css was not changed.", []),
        ("You could add it to style.css.", []),
        ("The script is in style.css.", []),
        ("I fixed it with Vue.js", []),
        ("", []),
    ],
)
def test_what_an_answer_says_was_changed_is_compared(answer: str, lines: list[str]) -> None:
    assert unkept_claims(answer, ("app.js", "site/index.html"), ("app.js", "site/index.html", "style.css")) == lines


@pytest.mark.parametrize(
    ("prompt", "missing"),
    [
        ("Mia has the number 555-0100. Add it to the list.", ["555-0100"]),
        ("Change the number 555-0100 to 555-0199.", ["555-0199"]),
        ("Is 555-0100 our number?", []),
        ("Add a field for ages 18-65 and the date 2026-11-30.", []),
        ("Add +43-1-555 and +43-660-5551234.", ["+43-660-5551234"]),
        ("Remove the number 555-0100.", []),
    ],
)
def test_long_numbers_of_a_change_are_looked_for(prompt: str, missing: list[str]) -> None:
    assert missing_texts(prompt, {"index.html": "<p>nothing</p>"}) == missing
    assert missing_texts(prompt, {"index.html": f"<p>{' '.join(missing)}</p>"}) == []
    lines = unkept_wishes(prompt, {"index.html": "<p>nothing</p>"}, ["index.html"])
    assert lines == [f"the number {one}, which the request names, is nowhere" for one in missing]


def test_a_field_to_type_into_lets_somebody_type() -> None:
    prompt = 'A number field with id="c" and a number field with id="f". When I type into one, the other one changes.'
    page = '<input id="c" type="number"> <input type="number" id="f" {}>'
    told = ['nobody can type into id="f": take readonly away and give it an input handler']
    assert unkept_wishes(prompt, {"index.html": page.format("readonly")}, ["index.html"]) == told
    assert unkept_wishes(prompt, {"index.html": page.format('class="readonly"')}, ["index.html"]) == []
    only = prompt + " The second one is read-only."
    assert unkept_wishes(only, {"index.html": page.format("readonly")}, ["index.html"]) == []
    shown = prompt.replace("When I type", "When I look")
    assert unkept_wishes(shown, {"index.html": page.format("readonly")}, ["index.html"]) == []


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ('<input placeholder="Phone"><th>Name</th>', ['no column says "Phone"']),
        ("<p>Phone</p><th>Name</th>", ['no column says "Phone"']),
        ("<th><b>Phone</b></th>", []),
        ("<th>Name</th><th> Phone </th>", []),
        ("<script>row.textContent = 'Phone'</script>", []),
    ],
)
def test_a_column_is_something_that_is_shown(page: str, told: list[str]) -> None:
    prompt = 'Add a third column "Phone" to the table.'
    assert unkept_wishes(prompt, {"index.html": page}, ["index.html"]) == told
    assert unkept_wishes('Change the column "Phone" to "Call"', {"index.html": "Call"}, ["index.html"]) == []


@pytest.mark.parametrize(
    ("prompt", "script", "told"),
    [
        ("Show the total with two decimals.", "out.textContent = a + b", 2),
        ("The average has one decimal place", "out.textContent = a / b", 1),
        ("The average has 3 decimals", "out.textContent = (a / b).toFixed(3)", 0),
        ("Show the price with 2 decimals", "new Intl.NumberFormat('de', {minimumFractionDigits: 2})", 0),
        ("Show the total without 2 decimals", "out.textContent = a", 0),
        ("Show the total", "out.textContent = a", 0),
    ],
)
def test_decimals_that_a_request_wants_are_made_somewhere(prompt: str, script: str, told: int) -> None:
    lines = [f"nothing is shown with {told} decimals; use toFixed({told})"] if told else []
    assert unkept_wishes(prompt, {"index.html": "<p>", "app.js": script}, ["index.html", "app.js"]) == lines


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("const people = [{phone: 1}];", ['no column says "Phone"']),
        ("head.insertCell().textContent = 'Phone';", []),
        ("head.innerHTML += '<th>Phone</th>';", []),
    ],
)
def test_a_script_may_write_the_heading_of_a_column(code: str, told: list[str]) -> None:
    texts = {"index.html": "<th>Name</th>", "app.js": code}
    assert unkept_wishes('Add a third column "Phone" to the table.', texts, list(texts)) == told


@pytest.mark.parametrize(
    ("prompt", "element"),
    [
        ('An element with id="x" shows it.', 'div id="x"'),
        ('Add a number field with id="x".', 'input type="number" id="x"'),
        ('a button "Go on" with id="x"', 'button id="x"'),
        ('the list has id="x"', 'ul id="x"'),
        ('a textarea (id="x")', 'div id="x"'),
        ("nothing of it", 'div id="x"'),
    ],
)
def test_an_element_begins_as_the_request_calls_it(prompt: str, element: str) -> None:
    assert element_named(prompt, 'id="x"') == element


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        (
            'Show the colour as a code like #0a80ff and say "Ready now"',
            ['the text "Ready now", which the request names, is nowhere'],
        ),
        ('A line such as "Page 1 of 3" stands below', []),
        ('The console says "Nothing to import here". Fix it', []),
        ('A wrong mail shows the error "Too short"', ['the text "Too short", which the request names, is nowhere']),
    ],
)
def test_examples_and_messages_of_the_browser_are_not_looked_for(prompt: str, told: list[str]) -> None:
    assert unkept_wishes(prompt, {"index.html": "<button></button><p>x</p>"}, ["index.html"]) == told


def test_a_button_that_shows_nothing_breaks_nothing() -> None:
    page = "<button></button><input type=button>"
    lines = unkept_wishes('Add a button "Go"', {"index.html": page}, ["index.html"])
    assert lines[0] == 'there is no button "Go"; use <button>'


@pytest.mark.parametrize(
    ("prompt", "label", "element"),
    [
        ('Add a button "Dark mode".', "Dark mode", '<button onclick="darkMode()">Dark mode</button>'),
        ('a button "Go" with id="go"', "Go", '<button id="go" onclick="go()">Go</button>'),
        ('a button "+"', "+", "<button>+</button>"),
        ('a button "Clear"', "Clear", "<button>Clear</button>"),
        ('a button "<b>"', "<b>", '<button onclick="b()">&lt;b&gt;</button>'),
    ],
)
def test_a_button_begins_as_the_request_calls_it(prompt: str, label: str, element: str) -> None:
    assert button_named(prompt, label) == element


TABLE = "<table><thead><tr><th>Name</th>\n<th>City</th></tr></thead><tbody id=rows></tbody></table>"
PEOPLE = 'const people = [\n  { name: "Mia", city: "Graz" },\n  { name: "Ada", city: "Ulm" },\n];\n'
READ = 'add({ name: document.getElementById("name").value });\n'


@pytest.mark.parametrize(
    ("prompt", "page", "place"),
    [
        ('a third column "Phone"', TABLE, ": write <th>Phone</th> behind the last <th> in index.html:2"),
        ('a column "Phone"', TABLE, ": write <th>Phone</th> behind the last <th> in index.html:2"),
        ('a first column "Phone"', TABLE, ""),
        ('a column "Phone"', TABLE + TABLE, ""),
        ('a column "Phone"', "<table><tbody id=rows></tbody></table>", ""),
    ],
)
def test_where_the_heading_of_a_column_goes(prompt: str, page: str, place: str) -> None:
    (line,) = unkept_wishes(f"Add {prompt}.", {"index.html": page}, ["index.html"])
    assert line == (
        f'no column says "Phone"{place}' if place else 'the text "Phone", which the request names, is nowhere'
    )
    change = cure(line)
    if change is None:
        assert place == ""
        return
    match = re.search(change.within, page)
    assert match is not None
    after = re.sub(*change.becomes, match[1], count=1)
    assert after == TABLE.partition("\n")[2].replace("</th>", "</th><th>Phone</th>")


@pytest.mark.parametrize(
    ("prompt", "place"),
    [
        ("Ada has the number 555-0100. Add it to the list.", ': write it into the entry of "Ada" in people.js:3'),
        ("Add that the number of Mia is 555-0100.", ': write it into the entry of "Mia" in people.js:2'),
        ("Add that Mia and Ada have the number 555-0100.", ""),
        ("Add the number 555-0100 below.", ""),
    ],
)
def test_which_entry_a_number_belongs_to(prompt: str, place: str) -> None:
    (line,) = unkept_wishes(prompt, {"people.js": PEOPLE}, ["people.js"])
    assert line == f"the number 555-0100, which the request names, is nowhere{place}"
    change = cure(line)
    assert (change.edit if change else ()) == (("people.js",) if place else ())


@pytest.mark.parametrize(
    ("page", "code", "told"),
    [
        ('<input id="name"><input id="phone">', READ, True),
        ('<input id="name"><input id="phone">', READ + 'show("phone");', False),
        ('<input id="name"><input id="phone"><script>phone.focus()</script>', READ, False),
        ('<input id="name"><input id="phone">', READ + READ, True),
        ('<input id="name"><input id="phone" type="submit">', READ, False),
        ('<input id="name"><input id="phone" oninput="show(this)">', READ, False),
        ('<input id="name"><input id="phone">', "add(new FormData(form).get(name.value));", False),
        ('<input id="name"><input id="phone">', 'document.getElementById("name").value = "";', True),
    ],
)
def test_a_field_beside_others_that_is_not_read(page: str, code: str, told: bool) -> None:
    texts = {"index.html": page, "app.js": f"let a;\n{code}"}
    lines = unkept_wishes('Add a field with id="phone".', texts, list(texts))
    line = "nothing reads the field #phone: read it where the other fields are read, in app.js:2"
    if told and code != READ:
        line = "nothing reads the field #phone: use its value in the script of app.js"
    assert lines == ([line] if told else [])
    assert not told or cure(line) is not None


def test_a_field_that_the_script_of_the_page_does_not_read() -> None:
    script = "<script>\nfunction add() {\n  n += 1;\n}\n</script>"
    page = f'<input id="step" type="number"><button onclick="add()">Add</button>\n{script}'
    (line,) = unkept_wishes('Add a number field with id="step".', {"index.html": page}, ["index.html"])
    assert line == "nothing reads the field #step: use its value in the script of index.html"
    change = cure(line)
    assert change is not None
    assert (change.texts, change.edit) == (("step",), ("index.html",))
    match = re.search(change.within, page)
    assert match is not None
    assert match[1].startswith("function add()")
