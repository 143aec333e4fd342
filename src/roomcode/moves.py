"""A request that moves the inline scripts or styles of a page into a file of their own: what that file has to hold.

Pure functions on texts. Small models lose a line when they copy, so where there is no doubt which blocks of which page
go into which new file, the new file's text is known before it is written. Whatever is not sure gives nothing.
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from roomcode.preview.declarations import parsed, walk
from roomcode.preview.markup import SCRIPT_TYPES, Element, Inline, parse_html
from roomcode.wording import BEFORE_A_WISH, intent, named_files, not_there

__all__ = ["moved_text", "not_moved"]

Kind = Literal["script", "style"]

_PAGES: Final = (".html", ".htm")
_ENDINGS: Final[Mapping[Kind, tuple[str, ...]]] = {"script": (".js", ".mjs"), "style": (".css",)}
_STYLE_TYPES: Final = {"", "text/css"}
_LONGEST: Final = 2000
"""Characters of a request; in a longer one a move is one wish of many, or a part of something that was pasted."""

_FILE = r"[\"'`“(]?(?:[\w-]+/){0,8}[\w-]+\.(?:css|m?js)\b(?![\w/-]|\.\w)[\"'`”)]?"
_PAGE = r"[\"'`“(]?(?:[\w-]+/){0,8}[\w-]+\.html?\b(?![\w/-]|\.\w)[\"'`”)]?"
_AND = r"\s*(?:,\s*and\b|,|;|\band\b|&)\s*"
_WHOSE = (
    rf"(?:all|of|the|its|our|my|this|any|inline|embedded|internal|existing|whole|entire|complete"
    rf"|page['’]s|{_PAGE}['’]s)\s+"
)
_SCRIPT = r"java\s?scripts?|js|scripts?"
_STYLE = r"css|styles?|style\s?sheets?|styling"
_OBJECT = (
    rf"(?:{_WHOSE}){{0,4}}(?:(?:code|contents?|text)\s+of\s+(?:{_WHOSE}){{0,3}})?[<`]{{0,2}}(?:{_SCRIPT}|{_STYLE})\b"
    r"[>`]{0,2}(?:\s+(?:blocks?|code|contents?|elements?|rules?|sections?|tags?)\b)?"
)
_PLACE = (
    rf"(?:(?:the|this|our|my|your)\s+)?(?:(?:page|file)\s+)?"
    rf"(?:{_PAGE}|(?:html(?:\s+(?:page|file))?|page|document|site|website)\b(?![-/.]\w))"
)
_SOURCE = rf"\s+(?:(?:that|which)\s+(?:is|are)\s+)?(?:out\s+of|of|from|in|inside|within)\s+(?P<source>{_PLACE})"
_FILL = (
    r"(?:(?:an?|the|one|its|their|his|own|new|separate|external|another|extra|different|single|dedicated|respective"
    r"|files?|style\s?sheets?|scripts?|css|java\s?script|js|called|named)\b[:,(]?\s*)"
)
_CALLED = r"(?:of\s+(?:its|their)\s+own\b[:,]?\s*)?(?:\.?\s*(?:and\s+)?(?:name|call)\s+(?:it|them)\s+)?"
_FILES = rf"{_FILL}{{0,6}}{_CALLED}{_FILE}(?:{_AND}{_FILL}{{0,6}}{_FILE})?"
_INTO = (
    rf"(?:{_AND}(?:then\s+)?(?:put|place|save|store|move|write)\s+(?:it|them|this|that|everything))?"
    rf"\s+(?:and\s+)?(?:in\s?to|to|in)\s+(?:(?P<files>{_FILES})|(?:it|there|that\s+file)\b)"
)
_CLAUSE = re.compile(rf"(?P<what>{_OBJECT}(?:{_AND}{_OBJECT})?)(?:{_SOURCE})?{_INTO}", re.IGNORECASE)
_MORE = re.compile(_AND, re.IGNORECASE)
_VERB = re.compile(
    rf"(?:{BEFORE_A_WISH})(?:please\s+|now\s+|also\s+|then\s+|just\s+)*"
    r"(?P<verb>extract|factor|move|outsource|pull|put|relocate|separate|split|take|transfer)(?:\s+(?:off|out|up))?\s+",
    re.IGNORECASE,
)
_SPLIT = re.compile(
    rf"(?:{BEFORE_A_WISH})(?:break|divide|separate|split)(?:\s+up)?\s+(?P<source>{_PLACE})(?:\s+up)?\s+into"
    rf"(?P<what>)\s+{_FILL}{{0,6}}"
    rf"(?P<files>(?:(?:{_PAGE}|{_FILE})(?:{_AND}{_FILL}{{0,6}})?){{1,4}})",
    re.IGNORECASE,
)
_NOT_ALL = re.compile(
    r"\b(?:except|excluding|apart\s+from|other\s+than|besides|unless|but\s+not|only\s+(?:the|those|what)"
    r"|(?:half|parts?|some|most|one)\s+of|(?:leave|keep)\b[^.;\n]{0,60}\b(?:inline|in\s+(?:the\s+)?(?:page|html|head|body)))\b",
    re.IGNORECASE,
)
"""Words of a request that leaves something where it is."""
_OTHERWISE = re.compile(
    r"\b(?:modules?|imports?|exports?|minif\w*|uglif\w*|type\s?script|scss|sass|wrap\w*|iife|rewrit\w*|convert\w*"
    r"|transpil\w*)\b",
    re.IGNORECASE,
)
"""Words of a request that wants more than the same text in another place."""


@dataclass(frozen=True, slots=True)
class _Move:
    """One kind of block that goes from a page ("" where none is named) into a file."""

    kind: Kind
    page: str
    file: str


def moved_text(prompt: str, texts: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    """From the path of each new file into which the request moves all inline scripts or styles of one page, to the text
    that it has to hold. `texts` are the pages by name, `names` all files of the project."""
    found: dict[str, str] = {}
    moves = _moves(prompt)
    if not moves or _NOT_ALL.search(prompt) or _OTHERWISE.search(prompt):
        return found
    new = set(not_there(prompt, frozenset(names)))
    rest = tuple(new - {move.file for move in moves})
    for move in moves:
        if any(name.endswith(_ENDINGS[move.kind]) for name in rest):
            continue  # a part of it may go there
        alike = [one for one in moves if one.file == move.file or (one.kind, one.page) == (move.kind, move.page)]
        page = _home(move, prompt, texts)
        if len(alike) == 1 and move.file in new and page and (text := _together(move, texts[page], page)):
            found[move.file] = text
    return found


def not_moved(prompt: str, texts: Mapping[str, str]) -> list[str]:
    """Styles or scripts that were to be moved into a file of their own, that are there and in their page still. One
    line each, with what to write."""
    said: dict[Kind, str] = {move.kind: move.file for move in reversed(_moves(prompt))}
    lines = []
    words: tuple[tuple[Kind, str], ...] = (("style", "css|styles?"), ("script", "javascript|js|scripts?"))
    for kind, pattern in words:
        wish = re.search(
            rf"\b(?:move|extract|split|separate)\b.{{0,60}}\b(?:{pattern})\b.{{0,80}}\bfile", prompt, re.IGNORECASE
        )
        named = [said[kind]] if kind in said else named_files(prompt) if wish is not None else []
        made = next((name for name in named if name.endswith(_ENDINGS[kind]) and name in texts), None)
        if made is None:
            continue
        lines += [
            f"{name}:{line} still holds the <{kind}> that {made} has now; {cure}"
            for name, text in texts.items()
            if name.lower().endswith(_PAGES)
            for line, cure in _left_behind(name, text, kind, made, texts[made])
        ]
    return lines


def _left_behind(page: str, text: str, kind: Kind, made: str, moved: str) -> list[tuple[int, str]]:
    """(line, what to do) for each style or script of a page that is in the file `made`, with all that it says."""
    address = posixpath.relpath(made, posixpath.dirname(page) or ".")
    loaded = re.search(rf"\b(?:src|href)\s*=\s*[\"']?(?:\./)?{re.escape(address)}[\"'\s>]", text) is not None
    there = {line.strip() for line in moved.split("\n")}
    found = []
    for block in re.finditer(rf"<{kind}\b(?P<how>[^<>]*)>(?P<body>.*?)</{kind}\s*>", text, re.IGNORECASE | re.DOTALL):
        how = block["how"]
        lines = [line.strip() for line in block["body"].split("\n") if line.strip()]
        if not lines or re.search(r"\bsrc\s*=|\btype\s*=(?!\s*[\"']?(?:text/|module|$))", how, re.IGNORECASE):
            continue
        if sum(line in there for line in lines) * 10 >= len(lines) * 9:
            module = ' type="module"' if re.search(r"\btype\s*=\s*[\"']?module\b", how, re.IGNORECASE) else ""
            link = f'<script{module} src="{address}"></script>'
            link = link if kind == "script" else f'<link rel="stylesheet" href="{address}">'
            found.append(
                (text.count("\n", 0, block.start()) + 1, "take it out" if loaded else f"write {link} in its place")
            )
            loaded = True
    return found


def _moves(prompt: str) -> list[_Move]:
    """What the request says in so many words, each once."""
    if len(prompt) > _LONGEST or intent(prompt) == "question":
        return []
    named = named_files(prompt)
    found: list[_Move] = []
    for clause in _clauses(prompt):
        # "into it" means what was named before.
        files = _names(clause["files"] or prompt[: clause.start()], _FILE)
        by_kind = {kind: [name for name in files if name.endswith(_ENDINGS[kind])] for kind in _ENDINGS}
        kinds = _kinds(clause["what"]) or {kind for kind in _ENDINGS if by_kind[kind]}
        if clause["files"] and any(by_kind[kind] for kind in _ENDINGS if kind not in kinds):
            continue
        if any(len(by_kind[kind]) != 1 or by_kind[kind][0] not in named for kind in kinds):
            continue
        page = next(iter(_names(clause["source"] or clause[0], _PAGE)), "")
        found += [_Move(kind, page, by_kind[kind][0]) for kind in _ENDINGS if kind in kinds]
    return list(dict.fromkeys(found))


def _clauses(prompt: str) -> Iterator[re.Match[str]]:
    """What follows a verb, like "the styles of index.html into style.css", and what follows that in the same way."""
    yield from _SPLIT.finditer(prompt)
    for verb in _VERB.finditer(prompt):
        clause = _CLAUSE.match(prompt, verb.end())
        if clause is not None and verb["verb"].lower() == "put" and not _is_there(clause):
            continue
        while clause is not None:
            yield clause
            more = _MORE.match(prompt, clause.end())
            clause = _CLAUSE.match(prompt, more.end()) if more is not None else None


def _is_there(clause: re.Match[str]) -> bool:
    """Whether it says where its scripts or styles are; else they may be what the request wants to be written."""
    return bool(clause["source"]) or "inline" in clause["what"].lower()


def _kinds(what: str) -> set[Kind]:
    words = re.sub(_PAGE, " ", what, flags=re.IGNORECASE)  # a page may be called script.html
    patterns: tuple[tuple[Kind, str], ...] = (("script", _SCRIPT), ("style", _STYLE))
    return {kind for kind, pattern in patterns if re.search(rf"\b(?:{pattern})\b", words, re.IGNORECASE)}


def _names(text: str, pattern: str) -> list[str]:
    found = [match[0].strip("\"'`“”()") for match in re.finditer(pattern, text, re.IGNORECASE)]
    return list(dict.fromkeys(found))


def _home(move: _Move, prompt: str, texts: Mapping[str, str]) -> str:
    """The page that a move speaks of; "" where it may be one of several."""
    pages = [name for name in texts if name.lower().endswith(_PAGES)]
    named = [move.page] if move.page else _names(prompt, _PAGE)
    if len(named) > 1:
        return ""
    if named:
        found = [name for name in pages if name == named[0]] or [n for n in pages if n.endswith(f"/{named[0]}")]
    else:
        found = [name for name in pages if _blocks(move.kind, texts[name]) != []]
    return found[0] if len(found) == 1 else ""


def _together(move: _Move, text: str, page: str) -> str:
    """The text of all blocks that are moved; "" where the page would not work with it as with the blocks."""
    blocks = _blocks(move.kind, text)
    if not blocks:
        return ""
    modules = [block for block in blocks if block.module]
    # Modules do not see each other's names, and scripts that are none have no names of their own.
    if modules and len(blocks) > 1:
        return ""
    if move.kind == "script" and move.file.endswith(".mjs") and not modules:
        return ""
    whole = "\n\n".join(_set_back(block.text, move.kind) for block in blocks) + "\n"
    if posixpath.dirname(move.file) != posixpath.dirname(page):
        # Which folder a bare name means is open, and addresses in the text would lead elsewhere.
        elsewhere = r"\bimport\b" if move.kind == "script" else r"\burl\(|@import\b"
        if not posixpath.dirname(move.file) or re.search(elsewhere, whole, re.IGNORECASE):
            return ""
    return whole


def _blocks(kind: Kind, text: str) -> list[Inline] | None:
    """The inline scripts or styles of a page, in order, without empty ones and those of templates; None where they
    cannot be told, or are not for every browser and medium."""
    markup = parse_html(text.replace("\r\n", "\n"))
    elements = [one for one in markup.elements if one.tag == kind and (kind == "style" or _is_meant(one))]
    inline = markup.scripts if kind == "script" else markup.styles
    if len(elements) != len(inline) or any(f"<{kind}>" in fault for _, fault in markup.errors):
        return None
    pairs = zip(elements, inline, strict=True)
    kept = [(one, part) for one, part in pairs if _is_meant(one) and not one.inert and part.text.strip()]
    if any("nomodule" in one.attributes or one.attributes.get("media", "all") != "all" for one, _ in kept):
        return None
    return [part for _, part in kept]


def _is_meant(element: Element) -> bool:
    """Whether an element holds a script or a style that the browser uses, and none that is a file already."""
    kind = element.attributes.get("type", "").strip().lower()
    if element.tag == "script":
        return "src" not in element.attributes and kind in SCRIPT_TYPES
    return kind in _STYLE_TYPES


def _set_back(body: str, kind: Kind) -> str:
    """The text of a block without the indentation that all its lines share, and without blank lines around it. Where
    that would change a text in it, the lines stay as they are."""
    lines = re.sub(r"\A(?:[ \t]*\n)+", "", body).rstrip().split("\n")
    shown = [line for line in lines if line.strip()]
    shared = shown[0][: len(shown[0]) - len(shown[0].lstrip())]
    while not all(line.startswith(shared) for line in shown):
        shared = shared[:-1]
    shorter = [line.removeprefix(shared) if line.strip() else "" for line in lines]
    inside = {row for row in range(1, len(lines)) if lines[row - 1].endswith("\\")}
    inside |= _rows_in_templates("\n".join(lines)) if kind == "script" else set()
    changed = any(shorter[row] != lines[row] for row in inside)
    return "\n".join(lines if changed else shorter)


def _rows_in_templates(script: str) -> set[int]:
    """Lines of a script, from 0, that begin inside a template literal."""
    if "`" not in script:
        return set()
    root = parsed(script)
    if root.has_error:
        return set(range(script.count("\n") + 1))
    return {
        row
        for node in walk(root)
        if node.type == "template_string"
        for row in range(node.start_point[0] + 1, node.end_point[0] + 1)
    }
