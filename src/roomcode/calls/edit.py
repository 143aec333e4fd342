"""A call that edits or makes a file, while it is written: `old` is held to a piece of the file, `new` differs from it.

Small models copy `old` into `new` without a change, all the time. To forbid the closing there would make them write
anything more; so when `new` comes out as a copy it is taken back to the place where the model was least sure how to go
on, and goes on the other way from there. In the same way a text that has to be in `new` gets there: `new` is taken back
to the place where that text was most likely to come, and goes on behind it. And a whole file that is sent once more is
taken back altogether: something else is called instead. Where `new` goes on with what stands behind `old` in the file,
it would go on to the end of the file, or round in circles; so it ends there. And where it is known what a new file has
to hold (what a request moves there), it gets exactly that.
"""

import json
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from roomcode.calls.grammar import rest_grammar
from roomcode.calls.held import FREE_RULES, entire_rules, held_rules
from roomcode.calls.rules import CallRules, Edited
from roomcode.calls.written import Written
from roomcode.chat import Form
from roomcode.protocol.engine import EngineError, Matcher

__all__ = ["Edit"]

log = logging.getLogger(__name__)

_BLANK: Final = " \t\n"
_HEAD = {
    "xml": re.compile(r"\n<function=([\w.-]+)>"),
    "json": re.compile(r'\n\{"name": "([\w.-]+)", "arguments": \{'),
}
_MEMBER = {
    "xml": re.compile(r"\n<parameter=([\w-]+)>\n((?s:.*?))\n</parameter>"),
    "json": re.compile(r'(?:, )?"([\w-]+)": "((?:[^"\\]|\\.)*)"'),
}
_REST_OF_VALUE = {"xml": re.compile(r"((?s:.*?))\n</parameter>"), "json": re.compile(r'((?:[^"\\]|\\.)*)"')}
_ALIKE: Final = 240
"""Characters after which a text that begins like the file is taken for the file."""
_COPIED: Final = 160
"""Characters of what stands behind `old` after which `new` is taken to copy the rest of the file."""
_BEGUN: Final = 40
"""Characters of it from which on it may have begun to do so."""
_MARKUP_OF_ITS_OWN = re.compile(r"^[ \t]*</?[a-z][\w-]*[\s>]", re.IGNORECASE | re.MULTILINE)
_LEAST_CHANCE: Final = 0.001
_CANDIDATES: Final = 12
"""So many of the likeliest tokens are looked at for one that is no copy."""


@dataclass(frozen=True, slots=True)
class _Turning:
    """A place where something else could have come."""

    place: int
    """Number of tokens before it."""
    tokens: tuple[int, ...]
    chance: float


class Edit:
    """Follows one call from its beginning. Any other call than one that edits or makes a file is left alone."""

    def __init__(self, rules: CallRules) -> None:
        assert rules.edited is not None
        self._rules = rules
        self._edited: Edited = rules.edited
        self._stage: Literal["path", "old", "new", "whole", "over"] = "path"
        self._start = 0  # of the value that is being written, in the text
        self._old = ""  # as it is written in this form
        self._text = ""  # of the file, where `old` is held to it
        self._behind: str | None = None  # what stands behind `old` there
        self._turning: _Turning | None = None  # away from a copy
        self._entrance: _Turning | None = None  # of a text that has to be there
        self._may_copy = True
        self._new_at = 0  # tokens before `new`; 0 until they are known
        self._wanted = self._edited.wanted
        self._script = False  # the file is one
        self._elsewhere = False  # not in the file that what has to be there belongs to
        self._tokens_of: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self.held = False
        """`old` is being written, and it is a piece of the file; or the text of a new one, which is known."""

    def matcher(self, written: Written) -> Matcher | None:
        """Look at what was written; what the rest of the call is to follow from here on, when that is another grammar
        than before."""
        matcher = None
        if self._stage == "path":
            matcher = self._after_path(written)
        if self._stage == "old":
            closed = _REST_OF_VALUE[self._rules.form].match(written.text, self._start)
            if closed is not None:
                self.held = False
                self._stage = "new"
                self._old = closed[1]
                self._start = closed.end() + len(_opening(self._rules.form, self._edited.new))
                if self._rules.form == "xml" and self._old in self._text:
                    self._behind = self._text.partition(self._old)[2]
        return matcher

    def _after_path(self, written: Written) -> Matcher | None:
        form = self._rules.form
        head = _HEAD[form].match(written.text)
        if head is None:
            return None
        if head[1] not in (self._edited.tool, self._edited.whole, self._edited.maker):
            self._stage = "over"
            return None
        given: dict[str, str] = {}
        end = head.end()
        while (member := _MEMBER[form].match(written.text, end)) is not None:
            given[member[1]] = _meant(member[2], form)
            end = member.end()
        if self._edited.path not in given:
            return None
        if head[1] == self._edited.maker and (matcher := self._making(written, written.text[:end], given)) is not None:
            self._stage, self.held = "over", True
            return matcher
        if head[1] != self._edited.tool:
            text = self._edited.text(given[self._edited.path]) if head[1] == self._edited.whole else None
            self._stage = "whole" if text else "over"
            self._old = (text or "").rstrip("\n")
            self._start = end + len(_opening(form, self._edited.content))
            return None
        self._stage = "old"
        path = given[self._edited.path]
        self._elsewhere = bool(self._edited.where) and path not in self._edited.where
        self._script = path.lower().endswith((".js", ".mjs"))
        # What has a place was found there, whatever kind of file it is.
        placed = bool(self._edited.within)
        self._wanted = tuple(
            text for text in self._wanted if not self._elsewhere and (placed or self._edited.belongs(path, text))
        )
        self._start = end + len(_opening(form, self._edited.old))
        matcher = self._holding(written, written.text[:end], given)
        self.held = matcher is not None
        return matcher

    def _making(self, written: Written, begun: str, given: Mapping[str, str]) -> Matcher | None:
        """Follows the grammar of a call that makes a file of a known text; None where it may be any, or cannot be
        written in this form."""
        edited, form = self._edited, self._rules.form
        text = edited.known(given[edited.path])
        held = entire_rules(text, edited.content, form) if text else None
        return self._following(written, begun, given, edited.maker, {edited.content: "held"}, held) if held else None

    def _holding(self, written: Written, begun: str, given: Mapping[str, str]) -> Matcher | None:
        """Follows the grammar of this one edit, and has followed it up to here; None where there is nothing to hold to,
        or too much."""
        edited, form = self._edited, self._rules.form
        text = edited.text(given[edited.path])
        held = self._held_rules(text, given[edited.path]) if text is not None else None
        if held is None or text is None:
            return None
        rules = f"{held}\n{self._made_rules(text) or FREE_RULES[form]}"
        values = {edited.old: "held", edited.new: "free"}
        matcher = self._following(written, begun, given, edited.tool, values, rules)
        if matcher is not None:
            self._text = text
        return matcher

    def _following(
        self, written: Written, begun: str, given: Mapping[str, str], name: str, values: Mapping[str, str], rules: str
    ) -> Matcher | None:
        """Follows the grammar of a call of the tool `name` in which only these `values` are still to come, from behind
        what is written already."""
        form, tool = self._rules.form, self._rules.tools[name]
        grammar = rest_grammar(
            form,
            tool,
            begun + ("\n" if form == "xml" else ""),
            {parameter.name for parameter in tool.parameters if parameter.name not in values},
            values,
            rules,
            close_is_token=self._rules.close_is_token,
        )
        try:
            matcher = self._rules.matcher(grammar)
            # The first choice of a piece is the hardest of all, so it is tried here.
            opening = _opening(form, next(iter(values)))[len(written.text) - len(begun) :]
            ahead = self._rules.codec.encode(opening)
            if not all(map(matcher.commit, (*written.tokens, *ahead))) or not matcher.mask().any():
                return None
            matcher.rollback(len(ahead))
            return matcher
        except EngineError as error:
            log.warning("%s of %s is not held to a text: %s", name, given[self._edited.path], error)
            return None

    def _made_rules(self, text: str) -> str | None:
        """Rules of `new` where it is known what the piece becomes."""
        edited = self._edited
        place, piece = self._place(text)
        pattern, replacement = edited.becomes
        if place is None or not pattern or not (edited.entire and piece and text.count(piece) == 1):
            return None
        made = re.sub(pattern, replacement, piece, count=1)
        rules = entire_rules(made, edited.new, self._rules.form) if made not in ("", piece) else None
        return rules.replace("held:", "free:", 1) if rules is not None else None

    def _place(self, text: str) -> tuple[re.Match[str] | None, str]:
        """Where the edit belongs, and what stands there."""
        within = self._edited.within
        place = re.search(within, text) if within and not self._elsewhere else None
        return place, place[min(1, place.re.groups)] if place is not None else ""

    def _held_rules(self, text: str, path: str) -> str | None:
        edited, form = self._edited, self._rules.form
        place, piece = self._place(text)
        if edited.entire and piece and text.count(piece) == 1 and (held := entire_rules(piece, edited.old, form)):
            return held
        if place is not None and (held := self._held_within(text, place.span(min(1, place.re.groups)))) is not None:
            return held
        vain = [old for name, old in edited.vain if name == path]
        return held_rules(text, edited.old, form, within_lines=edited.words, other_than=vain)

    def _held_within(self, text: str, span: tuple[int, int]) -> str | None:
        """What is put behind a piece must not come to stand inside a line."""
        edited = self._edited
        return held_rules(text, edited.old, self._rules.form, within=span, within_lines=not edited.insert)

    def weigh(self, written: Written, logits: npt.NDArray[np.float32]) -> None:
        """Remember the places where `new` could best have turned out differently. `logits` has shape (vocabulary,)."""
        if self._stage != "new" or written.partial or len(written.text) < self._start:
            return
        value = written.text[self._start :]
        if not value:
            self._new_at = len(written.tokens)
        if self._may_copy and not self._old.startswith(value):
            self._may_copy = value.startswith(self._old)
        if self._wanted and self._holds_wanted(value):
            self._wanted = ()
        if not self._may_copy and not self._wanted:
            self._stage = "over"
            return
        weights = np.exp(logits - logits.max())
        chances = weights / weights.sum()
        place = len(written.tokens)
        if self._old.startswith(value) and (token := self._other_token(self._old[len(value) :], logits)) is not None:
            self._turning = _better(self._turning, _Turning(place, (token,), float(chances[token])))
        for tokens in self._ways_in(value):
            self._entrance = _better(self._entrance, _Turning(place, tokens, float(chances[tokens[0]])))

    def _inserted(self) -> _Turning | None:
        """`old` and behind it what is to come in."""
        if not self._edited.insert or not self._new_at:
            return None
        insert, line = self._edited.insert, "\n"
        if self._rules.form == "json":
            insert, line = json.dumps(insert, ensure_ascii=False)[1:-1], "\\n"
        return _Turning(self._new_at, tuple(self._rules.codec.encode(f"{self._old}{line}{insert}")), 1.0)

    def _ways_in(self, value: str) -> Iterator[tuple[int, ...]]:
        """Tokens of each wanted text as it could come behind `value`."""
        apart = not value or value[-1] in _BLANK
        for text in self._wanted:
            bare, behind_blank = self._encoded(text)
            if apart or not (value[-1].isalnum() and text[0].isalnum()):
                yield bare
            if not apart and behind_blank:
                yield behind_blank

    def _encoded(self, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """A wanted text's tokens alone and behind a blank. They are encoded once: this is asked for at every token."""
        if text not in self._tokens_of:
            codec = self._rules.codec
            written = text if self._rules.form == "xml" else json.dumps(text, ensure_ascii=False)[1:-1]
            behind = tuple(codec.encode(f" {written}"))
            # A blank that is a token of its own says nothing of what comes behind it.
            fits = bool(codec.decode(behind[:1]).strip())
            self._tokens_of[text] = tuple(codec.encode(written)), behind if fits else ()
        return self._tokens_of[text]

    def _holds_wanted(self, value: str) -> bool:
        return any(text in value.replace('\\"', '"') for text in self._wanted)

    def _other_token(self, rest: str, logits: npt.NDArray[np.float32]) -> int | None:
        """The likeliest token that does not go on with `rest`, which is what is missing of the copy, or end it."""
        best = np.argpartition(logits, -_CANDIDATES)[-_CANDIDATES:]
        for token in best[np.argsort(-logits[best])]:
            if not np.isfinite(logits[token]):
                return None
            if not self._goes_on(int(token), rest):
                return int(token)
        return None

    def _goes_on(self, token: int, rest: str) -> bool:
        if token in self._rules.wishes:
            return True
        text = self._rules.codec.decode([token]).decode("utf-8", "ignore")
        if rest.startswith(text):
            return True
        after = text[len(rest) :].lstrip(_BLANK) if text.startswith(rest) else None
        closings = ("", "<", "</") if self._rules.form == "xml" else ("", '"')
        return after is not None and after[: len(closings[-1])] in closings

    def unfit(self, written: Written, end: int | None = None) -> bool:
        """Whether `new` is closed (or would be if it ended at `end` of the text), and says the same as `old` or holds
        nothing of what it has to."""
        if self._stage != "new":
            return False
        if end is not None:
            value = written.text[self._start : end]
        else:
            closed = _REST_OF_VALUE[self._rules.form].match(written.text, self._start)
            if closed is None:
                return False
            value = closed[1]
        form = self._rules.form
        if self._wanted and self._entrance is None and self._text:
            self._entrance = self._inserted()
        if self._entrance is None or self._holds_wanted(value):
            self._wanted = ()
        return bool(self._wanted) or _meant(value, form).strip(_BLANK) == _meant(self._old, form).strip(_BLANK)

    def overruns(self, written: Written) -> bool:
        """Whether `new`, which is still being written, copies what stands behind `old`. Asked at the ends of lines."""
        if not self._behind or written.partial or not written.text.endswith("\n"):
            return False
        value, behind = written.text[self._start :].rstrip("\n"), self._behind
        if value.lower().endswith("</html>"):
            return behind.rstrip().lower().endswith("</html>")
        begun = value.rfind(behind[:_BEGUN])
        run = value[begun:] if begun >= 0 else ""
        return len(run) > _COPIED and behind.startswith(run) and self._text.count(run[:_COPIED]) == 1

    @property
    def changes_script(self) -> bool:
        """Whether the call edits a script without markup of its own."""
        return self._script and self._stage != "old" and _MARKUP_OF_ITS_OWN.search(self._text) is None

    @property
    def whole(self) -> str:
        """The tool that writes whole files."""
        return self._edited.whole

    def leave(self) -> None:
        """Let this call be as it is."""
        self._stage = "over"

    def sent_again(self, written: Written) -> bool:
        """Whether a whole file is being written that begins, for long, with what the file holds already."""
        if self._stage != "whole" or len(written.text) <= self._start:
            return False
        value = written.text[self._start :]
        there = self._old if self._rules.form == "xml" else json.dumps(self._old, ensure_ascii=False)[1:-1]
        if not there.startswith(value.rstrip("\n")):
            self._stage = "over"
        return self._stage == "whole" and len(value) >= min(_ALIKE, len(there))

    def other_choice(self) -> tuple[int, tuple[int, ...]] | None:
        """Where an unfit `new` turns into something else: tokens to keep, and those to go on with. None when not
        known."""
        turning, self._turning = self._turning, None
        if self._wanted:
            turning, self._wanted = self._entrance, ()
        else:
            self._stage = "over"
        return (turning.place, turning.tokens) if turning is not None else None


def _better(best: _Turning | None, place: _Turning) -> _Turning | None:
    """The likelier of the best place so far and this one; a place that is not likely at all is none."""
    return place if place.chance > max(_LEAST_CHANCE, best.chance if best is not None else 0.0) else best


def _opening(form: Form, name: str) -> str:
    """What stands between the end of one value and the beginning of the next, which is a string."""
    return f"\n<parameter={name}>\n" if form == "xml" else f', "{name}": "'


def _meant(value: str, form: Form) -> str:
    """The value that stands between its tags or quotes as `value`."""
    return value if form == "xml" else str(json.loads(f'"{value}"', strict=False))
