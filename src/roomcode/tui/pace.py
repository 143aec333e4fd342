"""How often to draw what streams in: as often as a fixed share of a core allows."""

import time
from collections.abc import Callable

__all__ = ["Pace"]

_FASTEST, _SLOWEST = 0.05, 0.4
"""Seconds between two pictures."""
_SHARE = 0.12
"""Share of a core."""


class Pace:
    """Measures what a picture costs, with all the work on this thread up to the next one."""

    def __init__(
        self, cpu: Callable[[], float] = time.thread_time, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._cpu = cpu
        self._clock = clock
        self._cost = 0.0
        self._cpu_then = cpu()
        self._then = clock()

    def drawing(self) -> None:
        """A picture is about to be drawn."""
        cpu = self._cpu()
        self._cost, self._cpu_then, self._then = cpu - self._cpu_then, cpu, self._clock()

    def pause(self) -> float:
        """Seconds to wait before the next picture."""
        if self._clock() - self._then > 2 * _SLOWEST:
            # Whatever was done since had nothing to do with pictures.
            return _FASTEST
        return min(_SLOWEST, max(_FASTEST, self._cost / _SHARE))
