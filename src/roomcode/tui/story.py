"""From events to the items of the timeline and the figures of the status line."""

from dataclasses import dataclass

from roomcode.protocol.display import FileChange, PageReport
from roomcode.protocol.events import (
    Approval,
    Call,
    CallArgs,
    CallOpened,
    Event,
    Note,
    RequestEnded,
    RequestStarted,
    Result,
    StepEnded,
    StepStarted,
    Text,
    Usage,
)
from roomcode.tui.items import Answer, Card, Item, Remark, Request, Summary, Thought

__all__ = ["ChangedFile", "Story"]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file before the first change of this session and after the last one."""

    path: str
    before: str | None
    after: str | None
    times: int


class Story:
    """Everything the events said so far. Plain data: nothing here knows of a screen."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.running = False
        self.request = 0
        self.step = 0
        self.usage = Usage()
        self.used = 0
        """Tokens of the conversation."""
        self.budget = 0
        self.files: dict[str, ChangedFile] = {}
        self.pages: dict[int, PageReport] = {}
        self._cards: dict[str, Card] = {}
        self._open: list[Card] = []
        self._fresh: list[Item] = []

    def take_changed(self) -> list[Item]:
        """Items that are new or changed since this was asked last."""
        changed, self._fresh = self._fresh, []
        return changed

    def card(self, call: str) -> Card | None:
        return self._cards.get(call)

    @property
    def open_cards(self) -> list[Card]:
        """Cards whose result is still to come, oldest first."""
        return self._open

    def add(self, item: Item) -> None:
        """Put an item at the end."""
        self.items.append(item)
        self._fresh.append(item)

    def changed(self, item: Item) -> None:
        """Say that an item looks different now."""
        item.touch()
        self._fresh.append(item)

    def clear(self) -> None:
        """Forget what was told, for a new task. Files and pages stay."""
        self.items.clear()
        self._cards.clear()
        self._open.clear()
        self._fresh.clear()
        self.used = 0
        self.usage = Usage()

    def apply(self, event: Event) -> None:
        """Take in one event."""
        match event:
            case RequestStarted():
                self.running, self.request, self.step = True, event.request, 0
                self.add(Request(event.prompt))
            case StepStarted():
                self.step = event.step
            case Text():
                self._hold_back()
                self._text(event)
            case CallOpened():
                self._hold_back()
                self._card_of(event.call, event.tool)
            case CallArgs():
                card = self._card_of(event.call, event.tool)
                card.grow(event.name, event.text)
                self.changed(card)
            case Call():
                self._call(event)
            case Approval():
                self._approval(event)
            case Result():
                self._result(event)
            case Note():
                self.add(Remark(event.topic, event.text, event.to_model))
            case StepEnded():
                self.usage = event.usage
                self.used, self.budget = event.context_used, event.context_budget
            case RequestEnded():
                self._ended(event)

    def _text(self, event: Text) -> None:
        kind = Thought if event.thought else Answer
        last = self.items[-1] if self.items else None
        if not isinstance(last, kind):
            if not event.text.strip():
                return
            last = kind()
            self.add(last)
        if isinstance(last, Thought):
            last.pieces.append(event.text)
        elif isinstance(last, Answer):
            last.body.append(event.text.lstrip("\n") if last.body.empty else event.text)
        self.changed(last)

    def _card_of(self, call: str, tool: str) -> Card:
        card = self._cards.get(call)
        if card is None:
            card = self._cards[call] = Card(call, tool)
            self._open.append(card)
            self.add(card)
        elif tool and card.tool != tool:
            card.tool = tool
            self.changed(card)
        return card

    def _hold_back(self) -> None:
        """The model still writes, so nothing runs yet."""
        for card in self._open:
            if card.state == "running":
                card.move("ready")
                self._fresh.append(card)

    def _start_next(self) -> None:
        """Calls run in order: the first one that is ready is at work."""
        if self._open and self._open[0].state == "ready":
            self._open[0].move("running")
            self._fresh.append(self._open[0])

    def _call(self, event: Call) -> None:
        card = self._card_of(event.call, event.tool)
        card.arguments, card.repairs, card.error = event.arguments, event.repairs, event.error
        card.growing = ""
        card.streams.clear()
        card.line_ends.clear()
        card.move("ready")
        self.changed(card)
        self._start_next()

    def _approval(self, event: Approval) -> None:
        card = self._card_of(event.call, event.tool)
        if event.change is not None:
            card.change = event.change
        if event.comment:
            card.comment = event.comment
        card.move("waiting" if event.state == "asked" else "running")
        self.changed(card)

    def _result(self, event: Result) -> None:
        card = self._card_of(event.call, event.tool)
        card.text, card.display, card.seconds = event.text, event.display, event.seconds
        card.move(event.state)
        self.changed(card)
        if card in self._open:
            self._open.remove(card)
        if isinstance(event.display, FileChange) and event.state == "ok":
            self._note_change(event.display)
        if isinstance(event.display, PageReport):
            self.pages[event.display.port] = event.display
        self._start_next()

    def _note_change(self, change: FileChange) -> None:
        known = self.files.get(change.path)
        before = known.before if known else change.before
        self.files[change.path] = ChangedFile(change.path, before, change.after, (known.times if known else 0) + 1)

    def _ended(self, event: RequestEnded) -> None:
        self.running = False
        for card in self._open:
            card.move("stopped")
            self._fresh.append(card)
        self._open.clear()
        self.add(Summary(event.summary or event.detail or event.reason, event.reason))
