"""What a request forbids: files that are not to be changed, and new files.

Pure functions on words. A wrong "forbidden" makes a request impossible, so only what is said as an order of its own and
without a condition counts: `do not change the title in index.html` is about a title, `style.css must not be overwritten
when …` about a program, and `…except for the heading` leaves it open.
"""

import re
from collections.abc import Collection

from roomcode.wording import not_there, wants_new_file

__all__ = ["kept_files", "no_new_files"]

_FILE = r"(?<![\w./-])[\"'`“]?(?:[\w-]+/){0,8}[\w-]+\.[A-Za-z]\w{0,9}(?![\w/])[\"'`”]?"
_FILES = rf"{_FILE}(?:\s*(?:,|\band\b|\bor\b|&|\bnor\b)\s*{_FILE}){{0,9}}"
_ORDER = r"(?:^|(?<=[.!?;,\n])|\b(?:and|but|please|also|then)\b)\s*(?:[-*•]\s*)?(?:please\s+)?"
_NOT = r"(?:do\s+not|don['’]?t|never|you\s+(?:must|may|should)\s+not)\s+(?:ever\s+)?"
_CHANGING = r"(?:changing|touching|editing|modifying|altering)"
_CHANGE = r"(?:change|touch|edit|modify|alter)"
_CHANGED = r"(?:changed|touched|edited|modified|altered)"
_AS_IT_IS = r"(?:as\s+(?:it|they)\s+(?:is|are|was|were)|as\s+is|alone|unchanged|untouched|intact)"
_ALL = r"(?:anything\s+in\s+)?(?:the\s+)?(?:files?\s+)?"
_OVER = (
    r"(?=\s*(?:at\s+all\s*)?(?:[.!?;:)](?!\w)|$|\n|,?\s*(?:please|instead)\b"
    r"|,(?!\s*(?:except|but\s+(?:for|only)|only|just|other|besides|unless|apart|if|when))|\s+but\s+(?:please\s+)?(?:do|make|add|change|edit|fix|put|use|let|also)\b|\s+and\s+))"
)
"""What may follow the name: the end of the sentence, or something else to do."""
_KEPT = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        rf"{_ORDER}{_NOT}{_CHANGE}\s+{_ALL}(?P<files>{_FILES}){_OVER}",
        rf"\bwithout\s+{_CHANGING}\s+{_ALL}(?P<files>{_FILES}){_OVER}",
        rf"{_ORDER}(?:leave|keep)\s+{_ALL}(?P<files>{_FILES})\s+(?:exactly\s+|just\s+)?{_AS_IT_IS}{_OVER}",
        rf"{_ORDER}(?:the\s+)?(?:files?\s+)?(?P<files>{_FILES})\s+(?:must|has\s+to|have\s+to|is\s+to|are\s+to|should)\s+"
        rf"(?:stay|remain)\s+(?:exactly\s+)?{_AS_IT_IS}{_OVER}",
        rf"{_ORDER}(?:the\s+)?(?:files?\s+)?(?P<files>{_FILES})\s+stays?\s+(?:exactly\s+)?as\s+(?:it|they)\s+(?:is|are)"
        rf"{_OVER}",
        rf"(?P<files>{_FILE})\s[^.!?;\n]{{0,80}}?[,;]\s*(?:so\s+|and\s+|but\s+)?(?:please\s+)?{_NOT}{_CHANGE}\s+it\b{_OVER}",
        rf"{_ORDER}(?:the\s+)?(?:files?\s+)?(?P<files>{_FILES})\s+(?:must|may|should)\s*(?:not|n['’]t)\s+be\s+{_CHANGED}"
        rf"{_OVER}",
    )
)
_SOURCE = re.compile(
    r"\b(?:loads?|loading|fetch(?:es)?|fetching|reads?|reading|from)\s+(?:the\s+(?:data|file)\s+(?:(?:of|in|from)\s+)?)?"
    rf"(?P<files>{_FILE})(?<=\.json)",
    re.IGNORECASE,
)
"""Data that a new page is to show."""
_SAYS = re.compile(r"\b(?:chang|touch|edit|modif|alter|rewrit|overwrit|leave|keep|stay|remain)", re.IGNORECASE)
_MAKE = r"(?:add|make|create|write)"
_MAKING = r"(?:adding|making|creating|writing)"
_NO_NEW = re.compile(
    rf"(?:{_ORDER}{_NOT}{_MAKE}\s+(?:any\s+|a\s+)?|\bwithout\s+(?:{_MAKING}\s+)?(?:any\s+|a\s+)?|{_ORDER}no\s+)"
    r"new\s+files?(?=\s*(?:[.!,;:)](?!\w)|$|please|at\s+all|for\s+(?:it|this|that)\b))",
    re.IGNORECASE | re.MULTILINE,
)


def kept_files(prompt: str, names: Collection[str]) -> frozenset[str]:
    """Those of `names`, the files of the project, that the request wants to stay as they are: named by their path or,
    where no file has just this path, by the end of it; data that a new page is to load among them. A file that the
    request names elsewhere too may be meant to change, and is not among them."""
    patterns = [*(_KEPT if _SAYS.search(prompt) else ()), *([_SOURCE] if wants_new_file(prompt, names) else ())]
    said: dict[str, int] = {}
    for pattern in patterns:
        for match in pattern.finditer(prompt):
            for one in re.findall(_FILE, match["files"]):
                bare = one.strip("\"'`“”")
                said[bare] = said.get(bare, 0) + 1
    found: set[str] = set()
    for one, times in said.items():
        if len(re.findall(rf"(?<![\w/-]){re.escape(one)}(?![\w/-])", prompt)) == times:
            found.update([one] if one in names else [name for name in names if name.endswith(f"/{one}")])
    return frozenset(found)


def no_new_files(prompt: str, names: Collection[str]) -> bool:
    """Whether a request wants no file beside `names`, those of the project."""
    if not names or _NO_NEW.search(prompt) is None:
        return False
    return not not_there(prompt, frozenset(names)) and not wants_new_file(_NO_NEW.sub(" ", prompt), names)
