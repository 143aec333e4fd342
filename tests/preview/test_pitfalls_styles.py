import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.preview.css_names import CLASS_WORDS, ELEMENTS, KNOWN_PROPERTIES, LENGTHS, PROPERTIES, SLIPS
from roomcode.preview.pitfalls_styles import style_pitfalls
from roomcode.preview.references import parse_sources

LINK = '<link rel="stylesheet" href="style.css">'


def told(files: dict[str, str]) -> list[str]:
    return [str(finding) for finding in style_pitfalls(parse_sources(files))]


def styled(css: str, body: str = "", **more: str) -> dict[str, str]:
    """A page of two lines with a style sheet; the body is in line 2."""
    files = {"index.html": f"<!doctype html>{LINK}\n{body}", "style.css": css}
    return files | {name.replace("_", "."): text for name, text in more.items()}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("colour", "color"),
        ("background-colour", "background-color"),
        ("border-colour", "border-color"),
        ("font-colour", "color"),
        ("text-color", "color"),
        ("backgroundcolor", "background-color"),
        ("backgroundColor", "background-color"),
        ("font_size", "font-size"),
        ("Fontsize", "font-size"),
        ("widht", "width"),
        ("heigth", "height"),
        ("max-widht", "max-width"),
        ("text-aling", "text-align"),
        ("text-alignment", "text-align"),
        ("backgroud-color", "background-color"),
        ("border-raduis", "border-radius"),
        ("justify-contents", "justify-content"),
        ("align-item", "align-items"),
        ("top-margin", "margin-top"),
        ("border-color-left", "border-left-color"),
        ("border-radius-top-left", "border-top-left-radius"),
        ("grid-template-column", "grid-template-columns"),
        ("grid-columns", "grid-template-columns"),
        ("dispaly", "display"),
        ("postion", "position"),
        ("z-indx", "z-index"),
        ("margins", "margin"),
        ("box-shadows", "box-shadow"),
        ("trasition", "transition"),
        ("bg-color", "background-color"),
        ("letter-space", "letter-spacing"),
    ],
)
def test_misspelt_properties_are_found(written: str, meant: str) -> None:
    css = f"/* {written}: a;\n */\nbody {{\n  margin: 0;\n  {written}: inherit;\n}}\n"
    assert told({"style.css": css}) == [f"style.css:5 {written} is no CSS property: write {meant} there"]


def test_properties_are_found_in_every_place_of_styles() -> None:
    css = "@media (min-width: 1px) {\n.a { top: 0; colour: red }\n}\n"
    css += "@keyframes x { from { opactiy: 0 }\nto { colr: red } }\n"
    page = (
        f"<style>\n@import url(//x.example/a;b.css);\np {{ colour: red;\n &:hover {{ widht: 1px }} }}\n</style>{LINK}\n"
        '<p style="\ncolour: red">a</p><b style="margin: 8">b</b>'
    )
    assert told({"style.css": css, "index.html": page}) == [
        "style.css:2 colour is no CSS property: write color there",
        "style.css:4 opactiy is no CSS property: write opacity there",
        "style.css:5 colr is no CSS property: write color there",
        "index.html:3 colour is no CSS property: write color there",
        "index.html:4 widht is no CSS property: write width there",
        "index.html:7 colour is no CSS property: write color there",
        "index.html:7 margin: 8 has no unit: write 8px there",
    ]


@pytest.mark.parametrize(
    ("written", "shown", "meant"),
    [
        ("margin: 10", "10", "10px"),
        ("width:100 !important", "100", "100px"),
        ("padding: 5 10px", "5 10px", "5px 10px"),
        ("margin: 10 auto", "10 auto", "10px auto"),
        ("margin: 0 20", "0 20", "0 20px"),
        ("font-size: 16", "16", "16px"),
        ("font-size: 1.5", "1.5", "1.5px"),
        ("border-radius: 4", "4", "4px"),
        ("top: -20", "-20", "-20px"),
        ("gap:\n 8", "8", "8px"),
        ("border: 1 solid red", "1 solid red", "1px solid red"),
        ("border: 1 solid #ccc", "1 solid #ccc", "1px solid #ccc"),
        ("border: 2 solid rgb(1, 2, 3)", "2", "2px"),
        ("padding: 10 px", "10 px", "10px"),
        ("padding: 10 px 2rem", "10 px 2rem", "10px 2rem"),
        ("Margin-Top: 10", "10", "10px"),
        ("margin: 5 calc(1px + (2px * 3))", "5", "5px"),
    ],
)
def test_lengths_without_a_unit_are_found(written: str, shown: str, meant: str) -> None:
    name = written.partition(":")[0]
    expected = [f"style.css:1 {name}: {shown} has no unit: write {meant} there"]
    assert told({"style.css": f".a {{ {written}; }}"}) == expected
    assert told({"style.css": f".a {{ {written} }}"}) == expected


@pytest.mark.parametrize(
    "declarations",
    [
        "color: red; --colour: blue; -webkit-colr: red; -moz-osx-font-smoothing: grayscale",
        "line-height: 1; z-index: 10; opacity: 5; flex: 1; order: 2; font-weight: 700; zoom: 2; scale: 2; tab-size: 4",
        "columns: 2; column-count: 3; grid-row: 1; grid-column: 1 / 3; grid-area: 1 / 2; animation-iteration-count: 3",
        "margin: 0 auto; padding: 0; top: 0.0; width: calc(100% - 10px * 2); height: var(--h); gap: var(--g, 8)",
        "width: min(10px, 20px); margin: calc((1px + 2px) * 3) auto; inset: 0; border: 0 solid; outline: none",
        "transform: translateX(10px) scale(2) rotate(45deg); transition: width 2s; flex: 1 1 0; flex-basis: 0",
        "margin: 1e3px -.5em +2px 5%; font: 12px/1.5 serif; border-radius: 4px / 8px; aspect-ratio: 16 / 9",
        "*zoom: 1; _height: 1px; filter: progid:DXImageTransform.Microsoft.gradient(enabled=false); width: 100\\9",
        "fill: red; stroke-width: 2; cx: 5; stroke-dashoffset: 10; stop-color: red; border-image-width: 2",
        "text-wrap: balance; view-transition-name: a; anchor-name: --a; field-sizing: content; corner-shape: squircle",
        "font-height: 12px; line-style: dashed; border-weight: 2px; text-style: bold; shadow: none; align: center",
        "background: url(data:image/png;base64,colour:red;margin:10); content: 'colour: red; margin: 10'",
        "color: red\n margin: 10",
        "color red; // colour: red\n margin: 0",
        "background-opacity: 1; margin-horizontal: 4px; overflow-z: auto; font-smoothing: antialiased; composes: a",
        "width: 100; { } }",
        "margin: {{ size }}; colour: {{ colour }}",
        "font-family: Colour, serif; grid-template-areas: 'a 10' 'b 20'; counter-reset: a 5; will-change: colour",
        "border-spacing: 2px 3px; background-position: 0 50%; background-size: cover; vertical-align: middle",
        "size: a4; src: none; font-display: swap; speak: none; behavior: none; row-rule: 1px",
        "scrollbar-face-color: red",
    ],
)
def test_right_declarations_are_left_alone(declarations: str) -> None:
    assert told({"style.css": f"a {{ {declarations} }}"}) == []


@pytest.mark.parametrize(
    "css",
    [
        "@font-face { font-famly: x; colour: red }\n@property --x { sintax: '*' }\n@page { margins: 10 }",
        "@counter-style a { sistem: cyclic } @font-palette-values --a { colour: red }",
        ":root { --card: { colour: red; margin: 10 }; --wide: 10 }",
        "a { colour: red",
        "a { colour: red } }",
        "/* a { colour: red }",
        "@charset 'utf-8'; @import 'colour.css'; @layer a, b; @namespace svg url(colour:red);",
        "",
    ],
)
def test_right_or_broken_style_sheets_are_left_alone(css: str) -> None:
    assert told({"style.css": css}) == []


def test_classes_and_ids_that_were_mixed_up_are_found() -> None:
    css = "nav { top: 0 }\n.menu a:hover,\n.other { top: 0 }\n.menu { left: 0 }\n#card > b { top: 0 }\nbox { top: 0 }\n"
    css += "main > panel::before { top: 0 }\n@media print { ul.menu { top: 0 } }"
    body = '<main id="menu" class="card big"><p class="box">a</p><i id="panel"></i></main>'
    script = "const menu = document.getElementById('menu'); // menu\nmenu.onclick = () => location.reload();\n"
    script += "document.querySelector('#menu a').textContent = 'a';"
    expected = [
        'style.css:2 .menu matches nothing, the page has id="menu": write #menu there',
        'style.css:5 #card matches nothing, the page has class="card": write .card there',
        'style.css:6 box matches no element, the page has class="box": write .box there',
        'style.css:7 panel matches no element, the page has id="panel": write #panel there',
    ]
    assert told(styled(css, body)) == expected
    assert told(styled(css, body + "<script>" + script + "</script>")) == expected
    page = {"index.html": f"<style>\n.menu {{ top: 0 }}\n</style>{body}"}
    assert told(page) == ['index.html:2 .menu matches nothing, the page has id="menu": write #menu there']


@pytest.mark.parametrize(
    ("css", "body"),
    [
        (".menu {}", '<p id="menu" class="menu"></p>'),
        (".menu {} #menu {}", '<p id="menu"></p>'),
        (".menu {}", '<p id="other"></p>'),
        (".menu {}", '<p id="Menu"></p>'),
        (".menu {}", '<p id="menu"></p><template><p class="menu"></p></template>'),
        (".menu {}", "<p id=menu></p><script>e.classList.add('menu')</script>"),
        (".menu {}", "<p id=menu></p><script>const classes = {menu: true}</script>"),
        (".menu {}", "<p id=menu></p><script>$('menu').hidden = true</script>"),
        (".menu-top {}", "<p id=menu-top></p><script>e.className = 'menu-' + side</script>"),
        (".menu-top {}", "<p id=menu-top></p><script>e.className = `${name}-top`</script>"),
        (".dark {}", "<button id=dark></button><script>b.onclick = () => body.classList.add(b.id)</script>"),
        (".menu {}", '<p id="menu" data-class="menu"></p>'),
        (".menu {}", '<p id="menu" onclick="this.className=\'menu\'"></p>'),
        (".menu {}", '<p id="menu"></p><script src="https://cdn.example/a.js"></script>'),
        (".menu {}", '<p id="menu"></p><script src="lost.js"></script>'),
        (".menu {}", '<p id="menu"></p><link rel=stylesheet href="//cdn.example/a.css">'),
        (".menu {}", '<base href="/a/"><p id="menu"></p>'),
        (".menu {}", '<p id="menu">{{ name }}</p>'),
        (".menu {}", '<p id="menu"><% name %></p>'),
        ("p:not(.menu) {}", '<p id="menu"></p>'),
        ("[class] { } :hover { } ::selection { } * { }", '<p id="menu"></p>'),
        (".menu\\:top { }", '<p id="menu"></p>'),
        ("@import 'https://cdn.example/a.css'; .menu {}", '<p id="menu"></p>'),
        ("#card {}", '<p class="card"></p><script>e.id = "card"</script>'),
        ("#card-1 {}", '<p class="card-1"></p><script>e.innerHTML = `<p id="card-${n}">`</script>'),
        ("#card {}", '<p class="card"></p><script>e.id = name</script>'),
        ("my-card {} header {} lineargradient {} center {} mrow {}", '<p class="my-card header center mrow"></p>'),
        ("card {}", '<card></card><p class="card"></p>'),
        ("card {}", '<p class="card"></p><script>document.createElement("card")</script>'),
        ("card {}", "<p class='card'></p><script>const el = (t) => document.createElement(t); el('card')</script>"),
        ("@keyframes a { from {} to {} } @scope (.menu) { }", '<p class="from to" id=menu></p>'),
        ("&.menu::part(a) { } svg|menu { }", '<p id="menua"></p>'),
    ],
)
def test_selectors_that_may_be_right_are_left_alone(css: str, body: str) -> None:
    assert told(styled(css.replace("{}", "{ top: 0 }"), body)) == []


def test_a_selector_counts_when_one_of_the_pages_has_it_and_not_when_no_page_loads_it() -> None:
    assert told({"style.css": ".menu { top: 0 }", "index.html": '<p id="menu"></p>'}) == []
    files = styled(".menu { top: 0 }", '<p id="menu"></p>') | {"b.html": f'{LINK}<p class="menu"></p>'}
    assert told(files) == []
    parts = styled(".menu { top: 0 }", "<p id=menu></p><script>fetch('nav.html')</script>")
    assert told(parts | {"nav.html": "<p class=menu>"}) == []
    assert len(told(parts | {"nav.html": "<p class=other>"})) == 1


@pytest.mark.parametrize(
    ("css", "body", "finding"),
    [
        (".button {}", '<p class="big buton">', "2 no rule has .buton, the styles have .button: write button there"),
        (".card {}", '<p\n class="Card">', "3 no rule has .Card, the styles have .card: write card there"),
        (
            ".todo-item {}",
            '<p class="todoItem">',
            "2 no rule has .todoItem, the styles have .todo-item: write todo-item there",
        ),
        (
            ".todo_item {}",
            '<p class="todo-item">',
            "2 no rule has .todo-item, the styles have .todo_item: write todo_item there",
        ),
        (
            ".nav-item {}",
            '<p class="nav-itme">',
            "2 no rule has .nav-itme, the styles have .nav-item: write nav-item there",
        ),
        (
            ".container {}",
            '<p class="contianer">',
            "2 no rule has .contianer, the styles have .container: write container there",
        ),
        (".wrapper {}", '<p class="wraper">', "2 no rule has .wraper, the styles have .wrapper: write wrapper there"),
        (
            ".button {}",
            '<p class="buton"></p><script>const button = document.createElement("p")</script>',
            "2 no rule has .buton, the styles have .button: write button there",
        ),
    ],
)
def test_misspelt_classes_of_the_markup_are_found(css: str, body: str, finding: str) -> None:
    assert told(styled(css.replace("{}", "{ top: 0 }"), body)) == [f"index.html:{finding}"]


def test_the_style_sheet_may_be_what_is_misspelt() -> None:
    assert told(styled("a { top: 0 }\n.buton b { top: 0 }", '<p class="button"></p>')) == [
        'style.css:2 .buton matches nothing, the page has class="button": write .button there'
    ]


@pytest.mark.parametrize(
    "code",
    [
        "el.classList.add('hiden');",
        'el.classList.toggle( "hiden", a > b );',
        "el.classList.replace('show', 'hiden')",
        "if (a) el.className = 'show hiden'",
    ],
)
def test_misspelt_classes_of_scripts_are_found(code: str) -> None:
    finding = "no rule has .hiden, the styles have .hidden: write hidden there"
    css = ".hidden, .show { top: 0 }"
    body = '<script src="app.js"></script>'
    assert told(styled(css, body, app_js=f"// one\n{code}")) == [f"app.js:2 {finding}"]
    assert told(styled(css, f"<script>\n\n{code}</script>")) == [f"index.html:4 {finding}"]


@pytest.mark.parametrize(
    ("css", "body"),
    [
        (".button {}", '<p class="button buton">'),
        (".button {} .buton {}", '<p class="buton">'),
        (".card {}", '<p class="cards">'),
        (".card {}", '<p class="cart">'),
        (".form {}", '<p class="from">'),
        (".light {}", '<p class="right">'),
        (".col-1 {}", '<p class="col-2">'),
        (".step1 {}", '<p class="step2">'),
        (".select {}", '<p class="selected">'),
        (".toggler {}", '<p class="toggle">'),
        (".hidden {}", '<p class="js-hook main">'),
        (".button {}", "<p class=buton><script>q('.buton')</script>"),
        (".button {}", "<p class=buton><script>e.className = 'button'</script>"),
        (".button-a {}", "<p class=buton-a><script>e.className = 'button-' + a</script>"),
        (".button {} [class^=but] {}", "<p class=buton>"),
        (".button {} @import 'lost.css';", '<p class="buton">'),
        (".button {}", '<p class="buton"><link rel=stylesheet href="https://cdn.example/a.css">'),
        (".button {}", '<p class="buton"><link rel=stylesheet href="lost.css">'),
        (".button {}", '<p class="buton"><script>l.rel = "stylesheet"</script>'),
        (".button {}", '<base href="/x/"><p class="buton">'),
        (".button {}", '<p class="{{ a }} buton">'),
        (".button {}", '<p class="md:buton">'),
        (".button { ", '<p class="buton">'),
        (".hidden {}", "<script>// el.classList.add('hiden')</script>"),
        (".hidden {}", "<script>el.classList.add('hiden'); q('.hiden')</script>"),
        (".hidden {}", "<script>el.classList.add('hiden', 'hidden')</script>"),
        (".hidden {}", "<p class=hiden hidden><script>el.classList.add('hiden'); hide('hidden')</script>"),
        (".closed {}", "<p class=closed><script>el.classList.toggle('close')</script>"),
        (".loader {}", "<script>el.classList.add('loaded')</script>"),
        (".opened {}", "<script>el.classList.add('open'); e.classList.add(name)</script>"),
        (".active {}", "<script>el.classList.add('active'); el.classList.contains('actve')</script>"),
    ],
)
def test_classes_that_may_be_right_are_left_alone(css: str, body: str) -> None:
    assert told(styled(css.replace("{}", "{ top: 0 }"), body)) == []


def test_a_class_of_a_page_without_the_style_sheet_is_left_alone() -> None:
    files = styled(".button { top: 0 }", "") | {"b.html": '<p class="buton"></p>'}
    assert told(files) == []
    assert told({"style.css": ".button { top: 0 }", "index.html": '<p class="buton">'}) == []


def test_a_font_from_elsewhere_brings_no_classes() -> None:
    font = '<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter">'
    body = '<p class="buton">'
    assert len(told(styled(".button { top: 0 }", font + body))) == 1
    assert told(styled(".button { top: 0 }", font.replace("Inter", "Material+Icons") + body)) == []


@pytest.mark.parametrize(
    ("wanted", "there"), [("nam", "name"), ("userName", "user-name"), ("emial", "email"), ("Age", "age")]
)
def test_labels_for_a_misspelt_id_are_found(wanted: str, there: str) -> None:
    page = f'<p>\n<label\nfor="{wanted}">a</label><input id="{there}"><input id="quite-another">'
    assert told({"index.html": page}) == [f'index.html:2 no element has id="{wanted}": write for="{there}" there']


@pytest.mark.parametrize(
    "page",
    [
        '<label for="name">a</label><input id="name">',
        '<label for="nam">a</label><label for="name">b</label><input id="name">',
        '<label for="nam">a</label><p id="name"></p>',
        '<label for="nam">a</label><input id="age">',
        '<label for="q1">a</label><input id="q2">',
        '<label for="nam">a</label><input id="name"><input id="namo">',
        '<label for="nam">a</label><input id="name"><script>e.id = "nam"</script>',
        '<label for="name-1">a</label><input id="names-1"><script>h = `<i id="name-${n}">`</script>',
        '<label for="nam">a</label><input id="name"><script>e.id = key</script>',
        '<label for="nam">a</label><input id="name"><script>h = `<i id="${n}">`</script>',
        '<base href="/a/"><label for="nam">a</label><input id="name">',
        '<label for="nam">{{ a }}</label><input id="name">',
        '<label>a <input id="name"></label>',
        '<label for="">a</label><input id="a">',
    ],
)
def test_labels_that_may_be_right_are_left_alone(page: str) -> None:
    assert told({"index.html": page}) == []


@pytest.mark.parametrize(
    ("tag", "code", "cure"),
    [
        ('<button onclick="add">', "function add() {}", 'onclick="add" calls nothing: write add() there'),
        ('<button onclick=" add; ">', "const add = () => 1", 'onclick="add;" calls nothing: write add() there'),
        ('<form onsubmit="save">', "function save(e) {}", 'onsubmit="save" calls nothing: write save(event) there'),
        (
            '<input onkeydown="go">',
            "go = async function (event) {}",
            'onkeydown="go" calls nothing: write go(event) there',
        ),
    ],
)
def test_handlers_that_call_nothing_are_found(tag: str, code: str, cure: str) -> None:
    assert told({"index.html": f"<p>\n{tag}<script>{code}</script>"}) == [f"index.html:2 {cure}"]
    files = {"index.html": f'<p>\n{tag}<script src="app.js"></script>', "app.js": code}
    assert told(files) == [f"index.html:2 {cure}"]


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ('<button onclick="add()">', "function add() {}"),
        ('<button onclick="return add()">', "function add() {}"),
        ('<button onclick="add">', "function other() {}"),
        ('<button onclick="add">', "const add = 5"),
        ('<button onclick="show">', "function show(id) {}"),
        ('<my-button onclick="add">', "function add() {}"),
        ('<button data-onclick="add" one="add">', "function add() {}"),
        ('<button onclick="obj.add">', "function add() {}"),
        ('<button onclick="add">{{ a }}', "function add() {}"),
        ('<base href="/a/"><button onclick="add">', "function add() {}"),
        ('<script type="module">function add() {}</script><button onclick="add">', ""),
    ],
)
def test_handlers_that_are_right_are_left_alone(tag: str, code: str) -> None:
    assert told({"index.html": f"{tag}<script>{code}</script>"}) == []


def test_the_names_fit_together() -> None:
    assert set(SLIPS.values()) | LENGTHS - {"grid-gap"} <= PROPERTIES <= KNOWN_PROPERTIES
    assert not SLIPS.keys() & KNOWN_PROPERTIES
    assert all(name == name.lower() for name in KNOWN_PROPERTIES | ELEMENTS | CLASS_WORDS)
    assert {"color", "inset", "text-wrap", "accent-color", "scroll-snap-type"} <= PROPERTIES
    assert {"div", "dialog", "lineargradient", "mfrac"} <= ELEMENTS
    assert "content" not in ELEMENTS


WORDS = st.sampled_from(
    [
        *"{};:.#,>&()[]\"'\\<`=\n",
        *(
            "@media",
            "@keyframes",
            "/*",
            "*/",
            "<style>",
            "</style>",
            "<script>",
            "</script>",
            '<p class="',
            'id="',
            '">',
        ),
        *(
            "<label for=",
            '<input style="',
            "onclick=",
            "add",
            "menu",
            ".menu",
            "#menu",
            "colour",
            "margin",
            "10",
            "10px",
        ),
        *("10px", "{{", "${", "classList.add(", "'menu'"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, max_size=40).map(" ".join), st.text(max_size=60), st.lists(WORDS, max_size=20).map("".join))
def test_nothing_makes_it_fail(page: str, css: str, code: str) -> None:
    for first, second in ((page, css), (css, page)):
        files = {"index.html": LINK + '<script src="app.js"></script>' + first, "style.css": second, "app.js": code}
        for finding in style_pitfalls(parse_sources(files)):
            assert finding.line >= 1
            assert finding.text.endswith(" there")


_MENU = '<link rel="stylesheet" href="style.css"><nav id="menu" class="{}">A</nav><script src="app.js"></script>'


@pytest.mark.parametrize(
    ("classes", "css", "script", "said"),
    [
        (
            "closed",
            ".closed { display: none }",
            'const menu = document.getElementById("menu");\nmenu.classList.toggle("close");',
            'app.js:2 no rule has .close, the element has class="closed": write closed there',
        ),
        (
            "closed",
            ".closed { display: none }",
            'document.querySelector("#menu").classList.toggle("folded");',
            'app.js:1 no rule has .folded, the element has class="closed": write closed there',
        ),
        (
            "",
            ".active { color: red }",
            'const menu = document.getElementById("menu");\nmenu.classList.add("on");',
            "",
        ),
        # Another one is added or both are used: nobody knows.
        ("closed", ".closed { display: none }", 'document.getElementById("menu").classList.add("opened-up");', ""),
        ("", ".a-b { color: red } .c-d { color: red }", 'document.getElementById("menu").classList.add("on");', ""),
        (
            "",
            ".active { color: red }",
            'const menu = document.getElementById("menu");\nmenu.classList.add("on");\nif (menu.matches(".on")) go();',
            "",
        ),
    ],
)
def test_a_class_that_is_only_set_and_has_no_rule(classes: str, css: str, script: str, said: str) -> None:
    found = told({"index.html": _MENU.format(classes), "style.css": css, "app.js": script})
    assert found == ([said] if said else [])


@pytest.mark.parametrize(
    ("markup", "script", "said"),
    [
        ('<button onclick="clear()">', "function clear() {}", "clear"),
        ('<form><button onclick="return reset();"></button></form>', "const reset = () => 1;", "reset"),
        ('<button onclick="reset()">', "function reset() {}", ""),
        ('<button onclick="clear()">', "function wipe() {}", ""),
        ('<button onclick="clearAll()">', "function clearAll() {}", ""),
    ],
)
def test_a_handler_that_calls_a_method_of_the_browser(markup: str, script: str, said: str) -> None:
    found = told({"index.html": f"{markup}\n<script>{script}</script>"})
    name = "onclick"
    told_of = (
        f"index.html:1 {said}() is a method of the browser in {name} and not your function: write window.{said}( there"
    )
    assert found == ([told_of] if said else [])


@pytest.mark.parametrize(("inside", "wrong"), [("\ngo();\n", True), ("\n", False), ("", False), ("// none", False)])
def test_code_inside_a_tag_that_loads_a_file(inside: str, wrong: bool) -> None:
    files = {"index.html": f'<p>a</p>\n<script src="app.js">{inside}</script>', "app.js": "let a;"}
    line = 'index.html:2 what stands inside <script src="app.js"> is never run: put it into app.js'
    assert told(files) == ([line] if wrong else [])


@pytest.mark.parametrize(
    ("markup", "wrong"),
    [
        ("<main>\nheader {\n  color: #008000;\n}\n</main>", "header { color: #008000; }"),
        ("<main>\n.card, #a b { width: 3px }</main>", ".card, #a b { width: 3px }"),
        ("<style>p { color: red }</style><pre>p { color: red }</pre><!-- p { color: red } -->", ""),
        ("<script>\nconst a = { b: 1 };\n</script><p>Use { braces } or a: b.</p><p title='p { color: red }'>x</p>", ""),
        ("<p>Name {first: last, second: third}</p>", ""),
    ],
)
def test_a_rule_in_the_text_of_a_page(markup: str, wrong: str) -> None:
    found = told({"index.html": f"<h1>A</h1>\n{markup}"})
    line = 3 if "main" in markup else 2
    place = f"index.html:{line} {wrong} stands in the text of the page: take it out, rules belong into styles"
    assert found == ([place] if wrong else [])
