"""Pages compared with what is expected of them: the exact lines, and silence where a page does as expected."""

import pytest

from roomcode.preview import Expectation, probe_lines

from .conftest import Project
from .probe_pages import html

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

COUNTER = '<p>Count: <b id="count">0</b></p><button id="up">+</button><button id="down">-</button>'
RIGHT_COUNTER = "let n = 0; const show = d => count.textContent = n += d; up.onclick = () => show(1);"
BOX = '<button id="show">Open</button><div id="box" {}>Hello <button id="shut">Close</button></div>'
TABS = """<button onclick="show('a')">A</button><button onclick="show('b')">B</button>
<div id="a">one</div><div id="b" {}>two</div>"""
SHOW = "function show(id) { a.style.display = b.style.display = 'none'; window[id].style.display = 'block' }"
AT_ZERO = Expectation("text", ("count",), "0")
UP, DOWN = (Expectation("change", ("count",), step, button) for step, button in (("1", "+"), ("-1", "-")))
OPEN, SHUT = Expectation("visible", ("box",), button="Open"), Expectation("hidden", ("box",), button="close")
SUMS = '<input id="shown">' + "".join(f"<button>{key}</button>" for key in "C7895+-=")
ADDING = (
    "document.querySelectorAll('button').forEach(b => {{ b.onclick = () => {{ const key = b.textContent;"
    " shown.value = key === 'C' ? '' : key === '=' ? {} : shown.value + key }} }});"
)
SUM = Expectation("text", ("shown",), "15", "7", then=("+", "8", "="))
CLEARED = Expectation("text", ("shown",), "4", "C", then=("9", "-", "5", "="))
WRITTEN = '<textarea id="box"></textarea><p id="count"></p>'
TYPED = Expectation("text", ("count",), "13", fill=("box", "one two three"))
ESCAPE = Expectation("hidden", ("box",), key="Escape")


@pytest.mark.parametrize(
    ("body", "script", "expected", "lines"),
    [
        (COUNTER, f"{RIGHT_COUNTER} down.onclick = () => show(-1);", (AT_ZERO, DOWN, UP, UP), []),
        (
            COUNTER.replace("0<", "5<"),
            f"{RIGHT_COUNTER} down.onclick = () => show(n > 0 ? -1 : 0);",
            (AT_ZERO, DOWN, UP),
            [
                '#count shows "5" at first; it should be 0',
                'after a click on "-" #count shows "0", and "5" before; it should be 4',
            ],
        ),
        # Nobody knows which number is meant, which of two buttons, and what is not there.
        (COUNTER.replace("0<", "0:10<"), f"{RIGHT_COUNTER} down.onclick = () => 0;", (AT_ZERO, DOWN), []),
        (COUNTER + "<button>-</button>", f"{RIGHT_COUNTER} down.onclick = () => 0;", (DOWN,), []),
        (COUNTER, f"{RIGHT_COUNTER} down.onclick = () => show(-1);", (Expectation("text", ("total",), "0"),), []),
        # What takes a while, but not for ever.
        (
            COUNTER,
            "let n = 0; up.onclick = down.onclick = () => setTimeout(() => count.textContent = ++n, 200);",
            (UP,),
            [],
        ),
        # A sum, and a text that is typed.
        (SUMS, ADDING.format("eval(shown.value)"), (SUM, CLEARED), []),
        (
            SUMS,
            ADDING.format("shown.value"),
            (SUM,),
            ['after a click on "7", "+", "8", "=" #shown shows "7+8"; it should be 15'],
        ),
        (WRITTEN, "box.onkeyup = () => count.textContent = box.value.length + ' characters';", (TYPED,), []),
        (
            WRITTEN,
            "box.oninput = () => count.textContent = box.value.split(' ').length;",
            (TYPED,),
            ['after typing "one two three" #count shows "3"; it should be 13'],
        ),
        (WRITTEN, "", (Expectation("text", ("count",), "13", fill=("none", "one")),), []),
        (
            BOX.format('style="display: none"'),
            "show.onclick = () => box.style.display = 'block'; shut.onclick = () => box.style.display = 'none';",
            (Expectation("hidden", ("box",)), OPEN, SHUT, OPEN, ESCAPE),
            ["after the Escape key #box can still be seen, and should be hidden"],
        ),
        (
            BOX.format(""),
            "show.onclick = shut.onclick = () => box.hidden = !box.hidden; onkeydown = () => box.hidden = true;",
            (Expectation("hidden", ("box",)), OPEN, ESCAPE),
            [
                'index.html: #box is to be hidden at first: write style="display: none" into its tag',
                'after a click on "Open" #box cannot be seen, and it should be',
            ],
        ),
        (
            TABS.format('style="display: none"'),
            SHOW,
            (Expectation("only", ("a", "b"), "a"), Expectation("only", ("a", "b"), "b", "B")),
            [],
        ),
        (
            TABS.format(""),
            SHOW.replace("b.style", "a.style"),
            (Expectation("only", ("a", "b"), "a"), Expectation("only", ("a", "b"), "a", "A")),
            [
                'index.html: #b is to be hidden at first: write style="display: none" into its tag',
                'after a click on "A" #b can still be seen, and should be hidden',
            ],
        ),
        # Hidden in other ways, to be filled later, in capitals of another language, and not to be used yet.
        (
            '<div id="out" style="position: fixed; left: -300px; width: 200px">Menu</div>'
            '<div style="height: 0; overflow: hidden"><p id="fold">Text</p></div>'
            '<button onclick="late.style.display = `block`">Show</button><div id="late" style="display: none"></div>'
            '<p id="way">Straße</p><b id="count">0</b><button disabled onclick="0">-</button>',
            "",
            (
                Expectation("hidden", ("out",)),
                Expectation("hidden", ("fold",)),
                Expectation("visible", ("late",), button="Show"),
                Expectation("text", ("way",), "Straße"),
                DOWN,
            ),
            [],
        ),
    ],
)
async def test_what_is_not_as_expected_is_told(
    project: Project, body: str, script: str, expected: tuple[Expectation, ...], lines: list[str]
) -> None:
    project.fill(html(body, script))
    report = await project.preview.probe(".", expected)
    assert list(probe_lines(fault for fault in report.faults if fault.kind == "unmet")) == lines


async def test_a_page_with_errors_is_not_compared(project: Project) -> None:
    project.fill(html(COUNTER, "up.onclick = down.onclick = () => missing();"))
    report = await project.preview.probe(".", (Expectation("text", ("count",), "7"),))
    assert [fault.kind for fault in report.faults] == ["error"]
