"""What a click on a named button does, in colours: the change that begins its handler in a script of the page."""

import re
from collections.abc import Sequence

from roomcode.cures import Unfinished
from roomcode.preview.references import Sources, loaded_by
from roomcode.wording import named_buttons, sentence_with

__all__ = ["coloured_by_click"]

_ON_CLICK = re.compile(r"\b(?:click\w*|press(?:ing|ed|es)?|tap(?:ping|ped|s)?|toggles?)\b", re.IGNORECASE)
_CALLED = re.compile(r"\bonclick\s*=\s*[\"']\s*([A-Za-z_$][\w$]*)\(", re.IGNORECASE)
_ID = re.compile(r"\bid\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)


def coloured_by_click(prompt: str, colours: Sequence[str], sources: Sources) -> Unfinished | None:
    """Where colours go that come with a click: into the handler of the one button that a request names. None where no
    click is spoken of, or no script is loaded."""
    users = loaded_by(sources)
    scripts = [name for name in sources.scripts if users.get(name) and sources.texts[name].strip()]
    if not colours or not scripts or not _ON_CLICK.search(sentence_with(prompt, colours[0])):
        return None
    labels = named_buttons(prompt)
    insert = _begun(labels[0], sources, scripts) if len(labels) == 1 and len(scripts) == 1 else ""
    if not insert:
        return Unfinished(texts=tuple(colours), edit=tuple(scripts))
    within = _last_lines(sources.texts[scripts[0]])
    return Unfinished(texts=tuple(colours), edit=tuple(scripts), within=within, entire=True, insert=insert)


def _begun(label: str, sources: Sources, scripts: Sequence[str]) -> str:
    """The first line of the handler of a button that has none yet; "" else."""
    code = "\n".join(sources.texts[name] for name in scripts)
    tag = re.compile(rf"<button\b([^<>]*)>\s*{re.escape(label)}\s*</button", re.IGNORECASE)
    found = [match[1] for name in sources.pages for match in tag.finditer(sources.texts[name])]
    if len(found) != 1:
        return ""
    called, named = _CALLED.search(found[0]), _ID.search(found[0])
    if called is not None:
        known = re.search(rf"\bfunction\s+{re.escape(called[1])}\b|\b{re.escape(called[1])}\s*=", code)
        return "" if known else f"\nfunction {called[1]}() {{\n"
    if named is None or re.search(rf"(?<![\w-]){re.escape(named[1])}(?![\w-])", code):
        return ""
    return f'\ndocument.getElementById("{named[1]}").addEventListener("click", () => {{\n'


def _last_lines(text: str) -> str:
    """The pattern of the fewest last lines that stand in the text once."""
    lines = text.rstrip().split("\n")
    first = len(lines) - 1
    while first and text.count("\n".join(lines[first:]).strip()) > 1:
        first -= 1
    return rf"(?s)\A(?:[^\n]*\n){{{first}}}[ \t]*(\S.*?)\s*\Z"
