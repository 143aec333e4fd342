"""What the app does in the background for the person, when nothing stands in its way."""

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from roomcode.tui.foreign import safe_line

if TYPE_CHECKING:
    from roomcode.tui.app import RoomcodeApp

__all__ = ["Errands"]

_BUGS = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError)
"""Errors that are never meant for the person."""


class Errands:
    """Runs one thing after a key or a command; what goes wrong with it is one sentence for the person."""

    def __init__(self, app: "RoomcodeApp") -> None:
        self._app = app

    def idle(self, what: str) -> bool:
        """Whether nothing runs or loads; else the person is told to see to that before `what`."""
        conductor = self._app.conductor
        if conductor.running:
            self._app.warn(f"Stop the agent first (Esc), before {what}.")
        elif conductor.loading is not None:
            self._app.warn(f"The model is being loaded; wait for it before {what}.")
        return not conductor.running and conductor.loading is None

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        self._app.run_worker(self._run(work), exit_on_error=False)

    async def _run(self, work: Coroutine[Any, Any, None]) -> None:
        app = self._app
        try:
            await work
        except _BUGS as error:
            app.bug("in the app", error)
        except Exception as error:
            sentence = safe_line(str(error) or type(error).__name__)
            # Behind a panel nobody would see it.
            if len(app.screen_stack) > 1:
                app.warn(sentence)
            else:
                app.say(sentence, "check")
