"""Which drafts are commands."""

from pathlib import Path

import pytest

from roomcode.tui.app import RoomcodeApp
from roomcode.tui.commands import COMMANDS, Typed, find


def test_a_known_word_is_its_command() -> None:
    for command in COMMANDS:
        assert find(f"/{command.name}") == Typed(command)
    assert isinstance(find(" /HELP "), Typed)


def test_an_unknown_word_is_named() -> None:
    assert find("/nonsense") == "There is no command /nonsense. /help lists them."


@pytest.mark.parametrize(
    "text",
    ["/new\nline two", "/etc/hosts", "/ ", "", "make /new", "/new page please", "!ls", "/undo the footer", "/redo 3"],
)
def test_requests_that_begin_with_a_slash_are_requests(text: str) -> None:
    assert find(text) is None


@pytest.mark.parametrize(("text", "number"), [("/undo 12", 12), ("/undo  #3 ", 3), ("/undo", None)])
def test_a_command_may_take_a_number(text: str, number: int | None) -> None:
    typed = find(text)
    assert isinstance(typed, Typed)
    assert (typed.command.name, typed.number) == ("undo", number)
    assert typed.action == ("undo" if number is None else f"undo({number})")


@pytest.mark.parametrize("text", ["/undo x", "/undo -1", "/undo 9999999999", "/undo 1.5"])
def test_what_is_no_number_is_named(text: str) -> None:
    sentence = find(text)
    assert isinstance(sentence, str)
    assert sentence.startswith(f"/undo takes a request's number, not {text.split()[1]};")


def test_every_command_is_an_action_of_the_app() -> None:
    for command in COMMANDS:
        assert hasattr(RoomcodeApp, f"action_{command.action.partition('(')[0]}")
    assert len({command.name for command in COMMANDS}) == len(COMMANDS)


def test_the_readme_lists_every_command() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    missing = [command.usage for command in COMMANDS if f"`{command.usage.replace('[N]', 'N')}`" not in readme]
    assert missing == []
