"""Everything the app can be told by name: `/` commands, which the command palette and the help show too."""

from dataclasses import dataclass

__all__ = ["COMMANDS", "Command", "Typed", "find"]


@dataclass(frozen=True, slots=True)
class Command:
    """`action` is an action of the app."""

    name: str
    help: str
    action: str
    takes: str = ""
    """What the number behind it means, where it takes one."""

    @property
    def usage(self) -> str:
        return f"/{self.name} [N]" if self.takes else f"/{self.name}"


@dataclass(frozen=True, slots=True)
class Typed:
    """A command as it was typed."""

    command: Command
    number: int | None = None

    @property
    def action(self) -> str:
        """As the app runs it."""
        return self.command.action if self.number is None else f"{self.command.action}({self.number})"


COMMANDS: tuple[Command, ...] = (
    Command("help", "all keys and commands", "show('help')"),
    Command("new", "start a new task; files and pages stay", "new_task"),
    Command("files", "changed files: differences, versions, restore", "show('files')"),
    Command("undo", "take back what the last request, or request N, did to the files", "undo", "a request's number"),
    Command("redo", "bring back what the last undo took back", "redo"),
    Command("fork", "go on from before an earlier request, in a new session", "fork"),
    Command("console", "what the served pages wrote to their console", "show('console')"),
    Command("open", "open the page served last in the browser", "open_page"),
    Command("picture", "the picture of the page served last", "picture"),
    Command("mode", "ask before files change, or not", "toggle_mode"),
    Command("model", "choose or fetch a model", "show('models')"),
    Command("sessions", "earlier sessions of this project, to go on with", "show('sessions')"),
    Command("theme", "choose the colours", "themes"),
    Command("settings", "see and change the settings", "show('settings')"),
    Command("quit", "leave roomcode", "leave"),
)


def find(text: str) -> Typed | str | None:
    """The command that a draft means; a sentence when it means none that there is; None when it is a request.

    Only a single line with a single word is a command, or two where it takes a number: pasted text that happens to
    begin with `/` is a request.
    """
    first, *others = text.split() or [""]
    if not first.startswith("/") or "/" in first[1:] or len(first) < 2 or "\n" in text.strip():
        return None
    name = first[1:].lower()
    command = next((command for command in COMMANDS if command.name == name), None)
    if command is None:
        return None if others else f"There is no command {first}. /help lists them."
    if not others:
        return Typed(command)
    if not command.takes or len(others) > 1:
        return None
    number = others[0].removeprefix("#")
    if not number.isdecimal() or len(number) > 9:
        return f"{first} takes {command.takes}, not {others[0]}; /files shows it beside each version."
    return Typed(command, int(number))
