"""What a page has to do and no code of it does: keys it should react to, what should happen each second, what is stored
and never read. Pure functions on texts; where code may do it in some other way nothing is said.
"""

import re
from collections.abc import Mapping

__all__ = ["missing_behaviour", "missing_elements"]

_ELEMENT = re.compile(
    r"<(?P<tag>[a-z][a-z0-9]*)>|\b(?P<heading>h[1-6])\b|\((?P<bare>li|ul|ol|table|canvas|dialog|section|article|nav|footer)\)"
)
_NOT_WANTED = re.compile(r"\b(?:no|not|never|without|instead of|rather than|avoid|remove)\b[^.;]*$", re.IGNORECASE)

_KEY = re.compile(
    r"\b(?P<one>escape|esc|enter|return|arrow|space)[\s-]*(?:bar|(?:up|down|left|right)\s+)?\s*keys?\b"
    r"|\b(?:press(?:ing|es|ed)?|hit(?:ting|s)?)\s+(?:the\s+)?(?P<two>escape|esc|enter)\b",
    re.IGNORECASE,
)
_KEYS: Mapping[str, tuple[str, str, str]] = {
    # What code may say for it, and what the browser does by itself.
    "Escape": ("Escape", r"[\"'`]Esc(?:ape)?[\"'`]|\bEsc(?:ape)?\s*:|\b27\b", r"<dialog\b|\bpopover\b"),
    "Enter": ("Enter", r"[\"'`]Enter[\"'`]|\bEnter\s*:|\b13\b", r"<form\b|createElement\(\s*[\"'`]form"),
    "arrow": ("Arrow", r"Arrow|\b3[789]\b|\b40\b", r"<input\b[^<>]*type\s*=\s*[\"']?(?:range|number|radio)|<select\b"),
    "space": ("Space", r"[\"'`] [\"'`]|Space|\b32\b", r"<button\b"),
}
_SAME = {"esc": "Escape", "return": "Enter"}
_ANY_KEY = re.compile(r"\.(?:key|code|keyCode|which)\s*\]|\bswitch\s*\(\s*\w+\.(?:key|code)")
"""Code that looks keys up in a table."""
_EACH_SECOND = re.compile(
    r"\b(?:each|every)\s+second\b(?=\s*(?:[.,;:!?)]|$|(?:and|while|until|by|from|to|till|it|the)\b))",
    re.IGNORECASE | re.MULTILINE,
)
_TIMER = re.compile(r"setInterval|setTimeout|requestAnimationFrame|@keyframes|http-equiv")
_STORED = re.compile(r"\b(local|session)Storage\.setItem\(\s*([\"'`])([^\"'`$\n]+)\2")
_FETCHED = re.compile(r"\b(local|session)Storage\.getItem\(\s*([\"'`])([^\"'`$\n]+)\2")
_WRITTEN = r"%sStorage\.setItem\(\s*[\"'`]%s[\"'`]"
_FORM = re.compile(r"<form\b((?:(?!novalidate)[^<>])*)>(.{0,4000}?)</form\s*>", re.IGNORECASE | re.DOTALL)
_CHECKED_FIELD = re.compile(
    r"<(?:input|textarea|select)\b[^<>]*(?:\s(?:required|minlength|pattern)\b|type\s*=\s*[\"']?(?:email|url)\b)",
    re.IGNORECASE,
)
_SUBMIT = re.compile(r"[\"'`]submit[\"'`]|\bonsubmit\b|type\s*=\s*[\"']?submit", re.IGNORECASE)
_WRONG_INPUT = re.compile(r"\b(?:wrong|invalid|not valid|missing|empty|too short|errors?)\b", re.IGNORECASE)
_TELLS = re.compile(r"\b(?:messages?|says?|shows?|tells?|displays?)\b", re.IGNORECASE)
_BROWSERS_OWN = re.compile(r"\b(?:browser|native|built-in|HTML5|required attribute|novalidate)\b", re.IGNORECASE)
_STARTS = re.compile(r"\b[Bb]utton\s+(?:called\s+|named\s+)?[\"'“](Start|Play|Begin|Go)[\"'”]")
_SCRIPT = re.compile(r"<script\b(?![^>]*\bsrc\b)[^>]*>(.*?)</script", re.IGNORECASE | re.DOTALL)
_NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.DOTALL)
_AN_ID = re.compile(r"\bid\s*=\s*[\"'“]([A-Za-z][\w-]*)[\"'”]")
_ANY_ELEMENT = re.compile(r"getElementById\(\s*[^\"'`\s]|querySelector(?:All)?\(\s*(?:`|[^\"'`\s])|\.children\[")
_SHOWN = re.compile(r"\b(?:shows?|displays?|can\s+be\s+(?:read|seen))\b", re.IGNORECASE)
_COMPUTED = re.compile(
    r"\b(?:(?:present|current)\s+value|total|average|sum|count|how\s+many|how\s+much|result|score|so\s+far|remaining|difference|number\s+of)\b",
    re.IGNORECASE,
)
_READ = r"%sStorage\.getItem\(\s*[\"'`]%s[\"'`]"
_READ_SOMEHOW = re.compile(
    r"Storage\.getItem\(\s*[^\"'`\s]|Storage\.key\(|Storage\[|Object\.\w+\(\s*(?:local|session)Storage"
)
_BARE_READ = re.compile(r"^\s*(?:window\.)?(?:local|session)Storage\.getItem\([^()\n]*\);?\s*$", re.MULTILINE)
"""What reads and does nothing with it."""
_FIELD = re.compile(
    r"document\.(?:getElementById\(\s*[\"'`]|querySelector\(\s*[\"'`]#)([\w-]+)[\"'`]\s*\)\.value(?:\.trim\(\))?"
)
_ALIAS = re.compile(r"=\s*(?:window\.)?(?:local|session)Storage\b(?!\s*[.\[])|(?<!Storage)\.getItem\(")
"""Storage that goes by another name."""
_NO_BEHAVIOUR = re.compile(
    r"\b(?:no|not|never|without|remove|replace|drop|stop|instead|says?|icon|draw|describe|image|picture)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words of a sentence that speaks of something else than what the page does."""
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|(?<!\w)'[^'\n]*'(?!\w)")
_NAMES_STORAGE = re.compile(r"\b(local|session)Storage\b")


def missing_behaviour(prompt: str, texts: Mapping[str, str]) -> list[str]:
    """One line for each thing that is missing. `texts` are the web files of a project by name."""
    if not any(name.lower().endswith((".html", ".htm")) for name in texts):
        return []
    whole = "\n".join(texts.values())
    sentences = re.split(r"(?<=[.!?])\s+|\n", _QUOTED.sub('"…"', prompt))
    plain = "\n".join(one for one in sentences if not _NO_BEHAVIOUR.search(one))
    return [
        *_keys(plain, whole),
        *_seconds(plain, whole),
        *_storage(plain, texts),
        *_messages(prompt, texts),
        *_too_soon(prompt, texts),
        *_results(prompt, texts),
    ]


def missing_elements(prompt: str, texts: Mapping[str, str]) -> list[str]:
    """Elements that a request for a new page calls by their tag (`h2`, `<li>`) and that nothing makes."""
    whole = "\n".join(texts.values())
    named = {
        match["tag"] or match["heading"] or match["bare"]: None
        for match in _ELEMENT.finditer(prompt)
        if not _NOT_WANTED.search(prompt, 0, match.start())
    }
    return [
        f"there is no <{tag}>, which the request names"
        for tag in named
        if not re.search(rf"<{tag}\b|[\"'`]{tag}[\"'`]", whole, re.IGNORECASE)
    ]


def _results(prompt: str, texts: Mapping[str, str]) -> list[str]:
    """Elements that are to show something computed, and that no script speaks of."""
    scripts = {name: text for name, text in texts.items() if name.endswith((".js", ".mjs"))}
    code = "\n".join([*scripts.values(), *(part for text in texts.values() for part in _SCRIPT.findall(text))])
    lines: list[str] = []
    if _ANY_ELEMENT.search(code):
        return lines
    for sentence in re.split(r"(?<=[.!?])\s|\n", prompt):
        plain = _AN_ID.sub("", sentence)
        if not code.strip() or not _SHOWN.search(plain) or not _COMPUTED.search(plain) or re.search(r"[\"“\d]", plain):
            continue
        for match in _AN_ID.finditer(sentence):
            if not re.search(rf"[\"'`#]{re.escape(match[1])}(?![\w-])|\b{re.escape(match[1])}\.\w", code):
                where = f" in {next(iter(scripts))}" if len(scripts) == 1 else ""
                lines.append(f"no script writes into #{match[1]}: set the textContent of #{match[1]}{where}")
    return lines


def _keys(prompt: str, whole: str) -> list[str]:
    named = {(match["one"] or match["two"]).lower() for match in _KEY.finditer(prompt)}
    names = dict.fromkeys(_SAME.get(name, name.capitalize() if name in ("escape", "enter") else name) for name in named)
    lines: list[str] = []
    for name in sorted(names):
        value, said, native = _KEYS[name]
        if not re.search(said, whole) and not re.search(native, whole, re.IGNORECASE) and not _ANY_KEY.search(whole):
            lines.append(f"nothing reacts to the {name} key; add a keydown listener that looks for event.key {value}")
    return lines


def _seconds(prompt: str, whole: str) -> list[str]:
    if _EACH_SECOND.search(prompt) and not _TIMER.search(whole):
        return ["nothing happens each second; use setInterval(..., 1000)"]
    return []


def _storage(prompt: str, texts: Mapping[str, str]) -> list[str]:
    whole = "\n".join(texts.values())
    lines = [
        f"the request wants {match[0]}, but nothing uses it"
        for match in _NAMES_STORAGE.finditer(prompt)
        if match[0] not in whole
    ]
    if _READ_SOMEHOW.search(whole) or _ALIAS.search(whole):
        return list(dict.fromkeys(lines))
    for name, text in texts.items():
        read = _BARE_READ.sub("", whole)
        lines += [
            f'nothing reads {match[1]}Storage "{match[3]}" back; '
            f"{_put_back(text, match)} at the start of the script in {name}"
            for match in _STORED.finditer(text)
            if not _done(_READ, match, read)
        ]
        lines += [
            f'nothing stores {match[1]}Storage "{match[3]}"; '
            f'call {match[1]}Storage.setItem("{match[3]}", ...) when it changes'
            for match in _FETCHED.finditer(text)
            if not _done(_WRITTEN, match, whole)
        ]
    return list(dict.fromkeys(lines))


def _put_back(text: str, stored: re.Match[str]) -> str:
    """What to write so that what was stored comes back: the whole statement where it goes into one field."""
    call = f'{stored[1]}Storage.getItem("{stored[3]}")'
    value = re.match(r"\s*,\s*([^;\n]+?)\s*\)\s*(?:[;}\n]|$)", text[stored.end() :])
    field = value[1] if value else ""
    if re.fullmatch(r"[\w$]+", field):
        made = re.findall(rf"(?:const|let|var)\s+{re.escape(field)}\s*=\s*([^;\n]+)", text)
        field = made[0].strip() if len(made) == 1 else ""
    if owner := re.fullmatch(r"([\w$]+)\.value", field):
        made = re.findall(rf"(?:const|let|var)\s+{re.escape(owner[1])}\s*=\s*([^;\n]+)", text)
        field = f"{made[0].strip()}.value" if len(made) == 1 else ""
    found = _FIELD.fullmatch(field)
    return f'write document.getElementById("{found[1]}").value = {call} || "";' if found else f"call {call}"


def _done(pattern: str, match: re.Match[str], whole: str) -> bool:
    """Whether some code does this with the storage and key of `match`, by a call or as a property."""
    call = pattern % (match[1], re.escape(match[3]))
    return re.search(rf"{call}|{match[1]}Storage\.{re.escape(match[3])}\b", whole) is not None


def _too_soon(prompt: str, texts: Mapping[str, str]) -> list[str]:
    """Timers that run from the start where a button is to start them."""
    button = _STARTS.search(prompt)
    if button is None:
        return []
    lines: list[str] = []
    for name, text in texts.items():
        page = name.lower().endswith((".html", ".htm"))
        parts = [(part.start(1), part[1]) for part in _SCRIPT.finditer(text)] if page else [(0, text)]
        for offset, code in parts if page or name.lower().endswith((".js", ".mjs")) else ():
            for at in _at_top(code, "setInterval("):
                line = text.count("\n", 0, offset + at) + 1
                lines.append(
                    f"{name}:{line} setInterval runs as soon as the page is loaded; call it in the function of the "
                    f'button "{button[1]}"'
                )
    return lines


def _at_top(code: str, wanted: str) -> list[int]:
    """Where `wanted` stands outside of every function, block and bracket of a script."""
    plain = _NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), code)
    found: list[int] = []
    depth, statement = 0, 0
    for match in re.finditer(rf"[{{}}();]|=>|{re.escape(wanted)}", plain):
        token = match[0]
        if token == wanted:
            if not depth and "=>" not in plain[statement : match.start()]:
                found.append(match.start())
            depth += 1  # its bracket
        elif token in "{(":
            depth += 1
        elif token in "})":
            depth = max(0, depth - 1)
        if not depth and token in ";}":
            statement = match.end()
    return found


def _messages(prompt: str, texts: Mapping[str, str]) -> list[str]:
    """Forms whose own check by the browser comes before the messages that the request wants."""
    if not _WRONG_INPUT.search(prompt) or not _TELLS.search(prompt) or _BROWSERS_OWN.search(prompt):
        return []
    if not any(_SUBMIT.search(text) for text in texts.values()):
        return []
    return [
        f"{name}:{text.count(chr(10), 0, form.start()) + 1} the browser's own check of the form comes before yours, so "
        "your messages are not seen: write novalidate into <form>"
        for name, text in texts.items()
        if name.lower().endswith((".html", ".htm"))
        for form in _FORM.finditer(text)
        if _CHECKED_FIELD.search(form[2])
    ]
