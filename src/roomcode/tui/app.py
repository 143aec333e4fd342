"""The app: what is on the screen, the keys, and one handler of events."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.driver import Driver
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

import roomcode
from roomcode.protocol.approval import ApprovalRequest
from roomcode.protocol.events import Event, Note, RequestEnded
from roomcode.tui import commands
from roomcode.tui.answers import Answers
from roomcode.tui.approvals import Desk
from roomcode.tui.backend import Backend, Shelf
from roomcode.tui.brush import Brush
from roomcode.tui.completion import plain_mentions
from roomcode.tui.completions import CompletionList
from roomcode.tui.conductor import Conductor
from roomcode.tui.foreign import safe_line, shortened
from roomcode.tui.history import History
from roomcode.tui.items import Banner, Problem, Remark
from roomcode.tui.key_names import key_name
from roomcode.tui.opening import Opener
from roomcode.tui.pace import Pace
from roomcode.tui.palette import Palette
from roomcode.tui.panels import Panels
from roomcode.tui.prompt import Prompt
from roomcode.tui.status import Status, status_text
from roomcode.tui.story import Story
from roomcode.tui.sturdy import Sturdy
from roomcode.tui.themes import DARK, own_themes
from roomcode.tui.timeline import Timeline

__all__ = ["RoomcodeApp"]

log = logging.getLogger(__name__)

_TICK = 0.25
_TWICE = 2.0
"""Seconds in which a second Ctrl+C quits."""
_MOST_BUGS = 20
"""Bugs after which the app gives up, since it only repeats itself."""


class RoomcodeApp(Sturdy, App[int]):
    """One subscriber of the events of one backend."""

    TITLE = "roomcode"
    AUTO_FOCUS = "#prompt"
    ENABLE_COMMAND_PALETTE = True
    CSS = """
    #stage { height: 1fr; layers: base above; }
    #jump {
        layer: above; dock: bottom; width: auto; height: 1; margin: 0 2; padding: 0 1;
        background: $primary; color: $background; text-style: bold; display: none;
    }
    ToastRack { align: right top; }
    #waiting { height: auto; max-height: 5; padding: 0 2; color: $foreground 75%; display: none; }
    #status { height: 1; background: $background; }
    .-short Prompt { border: none; min-height: 1; max-height: 3; padding: 0 1; background: $surface; }
    """
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-short"),
        (14, "-tall"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop the agent; close what is open"),
        Binding("ctrl+c", "interrupt", "Clear the input; twice: quit", priority=True),
        Binding("ctrl+q", "leave", "Quit", priority=True),
        Binding("shift+tab", "toggle_mode", "Ask before files change, or not", priority=True),
        Binding("alt+up", "take_back", "Take back the last text that waits"),
        Binding("pageup", "page(-1)", "Timeline up", show=False),
        Binding("pagedown", "page(1)", "Timeline down", show=False),
        Binding("ctrl+end", "jump", "Timeline to the end", priority=True),
        Binding("f1", "help", "Help", priority=True),
        Binding("f2", "files", "Changed files", priority=True),
        Binding("f3", "console", "Console of the pages", priority=True),
        Binding("f4", "models", "Models", priority=True),
        Binding("f5", "open_page", "Open the page in the browser", priority=True),
        Binding("f6", "themes", "Themes", priority=True),
        Binding("f7", "settings", "Settings", priority=True),
        Binding("f8", "sessions", "Sessions of this project", priority=True),
        Binding("ctrl+n", "new_task", "New task"),
        Binding("ctrl+z", "suspend_process", "Suspend (fg comes back)", priority=True),
    ]

    def __init__(
        self,
        backend: Backend,
        shelf: Shelf,
        *,
        history: History | None = None,
        theme: str = "",
        warnings: Sequence[str] = (),
        opener: Opener | None = None,
        clock: Callable[[], float] = time.monotonic,
        no_color: bool = False,
        remember_theme: Callable[[str], None] | None = None,
        driver: type[Driver] | None = None,
        version: str = roomcode.__version__,
    ) -> None:
        """`warnings` are sentences for the person."""
        super().__init__(driver_class=driver, ansi_color=True if no_color else None)
        for own in own_themes():
            self.register_theme(own)
        self.theme = theme if theme in self.available_themes else DARK
        self.backend = backend
        self.shelf = shelf
        self.story = Story()
        self.brush = self._new_brush()
        self.clock = clock
        self.opener = opener or Opener()
        self._history = history or History()
        self._warnings = warnings
        self._version = version
        self._remember_theme = remember_theme
        self.conductor = Conductor(backend, self)
        self.desk = Desk(self._asked, self._answered, clock)
        self.answers = Answers(self)
        self.panels = Panels(self)
        self._news_timer: Timer | None = None
        self._pace = Pace()
        self._ticker: Timer | None = None
        self._frame = 0
        self._began = 0.0
        self._interrupted = -_TWICE
        self._bugs = 0
        self._stands = False
        self.takes_keys = threading.Event()
        """The input has the focus; the driver reads no key before."""
        self._hint = ""

    # Composition

    def compose(self) -> ComposeResult:
        self.timeline = Timeline(self.story.items, self.brush, id="timeline")
        self.prompt = Prompt(
            self._history, {command.name: command.help for command in commands.COMMANDS}, clock=self.clock, id="prompt"
        )
        self.completions = CompletionList(self.brush)
        self.jump = Static("", id="jump", markup=False)
        self.waiting = Static("", id="waiting", markup=False)
        self.status = Static("", id="status", markup=False)
        with Container(id="stage"):
            yield self.timeline
            yield self.jump
        yield self.waiting
        yield self.completions
        yield self.prompt
        yield self.status

    def on_mount(self) -> None:
        # After a suspension Textual draws only what changes, on a terminal that shows something else.
        self.app_resume_signal.subscribe(self, lambda _app: self.refresh(layout=True))
        self.theme_changed_signal.subscribe(self, lambda _theme: self._repaint())
        self.story.add(Banner(f"roomcode {self._version}", (str(self.backend.project), self._welcome())))
        for warning in self._warnings:
            self.story.add(Remark("check", warning))
        self.timeline.sync(self.story.take_changed())
        self.backend.subscribe(self.handle)
        self.backend.gate = self.desk.gate
        self.prompt.focus()
        self.prompt.placeholder = "What shall I build?  (@ file, / command, F1 help)"
        self.state_changed()
        self._stands = True
        self.call_after_refresh(self.takes_keys.set)
        self.call_after_refresh(self.conductor.load)
        self.run_worker(self._read_names, thread=True, exit_on_error=False)

    def _welcome(self) -> str:
        return "Enter sends · Esc stops · F1 help · Ctrl+C twice quits"

    # The one handler of events

    def handle(self, event: Event) -> None:
        """Take in one event of the backend. A bug here must not reach the agent."""
        if not self.is_running:
            return
        try:
            self.story.apply(event)
            match event:
                case Note(topic="steer"):
                    self.conductor.delivered()
                case RequestEnded():
                    self.run_worker(self._read_names, thread=True, exit_on_error=False)
                    self._show_news()
                case _:
                    pass
        except Exception as error:
            self.bug(f"taking in {type(event).__name__}", error)
        self._news()

    def _news(self) -> None:
        if self._news_timer is None:
            self._news_timer = self.set_timer(self._pace.pause(), self._show_news)

    def _show_news(self) -> None:
        self._news_timer = None
        self._pace.drawing()
        self.timeline.sync(self.story.take_changed())
        self._show_status()

    # What the conductor says

    def state_changed(self) -> None:
        running = self.conductor.running
        if running and not self.prompt.has_class("-running"):
            self._began = self.clock()
        self.prompt.set_class(running, "-running")
        # Nothing moves while it is the person's turn.
        moving = (running and not self.desk.waiting) or self.conductor.loading is not None
        if moving and self._ticker is None:
            self._ticker = self.set_interval(_TICK, self._tick)
        elif not moving and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None
        facts = self.backend.facts
        model = facts.model if facts else "loading the model" if self.conductor.loading else "no model"
        self.prompt.border_subtitle = Text(shortened(safe_line(model), max(8, self.size.width - 12)))
        self._show_waiting()
        self._show_status()

    def opened(self, past: Sequence[Event]) -> None:
        for event in past:
            self.story.apply(event)
        self.story.running = False
        if past:
            self.story.add(
                Remark("app", "This goes on where it was left; /new starts afresh, /sessions lists the others.")
            )
        self._show_notices()
        self.timeline.sync(self.story.take_changed())
        self.timeline.to_end()

    def _show_notices(self) -> None:
        for notice in self.backend.take_notices():
            self.say(notice, "check")

    def loaded(self) -> None:
        facts = self.backend.facts
        if facts is not None:
            self.story.budget = facts.budget
        self._show_status()

    def no_model(self, why: str) -> None:
        self.panels.welcome(why)

    def failed(self, what: str) -> None:
        self.say(what, "engine")
        if not self.conductor.ready:
            self.say("Choose another model with /model, or mend the cause and choose it again.")

    def give_back(self, text: str) -> None:
        self.prompt.give_back(text)

    def bug(self, where: str, error: Exception) -> None:
        """Show and log a bug of roomcode itself; the app goes on."""
        log.error("%s: %s", where, error, exc_info=error)
        self._bugs += 1
        # Before the first screen stands there is nothing to go on with.
        if self._bugs > _MOST_BUGS or not self._stands:
            super()._handle_exception(error)
            return
        import traceback

        detail = "".join(traceback.format_exception(error))
        self.story.add(Problem(f"roomcode has a bug ({where}): {type(error).__name__}: {error}", detail))
        if self.is_running:
            self._news()

    def _handle_exception(self, error: Exception) -> None:
        self.bug("in the app", error)

    def say(self, text: str, topic: str = "app") -> None:
        """A line in the timeline from the app itself."""
        self.story.add(Remark(topic, text))  # type: ignore[arg-type]
        self._news()

    # Approvals

    def _asked(self, request: ApprovalRequest) -> None:
        self.answers.asked(request)
        self.state_changed()
        self._news()

    def _answered(self, call: str) -> None:
        self.answers.answered(call)
        self.state_changed()

    # Small displays

    def hint(self, text: str) -> None:
        """Show something in the status line for a moment."""
        self._hint = text
        self._show_status()
        self.set_timer(_TWICE, self._end_hint)

    def _end_hint(self) -> None:
        self._hint = ""
        self._show_status()

    def _tick(self) -> None:
        self._frame += 1
        if self._frame % 4 == 0:
            for card in self.story.open_cards:
                if card.state == "running":
                    self.story.changed(card)
            self.timeline.sync(self.story.take_changed())
        self._show_status()

    def _show_status(self) -> None:
        story = self.story
        page = next(reversed(story.pages.values()), None)
        status = Status(
            mode=self.backend.mode,
            used=story.used,
            budget=story.budget,
            usage=story.usage,
            ports=tuple(self.backend.ports()),
            browser=page.state if page else "",
            activity=self._activity(),
            hint=self._hint,
            waiting=bool(self.desk.waiting),
            frame=self._frame,
        )
        self.status.update(status_text(status, max(1, self.size.width), self.brush), layout=False)

    def _activity(self) -> str:
        conductor = self.conductor
        if conductor.loading is not None:
            what, share = conductor.loading
            return f"{safe_line(what)} {share:.0%}" if share else safe_line(what)
        if conductor.stopping:
            return "stopping"
        if self.desk.waiting:
            return "your turn"
        if conductor.running:
            return f"step {max(1, self.story.step)} · {self.clock() - self._began:.0f} s"
        return ""

    def _show_waiting(self) -> None:
        width = max(10, self.size.width - 4)
        lines = [f"↳ at the next step: {safe_line(text)}" for text in self.conductor.steering]
        lines += [f"» afterwards: {safe_line(text)}" for text in self.conductor.queue]
        if lines:
            lines.append("  Alt+↑ takes the last one back, Esc all of them")
        self.waiting.display = bool(lines)
        self.waiting.update(Text("\n".join(shortened(line, width) for line in lines)))

    def _new_brush(self) -> Brush:
        ansi = self.native_ansi_color
        return Brush(Palette.from_theme(self.get_css_variables(), ansi=ansi))

    def _repaint(self) -> None:
        self.brush = self._new_brush()
        self.timeline.paint_with(self.brush)
        self.completions.paint_with(self.brush)
        self._show_status()
        if self._remember_theme is not None:
            self._remember_theme(self.theme)

    def _read_names(self) -> None:
        names = list(self.backend.names())
        self.call_from_thread(lambda: setattr(self.prompt, "names", names))

    def _watch_app_focus(self, focus: bool) -> None:
        # Textual restyles every widget here and takes the focus away, at each change of window.
        pass

    # Messages of widgets

    def on_prompt_sent(self, message: Prompt.Sent) -> None:
        match commands.find(message.text):
            case commands.Command(action=action):
                self.prompt.take()
                self.call_next(self.run_action, action)
                return
            case str() as word:
                self.notify(f"There is no command {word}. /help lists them.", markup=False, severity="warning")
                return
        self._history.add(self.prompt.take().strip("\n"))
        self.timeline.to_end()
        self.conductor.send(plain_mentions(message.text, self.prompt.names), later=message.later)

    def on_prompt_completing(self, message: Prompt.Completing) -> None:
        self.completions.show(message.completion, message.picked)

    def on_prompt_leave(self) -> None:
        self.timeline.focus()
        self.timeline.choose_some()

    def on_timeline_followed(self, message: Timeline.Followed) -> None:
        self.jump.display = not message.following
        self.jump.update("↓ Ctrl+End jumps to the end" if self.size.width >= 60 else "↓ Ctrl+End")

    def on_timeline_open(self, message: Timeline.Open) -> None:
        self.opener.open_item(message.item, self)

    def on_timeline_copy(self, message: Timeline.Copy) -> None:
        self.copy_to_clipboard(message.text)
        self.notify("copied", markup=False, timeout=2)

    def on_timeline_answer(self, message: Timeline.Answer) -> None:
        self.answers.key(message.key)

    # Actions

    def action_stop(self) -> None:
        if self.prompt.dismiss() or self.conductor.stop():
            return
        self.prompt.focus()

    def action_interrupt(self) -> None:
        now = self.clock()
        if now - self._interrupted < _TWICE:
            self.action_leave()
            return
        self._interrupted = now
        if self.screen is self.screen_stack[0]:
            self.prompt.take()
        self.hint("Ctrl+C again quits, Esc stops the agent")

    def action_leave(self) -> None:
        self.exit(0)

    def action_toggle_mode(self) -> None:
        self.backend.mode = "ask" if self.backend.mode == "auto" else "auto"
        self._show_status()

    def action_take_back(self) -> None:
        self.conductor.take_back()

    def action_page(self, pages: int) -> None:
        self.timeline.action_page(pages)

    def action_jump(self) -> None:
        self.timeline.to_end()

    async def action_new_task(self) -> None:
        if await self.conductor.new_task():
            self._start_over("new task", "Files and served pages stay.")
        else:
            self.notify("Stop the agent first (Esc).", markup=False, severity="warning")

    async def open_session(self, session: str) -> None:
        """Show another session and go on with it."""
        past = await self.conductor.open(session)
        if past is None:
            return
        self._start_over(f"roomcode {self._version}", "Files stay as they are.")
        self.opened(past)

    def _start_over(self, title: str, line: str) -> None:
        self.story.clear()
        self.story.add(Banner(title, (str(self.backend.project), line)))
        self.timeline.reset()
        self.state_changed()

    def action_to_prompt(self) -> None:
        self.prompt.focus()

    def action_open_page(self) -> None:
        self.opener.open_ports(self.backend.ports(), self)

    def action_help(self) -> None:
        self.panels.help()

    def action_files(self) -> None:
        self.panels.files()

    async def action_console(self) -> None:
        await self.panels.console()

    def action_models(self) -> None:
        self.panels.models()

    def action_sessions(self) -> None:
        self.panels.sessions()

    def action_themes(self) -> None:
        self.search_themes()

    def action_settings(self) -> None:
        self.panels.settings()

    def get_key_display(self, binding: Binding) -> str:
        return key_name(binding.key)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        for command in commands.COMMANDS:
            yield SystemCommand(f"/{command.name}", command.help, lambda action=command.action: self.run_action(action))
