"""How findings are told: each once, those a change concerns, with the request's words and the place of the cure."""

import re
from collections.abc import Sequence

from roomcode.preview.references import Finding, Sources, loaded_by, syntax_errors
from roomcode.wording import sentence_with

__all__ = [
    "NO_SCRIPT",
    "concerns",
    "distinct",
    "told_by_browser",
    "with_rows",
    "with_script",
    "with_sentence",
    "with_writers",
]

_FILE_NAME = re.compile(r"(?:[\w-]+/)*[\w-]+\.\w+")
_PLACE = re.compile(r"^(?:after .*?: )?\S+:\d+ ")
_UNKNOWN = re.compile(r"\b(\w+)\(\) is (?:called here|in a module)|^after .* ReferenceError: (\w+) is not defined")
_NOT_DEFINED = re.compile(r"ReferenceError: (\w+) is not defined")
_TAG = re.compile(r"<script src=[^>]*>")
NO_SCRIPT = "the page has no script, add one before </body>"
"""What is said of buttons that nothing can listen to."""
_NAMED = re.compile(r'(id="[^"]+"|#[0-9a-fA-F]{3,6}|"[^"]+"|(?<=^the number )\+?\d[\d-]+)')
_SHOWS = re.compile(
    r"\bthe page shows (?:undefined|null|NaN|\[object (?:Object|Promise)\]|Invalid Date)(?: in #[\w-]+)?$"
)
_WRITES = re.compile(r"\b(?:textContent|innerHTML|innerText|insertCell|insertAdjacentHTML|append|appendChild)\b")
_DEEP = re.compile(
    r"(?<![\w$.])(?![\w$.]*\.(?:length|size|children|style|value|target|dataset|classList|textContent)\b)"
    r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*){2,}(?![\w$]*\s*\()"
)
_FEW_CELLS = re.compile(r"has a row of (\d+) cells under a header of (?!\1)\d+$")
_HEAD = re.compile(r"<th\b[^>]*>([^<]*)", re.IGNORECASE)
_CELL = re.compile(r"\binsertCell\(|createElement\(\s*[\"'`]td|</td>")


def with_script(sources: Sources, lines: Sequence[str]) -> list[str]:
    """Where nothing listens because there is no script at all, that is what is missing."""
    if sources.scripts or any(sources.inline.values()):
        return list(lines)
    return [f"{line}: {NO_SCRIPT}" if "handler" in line else line for line in lines]


def with_writers(sources: Sources, lines: Sequence[str]) -> list[str]:
    """Where a page shows a word like undefined and one script alone writes into pages, that is the place."""
    writers = [name for name in sources.scripts if _WRITES.search(sources.texts[name]) and loaded_by(sources).get(name)]
    if len(writers) != 1 or any(sources.inline.values()):
        return list(lines)
    told = []
    for one in lines:
        deep = _deep_line(sources.texts[writers[0]]) if one.partition(" in #")[0].endswith(" undefined") else None
        if deep is not None:
            told.append(f"{one}: {deep[1]} is not there for all: write something else then in {writers[0]}:{deep[0]}")
        elif _SHOWS.search(one):
            told.append(f"{one}: correct what {writers[0]} writes there")
        else:
            told.append(one)
    return told


def _deep_line(code: str) -> tuple[int, str] | None:
    """The one line that writes something of something of an entry, like `one.address.city`, and what that is."""
    found = [
        (number, match[0])
        for number, line in enumerate(code.splitlines(), 1)
        if (write := _WRITES.search(line)) is not None
        for match in _DEEP.finditer(line, write.end())
    ]
    return found[0] if len(found) == 1 else None


def with_rows(sources: Sources, lines: Sequence[str]) -> list[str]:
    """Where the rows of a table lack cells, and one script makes them, the line with the last one."""
    made = [
        (name, text.count("\n", 0, found[-1].start()) + 1)
        for name, text in sources.texts.items()
        if name in sources.scripts and (found := list(_CELL.finditer(text)))
    ]
    if len(made) != 1:
        return list(lines)
    name, line = made[0]
    told = []
    for one in lines:
        cells = _FEW_CELLS.search(one)
        cell = _next_cell(sources, name, line, int(cells[1])) if cells else ""
        told.append(f"{one}: add the missing cell behind {name}:{line}{cell}" if cells else one)
    return told


def _next_cell(sources: Sources, name: str, line: int, cells: int) -> str:
    """What the missing cell is, like the one before it, where the script knows a key that is called like its column."""
    code = sources.texts[name]
    last = code.splitlines()[line - 1].strip()
    pages = [page for page in loaded_by(sources).get(name, ()) if page in sources.pages]
    heads = [head for page in pages for head in _HEAD.findall(sources.texts[page])]
    words = re.findall(r"\w+", heads[-1]) if len(heads) == cells + 1 else []
    key = "".join([words[0].lower(), *(word.capitalize() for word in words[1:])]) if words else ""
    member = list(re.finditer(r"(?<=\.)[\w$]+(?=\W*$)", last))
    if not key or not member or not re.search(rf"(?<![\w$]){key}(?![\w$])", code):
        return ""
    return f", write {last[: member[-1].start()]}{key}{last[member[-1].end() :]}"


def with_sentence(prompt: str, wish: str) -> str:
    """A wish with the request's own words for it."""
    named = _NAMED.search(wish)
    sentence = sentence_with(prompt, named[1]) if named else ""
    return f"{wish} ({sentence.rstrip('.')})" if sentence and sentence != prompt.strip() else wish


def concerns(finding: Finding, changed: Sequence[str]) -> bool:
    """Whether a finding is in one of the changed files, or speaks of one."""
    if finding.path in changed:
        return True
    return any(re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w-])", finding.text) for path in changed)


def told_by_browser(sources: Sources, errors: Sequence[str]) -> list[Finding]:
    """Faults of scripts that do not parse where the browser's line says what to do: it stops at the first of them."""
    said = [line for line in errors if "SyntaxError" in line and " Fix: " in line]
    scripts = [finding for finding in syntax_errors(sources) if finding.path in sources.scripts]
    return [finding for finding in scripts if any(line.startswith(f"{finding.path}:") for line in said)]


def _says(told: str, line: str) -> bool:
    """Whether the cure in a line that was told holds what another one says."""
    cure = told.partition(" Fix: ")[2]
    tag = _TAG.search(line) if "no page loads it" in line else None
    return _PLACE.sub("", line) in cure or (tag is not None and tag[0] in cure)


def distinct(lines: Sequence[str]) -> list[str]:
    """Each fault once: the browser and the texts often tell of the same missing file."""
    kept: list[str] = []
    missing: set[str] = set()
    cured = {match[1] for line in lines if " Fix: " in line and (match := _NOT_DEFINED.search(line))}
    unknown = {match[1] for line in lines if (match := _UNKNOWN.search(line)) and match[1]}
    for line in lines:
        if (match := _UNKNOWN.search(line)) and (match[1] in cured or match[2] in unknown - cured):
            # What says more about such a function is told alone.
            continue
        gone = ""
        if "does not exist" in line or "not found" in line:
            gone = next(iter(_FILE_NAME.findall(_PLACE.sub("", line))), "")
        if line in kept or gone in missing or any(_says(told, line) for told in kept):
            continue
        if gone:
            missing.add(gone)
        kept.append(line)
    return kept
