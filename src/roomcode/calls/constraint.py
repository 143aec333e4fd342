"""The constraint over one answer: free text until a call opens, the grammar until it closes, and so on.

Three levels, each of which can be switched off:
syntax     once a call is open, only tokens that keep it valid;
opening    a call that is opened in another way is put on the trained form, a long text that is ended in another way is
           ended properly;
grounding  a value that must exist is one of those that do.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from roomcode.calls.grammar import CLOSE, OPEN, Choices, call_grammar
from roomcode.calls.markers import Closing, OpeningScanner, find_closing
from roomcode.protocol.engine import Codec, Mask, Matcher, Rewrite
from roomcode.protocol.tools import ToolSpec

__all__ = ["CallConstraint", "Levels"]

_PARAMETER = re.compile(r"<parameter=(\w+)>\n")
_VALUE_END = "\n</parameter>"
_BEGUN_ENDS = tuple(_VALUE_END[:n] for n in range(2, len(_VALUE_END)))


@dataclass(frozen=True, slots=True)
class Levels:
    """Which parts of the constraint are on."""

    syntax: bool = True
    opening: bool = True
    grounding: bool = True


class CallConstraint:
    """A `Constraint` that lets calls only be sampled well formed.

    `matcher` starts following a grammar. With `first` the answer begins with a call of one of these tools. Without
    `greedy` the structure of a call is sampled like free text.
    """

    def __init__(
        self,
        form: Literal["xml", "json"],
        tools: Sequence[ToolSpec],
        codec: Codec,
        matcher: Callable[[str], Matcher],
        *,
        end_tokens: frozenset[int],
        levels: Levels = Levels(),
        choices: Choices = lambda _tool, _parameter: None,
        first: Sequence[str] = (),
        greedy: bool = True,
    ) -> None:
        self._form = form
        self._greedy = greedy
        self._tools = {t.name: t for t in tools}
        self._codec = codec
        self._start_matcher = matcher
        self._levels = levels
        self._open_tokens = codec.encode(OPEN, control=True)
        self._close_tokens = codec.encode(CLOSE, control=True)
        self._choices: Choices = choices if levels.grounding else lambda _tool, _parameter: None
        self._first = first
        markers = [t for t in (self._open_tokens, self._close_tokens) if len(t) == 1]
        self._wishes = frozenset(end_tokens) | {t[0] for t in markers}
        """Tokens that in the middle of a raw value say that the model is done with it."""
        self._wish_words, self._wish_bits = _bits(self._wishes)
        self._plain_mask: Mask | None = None
        self._matcher: Matcher | None = None
        self._pieces: list[bytes] = []  # of the free text, or of the call
        self._text = ""
        self._scanner = OpeningScanner(self._tools, foreign=levels.opening)
        self._value: tuple[str, int] | None = None  # name and start of the raw value being written
        self._looked = 0  # how far the call's text was searched for parameters and closings
        self._pending: list[int] = list(self._open_tokens) if first else []

    @property
    def in_call(self) -> bool:
        return self._matcher is not None

    @property
    def greedy(self) -> bool:
        """Structure is greedy, and so is everything in a JSON call; raw values are sampled as the model likes."""
        return self._greedy and self._matcher is not None and (self._form == "json" or self._value is None)

    def mask(self) -> Mask | None:
        if self._matcher is None or not self._levels.syntax:
            return None
        if self._value is None:
            return self._matcher.mask()
        if not self._in_plain_text():
            return self._value_mask()
        if self._plain_mask is None:
            self._plain_mask = self._value_mask()
        return self._plain_mask

    def _value_mask(self) -> Mask:
        assert self._matcher is not None
        mask = self._matcher.mask().copy()
        if self._levels.opening:
            mask[self._wish_words] |= self._wish_bits
        return mask

    def _in_plain_text(self) -> bool:
        """Inside a raw value, with whole characters, and no closing tag begun: the same tokens are allowed at every
        such place, so the mask is computed once. It would take milliseconds each time."""
        return not self._partial() and not self._text.endswith(("\n", *_BEGUN_ENDS))

    def forced(self) -> Sequence[int]:
        if self._pending:
            tokens, self._pending = self._pending, []
            self._begin_call("", self._first)
            return tokens + self._forced_in_call()
        return self._forced_in_call()

    def _forced_in_call(self) -> list[int]:
        if self._matcher is None or not self._levels.syntax:
            return []
        tokens = self._matcher.forced()
        for token in tokens:
            self._matcher.commit(token)
            self._add(token)
        self._after_call_tokens()
        return tokens

    def commit(self, token: int) -> Rewrite | None:
        if self._matcher is None:
            return self._commit_free(token)
        if not self._levels.syntax:
            return self._commit_unchecked(token)
        if self._value is not None and token in self._wishes:
            whole = Closing(len(self._text), True)
            return self._close_value(whole, dropped=1)
        self._matcher.commit(token)
        self._add(token)
        return self._after_call_tokens()

    # Free text

    def _commit_free(self, token: int) -> Rewrite | None:
        self._add(token)
        opening = self._scanner.scan(self._text)
        if opening is None:
            return None
        if opening.trained and opening.start == len(self._text):
            self._begin_call("")
            return None
        start = opening.start - len(OPEN) if opening.trained else opening.start
        drop, kept = self._cut(start)
        prefix = self._codec.encode(kept)
        return Rewrite(drop, (*prefix, *self._open_tokens, *self._begin_call(opening.tool)))

    def _begin_call(self, tool: str, only: Sequence[str] = ()) -> list[int]:
        """Start the grammar; returns the tokens that name `tool`, if one is given."""
        tools = [spec for name, spec in self._tools.items() if not only or name in only]
        self._matcher = self._start_matcher(self._grammar(tools)) if self._levels.syntax else _Anything()
        self._reset_text()
        if not tool:
            return []
        head = f"\n<function={tool}>\n" if self._form == "xml" else f'\n{{"name": "{tool}", "arguments": {{'
        tokens = self._codec.encode(head)
        good = tokens[: self._matcher.accepts(tokens)]
        for token in good:
            self._matcher.commit(token)
            self._add(token)
        return good

    def _grammar(self, tools: Sequence[ToolSpec]) -> str:
        single = len(self._close_tokens) == 1
        return call_grammar(self._form, tools, close_is_token=single, choices=self._choices)

    # Inside a call

    def _after_call_tokens(self) -> Rewrite | None:
        """Keep track of the raw value being written; end it properly where the model ended it its own way."""
        if self._matcher is not None and (self._text.endswith(CLOSE) and self._value is None):
            self._matcher = None
            self._reset_text()
            self._scanner = OpeningScanner(self._tools, foreign=self._levels.opening)
            return None
        if self._form == "json":
            return None
        while True:
            if self._value is None:
                match = _PARAMETER.search(self._text, self._looked)
                if match is None:
                    return None
                self._looked = match.end()
                if self._is_raw(match[1]):
                    self._value = (match[1], match.end())
                continue
            name, start = self._value
            end = self._text.find(_VALUE_END, max(start, self._looked - len(_VALUE_END)))
            if end < 0:
                closing = self._foreign_closing(name, start)
                self._looked = len(self._text)
                return closing
            self._value = None
            self._looked = end + len(_VALUE_END)

    def _foreign_closing(self, name: str, start: int) -> Rewrite | None:
        if not self._levels.opening:
            return None
        value = self._text[start:]
        if value.endswith(_BEGUN_ENDS):
            return None  # perhaps the proper closing tag is being written
        closing = find_closing(value, name, self._looked - start)
        if closing is None:
            return None
        return self._close_value(Closing(start + closing.end, closing.whole), dropped=0)

    def _close_value(self, closing: Closing, *, dropped: int) -> Rewrite:
        """Take back everything from `closing.end` on and end the value, and the call if that was meant."""
        assert self._matcher is not None
        drop, kept = self._cut(closing.end)
        self._matcher.rollback(drop)
        _, start = self._value or ("", 0)
        # One newline before the closing tag belongs to the format; a text that ends in one has it already.
        ends_line = (self._text[start:] + kept).endswith("\n")
        tail = _VALUE_END[1:] if ends_line else _VALUE_END
        tokens = self._advance(self._codec.encode(kept + tail + "\n"))
        self._value = None
        self._looked = len(self._text)
        if closing.whole:
            rest = self._codec.encode("</function>\n") + self._close_tokens
            if self._matcher.accepts(rest) == len(rest):
                tokens += self._advance(rest)
        self._after_call_tokens()
        return Rewrite(drop + dropped, tuple(tokens))

    def _advance(self, tokens: Sequence[int]) -> list[int]:
        assert self._matcher is not None
        done = []
        for token in tokens:
            if not self._matcher.commit(token):
                break
            self._add(token)
            done.append(token)
        return done

    def _commit_unchecked(self, token: int) -> Rewrite | None:
        """Syntax is switched off: only notice where the call ends."""
        self._add(token)
        if self._text.rstrip().endswith(CLOSE):
            self._matcher = None
            self._reset_text()
            self._scanner = OpeningScanner(self._tools, foreign=self._levels.opening)
        return None

    def _is_raw(self, name: str) -> bool:
        match = re.match(r"\s*<function=([\w.-]+)>", self._text)
        tool = self._tools.get(match[1]) if match else None
        parameter = tool.parameter(name) if tool else None
        return parameter is not None and parameter.raw

    # Text of the tokens so far

    def _add(self, token: int) -> None:
        self._pieces.append(self._codec.decode([token]))
        self._text = b"".join(self._pieces).decode("utf-8", "ignore") if self._partial() else self._text + self._last()

    def _last(self) -> str:
        return self._pieces[-1].decode("utf-8", "ignore")

    def _partial(self) -> bool:
        """Whether the last tokens may hold a character split between them."""
        last = self._pieces[-1]
        return bool(last) and (last[0] & 0xC0 == 0x80 or last[-1] & 0x80 != 0)

    def _cut(self, position: int) -> tuple[int, str]:
        """Forget the text from `position` on: how many tokens go, and the text of the first of them that stays."""
        size = len(self._text[:position].encode())
        total = sum(map(len, self._pieces))
        drop = 0
        while total > size:
            total -= len(self._pieces.pop())
            drop += 1
        kept = self._text[:position].encode()[total:].decode("utf-8", "ignore")
        self._text = b"".join(self._pieces).decode("utf-8", "ignore")
        self._looked = min(self._looked, len(self._text))
        return drop, kept

    def _reset_text(self) -> None:
        self._pieces = []
        self._text = ""
        self._value = None
        self._looked = 0


def _bits(tokens: Iterable[int]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]:
    """Where in a mask the bits of `tokens` are: words, and the bits to set in each."""
    words: dict[int, int] = {}
    for token in tokens:
        words[token // 32] = words.get(token // 32, 0) | 1 << (token % 32)
    bits = np.array(list(words.values()), np.uint32).view(np.int32)
    return np.array(list(words), np.intp), bits


class _Anything:
    """A matcher that allows everything, for comparisons without the syntax level."""

    def mask(self) -> Mask:
        raise RuntimeError("not used without the syntax level")

    def commit(self, token: int) -> bool:
        return True

    def forced(self) -> list[int]:
        return []

    def rollback(self, count: int) -> None:
        pass

    def accepts(self, tokens: Sequence[int]) -> int:
        return len(tokens)

    @property
    def done(self) -> bool:
        return False
