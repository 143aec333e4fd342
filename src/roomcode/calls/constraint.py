"""The constraint over one answer: free text until a call opens, the grammar until it closes, and so on.

Three levels, each of which can be switched off:
syntax     once a call is open, only tokens that keep it valid;
opening    a call that is opened in another way is put on the trained form, a long text that is ended in another way is
           ended properly;
grounding  a value that must exist is one of those that do; an edit replaces a piece that is there, by something else.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from roomcode.calls.grammar import CLOSE, OPEN, Choices
from roomcode.calls.markers import OpeningScanner
from roomcode.calls.open_call import OpenCall
from roomcode.calls.rules import CallRules, Edited
from roomcode.calls.written import Written
from roomcode.chat import Form
from roomcode.protocol.engine import Codec, Mask, Matcher, Rewrite
from roomcode.protocol.tools import ToolSpec

__all__ = ["CallConstraint", "Levels"]


_ANNOUNCED = re.compile(r"(?<=[.!])\s+[^.!:]*:\s*$")
_BEGUN = re.compile(r"(?<=[.!])\s+Here(?:'s| is| are)\b[^.!\n]*$")
"""A sentence that announces what comes behind the call anyway."""
_LEAD = "To do this, I'll change"
"""How a plan begins. Small models go on with files and what is to be different in them; without "change" they tell how
one works with files."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Which parts of the constraint are on."""

    syntax: bool = True
    opening: bool = True
    grounding: bool = True


class CallConstraint:
    """A `Constraint` that lets calls only be sampled well formed.

    `matcher` starts following a grammar. `edited` is the tool that edits and the texts that it edits. With `first` the
    answer begins with a call of one of these tools. Without `greedy` the structure of a call is sampled like free text.
    With `plan` one line of at most so many tokens comes before it, in which the model says what it is going to do;
    `on_plan` is told it. `offline`: pages that are written load no script from the network. An answer that may be
    plain text begins with `lead`.
    """

    def __init__(
        self,
        form: Form,
        tools: Sequence[ToolSpec],
        codec: Codec,
        matcher: Callable[[str], Matcher],
        *,
        end_tokens: frozenset[int],
        levels: Levels = Levels(),
        choices: Choices = lambda _tool, _parameter: None,
        edited: Edited | None = None,
        first: Sequence[str] = (),
        plan: int = 0,
        on_plan: Callable[[str], None] = lambda _plan: None,
        greedy: bool = True,
        offline: bool = False,
        lead: str = "",
    ) -> None:
        open_tokens = codec.encode(OPEN, control=True)
        close_tokens = codec.encode(CLOSE, control=True)
        markers = [tokens for tokens in (open_tokens, close_tokens) if len(tokens) == 1]
        self._rules = CallRules(
            form,
            {tool.name: tool for tool in tools},
            codec,
            matcher,
            choices if levels.grounding else lambda _tool, _parameter: None,
            edited if levels.grounding else None,
            levels.syntax,
            levels.opening,
            close_tokens,
            offline and levels.grounding,
            frozenset(end_tokens) | {tokens[0] for tokens in markers},
        )
        self._codec = codec
        self._greedy = greedy
        self._opening = levels.opening
        self._open_tokens = open_tokens
        self._first = first
        self._call: OpenCall | None = None
        self._text = Written(codec)  # since the last call
        self._scanner = self._new_scanner()
        self._plan = plan if first else 0
        self._on_plan = on_plan
        begun = codec.encode(_LEAD) if self._plan else open_tokens if first else codec.encode(lead)
        self._pending: list[int] = list(begun)

    def _new_scanner(self) -> OpeningScanner:
        return OpeningScanner(self._rules.tools, foreign=self._opening)

    @property
    def in_call(self) -> bool:
        return self._call is not None

    @property
    def greedy(self) -> bool:
        """Structure is greedy, and so is everything in a JSON call; raw values are sampled as the model likes."""
        return self._greedy and self._call is not None and self._call.greedy

    def mask(self) -> Mask | None:
        return self._call.mask() if self._call is not None else None

    def weigh(self, logits: npt.NDArray[np.float32]) -> None:
        if self._call is not None:
            self._call.weigh(logits)

    def forced(self) -> Sequence[int]:
        tokens, self._pending = self._pending, []
        if tokens and not self._first:
            for token in tokens:
                self._text.add(token)
        elif tokens and not self._plan:
            self._call = OpenCall(self._rules, self._first)
        if self._call is not None:
            tokens += self._call.forced()
            self._leave_closed_call()
        return tokens

    def commit(self, token: int) -> Rewrite | None:
        if self._call is None:
            return self._commit_free(token)
        rewrite = self._call.commit(token)
        self._leave_closed_call()
        return rewrite

    def _leave_closed_call(self) -> None:
        if self._call is not None and self._call.done:
            self._call = None
            self._text = Written(self._codec)
            self._scanner = self._new_scanner()

    def _commit_plan(self, token: int) -> Rewrite | None:
        """Behind the plan the call begins."""
        self._text.add(token)
        text = self._text.text
        if token in self._rules.wishes:
            end = len(text) - len(self._codec.decode([token]).decode("utf-8", "ignore"))
        else:
            end = _end_of_plan(text)
            if end < 0 and len(self._text.tokens) < self._plan:
                return None
        if end < 0:
            announced = _BEGUN.search(text)
            end = announced.start() if announced is not None else len(text)
        self._plan = 0
        self._on_plan(_LEAD + text[:end])
        self._call = OpenCall(self._rules, self._first)
        drop, kept = self._text.cut(end)
        return Rewrite(drop, (*self._codec.encode(kept + "\n"), *self._open_tokens))

    def _commit_free(self, token: int) -> Rewrite | None:
        if self._plan:
            return self._commit_plan(token)
        self._text.add(token)
        text = self._text.text
        opening = self._scanner.scan(text)
        if opening is None:
            return None
        self._call = OpenCall(self._rules)
        if opening.trained and opening.start == len(text):
            return None
        drop, kept = self._text.cut(opening.start - len(OPEN) if opening.trained else opening.start)
        head = self._call.name(opening.tool) if opening.tool else []
        return Rewrite(drop, (*self._codec.encode(kept), *self._open_tokens, *head))


def _end_of_plan(text: str) -> int:
    """Where a plan ends: behind its first line, without a sentence that announces what follows. -1 while it goes on."""
    line, newline, _ = text.partition("\n")
    if not newline:
        return -1
    announced = _ANNOUNCED.search(line)
    return announced.start() if announced is not None else len(line.rstrip())
