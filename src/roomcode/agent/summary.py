"""The line that closes a request."""

from roomcode.protocol.events import EndReason

__all__ = ["count", "summary_line"]


def count(number: int, noun: str) -> str:
    """`1 step`, `2 steps`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def summary_line(
    *,
    steps: int,
    calls: int,
    tokens: int,
    tok_per_s: float,
    devices: int,
    seconds: float,
    reason: EndReason,
    detail: str,
) -> str:
    """`6 steps · 11 tool calls · 2143 tok · 41.2 tok/s · 2 devices · 58.3 s`, and why it ended if it was not done."""
    parts = [count(steps, "step"), count(calls, "tool call"), f"{tokens} tok", f"{tok_per_s:.1f} tok/s"]
    if devices > 1:
        parts.append(f"{devices} devices")
    parts.append(f"{seconds:.1f} s")
    if reason != "done":
        parts.append(detail or reason)
    return " · ".join(parts)
