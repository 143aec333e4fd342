"""What a request forbids: files that are not to be changed, and new files.

Pure functions on words. Only what is said without a doubt counts; `do not change the title in index.html` is about a
title, and `…except for the heading` leaves it open.
"""

import re
from collections.abc import Iterable

__all__ = ["kept_files", "no_new_files"]

_FILE = r"[\"'`“]?(?:[\w-]+/)*[\w-]+\.\w+[\"'`”]?"
_FILES = rf"{_FILE}(?:\s*(?:,|\band\b|\bor\b|&|\bnor\b)\s*{_FILE})*"
_NOT = r"(?:do\s+not|don['’]?t|never|without|must\s+not|mustn['’]t|may\s+not|should\s+not|shouldn['’]t|cannot)"
_CHANGE = r"(?:chang|touch|edit|modif|alter|rewrit|overwrit)\w*"
_AS_IT_IS = r"(?:as\s+(?:it|they)\s+(?:is|are|was|were)|as\s+is|alone|unchanged|untouched|intact|the\s+same)"
_OPEN = (
    r"(?!\w|\.\w|['’]s\b"
    r"|\s*(?:,\s*)?(?:except|but\s+(?:for|only)|apart|other\s+than|besides|unless|more\s+than|yet\b|until))"
)
_KEPT = (
    rf"\b{_NOT}\s+(?:\w+ly\s+)?{_CHANGE}\s+(?:anything\s+in\s+)?(?:the\s+)?(?:files?\s+)?(?P<one>{_FILES}){_OPEN}",
    rf"\b(?:leave|keep)\s+(?:the\s+)?(?:files?\s+)?(?P<one>{_FILES})\s+(?:\w+ly\s+|just\s+)?{_AS_IT_IS}{_OPEN}",
    rf"(?P<one>{_FILES})\s+(?:must\s+|has\s+to\s+|have\s+to\s+|is\s+to\s+|are\s+to\s+|should\s+)?"
    rf"(?:stays?|remains?)\s+(?:\w+ly\s+)?{_AS_IT_IS}{_OPEN}",
    rf"(?P<one>{_FILES})\s+(?:must|may|should|is|are|can)\s*(?:not|n['’]t)\s+(?:to\s+)?be\s+{_CHANGE}{_OPEN}",
)
_KEPT_FILES = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _KEPT)
_NO_NEW = re.compile(
    rf"\b(?:{_NOT}\s+(?:add|mak|creat|writ|us)\w*|no|without)\s+(?:(?:any|a|an|one)\s+)?"
    r"(?:new|additional|extra|more|further|other|separate)\s+files?\b(?!\s+(?:except|but|other\s+than|besides))",
    re.IGNORECASE,
)


def kept_files(prompt: str, names: Iterable[str]) -> frozenset[str]:
    """Those of `names` that the request wants to stay as they are: named by their path, or by the end of it."""
    said: set[str] = set()
    for pattern in _KEPT_FILES:
        for match in pattern.finditer(prompt):
            said.update(one.strip("\"'`“”") for one in re.findall(_FILE, match["one"]))
    return frozenset(name for name in names if any(name == one or name.endswith(f"/{one}") for one in said))


def no_new_files(prompt: str) -> bool:
    """Whether a request wants no new file."""
    return _NO_NEW.search(prompt) is not None
