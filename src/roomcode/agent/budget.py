"""How many tokens the conversation may have, and how many an answer."""

__all__ = ["ANSWER_CAP", "COMPACT_TO", "answer_room", "conversation_budget"]

ANSWER_CAP = 8192
"""Tokens of one answer at most."""

COMPACT_TO = 0.6
"""Share of the budget that a shortened conversation may have."""

_MARGIN = 64


def conversation_budget(context: int, cap: int = ANSWER_CAP) -> int:
    """Tokens the conversation may have: the context minus room for the next answer.

    8,192 → 6,080; 16,384 → 12,224; 32,768 → 24,512.
    """
    return context - min(cap, context // 4) - _MARGIN


def answer_room(context: int, used: int, cap: int = ANSWER_CAP) -> int:
    """Tokens the next answer may have, given the tokens of the conversation."""
    return max(0, min(cap, context - used - 1))
