"""Completing files and commands."""

import pytest

from roomcode.tui.completion import best, complete, plain_mentions

NAMES = ["index.html", "js/app.js", "js/my notes.txt", "style.css", "docs/index.md"]
COMMANDS = {"help": "keys", "new": "new task", "model": "models"}


def choices(line: str, *, first: bool = True) -> list[str]:
    found = complete(line, NAMES, COMMANDS, first=first)
    return [text for text, _ in found.choices] if found else []


def test_a_file_is_found_by_the_start_of_its_name_then_of_its_last_part() -> None:
    assert choices("look at @ind") == ["@index.html", "@docs/index.md"]
    assert choices("@app") == ["@js/app.js"]
    assert choices("@zzz") == []
    assert choices("@stcss") == ["@style.css"]


def test_a_name_with_spaces_is_quoted() -> None:
    assert choices("@my") == ['@"js/my notes.txt"']
    assert choices('see @"js/my no') == ['@"js/my notes.txt"']


def test_the_text_before_the_mention_stays() -> None:
    found = complete("look at @ind", NAMES, COMMANDS, first=True)
    assert found is not None
    assert found.start == len("look at ")


@pytest.mark.parametrize("line", ["mail@ind", "a b", "", "@ind x"])
def test_no_completion_where_none_is_meant(line: str) -> None:
    assert choices(line) == []


def test_commands_complete_only_at_the_start_of_a_one_line_input() -> None:
    assert choices("/") == ["/help", "/new", "/model"]
    assert choices("/mo") == ["/model"]
    assert choices("/mo", first=False) == []
    assert choices("say /mo") == []


def test_best_takes_names_with_any_characters_literally() -> None:
    assert best("a.*", ["a.*b", "aXb"]) == ["a.*b"]


def test_mentions_of_project_files_are_sent_as_bare_names() -> None:
    text = 'Read @index.html, then @"js/my notes.txt" and mail me@index.html or @nobody.'
    assert plain_mentions(text, NAMES) == "Read index.html, then js/my notes.txt and mail me@index.html or @nobody."
