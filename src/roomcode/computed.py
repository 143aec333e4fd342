"""What the engine computed for a session: kept on disk while another session is open, so that coming back to it
computes nothing."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from roomcode.protocol.engine import Engine

__all__ = ["Computed"]


@runtime_checkable
class _KeepsState(Protocol):
    """An engine that can keep what it computed."""

    async def save_slot(self, name: str) -> bool: ...

    async def load_slot(self, name: str) -> int: ...

    def prepare(self, prefix: Sequence[int]) -> None: ...


class Computed:
    """Follows one engine and the sessions it works for. Does nothing with an engine that keeps no state, and for
    conversations that are not kept (whose session has no id)."""

    def __init__(self) -> None:
        self._worked = False

    def works(self) -> None:
        """The engine computes something for the open session from here on."""
        self._worked = True

    async def leave(self, engine: Engine | None, session: str) -> None:
        """Before the engine is closed or serves another session. What has not changed since it was brought back is on
        the disk already."""
        worked, self._worked = self._worked, False
        if worked and session and isinstance(engine, _KeepsState):
            await engine.save_slot(session)

    async def enter(self, engine: Engine | None, session: str) -> None:
        """A session with a past is open now."""
        if session and isinstance(engine, _KeepsState):
            await engine.load_slot(session)

    def prepare(self, engine: Engine | None, prefix: Sequence[int]) -> None:
        """Compute what every conversation begins with, while nobody waits for it."""
        if isinstance(engine, _KeepsState):
            engine.prepare(prefix)
