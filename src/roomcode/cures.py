"""From a line that says what is wrong and what to write, to the change that does it: in which file, at which place,
with which text. Only where the line leaves no doubt; nothing here reads a file."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from roomcode.exact import replaced

__all__ = ["MARKUP", "STYLE", "Unfinished", "behind_line", "belongs", "cure"]

_AT = re.compile(r"^(?:after .*?: )?(?P<file>[^\s:]+):(?P<line>\d+) ")
_HEAD = r"(?is)<head\b[^>]*>.*?</head\s*>"
_END_OF_BODY = r"(?is)(?:<script\b[^<>]*>\s*</script\s*>\s*){0,9}</body\s*>"
MARKUP = r"(?is)<body\b[^>]*>\s*(.*?)\s*(?:<script\b|</body\s*>)"
"""The elements of a page, up to its scripts."""
STYLE = r"(?is)<style\b[^>]*>\s*(.*?)\s*</style"
"""The rules that stand in a page."""
_INLINE = r"(?is)<script\b(?![^>]*\bsrc\b)[^>]*>\s*(.*?)\s*</script"
_MODULE = r"(?i)<script\b[^>]*\btype\s*=\s*[\"']?module[^>]*>\s*([^\n]+)"
_SCRIPT_START = r"(?i)(<script\b(?![^>]*\bsrc\b)[^>]*>|\A(?!\s*<)[^\n]+)"
_FIRST_LINE = r"\A\s*([^\n]+)"


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What has to be done next: files that have to be written, and texts of which one has to come into a file."""

    files: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    edit: tuple[str, ...] = ()
    """Files of which one has to be changed; empty: any."""
    within: str = ""
    """A pattern of the place where the change belongs, which is its first group or all of it; "" where any may be."""
    entire: bool = False
    """All that the pattern matches is replaced."""
    becomes: tuple[str, str] = ("", "")
    """A pattern and what takes the place of its match: what all that is replaced is to become, where that is known."""
    insert: str = ""
    """What goes behind the replaced piece, which stays, when an answer does not bring a text in by itself."""


def belongs(path: str, text: str) -> bool:
    """Whether a text that a request names may stand in a file of this kind: a style sheet has colours, and no script
    has an id of the page's markup."""
    ending = path.lower().rpartition(".")[2]
    if ending == "css":
        return text.startswith("#")
    return ending not in ("js", "mjs", "json") or not text.startswith(("id=", "<"))


def cure(line: str) -> Unfinished | None:
    """The change that a line of the checks or of the browser asks for; None where it may be one of several."""
    at = _AT.match(line)
    file, number = (at["file"], int(at["line"])) if at else ("", 0)
    for pattern, change in _CURES:
        if (found := pattern.search(line)) is not None:
            unfinished = change(found, file, number)
            return unfinished if unfinished.edit != ("",) else None
    return None


def behind_line(file: str, line: int, text: str, insert: str) -> Unfinished:
    """The change that brings `text` in behind a line (from 1), where it begins with `insert` if an answer has no other
    way."""
    return Unfinished(texts=(text,), edit=(file,), within=_stripped(line), entire=True, insert=insert)


def _stripped(number: int | str) -> str:
    """The pattern of what stands in one line, from 1."""
    return rf"\A(?:[^\n]*\n){{{int(number) - 1}}}[ \t]*(\S[^\n]*?)[ \t]*(?:\n|\Z)"


def _plain(text: str) -> str:
    """A text as the second half of `becomes`."""
    return text.replace("\\", r"\\")


def _line(number: int | str) -> str:
    """The pattern of one line, from 1."""
    return rf"\A(?:[^\n]*\n){{{int(number) - 1}}}([^\n]*)"


def _tag(found: re.Match[str], file: str, number: int) -> Unfinished:
    tag, page = found[1], found[2]
    return Unfinished(texts=(tag,), edit=(page,), within=_HEAD if tag.startswith("<link") else _END_OF_BODY)


def _tag_before(found: re.Match[str], file: str, number: int) -> Unfinished:
    within = _line(found[3]) if found[3] else _END_OF_BODY
    return Unfinished(texts=(found[2],), edit=(found[1],), within=within)


def _moved(found: re.Match[str], file: str, number: int) -> Unfinished:
    before = rf"\A(?:[^\n]*\n){{{number - 1}}}[^\n]*?"
    within = rf"(?is){before}(<{found[1]}\b(?![^>]*\bsrc\b)[^>]*>.*?</{found[1]}\s*>)"
    becomes = (r"(?s)\A.*\Z", _plain(found[2])) if found[2] else ("", "")
    texts = (found[2],) if found[2] else ()
    return Unfinished(texts=texts, edit=(file,), within=within, entire=True, becomes=becomes)


def _defer(found: re.Match[str], file: str, number: int) -> Unfinished:
    source = rf"{re.escape(found[2].rsplit('/', 1)[-1])}[\"'?\s>]" if found[3] == "that" else ""
    within = rf"(?i)<script\b(?![^>]*\sdefer\b)[^>]*\bsrc\s*=\s*[\"']?(?:[^>\"'\s]*/)?{source}[^>]*>"
    becomes = ("(?i)^<script", "<script defer")
    return Unfinished(texts=("defer",), edit=(found[1],), within=within, entire=True, becomes=becomes)


def _let(found: re.Match[str], file: str, number: int) -> Unfinished:
    within = rf"\A(?:[^\n]*\n){{{int(found[3]) - 1}}}[^\n]*?(\bconst\s+{re.escape(found[1])}\b)"
    becomes = ("^const", "let")
    return Unfinished(texts=(f"let {found[1]}",), edit=(found[2],), within=within, entire=True, becomes=becomes)


def _other_file(found: re.Match[str], file: str, number: int) -> Unfinished:
    return Unfinished(texts=(found[2].rsplit("/", 1)[-1],), edit=(file,), within=_line(number) if number else "")


def _other_name(found: re.Match[str], file: str, number: int) -> Unfinished:
    return Unfinished(texts=(found[1],), edit=(file,), within=_line(number) if number else "")


def _sorted(found: re.Match[str], file: str, number: int) -> Unfinished:
    orders = tuple(f"{found[1]}((a, b) => {order})" for order in ("a - b", "b - a"))
    return Unfinished(texts=orders, edit=(file,), within=_line(number))


def _on_line(found: re.Match[str], file: str, number: int) -> Unfinished:
    if not number:
        return Unfinished(edit=("",))
    becomes = replaced(found[0])
    within = _stripped(number) if becomes[0] else _line(number)
    return Unfinished(texts=(found[1],), edit=(file,), within=within, entire=bool(becomes[0]), becomes=becomes)


def _own_check(found: re.Match[str], file: str, number: int) -> Unfinished:
    within = rf"(?i)\A(?:[^\n]*\n){{{number - 1}}}[^\n]*?(<form\b[^>]*>)"
    becomes = (">$", " novalidate>")
    return Unfinished(texts=("novalidate",), edit=(file,), within=within, entire=True, becomes=becomes)


def _selector(found: re.Match[str], file: str, number: int) -> Unfinished:
    bare = re.escape(found[2])
    within = rf"[^\n]{{0,200}}querySelector(?:All)?\(\s*[\"'`]{bare}[\"'`][^\n]{{0,200}}"
    return Unfinished(texts=(f"{found[1]}{found[2]}",), edit=(file,), within=within)


def _id_alone(found: re.Match[str], file: str, number: int) -> Unfinished:
    name = found[1]
    within = rf"[^\n]{{0,200}}getElementById\(\s*[\"'`]#{re.escape(name)}[\"'`][^\n]{{0,200}}"
    return Unfinished(texts=(f'ById("{name}"', f"ById('{name}'"), edit=(file,), within=within)


def _module(found: re.Match[str], file: str, number: int) -> Unfinished:
    return Unfinished(texts=('type="module"',), edit=(found[1],), within=_line(found[2]))


def _import(found: re.Match[str], file: str, number: int) -> Unfinished:
    file = found[2] or file
    page = file.lower().endswith((".html", ".htm"))
    return Unfinished(texts=(found[1],), edit=(file,), within=_MODULE if page else _FIRST_LINE)


def _text_of(found: re.Match[str], file: str, number: int) -> Unfinished:
    within = rf"<[^<>]{{0,400}}\sid\s*=\s*[\"']?{re.escape(found[2])}[\"'\s>](?:[^<>]*>)?([^<]*<[^<>]*>)"
    return Unfinished(texts=(found[3],), edit=(found[1],), within=within)


def _id_into_tag(found: re.Match[str], file: str, number: int) -> Unfinished:
    tag, line = found[2], int(found[4])
    within = rf"(?i)\A(?:[^\n]*\n){{{line - 1}}}[^\n]*?(<{tag}\b(?![^<>]*\sid\s*=)[^<>]*>)"
    becomes = (r"(?s)\A(.*?)\s*(/?)>\Z", rf"\1 {found[1]}\2>")
    return Unfinished(texts=(found[1],), edit=(found[3],), within=within, entire=True, becomes=becomes)


def _hidden(found: re.Match[str], file: str, number: int) -> Unfinished:
    within = rf"(?i)(<\w+\b[^<>]{{0,400}}\sid\s*=\s*[\"']?{re.escape(found[2])}(?=[\"'\s>])[^<>]*>)"
    becomes = (r"(?is)\A(?!.*\sstyle\s*=)(.*?)\s*(/?)>\Z", r'\1 style="display: none"\2>')
    texts = ("display: none", "display:none")
    return Unfinished(texts=texts, edit=(found[1],), within=within, entire=True, becomes=becomes)


def _relabelled(found: re.Match[str], file: str, number: int) -> Unfinished:
    becomes = (
        r"\A([^<>]*<[^<>]*>)[^<>]+(<[^<>]*>[^<>]*)\Z",
        rf"\g<1>{_plain(html.escape(found[1], quote=False))}\g<2>",
    )
    return Unfinished(texts=(found[1],), edit=(file,), within=_stripped(number), entire=True, becomes=becomes)


def _cell(found: re.Match[str], file: str, number: int) -> Unfinished:
    becomes = (r"\A([ \t]*)(.*)\Z", rf"\g<1>\g<2>\n\g<1>{_plain(found[3])}")
    return Unfinished(texts=(found[3],), edit=(found[1],), within=_line(found[2]), entire=True, becomes=becomes)


def _behind(found: re.Match[str], file: str, number: int) -> Unfinished:
    deeper = "  " if found[2] == "as the first line in" else ""
    becomes = (r"\A([ \t]*)(.*)\Z", rf"\g<1>\g<2>\n\g<1>{deeper}{_plain(found[1])}")
    return Unfinished(texts=(found[1],), edit=(found[3],), within=_line(found[4]), entire=True, becomes=becomes)


def _heading(found: re.Match[str], file: str, number: int) -> Unfinished:
    becomes = (r"(?is)\A(.*</th\s*>)", rf"\g<1>{_plain(found[1])}")
    return Unfinished(texts=(found[1],), edit=(found[2],), within=_line(found[3]), entire=True, becomes=becomes)


def _into_line(found: re.Match[str], file: str, number: int) -> Unfinished:
    return Unfinished(texts=(found[1],), edit=(found[2],), within=_stripped(found[3]), entire=True)


def _read_somewhere(found: re.Match[str], file: str, number: int) -> Unfinished:
    page = found[2].lower().endswith((".html", ".htm"))
    return Unfinished(texts=(found[1],), edit=(found[2],), within=_INLINE if page else "")


def _unhidden(found: re.Match[str], file: str, number: int) -> Unfinished:
    becomes = (r"(?<![\w-])display\s*:\s*none\s*;?[ \t]*", "")
    return Unfinished(edit=(file,), within=_line(number), entire=True, becomes=becomes)


def _known_outside(found: re.Match[str], file: str, number: int) -> Unfinished:
    """Without its keyword a name is the script's own; where that may not be, the browser says so next."""
    name = re.escape(found[1])
    becomes = (rf"\b(?:let|const|var)\s+(?={name}(?![\w$]))", "")
    within = rf"\A(?:[^\n]*\n){{{int(found[3]) - 1}}}[^\n]*?(\b(?:let|const|var)\s+{name}(?![\w$])[^\n]*)"
    return Unfinished(edit=(found[2],), within=within, entire=True, becomes=becomes)


def _before(found: re.Match[str], file: str, number: int) -> Unfinished:
    becomes = (r"\A([ \t]*)(.*)\Z", rf"\g<1>{_plain(found[1])}\n\g<1>\g<2>")
    return Unfinished(texts=(found[1],), edit=(file,), within=_line(number), entire=True, becomes=becomes)


def _media(found: re.Match[str], file: str, number: int) -> Unfinished:
    return behind_line(found[2], int(found[3]), "@media", f"{found[1]} {{")


def _after(found: re.Match[str], file: str, number: int) -> Unfinished:
    becomes = (r"\A([ \t]*)(.*)\Z", r"\g<1>\g<2>\n\g<1>break;")
    return Unfinished(texts=("break;",), edit=(file,), within=_line(number), entire=True, becomes=becomes)


def _of_window(found: re.Match[str], file: str, number: int) -> Unfinished:
    call = f"{found[1]}("
    becomes = (rf"(?<![\w$.]){re.escape(call)}", f"window.{call}")
    return Unfinished(texts=(f"window.{call}",), edit=(file,), within=_stripped(number), entire=True, becomes=becomes)


def _written(found: re.Match[str], file: str, number: int) -> Unfinished:
    return Unfinished(texts=(f'"{found[1]}"', f"'{found[1]}'"), edit=(found[2],))


def _in_file(found: re.Match[str], file: str, number: int) -> Unfinished:
    return Unfinished(edit=(found[1],))


def _comma(found: re.Match[str], file: str, number: int) -> Unfinished:
    return Unfinished(edit=(found["file"],), within=_stripped(found["line"]), entire=True, becomes=(r"\Z", ","))


def _element(found: re.Match[str], file: str, number: int) -> Unfinished:
    return Unfinished(texts=(found[1],), within=MARKUP)


def _key(found: re.Match[str], file: str, number: int) -> Unfinished:
    """A listener at the beginning of a script; what it does is for the model to say."""
    key = found[1]
    insert = f'document.addEventListener("keydown", (event) => {{\n  if (event.key === "{key}")'
    return Unfinished(texts=(f'"{key}"', f"'{key}'"), within=_SCRIPT_START, entire=True, insert=insert)


def _anywhere(found: re.Match[str], file: str, number: int) -> Unfinished:
    return Unfinished(texts=(found[1],))


def _async(found: re.Match[str], file: str, number: int) -> Unfinished:
    return Unfinished(texts=("async",), edit=(file,), within=_line(found[1]))


def _read_back(found: re.Match[str], file: str, number: int) -> Unfinished:
    """At the very beginning: put beside what stores, it would take its place."""
    page = found[3].lower().endswith((".html", ".htm"))
    within = r"(?i)<script\b(?![^>]*\bsrc\b)[^>]*>" if page else _FIRST_LINE
    calls = tuple(f"{found[1]}({quote}{found[2]}{quote})" for quote in ("'", '"'))
    return Unfinished(texts=calls, edit=(found[3],), within=within, entire=page)


def _put_back(found: re.Match[str], file: str, number: int) -> Unfinished:
    page = found[2].lower().endswith((".html", ".htm"))
    within = r"(?i)<script\b(?![^>]*\bsrc\b)[^>]*>" if page else _FIRST_LINE
    becomes = (r"\Z", _plain(f"\n{found[1]}")) if page else ("", "")
    return Unfinished(texts=(found[1],), edit=(found[2],), within=within, entire=page, insert=found[1], becomes=becomes)


def _that_line(found: re.Match[str], file: str, number: int) -> Unfinished:
    """Where something has to go there is no text to ask for."""
    return Unfinished(edit=(found["file"] or file,), within=_line(found["line"]))


def _export(found: re.Match[str], file: str, number: int) -> Unfinished:
    return Unfinished(texts=("export",), edit=(found[1],), within=_line(found[2]))


def _declaration(found: re.Match[str], file: str, number: int) -> Unfinished:
    return Unfinished(texts=tuple(f"{kind} {found[1]}" for kind in ("let", "const", "var")), edit=(found[2],))


def _function(found: re.Match[str], file: str, number: int) -> Unfinished:
    # Beside other functions and not inside one; a page may have other things in between.
    insert = "" if found[2].lower().endswith((".html", ".htm")) else f"\nfunction {found[1]}() {{"
    return Unfinished(texts=(f"function {found[1]}",), edit=(found[2],), insert=insert)


_CURES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str, int], Unfinished]], ...] = (
    (re.compile(r"no page loads it; add (<.+>) to (\S+)$"), _tag),
    (re.compile(r"which (\S+) does not load: add (<script [^>]*></script>)(?: before line (\d+))?"), _tag_before),
    (re.compile(r"(\S+?)(?::\d+)? loads (\S+) before .*: add defer to (that|all) script tag"), _defer),
    (re.compile(r"(\S+) (?:does not exist|not found); did you mean (\S+)\?"), _other_file),
    (re.compile(r"([\w$]+) is const in (\S+):(\d+): write let there"), _let),
    (re.compile(r"(?:nothing is called|there is no) [\w$]+; did you mean ([\w$]+)\?"), _other_name),
    (re.compile(r"write (Number\([\w$.]+\))\.toFixed"), _other_name),
    (re.compile(r'write querySelector\("([#.])([\w-]+)"\)'), _selector),
    (re.compile(r'write getElementById\("([\w-]+)"\)'), _id_alone),
    (re.compile(r'add type="module" to the script tag (?:of \S+ )?in (\S+):(\d+)'), _module),
    (re.compile(r"add (import \{[^}]*\} from \"[^\"]+\")(?:$|; at the top of (\S+))"), _import),
    (re.compile(r"write async before .* in line (\d+)"), _async),
    (re.compile(r"again in (?P<file>)line (?P<line>\d+): remove or rename the second"), _that_line),
    (re.compile(r"in (?P<file>\S+):(?P<line>\d+) is too many: remove it"), _that_line),
    (
        re.compile(r"(?P<file>[^\s:]+):(?P<line>\d+) (?:is )?not JSON: a comma is missing at the end of this line"),
        _comma,
    ),
    (re.compile(r"(?P<file>[^\s:]+):(?P<line>\d+) (?:is )?not JSON: (?:take|write|a comma)"), _that_line),
    (re.compile(r"^\S+ is the [\w ]+: write (.+) there$"), _relabelled),
    (re.compile(r'^(\S+): #([\w-]+) shows ".*" until something is typed, then "(.*)": write'), _text_of),
    (re.compile(r"^(\S+): #([\w-]+) is to be hidden at first: write "), _hidden),
    (re.compile(r"^nothing reacts to the \w+ key; .* event\.key (Escape|Enter)$"), _key),
    (re.compile(r"^after the (Escape|Enter) key #[\w-]+ can still be seen"), _key),
    (re.compile(r"^nothing reacts to the \w+ key; .* event\.key (\w+)$"), _anywhere),
    (
        re.compile(r"^nothing reads .* back; call (\w+\.getItem)\(\"(.+)\"\) at the start of the script in (\S+)$"),
        _read_back,
    ),
    (re.compile(r"^nothing reads .* back; write (.+;) at the start of the script in (\S+)$"), _put_back),
    (re.compile(r": write (id=\"[^\"]+\") into <(\w+)> in ([^\s:]+):(\d+)$"), _id_into_tag),
    (re.compile(r"^nothing has (id=\"[^\"]+\"), which the request names$"), _element),
    (re.compile(r"^nothing stores .*; call (.+?)\(.* when it changes$"), _anywhere),
    (re.compile(r": write novalidate into <form>$"), _own_check),
    (
        re.compile(r"still holds the <(\w+)> that \S+ has now; (?:write (<.+>) in its place|take it out)$"),
        _moved,
    ),
    (re.compile(r"^there is no (<\w+)>, which the request names$"), _anywhere),
    (re.compile(r"still says [\w$-]+; write ([\w$-]+) there"), _other_name),
    (re.compile(r"add the missing cell behind (\S+):(\d+), write (.+)$"), _cell),
    (re.compile(r"add the missing cell behind (?P<file>\S+):(?P<line>\d+)$"), _that_line),
    (
        re.compile(
            r"write (document\.querySelectorAll\(.+;|[\w$]+\(\);|(?!a rule )[.#@\w][^{}]*\{.+\})"
            r" (behind|as the first line in) (\S+):(\d+)$"
        ),
        _behind,
    ),
    (re.compile(r": write a rule (@media [^{]+) \{ … \} behind (\S+):(\d+)$"), _media),
    (re.compile(r": write a rule (@media) [^{]+ \{ … \}$"), _anywhere),
    (re.compile(r": write (clearInterval\([\w$.]+\);) before it$"), _before),
    (re.compile(r": write (<th>.+</th>) behind the last <th> in (\S+):(\d+)$"), _heading),
    (re.compile(r"^the number (\S+), .*: write it into the entry of \".+\" in (\S+):(\d+)$"), _into_line),
    (re.compile(r"^nothing reads the field #([\w-]+): use its value in the script of (\S+)$"), _read_somewhere),
    (re.compile(r"^nothing reads the field #([\w-]+): read it .*, in (\S+):(\d+)$"), _into_line),
    (re.compile(r" for good, .*: take display: none out of this line$"), _unhidden),
    (re.compile(r"([\w$]+) is known only in the function or block around (\S+):(\d+): declare it"), _known_outside),
    (re.compile(r"this case runs on into the next one: write break; behind this line$"), _after),
    (re.compile(r"write export before [\w$]+ in (\S+?):(\d+)"), _export),
    (re.compile(r"nothing declares ([\w$]+): declare it before (\S+):\d+"), _declaration),
    (re.compile(r"no script defines ([\w$]+)\(\): write function [\w$]+\(\) in (\S+)"), _function),
    (
        re.compile(r"([\w$]+)\(\) is called here, but no script defines it: write function [\w$]+\(\) in (\S+)$"),
        _function,
    ),
    (re.compile(r"(\w+)\(\) is a method of the browser in \w+ and not your function: write"), _of_window),
    (re.compile(r"^no script writes into #([\w-]+): .* in (\S+)$"), _written),
    (
        re.compile(
            r"the page shows .* is not there for all: write something else then in (?P<file>\S+):(?P<line>\d+)$"
        ),
        _that_line,
    ),
    (re.compile(r"the page shows .*: correct what (\S+) writes there$"), _in_file),
    (re.compile(r"100 before 7: write (\w+)\("), _sorted),
    (re.compile(r"^(?!.* Fix: ).*: write (.+) there$"), _on_line),
)
