"""Settings that are changed in the app."""

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from roomcode.tui.app import RoomcodeApp
from roomcode.tui.foreign import is_safe
from roomcode.tui.replay import ReplayBackend
from roomcode.tui.screens.settings import SettingsPanel, ValuePanel

Until = Callable[[Callable[[], object]], Any]
Running = Callable[..., Any]

NASTY = "[bold]x[/] [@click=app.quit]y[/] \x1b[2J\x07 \u202e"


def app_of(pilot: Pilot[Any]) -> RoomcodeApp:
    assert isinstance(pilot.app, RoomcodeApp)
    return pilot.app


def screen_text(app: RoomcodeApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


async def settings(pilot: Pilot[Any], until: Until, *, at: int = 0) -> RoomcodeApp:
    """The app with the panel open and one of the settings chosen."""
    app = app_of(pilot)
    await pilot.press("f7")
    await until(lambda: isinstance(app.screen, SettingsPanel) and app.screen.query_one(OptionList).option_count)
    await pilot.press(*["down"] * at)
    await pilot.pause()
    return app


async def asked(pilot: Pilot[Any], until: Until) -> None:
    await pilot.press("enter")
    await until(lambda: isinstance(pilot.app.screen, ValuePanel) and pilot.app.screen.focused)


async def test_each_setting_says_what_it_is_and_where_it_comes_from(running: Running, until: Until) -> None:
    backend = ReplayBackend(values={"mode": "ask", "temperature": "0.7"})
    async with running(backend) as pilot:
        app = await settings(pilot, until, at=1)
        text = screen_text(app)
        assert "kept for you in /home/ann/config.toml" in text
        assert "how freely words are chosen" in text
        assert "a right value; a new value counts at once" in text
        assert "now from /home/ann/config.toml" in text


async def test_a_value_is_typed_and_kept(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        app = await settings(pilot, until, at=1)
        await asked(pilot, until)
        await pilot.press(*"0.5", "enter")
        await until(
            lambda: isinstance(app.screen, SettingsPanel) and "temperature is 0.5, at once." in screen_text(app)
        )
        assert backend.changed_settings == [("temperature", "0.5", False)]
        assert '"0.5"' in screen_text(app)
        assert app.screen.query_one(OptionList).highlighted == 1


async def test_few_values_are_a_list_with_the_present_one_chosen(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        app = await settings(pilot, until)
        await asked(pilot, until)
        assert app.screen.query_one(OptionList).highlighted == 0
        await pilot.press("down", "enter")
        await until(lambda: backend.changed_settings == [("mode", "auto", False)])
        await until(lambda: isinstance(app.screen, SettingsPanel))
        await pilot.press("escape")
        await until(lambda: len(app.screen_stack) == 1)
        assert "auto" in str(app.displays.status.render())


async def test_a_wrong_value_is_one_sentence_and_what_was_typed_stays(running: Running, until: Until) -> None:
    backend = ReplayBackend(setting_error=ValueError(f"This: temperature must be a number, {NASTY}."))
    async with running(backend) as pilot:
        app = await settings(pilot, until, at=1)
        await asked(pilot, until)
        await pilot.press(*"hot", "enter")
        await until(lambda: "temperature must be a number" in screen_text(app))
        assert all(is_safe(line) for line in screen_text(app).split("\n"))
        assert app.screen.query_one(Input).value == "hot"
        await pilot.press(*["backspace"] * 3, "1", "enter")
        await until(lambda: backend.changed_settings == [("temperature", "1", False)])


async def test_esc_keeps_nothing(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        app = await settings(pilot, until, at=1)
        await asked(pilot, until)
        await pilot.press(*"0.5", "escape")
        await until(lambda: isinstance(app.screen, SettingsPanel))
        assert backend.changed_settings == []


async def test_p_keeps_it_for_the_project_and_delete_takes_it_out(running: Running, until: Until) -> None:
    backend = ReplayBackend(values={"mode": "ask", "temperature": "0.7"})
    async with running(backend, size=(120, 30)) as pilot:
        app = await settings(pilot, until, at=1)
        await pilot.press("p")
        await until(lambda: "kept for this project in /project/.roomcode/config.toml" in screen_text(app))
        await pilot.press("delete")
        await until(lambda: backend.changed_settings == [("temperature", "", True)])
        await until(lambda: "unset" in screen_text(app))
        await pilot.press("p")
        await until(lambda: "kept for you" in screen_text(app))
        backend.setting_error = ValueError("It cannot be written.")
        await pilot.press("backspace")
        await until(lambda: any(note.message == "It cannot be written." for note in app._notifications))


async def test_a_theme_is_chosen_from_those_there_are_and_shown_at_once(running: Running, until: Until) -> None:
    backend = ReplayBackend(values={"theme": ""})
    async with running(backend) as pilot:
        app = await settings(pilot, until)
        await asked(pilot, until)
        names = sorted(app.available_themes)
        await pilot.press(*["down"] * names.index("nord"), "enter")
        await until(lambda: app.theme == "nord")
        assert backend.changed_settings == [("theme", "nord", False)]


async def test_l_loads_the_model_again(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        app = await settings(pilot, until)
        await pilot.press("l")
        await until(lambda: backend.loads == ["", ""])
        assert len(app.screen_stack) == 1


@pytest.mark.parametrize("size", [(40, 12), (20, 8)])
async def test_a_small_terminal_shows_and_changes_settings(
    running: Running, until: Until, size: tuple[int, int]
) -> None:
    backend = ReplayBackend(values={NASTY: NASTY, "temperature": "0.7"})
    async with running(backend, size=size) as pilot:
        app = await settings(pilot, until)
        assert all(is_safe(line) for line in screen_text(app).split("\n"))
        await pilot.press("down")
        await asked(pilot, until)
        await pilot.resize_terminal(60, 14)
        await pilot.press("1", "enter")
        await until(lambda: backend.changed_settings == [("temperature", "1", False)])
        assert all(is_safe(line) for line in screen_text(app).split("\n"))


@pytest.mark.parametrize(("theme", "reversed_lines"), [("ansi-dark", [False, True]), ("roomcode", [False, False])])
async def test_without_mixed_colours_the_chosen_line_is_reversed(
    running: Running, until: Until, theme: str, reversed_lines: list[bool]
) -> None:
    async with running(ReplayBackend(), theme=theme) as pilot:
        app = await settings(pilot, until, at=1)
        choices = app.screen.query_one(OptionList)
        lines = [choices.render_line(y) for y in range(2)]
        assert [all(bool(s.style and s.style.reverse) for s in line) for line in lines] == reversed_lines
