"""The conversation as the exact tokens that were computed and sampled.

It is a list of turns. A turn of the person or of the tools is rendered once, as what the chat template puts between two
answers; an answer is kept as the tokens that were sampled. Nothing is ever rendered or tokenised again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from roomcode.chat import ChatTemplate, Message, Piece
from roomcode.protocol.engine import Codec

__all__ = ["Conversation", "Journal", "Outcome", "Turn", "TurnKind"]

TurnKind = Literal["request", "answer", "results", "note", "fold"]
"""`request`: what the person asked. `results`: results of calls. `note`: something the agent tells the model without a
result (a nudge). `fold`: the one line that an earlier request was shortened to."""


_NEAR = 12
"""Turns before another one that it is rendered with at least, when many are rendered at once."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One call and its result, as the conversation remembers it."""

    call: str
    tool: str
    argument: str
    """The main argument, for stubs: a path, a pattern."""
    text: str
    """What the model was told."""
    state: str = "ok"
    changed: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    port: int | None = None
    stubbed: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. `request` and `step` say where it belongs, both counted from 1."""

    kind: TurnKind
    request: int
    step: int
    text: str
    tokens: tuple[int, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    def messages(self) -> list[Message]:
        """The turn as messages for the template."""
        if self.kind == "answer":
            return [Message("assistant", self.text)]
        if self.kind == "results":
            messages = [Message("tool", o.text, name=o.tool) for o in self.outcomes]
            return [*messages, Message("user", self.text)] if self.text else messages
        return [Message("user", self.text)]


class Journal(Protocol):
    """Is told of each change of a conversation as it happens. Must not raise."""

    def added(self, turn: Turn) -> None:
        """A turn was put at the end."""
        ...

    def replaced(self, turns: Sequence[Turn]) -> None:
        """These are all turns now; those that stayed are the same objects as before."""
        ...


class Conversation:
    """Turns behind a fixed prefix (system prompt and tools).

    `tools` are schemas for a template that renders them; pass none where the system prompt describes the tools.
    """

    def __init__(
        self, codec: Codec, template: ChatTemplate, system: str, tools: Sequence[dict[str, Any]], ends: frozenset[int]
    ) -> None:
        self._codec = codec
        self._template = template
        self._system = system
        self._tools = list(tools)
        self._ends = ends
        self.turns: list[Turn] = []
        """Oldest first; changed by `add`, `add_answer` and `replace`, so that the journal hears of it."""
        self.journal: Journal | None = None
        self.prefix = self._prefix()

    @property
    def notice(self) -> str:
        """How messages are re-shaped for this chat template, for the person; empty when they are not."""
        return self._template.traits.notice if self._template.source else ""

    def _prefix(self) -> tuple[int, ...]:
        """Tokens up to the text of the first request; they never change."""
        messages = self._template.shape([Message("system", self._system), Message("user", "")])
        pieces = self._template.pieces(messages, self._tools)
        last = max(i for i, piece in enumerate(pieces) if not piece.control)
        return tuple(self._encode([*pieces[:last], Piece(pieces[last].text, False)]))

    def _encode(self, pieces: Sequence[Piece]) -> list[int]:
        tokens: list[int] = []
        for piece in pieces:
            tokens += self._codec.encode(piece.text, control=piece.control)
        return tokens

    @property
    def tokens(self) -> tuple[int, ...]:
        """All tokens: prefix and turns."""
        return (*self.prefix, *(t for turn in self.turns for t in turn.tokens))

    def said(self) -> str:
        """All text so far, of everybody, one turn behind the other."""
        return "\n".join(text for turn in self.turns for text in (turn.text, *(one.text for one in turn.outcomes)))

    def __len__(self) -> int:
        return len(self.prefix) + sum(len(turn.tokens) for turn in self.turns)

    def add(self, turn: Turn) -> Turn:
        """Append a turn of the person, the tools or the agent; its tokens end where the next answer begins."""
        if self.turns and self.turns[-1].kind != "answer":
            # Two turns without an answer between them: the model said nothing, which is an empty answer.
            self._append(Turn("answer", self.turns[-1].request, self.turns[-1].step, ""))
        self._append(self.rendered(self.turns, turn))
        return self.turns[-1]

    def say_more(self, text: str) -> None:
        """Put `text` behind what the last turn says, which the model has not answered yet."""
        last = self.turns[-1]
        said = f"{last.text}\n\n{text}" if last.text else text
        self.replace(self.turns[:-1])
        self._append(self.rendered(self.turns, replace(last, text=said, tokens=())))

    def add_answer(self, request: int, step: int, tokens: Sequence[int], text: str) -> None:
        """Append an answer with the exact tokens that were sampled."""
        self._append(Turn("answer", request, step, text, tuple(tokens)))

    def replace(self, turns: Sequence[Turn]) -> None:
        """Put these turns in the place of all."""
        self.turns = list(turns)
        if self.journal is not None:
            self.journal.replaced(self.turns)

    def encoded(self, turns: Sequence[Turn], answer: Callable[[str], Sequence[int]]) -> list[Turn]:
        """Turns of another model or template, with tokens of this one. `answer` encodes the text of an answer.

        Raises TemplateError.
        """
        done: list[Turn] = []
        starts = [0]
        for turn in turns:
            if turn.kind == "answer":
                done.append(replace(turn, tokens=tuple(answer(turn.text))))
                continue
            # What a template puts before a turn depends on the turns just before it; rendering all of them each time
            # would take seconds for a long conversation.
            near = next((start for start in reversed(starts) if len(done) - start >= _NEAR), 0)
            if turn.kind in ("request", "fold"):
                starts.append(len(done))
            done.append(self.rendered(done[near:], turn))
        return done

    def _append(self, turn: Turn) -> None:
        self.turns.append(turn)
        if self.journal is not None:
            self.journal.added(turn)

    def rendered(self, before: Sequence[Turn], turn: Turn) -> Turn:
        """`turn` with the tokens it has when it follows `before`. Raises TemplateError."""
        messages = [Message("system", self._system)]
        for earlier in before:
            messages += earlier.messages()
        shaped_before = self._template.shape(messages)
        shaped = self._template.shape([*messages, *turn.messages()])
        if not before:
            return replace(turn, tokens=tuple(self._first(self._template.pieces(shaped, self._tools))))
        tokens = self._encode(self._template.pieces(shaped, self._tools, after=len(shaped_before)))
        last = before[-1].tokens
        if last and last[-1] in self._ends and tokens and tokens[0] == last[-1]:
            tokens = tokens[1:]
        return replace(turn, tokens=tuple(tokens))

    def _first(self, pieces: Sequence[Piece]) -> list[int]:
        """Tokens behind the prefix, for the first turn."""
        last = max(i for i, piece in enumerate(pieces) if not piece.control)
        text = pieces[last].text
        if not self._template.traits.system:
            text = text.removeprefix("\n\n")
        return self._encode([Piece(text, False), *pieces[last + 1 :]])
