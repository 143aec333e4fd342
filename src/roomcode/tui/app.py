"""The app: what is on the screen, the keys, and one handler of events."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.driver import Driver
from textual.screen import Screen
from textual.timer import Timer

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
from roomcode.tui.displays import Displays
from roomcode.tui.foreign import safe_line
from roomcode.tui.history import History
from roomcode.tui.items import Banner, Problem, Remark
from roomcode.tui.key_names import key_name
from roomcode.tui.opening import Opener
from roomcode.tui.pace import Pace
from roomcode.tui.palette import Palette
from roomcode.tui.panels import Panels
from roomcode.tui.prompt import Prompt
from roomcode.tui.story import Story
from roomcode.tui.sturdy import Sturdy
from roomcode.tui.terminal import Terminal
from roomcode.tui.themes import DARK, own_themes
from roomcode.tui.timeline import Timeline

__all__ = ["RoomcodeApp"]

log = logging.getLogger(__name__)

_TWICE = 2.0
"""Seconds in which a second Ctrl+C quits."""


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
        Binding("ctrl+c", "interrupt", "Copy what is selected, else clear the input; twice: quit", priority=True),
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
        terminal: Terminal | None = None,
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
        self.terminal = terminal or Terminal()
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
        self._interrupted = -_TWICE
        self._bugs: set[str] = set()
        self._stands = False
        self.takes_keys = threading.Event()
        """The input has the focus; the driver reads no key before."""

    # Composition

    def compose(self) -> ComposeResult:
        self.timeline = Timeline(self.story.items, self.brush, id="timeline")
        self.prompt = Prompt(
            self._history, {command.name: command.help for command in commands.COMMANDS}, clock=self.clock, id="prompt"
        )
        self.completions = CompletionList(self.brush)
        self.displays = Displays(self)
        with Container(id="stage"):
            yield self.timeline
            yield self.displays.jump
        yield self.displays.waiting
        yield self.completions
        yield self.prompt
        yield self.displays.status

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

    def on_unmount(self) -> None:
        self.displays.close()

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
        self.displays.show_status()

    @property
    def drawn(self) -> bool:
        """Everything that was told is on the screen, and measured."""
        return self._news_timer is None and self.timeline.settled

    # What the conductor says

    def state_changed(self) -> None:
        self.displays.state_changed()

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
        self.displays.show_status()

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
        title = f"roomcode has a bug ({where}): {type(error).__name__}: {error}"
        if title in self._bugs:
            # The same again, perhaps with every picture: once is enough, on the screen and in the log.
            return
        self._bugs.add(title)
        log.error("%s: %s", where, error, exc_info=error)
        # Before the first screen stands there is nothing to go on with.
        if not self._stands:
            super()._handle_exception(error)
            return
        import traceback

        self.story.add(Problem(title, "".join(traceback.format_exception(error))))
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

    # Small things

    def hint(self, text: str) -> None:
        """Say something in the status line for a moment."""
        self.displays.hint(text)

    def count_seconds(self) -> None:
        """Another second has passed for what runs."""
        for card in self.story.open_cards:
            if card.state == "running":
                self.story.changed(card)
        self.timeline.sync(self.story.take_changed())

    def _new_brush(self) -> Brush:
        ansi = self.native_ansi_color
        return Brush(Palette.from_theme(self.get_css_variables(), ansi=ansi))

    def _repaint(self) -> None:
        self.brush = self._new_brush()
        self.timeline.paint_with(self.brush)
        self.completions.paint_with(self.brush)
        self.displays.show_status()
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
                self.notify(
                    f"There is no command {safe_line(word)}. /help lists them.", markup=False, severity="warning"
                )
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
        self.displays.jump.show(not message.following)

    def on_timeline_open(self, message: Timeline.Open) -> None:
        self.opener.open_item(message.item, self)

    def on_timeline_copy(self, message: Timeline.Copy) -> None:
        self.copy_to_clipboard(message.text)
        self.hint("copied")

    def on_timeline_answer(self, message: Timeline.Answer) -> None:
        self.answers.key(message.key)

    # Actions

    def action_stop(self) -> None:
        if self.prompt.dismiss() or self.conductor.stop():
            return
        self.prompt.focus()

    def action_interrupt(self) -> None:
        if selected := self.prompt.selected_text or self.screen.get_selected_text():
            self.copy_to_clipboard(selected)
            self.hint("copied")
            return
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
        self.displays.show_status()

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

    def action_answer(self, key: str, call: str) -> None:
        self.answers.key(key, call)

    def action_to_prompt(self) -> None:
        self.prompt.focus()

    def action_open_page(self) -> None:
        self.opener.open_ports(self.backend.ports(), self)

    def action_help(self) -> None:
        self.panels.help()

    def action_picture(self) -> None:
        from roomcode.tui.screens.picture import show_picture

        show_picture(self)

    def write_to_terminal(self, data: str) -> None:
        """Send a control sequence behind what is drawn already."""
        if self._driver is not None:
            self._driver.write(data)

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
