"""Scrolling, choosing, unfolding, opening and copying in the timeline."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from roomcode.protocol.display import FileChange, PageReport
from roomcode.protocol.events import Call, CallOpened, Event, RequestStarted, Result, Text
from roomcode.tui.app import RoomcodeApp
from roomcode.tui.items import Answer, Card
from roomcode.tui.opening import Opener
from roomcode.tui.replay import ReplayBackend

Until = Callable[[Callable[[], object]], Any]
Running = Callable[..., Any]


def app_of(pilot: Pilot[Any]) -> RoomcodeApp:
    assert isinstance(pilot.app, RoomcodeApp)
    return pilot.app


def read(call: str, path: str = "index.html", lines: int = 9) -> list[Event]:
    text = "\n".join(f"{call} line {n}" for n in range(lines))
    return [
        CallOpened(call=call, tool="read_file"),
        Call(call=call, tool="read_file", arguments={"path": path}),
        Result(call=call, tool="read_file", state="ok", text=text),
    ]


def long_past(cards: int = 40) -> list[Event]:
    past: list[Event] = [RequestStarted(request=1, prompt="look", model="m", form="xml")]
    for number in range(cards):
        past += read(f"1.1.{number}")
        past.append(Text(text=f"answer {number}"))
    return past


def screen_text(app: RoomcodeApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


async def test_the_end_is_followed_while_it_grows(running: Running, until: Until) -> None:
    backend = ReplayBackend(past=long_past())
    async with running(backend) as pilot:
        app = app_of(pilot)
        assert "answer 39" in screen_text(app)
        for number in range(30):
            backend.emit(Text(text=f"more {number}\n\n"))
        await until(lambda: "more 29" in screen_text(app))
        assert app.timeline.following


async def test_it_stays_put_when_the_person_has_scrolled_up(running: Running, until: Until) -> None:
    backend = ReplayBackend(past=long_past())
    async with running(backend) as pilot:
        app = app_of(pilot)
        await pilot.press("pageup", "pageup")
        await until(lambda: app.displays.jump.display)
        before = [line[:79].rstrip() for line in screen_text(app).splitlines()[:15]]
        for number in range(30):
            backend.emit(Text(text=f"more {number}\n\n"))
        await pilot.pause(0.3)
        assert [line[:79].rstrip() for line in screen_text(app).splitlines()[:15]] == before
        assert not app.timeline.following
        await pilot.press("ctrl+end")
        await until(lambda: "more 29" in screen_text(app))
        assert not app.displays.jump.display


async def test_scrolling_to_the_end_follows_again(running: Running, until: Until) -> None:
    async with running(ReplayBackend(past=long_past())) as pilot:
        app = app_of(pilot)
        await pilot.press("pageup")
        await until(lambda: not app.timeline.following)
        await pilot.press("pagedown")
        await until(lambda: app.timeline.following)


async def test_the_whole_history_can_be_scrolled_through(running: Running, until: Until) -> None:
    async with running(ReplayBackend(past=long_past(60)), size=(60, 20)) as pilot:
        app = app_of(pilot)
        seen = set()
        await pilot.press("tab", "home")
        await until(lambda: app.timeline.scroll_offset.y == 0)
        for _ in range(80):
            seen |= {line.strip() for line in screen_text(app).splitlines() if line.strip().startswith("answer")}
            if app.timeline.following:
                break
            app.timeline.action_page(1)
            await pilot.pause()
        assert {line.split()[1] for line in seen} == {str(n) for n in range(60)}


async def test_a_resize_keeps_the_end_in_view(running: Running, until: Until) -> None:
    async with running(ReplayBackend(past=long_past())) as pilot:
        app = app_of(pilot)
        for size in ((40, 12), (120, 40), (20, 8), (80, 24)):
            await pilot.resize_terminal(*size)
            await until(lambda: app.timeline.settled)
            assert app.timeline.following
            assert app.timeline.scroll_offset.y == app.timeline.max_scroll_y
            assert "lists" in screen_text(app)


async def test_cards_are_chosen_and_unfolded_by_keys(running: Running, until: Until) -> None:
    async with running(ReplayBackend(past=[*long_past(3), *read("9.9.9", lines=12)])) as pilot:
        app = app_of(pilot)
        await pilot.press("tab")
        await until(lambda: isinstance(app.timeline.chosen, Card))
        assert "9.9.9 line 11" not in screen_text(app)
        await pilot.press("enter")
        await until(lambda: "9.9.9 line 11" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: "9.9.9 line 11" not in screen_text(app))
        await pilot.press("up")
        assert isinstance(app.timeline.chosen, Answer)
        await pilot.press("up")
        card = app.timeline.chosen
        assert isinstance(card, Card)
        assert card.call == "1.1.2"
        await pilot.press("down", "j")
        card = app.timeline.chosen
        assert isinstance(card, Card)
        assert card.call == "9.9.9"
        await pilot.press("tab")
        assert app.prompt.has_focus


async def test_esc_leads_back_to_the_input(running: Running) -> None:
    async with running(ReplayBackend(past=long_past(3))) as pilot:
        await pilot.press("tab", "escape")
        assert app_of(pilot).prompt.has_focus


async def test_o_opens_the_file_or_the_served_page(running: Running, until: Until, project: Path) -> None:
    opened: list[str] = []
    page = PageReport("http://127.0.0.1:5173/", 5173, "", "clean")
    past = [*read("1"), Result(call="2", tool="serve", state="ok", text="", display=page)]
    backend = ReplayBackend(project=project, past=past)
    opener = Opener(lambda target: not opened.append(target))
    async with running(backend, opener=opener) as pilot:
        await pilot.press("tab", "o", "up", "o")
        await until(lambda: len(opened) == 2)
        assert opened == ["http://127.0.0.1:5173/", str(project / "index.html")]


async def test_nothing_outside_of_the_project_is_opened(running: Running, project: Path) -> None:
    opened: list[str] = []
    (project.parent / "secret.txt").write_text("x")
    past = [*read("1", "../secret.txt"), *read("2", "/etc/hosts"), *read("3", "missing.html"), *read("4", "")]
    opener = Opener(lambda target: not opened.append(target))
    async with running(ReplayBackend(project=project, past=past), opener=opener) as pilot:
        await pilot.press("tab", "o", "up", "o", "up", "o", "up", "o")
        assert opened == []


async def test_where_nothing_can_be_opened_the_address_is_copied(running: Running, until: Until) -> None:
    async with running(ReplayBackend(served={5173: ()}), opener=Opener(lambda _: False)) as pilot:
        app = app_of(pilot)
        await pilot.press("f5")
        await until(lambda: app.clipboard)
        assert app.clipboard == "http://127.0.0.1:5173/"


async def test_c_copies_the_text_of_an_item(running: Running, until: Until) -> None:
    async with running(ReplayBackend(past=[Text(text="copy **me**")])) as pilot:
        app = app_of(pilot)
        await pilot.press("tab", "c")
        await until(lambda: app.clipboard)
        assert app.clipboard == "copy me"


async def test_text_is_selected_and_copied_with_the_mouse(running: Running, until: Until) -> None:
    async with running(ReplayBackend(past=[Text(text="one two three")])) as pilot:
        app = app_of(pilot)
        row = next(y for y, line in enumerate(screen_text(app).splitlines()) if "one two" in line)
        await pilot.mouse_down("#timeline", offset=(2, row))
        await pilot.hover("#timeline", offset=(9, row))
        await pilot.mouse_up("#timeline", offset=(9, row))
        await pilot.pause()
        assert (app.screen.get_selected_text() or "").strip().startswith("one two")


async def test_a_click_chooses_and_a_second_one_unfolds(running: Running, until: Until) -> None:
    async with running(ReplayBackend(past=read("1.1.1"))) as pilot:
        app = app_of(pilot)
        row = next(y for y, line in enumerate(screen_text(app).splitlines()) if "read_file" in line)
        await pilot.click("#timeline", offset=(10, row))
        await until(lambda: app.timeline.chosen is not None)
        assert "1.1.1 line 8" not in screen_text(app)
        await pilot.click("#timeline", offset=(10, row))
        await until(lambda: "1.1.1 line 8" in screen_text(app))


async def test_only_what_is_near_the_view_is_drawn(running: Running) -> None:
    """A long history costs as much as a short one: off-screen items are measured in the background, not at once."""
    drawn: list[str] = []
    async with running(ReplayBackend(past=long_past(2_000))) as pilot:
        app = app_of(pilot)
        original = app.timeline.drawings.draw

        def counting(item: Any, width: int, brush: Any, *, chosen: bool = False) -> Any:
            drawn.append(type(item).__name__)
            return original(item, width, brush, chosen=chosen)

        app.timeline.drawings.draw = counting
        app.timeline.sync([app.story.items[-1]])
        assert len(drawn) < 40


async def test_changed_files_are_known_to_the_person(running: Running, until: Until) -> None:
    past = [Result(call="1", tool="write_file", state="ok", text="", display=FileChange("a.js", None, "let a\n"))]
    async with running(ReplayBackend(past=past)) as pilot:
        app = app_of(pilot)
        await pilot.press("f2")
        await until(lambda: len(app.screen_stack) == 2 and "a.js" in screen_text(app))
        assert "let a" in screen_text(app)


async def test_streaming_while_scrolled_up_costs_no_drawing(running: Running) -> None:
    backend = ReplayBackend(past=long_past())
    async with running(backend) as pilot:
        app = app_of(pilot)
        await pilot.press("pageup", "pageup", "pageup")
        await pilot.pause(0.5)
        before = app.timeline.scroll_offset
        for number in range(50):
            backend.emit(Text(text=f"more {number} "))
            await asyncio.sleep(0)
        await pilot.pause(0.2)
        assert app.timeline.scroll_offset == before
