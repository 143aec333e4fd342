"""Shortening a conversation that outgrew its budget. Pure: turns in, turns out.

In this order, and no further than needed: old results become one-line stubs; earlier requests fold into one line each,
with their answer; the oldest earlier requests go. Where even that is not enough to go on at all, the results of the
last steps are stubbed too, and the newest ones cut. The current request is only ever stubbed.
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


def compact(
    turns: Sequence[Turn], size: Callable[[Sequence[Turn]], int], render: Render, target: int, most: int | None = None
) -> list[Turn]:
    """Shorten `turns` until `size` (tokens of the whole conversation) is at most `target`, or nothing more can go.

    `most` is what the conversation may have at all (without it, `target`): only above it are the last results cut.
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
