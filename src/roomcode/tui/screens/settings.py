"""Settings: what is in force, where it comes from, and another value for it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from roomcode.tui.backend import Setting
from roomcode.tui.brush import Brush
from roomcode.tui.foreign import safe_line
from roomcode.tui.screens.panel import Choices, KeysLine, ListPanel
from roomcode.tui.sturdy import Sturdy

__all__ = ["Change", "SettingsPanel", "ValuePanel", "setting_line"]

_WIDE = 60
"""Cells from which on there is room for columns."""

Change = Callable[[str, str, bool], Awaitable[str]]
"""(setting, value as text, for this project only) → a sentence about what counts now. Raises with a sentence."""


def setting_line(setting: Setting, width: int, brush: Brush, names: int) -> Text:
    """Name, value and origin; `names` is the width of the column of names."""
    palette = brush.palette
    own = setting.origin != "default"
    left = brush.text(
        (f"{safe_line(setting.name):<{names}}  ", palette.strong if own else palette.text),
        (safe_line(setting.value), palette.accent if own else palette.text),
    )
    origin = safe_line(setting.origin) if own and width >= _WIDE else ""
    return brush.ends(left, brush.text((origin, palette.muted)), width)


class SettingsPanel(ListPanel[None]):
    """All settings. A change is kept in the person's config file, or in the project's."""

    DEFAULT_CSS = """
    SettingsPanel {
        & .about { height: auto; min-height: 3; max-height: 8; padding: 0 1; border-top: solid $foreground 20%; }
        &.-short .about { min-height: 2; max-height: 4; }
    }
    """
    KEYS = (
        ("Enter", "change"),
        ("Del", "take out"),
        ("p", "you or project"),
        ("Esc", "close"),
        ("l", "load again"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("delete,backspace", "take_out", "Take out of the file"),
        Binding("p", "switch_place", "Keep for you or for this project"),
        Binding("l", "load", "Load the model again"),
    ]

    def __init__(
        self,
        settings: Callable[[], Sequence[Setting]],
        files: tuple[str, str],
        brush: Brush,
        *,
        change: Change,
        load: Callable[[], None],
    ) -> None:
        """`settings` gives what is in force now; `files` are where the person's settings are kept and the project's."""
        super().__init__(brush)
        self._read = settings
        self._settings = settings()
        self._files = files
        self._project = False
        self._change = change
        self._load = load
        self._said = ""

    def heading(self) -> str:
        whose = "for this project" if self._project else "for you"
        return f"settings · kept {whose} in {safe_line(self._files[self._project])}"

    def lines(self, width: int) -> list[Text]:
        names = max((len(setting.name) for setting in self._settings), default=0) if width >= _WIDE else 0
        return [setting_line(setting, width, self.brush, names) for setting in self._settings]

    def below(self) -> ComposeResult:
        yield Static("", classes="about", markup=False)

    def show_lines(self) -> None:
        super().show_lines()
        self._show_about()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self._show_about()

    def _show_about(self) -> None:
        setting, palette = self._chosen, self.brush.palette
        if setting is None:
            return
        about = Text(end="")
        if self._said:
            about.append(f"{safe_line(self._said)}\n", palette.ok)
        about.append(safe_line(setting.description), palette.text)
        about.append(f"\n{safe_line(setting.expected)}; a new value counts {setting.applies}", palette.muted)
        about.append(f"\nnow from {safe_line(setting.origin)}", palette.muted)
        self.query_one(".about", Static).update(about)

    @property
    def _chosen(self) -> Setting | None:
        return self._settings[self.at] if self.at is not None else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        setting = self._settings[event.option_index]
        self.app.push_screen(ValuePanel(setting, self._keep, self.brush))

    async def _keep(self, name: str, text: str) -> None:
        self._said = await self._change(name, text, self._project)
        self._settings = self._read()
        if self.is_attached:
            self.show_lines()

    def action_take_out(self) -> None:
        if (setting := self._chosen) is not None:
            self.run_worker(self._take_out(setting.name), exit_on_error=False)

    async def _take_out(self, name: str) -> None:
        try:
            await self._keep(name, "")
        except Exception as error:
            self.notify(str(error), markup=False, severity="warning")

    def action_switch_place(self) -> None:
        self._project = not self._project
        self.set_heading(self.heading())

    def action_load(self) -> None:
        self.dismiss(None)
        self._load()


class ValuePanel(Sturdy, ModalScreen[None]):
    """Asks for another value, at the foot of the screen. It stays until the value is kept or the person leaves it."""

    DEFAULT_CSS = """
    ValuePanel {
        background: transparent;
        align: left bottom;
        & > Vertical { height: auto; max-height: 90%; background: $panel; padding: 0 1; }
        & Input, & Input:focus { border: none; height: 1; background: $background; padding: 0 1; }
        & OptionList, & OptionList:focus {
            border: none; padding: 0; height: auto; background: $background; background-tint: transparent;
            scrollbar-size-vertical: 1;
        }
        & OptionList { max-height: 8; }
        & OptionList > .option-list--option { padding: 0 1; }
        & OptionList > .option-list--option-highlighted,
        & OptionList:focus > .option-list--option-highlighted {
            background: $primary 25%; color: $foreground; text-style: none;
        }
        & Static { height: auto; }
        & .wrong { color: $error; display: none; }
    }
    """
    AUTO_FOCUS = "Input, OptionList"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back")]

    def __init__(self, setting: Setting, keep: Callable[[str, str], Awaitable[None]], brush: Brush) -> None:
        super().__init__()
        self._setting = setting
        self._keep = keep
        self._brush = brush

    def compose(self) -> ComposeResult:
        setting, palette = self._setting, self._brush.palette
        head = Text(end="")
        head.append(safe_line(setting.name), palette.strong)
        head.append(f": {safe_line(setting.description)}", palette.text)
        with Vertical():
            yield Static(head, markup=False)
            if setting.choices:
                yield Choices(*(Option(Text(choice)) for choice in setting.choices))
            else:
                yield Input(setting.text, placeholder=f"{setting.expected}; empty: taken out of the file")
            yield Static("", classes="wrong", markup=False)
            yield KeysLine((("Enter", "keep it"), ("Esc", "back")), self._brush)

    def on_mount(self) -> None:
        for options in self.query(OptionList):
            if self._setting.text in self._setting.choices:
                options.highlighted = list(self._setting.choices).index(self._setting.text)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        await self._try(event.value)

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        await self._try(self._setting.choices[event.option_index])

    async def _try(self, text: str) -> None:
        try:
            await self._keep(self._setting.name, text)
        except Exception as error:
            wrong = self.query_one(".wrong", Static)
            wrong.display = True
            wrong.update(Text(safe_line(str(error)), end=""))
        else:
            self.dismiss(None)

    def action_back(self) -> None:
        self.dismiss(None)
