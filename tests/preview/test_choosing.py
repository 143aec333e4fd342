"""Pages with several controls alike, used one by one: the exact lines, and silence where it is right."""

import pytest

from roomcode.preview import Expectation, probe_lines

from .conftest import Project
from .probe_pages import html

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ALONE, AGAIN = Expectation("alone", ()), Expectation("again", ())
STYLES = Expectation("styles", ())
LATE = "<style>#t td {{ color: #333 }}\n.late {{ color: red }}\n{}</style>"
LATE += "<table id=t><tr class=late><td>1<tr><td>2</table>"
STACKED = Expectation("stacked", (), "599")
CARDS = "<style>{}</style><nav class=n><a href=#>A</a> <a href=#>B</a></nav><div class=cards>"
CARDS += "<div class=card><h2>A</h2><p>One</p></div>" * 3 + "</div>"
BESIDE = (
    "on a screen of 590 pixels the parts of .cards stand side by side: write @media (max-width: 599px) {{ {} }} "
    "at the end of the styles"
)
STRIPES = Expectation("stripes", (), "#eeeeee")
ROWS = (
    "<style>{}</style><table><thead><tr><th>A</th></tr></thead><tbody>" + "<tr><td>1</td></tr>" * 4 + "</tbody></table>"
)
EVERY_SECOND = "; every second one should have it, which is :nth-child(even)"
ANSWERS = "".join(f'<div class="q">Ask {name}</div><p class="a" style="display: none">Say {name}</p>' for name in "ABC")
STYLED = "<style>.a { display: none }</style>" + ANSWERS.replace(' style="display: none"', "")
ON_CLICK = "document.querySelectorAll('.q').forEach(q => {{ q.onclick = () => {{ {} }} }});"
ANSWER = "const a = q.nextElementSibling;"
TOGGLE = ANSWER + "a.style.display = a.style.display === 'none' ? 'block' : 'none';"
CLOSE = "document.querySelectorAll('.a').forEach(a => {{ if ({}) a.style.display = 'none' }});"
STARS = "<p id=score>0</p>" + "<button>★</button>" * 4
PAINT = (
    "const all = [...document.querySelectorAll('button')]; all.forEach((b, n) => {{ b.onclick = () => {{ "
    "score.textContent = n + 1; all.forEach((one, i) => {{ {} }}) }} }});"
)
STILL = "after a click on {} and then on {} what {} changed can still be seen: put it back first"
PUT_BACK = ", write document.querySelectorAll({}).forEach(one => {{ {} }}); where a click is handled"


@pytest.mark.parametrize(
    ("body", "script", "expected", "line"),
    [
        pytest.param(
            ANSWERS,
            ON_CLICK.format(TOGGLE),
            (ALONE, AGAIN),
            STILL.format('"Ask C"', '"Ask A"', '"Ask C"') + PUT_BACK.format('".a"', 'one.style.display = "none"'),
            id="several stay open",
        ),
        pytest.param(ANSWERS, ON_CLICK.format(TOGGLE), (AGAIN,), "", id="several may be open"),
        pytest.param(
            ANSWERS,
            ON_CLICK.format(ANSWER + CLOSE.format("a !== q.nextElementSibling") + TOGGLE.removeprefix(ANSWER)),
            (ALONE, AGAIN),
            "",
            id="one at a time",
        ),
        pytest.param(
            ANSWERS,
            ON_CLICK.format(CLOSE.format("true") + "q.nextElementSibling.style.display = 'block'"),
            (ALONE, AGAIN),
            'after a second click on "Ask A" what the first one opened can still be seen',
            id="one cannot be closed",
        ),
        pytest.param(
            STYLED,
            ON_CLICK.format(TOGGLE),
            (ALONE,),
            'after a click on "Ask A" changes nothing that can be seen',
            id="a first click that is lost",
        ),
        pytest.param(
            STARS,
            PAINT.format("if (i <= n) one.style.color = 'gold'"),
            (ALONE,),
            STILL.format('"★" number 4', '"★" number 1', '"★" number 4')
            + PUT_BACK.format('"button"', 'one.style.color = ""'),
            id="a colour that stays",
        ),
        pytest.param(
            STARS, PAINT.format("one.style.color = i <= n ? 'gold' : ''"), (ALONE,), "", id="a colour that goes"
        ),
        pytest.param(
            STARS,
            PAINT.format("if (i <= n) one.classList.add('lit')")
            + "document.head.innerHTML += '<style>.lit{color:red}</style>'",
            (ALONE,),
            STILL.format('"★" number 4', '"★" number 1', '"★" number 4')
            + PUT_BACK.format('"button"', 'one.classList.remove("lit")'),
            id="a class that stays",
        ),
        pytest.param(
            "<button>Dark</button>",
            "document.querySelector('button').onclick = () => document.body.classList.toggle('d');"
            "document.head.innerHTML += '<style>.d{color:red}</style>'",
            (Expectation("again", (), button="Dark"),),
            "",
            id="one button there and back",
        ),
        pytest.param(
            "<button>Dark</button>",
            "document.querySelector('button').onclick = () => document.body.style.color = 'red';",
            (Expectation("again", (), button="Dark"),),
            'after a second click on "Dark" what the first one changed can still be seen: look at how it is, and '
            "change it back when it is so already",
            id="one button only there",
        ),
        # What a page draws anew, and where only texts differ.
        pytest.param(
            "<div id=row></div>",
            "const draw = () => { row.innerHTML = '<button>1</button><button>2</button>'; "
            "for (const b of row.children) b.onclick = draw }; draw();",
            (ALONE, AGAIN),
            "",
            id="controls that are made anew",
        ),
        pytest.param(
            "<p id=score>0</p><button>1</button><button>2</button>",
            "document.querySelectorAll('button').forEach(b => { b.onclick = () => score.innerText = b.innerText });",
            (ALONE, AGAIN),
            "",
            id="only a text that differs",
        ),
        pytest.param(
            ROWS.format("tbody tr:nth-child(even) { background: #eee }"), "", (STRIPES,), "", id="every second row"
        ),
        pytest.param(
            ROWS.format("tr:nth-child(even) td { background: rgb(238, 238, 238) }"), "", (STRIPES,), "", id="its cells"
        ),
        pytest.param(
            ROWS.format("tr:nth-child(n+2) { background: #eee }"),
            "",
            (STRIPES,),
            "number 3 has the background #eeeeee" + EVERY_SECOND,
            id="all but the first",
        ),
        pytest.param(
            ROWS.format(""),
            "",
            (STRIPES,),
            "no row or entry has the background #eeeeee; every second one should have it: write "
            "tbody tr:nth-child(even) { background-color: #eeeeee; } at the end of the styles",
            id="no row",
        ),
        pytest.param(
            CARDS.format(".cards { display: flex } .card { width: 33% }"),
            "",
            (STACKED,),
            BESIDE.format(".cards { flex-direction: column; } .card { width: auto; }"),
            id="cards in a row",
        ),
        pytest.param(
            CARDS.format(".cards { display: grid; grid-template-columns: 1fr 1fr 1fr }"),
            "",
            (STACKED,),
            BESIDE.format(".cards { grid-template-columns: 1fr; } .card { width: auto; }"),
            id="cards in a grid",
        ),
        pytest.param(
            CARDS.format(".card { float: left; width: 30% }"),
            "",
            (STACKED,),
            BESIDE.format(".card { display: block; float: none; width: auto; }"),
            id="cards that float",
        ),
        pytest.param(
            CARDS.format(".cards { display: flex } @media (max-width: 599px) { .cards { flex-direction: column } }"),
            "",
            (STACKED,),
            "",
            id="cards that are stacked",
        ),
        pytest.param(CARDS.format(""), "", (STACKED,), "", id="cards that never stood in a row"),
        pytest.param(
            LATE.format(""),
            "",
            (STYLES,),
            ".late never shows its color, #t td overrules it: write #t .late td there",
            id="a colour that cells overrule",
        ),
        pytest.param(LATE.format("#t .late td { color: red }"), "", (STYLES,), "", id="a colour that shows"),
        pytest.param(
            "<style>#n a { background: #eee }\n.on { background: gold }</style><p id=n><a class=on>A</a> <a>B</a></p>",
            "",
            (STYLES,),
            ".on never shows its background, #n a overrules it: write #n a.on there",
            id="an element itself",
        ),
        pytest.param(
            "<style>p { color: red }\n.off { color: blue }</style><p>A</p><p class=off hidden>B</p>",
            "",
            (STYLES,),
            "",
            id="what applies to nothing that is seen",
        ),
        pytest.param("<ul><li>a<li>b</ul>", "", (STRIPES,), "", id="too few to tell"),
        pytest.param("<p>Nothing to click</p>", "", (ALONE, AGAIN), "", id="no controls"),
    ],
)
async def test_controls_are_used_one_after_the_other(
    project: Project, body: str, script: str, expected: tuple[Expectation, ...], line: str
) -> None:
    project.fill(html(body, script))
    report = await project.preview.probe(".", expected)
    assert list(probe_lines(fault for fault in report.faults if fault.kind == "unmet")) == ([line] if line else [])
