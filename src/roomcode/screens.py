"""Requests for screens of some width: the media rule that they want, and where it goes. Pure functions on texts."""

import re

from roomcode.cures import Unfinished, behind_line
from roomcode.preview.references import Sources, loaded_by

__all__ = ["first_media", "missing_media", "stacked", "style_end"]

_WIDTH = r"(?P<{0}>\d{{3,4}})\s*(?:px|pixels?)\b"
_SCREEN = r"\b(?:screens?|windows?|viewports?|devices?|displays?|browsers?|phones?|tablets?|mobiles?)\b"
_NARROW = re.compile(
    rf"(?:{_SCREEN}[^.;]{{0,40}}?|\b(?:on|for|in|at)\s+(?:all\s+)?)"
    rf"\b(?:narrower|smaller|less|below|under|(?P<most>at\s+most|up\s+to|max(?:imum|\.)?))\s+(?:than\s+)?"
    rf"(?:a\s+width\s+of\s+)?{_WIDTH.format('width')}|{_WIDTH.format('also')}\s+or\s+(?:less|narrower|smaller)\b",
    re.IGNORECASE,
)
_WIDE = re.compile(
    rf"{_SCREEN}[^.;]{{0,40}}?\b(?:wider|larger|bigger|more|above|over)\s+(?:than\s+)?{_WIDTH.format('width')}",
    re.IGNORECASE,
)
_SMALL = re.compile(
    r"\bon\s+(?:a\s+|my\s+)?(?:(?:small|narrow)\s+(?:screens?|windows?|devices?|displays?)|(?:mobile\s+)?phones?|mobile(?:\s+devices?)?|smartphones?)\b"
    r"(?!\s+(?:number|book))",
    re.IGNORECASE,
)
_USUAL = 600
"""Pixels up to which a screen is small where the request does not say."""
_MEDIA = re.compile(r"@(?:media|container)\b|\bmatchMedia\(|\binnerWidth\b", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”")
_CHANGE = re.compile(
    r"\b(?:should|must|make|let|want|stack|hide|show|put|use|become|be|fit|wrap|below|under|beside)\b", re.IGNORECASE
)
_BELOW = re.compile(
    r"\b(?:below|under|underneath|beneath|on\s+top\s+of)\s+(?:each\s+other|one\s+another)\b|\bstack(?:ed|s)?\b|\b(?:one|a\s+single)\s+column\b"
    r"|\bone\s+(?:below|under|beneath)\s+(?:the|an)\s*other\b",
    re.IGNORECASE,
)
_STYLE = re.compile(r"(?is)(<style\b[^>]*>)(.*?)</style")


def _wanted(prompt: str) -> str:
    """The rule that a request wants, without its block; "" for none."""
    text = _QUOTED.sub('"…"', prompt)
    narrow = _NARROW.search(text)
    if narrow is not None and _CHANGE.search(text):
        width = int(narrow["width"] or narrow["also"])
        return f"@media (max-width: {width if narrow['most'] or narrow['also'] else width - 1}px)"
    wide = _WIDE.search(text)
    if wide is not None and _CHANGE.search(text):
        return f"@media (min-width: {int(wide['width']) + 1}px)"
    return f"@media (max-width: {_USUAL}px)" if _SMALL.search(text) and _CHANGE.search(text) else ""


def stacked(prompt: str) -> str:
    """The greatest width in pixels up to which what stands side by side is to be stacked; "" for none."""
    rule = re.search(r"max-width: (\d+)px", _wanted(prompt))
    return rule[1] if rule is not None and _BELOW.search(_QUOTED.sub("", prompt)) else ""


def style_end(sources: Sources) -> tuple[str, int]:
    """The last line of the one style sheet that pages load, or of the one style element there is; ("", 0) otherwise."""
    users = loaded_by(sources)
    sheets = [name for name in sources.styles if users.get(name)]
    inline = [(name, match) for name in sources.pages for match in _STYLE.finditer(sources.texts[name])]
    if len(sheets) == 1 and not inline and sources.texts[sheets[0]].strip():
        return sheets[0], sources.texts[sheets[0]].rstrip().count("\n") + 1
    if len(inline) == 1 and not sheets and inline[0][1][2].strip():
        name, match = inline[0]
        return name, sources.texts[name].count("\n", 0, match.start(2) + len(match[2].rstrip())) + 1
    return "", 0


def missing_media(prompt: str, sources: Sources) -> list[str]:
    """What is told while no style tells screens apart."""
    rule = _wanted(prompt)
    if not rule or any(_MEDIA.search(text) for text in sources.texts.values()):
        return []
    name, line = style_end(sources)
    where = f" behind {name}:{line}" if name else ""
    return [f"no style is for such screens only: write a rule {rule} {{ … }}{where}"]


def first_media(prompt: str, sources: Sources) -> Unfinished | None:
    """The change that begins with the rule, in a project whose styles have none."""
    rule = _wanted(prompt)
    name, line = style_end(sources)
    if not rule or not name or any(_MEDIA.search(text) for text in sources.texts.values()):
        return None
    return behind_line(name, line, "@media", f"{rule} {{")
