"""What runs when: loading, one request at a time, what is told it on the way, and what waits for its end."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from roomcode.protocol.events import EndReason, Event
from roomcode.tui.backend import Backend, NoModelError

__all__ = ["Conductor", "Listener"]

_GOES_ON: tuple[EndReason, ...] = ("done", "limit")
"""After these endings what was queued is sent; after any other the person decides."""


class Listener(Protocol):
    """Whoever shows what the conductor does."""

    def state_changed(self) -> None:
        """Something that `Conductor` tells about itself is different now."""
        ...

    def opened(self, past: Sequence[Event]) -> None:
        """The session of the start is open; its past is to be shown."""
        ...

    def loaded(self) -> None: ...

    def no_model(self, why: str) -> None: ...

    def failed(self, what: str) -> None:
        """Loading or opening failed; one sentence."""
        ...

    def bug(self, where: str, error: Exception) -> None: ...

    def give_back(self, text: str) -> None:
        """Text that was queued and will not be sent."""
        ...


class Conductor:
    """Runs requests on a backend, one after the other. All methods are for the event loop's thread."""

    def __init__(self, backend: Backend, listener: Listener) -> None:
        self._backend = backend
        self._listener = listener
        self.loading: tuple[str, float] | None = None
        """What is being loaded, and the share of it that is done."""
        self.ready = False
        self.loads_done = 0
        """How often loading has ended, well or not."""
        self.stopping = False
        self.queue: list[str] = []
        """Requests for later, oldest first."""
        self.steering: list[str] = []
        """What the running request will be told with its next results."""
        self._opened = False
        self._task: asyncio.Task[None] | None = None
        self._loader: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        return self._task is not None

    def load(self, model: str = "") -> None:
        """Load a model (empty: that of the settings); what was sent meanwhile runs afterwards."""
        if self._loader is None:
            self.ready = False
            self._loader = asyncio.get_running_loop().create_task(self._load(model))

    async def _load(self, model: str) -> None:
        self.loading = ("starting", 0.0)
        self._listener.state_changed()
        try:
            if not self._opened:
                past = await self._backend.open()
                self._opened = True
                self._listener.opened(past)
            await self._backend.load(self._progress, model)
            self.ready = True
        except NoModelError as error:
            self._listener.no_model(str(error))
        except Exception as error:
            self._listener.failed(str(error) or type(error).__name__)
        finally:
            self._loader = None
            self.loading = None
            self.loads_done += 1
            self._listener.state_changed()
        if self.ready:
            self._listener.loaded()
            self._next()

    def _progress(self, what: str, share: float) -> None:
        self.loading = (what, share)
        self._listener.state_changed()

    def send(self, text: str, *, later: bool = False) -> None:
        """Start a request; while one runs, tell it (or with `later` wait for its end)."""
        if self.running and not later and not self.stopping:
            self._backend.steer(text)
            self.steering.append(text)
        else:
            self.queue.append(text)
            self._next()
        self._listener.state_changed()

    def delivered(self) -> None:
        """The model was told what waited for it."""
        self.steering.clear()
        self._listener.state_changed()

    def stop(self) -> bool:
        """Stop the running request; what waited goes back to the person. Whether there was anything to stop."""
        waiting = self._take_waiting()
        stopped = self.running
        if stopped:
            self.stopping = True
            self._backend.stop()
        if waiting:
            self._listener.give_back("\n".join(waiting))
        if stopped or waiting:
            self._listener.state_changed()
        return stopped or bool(waiting)

    def take_back(self) -> None:
        """Give the person the last text that waits; nothing happens when none does."""
        if self.queue:
            self._listener.give_back(self.queue.pop())
        elif self.steering:
            # Only all of it can be had back; what came before the last is told again.
            *others, last = self._backend.take_steering() or [""]
            for text in others:
                self._backend.steer(text)
            self.steering = others
            if last:
                self._listener.give_back(last)
        self._listener.state_changed()

    async def close(self) -> None:
        """End everything."""
        for task in (self._task, self._loader):
            if task is not None:
                self._backend.stop()
        await self._backend.close()
        for task in (self._task, self._loader):
            if task is not None:
                task.cancel()

    def _take_waiting(self) -> list[str]:
        waiting = [*(self._backend.take_steering() if self.running else []), *self.queue]
        self.steering.clear()
        self.queue.clear()
        return waiting

    def _next(self) -> None:
        if self.ready and not self.running and self.queue:
            self._task = asyncio.get_running_loop().create_task(self._run(self.queue.pop(0)))

    async def _run(self, prompt: str) -> None:
        self.stopping = False
        goes_on = False
        self._listener.state_changed()
        try:
            ended = await self._backend.request(prompt)
            goes_on = ended.reason in _GOES_ON
        except Exception as error:
            self._listener.bug("running the request", error)
        waiting = self._take_waiting()
        self._task = None
        self.stopping = False
        if goes_on:
            self.queue = waiting
            self._next()
        elif waiting:
            self._listener.give_back("\n".join(waiting))
        self._listener.state_changed()
