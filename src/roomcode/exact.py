"""What the line of a mistake becomes, where a finding says what is wrong in it and what to write.

Each finding of `preview/pitfalls` that names both is a pattern for what is there and its replacement. A pattern that
does not fit the line changes nothing, and the line is then written by the model.
"""

import re
from collections.abc import Callable

__all__ = ["replaced"]

Swap = tuple[str, str]
"""A pattern, and what takes the place of its match, as `re.sub` reads it."""


def replaced(finding: str) -> Swap:
    """The pattern of what is wrong in the line and its replacement; ("", "") where the finding does not say it."""
    for pattern, swap in _SWAPS:
        if (found := pattern.search(finding)) is not None:
            return swap(found)
    return "", ""


def _plain(text: str) -> str:
    return text.replace("\\", r"\\")


def _loose(text: str) -> str:
    """The pattern of a piece of code, with any spaces between its words."""
    return r"\s*".join(re.escape(part) for part in re.findall(r"[\w$]+|[^\w\s$]", text))


def _name(found: re.Match[str]) -> Swap:
    return rf"(?<![\w$#.-]){re.escape(found[1])}(?![\w$-])", _plain(found[2])


def _selector(found: re.Match[str]) -> Swap:
    return rf"(?<![\w#.-]){re.escape(found[1])}(?![\w-])", _plain(found[2])


def _rule(found: re.Match[str]) -> Swap:
    return rf"(?<![\w#.-]){re.escape(found[1])}(?=\s*(?:\{{|$))", _plain(found[2])


def _quoted(found: re.Match[str]) -> Swap:
    return rf"(?<=[\"'`]){re.escape(found[1])}(?=[\"'`])", _plain(found[2])


def _class(found: re.Match[str]) -> Swap:
    return rf"(?<=[\"'`\s]){re.escape(found[1])}(?=[\"'`\s])", _plain(found[2])


def _property(found: re.Match[str]) -> Swap:
    return rf"(?<=\.){re.escape(found[1])}(?![\w$])", _plain(found[2])


def _code(found: re.Match[str]) -> Swap:
    end = r"(?![\w$(])" if re.search(r"[\w$]$", found[1]) else ""
    return rf"(?<![\w$.]){_loose(found[1])}{end}", _plain(found[2])


def _length(found: re.Match[str]) -> Swap:
    return rf"(?<={re.escape(found[1])}:)(\s*){re.escape(found[2])}(?=\s*(?:[;!}}\"']|$))", rf"\g<1>{_plain(found[3])}"


def _added(found: re.Match[str]) -> Swap:
    """`1 + field.value` → `1 + Number(field.value)`."""
    text, better = found[1], found[2]
    if " = " in better:
        return rf"(?<![\w$.]){_loose(text)}\s*\+=\s*{_loose(better.rsplit('+', 1)[1])}", _plain(better)
    return rf"(?<![\w$.]){_loose(better.replace(f'Number({text})', text))}", _plain(better)


def _start(found: re.Match[str]) -> Swap:
    return rf"(?<![\w$]){re.escape(found[1])}\s*=\s*1(?!\d)", f"{found[1]} = 0"


def _limit(found: re.Match[str]) -> Swap:
    return rf"(?<![\w$]){re.escape(found[1])}\s*<=?\s*{_loose(found[2])}\s*\.\s*length(?:\s*-\s*1)?", _plain(
        f"{found[1]} < {found[2]}.length"
    )


def _value(found: re.Match[str]) -> Swap:
    return r"\A([^.]*(?:\.(?!value\b)[^.]*)*)\.value\b(?!.*\.value\b)", r"\g<1>.textContent"


def _shown(found: re.Match[str]) -> Swap:
    return r"\.(?:textContent|innerText|innerHTML)\b", ".value"


def _children(found: re.Match[str]) -> Swap:
    owner = found[1].removeprefix("[...").removesuffix("]").removesuffix(".children")
    return rf"(?<![\w$.]){_loose(owner)}\s*\.\s*childNodes\b", _plain(found[1])


def _stored(found: re.Match[str]) -> Swap:
    return rf",\s*{_loose(found[1])}\s*\)", _plain(f", JSON.stringify({found[1]}))")


def _not_shown(found: re.Match[str]) -> Swap:
    return rf"(?<![\w$.]){_loose(found[1])}\s*={{2,3}}\s*([\"'])none\1", _plain(found[2])


def _declared(found: re.Match[str]) -> Swap:
    return rf"(?<![\w$])var(?=\s+{re.escape(found[1])}(?![\w$]))", "let"


_SLIPS = (
    r"is only named and not called|changes nothing by itself|is not given back to \w+|gives the years since 1900"
    r"|counts the months from 0|sets and does not add|goes through 0, 1, 2 and not through the entries"
    r"|is 0 for the first and -1 for none|can be one past the end|is no whole number"
    r'|compares texts, "10" comes before "9"'
    r"|never takes what is behind \S+"
    r"|makes another [\w$]+, which nothing reads"
)
_SWAPS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Swap]], ...] = (
    (re.compile(r" ([#.]?[\w-]+) matches (?:no element|nothing), .*: write (\S+) there$"), _selector),
    (re.compile(r"^\S+:\d+ (\S.*?) never shows its [\w-]+, .+ overrules it: write (.+) there$"), _rule),
    (re.compile(r" ([\w-]+) is no CSS property: write ([\w-]+) there$"), _name),
    (re.compile(r" ([\w-]+): (.+) has no unit: write (.+) there$"), _length),
    (re.compile(r" no rule has \.([\w-]+), .*: write ([\w-]+) there$"), _class),
    (re.compile(r" there is no property ([\w$]+): write ([\w$]+) there$"), _property),
    (re.compile(r' no event is called "([^"]+)": write "([^"]+)" there$'), _quoted),
    (re.compile(r' event\.key is never "([^"]+)": write "([^"]+)" there$'), _quoted),
    (re.compile(r"^\S+ (.+) is called at once and not later: write (.+) there$"), _code),
    (re.compile(rf"^\S+ (.+?) (?:{_SLIPS}): write (.+) there$"), _code),
    (re.compile(r"^\S+ (.+) sets and does not compare: write (.+) there$"), _code),
    (re.compile(r"^\S+ (.+) is text and stays as it is: write (.+) there$"), _code),
    (re.compile(r"^\S+ (.+) puts two texts side by side, .*: write (.+) there$"), _code),
    (re.compile(r"^\S+ (.+) is text(?:, so| and is put behind).*: write (.+) there$"), _added),
    (re.compile(r" the loop .*: write (\w+) = 0 there$"), _start),
    (re.compile(r" the loop .*: write (\w+) < ([\w$.]+)\.length there$"), _limit),
    (re.compile(r" is a <\S+> and has no value: write textContent there$"), _value),
    (re.compile(r" and its text is its value: write value there$"), _shown),
    (re.compile(r" childNodes holds .*: write (\S+) there$"), _children),
    (re.compile(r" as useless text: write JSON\.stringify\((.+)\) there$"), _stored),
    (re.compile(r' ([\w$.]+\.style\.display) is "" at first: write (.+) there$'), _not_shown),
    (re.compile(r" is one var for all rounds of the loop, .*: write let ([\w$]+) there$"), _declared),
)
