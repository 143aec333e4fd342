"""How many tokens the conversation may have, and how many an answer."""

__all__ = ["ANSWER_CAP", "COMPACT_TO", "FREE_AT_LEAST", "answer_room", "conversation_budget"]

ANSWER_CAP = 8192
"""Tokens of one answer at most."""

COMPACT_TO = 0.6
"""Share of the budget that a shortened conversation may have."""

FREE_AT_LEAST = 0.1
"""Share of the budget that shortening leaves free if anything can still go, and that has to be filled before it may be
shortened again. Else that would happen at almost every step, each time for next to nothing."""

_MARGIN = 64


def conversation_budget(context: int, cap: int = ANSWER_CAP) -> int:
    """Tokens the conversation may have: the context minus room for the next answer.

    8,192 → 6,080; 16,384 → 12,224; 32,768 → 24,512.
    """
    return context - min(cap, context // 4) - _MARGIN


def answer_room(context: int, used: int, cap: int = ANSWER_CAP) -> int:
    """Tokens the next answer may have, given the tokens of the conversation."""
    return max(0, min(cap, context - used - 1))
