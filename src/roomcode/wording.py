"""What a request says: what it is after, and the files, ids, texts, colours and buttons that it names.

Pure functions on words. A name that may not be wanted ("without …", "instead of …") is left out.
"""

import re
from collections.abc import Iterable
from typing import Literal

__all__ = [
    "BEFORE_A_WISH",
    "FILE_NAME",
    "PRODUCTS",
    "Intent",
    "adds_only",
    "answer_lead",
    "intent",
    "named_buttons",
    "named_colours",
    "named_decimals",
    "named_files",
    "named_ids",
    "named_numbers",
    "named_parts",
    "named_texts",
    "not_there",
    "pages_spoken_of",
    "placed_files",
    "planned_files",
    "replaced_texts",
    "sentence_with",
    "speaks_of_looks",
    "takes_away",
    "wants_library",
    "wants_new_file",
]

Intent = Literal["change", "question", "unclear"]
"""What a request is after; `unclear` for other languages and for words nobody foresaw."""
FILE_NAME = re.compile(r"(?<![\w/.@-])((?:[\w-]+/)*[\w-]+\.(?:html?|css|m?js|json|svg|md|txt))(?![\w/-]|\.\w)")
"""A name of a file of a web project, in a text."""
_UNWANTED = re.compile(
    r"\b(?:no|not|never|without|don['’]t|doesn['’]t|instead of|rather than|avoid|delete|remove|rename|rid of)\b"
    r"(?:[^.,;:!?()\n]|\.(?=\w))*$",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"\s*(?:please\s+)?(?:tell\s+me\s+)?how\s+many\b(?:[^?!.;]|\.(?=\w)){0,80}\bare\b", re.IGNORECASE
)
_LIBRARY = re.compile(
    r"https?:|\b(?:CDN|librar(?:y|ies)|frameworks?|jQuery|Bootstrap|Tailwind|Vue|React|Angular|Svelte|Alpine|Leaflet|D3"
    r"|GSAP|Lodash|Phaser|p5|Google Maps|Font ?Awesome)\b",
    re.IGNORECASE,
)
PRODUCTS = re.compile(
    r"(?:alpine|angular|backbone|chart|d3|ember|express|jquery|moment|next|node|nuxt|p5|phaser|pixi|react|socket|svelte"
    r"|three|vue)\.js",
    re.IGNORECASE,
)
"""Libraries that are called like files."""
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
_NEED = re.compile(
    r"\b(?:should|must|has to|have to|needs? to|ought to|supposed to|shall|is meant to|are meant to)\b"
    r"|\b(?:I|we)(?:['’]d)?\s+(?:need|want|would\s+like|like\s+to\s+have)\s+(?:an?|some|the|my|our|\w+\s+(?:page|site|app|game))\b",
    re.IGNORECASE,
)
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
_LIKE = re.compile(
    r"\b(?:like|such\s+as|e\.g\.|for\s+(?:example|instance)|something\s+like|as\s+in)[,:]?\s*(?:\(?\s*)?$",
    re.IGNORECASE,
)
_MESSAGE = re.compile(r"\b(?:console|devtools)\b[^.!?\n]{0,40}$", re.IGNORECASE)
_CONSOLE = re.compile(r"[\"“]?(?:Uncaught|Cannot|Failed to|Unexpected|Invalid|[A-Z]\w*Error\b)")
_SOMETHING_NEW = re.compile(
    r"\b(?:new|another|separate|own|second|extra|different)\s+(?:[\w.-]+\s+){0,2}"
    r"(?:file|page|script|style ?sheet|module|document|site|app|game)s?\b"
    r"|\b(?:make|create|build|write|design|develop|program)\s+(?:me\s+)?(?:an?|the|some|\w+)?\s*(?:[\w-]+\s+){0,3}"
    r"(?:page|site|website|app|application|game|file|clone)\b",
    re.IGNORECASE,
)
"""Words of a request that wants a file which is not there yet."""
_NAMED_BUTTONS = re.compile(r"\bbuttons?\s+((?:[\"“][^\"“”\n]+[\"”](?:\s*(?:,|and|or|&)\s*)*)+)", re.IGNORECASE)
_ID = re.compile(
    r"\bid\s*=\s*[\"'“”]?(?P<given>[A-Za-z][\w-]*)"
    r"|\b(?:div|button|input|span|element|field|heading|list|table|canvas|textarea|paragraph|p|h[1-6]|form|section)\s+"
    r"(?:with\s+(?:the\s+)?)?id\s+[\"'“`]?(?P<named>(?!of\b|is\b|and\b|that\b|for\b|to\b|in\b|which\b|from\b)[A-Za-z][\w-]*)"
)
_QUOTED = re.compile(r"(?<!\w)[\"“]([^\"“”\n]*)[\"”]")
_LONGEST = 60
"""Characters of a text in quotes that is looked for; a longer one is an example, a message or code."""
_LONGEST_SENTENCE = 200
_COLOUR = re.compile(r"(?<![\w&])#(?:[0-9a-f]{6}|[0-9a-f]{3})(?![\w-])", re.IGNORECASE)
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
_PAGE_NAME = r"(?:[\w-]+/)*[\w-]+\.html?"
_PAGE_SUBJECT = re.compile(
    rf"(?<![\w/.-])(?:(?P<subject>{_PAGE_NAME})\s+(?:still\s+|always\s+|now\s+)?"
    r"(?:asks?|shows?|says?|displays?|has|does|do|is|looks?|breaks?|fails?|stays?|lists?|counts?)\b"
    rf"|(?:on|in)\s+(?P<place>{_PAGE_NAME})(?![\w/-]))",
    re.IGNORECASE,
)
_ANOTHER_PLACE = re.compile(
    r"\b(?:when|if|while|like|as|same|from|nothing|not|no|never|without|links?|use|load|show|move|copy|open|read|files?"
    r"|pictures?|images?|logo)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words before such a place that speak of something else than where a change goes."""
_COUNTS = ("one", "two", "three", "four")
_DECIMALS = re.compile(rf"\b({'|'.join(_COUNTS)}|[1-6])\s+(?:decimals?(?:\s+(?:places?|digits?))?)\b", re.IGNORECASE)
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


_LOOKS = re.compile(
    r"\b(?:colou?r(?:s|ed|ful)?|styles?|styled|styling|css|backgrounds?|highlight(?:s|ed)?|red|green|blue|gr[ea]y|yellow|orange"
    r"|black|white|dark|light|bold|italic|fonts?|looks?|layout|border(?:s|ed)?|round(?:ed)?|margins?|padding|spac(?:e|es|ing)"
    r"|wide|wider|width|narrow(?:er)?|high|height|big|bigger|small(?:er)?|large|larger|cent(?:er|re)(?:ed|d)?|align(?:ed)?|left"
    r"|right|beside|below|under|hidden|hide|visible|design|theme|screens?|mobile|phones?|px|pixels?|animat\w+|hover)\b"
    r"|#[0-9a-f]{3,6}\b",
    re.IGNORECASE,
)


def speaks_of_looks(prompt: str) -> bool:
    """Whether a request may be about how things look."""
    return _LOOKS.search(_QUOTED.sub('"…"', prompt)) is not None


def intent(prompt: str) -> Intent:
    """Whether a request wants files changed, or only an answer."""
    if any(not _about_a_file(prompt, match) for match in _HANDS_OFF.finditer(prompt)):
        return "question"
    plain = re.sub(r"\n\s+", "\n", _QUOTED.sub('"…"', prompt))
    if _WISH.search(plain) or (_NEED.search(plain) and not plain.rstrip().endswith("?")):
        return "change"
    return "question" if _QUESTION.search(plain) else "unclear"


def _about_a_file(prompt: str, order: re.Match[str]) -> bool:
    """Whether "do not touch it" means the file that the sentence speaks of."""
    sentence = re.split(r"(?<=[.!?;])\s|\n", prompt[: order.start()])[-1]
    return order[0].lower().endswith(" it") and FILE_NAME.search(sentence) is not None


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
        for match in FILE_NAME.finditer(prompt)
        if not PRODUCTS.fullmatch(match[1]) and not _unwanted(prompt, match.start())
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


def pages_spoken_of(prompt: str) -> list[str]:
    """Pages that do something in a request, or in which something is, by name ("loans.html asks 16.00")."""
    plain = _QUOTED.sub('"…"', prompt)
    found = [match["subject"] or match["place"] for match in _PAGE_SUBJECT.finditer(plain)]
    return list(dict.fromkeys(found))


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
    found = [match[1] for match in FILE_NAME.finditer(plan) if _CHANGES.search(plan, 0, match.start())]
    return list(dict.fromkeys(found))


def wants_new_file(prompt: str, names: Iterable[str]) -> bool:
    """Whether a request names a file that is none of `names`, or speaks of a new one."""
    if any(not _unwanted(prompt, match.start()) for match in _SOMETHING_NEW.finditer(prompt)):
        return True
    return bool(not_there(prompt, frozenset(names)))


def not_there(prompt: str, names: frozenset[str]) -> list[str]:
    """Files that a request names and that are in no folder."""
    bases = {name.rsplit("/", 1)[-1] for name in names}
    return [name for name in named_files(prompt) if name not in names and name not in bases]


def named_buttons(prompt: str) -> list[str]:
    """What the buttons say that a request names."""
    found = [
        quoted[1]
        for match in _NAMED_BUTTONS.finditer(prompt)
        if not _unwanted(prompt, match.start())
        for quoted in _QUOTED.finditer(match[1])
    ]
    return [name for name in dict.fromkeys(found) if _WORD.search(name)]


def named_ids(prompt: str) -> list[str]:
    """Ids that a request wants, in order, each once."""
    found = [match["given"] or match["named"] for match in _ID.finditer(prompt) if not _unwanted(prompt, match.start())]
    return list(dict.fromkeys(found))


def named_colours(prompt: str) -> list[str]:
    """Colours in hex digits that a request wants."""
    found = [
        match[0]
        for match in _COLOUR.finditer(prompt)
        if not _unwanted(prompt, match.start()) and not _example(prompt, match.start(), match.end())
    ]
    return list(dict.fromkeys(found))


def named_texts(prompt: str) -> list[str]:
    """Texts in quotes that the result is to hold. What is to be replaced by another one is not wanted."""
    found = [
        match[1]
        for match in _QUOTED.finditer(prompt)
        if 2 <= len(match[1]) <= _LONGEST
        and not _example(prompt, match.start(), match.end())
        and not FILE_NAME.fullmatch(match[1])
        and not prompt[: match.start()].rstrip().endswith("=")
        and not _unwanted(prompt, match.start())
        and not _REPLACED.match(prompt, match.end())
    ]
    return list(dict.fromkeys(found))


def named_parts(prompt: str) -> list[tuple[str, str]]:
    """(kind, text) of parts of a page that a request names by what they say."""
    found = [
        (match["kind"].lower(), match["text"])
        for match in _PART.finditer(prompt)
        if not _unwanted(prompt, match.start())
        and not _REPLACED.match(prompt, match.end())
        and _WORD.search(match["text"])
    ]
    return list(dict.fromkeys(found))


def named_decimals(prompt: str) -> int:
    """How many decimals a request wants its numbers to have; 0 when it says nothing of that."""
    match = _DECIMALS.search(prompt)
    if match is None or _unwanted(prompt, match.start()):
        return 0
    count = match[1].lower()
    return int(count) if count.isdigit() else _COUNTS.index(count) + 1


def named_numbers(prompt: str) -> list[str]:
    """Numbers of a change that the result is to hold."""
    if intent(prompt) != "change":
        return []
    found = [match[0] for match in _NUMBER.finditer(prompt) if not _unwanted(prompt, match.start())]
    return list(dict.fromkeys(found))


def answer_lead(prompt: str) -> str:
    """How an answer begins that can be nothing but a count; "" where it may be anything."""
    return "There are" if _HOW_MANY.match(prompt) and intent(prompt) == "question" else ""


def wants_library(prompt: str) -> bool:
    """Whether a request names a library or an address, so that a page may load something from elsewhere."""
    return _LIBRARY.search(prompt) is not None or PRODUCTS.search(prompt) is not None


def sentence_with(prompt: str, word: str) -> str:
    """The sentence of a request that holds `word`; "" when none does or it is long."""
    for sentence in re.split(r"(?<=[.!?])\s+|\n", prompt):
        if word in sentence:
            return sentence.strip() if len(sentence) <= _LONGEST_SENTENCE else ""
    return ""


def _unwanted(prompt: str, start: int) -> bool:
    return _UNWANTED.search(prompt, max(0, start - 80), start) is not None


def _example(prompt: str, start: int, end: int) -> bool:
    """Whether it is only an instance of what is wanted, or what a browser says."""
    return _LIKE.search(prompt, max(0, start - 40), start) is not None or (
        _MESSAGE.search(prompt, max(0, start - 80), start) is not None or _CONSOLE.match(prompt, start, end) is not None
    )
