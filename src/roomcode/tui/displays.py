"""The small displays around the input: what waits, the status line, the mark that jumps to the end."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text
from textual.timer import Timer
from textual.widgets import Static

from roomcode.tui.foreign import safe_line, shortened
from roomcode.tui.status import Status, status_text

if TYPE_CHECKING:
    from roomcode.tui.app import RoomcodeApp

__all__ = ["Displays", "JumpMark"]

_TICK = 0.25
_HINT = 2.0
"""Seconds that a hint is shown."""
_WIDE = 60
_PLACEHOLDERS = ("What shall I build?  (@ file, / command, F1 help)", "What shall I build?", "F1 help", "")


class JumpMark(Static):
    """Shown while the end of the timeline is out of sight."""

    def __init__(self) -> None:
        super().__init__("", id="jump", markup=False)

    def show(self, visible: bool) -> None:
        self.display = visible
        self.update("↓ Ctrl+End jumps to the end" if self.app.size.width >= _WIDE else "↓ Ctrl+End")

    async def on_click(self) -> None:
        await self.run_action("app.jump")


class _StatusLine(Static):
    """What it shows depends on its width."""

    def __init__(self, resized: Callable[[], None]) -> None:
        super().__init__("", id="status", markup=False)
        self._resized = resized

    def on_resize(self) -> None:
        self._resized()


class Displays:
    """Keeps the displays up to date; ticks only while something moves."""

    def __init__(self, app: "RoomcodeApp") -> None:
        self._app = app
        self.waiting = Static("", id="waiting", markup=False)
        self.status = _StatusLine(self.state_changed)
        self.jump = JumpMark()
        self._ticker: Timer | None = None
        self._ticks = 0
        self._began = 0.0
        self._hint = ""
        self._was_running = False
        self._closed = False

    def close(self) -> None:
        """Nothing is shown any more."""
        self._closed = True
        if self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def hint(self, text: str) -> None:
        """Show something in the status line for a moment."""
        self._hint = text
        self.show_status()
        self._app.set_timer(_HINT, self._end_hint)

    def _end_hint(self) -> None:
        self._hint = ""
        self.show_status()

    def state_changed(self) -> None:
        """What runs, loads or waits is different now."""
        app, conductor = self._app, self._app.conductor
        if conductor.running and not self._was_running:
            self._began = app.clock()
        self._was_running = conductor.running
        app.prompt.set_class(conductor.running, "-running")
        # Nothing moves while it is the person's turn.
        moving = not self._closed and ((conductor.running and not app.desk.waiting) or conductor.loading is not None)
        if moving and self._ticker is None:
            self._ticker = app.set_interval(_TICK, self._tick)
        elif not moving and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None
        facts = app.backend.facts
        model = facts.model if facts else "loading the model" if conductor.loading else "no model"
        room = app.size.width - 6
        app.prompt.placeholder = next(text for text in _PLACEHOLDERS if len(text) <= max(0, room))
        app.prompt.border_subtitle = Text(shortened(safe_line(model), max(8, app.size.width - 12)))
        self._show_waiting()
        self.show_status()

    def _tick(self) -> None:
        self._ticks += 1
        if self._ticks % 4 == 0:
            self._app.news.count_seconds()
        self.show_status()

    def show_status(self) -> None:
        app, story = self._app, self._app.story
        ports = tuple(app.backend.ports())
        page = next((page for page in reversed(story.pages.values()) if page.port in ports), None)
        status = Status(
            mode=app.backend.mode,
            used=story.used,
            budget=story.budget,
            usage=story.usage,
            ports=ports,
            browser=page.state if page else "",
            activity=self._activity(),
            hint=self._hint,
            waiting=bool(app.desk.waiting),
            frame=int(app.clock() / _TICK),
        )
        self.status.update(status_text(status, max(1, app.size.width), app.brush), layout=False)

    def _activity(self) -> str:
        app, conductor = self._app, self._app.conductor
        if conductor.loading is not None:
            what, share = conductor.loading
            return f"{safe_line(what)} {share:.0%}" if share else safe_line(what)
        if conductor.stopping:
            return "stopping"
        if app.desk.waiting:
            return "your turn"
        if conductor.running:
            return f"step {max(1, app.story.step)} · {app.clock() - self._began:.0f} s"
        return ""

    def _show_waiting(self) -> None:
        conductor = self._app.conductor
        width = max(10, self._app.size.width - 4)
        lines = [f"↳ at the next step: {safe_line(text)}" for text in conductor.steering]
        lines += [f"» afterwards: {safe_line(text)}" for text in conductor.queue]
        if lines:
            lines.append("  Alt+↑ takes the last one back, Esc all of them")
        self.waiting.display = bool(lines)
        self.waiting.update(Text("\n".join(shortened(line, width) for line in lines)))
