"""Sessions in the app: a new one, another one, a fork of the open one."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roomcode.tui.app import RoomcodeApp

__all__ = ["Sessions"]


class Sessions:
    """Goes from session to session, while nothing runs."""

    def __init__(self, app: "RoomcodeApp") -> None:
        self._app = app

    def new(self) -> None:
        """Start a new session."""
        if self._app.errands.idle("a new task is started"):
            self._app.errands.run(self._new())

    async def _new(self) -> None:
        await self._app.backend.new_task()
        self._app.news.start_over("new task", "Files and served pages stay.")

    def choose(self) -> None:
        """Open the picker of sessions."""
        self._app.errands.run(self._choose())

    async def _choose(self) -> None:
        from roomcode.tui.screens.pickers import SessionsPanel

        app = self._app
        rows = await asyncio.to_thread(app.backend.sessions)
        app.push_screen(SessionsPanel(rows, app.brush, delete=self._delete), self.open)

    def _delete(self, session: str, deleted: Callable[[], None]) -> None:
        async def delete() -> None:
            await self._app.backend.delete_session(session)
            deleted()

        self._app.errands.run(delete())

    def open(self, session: str | None) -> None:
        """Show another session and go on with it."""
        if session and self._app.errands.idle("another session is opened"):
            self._app.errands.run(self._open(session))

    async def _open(self, session: str) -> None:
        past = await self._app.backend.open(session)
        self._app.news.start_over("another session", "Files stay as they are.")
        self._app.news.opened(past)

    def fork(self) -> None:
        """Open the picker of this session's requests."""
        if self._app.errands.idle("this session is forked"):
            self._app.errands.run(self._choose_request())

    async def _choose_request(self) -> None:
        from roomcode.tui.screens.pickers import RequestsPanel

        app = self._app
        asked = await asyncio.to_thread(app.backend.asked)
        if asked:
            app.push_screen(RequestsPanel(asked[::-1], app.brush), self._fork_before)
        else:
            app.warn("Nothing was asked in this session yet, so there is nothing to fork.")

    def _fork_before(self, request: int | None) -> None:
        if request is not None and self._app.errands.idle("this session is forked"):
            self._app.errands.run(self._fork(request))

    async def _fork(self, request: int) -> None:
        app = self._app
        prompt, past = await app.backend.fork(request)
        app.news.start_over("fork", "The session before stays as it is, and so do the files.")
        app.news.opened(past)
        app.prompt.give_back(prompt)
        app.prompt.focus()
