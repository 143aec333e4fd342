"""What a request says of several things alike: that one at a time is open or chosen, that a second click undoes the
first, that every second one has a colour. Pure functions on words.
"""

import re
from collections.abc import Iterator

from roomcode.preview import Expectation

__all__ = ["choices"]

_QUOTED = re.compile(r"[\"“][^\"“”\n]*[\"”]")
_STATE = r"(?:open|visible|shown|selected|active|chosen|highlighted|expanded|marked)"
_ALONE = re.compile(
    rf"\bonly\s+one\s+(?:of\s+(?:them|these)\s+)?(?:[\w-]+\s+){{0,4}}?{_STATE}\b[^.;]{{0,30}}\bat\s+(?:a|the\s+same|any|once)"
    rf"|\bone\s+(?:[\w-]+\s+)?at\s+a\s+time\b|\bat\s+most\s+one\s+(?:[\w-]+\s+){{0,4}}?{_STATE}\b"
    r"|\b(?:closes?|hides?|folds?|collapses?|deselects?|unselects?)\s+(?:the\s+one\s+that\s+(?:was|is)\b"
    r"|(?:all\s+)?(?:the\s+|any\s+)?others?\b|(?:the\s+|any\s+)(?:previous(?:ly)?|other|last)\b)"
    r"|\b(?:the|all)\s+others?\s+(?:(?:one|answer|panel|section|item|entr(?:y|ie)|row|star|button|tab)s?\s+)?"
    r"(?:do(?:es)?\s?n['’]?o?t\b|don['’]t\b|doesn['’]t\b|(?:are|is|gets?|stays?|become|will\s+be)\s+(?:\w+\s+)?"
    r"(?:closed|hidden|folded|collapsed|deselected|unselected|not)\b|closes?\b|folds?\b|collapses?\b)"
    r"|\bI\s+can\s+(?:always\s+)?change\s+my\s+mind\b",
    re.IGNORECASE,
)
_UNDOES = (
    r"(?:closes?|hides?|folds?|collapses?|undoes|restores?|turns?\s+(?:\w+\s+){1,3}off"
    r"|(?:brings?|puts?|takes?|gives?|goes|comes|changes?|switch(?:es)?)\s+(?:\w+\s+){0,4}?back)"
)
_AGAIN = re.compile(
    rf"\b(?:second|another|next|further)\s+click\b(?![^.;]{{0,60}}\bbutton\b)[^.;]{{0,60}}?\b{_UNDOES}\b"
    rf"|\bclick(?:ing|ed|s)?\s+(?:on\s+)?(?:it|the\s+same\s+\w+)?\s*(?:once\s+more|again|a\s+second\s+time)\b,?\s*"
    rf"[^.;]{{0,30}}?\b{_UNDOES}\b"
    rf"|\b{_UNDOES}\s+(?:\w+\s+){{0,3}}?(?:again\s+)?(?:with|on|by|after)\s+(?:a|the)\s+second\s+click\b",
    re.IGNORECASE,
)
_ONE_BUTTON = re.compile(r"\bbuttons?\s+(?:called\s+|named\s+|labelled\s+|that\s+says\s+)?[\"“]([^\"“”\n]{1,40})[\"”]")
_EVERY_SECOND = re.compile(
    r"\b(?:every|each)\s+(?:second|other)\s+(?!click|time|day|week|month|year)\w+[^.;]*?\bbackground\b[^.;]*?"
    r"(?P<colour>#(?:[0-9a-f]{6}|[0-9a-f]{3})\b)[^.;]*",
    re.IGNORECASE,
)
_ODD = re.compile(r"\b(?:odd|first|1st|third|3rd|from\s+the\s+bottom|last)\b", re.IGNORECASE)
_CLICK = re.compile(r"\b(?:click|tap|press|choos|select|pick|open|toggl)", re.IGNORECASE)


def choices(prompt: str) -> Iterator[Expectation]:
    """`alone`: what one control of several alike changed is as before once another one is used. `again`: using the same
    one twice leads back. `stripes`: of rows or entries the second, fourth and so on have the colour `value`."""
    text = _QUOTED.sub('"…"', prompt)
    stripes = _EVERY_SECOND.search(text)
    if stripes is not None and not _ODD.search(stripes[0]):
        yield Expectation("stripes", (), stripes["colour"].lower())
    if not _CLICK.search(text):
        return
    if _ALONE.search(text):
        yield Expectation("alone", ())
    if _AGAIN.search(text):
        labels = _ONE_BUTTON.findall(prompt)
        yield Expectation("again", (), button=labels[0] if len(labels) == 1 else "")
