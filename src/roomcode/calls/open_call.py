"""One call while it is being written: its grammar, its raw values and how they end, and the file it edits."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from roomcode.calls.edit import Edit
from roomcode.calls.grammar import CLOSE, call_grammar
from roomcode.calls.markers import Closing, find_closing
from roomcode.calls.rules import CallRules
from roomcode.calls.written import Written
from roomcode.protocol.engine import Mask, Matcher, Rewrite
from roomcode.protocol.tools import ToolSpec

__all__ = ["OpenCall"]

_PARAMETER = re.compile(r"<parameter=(\w+)>\n")
_VALUE_END: Final = "\n</parameter>"
_LONGEST_TAG: Final = 60
_MOST_FORCED: Final = 256
_BEGUN_ENDS: Final = tuple(_VALUE_END[:n] for n in range(2, len(_VALUE_END)))

_ELEMENT = re.compile(r"\n[ \t]*<[a-z][\w-]*[\s>]\Z", re.IGNORECASE)
_OUTSIDE = re.compile(r"<script\b[^<>]{0,80}\bsrc\s*=\s*[\"']?https?://[^<>]{0,20}\Z", re.IGNORECASE)


class OpenCall:
    """A call from behind `<tool_call>` to its closing tag."""

    def __init__(self, rules: CallRules, only: Sequence[str] = ()) -> None:
        """With `only` it is a call of one of these tools."""
        self._rules = rules
        self._wish_words, self._wish_bits = _bits(rules.wishes)
        self._begin([name for name in rules.tools if not only or name in only])

    def _begin(self, only: Sequence[str]) -> None:
        rules = self._rules
        self._only = only
        self._matcher: Matcher = _start(rules, [rules.tools[name] for name in only]) if rules.syntax else _Anything()
        self._written = Written(rules.codec)
        self._plain_mask: Mask | None = None
        self._value: tuple[str, int] | None = None  # name and start of the raw value being written (XML form)
        self._looked = 0  # how far the text was searched for parameters and closings
        self._edit = Edit(rules) if rules.edited is not None and rules.syntax else None

    @property
    def done(self) -> bool:
        """The closing tag is written."""
        return self._matcher.done if self._rules.syntax else self._written.text.rstrip().endswith(CLOSE)

    @property
    def greedy(self) -> bool:
        """Structure is greedy, and so is what is copied from a file; raw values are sampled as the model likes."""
        return self._rules.form == "json" or self._value is None or self._held

    @property
    def _held(self) -> bool:
        """A value is being written that is a piece of a file."""
        return self._edit is not None and self._edit.held

    def name(self, tool: str) -> list[int]:
        """Begin with the name of the tool; returns the tokens of it."""
        xml = self._rules.form == "xml"
        head = f"\n<function={tool}>\n" if xml else f'\n{{"name": "{tool}", "arguments": {{'
        tokens = self._rules.codec.encode(head)
        return self._advance(tokens[: self._matcher.accepts(tokens)])

    def mask(self) -> Mask | None:
        if not self._rules.syntax:
            return None
        if self._value is None or self._held:
            return self._matcher.mask()
        if not self._in_plain_text():
            return self._value_mask()
        if self._plain_mask is None:
            self._plain_mask = self._value_mask()
        return self._plain_mask

    def _value_mask(self) -> Mask:
        mask = self._matcher.mask().copy()
        if self._rules.closings:
            mask[self._wish_words] |= self._wish_bits
        return mask

    def _in_plain_text(self) -> bool:
        """Inside a raw value, with whole characters, and no closing tag begun: the same tokens are allowed at every
        such place, so the mask is computed once. It would take milliseconds each time."""
        return not self._written.partial and not self._written.text.endswith(("\n", *_BEGUN_ENDS))

    def weigh(self, logits: npt.NDArray[np.float32]) -> None:
        """Look at the logits from which the next token is taken."""
        if self._edit is not None:
            self._edit.weigh(self._written, logits)

    def forced(self) -> list[int]:
        if not self._rules.syntax:
            return []
        # A known text may be long; more at a time would look like an engine that produces garbage.
        tokens = self._matcher.forced()[:_MOST_FORCED]
        self._advance(tokens)
        self._track()
        return tokens

    def commit(self, token: int) -> Rewrite | None:
        if self._rules.syntax and self._value is not None and token in self._rules.wishes:
            return self._end_value(Closing(len(self._written.text), True), dropped=1)
        self._matcher.commit(token)
        self._written.add(token)
        return self._track() if self._rules.syntax else None

    def _track(self) -> Rewrite | None:
        """Keep track of values that begin and end; end a raw one properly where the model ended it its own way."""
        if self._edit is not None:
            self._ground(self._edit)
            if self._edit.sent_again(self._written) and (other := self._something_else(self._edit)) is not None:
                return other
            if self._edit.unfit(self._written) and (again := self._try_again(self._edit, 0)) is not None:
                return again
        if self._rules.form == "json":
            return None
        text = self._written.text
        while True:
            if self._value is None:
                match = _PARAMETER.search(text, self._looked)
                if match is None:
                    return None
                self._looked = match.end()
                if self._is_raw(match[1]):
                    self._value = (match[1], match.end())
                continue
            name, start = self._value
            end = text.find(_VALUE_END, max(start, self._looked - len(_VALUE_END)))
            if end < 0:
                closing = self._foreign_closing(name, start) or self._overrun() or self._element_in_script(start)
                closing = closing or self._from_network(start)
                self._looked = len(self._written.text)
                return closing
            self._value = None
            self._looked = end + len(_VALUE_END)

    def _ground(self, edit: Edit) -> None:
        """Once the path of an edit is known, hold what is edited to that file."""
        matcher = edit.matcher(self._written)
        if matcher is not None:
            self._matcher = matcher
            self._plain_mask = None

    def _try_again(self, edit: Edit, dropped: int) -> Rewrite | None:
        """Where a replacement came out as it may not be: take the other way where the model would most likely have."""
        choice = edit.other_choice()
        if choice is None:
            return None
        place, tokens = choice
        drop = self._written.keep(place)
        self._matcher.rollback(drop)
        self._looked = min(self._looked, len(self._written.text))
        return Rewrite(drop + dropped, tuple(self._advance(tokens)))

    def _something_else(self, edit: Edit) -> Rewrite | None:
        """Take the whole call back and begin one of another tool; None where there is no other."""
        tools = [tool for tool in self._only if tool != edit.whole]
        if not tools:
            edit.leave()
            return None
        drop = len(self._written.tokens)
        self._begin(tools)
        return Rewrite(drop, tuple(self.forced()))

    def _foreign_closing(self, name: str, start: int) -> Rewrite | None:
        if not self._rules.closings or self._held:
            return None
        value = self._written.text[start:]
        if value.endswith(_BEGUN_ENDS):
            return None  # perhaps the proper closing tag is being written
        closing = find_closing(value, name, self._looked - start)
        if closing is None:
            return None
        return self._end_value(Closing(start + closing.end, closing.whole), dropped=0)

    def _overrun(self) -> Rewrite | None:
        if self._edit is None or not self._rules.closings or not self._edit.overruns(self._written):
            return None
        return self._end_value(Closing(len(self._written.text), True), dropped=0)

    def _element_in_script(self, start: int) -> Rewrite | None:
        """An element that begins a line of a script belongs into a page: what stands before it is all."""
        if self._edit is None or not self._edit.changes_script:
            return None
        element = _ELEMENT.search(self._written.text, max(start, len(self._written.text) - _LONGEST_TAG))
        # Inside a template it is a part of a text.
        if element is None or self._written.text[start : element.start()].count("`") % 2:
            return None
        return self._end_value(Closing(element.start(), True), dropped=0)

    def _from_network(self, start: int) -> Rewrite | None:
        """Where a script is about to be loaded from the network, a script of the page's own begins instead, or in a
        head, which has nothing to do with one yet, the head ends."""
        outside = _OUTSIDE.search(self._written.text, start) if self._rules.offline and not self._held else None
        if outside is None:
            return None
        before = self._written.text[start : outside.start()].lower()
        instead = "</head>" if "<head" in before and "</head" not in before else "<script>"
        drop, kept = self._written.cut(outside.start())
        self._matcher.rollback(drop)
        self._looked = min(self._looked, len(self._written.text))
        return Rewrite(drop, tuple(self._advance(self._rules.codec.encode(kept + instead))))

    def _end_value(self, closing: Closing, *, dropped: int) -> Rewrite:
        """Take back everything from `closing.end` on and end the value, and the call if that was meant."""
        if self._edit is not None and self._edit.unfit(self._written, closing.end):
            again = self._try_again(self._edit, dropped)
            if again is not None:
                return again
        drop, kept = self._written.cut(closing.end)
        self._looked = min(self._looked, len(self._written.text))
        self._matcher.rollback(drop)
        _, start = self._value or ("", 0)
        # One newline before the closing tag belongs to the format; a text that ends in one has it already.
        ends_line = (self._written.text[start:] + kept).endswith("\n")
        tail = _VALUE_END[1:] if ends_line else _VALUE_END
        tokens = self._advance(self._rules.codec.encode(kept + tail + "\n"))
        self._value = None
        self._looked = len(self._written.text)
        if closing.whole:
            rest = self._rules.codec.encode("</function>\n") + list(self._rules.close_tokens)
            if self._matcher.accepts(rest) == len(rest):
                tokens += self._advance(rest)
        if not self.done:
            self._track()
        return Rewrite(drop + dropped, tuple(tokens))

    def _advance(self, tokens: Sequence[int]) -> list[int]:
        done = []
        for token in tokens:
            if not self._matcher.commit(token):
                break
            self._written.add(token)
            done.append(token)
        return done

    def _is_raw(self, name: str) -> bool:
        match = re.match(r"\s*<function=([\w.-]+)>", self._written.text)
        tool = self._rules.tools.get(match[1]) if match else None
        parameter = tool.parameter(name) if tool else None
        return parameter is not None and parameter.raw


def _start(rules: CallRules, tools: Sequence[ToolSpec]) -> Matcher:
    grammar = call_grammar(rules.form, tools, close_is_token=rules.close_is_token, choices=rules.choices)
    return rules.matcher(grammar)


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
