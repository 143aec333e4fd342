"""Signs that a model is about to destroy a file with a careless write. Pure functions on text with `\\n` line ends."""

import re

__all__ = [
    "LEFT_NUMBERS",
    "LEFT_WRAPPING",
    "is_html_fragment",
    "is_markup",
    "is_page_for_piece",
    "is_style_fragment",
    "is_web_file",
    "is_whole_page",
    "lost_lines",
    "overlap",
    "placeholder",
    "sent_before",
    "sent_behind",
    "shrinks",
    "starts_alike",
    "unclosed",
    "unclosed_block",
    "without_line_numbers",
    "without_wrapping",
]

LEFT_NUMBERS = "the line numbers of read_file were left out of your text."
"""What the model is told when it copied them."""

LEFT_WRAPPING = "what stood around your text (a ``` fence, a <style> or <script> tag) was left out."
"""What the model is told when it wrapped the text of a file."""

_AGAIN = 30
"""Characters from which on lines of an edit are taken for the ones that follow it."""
_ELEMENT_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)(?:\s[^<>]*?)?(/?)>")
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.DOTALL)
_BEHIND_BLOCK = re.compile(r"\s*[)\];,]+")
_FENCE = re.compile(r"\s*(```+|~~~+)[\w+-]*[ \t]*\n")
_TAGGED = re.compile(r"\s*<(style|script)\b[^>]*>[ \t]*\n?(.*?)</\1>\s*", re.IGNORECASE | re.DOTALL)
_WHOLE_PAGE = re.compile(r"<!doctype|<html", re.IGNORECASE)
_HTML_NAME = re.compile(r"\.(?:html?|xhtml)$", re.IGNORECASE)
_CODE_NAME = re.compile(r"\.(?:html?|xhtml|css|m?js|json|svg)$", re.IGNORECASE)
_NUMBERED = re.compile(r"(\d+):(?: (.*))?")
_COMMENT = r"(?://|#|/\*|\*|<!--|\{/\*|--|;|%|\.\.\.|…)[\s.…(]*"
_LEFT_OUT = re.compile(
    rf"{_COMMENT}"
    r"(?:(?:the\s+)?(?:rest|remainder|remaining)\b.{0,60}"
    r"|(?:existing|previous|other|original)\s+(?:\w+\s+){0,2}"
    r"(?:code|content|html|css|styles?|functions?|markup|lines?)\b.{0,40}"
    r"|(?:keep|leave)\s+(?:the\s+)?(?:rest|existing)\b.{0,40})",
    re.IGNORECASE,
)
_MAYBE_LEFT_OUT = re.compile(
    rf"^{_COMMENT}"
    r".{0,40}\b(?:unchanged|stays? the same|remains? the same|same as (?:before|above)|as before)\b.{0,30}$",
    re.IGNORECASE,
)
_SPEAKS_OF_CODE = re.compile(
    r"\b(?:code|file|page|html|css|script|styles?|functions?|content|document|markup|body|here|unchanged|same|"
    r"remains?|stays?|as before|existing)\b",
    re.IGNORECASE,
)


def without_line_numbers(path: str, text: str) -> str:
    """`text` without the line numbers that read_file shows, where a model copied them: each line of a web file begins
    with one, counting up. Otherwise the text as it is."""
    if not _CODE_NAME.search(path):
        return text
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    found = [_NUMBERED.fullmatch(line) for line in lines]
    numbers = [int(match[1]) for match in found if match is not None]
    if len(numbers) < 2 or len(numbers) < len(lines) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return text
    bare = "\n".join(match[2] or "" for match in found if match is not None)
    return bare + "\n" if text.endswith("\n") else bare


def without_wrapping(path: str, text: str) -> str:
    """`text` without the Markdown fence that a model put around the whole of a web file, and what it wrote behind that;
    a style sheet without `<style>` around it, a script without `<script>`. Otherwise the text as it is."""
    opened = _FENCE.match(text)
    if opened is None or not _CODE_NAME.search(path):
        tagged = _TAGGED.fullmatch(text)
        fits = tagged is not None and path.lower().endswith(
            (".css",) if tagged[1].lower() == "style" else (".js", ".mjs")
        )
        return tagged[2] if tagged is not None and fits and tagged[2].strip() else text
    body = text[opened.end() :]
    end = re.search(rf"^[ \t]*{opened[1]}[ \t]*$", body, re.MULTILINE)
    if end is not None:
        body = body[: end.start()]
    return body if body.strip() else text


def is_markup(path: str) -> bool:
    """Whether a file of this name holds a page."""
    return _HTML_NAME.search(path) is not None


def is_web_file(path: str) -> bool:
    """Whether a file of this name is a part of a page."""
    return _CODE_NAME.search(path) is not None


def is_html_fragment(path: str, before: str, content: str) -> bool:
    """Whether `content` would replace a whole HTML page by a piece of one."""
    if not _HTML_NAME.search(path) or not _WHOLE_PAGE.search(before):
        return False
    return not _WHOLE_PAGE.search(content)


def is_whole_page(path: str, text: str) -> bool:
    """Whether a text is an HTML page up to its end, so that nothing may be added behind it."""
    return bool(_HTML_NAME.search(path)) and text.rstrip().lower().endswith("</html>")


def unclosed(text: str, end: int, old: str, new: str) -> int:
    """Characters of `text` from `end` on that close what `old`, which ends there, opens, where `new` closes all that it
    opens; without them gone, a closing tag would stand there twice. 0 where that is not so."""
    left, wrong = _open_tags(old)
    if wrong or not left or _open_tags(new) != ([], False):
        return 0
    closing = "".join(rf"\s*</{re.escape(tag)}\s*>" for tag in reversed(left))
    behind = re.match(closing, text[end : end + 400], re.IGNORECASE)
    return behind.end() if behind is not None else 0


def unclosed_block(text: str, end: int, old: str, new: str) -> int:
    """Characters of `text` from `end` on that end the block which `old`, ending there, begins, where `new` is the whole
    of it: its body is replaced too, or it would stand there twice. 0 where that is not so."""
    first = new.strip().partition("\n")[0].strip()
    if not first.endswith("{") or old.strip().rpartition("\n")[2].strip() != first:
        return 0
    if _braces(old) < 1 or _braces(new) != 0 or "\n" not in new.strip() or not new.rstrip(")];, \n").endswith("}"):
        return 0
    left = _braces(old)
    for match in re.finditer("[{}]", _only_code(text[end:])):
        left += 1 if match[0] == "{" else -1
        if left == 0:
            tail, written = _BEHIND_BLOCK.match(text, end + match.end()), new.rstrip().rpartition("}")[2]
            return match.end() + (len(tail[0]) if tail is not None and written.strip() == tail[0].strip() else 0)
    return 0


def _only_code(text: str) -> str:
    """A text with blanks for its strings and comments."""
    return _NO_CODE.sub(lambda match: " " * len(match[0]), text)


def _braces(text: str) -> int:
    """How many blocks a piece of code leaves open; -1 where it closes one that it does not open."""
    left = 0
    for brace in re.findall("[{}]", _only_code(text)):
        left += 1 if brace == "{" else -1
        if left < 0:
            return -1
    return left


def _open_tags(text: str) -> tuple[list[str], bool]:
    """Tags that a piece of markup leaves open, and whether it closes any that it does not open."""
    left: list[str] = []
    for match in _ELEMENT_TAG.finditer(text):
        tag = match[2].lower()
        if match[1]:
            if not left or left.pop() != tag:
                return [], True
        elif tag not in _VOID and not match[3]:
            left.append(tag)
    return left, False


def is_page_for_piece(path: str, old: str, new: str) -> bool:
    """Whether an edit that names a piece of a page puts a whole page in its place."""
    return (
        is_whole_page(path, new)
        and _WHOLE_PAGE.match(new.lstrip()) is not None
        and _WHOLE_PAGE.match(old.lstrip()) is None
    )


def lost_lines(text: str, new: str) -> tuple[int, int] | None:
    """How many lines of a text another one lacks, and of how many, when that is more than a few of them."""
    lines, there = ([line.strip() for line in one.split("\n") if line.strip()] for one in (text, new))
    known = set(there)
    lost = sum(1 for line in lines if line not in known)
    return (lost, len(lines)) if lost * 10 > len(lines) * 3 else None


def placeholder(content: str, there: str, replaced: str) -> str:
    """The first line that stands for code left out, such as `// rest of the code unchanged`, or "".

    Only a comment counts, and only one that the file (`there`) did not hold before. A comment that merely says that
    something stays the same counts when `content` has fewer lines than the text that it replaces.
    """
    known = {line.strip() for line in there.split("\n")}
    shorter = content.count("\n") < replaced.count("\n")
    for line in content.split("\n"):
        bare = line.strip()
        if len(bare) > 200 or bare in known:
            continue
        if _LEFT_OUT.search(bare) and _SPEAKS_OF_CODE.search(bare):
            return bare
        if shorter and _MAYBE_LEFT_OUT.search(bare):
            return bare
    return ""


def shrinks(before: str, content: str) -> tuple[int, int] | None:
    """The lines before and after (blank ones not counted), when a long file would lose more than half of them."""
    old = sum(1 for line in before.split("\n") if line.strip())
    new = sum(1 for line in content.split("\n") if line.strip())
    return (old, new) if old >= 30 and new * 2 < old else None


def is_style_fragment(path: str, before: str, content: str) -> bool:
    """Whether `content` holds no line of a style sheet that it would replace and is much shorter: rules to be added."""
    old, new = ({line.strip() for line in text.split("\n") if line.strip()} for text in (before, content))
    return path.lower().endswith(".css") and bool(new) and not old & new and len(new) * 2 <= len(old)


def overlap(text: str, end: int, new: str) -> int:
    """Characters behind `end` of `text` that are to be replaced too, because `new` goes on with what stands there: its
    last lines are the next ones. 0 for an ordinary edit, and where it may be meant: lines that the file repeats are no
    sign."""
    behind = text[end:]
    for start in (match.start() for match in re.finditer("\n", new)):
        again = new[start:].rstrip("\n")
        lines = {line for line in again.split("\n") if re.search(r"\w", line)}
        follows = behind.startswith(again) and behind[len(again) : len(again) + 1] in ("", "\n")
        if not lines or not follows or text.count(again) > 1:
            continue
        if again.lower().endswith("</html>"):
            return len(again)
        if len(lines) > 1 and len(again) >= _AGAIN and len(lines) == again.count("\n"):
            return len(again)
    return 0


def sent_before(text: str, start: int, new: str) -> int:
    """Characters before `start` of `text` that are to be replaced too, because `new` begins with them once more, with
    its own lines in between: from the one line like its first one on, each line that stands there comes in `new`, in
    that order. 0 for an ordinary edit; nothing is lost in any case."""
    lines = [line.strip() for line in new.split("\n") if line.strip()]
    before = [(match.start(), match[0].strip()) for match in re.finditer(r"\S[^\n]*", text[:start])]
    like = [number for number, (_, line) in enumerate(before) if lines and line == lines[0]]
    if len(like) != 1:
        return 0  # what a file repeats may be meant once more
    first = like[0]
    again = [line for _, line in before[first:]]
    rest = iter(lines)
    if len(again) < 2 or sum(map(len, again)) < _AGAIN or not all(line in rest for line in again):
        return 0
    return start - before[first][0]


def sent_behind(text: str, end: int, new: str) -> int:
    """Characters behind `end` of `text` that are to be replaced too, because `new` goes on with them and puts its own
    lines in between: from the next line, which stands there once, to the one like the last of `new`, each line comes in
    `new`, in that order. 0 for an ordinary edit; nothing is lost in any case."""
    lines = [line.strip() for line in new.split("\n") if line.strip()]
    behind = [(match.end(), match[0].strip()) for match in re.finditer(r"\S[^\n]*", text[end:])]
    if not lines or not behind or text[end:].partition("\n")[0].strip():
        return 0
    if sum(line.strip() == behind[0][1] for line in text.split("\n")) != 1 or behind[0][1] not in lines:
        return 0
    rest, reached, length = iter(lines[lines.index(behind[0][1]) :]), 0, 0
    for place, line in behind:
        if line not in rest:
            break
        length += len(line)
        if line == lines[-1] and length >= _AGAIN and line != behind[0][1]:
            reached = place
    return reached


def starts_alike(before: str, addition: str) -> bool:
    """Whether a text to be appended is the file once more: a whole page again, or the same first lines."""
    old = [line.strip() for line in before.split("\n") if line.strip()]
    new = [line.strip() for line in addition.split("\n") if line.strip()]
    if not old or not new:
        return False
    if _WHOLE_PAGE.match(old[0]) and _WHOLE_PAGE.match(new[0]):
        return True
    count = min(3, len(old))
    return new[:count] == old[:count] and sum(map(len, old[:count])) >= 20
