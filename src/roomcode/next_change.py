"""What a change has to bring: the first one, as far as the request says it, and the next, after what was found."""

import re
from collections.abc import Sequence
from dataclasses import replace

from roomcode.cures import MARKUP, STYLE, Unfinished, behind_line, cure
from roomcode.handlers import coloured_by_click
from roomcode.limits import kept_files
from roomcode.parts import last_entry, relabelled, unsaid
from roomcode.preview.references import Sources, loaded_by, missing_files, missing_ids
from roomcode.promises import button_named, element_named, missing_buttons, missing_texts
from roomcode.renames import places, renamed
from roomcode.screens import first_media
from roomcode.wording import (
    intent,
    named_files,
    not_there,
    pages_spoken_of,
    placed_files,
    replaced_texts,
    speaks_of_looks,
)

__all__ = [
    "ABSENT",
    "ASKED",
    "IS_THE",
    "TROUBLE",
    "files_of_place",
    "first_change",
    "not_relabelled",
    "not_renamed",
    "unfinished_after",
]

TROUBLE = re.compile(
    r"\b(?:fix|repair|mend|bugs?|broken|breaks?|errors?|wrong|fails?|failing|problems?|trouble|crash(?:es)?|console"
    r"|nothing happens|stays? empty|(?:do|does|is|are|did|has|have)(?:n['’]t|\s+not)|no longer|nothing|missing)\b"
    # How it is, and then how it should be.
    r"|\b(?:whichever|whatever|no\s+matter|always|(?:each|every)\s+time|even\s+(?:if|though|when)|although)\b"
    r"[^\n]{0,300}\b(?:should|supposed)\b"
    r"|\bshould\b[^.\n]{0,150},?\s+but\s+(?:it|they|(?:the|all)\s+\w+)\s+(?:always\s+)?\w+s\b",
    re.IGNORECASE,
)
"""Words of a request that speaks of something that is wrong."""
_LOOKS = (".html", ".htm", ".css", ".js", ".mjs")
_TEXTS = (".html", ".htm", ".css", ".js", ".mjs", ".json", ".svg", ".md", ".txt")
ABSENT = re.compile(r"(\S+) does not exist$")
ASKED = re.compile(r'has (id="[^"]+")$')
"""In findings: a file that is missing, and an id that a script asks for."""
IS_THE = " is the "
"""Of a part of a page that is to say something else."""


def unfinished_after(prompt: str, sources: Sources) -> Unfinished:
    """What is missing once something was found wrong: files, and what the request names or a script asks for."""
    absent = [match[1] for one in missing_files(sources) if (match := ABSENT.match(one.text))]
    files = [name for name in (*absent, *not_there(prompt, sources.names)) if name.lower().endswith(_TEXTS)]
    missing = missing_texts(prompt, sources.texts)
    asked = [match[1] for one in missing_ids(sources) if (match := ASKED.search(one.text))]
    pages = [name for name in sources.pages if "/" not in name] or list(sources.pages)
    styles = [name for name in sources.styles if name in loaded_by(sources)]
    if buttons := missing_buttons(prompt, sources.texts):
        insert = button_named(prompt, buttons[0])
        return Unfinished(tuple(dict.fromkeys(files)), tuple(buttons), tuple(pages), within=MARKUP, insert=insert)
    ids = [*(text for text in missing if text.startswith("id=")), *asked]
    colours = [text for text in missing if text.startswith("#")]
    scripts = [name for name in sources.scripts if name in loaded_by(sources)]
    handler = None if ids else coloured_by_click(prompt, colours, sources)
    if handler is not None:
        return replace(handler, files=tuple(dict.fromkeys(files)))
    # One kind of thing at a time, and where it belongs: a colour in the markup would be read and not seen.
    coloured = [*styles, *scripts] if styles else pages
    texts, homes = (ids, pages) if ids else (colours, coloured) if colours else (missing, [*pages, *scripts])
    within, insert = (MARKUP, f"<{element_named(prompt, ids[0])}") if ids else ("", "")
    if texts is colours and not styles:
        within = STYLE
    homes = homes if missing or asked else []
    return Unfinished(
        tuple(dict.fromkeys(files)), tuple(dict.fromkeys(texts)), tuple(homes), within=within, insert=insert
    )


def files_of_place(prompt: str, sources: Sources) -> tuple[str, ...]:
    """Web files of the place that a request speaks of, with what their pages load. Nothing where it names another file
    or wants a new one."""
    placed = [name for name in placed_files(prompt, sorted(sources.names)) if name.lower().endswith(_LOOKS)]
    if not placed and len(spoken := [name for name in pages_spoken_of(prompt) if name in sources.pages]) == 1:
        placed = spoken
    if not set(placed) & set(sources.pages) or not_there(prompt, sources.names):
        return ()
    if any(name in sources.names and name not in placed for name in named_files(prompt)):
        return ()
    loaded = [name for name, pages in loaded_by(sources).items() if pages & set(placed) and name in sources.texts]
    if not speaks_of_looks(prompt):
        loaded = [name for name in loaded if name not in sources.styles]
    used = "\n".join(sources.texts[name] for name in (*placed, *loaded) if name in sources.texts)
    data = [name for name in sources.texts if name.endswith(".json") and name.rsplit("/", 1)[-1] in used]
    return tuple(dict.fromkeys((*placed, *loaded, *data)))


def first_change(prompt: str, sources: Sources, placed: tuple[str, ...]) -> Unfinished:
    """What a request names and no file holds; a text that is to replace another one goes where that one stands."""
    if intent(prompt) != "change" or not sources.pages:
        return Unfinished(edit=placed)
    if left := [*not_renamed(prompt, sources), *not_relabelled(prompt, sources, placed)]:
        return cure(left[0]) or Unfinished(edit=placed)
    for old, new in replaced_texts(prompt):
        # As a whole: between tags, or in quotes of a script. Where it stands so in several places nobody knows which.
        whole = rf"[>\"'`]\s{{0,20}}{re.escape(old)}\s{{0,20}}[<\"'`]"
        homes = [name for name in placed or sources.texts for _ in re.finditer(whole, sources.texts.get(name, ""))]
        if len(homes) == 1:
            return Unfinished(texts=(new,), edit=(homes[0],), within=rf"[^\n]{{0,200}}{whole}[^\n]{{0,200}}")
    entry = last_entry(prompt, {name: sources.texts[name] for name in sources.pages if not placed or name in placed})
    if entry is not None and entry.text in missing_texts(prompt, sources.texts):
        return behind_line(entry.file, entry.line, entry.text, "<li")
    if (media := first_media(prompt, sources)) is not None and (not placed or media.edit[0] in placed):
        return media
    if not TROUBLE.search(prompt) and (buttons := missing_buttons(prompt, sources.texts)):
        pages = tuple(name for name in placed or sources.pages if name in sources.pages)
        return Unfinished(texts=tuple(buttons), edit=pages, within=MARKUP, insert=button_named(prompt, buttons[0]))
    # What a request quotes that speaks of trouble may be what is wrong.
    missing = [] if TROUBLE.search(prompt) else missing_texts(prompt, sources.texts)
    # A colour may belong to a rule, an attribute or a line of code: it comes when nothing else is missing.
    texts = [text for text in missing if not text.startswith("#")] or missing
    if ids := tuple(text for text in texts if text.startswith("id=")):
        pages = tuple(name for name in placed or sources.pages if name in sources.pages)
        return Unfinished(texts=ids, edit=pages, within=MARKUP, insert=f"<{element_named(prompt, ids[0])}")
    return Unfinished(texts=tuple(texts), edit=placed)


def not_renamed(prompt: str, sources: Sources) -> list[str]:
    """The places where the name stands that a request wants to be another one."""
    wish = renamed(prompt)
    if wish is None:
        return []
    kept, named = kept_files(prompt, sources.names), set(named_files(prompt)) & sources.names
    texts = {name: text for name, text in sources.texts.items() if name not in kept and (not named or name in named)}
    return [f"{file}:{line} still says {wish.old}; write {wish.new} there" for file, line in places(wish, texts)]


def not_relabelled(prompt: str, sources: Sources, placed: Sequence[str]) -> list[str]:
    """The parts of a page that a request wants to say something else, and that do not yet."""
    homes = [name for name in (*named_files(prompt), *placed) if name in sources.pages] or list(sources.pages)
    pages = {name: sources.texts[name] for name in homes}
    wishes = [(wish, unsaid(wish, pages)) for wish in relabelled(prompt)]
    return [f"{at[0]}:{at[1]}{IS_THE}{wish.kind}: write {wish.new} there" for wish, at in wishes if at is not None]
