"""Examples that follow from what a request wants: a sum for a calculator, a text for what counts characters or words.
Pure functions on words.
"""

import re
from collections.abc import Iterator

from roomcode.preview import Expectation

__all__ = ["examples"]

_ID = r"id\s*=\s*[\"'“]?(?P<{0}>[A-Za-z][\w-]*)[\"'”]?"
_ANY_ID = re.compile(_ID.format("id"))
_CALCULATOR = re.compile(r"(?<!tip )(?<!loan )(?<!bmi )(?<!age )(?<!price )\bcalculator\b", re.IGNORECASE)
_OF_SOMETHING = re.compile(
    r"\b(?:tips?|loans?|bmi|age|mortgage|interest|tax|discount|calories|currency|units?|scientific|rpn|percent\w*|words?)\b",
    re.IGNORECASE,
)
"""What a calculator computes that does more, or something else, than sums."""
_DIGITS = re.compile(
    r"\bdigits?\b|\b0\s*(?:-|–|to|through|…|\.\.\.?)\s*9\b|\bnumber\s+(?:buttons|keys)\b", re.IGNORECASE
)
_PLUS, _EQUALS = re.compile(r"[\"“'(,\s]\+"), re.compile(r"[\"“'(,\s]=[\"”'),.\s]")
_DISPLAY = re.compile(r"display|screen|result|output", re.IGNORECASE)
_CLEAR = re.compile(r"[\"“'](?P<label>C|AC|Clear|CLEAR|clear)[\"”']|(?<=\s)(?P<bare>C|AC)(?=[\s,.;)])")
_FIELD = re.compile(
    rf"\b(?:text\s?area|text\s+(?:field|box)|input(?:\s+field)?|field|box)\b[^.;]{{0,30}}?{_ID.format('field')}",
    re.IGNORECASE,
)
_COUNTS = re.compile(
    rf"{_ID.format('target')}\)?[^.;\"“]{{0,40}}?\b(?:shows?|displays?|says?|counts?)\s+(?:at\s+any\s+time\s+|always\s+)?"
    r"(?:how\s+many|the\s+number\s+of|the)\s+(?P<what>characters?|words)\b(?P<rest>[^.;]*)",
    re.IGNORECASE,
)
_NOT_ALL = re.compile(
    r"\b(?:left|remain\w*|of\s+\d+|without|except|not|only|longest|unique|different|when|after|button|click|/)",
    re.IGNORECASE,
)
_TYPED = "one two three"


def examples(prompt: str) -> Iterator[Expectation]:
    yield from _sums(prompt)
    yield from _counted(prompt)


def _sums(prompt: str) -> Iterator[Expectation]:
    plain = prompt.replace("(", " ( ")
    if not _CALCULATOR.search(prompt) or _OF_SOMETHING.search(prompt) or not _DIGITS.search(prompt):
        return
    if not _PLUS.search(plain) or not _EQUALS.search(_ANY_ID.sub("", plain)):
        return
    ids = list(dict.fromkeys(match["id"] for match in _ANY_ID.finditer(prompt)))
    shown = [one for one in ids if _DISPLAY.search(one)] or ids
    if len(shown) != 1:
        return
    yield Expectation("text", (shown[0],), "15", "7", then=("+", "8", "="))
    if (clear := _CLEAR.search(prompt)) is not None:
        yield Expectation("text", (shown[0],), "4", clear["label"] or clear["bare"], then=("9", "-", "5", "="))


def _counted(prompt: str) -> Iterator[Expectation]:
    fields = list(dict.fromkeys(match["field"] for match in _FIELD.finditer(prompt)))
    for match in _COUNTS.finditer(prompt):
        others = [one for one in fields if one != match["target"]]
        if len(others) != 1 or _NOT_ALL.search(match["rest"]):
            continue
        count = len(_TYPED.split()) if match["what"].lower() == "words" else len(_TYPED)
        yield Expectation("text", (match["target"],), str(count), fill=(others[0], _TYPED))
