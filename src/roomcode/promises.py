"""What a request names and what an answer claims, compared with what is there.

Pure functions on texts. Whatever is not sure counts as kept: a false alarm costs a small model a whole step.
"""

import html
import re
from collections.abc import Iterable, Mapping, Sequence

from roomcode.wording import (
    FILE_NAME,
    PRODUCTS,
    named_buttons,
    named_colours,
    named_decimals,
    named_ids,
    named_numbers,
    named_parts,
    named_texts,
    not_there,
    sentence_with,
)

__all__ = ["button_named", "element_named", "missing_buttons", "missing_texts", "unkept_claims", "unkept_wishes"]

_BUTTON = re.compile(
    r"<(?:button|summary)\b[^>]*>(?P<text>.*?)</(?:button|summary)>"
    r"|<(?P<input>input\b[^>]*\btype\s*=\s*[\"']?(?:button|submit|reset)\b[^>]*)>"
    r"|<(?P<role>\w+\b[^>]*\brole\s*=\s*[\"']?button\b[^>]*>[^<]*)",
    re.IGNORECASE | re.DOTALL,
)
_MAKES_BUTTONS = re.compile(
    r"createElement\(\s*[\"'`]button|[\"'`+}]\s*(?:<\w+[^>]*>\s*)*<button|<button[^>]*>\s*\$?\{", re.IGNORECASE
)
_KIND_OF_ID = re.compile(
    r"\b(?P<kind>text ?area|canvas|table|number field|text field|field|checkbox|drop-?down|image|link)\s+"
    r"(?:with|has|having|called|named)?\s*(?:the\s+)?id\s*=\s*[\"'“”]?(?P<id>[A-Za-z][\w-]*)",
    re.IGNORECASE,
)
_TYPING = re.compile(r"\b(?:types?|typing|typed|enters?|entering|entered)\b", re.IGNORECASE)
_LOCKED = re.compile(r"\bread-?only\b|\bdisabled?\b|\blocked\b|\bcannot be\b", re.IGNORECASE)
_FIELDS = ("input", "textarea", "select")
_KINDS = {
    "textarea": ("textarea",), "canvas": ("canvas",), "table": ("table",), "number field": ("input",),
    "text field": ("input", "textarea"), "field": _FIELDS, "checkbox": ("input",), "dropdown": ("select",),
    "image": ("img", "svg", "picture"), "link": ("a",),
}  # fmt: skip
"""What a request calls an element, and the tags that it may have."""
_TAGS = {
    "textarea": "textarea", "text area": "textarea", "canvas": "canvas", "table": "table", "list": "ul",
    "button": "button", "paragraph": "p", "heading": "h2", "number field": 'input type="number"', "field": "input",
    "checkbox": 'input type="checkbox"', "dropdown": "select", "section": "section", "form": "form",
}  # fmt: skip
_KIND_BEFORE = re.compile(
    rf"\b({'|'.join(sorted(_TAGS, key=len, reverse=True))}|drop-down)\b"
    r"(?:\s+[\"“][^\"“”\n]{1,40}[\"”])?\s+(?:(?:with|has|having|called|named)\s+)?(?:the\s+)?$",
    re.IGNORECASE,
)
_KEYWORDS = {
    "alert", "animate", "await", "blur", "break", "case", "clear", "click", "close", "confirm", "continue", "default",
    "delete", "do", "else", "export", "find", "focus", "for", "if", "import", "in", "new", "open", "print", "prompt",
    "remove", "reset", "return", "scroll", "stop", "submit", "switch", "this", "throw", "try", "typeof", "var", "void",
    "while", "with", "write",
}  # fmt: skip
"""Words that are no name of a function in a handler, or mean something else there."""
_MAKES_IDS = re.compile(r"\bid\s*=\s*[\"'`]?\s*(?:\$\{|[\"'`]\s*\+)|\.id\s*=\s*[^\"'`=\s]|[\"']id[\"']\s*,\s*[^\"'`\s]")
_COLOUR_NAMES = {
    "000000": "black", "ffffff": "white", "ff0000": "red", "00ff00": "lime", "0000ff": "blue", "008000": "green",
    "ffff00": "yellow", "00ffff": "cyan|aqua", "ff00ff": "magenta|fuchsia", "808080": "gr[ae]y", "c0c0c0": "silver",
    "800000": "maroon", "808000": "olive", "800080": "purple", "008080": "teal", "000080": "navy", "ffa500": "orange",
    "ffc0cb": "pink", "a52a2a": "brown", "ffd700": "gold",
}  # fmt: skip
_HEAD_CELL = re.compile(r"<th\b[^>]*>(.{0,200}?)</th", re.IGNORECASE | re.DOTALL)
_FIXED = re.compile(r"toFixed|FractionDigits|NumberFormat|toPrecision|currency|Math\.(?:round|floor|trunc)")
"""Ways to show a number with so many decimals."""
_DONE = re.compile(
    r"\b(?:added|changed|created|updated|edited|modified|fixed|removed|renamed|replaced|moved|wrote|written|implemented"
    r"|corrected|split|extracted|linked|made|put|set)\b",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\b(?:not|\w+n['’]t|no|never|nothing|should|could|can|would|will|if|needs?|must|without|already|unchanged)\b",
    re.IGNORECASE,
)


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL = re.compile(rf"\b({'|'.join(_ORDINALS)})\s+column\b", re.IGNORECASE)
_HEADS = re.compile(r"<tr\b[^<>]*>(?:(?!</tr).)*?<th\b(?:(?!</tr).)*?</tr", re.IGNORECASE | re.DOTALL)
_PERSON = re.compile(r"\b[A-Z][\w'-]+\b")


def _heading_place(prompt: str, text: str, texts: Mapping[str, str]) -> str:
    """Where the heading of a further column goes, if there is one table."""
    rows = [(name, page, row) for name, page in texts.items() for row in _HEADS.finditer(page)]
    if len(rows) != 1 or not rows[0][0].lower().endswith((".html", ".htm")):
        return ""
    name, page, row = rows[0]
    ends = [match.end() for match in re.finditer(r"</th\s*>", page[: row.end()], re.IGNORECASE)]
    place = _ORDINAL.search(prompt)
    if not ends or (place is not None and _ORDINALS.index(place[1].lower()) != len(ends)):
        return ""
    return f": write <th>{text}</th> behind the last <th> in {name}:{page.count(chr(10), 0, ends[-1]) + 1}"


def _entry_place(prompt: str, number: str, texts: Mapping[str, str]) -> str:
    """The one line of data that holds the name for which a request gives a number."""
    found = {
        (name, line, word)
        for word in _PERSON.findall(sentence_with(prompt, number))
        for name, text in texts.items()
        if name.lower().endswith((".js", ".mjs", ".json"))
        for line, code in enumerate(text.splitlines(), 1)
        if re.search(rf"[\"'`]{re.escape(word)}[\"'`]", code)
    }
    if len(found) != 1:
        return ""
    name, line, word = found.pop()
    return f': write it into the entry of "{word}" in {name}:{line}'


_FIELD_TAG = r"(?i)<(?:input|textarea|select)\b[^<>]*\sid\s*=\s*[\"']?{}(?=[\"'\s>])[^<>]*"
_VALUE = re.compile(r"[\"'`]#?([\w-]+)[\"'`]\s*\)\.value\b|(?<![\w$.])([A-Za-z_$][\w$]*)\.value\b")


_INDIRECT = re.compile(
    r"FormData|\.elements\b|querySelectorAll\(|\bthis\.value\b|\b(?:target|currentTarget)\.(?:value|id)\b|ElementSibling\b"
    r"|\.children\b|querySelector\(\s*[\"'`][^\"'`#]*(?:input|textarea|select|\.|\[)|getElementsBy"
)
"""Code that may read fields without their ids."""
_NOT_READ = re.compile(r"type\s*=\s*[\"']?(?:submit|button|reset|hidden|file|image)\b", re.IGNORECASE)


def _unread_fields(prompt: str, texts: Mapping[str, str]) -> list[str]:
    """Fields that a request names and no script reads, with the line where the other ones are read."""
    scripts = {name: text for name, text in texts.items() if name.lower().endswith((".js", ".mjs"))}
    pages = {name: text for name, text in texts.items() if name.lower().endswith((".html", ".htm"))}
    inline = {name: code for name, page in pages.items() if (code := "\n".join(_inline(page))).strip()}
    code = "\n".join([*scripts.values(), *inline.values()])
    if not code.strip() or _INDIRECT.search(code):
        return []
    read = [
        f"{name}:{line}"
        for name, text in scripts.items()
        for line, row in enumerate(text.splitlines(), 1)
        if _VALUE.search(row) and not re.search(r"\.value\s*=(?!=)", row)
    ]
    homes = [*scripts, *inline]
    if len(read) == 1 and not inline:
        place = f": read it where the other fields are read, in {read[0]}"
    else:
        place = f": use its value in the script of {homes[0]}" if len(homes) == 1 else ""
    found = []
    for one in named_ids(prompt):
        tags = [tag[0] for page in pages.values() for tag in re.finditer(_FIELD_TAG.format(re.escape(one)), page)]
        used = re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", code)
        handled = any(re.search(r"\bon(?:input|change|keyup)\s*=", page) for page in pages.values())
        if tags and not used and not handled and not any(_NOT_READ.search(tag) for tag in tags):
            found.append(f"nothing reads the field #{one}{place}")
    return found


def _inline(page: str) -> list[str]:
    return re.findall(r"(?is)<script\b(?![^>]*\bsrc\b)[^>]*>(.*?)</script", page)


def unkept_wishes(prompt: str, texts: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """What a request names and the project does not hold: files, ids, texts in quotes. One line each.

    `texts` are the web files by name, `names` all files.
    """
    lines = [f"{name}, which the request names, does not exist" for name in not_there(prompt, frozenset(names))]
    whole = "\n".join(texts.values())
    if not whole:
        return lines
    buttons = missing_buttons(prompt, texts)
    lines += [f'there is no button "{name}"; use <button>' for name in buttons]
    lines += _wrong_kinds(prompt, whole) + _locked_fields(prompt, whole)
    lines += [
        f'nothing has id="{one}", which the request names' for one in named_ids(prompt) if not _has_id(one, whole)
    ]
    lines += _unread_fields(prompt, texts)
    flat = _flat(whole)
    if (digits := named_decimals(prompt)) and not _FIXED.search(whole):
        lines.append(f"nothing is shown with {digits} decimals; use toFixed({digits})")
    shown = _shown(texts)
    headed = {text: _heading_place(prompt, text, texts) for kind, text in named_parts(prompt) if kind == "column"}
    lines += [
        f'no {kind} says "{text}"{headed.get(text, "") if kind == "column" else ""}'
        for kind, text in named_parts(prompt)
        if (_flat(text) not in shown or (kind == "column" and not _heads_column(text, texts)))
        and (not _is_gone(text, flat) or (kind == "column" and headed[text]))
    ]
    lines += [
        f"the colour {colour}, which the request names, is nowhere"
        for colour in named_colours(prompt)
        if not _has_colour(colour, flat)
    ]
    lines += [
        f"the number {one}, which the request names, is nowhere{_entry_place(prompt, one, texts)}"
        for one in named_numbers(prompt)
        if one not in whole
    ]
    lines += [
        f'the text "{text}", which the request names, is nowhere'
        for text in named_texts(prompt)
        if text not in buttons and _is_gone(text, flat) and not headed.get(text)
    ]
    return lines


def element_named(prompt: str, attribute: str) -> str:
    """The beginning of the element that is to have `id="…"`, as the request calls it: `input type="number" id="a"`."""
    before = prompt[: max(0, prompt.find(attribute))]
    kind = _KIND_BEFORE.search(before)
    return f"{_TAGS[kind[1].lower().replace('-', '')] if kind else 'div'} {attribute}"


def button_named(prompt: str, label: str) -> str:
    """The element of a button that a request names, with its id, and the function that it calls, called like it."""
    named = re.search(
        rf"[\"“]{re.escape(label)}[\"”]\s+(?:with|has|having)\s+(?:the\s+)?(id\s*=\s*[\"'][\w-]+[\"'])", prompt
    )
    words = re.findall(r"[A-Za-z][A-Za-z0-9]*", label)
    name = "".join([words[0].lower(), *(word.capitalize() for word in words[1:])]) if words else ""
    calls = f' onclick="{name}()"' if name and name not in _KEYWORDS and not words[0][0].isdigit() else ""
    return f"<button{f' {named[1]}' if named else ''}{calls}>{html.escape(label)}</button>"


def missing_texts(prompt: str, texts: Mapping[str, str]) -> list[str]:
    """Of what a request names, the ids, colours and texts that no file holds, as they would stand in one."""
    whole = "\n".join(texts.values())
    flat = _flat(whole)
    found = [f'id="{one}"' for one in named_ids(prompt) if not _has_id(one, whole)]
    found += [colour for colour in named_colours(prompt) if not _has_colour(colour, flat)]
    found += [one for one in named_numbers(prompt) if one not in whole]
    return found + [text for text in named_texts(prompt) if _is_gone(text, flat)]


def unkept_claims(answer: str, changed: Sequence[str], names: Iterable[str]) -> list[str]:
    """What an answer says was done and was not: files that it names as changed. One line each."""
    known = frozenset(names)
    lines: list[str] = []
    for sentence in re.split(r"(?<=[.!?])\s+|\n", answer):
        if not _DONE.search(sentence) or _NOT_DONE.search(sentence):
            continue
        for match in FILE_NAME.finditer(sentence):
            name = match[1]
            if any(path == name or path.endswith(f"/{name}") for path in changed):
                continue
            if name in known or any(path.endswith(f"/{name}") for path in known):
                lines.append(f"you say that {name} was changed, but it was not")
            elif not PRODUCTS.fullmatch(name):
                lines.append(f"you say that {name} was made, but it does not exist")
    return list(dict.fromkeys(lines))


def missing_buttons(prompt: str, texts: Mapping[str, str]) -> list[str]:
    """Buttons that a request names and that are something else, or nothing. Where a script makes buttons it is not
    known which."""
    pages = "\n".join(text for name, text in texts.items() if name.lower().endswith((".html", ".htm")))
    if not pages or any(_MAKES_BUTTONS.search(text) for text in texts.values()):
        return []
    there = [
        _flat(re.sub(r"<[^>]*>", " ", match["text"] or match["input"] or match["role"] or ""))
        for match in _BUTTON.finditer(pages)
    ]
    there += [_flat(match[0]) for match in _BUTTON.finditer(pages)]
    return [name for name in named_buttons(prompt) if not any(_flat(name) in one for one in there)]


def _wrong_kinds(prompt: str, text: str) -> list[str]:
    """Elements that a request calls a field, a table and so on, and that are something else."""
    lines: list[str] = []
    for match in _KIND_OF_ID.finditer(prompt):
        kind = match["kind"].lower().replace("-", "")
        tags = _KINDS.get(kind) or _KINDS.get(kind.replace(" ", ""))
        found = re.findall(rf"<(\w+)\b[^<>]*\bid\s*=\s*[\"']?{re.escape(match['id'])}[\"'\s>/]", text)
        if tags and found and not any(tag.lower() in tags for tag in found):
            lines.append(f'id="{match["id"]}" is on <{found[0]}>; the request wants a {match["kind"]} (<{tags[0]}>)')
    return lines


def _locked_fields(prompt: str, text: str) -> list[str]:
    """Fields that a request wants somebody to type into, and that do not let anybody."""
    if not _TYPING.search(prompt) or _LOCKED.search(prompt):
        return []
    fields = [match["id"] for match in _KIND_OF_ID.finditer(prompt) if "field" in match["kind"].lower()]
    return [
        f'nobody can type into id="{name}": take {found[1]} away and give it an input handler'
        for name in fields
        if (
            found := re.search(
                rf"<input\b(?=[^<>]*\bid\s*=\s*[\"']?{re.escape(name)}[\"'\s>/])[^<>]*\s(readonly|disabled)\b", text
            )
        )
    ]


def _has_id(name: str, text: str) -> bool:
    if _MAKES_IDS.search(text):
        return True
    one = re.escape(name)
    return re.search(rf"\bid\s*=\s*\\?[\"'`]?{one}(?![\w-])|[\"']id[\"']\s*[,:]\s*[\"'`]{one}[\"'`]", text) is not None


def _has_colour(colour: str, flat: str) -> bool:
    """Whether a colour stands there in any of the ways to write it."""
    digits = colour[1:].lower()
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue = (int(digits[at : at + 2], 16) for at in (0, 2, 4))
    ways = [f"#{digits}", rf"rgba?\(\s*{red}[,\s]+{green}[,\s]+{blue}\b"]
    if digits[0::2] == digits[1::2]:
        ways.append(f"#{digits[0::2]}(?![0-9a-f])")
    if name := _COLOUR_NAMES.get(digits):
        ways.append(rf"\b(?:{name})\b")
    return re.search("|".join(ways), flat) is not None


def _shown(texts: Mapping[str, str]) -> str:
    """What pages say between their tags, and everything of other files."""
    return _flat(
        "\n".join(
            re.sub(r"<[^<>]*>", " ", text) if name.lower().endswith((".html", ".htm")) else text
            for name, text in texts.items()
        )
    )


def _heads_column(text: str, texts: Mapping[str, str]) -> bool:
    """Whether a heading of a table says it, or a script may write one. Where no page has headings nobody knows."""
    heads = [
        _flat(re.sub(r"<[^<>]*>", " ", head))
        for name, page in texts.items()
        if name.lower().endswith((".html", ".htm"))
        for head in _HEAD_CELL.findall(page)
    ]
    written = re.compile(rf"[\"'`>]\s*{re.escape(text)}\s*[\"'`<]")
    code = [one for name, one in texts.items() if not name.lower().endswith((".html", ".htm"))]
    return not heads or any(_flat(text) in head for head in heads) or any(written.search(one) for one in code)


def _is_gone(text: str, flat: str) -> bool:
    """Whether neither the text nor all of its words stand in `flat`; what has no word in it is not looked for."""
    wanted = _flat(text)
    words = re.findall(r"\w+", wanted)
    if not words or wanted in flat:
        return False
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", flat) is None for word in words)


def _flat(text: str) -> str:
    return " ".join(html.unescape(text).replace("\\n", " ").casefold().split())
