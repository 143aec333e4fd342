"""Shortening a conversation that outgrew its budget. Pure: turns in, turns out.

In this order, and no further than needed: old results become one-line stubs; earlier requests fold into one line each,
with their answer; the oldest earlier requests go. The current request is only ever stubbed.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from roomcode.agent.conversation import Outcome, Turn

__all__ = ["compact", "fold_line", "stub"]

KEEP_STEPS = 2
"""Results of the last steps are never stubbed."""
STUB_OVER = 200
"""Results of at most this many characters stay."""

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


def compact(turns: Sequence[Turn], size: Callable[[Sequence[Turn]], int], render: Render, target: int) -> list[Turn]:
    """Shorten `turns` until `size` (tokens of the whole conversation) is at most `target`, or nothing more can go."""
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
    return shortened


def _stubbed(turns: Sequence[Turn]) -> list[Turn]:
    steps = [i for i, t in enumerate(turns) if t.kind == "results"]
    recent = set(steps[-KEEP_STEPS:])
    stubbed: list[Turn] = []
    for i, turn in enumerate(turns):
        if turn.kind == "results" and i not in recent and any(_long(o) for o in turn.outcomes):
            outcomes = tuple(stub(o) if _long(o) else o for o in turn.outcomes)
            stubbed.append(replace(turn, outcomes=outcomes, tokens=()))
        else:
            stubbed.append(turn)
    return stubbed


def _long(outcome: Outcome) -> bool:
    return len(outcome.text) > STUB_OVER and not outcome.stubbed


def _folded(turns: Sequence[Turn], request: int) -> list[Turn]:
    own = [t for t in turns if t.request == request]
    if not own or own[0].kind == "fold":
        return list(turns)
    at = next(i for i, t in enumerate(turns) if t.request == request)
    answer = next((t for t in reversed(own) if t.kind == "answer"), None)
    folded = [Turn("fold", request, 0, fold_line(own))]
    if answer is not None:
        folded.append(answer)
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
