"""Parts of a page that a request wants to say something else ("change the second heading to …"), and where they stand.

Pure functions on texts. Where a request may mean one of several parts nothing is said.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Addition", "Relabel", "last_entry", "relabelled", "unsaid"]

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL = rf"(?P<nth>{'|'.join(_ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th)|last)"
_TAGS = {
    "heading": "h[1-6]", "headline": "h[1-6]", "footer": "footer", "button": "button", "link": "a", "label": "label",
    "caption": "caption|figcaption", "legend": "legend", "paragraph": "p", "list item": "li", "list entry": "li",
    "column heading": "th", "column header": "th", "column": "th", "summary": "summary",
}  # fmt: skip
"""What a request calls a part, and the tags that it may have."""
_KIND = rf"(?P<main>(?:main|page|top)\s+)?(?P<kind>{'|'.join(sorted(_TAGS, key=len, reverse=True))})"
_WORDS = r"(?:text|wording|content|words|label|caption|title)\s+(?:of|in|on)\s+(?:the\s+)?"
_NEW = r"[\"“](?P<new>[^\"“”\n]{1,80})[\"”]"
# Between the part and what it is to say: where it stands ("of the page (h1)"), no other verb and no other text.
_BETWEEN = r"(?P<between>(?:(?!\b(?:so|that|when|if|and|by|from)\b)[^\"“”.;:,\n]){0,50}?)"
_CHANGE = re.compile(
    rf"\b(?:change|set|update|rename|turn)\s+(?:the\s+|our\s+|my\s+)?(?:{_WORDS})?(?:{_ORDINAL}\s+)?{_KIND}\b{_BETWEEN}"
    rf"\b(?:to|into)\s+(?:say\s+|read\s+|be\s+)?{_NEW}",
    re.IGNORECASE,
)
_SHOULD = re.compile(
    rf"\bthe\s+(?:{_ORDINAL}\s+)?{_KIND}\b{_BETWEEN}\b(?:should|must|has to)\s+(?:now\s+)?(?:say|read|be)\s+{_NEW}",
    re.IGNORECASE,
)
_MAKE = re.compile(
    rf"\b(?:make|let|have)\s+the\s+(?:{_ORDINAL}\s+)?{_KIND}\b{_BETWEEN}\b(?:say|read)\s+{_NEW}", re.IGNORECASE
)
_IN_USE = re.compile(r"\b(?:when|whenever|while|after|once|click\w*|press\w*|toggl\w*)\b", re.IGNORECASE)
"""Words of a sentence that tells what happens while a page is used."""
_NO_TEXT = re.compile(r"\b(?:class|id|address|href|url|width|height|size|colou?r|style|icon)\b", re.IGNORECASE)
_VALUE = re.compile(r"\.{0,2}[/#]\S*|https?:\S+|mailto:\S+|\d+(?:\.\d+)?(?:px|r?em)", re.IGNORECASE)
"""What an attribute or a style is to be, and no text."""
_LEVEL = re.compile(r"\bh([1-6])\b", re.IGNORECASE)
_NOT_SHOWN = re.compile(r"<!--.*?-->|<(script|style|template|noscript|head)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_PAGE = (".html", ".htm")


_ADD = re.compile(
    rf"\badd\s+(?:an?|the|another|one\s+more)\s+(?:new\s+)?(?:entry|item|list\s+(?:item|entry)|bullet(?:\s+point)?)\s+"
    rf"(?:called\s+|named\s+|that\s+says\s+)?{_NEW}(?P<rest>[^.!?\n]*)",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:top|beginning|start|first|before|above|between|after|behind|under|below|when|button|field|each|every)\b",
    re.IGNORECASE,
)
"""Words of such a sentence that want it at another place, or later."""
_LISTS = re.compile(r"<(ul|ol)\b[^<>]*>(?P<inside>.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_ENTRY = re.compile(r"<li\b[^<>]*>[^\n]*?</li\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Addition:
    """An entry that is to be added: what it says, and file and line (from 1) of the one that it comes behind."""

    text: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Relabel:
    """A part of a page and what it is to say. `nth` counts from 1, -1 is the last, 0 the only one."""

    kind: str
    tags: str
    nth: int
    new: str


def relabelled(prompt: str) -> list[Relabel]:
    """The parts that a request wants to say something else, each once."""
    found: dict[Relabel, None] = {}
    for pattern in (_CHANGE, _SHOULD, _MAKE):
        for match in pattern.finditer(prompt):
            sentence = re.split(r"(?<=[.!?])\s|\n", prompt[: match.start()])[-1]
            behind = re.split(r"[.!?;\n]", prompt[match.end() :])[0]
            if _IN_USE.search(sentence) or _IN_USE.search(behind) or not re.search(r"\w", match["new"]):
                continue
            if _NO_TEXT.search(match["between"]) or _VALUE.fullmatch(match["new"].strip()):
                continue
            kind = " ".join(match["kind"].lower().split())
            tags = _TAGS[kind]
            if kind.startswith("head"):
                level = _LEVEL.search(match["between"])
                tags = f"h{level[1]}" if level else "h1" if match["main"] else tags
            name = f"{match['nth'].lower()} {kind}" if match["nth"] else kind
            found[Relabel(name, tags, _number(match["nth"]), match["new"].strip())] = None
    return list(found)


def unsaid(relabel: Relabel, texts: Mapping[str, str]) -> tuple[str, int] | None:
    """(file, line from 1) of the part, when it does not say yet what it is to say. None when it does, when it is not
    clear which it is, and when its text has several lines. `texts` are the pages that it may be on."""
    pages = {name: _shown_only(text) for name, text in texts.items() if name.lower().endswith(_PAGE)}
    wanted = _flat(relabel.new)
    pattern = re.compile(rf"<({relabel.tags})(?=[\s>])[^<>]*>(?P<inside>.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)
    parts = [(name, match) for name, text in pages.items() for match in pattern.finditer(text)]
    if relabel.nth and len({name for name, _ in parts}) > 1:
        return None
    if relabel.nth == 0:
        chosen = parts if len(parts) == 1 else []
    else:
        chosen = _nth(parts, relabel.nth, wanted)
    if len(chosen) != 1 or _says(chosen[0][1]["inside"], wanted):
        return None
    name, match = chosen[0]
    inside = match["inside"].rstrip()
    start = match.start("inside") + len(inside) - len(inside.lstrip())
    if "\n" in inside.strip():
        return None
    return name, pages[name].count("\n", 0, start) + 1


def last_entry(prompt: str, texts: Mapping[str, str]) -> Addition | None:
    """Where the one entry goes that a request adds to the only list of the pages `texts`; None where another place is
    meant, or a script may make the entries."""
    wishes = [match for match in _ADD.finditer(prompt) if not _ELSEWHERE.search(match["rest"])]
    pages = {name: text for name, text in texts.items() if name.lower().endswith(_PAGE)}
    lists = [(name, found) for name, text in pages.items() for found in _LISTS.finditer(_shown_only(text))]
    if len(wishes) != 1 or len(lists) != 1:
        return None
    name, found = lists[0]
    entries = list(_ENTRY.finditer(found["inside"]))
    if not entries or "<ul" in found["inside"].lower() or "<ol" in found["inside"].lower():
        return None
    line = pages[name].count("\n", 0, found.start("inside") + entries[-1].start()) + 1
    return Addition(wishes[0]["new"].strip(), name, line)


def _shown_only(text: str) -> str:
    """A page without comments and scripts, which may hold tags; every character and line keeps its place."""
    return _NOT_SHOWN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _nth(parts: list[tuple[str, re.Match[str]]], nth: int, wanted: str) -> list[tuple[str, re.Match[str]]]:
    """The part with this number: among all, or among those of one tag, where pages have a title above the rest. Of
    several the one that shares words with the new text."""
    by_tag: dict[str, list[tuple[str, re.Match[str]]]] = {}
    for part in parts:
        by_tag.setdefault(part[1][1].lower(), []).append(part)
    at = nth - 1 if nth > 0 else nth
    found = {
        id(group[at][1]): group[at]
        for group in (parts, *by_tag.values())
        if len(group) > 1 and -len(group) <= at < len(group)
    }
    if len(found) > 1:
        if done := [part for part in found.values() if _says(part[1]["inside"], wanted)]:
            return done[:1]
        words = set(re.findall(r"\w+", wanted))
        shared = {key: len(words & set(re.findall(r"\w+", _flat(part[1]["inside"])))) for key, part in found.items()}
        most = max(shared.values())
        found = {key: part for key, part in found.items() if most and shared[key] == most}
    return list(found.values())


def _says(inside: str, wanted: str) -> bool:
    """Beside other elements a part may say more."""
    return _flat(inside) == wanted or ("<" in inside and wanted in _flat(inside))


def _number(word: str | None) -> int:
    if not word:
        return 0
    word = word.lower()
    if word == "last":
        return -1
    return _ORDINALS.index(word) + 1 if word in _ORDINALS else int(word[:-2])


def _flat(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", text)).casefold().split())
