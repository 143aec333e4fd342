"""The app: what is on the screen, and the keys."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Literal

from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.driver import Driver
from textual.screen import Screen

import roomcode
from roomcode.protocol.events import NoteTopic
from roomcode.tui import commands
from roomcode.tui.answers import Answers
from roomcode.tui.approvals import Desk
from roomcode.tui.backend import Backend, Shelf
from roomcode.tui.brush import Brush
from roomcode.tui.changes import Changes
from roomcode.tui.completion import plain_mentions
from roomcode.tui.completions import CompletionList
from roomcode.tui.conductor import Conductor
from roomcode.tui.displays import Displays
from roomcode.tui.errands import Errands
from roomcode.tui.foreign import safe_line
from roomcode.tui.history import History
from roomcode.tui.items import Banner, Remark
from roomcode.tui.key_names import key_name
from roomcode.tui.news import News
from roomcode.tui.opening import Opener
from roomcode.tui.palette import Palette
from roomcode.tui.panels import Panels
from roomcode.tui.prompt import Prompt
from roomcode.tui.sessions import Sessions
from roomcode.tui.story import Story
from roomcode.tui.sturdy import Sturdy
from roomcode.tui.terminal import Terminal
from roomcode.tui.themes import DARK, own_themes
from roomcode.tui.timeline import Timeline

__all__ = ["RoomcodeApp"]

_TWICE = 2.0
"""Seconds in which a second Ctrl+C quits."""
_WELCOME = "Enter sends · Esc stops · F1 help · Ctrl+C twice quits"


class RoomcodeApp(Sturdy, App[int]):
    """One subscriber of the events of one backend."""

    TITLE = "roomcode"
    AUTO_FOCUS = "#prompt"
    ENABLE_COMMAND_PALETTE = True
    CSS = """
    #stage { height: 1fr; layers: base above; align: right bottom; }
    #jump {
        layer: above; width: auto; height: 1; margin: 0 2; padding: 0 1;
        background: $primary; color: $background; text-style: bold; display: none;
    }
    ToastRack { dock: top; align: right top; margin: 1 0 0 0; }
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
        Binding("f1", "show('help')", "Help", priority=True),
        Binding("f2", "show('files')", "Changed files", priority=True),
        Binding("f3", "show('console')", "Console of the pages", priority=True),
        Binding("f4", "show('models')", "Models", priority=True),
        Binding("f5", "open_page", "Open the page in the browser", priority=True),
        Binding("f6", "themes", "Themes", priority=True),
        Binding("f7", "show('settings')", "Settings", priority=True),
        Binding("f8", "show('sessions')", "Sessions of this project", priority=True),
        Binding("f9", "undo", "Undo what the last request did to the files", priority=True),
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
        self.news = News(self)
        self.conductor = Conductor(backend, self.news)
        self.answers = Answers(self)
        self.desk = Desk(self.answers.asked, self.answers.answered, clock)
        self.errands = Errands(self)
        self.panels = Panels(self)
        self.sessions = Sessions(self)
        self.changes = Changes(self)
        self._interrupted = -_TWICE
        self.stands = False
        """The first screen is there."""
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
        self.news.start()
        # After a suspension Textual draws only what changes, on a terminal that shows something else.
        self.app_resume_signal.subscribe(self, lambda _app: self.refresh(layout=True))
        self.theme_changed_signal.subscribe(self, lambda _theme: self._repaint())
        self.story.add(Banner(f"roomcode {self._version}", (str(self.backend.project), _WELCOME)))
        for warning in self._warnings:
            self.story.add(Remark("check", warning))
        self.timeline.sync(self.story.take_changed())
        self.backend.subscribe(self.news.handle)
        self.backend.gate = self.desk.gate
        self.prompt.focus()
        self.news.state_changed()
        self.stands = True
        self.call_after_refresh(self.takes_keys.set)
        self.call_after_refresh(self.conductor.load)
        self.read_names()

    def on_unmount(self) -> None:
        self.displays.close()

    # What its parts need of the app

    def say(self, text: str, topic: NoteTopic | Literal["app"] = "app") -> None:
        """A line in the timeline from the app itself."""
        self.news.say(text, topic)

    def hint(self, text: str) -> None:
        """Say something in the status line for a moment."""
        self.displays.hint(text)

    def warn(self, text: str) -> None:
        """Say in a corner, for a moment, why something is not done."""
        self.notify(text, markup=False, severity="warning")

    def close_panels(self) -> None:
        while len(self.screen_stack) > 1:
            self.pop_screen()

    def bug(self, where: str, error: Exception) -> None:
        """Show and log a bug of roomcode itself; the app goes on."""
        self.news.bug(where, error)

    def _handle_exception(self, error: Exception) -> None:
        self.bug("in the app", error)

    def give_up(self, error: Exception) -> None:
        """End the app: it does not even stand yet."""
        super()._handle_exception(error)

    @property
    def drawn(self) -> bool:
        """Everything that was told is on the screen, and measured."""
        return self.news.told

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

    def read_names(self) -> None:
        """Take in anew which files there are, for completion."""
        self.run_worker(self._read_names, thread=True, exit_on_error=False)

    def _read_names(self) -> None:
        names = list(self.backend.names())
        self.call_from_thread(lambda: setattr(self.prompt, "names", names))

    def _watch_app_focus(self, focus: bool) -> None:
        # Textual restyles every widget here and takes the focus away, at each change of window.
        pass

    # Messages of widgets

    def on_prompt_sent(self, message: Prompt.Sent) -> None:
        match commands.find(message.text):
            case commands.Typed() as typed:
                self.prompt.take()
                self.call_next(self.run_action, typed.action)
                return
            case str() as sentence:
                self.warn(safe_line(sentence))
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

    def action_new_task(self) -> None:
        self.sessions.new()

    def action_fork(self) -> None:
        self.sessions.fork()

    def action_undo(self, request: int | None = None) -> None:
        self.changes.undo(request)

    def action_redo(self) -> None:
        self.changes.redo()

    def action_show(self, panel: str) -> None:
        """Open a panel."""
        {
            "help": self.panels.help,
            "files": self.changes.show,
            "console": self.panels.console,
            "models": self.panels.models,
            "settings": self.panels.settings,
            "sessions": self.sessions.choose,
        }[panel]()

    def action_answer(self, key: str, call: str) -> None:
        self.answers.key(key, call)

    def action_to_prompt(self) -> None:
        self.prompt.focus()

    def action_open_page(self) -> None:
        self.opener.open_ports(self.backend.ports(), self)

    def action_picture(self) -> None:
        from roomcode.tui.screens.picture import show_picture

        show_picture(self)

    def write_to_terminal(self, data: str) -> None:
        """Send a control sequence behind what is drawn already."""
        if self._driver is not None:
            self._driver.write(data)

    def action_themes(self) -> None:
        self.search_themes()

    def get_key_display(self, binding: Binding) -> str:
        return key_name(binding.key)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        for command in commands.COMMANDS:
            yield SystemCommand(f"/{command.name}", command.help, lambda action=command.action: self.run_action(action))
