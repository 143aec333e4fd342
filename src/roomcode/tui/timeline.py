"""The timeline: one widget that draws the items that can be seen, however long the session is."""

import time
from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from roomcode.tui.brush import Brush
from roomcode.tui.drawing import draw
from roomcode.tui.drawings import Draw, Drawings, marked, plain
from roomcode.tui.items import Answer, Card, Item, Problem, Request, Thought
from roomcode.tui.rows import Anchor, Rows
from roomcode.tui.sturdy import SturdyWidget

__all__ = ["Timeline"]

_CHOOSABLE = (Card, Thought, Request, Problem, Answer)
_SLICE = 0.006
"""Seconds of measuring at a time, so that a key never waits for it."""
_PAUSE = 0.03
_GUESS = 4


class Timeline(SturdyWidget, ScrollView, can_focus=True):
    """Shows items; follows the end until the person scrolls up."""

    DEFAULT_CSS = """
    Timeline {
        background: $background;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
    }
    """
    HELP = "The timeline. Enter unfolds a card, o opens its file or page."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "choose(-1)", "Card before"),
        Binding("down,j", "choose(1)", "Next card"),
        Binding("enter,space", "unfold", "Unfold or fold the card"),
        Binding("o", "open", "Open the file or page"),
        Binding("p", "app.picture", "Picture of the page"),
        Binding("c", "copy", "Copy the text of the card"),
        Binding("pageup", "page(-1)", "Page up"),
        Binding("pagedown", "page(1)", "Page down"),
        Binding("home", "start", "To the start"),
        Binding("end", "end", "To the end"),
        Binding("tab,i", "app.to_prompt", "To the input"),
        Binding("y", "answer('y')", "Approve the change that waits"),
        Binding("n", "answer('n')", "Reject it, with a reason if you like"),
        Binding("a", "answer('a')", "Approve all changes of this request"),
        Binding("A", "answer('A')", "Approve all changes from now on (mode auto)"),
        Binding("e", "answer('e')", "Edit the new text, then approve"),
        Binding("v", "answer('v')", "The whole difference"),
    ]

    class Followed(Message):
        """Following the end began or stopped."""

        def __init__(self, following: bool) -> None:
            super().__init__()
            self.following = following

    class Open(Message):
        """The person wants to see what an item is about."""

        def __init__(self, item: Item) -> None:
            super().__init__()
            self.item = item

    class Answer(Message):
        """The person pressed a key that answers a change that waits."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Copy(Message):
        """The person wants the text of an item."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self,
        items: Sequence[Item],
        brush: Brush,
        *,
        draw: Draw = draw,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._items = items
        self.drawings = Drawings(brush, draw, lambda what, error: self.app.bug(what, error))  # type: ignore[attr-defined]
        self._rows = Rows()
        self._places: dict[int, int] = {}
        """Place of each item, by the item's identity."""
        self._width = 0
        self._height = 0
        self._chosen: int | None = None
        self.following = True
        self._own_scroll = False
        self._measuring: Timer | None = None
        self.unseen = 0
        """Items that came while the person looked elsewhere."""

    # What others call

    def sync(self, changed: Iterable[Item]) -> None:
        """Items were added to the end or look different now."""
        while len(self._rows) < len(self._items):
            self._places[id(self._items[len(self._rows)])] = len(self._rows)
            self._rows.append(_GUESS)
            self.unseen += not self.following
        places = {place for item in changed if (place := self._places.get(id(item))) is not None}
        for place in places:
            self._rows.doubt(place)
            self.drawings.drop(self._items[place])
        self._settle(places)

    def reset(self) -> None:
        """The items were cleared."""
        self._rows.clear()
        self._places.clear()
        self.drawings.clear()
        self._chosen = None
        self.unseen = 0
        self.sync(())
        self.to_end()

    def paint_with(self, brush: Brush) -> None:
        """Other colours."""
        self.drawings.brush = brush
        self.drawings.clear()
        self.refresh()

    @property
    def settled(self) -> bool:
        """Whether the height of every item is known, so that nothing is left to do in the background."""
        return not self._rows.guessed

    @property
    def chosen(self) -> Item | None:
        """The item the person's cursor is on."""
        return self._items[self._chosen] if self._chosen is not None and self._chosen < len(self._items) else None

    def choose(self, item: Item | None) -> None:
        """Put the cursor on an item (None: nowhere) and bring it into view."""
        self._chosen = None if item is None else self._places.get(id(item))
        if self._chosen is not None:
            self._show(self._chosen)
        self.refresh()

    def choose_some(self) -> None:
        """Put the cursor on the last item, if it is nowhere."""
        if self._chosen is None:
            self.action_choose(-1)

    def to_end(self) -> None:
        """Show the end and follow it."""
        self._follow(True)
        self._settle()

    # Drawing

    def _strips(self, place: int) -> list[Strip]:
        """The drawing of an item as it was at the last `sync`."""
        return self.drawings.of(self._items[place], chosen=place == self._chosen and self.has_focus)

    def render_line(self, y: int) -> Strip:
        brush = self.drawings.brush
        line = self.scroll_offset.y + y
        place = self._rows.at(line)
        if place is None:
            return brush.blank(self._width)
        strips = self._strips(place)
        row = line - self._rows.top(place)
        strip = strips[row] if row < len(strips) else brush.blank(self._width)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(line)) is not None:
            strip = marked(strip, span, brush)
        return strip.apply_offsets(0, line)

    # Measuring and scrolling

    def _settle(self, changed: Iterable[int] | None = None, anchor: Anchor | None = None) -> None:
        """Measure what can be seen, and keep it in place (or the end in view). Only `changed` places look different;
        None: all may. `anchor` is what stays in place; by default the item at the top."""
        height = self._height
        if not height or not self._width:
            return
        anchor = None if self.following else anchor or self._anchor()
        before = self.scroll_offset.y, self._rows.total
        self._rows.use_noted()
        for _ in range(10):
            first = self._rows.total - height if self.following else self.scroll_offset.y
            unsure = [place for place in self._rows.between(first, first + height) if self._rows.is_guess(place)]
            if not unsure:
                break
            for place in unsure:
                self._rows.set(place, len(self._strips(place)))
            self._resize(anchor)
        self._resize(anchor)
        scroll = self.scroll_offset.y
        if changed is None or before != (scroll, self._rows.total):
            self.refresh()
        else:
            regions = [
                Region(0, self._rows.top(place) - scroll, self._width, self._rows.height(place)) for place in changed
            ]
            seen = [region for region in regions if region.y < height and region.bottom > 0]
            if seen:
                self.refresh(*seen)
        self._measure_later()

    def _measure_later(self) -> None:
        if self._rows.unknown and self._measuring is None:
            self._measuring = self.set_timer(_PAUSE, self._measure)

    def _measure(self) -> None:
        """Measure some of what cannot be seen. The heights are used in one go: each use moves all lines."""
        self._measuring = None
        until = time.perf_counter() + _SLICE
        for place in self._rows.unknowns():
            self._rows.note(place, len(self.drawings.fresh(self._items[place])))
            if time.perf_counter() > until:
                break
        if self._rows.unknown:
            self._measure_later()
        else:
            self._settle()

    def _anchor(self) -> Anchor | None:
        """What is at the top of the view."""
        return self._rows.anchor(self.scroll_offset.y, self.scroll_offset.y)

    def _resize(self, anchor: Anchor | None) -> None:
        size = Size(self._width, self._rows.total)
        self._own_scroll = True
        try:
            if size != self.virtual_size:
                # The setter would have the whole screen laid out anew, though only the scrollbar changes.
                self.set_reactive(Timeline.virtual_size, size)
                self._scroll_update(size)
            wanted = self._rows.total - self._height
            if anchor is not None:
                wanted = self._rows.top(anchor.place) + anchor.line - anchor.row
            wanted = max(0, min(wanted, self.max_scroll_y))
            if round(self.scroll_y) != wanted:
                self.scroll_to(y=wanted, animate=False, force=True)
        finally:
            self._own_scroll = False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self._own_scroll or round(old_value) == round(new_value):
            return
        self._follow(round(new_value) >= self.max_scroll_y)
        # What was at the top stays where it is now: items above it that come into view may be taller than guessed.
        old, moved = round(old_value), round(old_value) - round(new_value)
        self._settle(anchor=self._rows.anchor(old, round(new_value)) if 0 < moved < self._height else None)

    def _follow(self, following: bool) -> None:
        if following:
            self.unseen = 0
        if following != self.following:
            self.following = following
            self.post_message(self.Followed(following))

    def on_resize(self, event: events.Resize) -> None:
        region = self.scrollable_content_region
        self._height = region.height
        if self._width != region.width:
            self._width = self.drawings.width = region.width
            self._rows.doubt_all()
            self.drawings.clear()
        self._settle()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def _show(self, place: int) -> None:
        """Scroll so that an item can be seen, its start first."""
        if self._rows.is_guess(place):
            self._rows.set(place, len(self._strips(place)))
            self._resize(None if self.following else self._anchor())
        top, height = self._rows.top(place), self._rows.height(place)
        view = self._height
        if top < self.scroll_offset.y or height > view:
            self._scroll(top)
        elif top + height > self.scroll_offset.y + view:
            self._scroll(top + height - view)

    def _scroll(self, line: int) -> None:
        self.scroll_to(y=max(0, min(line, self.max_scroll_y)), animate=False, force=True)

    # Keys and mouse

    def action_choose(self, step: int) -> None:
        """The next item (1) or the one before (-1)."""
        places = range(len(self._items))
        if self._chosen is None:
            order: Iterable[int] = reversed(places)
        else:
            order = range(self._chosen + step, len(self._items) if step > 0 else -1, step)
        for place in order:
            if isinstance(self._items[place], _CHOOSABLE):
                self._chosen = place
                self._show(place)
                break
        else:
            if step > 0:
                self.to_end()
        self.refresh()

    def action_unfold(self) -> None:
        item = self.chosen
        if item is not None:
            item.unfolded = not item.unfolded
            item.touch()
            self._hold(self._chosen)
            self.sync([item])
            if self._chosen is not None:
                self._show(self._chosen)

    def _hold(self, place: int | None) -> None:
        """An item that unfolds stays where it is: stop following unless it is the last one."""
        if place is not None and place < len(self._items) - 1:
            self._follow(False)

    def action_open(self) -> None:
        if self.chosen is not None:
            self.post_message(self.Open(self.chosen))

    def action_answer(self, key: str) -> None:
        self.post_message(self.Answer(key))

    def action_copy(self) -> None:
        if self._chosen is not None:
            self.post_message(self.Copy("\n".join(plain(strip) for strip in self._strips(self._chosen)).strip()))

    def action_page(self, pages: int) -> None:
        self._scroll(self.scroll_offset.y + pages * max(1, self._height - 2))

    def action_start(self) -> None:
        self._scroll(0)

    def action_end(self) -> None:
        self.to_end()

    def on_click(self, event: events.Click) -> None:
        if "@click" in event.style.meta:
            return
        place = self._rows.at(self.scroll_offset.y + event.y)
        if place is None or not isinstance(self._items[place], _CHOOSABLE) or self.text_selection is not None:
            return
        if place == self._chosen:
            self.action_unfold()
        else:
            self._chosen = place
            self.refresh()

    # Selecting text with the mouse

    @property
    def allow_select(self) -> bool:
        return True

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self._rows.total - 1
        lines = [""] * first
        for place in self._rows.between(first, last + 1):
            strips = self._strips(place)
            skip = max(0, first - self._rows.top(place))
            lines += [strip.text.rstrip() for strip in strips[skip:]]
        return selection.extract("\n".join(lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()
