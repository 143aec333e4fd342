"""The input: several lines, history, chips for long pastes, completion."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.timer import Timer
from textual.widgets import TextArea

from roomcode.tui.chips import Chips, pasted_text
from roomcode.tui.completion import Completion, complete
from roomcode.tui.foreign import safe
from roomcode.tui.history import History
from roomcode.tui.sturdy import SturdyWidget

__all__ = ["Prompt"]

_BURST = 0.008
"""Seconds between two keys that no person can type: they come from a paste without brackets, or from a script."""
_AFTER_PASTE = 0.15
_QUIET = 1.5
"""Seconds without a key after which the person is not in the middle of typing."""
_AFTER_BURST = 0.05
"""How long to wait for more after an Enter that ended a burst of keys."""


class Prompt(SturdyWidget, TextArea):
    """Sends `Sent` on Enter. What a person typed is never lost and never sent unasked."""

    DEFAULT_CSS = """
    Prompt {
        height: auto;
        max-height: 10;
        min-height: 3;
        border: round $primary 60%;
        background: $background;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        border-subtitle-color: $foreground 60%;
        &:focus { border: round $primary; }
        &.-running { border: round $warning 60%; }
        &.-running:focus { border: round $warning; }
        & .text-area--cursor-line { background: transparent; }
        & .text-area--placeholder { color: $foreground 45%; }
    }
    """
    HELP = "The input. Enter sends; while the agent works it tells the agent something for its next step."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "Send (while the agent works: tell it at its next step)"),
        Binding("alt+enter", "queue", "Send after the agent is done"),
        Binding("ctrl+j,shift+enter", "new_line", "New line"),
        Binding("up", "older", "Line up, or an earlier text"),
        Binding("down", "newer", "Line down, or a later text"),
        Binding("tab", "complete", "Take the completion, or go to the timeline"),
        Binding("pageup", "app.page(-1)", "Timeline up"),
        Binding("pagedown", "app.page(1)", "Timeline down"),
        Binding("ctrl+underscore", "undo", "Undo typing"),
    ]

    class Sent(Message):
        """The person sent a text; `later`: after the running request."""

        def __init__(self, text: str, later: bool) -> None:
            super().__init__()
            self.text = text
            self.later = later

    class Completing(Message):
        """What can be completed at the cursor changed (None: nothing), or which of it is picked."""

        def __init__(self, completion: Completion | None, picked: int) -> None:
            super().__init__()
            self.completion = completion
            self.picked = picked

    class Leave(Message):
        """The person wants to go to the timeline."""

    def __init__(
        self,
        history: History,
        commands: Mapping[str, str],
        *,
        clock: Callable[[], float] = time.monotonic,
        id: str | None = None,
    ) -> None:
        super().__init__(
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            tab_behavior="focus",
            compact=False,
        )
        # A cursor that blinks has the line drawn anew twice a second, for nothing.
        self.cursor_blink = False
        self._past = history
        self._commands = commands
        self._chips = Chips()
        self._clock = clock
        self._last_key = 0.0
        self._pasted_at = 0.0
        self._typed_at = -_QUIET
        self._burst_lines = False
        self._deferred: Timer | None = None
        self.names: Sequence[str] = ()
        self._completion: Completion | None = None
        self._picked = 0

    # What others call

    @property
    def draft(self) -> str:
        """The text with the chips unfolded."""
        return self._chips.unfold(self.text)

    @property
    def quiet(self) -> bool:
        """Nothing is typed and nothing was typed in the last moment: the focus may be taken away."""
        return not self.text and self._clock() - self._typed_at > _QUIET

    def give_back(self, text: str) -> None:
        """Put a text in front of the draft."""
        text = self._chips.fold(safe(text))
        self.text = f"{text}\n{self.text}" if self.text else text
        self.move_cursor(self.document.end)

    def take(self) -> str:
        """The whole draft; the input is empty afterwards."""
        draft = self.draft
        self.text = ""
        self._chips.clear()
        self._typed_at = -_QUIET
        return draft

    def dismiss(self) -> bool:
        """Close the completion; whether there was one."""
        was_open = self._completion is not None
        self._set_completion(None)
        return was_open

    # Typing

    async def _on_key(self, event: events.Key) -> None:
        in_burst = event.time - self._last_key < _BURST
        self._last_key = event.time
        if event.time - self._pasted_at < _AFTER_PASTE:
            # Keys that come with a paste are part of it: some terminals let its end be faked by its text.
            in_burst = self._burst_lines = True
        self._typed_at = self._clock()
        if not in_burst:
            self._burst_lines = False
        if self._deferred is not None:
            # More came right behind an Enter: that was a paste without brackets, and its Enter was a line end.
            self._deferred.stop()
            self._deferred = None
            self._burst_lines = True
            self.action_new_line()
        if event.key == "enter":
            event.prevent_default()
            if in_burst:
                event.stop()
                self._enter_in_burst()
        elif event.key == "backspace" and self._delete_chip():
            event.stop()
            event.prevent_default()

    def _enter_in_burst(self) -> None:
        if self._burst_lines:
            self.action_new_line()
        else:
            self._deferred = self.set_timer(_AFTER_BURST, self._nothing_followed)

    def _nothing_followed(self) -> None:
        self._deferred = None
        self.action_send()

    def _delete_chip(self) -> bool:
        """A chip goes as a whole."""
        if not self.selection.is_empty:
            return False
        row, column = self.cursor_location
        chip = self._chips.ending(self.document.get_line(row)[:column])
        if not chip:
            return False
        self.delete((row, column - len(chip)), (row, column))
        return True

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._typed_at = self._clock()
        self._pasted_at = event.time
        text = pasted_text(event.text)
        if text:
            self.replace(self._chips.fold(text), *self.selection)
            self.focus()

    # Sending

    def action_send(self) -> None:
        if self._completion is not None and self.text.startswith("/"):
            self._take_completion()
        self._send(later=False)

    def action_queue(self) -> None:
        self._send(later=True)

    def _send(self, *, later: bool) -> None:
        text = self.draft.strip("\n")
        if text.strip():
            self.post_message(self.Sent(text, later))

    def action_new_line(self) -> None:
        self.replace("\n", *self.selection)

    # Moving

    def action_older(self) -> None:
        if self._completion is not None:
            self._pick(-1)
        elif not self.navigator.is_first_wrapped_line(self.cursor_location):
            self.action_cursor_up()
        else:
            self._show_past(self._past.before(self.draft))

    def action_newer(self) -> None:
        if self._completion is not None:
            self._pick(1)
        elif not self.navigator.is_last_wrapped_line(self.cursor_location):
            self.action_cursor_down()
        else:
            self._show_past(self._past.after())

    def _show_past(self, text: str | None) -> None:
        if text is not None:
            self.text = self._chips.fold(text)
            self.move_cursor(self.document.end)

    # Completing

    def on_text_area_changed(self) -> None:
        self._look_for_completion()

    def on_text_area_selection_changed(self) -> None:
        self._look_for_completion()

    def _look_for_completion(self) -> None:
        row, column = self.cursor_location
        line = self.document.get_line(row)
        single = self.document.line_count == 1
        found = complete(line[:column], self.names, self._commands, first=single) if self.selection.is_empty else None
        if found is not None and all(line[found.start : column] == text for text, _ in found.choices[:1]):
            found = None
        if found != self._completion:
            self._set_completion(found)

    def _set_completion(self, completion: Completion | None) -> None:
        self._completion = completion
        self._picked = 0
        self.post_message(self.Completing(completion, 0))

    def _pick(self, step: int) -> None:
        assert self._completion is not None
        self._picked = (self._picked + step) % len(self._completion.choices)
        self.post_message(self.Completing(self._completion, self._picked))

    def _take_completion(self) -> None:
        assert self._completion is not None
        row, column = self.cursor_location
        text, _ = self._completion.choices[self._picked]
        self.replace(text, (row, self._completion.start), (row, column))
        self._set_completion(None)

    def action_complete(self) -> None:
        if self._completion is None:
            self.post_message(self.Leave())
            return
        self._take_completion()
        if not self.text.startswith("/"):
            self.insert(" ")
