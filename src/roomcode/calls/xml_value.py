"""Finding the end of a raw value in the XML form, while it grows.

A value ends at a `</parameter>` that starts a line, or that is followed by what may follow a parameter. Closings that
models write instead (`</function>`, `</tool_call>`, `</content>` for the parameter `content`, the next
`<parameter=…>`) end it only where the structure around them agrees; anything else is text. One newline behind the
opening tag and one before the closing tag belong to the format; every other character is the value's.
"""

from typing import Final, Literal

import regex

from roomcode.calls.openings import CLOSERS, FUNCTION, PARAMETER, SPACE, WRAPPER

__all__ = ["RawValue", "as_written", "holds_markup"]

Ending = Literal["own", "foreign", "answer"]

_CALL_OVER: Final = rf"{SPACE}(?:{CLOSERS}|{WRAPPER}|{FUNCTION})"
_PARAMETER_OVER = regex.compile(rf"{SPACE}(?:{PARAMETER}|{CLOSERS}|{WRAPPER}|{FUNCTION})")
_FUNCTION_OVER = regex.compile(_CALL_OVER)
_WRAPPER_OVER = regex.compile(rf"{SPACE}(?:{WRAPPER}|{FUNCTION})")
_MARKUP = regex.compile(rf"</(?:parameter|param|argument|arg)>|{CLOSERS}|<(?:parameter|param|argument|arg)[ \t=]")
_LONE_FENCE = regex.compile(r"(?:^|\n)[ \t]{0,16}+```[ \t]{0,16}+\n?$")
_FENCE = regex.compile(r"(?:^|\n)[ \t]{0,16}+```")
_TURN_END = regex.compile(r"\s{0,16}<\|(?:im_end|endoftext|eot_id|end)\|>\s{0,16}$")


def holds_markup(text: str, name: str) -> bool:
    """Whether `text` as the value of parameter `name` holds something that could be taken for the end of the value."""
    return _MARKUP.search(text) is not None or f"</{name}>" in text


def as_written(text: str, raw: bool) -> str:
    """The value that text between the tags means, the two newlines of the format already taken off.

    Raw values stay as they are. In one-line values line breaks only come from the layout of the tags.
    """
    return text.strip() if not raw and ("\n" in text or "\r" in text) else text


class RawValue:
    """The value of one parameter. `read` until `ending` is set; `text` is then the value."""

    def __init__(self, name: str, tag: str, *, raw: bool, following: frozenset[str]) -> None:
        """`tag`: the name of the element. `following`: parameters that have not been given yet."""
        self.name = name
        self.raw = raw
        self.ending: Ending | None = None
        self.grown: list[str] = []
        """What the value grew by; the owner empties it."""
        self._following = following
        self._own_tag = tag == name
        self._parts: list[str] = []
        self._first = True  # nothing of the value was seen yet
        self._newline = False  # a newline is held back: it may be the one before the closing tag
        self._last = "\n"
        own = "|".join(dict.fromkeys((regex.escape(tag), "parameter")))
        self._candidates = regex.compile(
            rf"(?P<own></(?:{own})>)|(?P<named></{regex.escape(name)}>)"
            rf"|(?P<function></(?:function|invoke)>)|(?P<wrapper>{CLOSERS})|(?P<next>{PARAMETER})"
        )

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def read(self, buf: str, pos: int, final: bool) -> int:
        """Work on `buf` from `pos` on; returns up to where it is used up. A closing tag of its own is used up, too."""
        search = pos
        while True:
            found = self._candidates.search(buf, search, partial=not final)
            if found is None:
                end = len(buf)
                break
            end = int(found.start())
            if found.partial:
                break
            verdict = self._ends_at(found, buf[end - 1] if end > pos else self._last, buf, final)
            if verdict == "wait":
                break
            if verdict != "no":
                self._take(buf[pos:end])
                self._newline = False
                self.ending = "own" if verdict == "own" else "foreign"
                return int(found.end()) if verdict in ("own", "named") else end
            search = end + 1
        self._take(buf[pos:end])
        if final:
            self._end_of_answer()
        return end

    def _ends_at(self, found: regex.Match[str], before: str, buf: str, final: bool) -> str:
        """`own`, `named` or `foreign` when the value ends at this tag, `no`, or `wait`."""
        end = int(found.end())
        line_start = before == "\n"
        kind = str(found.lastgroup)
        if found["next"] is not None:
            fits = line_start and (not self.raw or found["name"] in self._following)
            return "foreign" if fits else "no"
        if kind == "own":
            certain = line_start or not self.raw
            return "own" if certain else self._agrees(_PARAMETER_OVER, buf, end, final, "own")
        if kind == "named":
            return self._agrees(_PARAMETER_OVER, buf, end, final, "named")
        if not self.raw or (kind == "wrapper" and line_start):
            return "foreign"
        return self._agrees(_FUNCTION_OVER if kind == "function" else _WRAPPER_OVER, buf, end, final, "foreign")

    def _agrees(self, pattern: regex.Pattern[str], buf: str, end: int, final: bool, verdict: str) -> str:
        """Whether what follows a tag is what follows the end of a value there."""
        following = pattern.match(buf, end, partial=True)
        if following is None:
            return "no"
        return "wait" if following.partial and not final else verdict

    def _take(self, text: str) -> None:
        if not text:
            return
        self._last = text[-1]
        if self._first:
            self._first = False
            text = text.removeprefix("\n")
        if self._newline:
            text = "\n" + text
        self._newline = text.endswith("\n")
        if self._newline:
            text = text[:-1]
        if text:
            self._parts.append(text)
            self.grown.append(text)

    def _end_of_answer(self) -> None:
        """The answer is over without any closing tag."""
        self.ending = "answer"
        self._newline = False
        text = _TURN_END.sub("", self.text)
        if self.raw and len(_FENCE.findall(text)) % 2 == 1 and (fence := _LONE_FENCE.search(text)):
            text = text[: fence.start()]
        self._parts = [text]
