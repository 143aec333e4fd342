"""What a request says that a page shows at first and after a click on a button, in a form that a browser can check.

Pure functions on words. Only plain sentences are read: 'id="count" shows 0', 'a button "+" adds one', 'the box is
hidden at first'. Whatever may mean something else is left out, since a small model changes whatever it is told about.
"""

import re
from collections.abc import Iterator

from roomcode.preview import Expectation

__all__ = ["expectations"]

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_ID = r"id\s*=\s*[\"'“]?(?P<id>[A-Za-z][\w-]*)[\"'”]?"
_ANY_ID = re.compile(_ID)
_AT_FIRST = (
    r"(?:at\s+first|first|at\s+the\s+(?:start|beginning)|initially|to\s+(?:start|begin)(?:\s+with)?|by\s+default)"
)
_VALUE = r"(?:[\"“](?P<text>[^\"“”\n]{1,60})[\"”]|(?P<number>-?\d+(?:\.\d+)?))"
_END = r"\s*(?:[.,;:!?)]|\band\b|$)"
_EVENT = re.compile(
    r"\b(?:when|whenever|after|if|once|while|until|unless|click\w*|press\w*|then|every|each|choos\w*|select\w*|enter\w*"
    r"|typ(?:es?|ed|ing)|tapp?\w*|submit\w*|chang\w*|guess\w*)\b",
    re.IGNORECASE,
)
"""Words of a sentence that tells what happens while a page is used."""
_SHOWS = re.compile(
    rf"{_ID}\)?,?(?:\s+(?:that|which))?\s+(?:(?:{_AT_FIRST})\s+)?(?:shows?|displays?|says?|reads?|starts?\s+(?:at|with|from)"
    rf"|begins?\s+(?:at|with))\s+{_VALUE}(?:\s+(?P<first>{_AT_FIRST}))?{_END}",
    re.IGNORECASE,
)
_BRACKETS = re.compile(rf"{_ID}\s*,?\s*\(?(?:{_VALUE}\s+{_AT_FIRST}|(?:{_AT_FIRST}|starts?\s+at)\s+(?P<later>-?\d+)\b)")
_STARTS = re.compile(
    r"\b(?:it|that|which|and|number|count|counter|score|value|total)\s+(?:starts?|begins?)\s+(?:at|with|from)\s+"
    rf"(?:the\s+number\s+)?(?P<number>-?\d+){_END}",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"\b(?:number|count|counter|score|value|points|total)\b[^.;\"“”]{{0,40}}?\b(?:with|has|having)\s+(?:the\s+)?{_ID}",
    re.IGNORECASE,
)

_NAMED = re.compile(rf"\b(?P<noun>[a-z]+)\s+(?:with|having|has)\s+(?:the\s+)?{_ID}", re.IGNORECASE)
_HIDDEN = re.compile(
    r"\b(?:the|this|that|an?|all|every|both|its|their)\s+(?:\w+\s+)?(?P<noun>[a-z]+)\s+(?:is|are|stays?|starts?)\s+"
    rf"(?:{_AT_FIRST}\s+)?(?:hidden|invisible|not\s+(?:visible|shown))\s+(?:{_AT_FIRST}|when\s+the\s+page\s+(?:loads|opens))",
    re.IGNORECASE,
)
_HIDDEN_FIRST = re.compile(
    rf"(?:^|[.,;]\s*){_AT_FIRST},?\s+(?:the|all)\s+(?P<noun>[a-z]+)\s+(?:is|are)\s+(?:hidden|invisible|not\s+visible)\b",
    re.IGNORECASE,
)

_LIST_OF_IDS = re.compile(r"id\s*=\s*[\"'“]?[\w-]+[\"'”]?(?:\s*(?:,|and|or|,\s*and)\s*id\s*=\s*[\"'“]?[\w-]+[\"'”]?)+")
_ONLY = re.compile(
    r"\bonly\s+(?:(?:the|one)\s+)?(?:[\w-]+\s+){0,3}?(?:panel|section|content|page|part|view|text|box|pane|tab)\b"
    r"[^.;]*\b(?:visible|shown|displayed|seen)\b|\bonly\s+one\s+[^.;]{0,40}\b(?:visible|shown|displayed)\b",
    re.IGNORECASE,
)
_FIRST_ONE = re.compile(
    rf"\b{_AT_FIRST},?\s+(?:that|this|it)\s+is\s+(?:the\s+)?[\"“]?(?P<name>\w+)[\"”]?(?:\s+(?:one|tab|panel))?{_END}",
    re.IGNORECASE,
)
_BUTTONS = re.compile(
    r"\b(?:buttons?|tabs)\s+(?P<list>[\"“][^\"“”\n]+[\"”](?:\s*(?:,|and|or|,\s*and)\s*[\"“][^\"“”\n]+[\"”])+)"
)
_QUOTED = re.compile(r"[\"“]([^\"“”\n]+)[\"”]")

_A_SECOND = 1.8
"""Seconds in which what counts seconds has counted one."""
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNT = rf"(?P<count>\d+|{'|'.join(_NUMBERS)})"
_BUTTON = (
    r"\bbutton\s+(?:(?:called|named|labelled|that\s+says)\s+)?[\"“](?P<button>[^\"“”\n]{1,40})[\"”]\s+"
    r"(?:that\s+|which\s+)?"
)
_IT = r"(?:it|the\s+(?:number|count|counter|value|score|total))"
_TO_IT = rf"(?:\s+(?:to|from)\s+{_IT})?{_END}"
_ADDS = re.compile(
    rf"{_BUTTON}(?:adds?\s+{_COUNT}|(?:increases?|raises?)\s+{_IT}\s+by\s+{_COUNT.replace('count', 'by')}){_TO_IT}",
    re.I,
)
_TAKES = re.compile(
    rf"{_BUTTON}(?:(?:takes?|subtracts?)\s+{_COUNT}(?:\s+(?:away|off))?|(?:decreases?|lowers?|reduces?)\s+{_IT}\s+by\s+"
    rf"{_COUNT.replace('count', 'by')}){_TO_IT}",
    re.IGNORECASE,
)
_COUNTS = re.compile(
    rf"{_BUTTON}(?:starts\s+to\s+)?counts?\s+(?:{_IT}\s+)?(?P<way>down|up)(?:\s+by)?(?:\s+one)?\s+(?:each|every)\s+second\b",
    re.IGNORECASE,
)
_SETS = re.compile(
    rf"{_BUTTON}(?:sets?|resets?|brings?|puts?)\s+{_IT}\s+(?:back\s+)?(?:to\s+)(?P<number>-?\d+){_END}", re.IGNORECASE
)
_BOUNDED = re.compile(
    r"\b(?:below|under|negative|minimum|maximum|at\s+least|at\s+most|less\s+than|more\s+than|stops?|limit\w*|never"
    r"|not\s+go|between|random\w*)\b",
    re.IGNORECASE,
)
_OPENS = re.compile(
    rf"{_BUTTON}(?:opens?|shows?)\s+(?:the|an?)\s+(?:\w+\s+)?(?P<noun>[a-z]+)\s+with\s+(?:the\s+)?{_ID}", re.IGNORECASE
)
_IT_OPENS = re.compile(
    rf"\bbutton\s+[\"“](?P<button>[^\"“”\n]{{1,40}})[\"”]\.\s+(?:It|A\s+click(?:\s+on\s+it)?|Clicking\s+it)\s+(?:opens?|shows?)"
    rf"\s+(?:the|an?)\s+(?:\w+\s+)?(?P<noun>[a-z]+)\s+with\s+(?:the\s+)?{_ID}"
)
_ESCAPE = re.compile(r"\b(?:Escape|Esc)(?:\s+key)?\s+(?:\w+\s+)?(?:hides|closes)\s+(?:it|the)\b", re.IGNORECASE)
_CLOSES = re.compile(
    r"(?<!\w)[\"“]?(?P<button>[A-Z]\w*)[\"”]?\s+(?:hides|closes)\s+(?:it|the\s+(?P<noun>[a-z]+))\b(?:\s+again)?",
    re.IGNORECASE,
)


def expectations(prompt: str) -> tuple[Expectation, ...]:
    """What can be checked, in the order in which it is to be: first what is there before anything is used."""
    first = dict.fromkeys((*_texts(prompt), *_hidden(prompt), *_first_of_tabs(prompt)))
    return (*first, *_chosen_tabs(prompt), *_boxes(prompt), *_counting(prompt), *_seconds(prompt))


def _sentences(prompt: str) -> list[str]:
    return [part for part in _SENTENCE.split(prompt) if part.strip()]


def _number_target(prompt: str) -> str:
    """The one element that shows the number which a request speaks of."""
    ids = list(dict.fromkeys(match["id"] for match in _ANY_ID.finditer(prompt)))
    if len(ids) == 1:
        return ids[0]
    named = list(dict.fromkeys(match["id"] for match in _NUMBERED.finditer(prompt)))
    return named[0] if len(named) == 1 else ""


def _texts(prompt: str) -> Iterator[Expectation]:
    for sentence in _sentences(prompt):
        for match in _SHOWS.finditer(sentence):
            # A text may be shown later; a number that is only named is there from the start.
            if (match["number"] or match["first"]) and not _EVENT.search(sentence, 0, match.start()):
                yield Expectation("text", (match["id"],), match["text"] or match["number"])
        for match in _BRACKETS.finditer(sentence):
            yield Expectation("text", (match["id"],), match["text"] or match["number"] or match["later"])
        for match in _STARTS.finditer(sentence):
            before = sentence[: match.start()]
            if (target := _number_target(prompt)) and not _EVENT.search(before) and "button" not in before.lower():
                yield Expectation("text", (target,), match["number"])


def _nouns(prompt: str) -> dict[str, list[str]]:
    """What a request calls its elements with ids, in the singular."""
    found: dict[str, list[str]] = {}
    for match in _NAMED.finditer(prompt):
        ids = found.setdefault(_singular(match["noun"]), [])
        ids += [match["id"]] if match["id"] not in ids else []
    return found


def _singular(noun: str) -> str:
    noun = noun.lower()
    return noun[:-2] if noun.endswith(("xes", "ches", "shes")) else noun.rstrip("s")


def _hidden(prompt: str) -> Iterator[Expectation]:
    nouns = _nouns(prompt)
    for sentence in _sentences(prompt):
        for match in (*_HIDDEN.finditer(sentence), *_HIDDEN_FIRST.finditer(sentence)):
            ids = nouns.get(_singular(match["noun"]), [])
            plural = match["noun"].lower().endswith("s") and not match["noun"].lower().endswith("ss")
            if len(ids) == 1 or plural:
                yield from (Expectation("hidden", (one,)) for one in ids)


def _tabs(prompt: str) -> tuple[str, ...]:
    """The ids of several elements of which only one can be seen."""
    lists = [tuple(match["id"] for match in _ANY_ID.finditer(found[0])) for found in _LIST_OF_IDS.finditer(prompt)]
    return lists[0] if len(lists) == 1 and _ONLY.search(prompt) else ()


def _first_of_tabs(prompt: str) -> Iterator[Expectation]:
    ids, first = _tabs(prompt), _FIRST_ONE.search(prompt)
    if first is not None:
        name = first["name"].casefold()
        meant = [one for at, one in enumerate(ids) if one.casefold() == name or (name == "first" and at == 0)]
        yield from (Expectation("only", ids, one) for one in meant[:1])


def _chosen_tabs(prompt: str) -> Iterator[Expectation]:
    """What each button shows, the first one last: that one can be seen before."""
    ids = _tabs(prompt)
    rows = [_QUOTED.findall(match["list"]) for match in _BUTTONS.finditer(prompt)]
    if not ids or len(rows) != 1 or len(rows[0]) != len(ids):
        return
    by_name = {one.casefold(): one for one in ids}
    same = all(label.casefold() in by_name for label in rows[0])
    for label, one in reversed(list(zip(rows[0], ids, strict=True))):
        yield Expectation("only", ids, by_name[label.casefold()] if same else one, label)


def _boxes(prompt: str) -> Iterator[Expectation]:
    """What one button opens and another one closes."""
    opened = [*_OPENS.finditer(prompt), *_IT_OPENS.finditer(prompt)]
    if len(opened) != 1:
        return
    target, noun = opened[0]["id"], opened[0]["noun"].lower()
    shown = Expectation("visible", (target,), button=opened[0]["button"])
    yield shown
    for match in _CLOSES.finditer(prompt):
        named = re.search(rf"\bbutton\s+[\"“]{re.escape(match['button'])}[\"”]", prompt)
        if named and match["button"] != opened[0]["button"] and (match["noun"] or noun).lower() == noun:
            yield Expectation("hidden", (target,), button=match["button"])
            yield shown
    if _ESCAPE.search(prompt):
        yield Expectation("hidden", (target,), key="Escape")


def _counting(prompt: str) -> Iterator[Expectation]:
    """Buttons that change a number, in an order that shows a number which stops where it should not."""
    target = _number_target(prompt)
    if not target or _BOUNDED.search(_QUOTED.sub('""', prompt)):
        return
    downs = [_change(match, target, -1) for match in _TAKES.finditer(prompt)]
    ups = [_change(match, target, 1) for match in _ADDS.finditer(prompt)]
    sets = [Expectation("text", (target,), match["number"], match["button"]) for match in _SETS.finditer(prompt)]
    # Once more up, so that what sets it back has something to do.
    yield from (*downs, *ups, *(ups if sets else ()), *sets)


def _seconds(prompt: str) -> Iterator[Expectation]:
    found, shown = list(_COUNTS.finditer(prompt)), [one.ids[0] for one in _texts(prompt) if one.value.isdigit()]
    if len(found) == 1 and len(shown) == 1:
        step = "-1" if found[0]["way"].lower() == "down" else "1"
        yield Expectation("change", (shown[0],), step, found[0]["button"], within=_A_SECOND)


def _change(match: re.Match[str], target: str, sign: int) -> Expectation:
    word = (match["count"] or match["by"]).lower()
    count = _NUMBERS.index(word) if word in _NUMBERS else int(word)
    return Expectation("change", (target,), str(sign * count), match["button"])
