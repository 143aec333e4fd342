"""Answering approvals by keys. Panels are imported when one opens, since the first picture does not need them."""

from typing import TYPE_CHECKING

from roomcode.protocol.approval import ApprovalRequest, Decision
from roomcode.tui.foreign import is_safe

if TYPE_CHECKING:
    from roomcode.tui.app import RoomcodeApp

__all__ = ["Answers"]


class Answers:
    """Turns a key on the timeline into a decision, by way of a panel where one is needed."""

    def __init__(self, app: "RoomcodeApp") -> None:
        self._app = app

    def asked(self, request: ApprovalRequest) -> None:
        """A change waits. The card gets the keys, unless the person is typing: their draft is never an answer."""
        app = self._app
        card = app.story.card(request.call)
        if card is not None:
            card.change = request.change
            card.reading = request.reading
            if card.state != "waiting":
                card.move("waiting")
            app.story.changed(card)
            app.timeline.sync(app.story.take_changed())
            app.timeline.choose(card)
        if app.prompt.has_focus and app.prompt.quiet:
            app.timeline.focus()
        if not app.app_focus:
            app.bell()
        app.news.state_changed()
        app.news.soon()

    def answered(self, call: str) -> None:
        """A change waits no longer."""
        app = self._app
        waiting = app.desk.waiting
        if waiting:
            app.timeline.choose(app.story.card(waiting[0].call))
        else:
            app.timeline.choose(None)
            if app.timeline.has_focus:
                app.prompt.focus()
        app.news.state_changed()

    def key(self, key: str, call: str = "") -> None:
        """One of the answering keys was pressed while the timeline has the focus, or clicked on the card of `call`."""
        request = self._request(call)
        if request is None or not self._app.desk.counts(request.call):
            return
        self._answer(key, request)

    def _request(self, call: str) -> ApprovalRequest | None:
        """What waits on that card, or on the chosen one, else what waits longest."""
        waiting = self._app.desk.waiting
        call = call or getattr(self._app.timeline.chosen, "call", "")
        fitting = [request for request in waiting if request.call == call]
        return next(iter(fitting or waiting), None)

    def _answer(self, key: str, request: ApprovalRequest) -> None:
        from roomcode.tui.screens.changes import DiffPanel, ReasonPanel

        app = self._app
        match key:
            case "y":
                app.desk.answer(request.call, Decision(True))
            case "n":
                app.push_screen(ReasonPanel(), lambda reason: self._reject(request, reason))
            case "a" if not request.reading:
                app.desk.answer_all()
            case "A" if not request.reading:
                app.backend.mode = "auto"
                app.desk.answer_all()
            case "e" if not request.reading:
                self._edit(request)
            case "v":
                change = request.change
                app.push_screen(
                    DiffPanel(change.path, change.before, change.after, app.brush),
                    lambda key: self._answer(key, request) if key else None,
                )

    def _reject(self, request: ApprovalRequest, reason: str | None) -> None:
        if reason is not None:
            self._app.desk.answer(request.call, Decision(False, reason))

    def _edit(self, request: ApprovalRequest) -> None:
        from roomcode.tui.screens.changes import EditPanel

        app, text = self._app, request.change.after
        if text is None or not all(is_safe(part) for line in text.split("\n") for part in line.split("\t")):
            app.notify(
                "This text holds control characters, so it cannot be edited here.", markup=False, severity="warning"
            )
            return
        app.push_screen(EditPanel(request.change.path, text, app.brush), lambda edited: self._approve(request, edited))

    def _approve(self, request: ApprovalRequest, text: str | None) -> None:
        if text is not None:
            changed = text if text != request.change.after else None
            self._app.desk.answer(request.call, Decision(True, content=changed))
