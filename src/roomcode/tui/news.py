"""What the app hears: events of the backend, what the conductor says, and bugs. All of it ends in the timeline."""

import contextvars
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from textual.timer import Timer

from roomcode.protocol.events import Event, Note, NoteTopic, RequestEnded
from roomcode.tui.items import Banner, Problem, Remark
from roomcode.tui.pace import Pace

if TYPE_CHECKING:
    from roomcode.tui.app import RoomcodeApp

__all__ = ["News"]

log = logging.getLogger(__name__)


class News:
    """The app's subscriber of events and its listener of the conductor. Draws at a pace that the screen can follow."""

    def __init__(self, app: "RoomcodeApp") -> None:
        self._app = app
        self._timer: Timer | None = None
        self._context = contextvars.Context()
        self._pace = Pace()
        self._bugs: set[str] = set()

    def start(self) -> None:
        """To be called by the running app, before anything is heard."""
        self._context = contextvars.copy_context()

    def handle(self, event: Event) -> None:
        """Take in one event of the backend. A bug here must not reach the agent."""
        app = self._app
        if not app.is_running:
            return
        try:
            app.story.apply(event)
            match event:
                case Note(topic="steer"):
                    app.conductor.delivered()
                case RequestEnded():
                    app.read_names()
                    self._show()
                case _:
                    pass
        except Exception as error:
            self.bug(f"taking in {type(event).__name__}", error)
        self.soon()

    def soon(self) -> None:
        """Draw what changed with the next picture."""
        if self._timer is None:
            # Whoever emits may do so in a context that knows of no app, in which Textual's timers fail.
            context = self._context.copy()
            self._timer = context.run(self._app.set_timer, self._pace.pause(), self._show)

    def _show(self) -> None:
        self._timer = None
        self._pace.drawing()
        self._sync()
        self._app.displays.show_status()

    def _sync(self) -> None:
        self._app.timeline.sync(self._app.story.take_changed())

    @property
    def told(self) -> bool:
        """Everything that was heard is on the screen, and measured."""
        return self._timer is None and self._app.timeline.settled

    def count_seconds(self) -> None:
        """Another second has passed for what runs."""
        for card in self._app.story.open_cards:
            if card.state == "running":
                self._app.story.changed(card)
        self._sync()

    # What the conductor says

    def state_changed(self) -> None:
        self._app.displays.state_changed()

    def opened(self, past: Sequence[Event]) -> None:
        app = self._app
        for event in past:
            app.story.apply(event)
        app.story.running = False
        if past:
            app.story.add(
                Remark("app", "This goes on where it was left; /new starts afresh, /sessions lists the others.")
            )
        for notice in app.backend.take_notices():
            self.say(notice, "check")
        self._sync()
        app.timeline.to_end()
        app.displays.show_status()

    def start_over(self, title: str, line: str) -> None:
        """An empty timeline, but for a banner."""
        app = self._app
        app.story.clear()
        app.story.files.clear()
        app.story.add(Banner(title, (str(app.backend.project), line)))
        app.timeline.reset()
        self.state_changed()

    def loaded(self) -> None:
        app = self._app
        facts = app.backend.facts
        if facts is not None:
            app.story.budget = facts.budget
        app.displays.show_status()

    def no_model(self, why: str) -> None:
        self._app.panels.welcome(why)

    def failed(self, what: str) -> None:
        self.say(what, "engine")
        if not self._app.conductor.ready:
            self.say("Choose another model with /model, or mend the cause and choose it again.")

    def give_back(self, text: str) -> None:
        self._app.prompt.give_back(text)

    # What the app says itself

    def say(self, text: str, topic: NoteTopic | Literal["app"] = "app") -> None:
        """A line in the timeline."""
        self._app.story.add(Remark(topic, text))
        self.soon()

    def bug(self, where: str, error: Exception) -> None:
        """Show and log a bug of roomcode itself; the app goes on."""
        title = f"roomcode has a bug ({where}): {type(error).__name__}: {error}"
        if title in self._bugs:
            # The same again, perhaps with every picture: once is enough, on the screen and in the log.
            return
        self._bugs.add(title)
        log.error("%s: %s", where, error, exc_info=error)
        # Before the first screen stands there is nothing to go on with.
        if not self._app.stands:
            self._app.give_up(error)
            return
        import traceback

        self._app.story.add(Problem(title, "".join(traceback.format_exception(error))))
        if self._app.is_running:
            self.soon()
