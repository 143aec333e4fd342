"""Which drafts are commands."""

import pytest

from roomcode.tui.commands import COMMANDS, Command, find


def test_a_known_word_is_its_command() -> None:
    for command in COMMANDS:
        assert find(f"/{command.name}") is command
    assert isinstance(find(" /HELP "), Command)


def test_an_unknown_word_is_named() -> None:
    assert find("/nonsense") == "/nonsense"


@pytest.mark.parametrize("text", ["/new\nline two", "/etc/hosts", "/ ", "", "make /new", "/new page please", "!ls"])
def test_requests_that_begin_with_a_slash_are_requests(text: str) -> None:
    assert find(text) is None


def test_every_command_is_an_action_of_the_app() -> None:
    from roomcode.tui.app import RoomcodeApp

    for command in COMMANDS:
        assert hasattr(RoomcodeApp, f"action_{command.action}")
