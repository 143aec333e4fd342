"""Style rules that hide elements which nothing shows again."""

import re
from collections.abc import Iterator

from roomcode.preview.references import Finding, Sources, loaded_by

__all__ = ["hidden_for_good"]

_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_NONE = re.compile(r"(?<![\w-])display\s*:\s*none\b")
_SHOWN = re.compile(r"(?<![\w-])display\s*:\s*(?!none\b)[a-z-]+")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_STYLE = re.compile(r"(?is)<style\b[^>]*>(.*?)</style")
_SHOWS = re.compile(
    r"\.style\.display\s*=\s*(?![=])(?!\s*[\"'](?:none)?[\"']\s*[;,)\n]|\s*[\"'](?:none)?[\"']$)|\.show\(|cssText|cloneNode|className"
    r"|setAttribute\(\s*[\"'](?:class|style)|\.innerHTML\s*\+?=\s*[^;]*\bstyle\s*=|insertRule|\.display\s*=\s*[A-Za-z_$]"
    r"|setProperty|animate\("
)
"""Code that may show what a rule hides."""
_SEEN = {"li", "p", "tr", "td", "h2", "h3", "section", "article", "button", "canvas", "table", "ul", "ol"}
"""Elements that people miss when they cannot be seen."""


def hidden_for_good(sources: Sources) -> list[Finding]:
    """Rules with `display: none` whose elements stand in a page, and no rule or script shows them."""
    code = "\n".join(
        [
            *(sources.texts[name] for name in sources.scripts),
            *(part.text for page in sources.pages.values() for part in page.scripts),
        ]
    )
    if _SHOWS.search(code):
        return []
    sheets = list(_sheets(sources))
    rules = [(name, at, *rule) for name, at, text in sheets for rule in _rules(text)]
    shown = " ".join(selector for _, _, _, selector, body in rules if _SHOWN.search(body))
    found = []
    for name, at, line, selector, body in rules:
        last = selector.split()[-1] if selector.split() else ""
        none = _NONE.search(body)
        if none is None or re.search(r"[:,\[>+~*]", selector) or not re.fullmatch(r"[.#]?[\w-]+", last):
            continue
        bare = last.lstrip(".#")
        spoken = last[0] in ".#" and re.search(rf"(?<![\w-]){re.escape(bare)}(?![\w-])", code)
        again = re.search(rf"{re.escape(last)}(?![\w-])", shown)
        if (spoken and last[0] == ".") or again or not _stands(sources, last):
            continue
        number = at + line + body[: none.start()].count("\n")
        text = f"hides {selector} for good, nothing shows them again: take display: none out of this line"
        found.append(Finding(name, number, text))
    return found


def _sheets(sources: Sources) -> Iterator[tuple[str, int, str]]:
    """File, line before the first one, and text of each sheet that a page has."""
    users = loaded_by(sources)
    for name in sources.styles:
        if users.get(name):
            yield name, 0, sources.texts[name]
    for name in sources.pages:
        for match in _STYLE.finditer(sources.texts[name]):
            yield name, sources.texts[name].count("\n", 0, match.start(1)), match[1]


def _rules(text: str) -> Iterator[tuple[int, str, str]]:
    """Line of the block's beginning, selector and block of each rule that stands for itself."""
    bare = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in _RULE.finditer(bare):
        before = bare[: match.start()]
        if before.count("{") == before.count("}"):
            yield bare.count("\n", 0, match.start(2)) + 1, " ".join(match[1].split()), match[2]


def _stands(sources: Sources, last: str) -> bool:
    """Whether a page has an element of this kind that people would see."""
    for page in sources.pages.values():
        for element in page.elements:
            classes = element.attributes.get("class", "").split()
            named = {".": last[1:] in classes, "#": element.attributes.get("id") == last[1:]}.get(
                last[0], element.tag == last
            )
            if named and element.tag in (
                "li",
                "p",
                "tr",
                "td",
                "h2",
                "h3",
                "section",
                "article",
                "button",
                "canvas",
                "table",
                "ul",
            ):
                return True
    return False
