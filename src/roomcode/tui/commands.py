"""Everything the app can be told by name: `/` commands, which the command palette and the help show too."""

from dataclasses import dataclass

__all__ = ["COMMANDS", "Command", "find"]


@dataclass(frozen=True, slots=True)
class Command:
    """`action` is an action of the app."""

    name: str
    help: str
    action: str


COMMANDS: tuple[Command, ...] = (
    Command("help", "all keys and commands", "help"),
    Command("new", "start a new task; files and pages stay", "new_task"),
    Command("files", "files changed in this session, with their differences", "files"),
    Command("console", "what the served pages wrote to their console", "console"),
    Command("open", "open the page served last in the browser", "open_page"),
    Command("picture", "the picture of the page served last", "picture"),
    Command("mode", "ask before files change, or not", "toggle_mode"),
    Command("model", "choose or fetch a model", "models"),
    Command("sessions", "earlier sessions of this project, to go on with", "sessions"),
    Command("theme", "choose the colours", "themes"),
    Command("settings", "the settings in force and where they come from", "settings"),
    Command("quit", "leave roomcode", "leave"),
)


def find(text: str) -> Command | str | None:
    """The command that a draft means; its word when there is no such command; None when it is no command at all.

    Only a single line with a single word is one: pasted text that happens to begin with `/` is a request.
    """
    word = text.strip()
    if not word.startswith("/") or "\n" in word or " " in word or "/" in word[1:] or len(word) < 2:
        return None
    name = word[1:].lower()
    return next((command for command in COMMANDS if command.name == name), word)
