"""The `roomcode` command: finds the subcommand, imports only that, and turns its end into an exit code.

Exit codes: 0 done, 1 error, 2 wrong usage, 3 limit, stuck or context full, 130 stopped.
"""

import difflib
import importlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import click

import roomcode

__all__ = ["COMMANDS", "Root", "Subcommand", "main", "root"]

ERROR, STOPPED = 1, 130


class Subcommand(NamedTuple):
    """Where a subcommand lives: `name` is an attribute of `module` (a click command)."""

    module: str
    name: str
    help: str
    """One line, kept here so that `--help` does not import the module."""


COMMANDS: dict[str, Subcommand] = {
    "app": Subcommand("roomcode.commands.app", "app", "Open the app in a folder (also without the word `app`)."),
    "run": Subcommand("roomcode.commands.run", "run", "Run one request without the app."),
    "sessions": Subcommand("roomcode.commands.sessions", "sessions", "List and read sessions."),
    "models": Subcommand("roomcode.commands.models", "models", "List, fetch and inspect models."),
    "files": Subcommand("roomcode.commands.files", "files", "Versions of files that the agent changed."),
    "undo": Subcommand("roomcode.commands.files", "undo", "Take back the files of the last request."),
    "redo": Subcommand("roomcode.commands.files", "redo", "Bring back what `undo` took back."),
    "preview": Subcommand("roomcode.commands.preview", "preview", "Open a page in the preview browser."),
    "config": Subcommand("roomcode.commands.config", "config", "Show each setting and where it comes from."),
    "doctor": Subcommand("roomcode.commands.doctor", "doctor", "Check this machine and say what to mend."),
}
APP = "app"


class Root(click.Group):
    """The root group. A first word that is no command but a folder, an option, or nothing at all opens the app.

    `load` imports a module by name; it is called for the one subcommand that is used.
    """

    def __init__(
        self,
        *args: Any,
        subcommands: Mapping[str, Subcommand] = COMMANDS,
        load: Callable[[str], Any] = importlib.import_module,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.subcommands = subcommands
        self.load = load

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.subcommands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        subcommand = self.subcommands.get(cmd_name)
        if subcommand is None:
            return None
        command: click.Command = getattr(self.load(subcommand.module), subcommand.name)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {option for parameter in self.get_params(ctx) for option in parameter.opts}
        if not args or (args[0] not in self.subcommands and args[0] not in own):
            if args and not args[0].startswith("-") and not os.path.isdir(args[0]):
                raise click.UsageError(_neither(args[0], self.subcommands), ctx)
            args = [APP, *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, subcommand.help) for name, subcommand in self.subcommands.items()])

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "[DIR] | COMMAND [ARGS]...")


def _neither(word: str, names: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(names), n=1)
    guess = f" Did you mean `roomcode {close[0]}`?" if close else ""
    return f"{word!r} is neither a command nor a folder.{guess}"


@click.command(
    cls=Root,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="`roomcode COMMAND --help` says more; `roomcode app --help` lists the options of the app.",
)
@click.version_option(roomcode.__version__, prog_name="roomcode")
def root() -> None:
    """A coding agent in the terminal, on a model that runs on this machine.

    `roomcode` opens the app in the current folder, `roomcode DIR` in another one.
    """


def main(args: Sequence[str] | None = None, command: click.Command = root) -> NoReturn:
    """Run `roomcode` and leave with its exit code. A subcommand may return an exit code, or None for 0."""
    try:
        code = command.main(list(sys.argv[1:] if args is None else args), prog_name="roomcode", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(STOPPED)
    except BrokenPipeError:
        # The reader of our output has gone (`roomcode models | head`). Python would complain again while it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(ERROR)
    except Exception as error:
        if not _is_expected(error):
            raise
        click.echo(f"roomcode: {error}", err=True)
        sys.exit(ERROR)
    sys.exit(code if isinstance(code, int) else 0)


def _is_expected(error: Exception) -> bool:
    """Whether the error is a sentence for the person, not a bug. Imports late: only a failing command pays for it."""
    from roomcode.config import ConfigError
    from roomcode.models.errors import ModelError
    from roomcode.protocol.engine import EngineError
    from roomcode.session.errors import SessionError

    return isinstance(error, (ConfigError, ModelError, EngineError, SessionError))
