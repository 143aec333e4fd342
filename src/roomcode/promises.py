"""What a request names and wants, and what an answer claims: read from words, compared with files.

Pure functions on texts. Whatever is not sure counts as kept: a false alarm costs a small model a whole step.
"""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

__all__ = [
    "BEFORE_A_WISH",
    "Intent",
    "adds_only",
    "intent",
    "missing_buttons",
    "missing_texts",
    "named_files",
    "not_there",
    "placed_files",
    "planned_files",
    "replaced_texts",
    "sentence_with",
    "takes_away",
    "unkept_claims",
    "unkept_wishes",
    "wants_new_file",
]

Intent = Literal["change", "question", "unclear"]
"""What a request is after; `unclear` for other languages and for words nobody foresaw."""

_FILE_NAME = re.compile(r"(?<![\w/.@-])((?:[\w-]+/)*[\w-]+\.(?:html?|css|m?js|json|svg|md|txt))(?![\w/-]|\.\w)")
_UNWANTED = re.compile(
    r"\b(?:no|not|never|without|don['’]t|doesn['’]t|instead of|rather than|avoid|delete|remove|rename|rid of)\b"
    r"(?:[^.,;:!?()\n]|\.(?=\w))*$",
    re.IGNORECASE,
)
_PRODUCTS = re.compile(
    r"(?:alpine|angular|backbone|chart|d3|ember|express|jquery|moment|next|node|nuxt|p5|phaser|pixi|react|socket|svelte"
    r"|three|vue)\.js",
    re.IGNORECASE,
)

_VERBS = (
    "add|adjust|align|allow|append|apply|animate|build|calculate|center|centre|change|clean|clear|colou?r|combine|connect"
    "|convert|correct|create|decrease|delete|design|develop|disable|display|divide|double|draw|edit|enable|enlarge|exchange"
    "|extend|extract|fill|finish|fix|format|generate|give|group|halve|hide|highlight|implement|improve|include|increase"
    "|insert|integrate|keep|let|link|load|lower|make|mend|merge|modify|move|multiply|organi[sz]e|paint|place|polish|port"
    "|program|put|raise|rearrange|reduce|refactor|remove|rename|repair|replace|reset|resize|restructure|rewrite|round|save"
    "|set|shorten|show|shrink|simplify|solve|sort|split|start|stop|store|style|swap|switch|translate|triple|turn|undo"
    "|update|upgrade|use|validate|write"
)
BEFORE_A_WISH = (
    r"(?:^|[.!?;:,\n])\s*(?:[-*•]\s+|\d+[.)]\s+)?"
    r"|\b(?:and|then|please|now|also|just|(?:can|could|would|will) you|(?:want|like) you to|want to|need to"
    r"|let['’]s)\s+"
)
"""A pattern of what stands before the verb of something that is wanted."""
_WISH = re.compile(rf"(?:{BEFORE_A_WISH})(?:please\s+|now\s+|also\s+|then\s+|just\s+)*(?:{_VERBS})\b", re.IGNORECASE)
_ADDS = re.compile(
    rf"(?:{BEFORE_A_WISH})(?:add|append|insert|include|put|show|display|give|implement)\b", re.IGNORECASE
)
_TAKES_AWAY = re.compile(
    r"\b(?:change|replace|remove|delete|rename|move|swap|exchange|fix|repair|mend|correct|turn|convert|update|rewrite|edit"
    r"|modify|instead|rather than|split|extract|refactor|double|halve|reduce|simplify|shorten|no longer|wrong|bug)\b",
    re.IGNORECASE,
)
_NEED = re.compile(r"\b(?:should|must|has to|have to|needs? to|ought to|supposed to)\b", re.IGNORECASE)
_HANDS_OFF = re.compile(
    r"\b(?:(?:change|touch|edit|modify|write)\s+nothing(?!\s+else)|nothing\s+(?:is|should be|must be)\s+changed"
    r"|(?:do not|don['’]t|never|without)\s+(?:chang|touch|edit|modify|writ)\w*\s+(?:any\b|anything(?!\s+else)|a\s+file"
    r"|the\s+files?\b|files?\b|the\s+code\b|code\b|it\b|yet\b)|(?:only|just)\s+(?:tell|answer|explain|say|look|read)\b)",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"\?|^\s*(?:what|where|which|who|whose|when|why|how|is|are|does|do|did|can|could|tell|explain|describe|find|list"
    r"|look up|count|summari[sz]e|name|check|search|read)\b",
    re.IGNORECASE,
)

_SOMETHING_NEW = re.compile(
    r"\b(?:new|another|separate|own|second|extra|different)\s+(?:[\w.-]+\s+){0,2}"
    r"(?:file|page|script|style ?sheet|module|document|site|app|game)s?\b"
    r"|\b(?:make|create|build|write|design|develop|program)\s+(?:me\s+)?(?:an?|the|some|\w+)?\s*(?:[\w-]+\s+){0,3}"
    r"(?:page|site|website|app|application|game|file|clone)\b",
    re.IGNORECASE,
)
"""Words of a request that wants a file which is not there yet."""

_NAMED_BUTTONS = re.compile(r"\bbuttons?\s+((?:[\"“][^\"“”\n]+[\"”](?:\s*(?:,|and|or|&)\s*)*)+)", re.IGNORECASE)
_BUTTON = re.compile(
    r"<(?:button|summary)\b[^>]*>(?P<text>.*?)</(?:button|summary)>"
    r"|<(?P<input>input\b[^>]*\btype\s*=\s*[\"']?(?:button|submit|reset)\b[^>]*)>"
    r"|<(?P<role>\w+\b[^>]*\brole\s*=\s*[\"']?button\b[^>]*>[^<]*)",
    re.IGNORECASE | re.DOTALL,
)
_MAKES_BUTTONS = re.compile(
    r"createElement\(\s*[\"'`]button|[\"'`+}]\s*(?:<\w+[^>]*>\s*)*<button|<button[^>]*>\s*\$?\{", re.IGNORECASE
)
_KIND_OF_ID = re.compile(
    r"\b(?P<kind>text ?area|canvas|table|number field|text field|field|checkbox|drop-?down|image|link)\s+"
    r"(?:with|has|having|called|named)?\s*(?:the\s+)?id\s*=\s*[\"'“”]?(?P<id>[A-Za-z][\w-]*)",
    re.IGNORECASE,
)
_TYPING = re.compile(r"\b(?:types?|typing|typed|enters?|entering|entered)\b", re.IGNORECASE)
_LOCKED = re.compile(r"\bread-?only\b|\bdisabled?\b|\blocked\b|\bcannot be\b", re.IGNORECASE)
_FIELDS = ("input", "textarea", "select")
_KINDS = {
    "textarea": ("textarea",), "canvas": ("canvas",), "table": ("table",), "number field": ("input",),
    "text field": ("input", "textarea"), "field": _FIELDS, "checkbox": ("input",), "dropdown": ("select",),
    "image": ("img", "svg", "picture"), "link": ("a",),
}  # fmt: skip
"""What a request calls an element, and the tags that it may have."""

_ID = re.compile(
    r"\bid\s*=\s*[\"'“”]?(?P<given>[A-Za-z][\w-]*)"
    r"|\b(?:div|button|input|span|element|field|heading|list|table|canvas|textarea|paragraph|p|h[1-6]|form|section)\s+"
    r"(?:with\s+(?:the\s+)?)?id\s+[\"'“`]?(?P<named>(?!of\b|is\b|and\b|that\b|for\b|to\b|in\b|which\b|from\b)[A-Za-z][\w-]*)"
)
_QUOTED = re.compile(r"(?<!\w)[\"“]([^\"“”\n]*)[\"”]")
_LONGEST = 60
"""Characters of a text in quotes that is looked for; a longer one is an example, a message or code."""
_LONGEST_SENTENCE = 200
_MAKES_IDS = re.compile(r"\bid\s*=\s*[\"'`]?\s*(?:\$\{|[\"'`]\s*\+)|\.id\s*=\s*[^\"'`=\s]|[\"']id[\"']\s*,\s*[^\"'`\s]")
_COLOUR = re.compile(r"(?<![\w&])#(?:[0-9a-f]{6}|[0-9a-f]{3})(?![\w-])", re.IGNORECASE)
_COLOUR_NAMES = {
    "000000": "black", "ffffff": "white", "ff0000": "red", "00ff00": "lime", "0000ff": "blue", "008000": "green",
    "ffff00": "yellow", "00ffff": "cyan|aqua", "ff00ff": "magenta|fuchsia", "808080": "gr[ae]y", "c0c0c0": "silver",
    "800000": "maroon", "808000": "olive", "800080": "purple", "008080": "teal", "000080": "navy", "ffa500": "orange",
    "ffc0cb": "pink", "a52a2a": "brown", "ffd700": "gold",
}  # fmt: skip
_REPLACED = re.compile(r"\s*(?:to|with|by|into|→|->)\s*(?:the\s+)?(?:\w+\s+){0,2}[\"“]", re.IGNORECASE)

_CHANGES = re.compile(
    r"\b(?:change|update|modify|edit|adjust|extend|rewrite|fix)\s+(?:(?!\b(?:to|so|that|by|from|with|and)\b)[^.;,\n]){0,60}$",
    re.IGNORECASE,
)
_PAIR = r"[\"“](?P<%s>[^\"“”\n]{1,60})[\"”]"
_IN_USE = re.compile(
    r"\b(?:when|whenever|if|while|after|once|click(?:s|ing|ed)?|press(?:es|ing|ed)?|toggles?|possible|can|able|until)\b",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    rf"\b(?:show|write|say|use|put|read|be|have)\s+{_PAIR % 'new'}\s+instead\s+of\s+{_PAIR % 'old'}", re.IGNORECASE
)
_INTO = re.compile(
    r"\b(?:change|replace|rename|turn|swap|correct|update)\s+"
    r"(?:(?:the|every|each|all|word|text|label|title|heading|button)\s+){0,3}"
    rf"{_PAIR % 'old'}\s+(?:to|with|by|into)\s+{_PAIR % 'new'}",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"\b(?:on|in|at|inside)\s+(?:the|our|my|your)\s+([\w-]+)(?:['’]s)?\s+(?:page|folder|directory)\b", re.IGNORECASE
)
_ANOTHER_PLACE = re.compile(
    r"\b(?:when|if|while|like|as|same|from|nothing|not|no|never|without|links?|use|load|show|move|copy|open|read|files?"
    r"|pictures?|images?|logo)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words before such a place that speak of something else than where a change goes."""
_HEAD_CELL = re.compile(r"<th\b[^>]*>(.{0,200}?)</th", re.IGNORECASE | re.DOTALL)
_COUNTS = ("one", "two", "three", "four")
_DECIMALS = re.compile(rf"\b({'|'.join(_COUNTS)}|[1-6])\s+(?:decimals?(?:\s+(?:places?|digits?))?)\b", re.IGNORECASE)
_FIXED = re.compile(r"toFixed|FractionDigits|NumberFormat|toPrecision|currency|Math\.(?:round|floor|trunc)")
"""Ways to show a number with so many decimals."""
_PART = re.compile(
    r"\b(?P<kind>column|heading|row|entry|item|label|tab|menu item|option)\s+(?:called|named|with|that says|saying)?\s*"
    r"[\"“](?P<text>[^\"“”\n]{2,60})[\"”]",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w")
_NUMBER = re.compile(
    r"(?<![\w#.+-])(?!\d{4}-\d\d-\d\d(?!\d))(?=[\d+-]{8})\+?\d{2,}(?:-\d{2,})+(?![\w-]|\s*(?:to|with|by|into|→|->)\s)"
)
"""Long numbers in groups, like those of telephones, and no dates: those are shown in many ways."""

_DONE = re.compile(
    r"\b(?:added|changed|created|updated|edited|modified|fixed|removed|renamed|replaced|moved|wrote|written|implemented"
    r"|corrected|split|extracted|linked|made|put|set)\b",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\b(?:not|\w+n['’]t|no|never|nothing|should|could|can|would|will|if|needs?|must|without|already|unchanged)\b",
    re.IGNORECASE,
)


def intent(prompt: str) -> Intent:
    """Whether a request wants files changed, or only an answer."""
    if _HANDS_OFF.search(prompt):
        return "question"
    plain = _QUOTED.sub('"…"', prompt)
    if _WISH.search(plain) or (_NEED.search(plain) and not plain.rstrip().endswith("?")):
        return "change"
    return "question" if _QUESTION.search(plain) else "unclear"


def adds_only(prompt: str) -> bool:
    """Whether a request only adds, so that nothing that is there is to go."""
    plain = _QUOTED.sub('"…"', prompt)
    return _ADDS.search(plain) is not None and not takes_away(prompt)


def takes_away(prompt: str) -> bool:
    """Whether a request wants something that is there to go or to be different."""
    return _TAKES_AWAY.search(_QUOTED.sub('"…"', prompt)) is not None


def named_files(prompt: str) -> list[str]:
    """Files that a request wants to be there, in order, each once.

    A name behind a word like "without" or "delete" may not be wanted and is left out, and so are products that are
    called like files (`Vue.js`).
    """
    wanted = [
        match[1]
        for match in _FILE_NAME.finditer(prompt)
        if not _PRODUCTS.fullmatch(match[1]) and not _unwanted(prompt, match.start())
    ]
    return list(dict.fromkeys(wanted))


def replaced_texts(prompt: str) -> list[tuple[str, str]]:
    """(text that is there, text that is to be there) for each pair that a request names; nothing where it tells what
    happens while a page is used."""
    if _IN_USE.search(_QUOTED.sub('"…"', prompt)):
        return []
    found = [
        (match["old"], match["new"])
        for pattern in (_INSTEAD, _INTO)
        for match in pattern.finditer(prompt)
        if not _unwanted(prompt, match.start())
    ]
    return [pair for pair in dict.fromkeys(found) if pair[0].strip() and pair[1].strip()]


def placed_files(prompt: str, names: Iterable[str]) -> list[str]:
    """Files of the one place that a request wants to be changed ("on the admin page", "in the shop folder"): those of a
    folder of that name, or else the page called like it. Nothing where it speaks of several."""
    plain = _QUOTED.sub('"…"', prompt)
    words = dict.fromkeys(
        match[1].casefold()
        for match in _PLACED.finditer(plain)
        if not _ANOTHER_PLACE.search(re.split(r"[.!?;,\n]", plain[: match.start()])[-1])
        and not _pages_beside(plain, match)
    )
    found: list[list[str]] = []
    for word in words:
        inside = [name for name in names if word in name.casefold().split("/")[:-1]]
        alike = [name for name in names if name.casefold().rsplit("/", 1)[-1] in (f"{word}.html", f"{word}.htm")]
        if inside or alike:
            found.append(inside or alike)
    return found[0] if len(found) == 1 else []


def _pages_beside(plain: str, place: re.Match[str]) -> bool:
    """Whether the sentence of a place speaks of another page too."""
    start = max(plain.rfind(mark, 0, place.start()) for mark in ".!?\n") + 1
    sentence = re.split(r"[.!?\n]", plain[start:])[0]
    pages = {
        name.casefold() for name in re.findall(r"\b(?:the|our|my|your)\s+([\w-]+)\s+page\b", sentence, re.IGNORECASE)
    }
    return bool(pages - {place[1].casefold()})


def planned_files(plan: str) -> list[str]:
    """Files that a plan ("I'll change the script in app.js, then update index.html") wants to change, in order."""
    found = [match[1] for match in _FILE_NAME.finditer(plan) if _CHANGES.search(plan, 0, match.start())]
    return list(dict.fromkeys(found))


def wants_new_file(prompt: str, names: Iterable[str]) -> bool:
    """Whether a request names a file that is none of `names`, or speaks of a new one."""
    if any(not _unwanted(prompt, match.start()) for match in _SOMETHING_NEW.finditer(prompt)):
        return True
    return bool(not_there(prompt, frozenset(names)))


def unkept_wishes(prompt: str, texts: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """What a request names and the project does not hold: files, ids, texts in quotes. One line each.

    `texts` are the web files by name, `names` all files.
    """
    lines = [f"{name}, which the request names, does not exist" for name in not_there(prompt, frozenset(names))]
    whole = "\n".join(texts.values())
    if not whole:
        return lines
    buttons = missing_buttons(prompt, texts)
    lines += [f'there is no button "{name}"; use <button>' for name in buttons]
    lines += _wrong_kinds(prompt, whole) + _locked_fields(prompt, whole)
    lines += [f'nothing has id="{one}", which the request names' for one in _ids(prompt) if not _has_id(one, whole)]
    flat = _flat(whole)
    if (digits := _decimals(prompt)) and not _FIXED.search(whole):
        lines.append(f"nothing is shown with {digits} decimals; use toFixed({digits})")
    shown = _shown(texts)
    lines += [
        f'no {kind} says "{text}"'
        for kind, text in _parts(prompt)
        if (_flat(text) not in shown or (kind == "column" and not _heads_column(text, texts)))
        and not _is_gone(text, flat)
    ]
    lines += [
        f"the colour {colour}, which the request names, is nowhere"
        for colour in _colours(prompt)
        if not _has_colour(colour, flat)
    ]
    lines += [f"the number {one}, which the request names, is nowhere" for one in _numbers(prompt) if one not in whole]
    lines += [
        f'the text "{text}", which the request names, is nowhere'
        for text in _texts(prompt)
        if text not in buttons and _is_gone(text, flat)
    ]
    return lines


def missing_texts(prompt: str, texts: Mapping[str, str]) -> list[str]:
    """Of what a request names, the ids, colours and texts that no file holds, as they would stand in one."""
    whole = "\n".join(texts.values())
    flat = _flat(whole)
    found = [f'id="{one}"' for one in _ids(prompt) if not _has_id(one, whole)]
    found += [colour for colour in _colours(prompt) if not _has_colour(colour, flat)]
    found += [one for one in _numbers(prompt) if one not in whole]
    return found + [text for text in _texts(prompt) if _is_gone(text, flat)]


def unkept_claims(answer: str, changed: Sequence[str], names: Iterable[str]) -> list[str]:
    """What an answer says was done and was not: files that it names as changed. One line each."""
    known = frozenset(names)
    lines: list[str] = []
    for sentence in re.split(r"(?<=[.!?])\s+|\n", answer):
        if not _DONE.search(sentence) or _NOT_DONE.search(sentence):
            continue
        for match in _FILE_NAME.finditer(sentence):
            name = match[1]
            if any(path == name or path.endswith(f"/{name}") for path in changed):
                continue
            if name in known or any(path.endswith(f"/{name}") for path in known):
                lines.append(f"you say that {name} was changed, but it was not")
            elif not _PRODUCTS.fullmatch(name):
                lines.append(f"you say that {name} was made, but it does not exist")
    return list(dict.fromkeys(lines))


def not_there(prompt: str, names: frozenset[str]) -> list[str]:
    """Files that a request names and that are in no folder."""
    bases = {name.rsplit("/", 1)[-1] for name in names}
    return [name for name in named_files(prompt) if name not in names and name not in bases]


def sentence_with(prompt: str, word: str) -> str:
    """The sentence of a request that holds `word`; "" when none does or it is long."""
    for sentence in re.split(r"(?<=[.!?])\s+|\n", prompt):
        if word in sentence:
            return sentence.strip() if len(sentence) <= _LONGEST_SENTENCE else ""
    return ""


def _unwanted(prompt: str, start: int) -> bool:
    return _UNWANTED.search(prompt, max(0, start - 80), start) is not None


def missing_buttons(prompt: str, texts: Mapping[str, str]) -> list[str]:
    """Buttons that a request names and that are something else, or nothing. Where a script makes buttons it is not
    known which."""
    pages = "\n".join(text for name, text in texts.items() if name.lower().endswith((".html", ".htm")))
    if not pages or any(_MAKES_BUTTONS.search(text) for text in texts.values()):
        return []
    there = [
        _flat(re.sub(r"<[^>]*>", " ", match["text"] or match["input"] or match["role"]))
        for match in _BUTTON.finditer(pages)
    ]
    there += [_flat(match[0]) for match in _BUTTON.finditer(pages)]
    wanted = [
        quoted[1]
        for match in _NAMED_BUTTONS.finditer(prompt)
        if not _unwanted(prompt, match.start())
        for quoted in _QUOTED.finditer(match[1])
    ]
    return [
        name
        for name in dict.fromkeys(wanted)
        if re.search(r"\w", name) and not any(_flat(name) in one for one in there)
    ]


def _wrong_kinds(prompt: str, text: str) -> list[str]:
    """Elements that a request calls a field, a table and so on, and that are something else."""
    lines: list[str] = []
    for match in _KIND_OF_ID.finditer(prompt):
        kind = match["kind"].lower().replace("-", "")
        tags = _KINDS.get(kind) or _KINDS.get(kind.replace(" ", ""))
        found = re.findall(rf"<(\w+)\b[^<>]*\bid\s*=\s*[\"']?{re.escape(match['id'])}[\"'\s>/]", text)
        if tags and found and not any(tag.lower() in tags for tag in found):
            lines.append(f'id="{match["id"]}" is on <{found[0]}>; the request wants a {match["kind"]} (<{tags[0]}>)')
    return lines


def _locked_fields(prompt: str, text: str) -> list[str]:
    """Fields that a request wants somebody to type into, and that do not let anybody."""
    if not _TYPING.search(prompt) or _LOCKED.search(prompt):
        return []
    fields = [match["id"] for match in _KIND_OF_ID.finditer(prompt) if "field" in match["kind"].lower()]
    return [
        f'nobody can type into id="{name}": take {found[1]} away and give it an input handler'
        for name in fields
        if (
            found := re.search(
                rf"<input\b(?=[^<>]*\bid\s*=\s*[\"']?{re.escape(name)}[\"'\s>/])[^<>]*\s(readonly|disabled)\b", text
            )
        )
    ]


def _ids(prompt: str) -> list[str]:
    found = [match["given"] or match["named"] for match in _ID.finditer(prompt) if not _unwanted(prompt, match.start())]
    return list(dict.fromkeys(found))


def _has_id(name: str, text: str) -> bool:
    if _MAKES_IDS.search(text):
        return True
    one = re.escape(name)
    return re.search(rf"\bid\s*=\s*\\?[\"'`]?{one}(?![\w-])|[\"']id[\"']\s*[,:]\s*[\"'`]{one}[\"'`]", text) is not None


def _colours(prompt: str) -> list[str]:
    found = [match[0] for match in _COLOUR.finditer(prompt) if not _unwanted(prompt, match.start())]
    return list(dict.fromkeys(found))


def _has_colour(colour: str, flat: str) -> bool:
    """Whether a colour stands there in any of the ways to write it."""
    digits = colour[1:].lower()
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue = (int(digits[at : at + 2], 16) for at in (0, 2, 4))
    ways = [f"#{digits}", rf"rgba?\(\s*{red}[,\s]+{green}[,\s]+{blue}\b"]
    if digits[0::2] == digits[1::2]:
        ways.append(f"#{digits[0::2]}(?![0-9a-f])")
    if name := _COLOUR_NAMES.get(digits):
        ways.append(rf"\b(?:{name})\b")
    return re.search("|".join(ways), flat) is not None


def _texts(prompt: str) -> list[str]:
    """Texts in quotes that the result is to hold. What is to be replaced by another one is not wanted."""
    found = [
        match[1]
        for match in _QUOTED.finditer(prompt)
        if 2 <= len(match[1]) <= _LONGEST
        and not _FILE_NAME.fullmatch(match[1])
        and not prompt[: match.start()].rstrip().endswith("=")
        and not _unwanted(prompt, match.start())
        and not _REPLACED.match(prompt, match.end())
    ]
    return list(dict.fromkeys(found))


def _parts(prompt: str) -> list[tuple[str, str]]:
    """(kind, text) of parts of a page that a request names by what they say."""
    found = [
        (match["kind"].lower(), match["text"])
        for match in _PART.finditer(prompt)
        if not _unwanted(prompt, match.start())
        and not _REPLACED.match(prompt, match.end())
        and _WORD.search(match["text"])
    ]
    return list(dict.fromkeys(found))


def _shown(texts: Mapping[str, str]) -> str:
    """What pages say between their tags, and everything of other files."""
    return _flat(
        "\n".join(
            re.sub(r"<[^<>]*>", " ", text) if name.lower().endswith((".html", ".htm")) else text
            for name, text in texts.items()
        )
    )


def _heads_column(text: str, texts: Mapping[str, str]) -> bool:
    """Whether a heading of a table says it, or a script may write one. Where no page has headings nobody knows."""
    heads = [
        _flat(re.sub(r"<[^<>]*>", " ", head))
        for name, page in texts.items()
        if name.lower().endswith((".html", ".htm"))
        for head in _HEAD_CELL.findall(page)
    ]
    written = re.compile(rf"[\"'`>]\s*{re.escape(text)}\s*[\"'`<]")
    code = [one for name, one in texts.items() if not name.lower().endswith((".html", ".htm"))]
    return not heads or any(_flat(text) in head for head in heads) or any(written.search(one) for one in code)


def _decimals(prompt: str) -> int:
    """How many decimals a request wants its numbers to have; 0 when it says nothing of that."""
    match = _DECIMALS.search(prompt)
    if match is None or _unwanted(prompt, match.start()):
        return 0
    count = match[1].lower()
    return int(count) if count.isdigit() else _COUNTS.index(count) + 1


def _numbers(prompt: str) -> list[str]:
    """Numbers of a change that the result is to hold."""
    if intent(prompt) != "change":
        return []
    found = [match[0] for match in _NUMBER.finditer(prompt) if not _unwanted(prompt, match.start())]
    return list(dict.fromkeys(found))


def _is_gone(text: str, flat: str) -> bool:
    """Whether neither the text nor all of its words stand in `flat`; what has no word in it is not looked for."""
    wanted = _flat(text)
    words = re.findall(r"\w+", wanted)
    if not words or wanted in flat:
        return False
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", flat) is None for word in words)


def _flat(text: str) -> str:
    return " ".join(html.unescape(text).replace("\\n", " ").casefold().split())
