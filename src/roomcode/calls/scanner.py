"""Reading an answer while it grows: the one grammar behind `parse` and the live view.

The scanner is pushed text in pieces of any size. It uses up what it can decide and keeps the rest, so that what comes
out does not depend on how the text was split. Each state is a method that returns True when it got on, False when it
needs more text.
"""

from collections.abc import Callable, Sequence
from typing import Final

import regex

from roomcode.calls.block import Block, Record, whole_call
from roomcode.calls.channel import Channel
from roomcode.calls.openings import WRAPPER, openings_for
from roomcode.calls.pieces import CallDoubted, CallRead, ParsedCall, Piece, TextDelta, TextWasThought, merged
from roomcode.protocol.tools import ToolSpec

__all__ = ["Scanner"]

_SPACE = regex.compile(r"[ \t\r\n]++")
_SPECIAL = regex.compile(r"[\n`<]")
_TICKS = regex.compile(r"`++")
_PLAIN_FENCE = regex.compile(r"(?P<ticks>`{3,}+|~{3,}+)(?P<info>[^`\n]{0,200}+)\n")
_WRAPPER = regex.compile(WRAPPER)
_IN_THOUGHT = regex.compile(r"(?P<end></think>)|<tool_call>|<function=|<invoke ")
_THOUGHT_END = regex.compile(r"</think>")
_SMALLEST_TAIL: Final = 4
"""A piece of a tag at the end of an answer that was not cut off is dropped from this length on; less may be text."""


class Scanner:
    """Turns the text of one answer into pieces. `feed` until the answer is over, then `finish` once."""

    def __init__(self, specs: Sequence[ToolSpec], *, thoughts: bool = True) -> None:
        """Without `thoughts`, think tags are text."""
        self._specs = specs
        self._openings = openings_for(specs)
        self._buf = ""
        self._pos = 0
        self._final = False
        self._cut = False
        self._out: list[Piece] = []
        self._state: Callable[[], bool] = self._in_text
        self._text = Channel(thought=False)
        self._thought = Channel(thought=True)
        self._thoughts = thoughts
        # Where in the text we are
        self._line_start = True
        self._ticks = 0  # backticks in this line
        self._quotation = False  # the line is a Markdown quotation
        self._last = "\n"  # last character of text
        self._fences = True  # fences are respected
        self._fence_line = regex.compile("")  # what matters at the start of a line in the open fence
        self._fence_end = regex.compile("")  # the end of the open fence
        self._closing_fence_due = False
        self._held: list[str] = []
        self._block: Block | None = None
        self._record = Record()
        self._fresh = False  # nothing was said since the last call

    @property
    def waiting(self) -> int:
        """Characters at the end of the text that nothing was made of yet."""
        return len(self._buf)

    def unread(self, count: int) -> None:
        """Take back the last `count` of the `waiting` characters."""
        self._buf = self._buf[: len(self._buf) - count]

    def feed(self, text: str) -> list[Piece]:
        """More of the answer; returns what is certain by now."""
        self._buf += text
        return self._run()

    def finish(self, cut: bool = False) -> list[Piece]:
        """The answer is over, with `cut` because it was cut off; returns the rest."""
        self._final = True
        self._cut = cut
        pieces = self._run()
        if self._buf:
            self._text.say(self._buf, pieces)
            self._buf = ""
        return pieces

    def _run(self) -> list[Piece]:
        self._pos = 0
        while self._state():
            pass
        self._buf = self._buf[self._pos :]
        self._pos = 0
        pieces, self._out = self._out, []
        return list(merged(pieces))

    # Text

    def _in_text(self) -> bool:
        if not self._line_start:
            return self._within_line()
        space = _SPACE.match(self._buf, self._pos)
        if space is not None:
            self._say(space.end())
            return True
        if self._pos == len(self._buf):
            return False
        if self._buf[self._pos] in "<{[`~":
            opening = self._openings.first if self._text.empty else self._openings.line
            found = opening.match(self._buf, self._pos, partial=True)
            if found is not None and found.partial:
                if not self._final:
                    return False
                if self._drop_tail():
                    return True
            elif found is not None and self._open(found):
                return True
            if self._buf[self._pos] in "`~":
                fence = _PLAIN_FENCE.match(self._buf, self._pos, partial=not self._final)
                if fence is not None and fence.partial:
                    return False
                if fence is not None and self._fences:
                    self._enter_fence(fence)
                    return True
        self._quotation = self._buf[self._pos] == ">"
        return self._within_line()

    def _within_line(self) -> bool:
        special = _SPECIAL.search(self._buf, self._pos)
        start = len(self._buf) if special is None else int(special.start())
        if start > self._pos:
            self._say(start)
            return True
        if special is None:
            return False
        if special[0] == "`":
            ticks = _TICKS.match(self._buf, self._pos)
            assert ticks is not None
            self._ticks += len(ticks[0])
            self._say(ticks.end())
        elif special[0] == "\n":
            self._say(self._pos + 1)
        else:
            return self._at_tag()
        return True

    def _at_tag(self) -> bool:
        """At a `<` within a line."""
        quoted = self._ticks % 2 == 1 or self._quotation or self._last in ('"', "'", "`")
        pattern = self._openings.sure if quoted else self._openings.inline
        found = pattern.match(self._buf, self._pos, partial=True)
        if found is not None and found.partial:
            if not self._final:
                return False
            if not quoted and self._drop_tail():
                return True
        elif found is not None and not quoted and found["unthink"] is not None:
            if self._thoughts:
                self._stray_thought_end(found.end())
                return True
        elif found is not None and not quoted and found["own"] is not None:
            # Small models put what they say between the tags that results have.
            self._pos = found.end()
            return True
        elif found is not None and not quoted and found["stray"] is not None:
            if self._record.doubtful is not None:
                self._out.append(CallDoubted(self._record.doubtful))
        elif found is not None and self._open(found):
            return True
        self._say(self._pos + 1)
        return True

    def _drop_tail(self) -> bool:
        """The answer ends within something that looks like the opening of a call."""
        rest = self._buf[self._pos :].strip()
        if _WRAPPER.match(rest):
            self._block = Block(self._specs, self._openings, self._record, certain=True)
            self._state = self._in_block
            return True
        smallest = 1 if self._cut else _SMALLEST_TAIL
        if (self._fresh and rest.startswith("{")) or (rest.startswith("<") and len(rest) >= smallest):
            self._pos = len(self._buf)
            return True
        return False

    def _say(self, end: int) -> None:
        """The text up to `end` is plain text."""
        text = self._buf[self._pos : end]
        self._pos = end
        self._text.say(text, self._out)
        self._last = text[-1]
        if "\n" in text:
            self._ticks = 0
            self._quotation = False
        if not text.isspace():
            self._line_start = False
            self._fresh = False
            self._record.previous = None
        self._line_start = self._line_start or "\n" in text

    # Calls

    def _open(self, found: regex.Match[str]) -> bool:
        """An opening was found; False when it is none after all."""
        groups = found.capturesdict()
        if groups.get("think"):
            if not self._thoughts:
                return False
            self._pos = found.end()
            self._text.part()
            self._state = self._in_thought
            return True
        late = bool(groups.get("late"))
        start = int(found.start("late" if late else "body"))
        self._block = Block(
            self._specs,
            self._openings,
            self._record,
            certain=bool(groups.get("wrap")),
            fenced=bool(groups.get("ticks")),
            late=self._buf[self._pos : start] if late else None,
        )
        self._pos = start
        self._state = self._in_block
        return True

    def _in_block(self) -> bool:
        block = self._block
        assert block is not None
        self._pos = block.read(self._buf, self._pos, self._final, self._cut)
        self._out += block.pieces
        block.pieces = []
        if not block.done:
            return False
        self._block = None
        self._state = self._in_text
        if block.refused is not None:
            self._text.say(block.refused, self._out)
            self._line_start = False
            self._fresh = False
            if block.fenced:
                self._respect_fence("```")
            return True
        self._new_paragraph()
        self._fresh = True
        self._closing_fence_due = block.fenced
        return True

    def _new_paragraph(self) -> None:
        """Something that is not shown ends here."""
        self._text.part()
        self._line_start = True
        self._ticks = 0
        self._quotation = False
        self._last = "\n"

    # Markdown fences that are no calls

    def _enter_fence(self, fence: regex.Match[str]) -> None:
        if self._closing_fence_due and not fence["info"].strip():
            # The fence around calls that is closed late.
            self._closing_fence_due = False
            self._pos = fence.end()
            return
        self._closing_fence_due = False
        self._say(fence.end())
        self._line_start = True
        self._respect_fence(str(fence["ticks"]))

    def _respect_fence(self, ticks: str) -> None:
        space = r"[ \t]{0,64}+"
        end = rf"{space}{ticks[0]}{{{len(ticks)},}}+{space}\r?\n"
        self._fence_line = regex.compile(rf"(?P<end>{end})|(?P<call>{space}(?:{self._openings.quoted}))")
        self._fence_end = regex.compile(rf"\n{end}")
        self._state = self._in_fence

    def _in_fence(self) -> bool:
        if self._pos == len(self._buf):
            return False
        if self._line_start:
            found = self._fence_line.match(self._buf, self._pos, partial=not self._final)
            if found is not None and found.partial:
                return False
            if found is not None and found["end"] is not None:
                self._say(found.end())
                self._line_start = True
                self._state = self._in_text
                return True
            if found is not None:
                self._held = []
                self._state = self._in_quoted_call
                return True
        newline = self._buf.find("\n", self._pos)
        self._say(len(self._buf) if newline < 0 else newline + 1)
        self._line_start = newline >= 0
        return True

    def _in_quoted_call(self) -> bool:
        """A call in a fence: a quotation when the fence is closed, a call when it never is."""
        text = self._buf + "\n" if self._final else self._buf  # a fence may close with the answer
        found = self._fence_end.search(text, self._pos, partial=not self._final)
        if found is not None and not found.partial:
            self._held.append(text[self._pos : found.end()])
            self._pos = min(found.end(), len(self._buf))
            self._say_held(self._text)
            self._state = self._in_text
            return True
        end = len(self._buf) if found is None else int(found.start())
        self._held.append(self._buf[self._pos : end])
        self._pos = end
        if not self._final:
            return False
        self._buf = "".join(self._held) + self._buf[self._pos :]
        self._pos = 0
        self._held = []
        self._fences = False
        self._line_start = True
        self._state = self._in_text
        return True

    def _say_held(self, channel: Channel) -> None:
        channel.say("".join(self._held), self._out)
        self._held = []
        self._line_start = True
        self._fresh = False

    # Thoughts

    def _in_thought(self) -> bool:
        found = _IN_THOUGHT.search(self._buf, self._pos, partial=not self._final)
        end = len(self._buf) if found is None else int(found.start())
        self._thought.say(self._buf[self._pos : end], self._out)
        self._pos = end
        if found is None or found.partial:
            return False
        if found["end"] is not None:
            self._pos = found.end()
            self._leave_thought()
        else:
            self._held = []
            self._state = self._in_thought_call
        return True

    def _stray_thought_end(self, end: int) -> None:
        """A think block ends that never began: the prompt had opened it."""
        self._pos = end
        if self._thought.empty and not self._record.index:
            self._out.append(TextWasThought())
        self._text = Channel(thought=False)
        self._leave_thought()

    def _leave_thought(self) -> None:
        self._thought.part()
        self._new_paragraph()
        self._state = self._in_text

    def _in_thought_call(self) -> bool:
        """A call in a think block: meant only when the answer ends with it."""
        found = _THOUGHT_END.search(self._buf, self._pos, partial=not self._final)
        end = len(self._buf) if found is None else int(found.start())
        self._held.append(self._buf[self._pos : end])
        self._pos = end
        if found is not None and not found.partial:
            self._pos = found.end()
            self._state = self._after_thought_call
            return True
        if self._final:
            self._recover_calls()
        return False

    def _after_thought_call(self) -> bool:
        space = _SPACE.match(self._buf, self._pos)
        if space is not None:
            self._pos = space.end()
        if self._pos < len(self._buf):
            self._say_held(self._thought)
            self._leave_thought()
            return True
        if self._final:
            self._recover_calls()
        return False

    def _recover_calls(self) -> None:
        """Calls at the end of the held thoughts that are complete, with nothing behind them."""
        text = "".join(self._held)
        tags = "<tool_call>" if "<tool_call>" in text else "<function=|<invoke "
        end = len(text)
        recovered: list[ParsedCall] = []
        for start in [int(m.start()) for m in regex.finditer(tags, text)][::-1]:
            calls = self._only_calls(text[start:end])
            if not calls:
                break
            recovered = calls + recovered
            end = start
        self._thought.say(text[:end], self._out)
        for call in recovered:
            self._out += whole_call(self._record.index, call)
            self._record.index += 1

    def _only_calls(self, text: str) -> list[ParsedCall]:
        """The calls that `text` consists of; none when one is not complete or when there is anything else."""
        inner = Scanner(self._specs, thoughts=False)
        calls: list[ParsedCall] = []
        for piece in inner.feed(text) + inner.finish():
            if isinstance(piece, TextDelta | CallDoubted):
                return []
            if isinstance(piece, CallRead):
                calls.append(piece.call)
        return calls if all(call.complete and not call.error for call in calls) else []
