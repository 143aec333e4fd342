"""The root command: quick, lazy, and right about what the first word means."""

import importlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from roomcode import __version__
from roomcode.cli import COMMANDS, Root, Subcommand, main
from roomcode.config import ConfigError
from roomcode.models import ModelError

HEAVY = (
    "asyncio",
    "msgspec",
    "rich",
    "textual",
    "numpy",
    "tomllib",
    "roomcode.config",
    "roomcode.models",
    "subprocess",
)


class Harness:
    """A root group with pretended subcommands that note how they were called."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.loaded: list[str] = []
        self.does: Callable[[], Any] = lambda: None
        names = ("app", "run")
        self.root = Root(
            "roomcode",
            callback=lambda: None,
            subcommands={name: Subcommand(f"commands.{name}", name, f"Help of {name}.") for name in names},
            load=self._load,
        )

    def _load(self, module: str) -> Any:
        self.loaded.append(module)
        return SimpleNamespace(app=self._command("app"), run=self._command("run"))

    def _command(self, name: str) -> click.Command:
        @click.command(name)
        @click.argument("words", nargs=-1)
        @click.option("--model")
        def command(words: tuple[str, ...], model: str | None) -> Any:
            self.calls.append((name, (*words, model)))
            return self.does()

        return command

    def code(self, *args: str) -> int | None:
        with pytest.raises(SystemExit) as caught:
            main(args, self.root)
        code = caught.value.code
        assert code is None or isinstance(code, int)
        return code


@pytest.fixture
def harness() -> Harness:
    return Harness()


def roomcode(*args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "roomcode", *args], capture_output=True, text=True, check=False)


def test_help_is_quick_and_names_every_command() -> None:
    start = time.monotonic()
    done = roomcode("--help")
    assert time.monotonic() - start < 3
    assert done.returncode == 0
    assert all(f"  {name} " in done.stdout for name in COMMANDS)
    assert done.stderr == ""


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom roomcode.cli import main\ntry:\n    main(['--help'])\n"
        "except SystemExit:\n    print('MODULES', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.partition("MODULES")[2].split())
    assert "click" in loaded
    assert not loaded & set(HEAVY)


def test_the_version() -> None:
    assert roomcode("--version").stdout == f"roomcode, version {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there_and_can_be_asked_for_help(name: str) -> None:
    command = getattr(importlib.import_module(COMMANDS[name].module), COMMANDS[name].name)
    assert isinstance(command, click.Command)
    assert "Usage" in command.get_help(click.Context(command, info_name=name))


def test_no_word_opens_the_app(harness: Harness) -> None:
    assert harness.code() == 0
    assert harness.calls == [("app", (None,))]
    assert harness.loaded == ["commands.app"]


def test_a_folder_opens_the_app_in_it(harness: Harness, tmp_path: Path) -> None:
    assert harness.code(str(tmp_path)) == 0
    assert harness.code("--model", "m", str(tmp_path)) == 0
    assert harness.calls == [("app", (str(tmp_path), None)), ("app", (str(tmp_path), "m"))]


def test_a_command_is_run_and_only_that_is_imported(harness: Harness) -> None:
    assert harness.code("run", "make a page", "--model", "m") == 0
    assert harness.calls == [("run", ("make a page", "m"))]
    assert harness.loaded == ["commands.run"]


@pytest.mark.parametrize(
    ("word", "said"),
    [("rum", "Did you mean `roomcode run`?"), ("nowhere", "is neither a command nor a folder"), ("", "neither")],
)
def test_a_word_that_is_neither_is_a_usage_error(
    harness: Harness, capsys: pytest.CaptureFixture[str], word: str, said: str
) -> None:
    assert harness.code(word) == 2
    assert said in capsys.readouterr().err
    assert harness.calls == []


def test_a_file_is_no_folder(harness: Harness, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("x")
    assert harness.code(str(file)) == 2


def test_an_unknown_option_is_a_usage_error(harness: Harness) -> None:
    assert harness.code("--bogus") == 2
    assert harness.code("run", "--bogus") == 2


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (3, 3), ("text", 0)])
def test_what_a_command_returns_is_the_exit_code(harness: Harness, returned: Any, code: int) -> None:
    harness.does = lambda: returned
    assert harness.code("run") == code


@pytest.mark.parametrize("error", [ModelError("No such model."), ConfigError("No such key.")])
def test_an_expected_error_is_one_line(harness: Harness, capsys: pytest.CaptureFixture[str], error: Exception) -> None:
    def fail() -> None:
        raise error

    harness.does = fail
    assert harness.code("run") == 1
    assert capsys.readouterr().err == f"roomcode: {error}\n"


def test_a_bug_is_not_hidden(harness: Harness) -> None:
    def fail() -> None:
        raise ZeroDivisionError("bug")

    harness.does = fail
    with pytest.raises(ZeroDivisionError):
        main(["run"], harness.root)


def test_ctrl_c_is_130(harness: Harness, capsys: pytest.CaptureFixture[str]) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    harness.does = stop
    assert harness.code("run") == 130
    assert capsys.readouterr().err.strip() == "stopped"


def test_a_reader_that_goes_away_is_no_crash() -> None:
    code = "from roomcode.cli import main; main(['config'])"
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -c "{code}" | head -1'], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
