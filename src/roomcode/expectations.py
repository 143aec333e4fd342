"""What a request says that a page shows at first and after a click on a button, in a form that a browser can check.

Pure functions on words. Only plain sentences are read: 'id="count" shows 0', 'a button "+" adds one', 'the box is
hidden at first'. Whatever may mean something else is left out, since a small model changes whatever it is told about.
"""

import re
from collections.abc import Collection, Iterator

from roomcode.choices import choices
from roomcode.examples import examples
from roomcode.preview import Expectation

__all__ = ["expectations"]

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_ID = r"id\s*=\s*[\"'“]?(?P<id>[A-Za-z][\w-]*)[\"'”]?"
_ANY_ID = re.compile(_ID)
_AT_FIRST = (
    r"(?:at\s+first|first(?!\s+\w)|at\s+the\s+(?:start|beginning)|initially|to\s+(?:start|begin)(?:\s+with)?"
    r"|by\s+default)"
)
_DIGITS = r"-?\d+(?:\.\d+)?(?!\d|[.,:/]\d|,?\s+(?:or\s+|to\s+|and\s+)?\d)"
"""One number, and no part of a date, of a time or of a choice."""
_VALUE = rf"(?:[\"“](?P<text>[^\"“”\n]{{1,60}})[\"”]|(?P<number>{_DIGITS}))"
_END = r"\s*(?:[.,;:!?)]|\band\b|$)"
_EVENT = re.compile(
    r"\b(?:when|whenever|after|if|once|while|until|unless|click\w*|press\w*|then|every|each|choos\w*|select\w*|enter\w*"
    r"|typ(?:es?|ed|ing)|tapp?\w*|submit\w*|chang\w*|guess\w*)\b",
    re.IGNORECASE,
)
"""Words of a sentence that tells what happens while a page is used."""
_NOT_SO = re.compile(
    r"\b(?:currently|presently|at\s+(?:the\s+moment|present)|so\s+far|today|already|still|not|never|without|instead\s+of|like"
    r"|such\s+as|for\s+(?:example|instance)|(?:for|of|from|with|(?<!starts\s)(?<!begins\s)at)\s+-?\d+|inputs?|given)\b|n['’]t\b|\be\.g\."
    r"|\bnow,?\s+(?:the\b[^.]*)?$",
    re.IGNORECASE,
)
"""Words before something that is shown now, or for one input, or that is not to be shown."""
_OTHERWISE = re.compile(
    r"\b(?:make|let|have|want|get)\s+(?:it|that|this)\s+(?:to\s+)?(?:show|say|read|start|begin|display|be)\b"
    r"|\bit\s+(?:should|must|has\s+to|ought\s+to)\s+(?:\w+\s+)?(?:show|say|read|start|begin|display|be)\b"
    r"|\b(?:change|set)\s+(?:it|that|this)\s+to\b|\binstead\b(?!\s+of)",
    re.IGNORECASE,
)
"""Words of a request that may have told first what a page shows now."""
_IN_CASE = r"(?:when(?:ever)?|if|unless|while|after|once|only|provided|depending|as\s+(?:long|soon))\b"
_CASE = re.compile(rf"\b{_IN_CASE}", re.IGNORECASE)
_CASE_BEHIND = re.compile(
    rf"\s*,?\s*(?:but\s+)?{_IN_CASE}|(?:(?!\band\b)[^.;,\n\"“]){{0,80}}?\b{_IN_CASE}", re.IGNORECASE
)
_CASE_BEHIND_COMMA = re.compile(rf"\s*(?:but\s+)?{_IN_CASE}", re.IGNORECASE)
_BY_ITSELF = re.compile(r"\b(?:loading|please\s+wait|connecting|then|seconds?|moment)\b", re.IGNORECASE)
"""Words of a text that may be gone, or another one, before anybody looks."""
_SHOWS = re.compile(
    rf"{_ID}\)?,?(?:\s+(?:that|which))?\s+(?:(?:{_AT_FIRST})\s+)?(?:shows?|displays?|says?|reads?|starts?\s+(?:at|with|from)"
    rf"|begins?\s+(?:at|with))\s+{_VALUE}(?:\s+(?P<first>{_AT_FIRST}))?{_END}",
    re.IGNORECASE,
)
_BRACKETS = re.compile(
    rf"{_ID}\s*,?\s*\(?(?:{_VALUE}\s+{_AT_FIRST}"
    rf"|(?:{_AT_FIRST}|starts?\s+at)\s+(?P<later>{_DIGITS})(?:{_END}|\s+instead\b))"
)
_STARTS = re.compile(
    r"\b(?P<what>it|that|which|and|number|count|counter|score|value|total)\s+(?:starts?|begins?)\s+(?:at|with|from)\s+"
    rf"(?:the\s+number\s+)?(?P<number>{_DIGITS}){_END}",
    re.IGNORECASE,
)
_A_NUMBER = r"\b(?:number|count|counter|score|points|total)"
_ENDS_IN_NUMBER = re.compile(rf"{_A_NUMBER}\s+$", re.IGNORECASE)
_NO_NUMBER = re.compile(
    r"\b(?:canvas|lists?|table|form|board|grid|game|gallery|chart|dialog|menu|image|picture|message|title|heading|name)\b"
    r"[^.;,\"“”]{0,25}$",
    re.IGNORECASE,
)
"""What stands before the id of something that shows no number alone."""
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

_SOME = re.compile(
    r"\b(?:others?|rest|first|second|third|fourth|last|except|apart|besides|but|if|unless|before|screens?|mobile|phones?"
    r"|narrow|small)\b",
    re.IGNORECASE,
)
"""Words of a sentence that hides some of several elements, or in some cases."""
_FIRST_OPEN = re.compile(
    r"\bfirst\s+(?:\w+\s+)?(?:is|stays|starts|should\s+be)\s+(?:\w+\s+)?(?:open|visible|shown|expanded|displayed)\b",
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
_STEPS = {"back", "next", "previous", "prev", "done", "finish", "start", "submit", "send", "reset", "save", "ok"}
"""Buttons that lead from one of several elements to another."""

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
    rf"{_BUTTON}(?:sets?|resets?|brings?|puts?)\s+{_IT}\s+(?:back\s+)?(?:to\s+)(?P<number>{_DIGITS}){_END}",
    re.IGNORECASE,
)
_BOUNDED = re.compile(
    r"\b(?:below|under|negative|minimum|highest|lowest|largest|smallest|up\s+to|maximum|at\s+least|at\s+most|less\s+than|more\s+than|stops?|limit\w*|never"
    r"|not\s+go|between|random\w*|disabled?|reach\w*|enough|afford|again|from\s+\d+|goes?\s+back|once|second\s+click|there\s+are"
    r"|fields?|inputs?|typ(?:es?|ed|ing)|enter\w*|lists?|items?|tasks?|entr(?:y|ies)|cart|basket|stock|coins?|money|lives"
    r"|balance|budget|tickets?|seats?|upgrades?|games?)\b",
    re.IGNORECASE,
)
_NOT_BELOW_ZERO = re.compile(
    r"\b(?:never|not|cannot|can\s*not)\b(?:\s+\w+){0,3}?\s+(?:below|under|less\s+than|lower\s+than)\s+(?:0|zero)\b"
    r"|n['’]t\b(?:\s+\w+){0,3}?\s+(?:below|under|less\s+than|lower\s+than)\s+(?:0|zero)\b"
    r"|\b(?:never|not|cannot|can['’]t)\b(?:\s+\w+){0,2}?\s+negative\b|\bstops?\s+at\s+(?:0|zero)\b",
    re.IGNORECASE,
)
_OPENS = re.compile(
    rf"{_BUTTON}(?P<verb>opens?|shows?)\s+(?:the|an?)\s+(?:\w+\s+)?(?P<noun>[a-z]+)\s+with\s+(?:the\s+)?{_ID}",
    re.IGNORECASE,
)
_IT_OPENS = re.compile(
    rf"\bbutton\s+[\"“](?P<button>[^\"“”\n]{{1,40}})[\"”]\.\s+(?:It|A\s+click(?:\s+on\s+it)?|Clicking\s+it)\s+(?P<verb>opens?|shows?)"
    rf"\s+(?:the|an?)\s+(?:\w+\s+)?(?P<noun>[a-z]+)\s+with\s+(?:the\s+)?{_ID}"
)
_ESCAPE = re.compile(
    r"\b(?:Escape|Esc)(?:\s+key)?\s+(?:(?!never|not)\w+\s+)?(?:hides|closes)\s+(?:it|the)\b", re.IGNORECASE
)
_CLOSES = re.compile(
    r"(?<!\w)[\"“]?(?P<button>[A-Z]\w*)[\"”]?\s+(?:hides|closes)\s+(?:it|the\s+(?P<noun>[a-z]+))\b(?:\s+again)?",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"\b(?:forms?|fields?|inputs?|required|valid\w*|fill\w*|typ(?:es?|ed|ing)|enters?|entered)\b", re.IGNORECASE
)
_ACCEPTS = {
    "save",
    "send",
    "submit",
    "add",
    "ok",
    "okay",
    "done",
    "login",
    "log in",
    "sign in",
    "sign up",
    "create",
    "yes",
}
"""Buttons that a form may refuse while it is empty."""
_LONGEST = 3000
"""Characters of a request; a longer one holds code or a text that was pasted in."""


def expectations(prompt: str) -> tuple[Expectation, ...]:
    """What can be checked, in the order in which it is to be: first what is there before anything is used."""
    if len(prompt) > _LONGEST:
        return ()
    first = dict.fromkeys((*_texts(prompt), *_hidden(prompt), *_first_of_tabs(prompt)))
    return (
        *first,
        *_chosen_tabs(prompt),
        *_boxes(prompt),
        *_counting(prompt, first),
        *_seconds(prompt),
        *examples(prompt),
        *choices(prompt),
    )


def _sentences(prompt: str) -> list[str]:
    return [part for part in _SENTENCE.split(prompt) if part.strip()]


def _sentence_before(prompt: str, start: int) -> str:
    return _SENTENCE.split(prompt[:start])[-1]


def _in_some_case(text: str, match: re.Match[str]) -> bool:
    """Whether what `match` tells is so only in some case, which the same clause of `text` names."""
    told = match[0].rstrip()
    if _CASE.search(_QUOTED.sub('""', _sentence_before(text, match.start()))):
        return True
    if told.endswith((".", ";", ":", "!", "?")) or told.lower().endswith(" and"):
        return False
    return (_CASE_BEHIND_COMMA if told.endswith(",") else _CASE_BEHIND).match(text, match.end()) is not None


def _number_target(prompt: str) -> str:
    """The one element that shows the number which a request speaks of."""
    ids = list(dict.fromkeys(match["id"] for match in _ANY_ID.finditer(prompt)))
    if len(ids) == 1:
        fits = not any(_NO_NUMBER.search(prompt[: match.start()]) for match in _ANY_ID.finditer(prompt))
        return ids[0] if fits else ""
    named = list(dict.fromkeys(match["id"] for match in _NUMBERED.finditer(prompt)))
    return named[0] if len(named) == 1 else ""


def _texts(prompt: str) -> Iterator[Expectation]:
    """What elements show before anything is used. Where a request says two things of one element, one of them may be
    what it shows now."""
    found = () if _OTHERWISE.search(prompt) else tuple(dict.fromkeys(_first_texts(prompt)))
    yield from (one for one in found if sum(other.ids == one.ids for other in found) == 1)


def _first_texts(prompt: str) -> Iterator[Expectation]:
    target, before = _number_target(prompt), ""
    for sentence in _sentences(prompt):
        for match in _SHOWS.finditer(sentence):
            lead, text = sentence[: match.start()], match["text"]
            if _EVENT.search(lead) or _NOT_SO.search(lead):
                continue
            # A text may be shown later; a number that is only named is there from the start.
            if text and match["first"] and not _BY_ITSELF.search(sentence, match.start("text")):
                yield Expectation("text", (match["id"],), text.rstrip(".,"))
            if (
                match["number"]
                and not _NO_NUMBER.search(lead)
                and (match["first"] or not _in_some_case(sentence, match))
            ):
                yield Expectation("text", (match["id"],), match["number"])
        for match in _BRACKETS.finditer(sentence):
            yield Expectation("text", (match["id"],), match["text"] or match["number"] or match["later"])
        for match in _STARTS.finditer(sentence):
            lead = sentence[: match.start()]
            plain = not (_EVENT.search(lead) or _NOT_SO.search(lead) or _in_some_case(sentence, match))
            if target and plain and "button" not in lead.lower() and _is_of(match["what"], target, before, lead):
                yield Expectation("text", (target,), match["number"])
        before += f"{sentence} "


def _is_of(what: str, target: str, before: str, lead: str) -> bool:
    """Whether `what` starts at a number is the element `target`; `lead` is what its sentence says before, and `before`
    the sentences before that."""
    what, here = what.lower(), [match["id"] for match in _ANY_ID.finditer(lead)]
    if what in ("score", "total") and what not in target.lower():
        return False
    if here and (here[-1] != target or what not in ("that", "which")):
        return here[-1] == target
    if here:
        return re.search(rf"{_ID}\)?,?\s*$", lead) is not None or _ENDS_IN_NUMBER.search(lead) is not None
    if what == "it":
        ids = [match["id"] for match in _ANY_ID.finditer(before)]
        return ids[-1] == target if ids else re.search(rf"{_A_NUMBER}\b", f"{before}{lead}", re.IGNORECASE) is not None
    return what not in ("and", "that", "which") or _ENDS_IN_NUMBER.search(lead) is not None


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
        if _SOME.search(re.sub(_AT_FIRST, "", sentence, flags=re.IGNORECASE)):
            continue
        for match in (*_HIDDEN.finditer(sentence), *_HIDDEN_FIRST.finditer(sentence)):
            ids = nouns.get(_singular(match["noun"]), [])
            plural = match["noun"].lower().endswith("s") and not match["noun"].lower().endswith("ss")
            if len(ids) == 1 or (plural and not _FIRST_OPEN.search(prompt)):
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
    if not ids or len(rows) != 1:
        return
    by_name = {one.casefold(): one for one in ids}
    same = all(label.casefold() in by_name for label in rows[0])
    if len(rows[0]) != len(ids) or (not same and any(label.casefold() in _STEPS for label in rows[0])):
        return
    for label, one in reversed(list(zip(rows[0], ids, strict=True))):
        yield Expectation("only", ids, by_name[label.casefold()] if same else one, label)


def _boxes(prompt: str) -> Iterator[Expectation]:
    """What one button opens and another one closes."""
    opened = [*_OPENS.finditer(prompt), *_IT_OPENS.finditer(prompt)]
    form = _FORM.search(_QUOTED.sub('""', prompt)) is not None
    # What a button shows in a form may depend on what is typed there.
    if len(opened) != 1 or _in_some_case(prompt, opened[0]) or (form and opened[0]["verb"].lower().startswith("show")):
        return
    target, noun = opened[0]["id"], opened[0]["noun"].lower()
    shown = Expectation("visible", (target,), button=opened[0]["button"])
    yield shown
    for match in _CLOSES.finditer(prompt):
        named = re.search(rf"\bbutton\s+[\"“]{re.escape(match['button'])}[\"”]", prompt)
        if _in_some_case(prompt, match) or (form and match["button"].lower() in _ACCEPTS):
            continue
        if named and match["button"] != opened[0]["button"] and (match["noun"] or noun).lower() == noun:
            yield Expectation("hidden", (target,), button=match["button"])
            yield shown
    if _ESCAPE.search(prompt):
        yield Expectation("hidden", (target,), key="Escape")


def _counting(prompt: str, first: Collection[Expectation]) -> Iterator[Expectation]:
    """Buttons that change a number, in an order that shows a number which stops where it should not, or does not where
    it should. `first` is what is shown before."""
    target = _number_target(prompt)
    if target and _NOT_BELOW_ZERO.search(_QUOTED.sub('""', prompt)) and Expectation("text", (target,), "0") in first:
        taking = (match for match in _TAKES.finditer(prompt) if _changes(match, prompt, target))
        yield from (Expectation("text", (target,), "0", match["button"]) for match in taking)
    if not target or _BOUNDED.search(_QUOTED.sub('""', prompt)):
        return
    downs = [_change(match, target, -1) for match in _TAKES.finditer(prompt) if _changes(match, prompt, target)]
    ups = [_change(match, target, 1) for match in _ADDS.finditer(prompt) if _changes(match, prompt, target)]
    sets = [
        Expectation("text", (target,), match["number"], match["button"])
        for match in _SETS.finditer(prompt)
        if _changes(match, prompt, target)
    ]
    # Once more up, so that what sets it back has something to do.
    yield from (*downs, *ups, *(ups if sets else ()), *sets)


def _changes(match: re.Match[str], prompt: str, target: str) -> bool:
    """Whether a button does in any case what `match` says, and to `target`."""
    before = _sentence_before(prompt, match.start())
    sentence = before + _SENTENCE.split(prompt[match.start() :])[0]
    others = {one["id"] for one in _ANY_ID.finditer(sentence)} - {target}
    return not others and match["button"].lower() not in _STEPS - {"reset"} and not _in_some_case(prompt, match)


def _seconds(prompt: str) -> Iterator[Expectation]:
    found, shown = list(_COUNTS.finditer(prompt)), [one.ids[0] for one in _texts(prompt) if one.value.isdigit()]
    if len(found) == 1 and len(shown) == 1:
        step = "-1" if found[0]["way"].lower() == "down" else "1"
        yield Expectation("change", (shown[0],), step, found[0]["button"], within=_A_SECOND)


def _change(match: re.Match[str], target: str, sign: int) -> Expectation:
    word = (match["count"] or match["by"]).lower()
    count = _NUMBERS.index(word) if word in _NUMBERS else int(word)
    return Expectation("change", (target,), str(sign * count), match["button"])
