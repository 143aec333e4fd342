"""Shortening a conversation that outgrew its budget. Pure: turns in, turns out.

In this order, and no further than needed: old results become one-line stubs; earlier requests fold into one line each,
with their answer (one that was never answered keeps its text, so that it can be gone on with); the oldest earlier
requests go. Where even that is not enough to go on for a while, the results of the last steps are stubbed too, and the
newest ones cut. The current request is only ever stubbed.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from roomcode.agent.budget import COMPACT_TO, FREE_AT_LEAST
from roomcode.agent.conversation import Conversation, Outcome, Turn

__all__ = ["Fitting", "compact", "fold_line", "stub"]

KEEP_STEPS = 2
"""Results of the last steps are never stubbed."""
STUB_OVER = 200
"""Results of at most this many characters stay."""
CUT_TO = 1000
"""Characters that are left of each of the newest results when nothing else can go."""

Render = Callable[[Sequence[Turn], Turn], Turn]
"""(turns before, turn) → the turn with its tokens."""


def stub(outcome: Outcome) -> Outcome:
    """The one line that stands for a dropped result."""
    what = f"{outcome.tool} {outcome.argument}".strip()
    text = f"(output of {what} dropped; run it again if needed)"
    return replace(outcome, text=text, stubbed=True)


def fold_line(turns: Sequence[Turn]) -> str:
    """What happened in a request, as one line like `[earlier: wrote index.html; edited game.js; served :5173]`."""
    groups: dict[str, list[str]] = {}
    for turn in turns:
        for outcome in turn.outcomes:
            for path in outcome.changed:
                verb = "edited" if outcome.tool == "edit_file" else "wrote"
                if path not in groups.get("wrote", []):
                    names = groups.setdefault(verb, [])
                    if path not in names:
                        names.append(path)
            if outcome.port is not None:
                served = f":{outcome.port}"
                if served not in groups.setdefault("served", []):
                    groups["served"].append(served)
    done = "; ".join(f"{verb} {', '.join(names)}" for verb, names in groups.items()) or "no files changed"
    return f"[earlier: {done}]"


class Fitting:
    """Keeps a conversation within its budget, and is not at it again and again for next to nothing: a request has its
    conversation shortened once for every so many new tokens, or its context is full."""

    def __init__(self, talk: Conversation) -> None:
        self._talk = talk
        self._last: Turn | None = None
        """The last turn when the conversation was shortened last."""

    def __call__(self, budget: int) -> tuple[int, bool]:
        """Shorten the conversation if it has more than `budget` tokens; returns how many it had, and whether it can go
        on."""
        talk, before = self._talk, len(self._talk)
        if before <= budget:
            return before, True
        if self._new_tokens() < budget * FREE_AT_LEAST:
            return before, False
        prefix = len(talk.prefix)

        def size(turns: Sequence[Turn]) -> int:
            return prefix + sum(len(turn.tokens) for turn in turns)

        most = int(budget * (1 - FREE_AT_LEAST))
        talk.replace(compact(talk.turns, size, talk.rendered, int(budget * COMPACT_TO), most))
        self._last = talk.turns[-1]
        return before, len(talk) <= budget

    def _new_tokens(self) -> float:
        """Tokens since the conversation was shortened last, if that was in this request."""
        new = 0
        for turn in reversed(self._talk.turns):
            if turn is self._last:
                return new if turn.request == self._talk.turns[-1].request else math.inf
            new += len(turn.tokens)
        return math.inf


def compact(
    turns: Sequence[Turn], size: Callable[[Sequence[Turn]], int], render: Render, target: int, most: int | None = None
) -> list[Turn]:
    """Shorten `turns` until `size` (tokens of the whole conversation) is at most `target`, or nothing more can go.

    Only above `most` tokens (without it, `target`) are the last results cut.
    """
    current = turns[-1].request if turns else 0
    shortened = _rendered(turns, _stubbed(turns), render)
    if size(shortened) <= target:
        return shortened
    for request in sorted({t.request for t in turns if t.request < current}):
        shortened = _rendered(shortened, _folded(shortened, request), render)
        if size(shortened) <= target:
            return shortened
    while any(t.request < current for t in shortened):
        oldest = min(t.request for t in shortened)
        shortened = _rendered(shortened, [t for t in shortened if t.request != oldest], render)
        if size(shortened) <= target:
            return shortened
    most = target if most is None else most
    if size(shortened) > most:
        shortened = _rendered(shortened, _stubbed(shortened, keep=1), render)
    if size(shortened) > most:
        shortened = _rendered(shortened, _cut(shortened), render)
    return shortened


def _stubbed(turns: Sequence[Turn], keep: int = KEEP_STEPS) -> list[Turn]:
    steps = [i for i, t in enumerate(turns) if t.kind == "results"]
    recent = set(steps[-keep:])
    return [
        _changed(turn, stub, STUB_OVER) if turn.kind == "results" and i not in recent else turn
        for i, turn in enumerate(turns)
    ]


def _cut(turns: Sequence[Turn]) -> list[Turn]:
    """The newest results, shortened: without any of their text the model would only ask for them again."""
    last = max((i for i, t in enumerate(turns) if t.kind == "results"), default=-1)
    return [_changed(turn, _shortened, CUT_TO) if i == last else turn for i, turn in enumerate(turns)]


def _changed(turn: Turn, change: Callable[[Outcome], Outcome], over: int) -> Turn:
    """`turn` with its results above `over` characters changed; the same object when there are none."""
    outcomes = tuple(change(o) if len(o.text) > over and not o.stubbed else o for o in turn.outcomes)
    return turn if outcomes == turn.outcomes else replace(turn, outcomes=outcomes, tokens=())


def _shortened(outcome: Outcome) -> Outcome:
    mark = "\n[... cut: the context is nearly full ...]\n"
    half = (CUT_TO - len(mark)) // 2
    return replace(outcome, text=outcome.text[:half] + mark + outcome.text[-half:])


def _folded(turns: Sequence[Turn], request: int) -> list[Turn]:
    own = [t for t in turns if t.request == request]
    if not own or own[0].kind == "fold":
        return list(turns)
    at = next(i for i, t in enumerate(turns) if t.request == request)
    line, answer = fold_line(own), own[-1]
    if answer.kind != "answer" or not answer.text:
        line = "\n\n".join([*(turn.text for turn in own if turn.kind == "request"), line])
        answer = Turn("answer", request, answer.step, "")
    folded = [Turn("fold", request, 0, line), answer]
    rest = [t for t in turns if t.request != request]
    before = sum(1 for t in turns[:at] if t.request != request)
    return [*rest[:before], *folded, *rest[before:]]


def _rendered(before: Sequence[Turn], turns: Sequence[Turn], render: Render) -> list[Turn]:
    """Render the turns that are new, and those that now follow another turn than they did in `before`."""
    followed = {id(turn): id(previous) for previous, turn in pairwise([None, *before])}
    done: list[Turn] = []
    previous: Turn | None = None
    for turn in turns:
        same = bool(turn.tokens) and followed.get(id(turn)) == id(previous)
        done.append(turn if same or turn.kind == "answer" else render(done, turn))
        previous = turn
    return done
