"""Changes that wait for the person."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from roomcode.protocol.approval import ApprovalRequest, Decision

__all__ = ["Desk", "Pending"]

_IGNORED = 0.5
"""Seconds in which no key is an answer: a key pressed just now was meant for something else."""
_AGAIN = 0.3
"""A key pressed too early is the start of typing as likely as not: the wait goes on for this long after it."""


@dataclass(eq=False, slots=True)
class Pending:
    """One change and what will become of it."""

    request: ApprovalRequest
    decision: asyncio.Future[Decision]
    open_from: float
    """From when keys count."""


class Desk:
    """The approval gate of a front end. `asked` and `done` are told the call."""

    def __init__(
        self,
        asked: Callable[[ApprovalRequest], None],
        done: Callable[[str], None],
        clock: Callable[[], float],
    ) -> None:
        self._asked = asked
        self._done = done
        self._clock = clock
        self._pending: dict[str, Pending] = {}

    async def gate(self, request: ApprovalRequest) -> Decision:
        """Wait for the person. Cancelled when the request is stopped."""
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._pending[request.call] = Pending(request, future, self._clock() + _IGNORED)
        try:
            self._asked(request)
            return await future
        finally:
            del self._pending[request.call]
            self._done(request.call)

    @property
    def waiting(self) -> list[ApprovalRequest]:
        """What is asked, oldest first."""
        return [pending.request for pending in self._pending.values()]

    def counts(self, call: str) -> bool:
        """Whether a key pressed now is an answer. A key that comes too early starts the wait anew."""
        pending = self._pending.get(call)
        if pending is None:
            return False
        now = self._clock()
        if now >= pending.open_from:
            return True
        pending.open_from = max(pending.open_from, now + _AGAIN)
        return False

    def answer(self, call: str, decision: Decision) -> None:
        """Give the person's decision; nothing happens when the call does not wait any more."""
        pending = self._pending.get(call)
        if pending is not None and not pending.decision.done():
            pending.decision.set_result(decision)

    def answer_all(self) -> None:
        """Say yes to every change of this request, those that wait and those to come. Reading a secret is no change."""
        for call, pending in list(self._pending.items()):
            if not pending.request.reading:
                self.answer(call, Decision(True, remember="request"))
