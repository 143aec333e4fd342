"""An edit that was meant to add something and would take away what stands there.

Asked for one more button, a small model replaces a button that is there by the new one. Where an edit loses what the
request does not speak of, and the request only adds, or the rest of the project still asks for it, the replaced text is
kept and the new one goes behind it.
"""

import re
from collections.abc import Callable
from pathlib import Path

from roomcode.preview.references import (
    Finding,
    Sources,
    dead_handlers,
    missing_ids,
    read_sources,
    syntax_errors,
    with_text,
)
from roomcode.promises import missing_texts
from roomcode.wording import adds_only, takes_away

__all__ = ["additions", "kept"]

_HTML, _SCRIPT, _STYLE = (".html", ".htm"), (".js", ".mjs"), (".css",)
_ID = re.compile(r"\bid\s*=\s*[\"']([^\"']+)[\"']")
_SHOWN = re.compile(r">([^<>]*\w[^<>]*)<")
_ADDRESS = re.compile(r"\b(?:src|href)\s*=\s*[\"']([^\"'#]+)[\"']")
_ASKED = re.compile(r"getElementById\(\s*[\"'`]([\w-]+)[\"'`]|querySelector(?:All)?\(\s*[\"'`]#([\w-]+)[\"'`]")
_DEFINED = re.compile(r"\bfunction\s+(\w+)|\b(?:const|let|var|class)\s+(\w+)")
_SELECTOR = re.compile(r"(?:^|\})\s*([^{}@;]+?)\s*\{")
_TAG_IN_SCRIPT = re.compile(r"</?script\b", re.IGNORECASE)


def additions(root: Path) -> Callable[[str, str, str, int, int, str], str | None]:
    """`kept` for the project in a folder, as it is on disk at each call."""

    def keep(prompt: str, name: str, text: str, start: int, end: int, new: str) -> str | None:
        if _is_change(text[start:end], new):
            return None  # most edits, and nothing is read for them
        return kept(prompt, read_sources(root), name, text, start, end, new)

    return keep


def kept(prompt: str, sources: Sources, name: str, text: str, start: int, end: int, new: str) -> str | None:
    """What an edit should put in place of `text[start:end]` so that nothing is lost: that text with `new` behind it;
    None when the edit is right as it is, or nobody can say.

    `name` is the file's path in the project, `text` what it holds, `new` what the edit would put there.
    """
    old = text[start:end]
    if _is_change(old, new):
        return None
    sources = with_text(sources, name, text)
    before, after = _names(name, old), _names(name, new)
    changed = text[:start] + new + text[end:]
    gone = {one for one in before - after if one not in changed}
    spoken = prompt.casefold()
    unspoken = {one for one in gone if one.casefold() not in spoken}
    present = _faults(prompt, sources)
    lost = _faults(prompt, with_text(sources, name, changed)) - present
    if takes_away(prompt) and gone and not unspoken:
        # What the request speaks of may go, but not what it wants.
        lost = {fault for fault in lost if fault[0] == ""}
    if not (lost or (unspoken and after - before and adds_only(prompt))):
        return None
    together = old + _between(name, text, start, end) + new
    beside = with_text(sources, name, text[:start] + together + text[end:])
    return None if _faults(prompt, beside) - present else together


def _is_change(old: str, new: str) -> bool:
    """Whether `new` is nothing, or half of the lines of one stand in the other too: no addition."""
    if not new.strip():
        return True
    lines, others = ({line.strip() for line in text.split("\n") if line.strip()} for text in (old, new))
    return len(lines & others) * 2 >= min(len(lines), len(others))


def _names(name: str, piece: str) -> set[str]:
    """What a piece of a file brings into the project: ids, shown texts and addresses; names and ids that are asked for;
    selectors."""
    lower = name.lower()
    if lower.endswith(_STYLE):
        return {match[1] for match in _SELECTOR.finditer(piece)}
    names = {one for match in _ASKED.finditer(piece) for one in match.groups() if one}
    if lower.endswith(_SCRIPT):
        return names | {one for match in _DEFINED.finditer(piece) for one in match.groups() if one}
    if lower.endswith(_HTML):
        shown = set() if _TAG_IN_SCRIPT.search(piece) else {match[1].strip() for match in _SHOWN.finditer(piece)}
        return names | shown | {match[1] for p in (_ID, _ADDRESS) for match in p.finditer(piece)}
    return set()


def _between(name: str, text: str, start: int, end: int) -> str:
    """What separates two pieces at this place: a new line with the indentation of the first, or a space."""
    line = text.rfind("\n", 0, start) + 1
    indentation = text[line:start]
    whole = not indentation.strip() and (end >= len(text) or text[end] == "\n")
    if whole:
        return "\n" + indentation
    return " " if name.lower().endswith(_HTML) else "\n"


def _faults(prompt: str, sources: Sources) -> set[tuple[str, str]]:
    """Faults without their lines, which an edit moves, and what the request names in vain."""
    looks: tuple[Callable[[Sources], list[Finding]], ...] = (syntax_errors, missing_ids, dead_handlers)
    wishes = {("", wish) for wish in missing_texts(prompt, sources.texts)}
    return wishes | {(finding.path, finding.text) for look in looks for finding in look(sources)}
