"""The cure beside an error: what the texts of a project say about the cause of what a page's console shows.

Everything works on texts. A rule that is not sure says nothing: wrong advice sends a small model off for many steps.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from roomcode.preview.advice_syntax import already_declared, const_assigned, json_advice, syntax_advice, used_too_soon
from roomcode.preview.declarations import Declared, Lookup, text_of
from roomcode.preview.lexicon import ELEMENT_METHODS, GLOBALS, LIBRARIES, LIST_METHODS, METHODS, OTHER_RUNTIMES
from roomcode.preview.loading import matching, too_early
from roomcode.preview.names import nearest_name
from roomcode.preview.project import Here, Project, declaration_place, import_address
from roomcode.preview.references import Sources, nameless, nearest_id
from roomcode.preview.types import Entry

__all__ = ["advise", "advise_all", "error_in"]

_NULL = re.compile(r"Cannot (?:read properties of null \(reading|set properties of null \(setting) '([\w$]+)'\)")
_UNDEFINED = re.compile(r"ReferenceError: ([\w$]+) is not defined")
_NO_FUNCTION = re.compile(r"TypeError: (.+) is not a function")
_NO_EXPORT = re.compile(r"requested module '([^']+)' does not provide an export named '([\w$]+)'")
_SPECIFIER = re.compile(r'Failed to resolve module specifier "([^"]+)"')
_TOO_SOON = re.compile(r"Cannot access '([\w$]+)' before initialization")
_TWICE = re.compile(r"Identifier '([\w$]+)' has already been declared")
_NO_SCRIPT = re.compile(r"not sent as a script \(application/json\)")
_LINE = re.compile(r"^(?:after .*?: )?(?P<file>[^\s:]+)(?::(?P<line>\d+))? (?P<text>.*?)(?: \(\d+ times\))?$")
_LIST = re.compile(r"\.\s*(querySelectorAll|getElementsBy\w+)\([^()]*\)$")
_TEXT = re.compile(r"\.(?:value|textContent|innerText|innerHTML)$|\bprompt\([^()]*\)$|\.toFixed\([^()]*\)$")
_STORED = re.compile(r"(?:local|session)Storage\.getItem\([^()]*\)")
_PLAIN = {"number", "string", "template_string", "array", "object", "true", "false", "null"}
_LONGEST = 200


def advise_all(entries: Sequence[Entry], sources: Sources, page: str) -> list[str]:
    """For each entry its advice, or "" where there is none or the same was said before. `page` is the project's path
    of the page that shows them."""
    known = Project(sources, page)
    missing = [entry.text for entry in entries if entry.kind == "missing"]
    given: list[str] = []
    for entry in entries:
        text = _advice(entry, known) if entry.severity == "error" else ""
        if text in given or (text and any(other.partition(" not found")[0] in text for other in missing)):
            # A file that is not there is told by an entry of its own.
            text = ""
        given.append(text)
    return given


def advise(entry: Entry, sources: Sources, page: str) -> str:
    """One short sentence with the next action, or ""."""
    return advise_all([entry], sources, page)[0]


def error_in(line: str) -> Entry:
    """The error of a line like `after a click on "Go": app.js:2 TypeError: x is null`."""
    found = _LINE.match(line)
    if found is None:
        return Entry("error", "exception", line)
    return Entry("error", "exception", found["text"], found["file"], int(found["line"] or 0))


def _advice(entry: Entry, known: Project) -> str:
    if known.page not in known.sources.pages or known.sources.pages[known.page].base:
        return ""
    rules: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Entry, Project], str]], ...] = (
        (_NULL, _null),
        (_UNDEFINED, _undefined),
        (_NO_FUNCTION, _no_function),
        (_TWICE, lambda match, entry, known: already_declared(match[1], entry, known)),
        (_TOO_SOON, lambda match, entry, known: used_too_soon(match[1], entry, known)),
        (_NO_EXPORT, _no_export),
        (_SPECIFIER, _no_package),
        (_NO_SCRIPT, _data_as_script),
    )
    text = ""
    for pattern, rule in rules:
        if match := pattern.search(entry.text):
            text = rule(match, entry, known)
            break
    else:
        if "Assignment to constant variable" in entry.text:
            text = const_assigned(entry, known)
        elif "JSON" in entry.text:
            text = json_advice(entry, known)
        elif "SyntaxError" in entry.text:
            text = syntax_advice(entry, known)
    return text if len(text) <= _LONGEST else ""


def _null(match: re.Match[str], entry: Entry, known: Project) -> str:
    here = known.at(entry)
    if here is None:
        return ""
    found = []
    for node in here.code.accesses(match[1], entry.line - here.before, entry.column):
        held = node.child_by_field_name("object")
        lookup = here.code.source(held)
        if lookup is None and held is not None and held.type == "identifier":
            lookup = known.shared_lookup(text_of(held), here)
        found.append(lookup)
    if not found or None in found or len({one.wanted for one in found if one}) > 1:
        return ""
    lookup = found[0]
    return _not_there(lookup, here, entry, known) if lookup is not None else ""


def _not_there(lookup: Lookup, here: Here, entry: Entry, known: Project) -> str:
    elements = known.sources.pages[known.page].elements
    if matching(elements, lookup):
        owner, code = known.owner(lookup, here)
        if owner is None or not code.runs_at_once(lookup.node):
            return ""
        cure = too_early(known.sources, known.page, known.scripts, owner, lookup)
        return f"{known.page}:{owner.line} {cure}" if cure else ""
    wanted = lookup.wanted
    ids = {one.attributes.get("id", "") for one in elements} - {""}
    if lookup.method == "getElementById":
        if wanted[:1] == "#" and wanted[1:] in ids:
            return f'getElementById takes the id alone: write getElementById("{wanted[1:]}")'
    elif wanted in ids:
        return f'write querySelector("#{wanted}"): an id needs a #'
    elif any(wanted in one.attributes.get("class", "").split() for one in elements):
        return f'write querySelector(".{wanted}"): a class needs a dot'
    if lookup.method == "querySelector":
        return _no_match(wanted, entry, known)
    if known.makes(wanted):
        return ""
    return _no_id(wanted, ids, known)


def _no_id(wanted: str, ids: Iterable[str], known: Project) -> str:
    guess = nearest_id(wanted, ids)
    cure = f'; did you mean "{guess}"?' if guess else f': add id="{wanted}" to the element that is meant'
    if (place := nameless(wanted, {known.page: known.sources.texts[known.page]})) is not None:
        cure = f': write id="{wanted}" into <{place[2]}> in {place[0]}:{place[1]}'
    return f'no element in {known.page} has id="{wanted}"{cure}'


def _no_match(selector: str, entry: Entry, known: Project) -> str:
    mark = re.fullmatch(r"([.#])([\w-]+)", selector)
    if mark is None:
        return ""
    kind, name = ("id", mark[2]) if mark[1] == "#" else ("class", mark[2])
    elements = known.sources.pages[known.page].elements
    there = {value for one in elements for value in one.attributes.get(kind, "").split()}
    if kind == "id":
        return "" if known.makes(name) else _no_id(name, there, known)
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    if sum(len(word.findall(text)) for file, text in known.sources.texts.items() if not file.endswith(".css")) > 1:
        # Another script may give elements this class.
        return ""
    guess = nearest_id(name, there)
    return f'no element in {known.page} has class="{name}"' + (f'; did you mean "{guess}"?' if guess else "")


def _undefined(match: re.Match[str], entry: Entry, known: Project) -> str:
    name, here = match[1], known.at(entry)
    if name in OTHER_RUNTIMES:
        return OTHER_RUNTIMES[name]
    if _unknown_place(here, entry, known):
        return ""
    if any(not one.file for one in known.scripts):
        # A script from elsewhere may define it; that it could not be loaded is told by itself.
        return ""
    for one in known.loaded():
        words = rf"\b(?:function\*?|class|const|let|var)\s+{re.escape(name)}(?![\w$])"
        if one.code.broken and re.search(words, one.code.text):
            return f"{name} is in {one.name}, which does not parse: mend that first"
    tops = [(one, found) for one in known.loaded() for found in one.code.declared if found.top and found.name == name]
    for one, found in tops:
        if here is None or one.code is not here.code:
            return _elsewhere(name, one, found, here, entry, known)
    away = [(one, found) for one in known.unloaded() for found in one.code.declared if found.top and found.name == name]
    if away:
        return _not_loaded(name, away[0][0], here, known) if len({one.file for one, _ in away}) == 1 else ""
    if inner := _inside(name, here, entry, known):
        return inner
    places = [*known.loaded(), *([here] if here is not None else [])]
    names = [found.name for one in places for found in one.code.declared if found.top or one is here]
    if guess := nearest_name(name, [*names, *sorted(GLOBALS)]):
        return f"nothing is called {name}; did you mean {guess}?"
    if name in LIBRARIES:
        return LIBRARIES[name]
    if here is None or tops or known.mentioned(f"window.{name}"):
        return ""
    if here.code.called_on(name, entry.line - here.before):
        return f"no script defines {name}(): write function {name}() in {here.file}"
    return f"nothing declares {name}: declare it before {here.file}:{entry.line}"


def _unknown_place(here: Here | None, entry: Entry, known: Project) -> bool:
    """Whether an error is neither in a script that the page loads nor in the page's own code."""
    return entry.file != known.page if here is None else here.loaded is None


def _elsewhere(name: str, one: Here, found: Declared, here: Here | None, entry: Entry, known: Project) -> str:
    """The name is in another script of the page."""
    own = here.loaded if here is not None else None
    other = one.loaded
    if other is None:
        return ""
    if other.module:
        if here is None or own is None:
            return f"{name} is in a module and not known here; add window.{name} = {name} to {one.file}"
        address = import_address(here.file, one.file)
        line = f'import {{ {name} }} from "{address}"'
        if not own.module:
            return f'{one.file} is a module: give the tag of {here.name} type="module" too, and begin it with {line}'
        if name in one.code.exports:
            return f"add {line}; at the top of {here.file}"
        return f"write export before {name} in {one.file}:{one.before + found.line}, and {line}; in {here.file}"
    if own is None or here is None:
        return ""
    if other.how == own.how and other.order > own.order:
        where = f"move it above line {own.line}"
        return f"{known.page}:{other.line} loads {one.name} after {here.name}: {where}"
    if other.how == "defer" and own.how == "classic":
        if own.inline:
            return f"{one.file} has defer and runs later: take defer out of {known.page}:{other.line}"
        return f"{one.file} has defer and runs later: add defer to {known.page}:{own.line} too"
    if other.how == "async":
        return f"{one.file} may run later: write defer instead of async in {known.page}:{other.line}"
    return ""


def _not_loaded(name: str, one: Here, here: Here | None, known: Project) -> str:
    own = here.loaded if here is not None else None
    if here is not None and own is not None and own.module and name in one.code.exports:
        return f'{name} is in {one.file}: add import {{ {name} }} from "{import_address(here.file, one.file)}"'
    address = import_address(known.page, one.file).removeprefix("./")
    where = f" before line {own.line}" if own is not None else ""
    tag = f'add <script src="{address}"></script>{where}'
    return f"{name} is in {one.file}, which {known.page} does not load: {tag}"


def _inside(name: str, here: Here | None, entry: Entry, known: Project) -> str:
    """The name is known in another function only."""
    for one in dict.fromkeys([*([here] if here is not None else []), *known.loaded()]):
        inner = [
            found
            for found in one.code.declared
            if found.name == name and not found.top and found.kind not in ("parameter", "catch", "import")
        ]
        if not inner:
            continue
        place = f"{one.file}:{one.before + inner[0].line}"
        if (here is None or here.loaded is None) and inner[0].callable:
            return f"{name}() is inside another function ({place}): add window.{name} = {name}; after it"
        return f"{name} is known only in the function or block around {place}: declare it outside, above that"
    return ""


def _no_function(match: re.Match[str], entry: Entry, known: Project) -> str:
    before, dot, name = match[1].rpartition(".")
    here = known.at(entry)
    if not dot:
        return _hidden(name, here, entry, known)
    if not re.fullmatch(r"[\w$]+", name):
        return ""
    made = known.source_text(before, name, entry, here)
    if name == "toFixed":
        return f"{before} is no number: write Number({before}).toFixed" if re.fullmatch(r"[\w$.]+", before) else ""
    if made is not None:
        if (found := _LIST.search(made)) and name in ELEMENT_METHODS:
            return f"{found[1]} gives a list: call {name} on each of its elements with forEach"
        if _LIST.search(made) and name in LIST_METHODS:
            return f"this list has no {name}: write [...{before}].{name}" if re.fullmatch(r"[\w$]+", before) else ""
        if name in LIST_METHODS | {"push", "splice", "pop"} and _STORED.search(made) and "JSON.parse" not in made:
            return "what is stored is text: read it with JSON.parse(...)"
    if name in METHODS:
        return ""
    if guess := nearest_name(name, [*sorted(METHODS), *sorted(known.methods())]):
        return f"there is no {name}; did you mean {guess}?"
    return ""


def _hidden(name: str, here: Here | None, entry: Entry, known: Project) -> str:
    """A name that is there and no function."""
    if not re.fullmatch(r"[\w$]+", name) or _unknown_place(here, entry, known):
        return ""
    holders = [found for one in known.loaded() for found in one.code.declared if found.top and found.name == name]
    elements = known.sources.pages[known.page].elements
    named = next((one for one in elements if name in (one.attributes.get("id"), one.attributes.get("name"))), None)
    if here is None and named is not None and any(found.callable for found in holders):
        kind = "id" if named.attributes.get("id") == name else "name"
        return f'{kind}="{name}" in {known.page}:{named.line} hides the function: write window.{name}() here'
    declared = here.code.resolve(name, known.node_at(entry, here)) if here is not None else None
    if declared is None and not holders and named is not None:
        guess = nearest_name(name, known.functions())
        means = f"did you mean {guess}?" if guess else f"write function {name}()"
        return f"{name} is the element of {known.page}:{named.line}, no function; {means}"
    if here is None or declared is None or declared.value is None or declared.callable:
        return ""
    if declared.value.type in _PLAIN or here.code.lookup(declared.value) is not None:
        other = any(found.callable for found in here.code.declared if found.name == name)
        cure = "rename one of the two" if other else "rename it, or call another function"
        return f"{name} is a variable ({declaration_place(here, declared)}), no function: {cure}"
    return ""


def _no_export(match: re.Match[str], entry: Entry, known: Project) -> str:
    name, one = match[2], known.module(match[1], entry.file)
    if one is None or one.code.broken:
        return ""
    exports = [export for export in one.code.exports if export != "default"]
    declared = next((found for found in one.code.declared if found.top and found.name == name), None)
    if declared is not None:
        return f"write export before {name} in {one.file}:{declared.line}"
    if name != "default" and (guess := nearest_name(name, exports)):
        return f"{one.file} exports no {name}; did you mean {guess}?"
    if name == "default":
        names = ", ".join(exports[:3])
        return f'{one.file} has no default export: write import {{ {names} }} from "{match[1]}"' if exports else ""
    if "default" in one.code.exports and not exports:
        return f'{one.file} has a default export: write import {name} from "{match[1]}" without braces'
    if not exports:
        return f"{one.file} exports nothing: write {name} there, with export before it"
    return f"{one.file} exports only {', '.join(exports[:5])}: import one of these, or write {name} there"


def _no_package(match: re.Match[str], entry: Entry, known: Project) -> str:
    wanted = match[1]
    for file in (wanted, f"{wanted}.js"):
        asker = known.importer(wanted) or entry.file
        found = [name for name in known.sources.scripts if name == file or name.endswith(f"/{file}")]
        if len(found) == 1:
            return f'write "{import_address(asker, found[0])}" instead of "{wanted}" in {asker}'
    return f'there are no packages here: take the import of "{wanted}" out and write what it does yourself'


def _data_as_script(match: re.Match[str], entry: Entry, known: Project) -> str:
    return f'read it with await (await fetch("{entry.file}")).json() instead of import' if entry.file else ""
