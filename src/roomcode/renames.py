"""A request that wants a name of the code to be another one, and where the old one still stands.

Only code is looked at: a function `add` has nothing to do with a text that says "add", nor with `classList.add`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

__all__ = ["Rename", "places", "renamed"]

_NAME = r"[`'\"“]?(?P<%s>[A-Za-z_$][\w$-]*)(?:\(\))?[`'\"”]?"
_RENAME = re.compile(
    r"\brename\s+(?:the\s+)?(?P<kind>function|class|id)\s+"
    rf"{_NAME % 'old'}\s+(?:to|into|as)\s+{_NAME % 'new'}",
    re.IGNORECASE,
)
_NO_CODE = re.compile(
    r"(?P<template>`(?:[^`\\]|\\.)*`)|//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'",
    re.DOTALL,
)
_INSERTED = re.compile(r"\$\{([^{}]*)\}")
_NEGATED = re.compile(r"\b(?:not|never|no|without|if|when|why)\b[^.!?;\n]*$|n['’]t\b[^.!?;\n]*$", re.IGNORECASE)
_NO_NAMES = {"a", "an", "the", "something", "anything", "one", "it", "its", "that", "this", "some", "be", "use", "what"}
_CODE_OF_PAGE = re.compile(
    r"<script\b[^>]*>(?P<script>.*?)</script\s*>|\son\w+\s*=\s*(?:\"(?P<one>[^\"]*)\"|'(?P<two>[^']*)')",
    re.IGNORECASE | re.DOTALL,
)
_SCRIPT, _PAGE = (".js", ".mjs"), (".html", ".htm")


@dataclass(frozen=True, slots=True)
class Rename:
    """A name, the new one, and what it is the name of."""

    kind: str
    old: str
    new: str


def renamed(prompt: str) -> Rename | None:
    """The one function, variable, class or id that a request wants to be called something else."""
    found = {
        Rename(match["kind"].lower(), match["old"], match["new"])
        for match in _RENAME.finditer(prompt)
        if not _NEGATED.search(prompt, 0, match.start()) and match["new"].lower() not in _NO_NAMES
    }
    wish = found.pop() if len(found) == 1 else None
    dashed = wish is not None and "-" in wish.old + wish.new
    return None if wish is None or (dashed and wish.kind == "function") else wish


def places(rename: Rename, texts: Mapping[str, str]) -> list[tuple[str, int]]:
    """(file, line from 1) of each place where the old name stands; `texts` are the project's files by name."""
    pattern, look = _PATTERNS.get(rename.kind, (_CODE_NAME, _code))
    word = re.compile(pattern % {"name": re.escape(rename.old)})
    return [
        (name, text.count("\n", 0, match.start()) + 1)
        for name, whole in texts.items()
        for text in (look(name, whole),)
        for match in word.finditer(text)
    ]


def _code(name: str, text: str) -> str:
    """Of a script or page the code alone, without its strings and comments, with every line where it was."""
    if name.lower().endswith(_SCRIPT):
        return _NO_CODE.sub(_blank, text)
    if not name.lower().endswith(_PAGE):
        return ""
    found, end = [], 0
    for match in _CODE_OF_PAGE.finditer(text):
        group = next((one for one in ("script", "one", "two") if match[one] is not None), "")
        start, stop = match.span(group)
        found += [_lines(text[end:start]), _NO_CODE.sub(_blank, match[group]), " "]
        end = stop
    return "".join(found)


def _everything(_name: str, text: str) -> str:
    return text


def _blank(match: re.Match[str]) -> str:
    if match["template"] is None:
        return _lines(match[0])
    # Of a template the inserted code stays.
    parts, end = [], 0
    for inserted in _INSERTED.finditer(match[0]):
        parts += [_lines(match[0][end : inserted.start()]), inserted[1], " "]
        end = inserted.end()
    return "".join([*parts, _lines(match[0][end:])])


def _lines(text: str) -> str:
    return "\n" * text.count("\n") or " "


_CODE_NAME = r"(?<![\w$])(?<![\w$)\]]\.)%(name)s(?![\w$])(?!\s*:(?!:))"
_PATTERNS: Mapping[str, tuple[str, Callable[[str, str], str]]] = {
    "id": (
        r"(?:(?<![\w-])(?:id|for|aria-(?:labelledby|describedby|controls|owns))\s*=\s*[\"']?"
        r"|getElementById\(\s*[\"'`]|#(?![0-9a-fA-F]{3,8}\b))%(name)s(?![\w-])",
        _everything,
    ),
    "class": (
        r"(?:(?<![\w)\].])\.|(?<![\w-])class\s*=\s*[\"'](?:[^\"'<>]*\s)?|classList\.\w+\(\s*[\"'`]"
        r"|getElementsByClassName\(\s*[\"'`]|\b(?:class|new|extends)\s+(?=[A-Z]))%(name)s(?![\w-])",
        _everything,
    ),
}
