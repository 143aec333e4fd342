"""Where a statement goes that using a page showed to be missing: one that puts back what controls alike changed, into
the code that handles their clicks, and a call that fills at first what is filled later.

The browser shows what is wrong. Here the one place is looked for in the texts where the statement belongs; where there
are several, or none that is plain, the line is told as it is.
"""

import re
from collections.abc import Mapping, Sequence

from roomcode.preview import AT_THE_END

__all__ = ["with_resets"]

_WANTED = re.compile(
    r"write document\.querySelectorAll\((?P<selector>.+?)\)\.forEach\(one => \{ (?P<change>.+?) \}\);"
    r" where a click is handled$"
)
_NOTHING = re.compile(r"^after a click on .* changes nothing that can be seen$")
_HIDDEN = re.compile(r"([\w$.]+)\.style\.display\s*={2,3}\s*([\"'])none\2")
_DISPLAY = re.compile(r"\.style\.display\s*=\s*[\"'](?P<shown>(?!none)[\w-]+)[\"']")
_MEMBER = re.compile(r"one\.(style\.\w+|classList|hidden)")
_OWNER = r"(?<![\w$.)])([A-Za-z_$][\w$]*(?:\.[\w$]+)*(?:\([^()\n]*\))?(?:\.[\w$]+)*)"
_HANDLER = re.compile(
    r"\bfunction\b[^{]*\{\s*$|\baddEventListener\([^{]*\{\s*$|\.onclick\s*=[^={][^{]*\{\s*$|^\s*(?:const|let|var)\s+[\w$]+\s*="
    r"\s*(?:async\s*)?\([^()]*\)\s*=>\s*\{\s*$"
)
_EMPTY = re.compile(r"is empty until #?\S+ is changed: call what fills it once at the start of the script$")
_OVERRULED = re.compile(r"^(\S.*?) never shows its [\w-]+, .+ overrules it: write .+ there$")
_LISTENER = re.compile(
    r"addEventListener\(\s*[\"'](?:input|change|keyup)[\"']\s*,\s*(?P<one>[A-Za-z_$][\w$]*)\s*\)"
    r"|\bon(?:input|change|keyup)\s*=\s*(?:(?P<two>[A-Za-z_$][\w$]*)\s*(?:;|$)|[\"'](?P<three>[A-Za-z_$][\w$]*)\(\)\s*;?[\"'])",
    re.MULTILINE,
)
_SCRIPT = re.compile(r"(?is)<script\b(?![^>]*\bsrc\b)[^>]*>(.*?)</script")
_WHEN_LOADED = re.compile(r"DOMContentLoaded|\bonload\b|[\"']load[\"']|^\s*\(\s*(?:function|\(\)\s*=>)", re.MULTILINE)
_FAR = 25
"""Lines between the beginning of a handler and what it changes."""


def with_resets(texts: Mapping[str, str], lines: Sequence[str], styles: tuple[str, int] = ("", 0)) -> list[str]:
    """The lines of a used page, with the place of what has to be written. `texts` are a project's web files by name,
    `styles` file and line of the last rule where new ones go behind it."""
    told = []
    for line in lines:
        if (wanted := _WANTED.search(line)) is not None:
            told.append(_placed(texts, line, wanted))
        elif _NOTHING.search(line):
            told.append(_unhidden(texts, line))
        elif (overruled := _OVERRULED.search(line)) is not None:
            told.append(_at_rule(texts, line, overruled[1]))
        elif styles[0] and line.endswith(AT_THE_END):
            told.append(f"{line.removesuffix(AT_THE_END)}behind {styles[0]}:{styles[1]}")
        elif _EMPTY.search(line):
            told.append(_called(texts, line))
        else:
            told.append(line)
    return told


def _placed(texts: Mapping[str, str], line: str, wanted: re.Match[str]) -> str:
    member = _MEMBER.match(wanted["change"])
    if member is None:
        return line
    changes = {"hidden": r"\s*=(?!=)", "classList": r"\.(?:toggle|add|remove)\("}.get(member[1], r"\s*=(?!=)")
    pattern = re.compile(rf"{_OWNER}\.{re.escape(member[1])}{changes}")
    found = {place for name, text in texts.items() for place in _places(name, text, pattern)}
    name, number, owner = found.pop() if len(found) == 1 else ("", 0, "")
    if not number:
        return line
    only = f"if (one !== {owner}) " if owner else ""
    statement = f"document.querySelectorAll({wanted['selector']}).forEach(one => {{ {only}{wanted['change']}; }});"
    where = "behind" if owner and "{" not in texts[name].splitlines()[number - 1] else "as the first line in"
    return f"{line[: wanted.start()]}write {statement} {where} {name}:{number}"


def _places(name: str, text: str, pattern: re.Pattern[str]) -> set[tuple[str, int, str]]:
    """The line behind which the statement belongs, for each handler that changes such a thing, and what must not be put
    back there because the handler looks at how it is."""
    if not name.lower().endswith((".html", ".htm", ".js", ".mjs")):
        return set()
    lines = text.splitlines()
    places = set()
    for at, code in enumerate(lines):
        for match in pattern.finditer(code):
            start = next((i for i in range(at, max(at - _FAR, -1), -1) if _HANDLER.search(lines[i])), None)
            if start is None:
                places.add((name, 0, ""))  # nobody knows where this is handled
                continue
            places.add((name, *_place(lines, start, at, match)))
    return places


def _place(lines: Sequence[str], start: int, at: int, match: re.Match[str]) -> tuple[int, str]:
    owner = match[1]
    body = "\n".join(lines[start + 1 : at + 1])
    looks = re.search(
        rf"{re.escape(owner)}\.(?:style\.\w+\s*[=!]==?|classList\.(?:toggle|contains)\(|hidden\s*(?:[=!]==?|\)|\?|;))|!{re.escape(owner)}\.hidden",
        body,
    )
    if looks is None:
        return start + 1, ""
    root = re.match(r"[\w$]+", owner)
    declared = re.compile(rf"^\s*(?:const|let|var)\s+{re.escape(root[0] if root else owner)}\s*=.*;\s*$")
    behind = next((i for i in range(at, start, -1) if declared.search(lines[i])), start)
    return behind + 1, owner


def _unhidden(texts: Mapping[str, str], line: str) -> str:
    """An element that a style sheet hides has an empty `style.display` at first."""
    found = [
        (name, number, match)
        for name, text in texts.items()
        if name.lower().endswith((".html", ".htm", ".js", ".mjs"))
        for number, code in enumerate(text.splitlines(), 1)
        for match in _HIDDEN.finditer(code)
    ]
    shown = {match["shown"] for text in texts.values() for match in _DISPLAY.finditer(text)}
    if len(found) != 1 or len(shown) != 1:
        return line
    name, number, match = found[0]
    owner = f"{match[1]}.style.display"
    return f'{name}:{number} {owner} is "" at first: write {owner} !== "{shown.pop()}" there'


def _at_rule(texts: Mapping[str, str], line: str, selector: str) -> str:
    """The line where a rule begins."""
    begins = re.compile(rf"^\s*{re.escape(selector)}\s*(?:\{{|$)")
    found = [
        (name, number)
        for name, text in texts.items()
        if name.lower().endswith((".css", ".html", ".htm"))
        for number, code in enumerate(text.splitlines(), 1)
        if begins.search(code)
    ]
    return f"{found[0][0]}:{found[0][1]} {line}" if len(found) == 1 else line


def _called(texts: Mapping[str, str], line: str) -> str:
    """The function that listens to fields is called at the end of the script that has it."""
    whole = "\n".join(texts.values())
    names = {match["one"] or match["two"] or match["three"] for match in _LISTENER.finditer(whole)}
    if len(names) != 1:
        return line
    listener = names.pop()
    declared = re.compile(
        rf"\bfunction\s+{re.escape(listener)}\s*\(\s*\)"
        rf"|\b(?:const|let|var)\s+{re.escape(listener)}\s*=\s*(?:function\s*)?\(\s*\)"
    )
    places = [
        (name, text.count("\n", 0, start + len(code.rstrip())) + 1)
        for name, text in texts.items()
        for start, code in _scripts(name, text)
        if declared.search(code) and not _WHEN_LOADED.search(code)
    ]
    if len(places) != 1:
        return line
    shown = line.rpartition(": ")[0]
    return f"{shown}: write {listener}(); behind {places[0][0]}:{places[0][1]}"


def _scripts(name: str, text: str) -> list[tuple[int, str]]:
    """The scripts of a file with where they begin."""
    if name.lower().endswith((".html", ".htm")):
        return [(match.start(1), match[1]) for match in _SCRIPT.finditer(text)]
    return [(0, text)] if name.lower().endswith((".js", ".mjs")) else []
