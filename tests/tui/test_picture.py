"""The picture of a page: which one, how it is drawn, and that it goes away again."""

import asyncio
import base64
import io
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from textual.pilot import Pilot

from roomcode.protocol.display import PageReport
from roomcode.protocol.events import Call, Result
from roomcode.tui.app import RoomcodeApp
from roomcode.tui.graphics import fitted, half_blocks, iterm, kitty, opened, sixel, spots
from roomcode.tui.pictures import page_pictured, picture_missing
from roomcode.tui.plain import Plain
from roomcode.tui.replay import ReplayBackend
from roomcode.tui.screens.picture import PicturePanel, prepared
from roomcode.tui.story import Story
from roomcode.tui.terminal import Graphics, Terminal

Running = Callable[..., Any]
Until = Callable[[Callable[[], object]], Any]


def png(size: tuple[int, int] = (64, 40), colours: tuple[str, str] = ("red", "blue")) -> bytes:
    """The left half in one colour, the right half in another."""
    image = Image.new("RGB", size, colours[0])
    image.paste(colours[1], (size[0] // 2, 0, *size))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def served(call: str, port: int, screenshot: str) -> list[Any]:
    page = PageReport(f"http://127.0.0.1:{port}/", port, "A page", "clean", screenshot=screenshot)
    return [
        Call(call=call, tool="serve", arguments={"path": ".", "port": port}),
        Result(call=call, tool="serve", state="ok", text="", display=page),
    ]


def story_of(*events: Any) -> Story:
    story = Story()
    for event in events:
        story.apply(event)
    return story


def test_the_chosen_cards_page_is_shown_else_the_last_one_that_has_a_picture() -> None:
    story = story_of(*served("1", 5173, "/a.png"), *served("2", 5174, "/b.png"), *served("3", 5175, ""))
    first, second, third = (story.card(call) for call in "123")
    assert first
    assert second
    assert third
    assert page_pictured(story, first) is first.display
    assert page_pictured(story, third) is third.display
    assert page_pictured(story) is second.display
    assert page_pictured(Story()) is None
    story.clear()
    assert page_pictured(story) is second.display


def test_why_there_is_no_picture_is_said_in_one_sentence(tmp_path: Path) -> None:
    there = tmp_path / "a.png"
    there.write_bytes(png())
    page = PageReport("http://127.0.0.1:5173/", 5173, "", "clean", screenshot=str(there))
    assert picture_missing(page) == ""
    there.unlink()
    assert "cleared away" in picture_missing(page)
    assert "no browser" in picture_missing(PageReport("http://127.0.0.1:5173/", 5173, "", "no_browser"))
    assert "no picture yet" in picture_missing(None)


@given(
    st.tuples(st.integers(1, 9_000), st.integers(1, 9_000)),
    st.tuples(st.integers(1, 400), st.integers(1, 200)),
    st.tuples(st.integers(1, 40), st.integers(1, 80)),
)
def test_a_picture_always_fits_and_touches_an_edge(
    picture: tuple[int, int], room: tuple[int, int], cell: tuple[int, int]
) -> None:
    columns, rows = fitted(picture, room, cell)
    assert 1 <= columns <= room[0]
    assert 1 <= rows <= room[1]
    assert columns == room[0] or rows == room[1]


def test_proportions_are_kept() -> None:
    assert fitted((1280, 800), (120, 40), (10, 20)) == (120, 38)
    assert fitted((1280, 800), (120, 20), (10, 20)) == (64, 20)


def test_half_blocks_hold_two_pixels_a_cell() -> None:
    image = opened(png((4, 4)))
    lines = half_blocks(image, 4, 2)
    assert [line.text for line in lines] == ["████", "████"]
    assert [segment.text for segment in lines[0]] == ["██", "██"]
    image.paste("white", (0, 0, 4, 1))
    assert half_blocks(image, 4, 2)[0].text == "▀▀▀▀"


def test_without_colour_dark_and_light_can_be_told_apart() -> None:
    image = opened(png((64, 40), ("black", "white")))
    lines = spots(image, 8, 4)
    assert [line.text for line in lines] == ["⠀⠀⠀⠀⣿⣿⣿⣿"] * 4
    assert all(not segment.style for line in lines for segment in line)
    for ink, paper in (("black", "white"), ("white", "black")):
        image.paste(paper, (0, 0, 64, 40))
        image.paste(ink, (8, 0, 16, 40))
        assert spots(image, 8, 4)[0].text == "⠀⣿⠀⠀⠀⠀⠀⠀"


def test_transparent_parts_are_white_and_what_is_no_picture_is_refused() -> None:
    file = io.BytesIO()
    Image.new("RGBA", (2, 2), (0, 0, 0, 0)).save(file, "PNG")
    assert opened(file.getvalue()).getpixel((0, 0)) == (255, 255, 255)
    for wrong in (b"", b"GIF89a", png()[:60], b"<svg/>"):
        with pytest.raises((OSError, ValueError)):
            opened(wrong)


def test_kitty_gets_the_png_in_pieces_that_it_takes() -> None:
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 255, (90, 90, 3), dtype=np.uint8))
    file = io.BytesIO()
    noise.save(file, "PNG")
    data = file.getvalue()
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", kitty(data, 30, 10))
    assert len(pieces) > 2
    assert base64.b64decode("".join(payload for _, payload in pieces)) == data
    assert all(len(payload) <= 4_096 for _, payload in pieces)
    assert {"c=30", "r=10", "f=100", "C=1", "m=1"} <= set(pieces[0][0].split(","))
    assert [head.rpartition("m=")[2] for head, _ in pieces] == [*"1" * (len(pieces) - 1), "0"]


def test_iterm_gets_the_png_with_its_size_in_cells() -> None:
    data = png()
    sent = re.fullmatch(r"\x1b\]1337;File=([^:]*):([^\x07]*)\x07", iterm(data, 30, 10))
    assert sent
    assert {"inline=1", "width=30", "height=10", f"size={len(data)}"} <= set(sent[1].split(";"))
    assert base64.b64decode(sent[2]) == data


def unpacked(sequence: str) -> Image.Image:
    """What a terminal makes of a sixel sequence."""
    body = re.fullmatch(r'\x1bP[\d;]*q"1;1;(\d+);(\d+)(.*)\x1b\\', sequence)
    assert body
    width, height = int(body[1]), int(body[2])
    pixels = np.zeros((height + 6, width, 3), dtype=np.uint8)
    colours: dict[str, tuple[int, ...]] = {}
    colour, x, top = "", 0, 0
    for token in re.finditer(r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)(.)|([$-])|(.)", body[3]):
        number, *rgb, use, count, many, move, one = token.groups()
        if number is not None:
            colours[number] = tuple(int(part) * 255 // 100 for part in rgb)
        elif use is not None:
            colour = use
        elif move is not None:
            x, top = 0, top + (6 if move == "-" else 0)
        else:
            times, bits = int(count or 1), ord(many or one) - 63
            assert 0 <= bits < 64
            for row in range(6):
                if bits >> row & 1:
                    pixels[top + row, x : x + times] = colours[colour]
            x += times
            assert x <= width
    return Image.fromarray(pixels[:height])


@pytest.mark.parametrize("size", [(64, 40), (63, 41), (7, 5), (1, 1), (300, 6)])
def test_a_sixel_terminal_shows_the_picture(size: tuple[int, int]) -> None:
    image = opened(png((300, 200), ("#ff0000", "#0000ff")))
    shown = np.asarray(unpacked(sixel(image, size))).astype(int)
    wanted = np.asarray(image.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)).astype(int)
    assert np.abs(shown - wanted).max() <= 12


def app_of(pilot: Pilot[Any]) -> RoomcodeApp:
    assert isinstance(pilot.app, RoomcodeApp)
    return pilot.app


def screen_text(app: RoomcodeApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 12), (20, 8)])
async def test_p_shows_the_picture_and_esc_closes_it(
    running: Running, until: Until, tmp_path: Path, size: tuple[int, int]
) -> None:
    (tmp_path / "a.png").write_bytes(png((1280, 800)))
    backend = ReplayBackend(past=served("1", 5173, str(tmp_path / "a.png")))
    async with running(backend, size=size) as pilot:
        app = app_of(pilot)
        await pilot.press("tab", "p")
        await until(lambda: isinstance(app.screen, PicturePanel) and app.screen.picture.ready)
        await pilot.pause()
        lines = [line for line in screen_text(app).split("\n") if "█" in line]
        assert len(lines) == fitted((1280, 800), app.screen.picture.size, (10, 20))[1]
        assert app.screen.picture.size.height >= size[1] - 3
        assert "picture of :5173" in screen_text(app)
        await pilot.resize_terminal(60, 20)
        await until(lambda: max(len(line.strip()) for line in screen_text(app).split("\n") if "█" in line) <= 60)
        await pilot.press("escape")
        await until(lambda: len(app.screen_stack) == 1)
        assert "█" not in screen_text(app)
        await pilot.press("i", "p")
        assert app.prompt.text == "p"


async def test_without_a_picture_it_says_so(running: Running, until: Until) -> None:
    for past, said in (([], "no picture yet"), (served("1", 5173, "/nowhere/x.png"), "cleared away")):
        async with running(ReplayBackend(past=past), size=(100, 24)) as pilot:
            app = app_of(pilot)
            app.prompt.text = "/picture"
            await pilot.press("enter")
            await until(lambda app=app: app._notifications)
            assert [note.message for note in app._notifications if said in note.message]
            assert len(app.screen_stack) == 1


async def test_a_damaged_picture_is_one_sentence(running: Running, until: Until, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"not a picture")
    async with running(ReplayBackend(past=served("1", 5173, str(tmp_path / "a.png")))) as pilot:
        app = app_of(pilot)
        await pilot.press("tab", "p")
        await until(lambda: "cannot be shown" in screen_text(app))
        await pilot.press("escape")
        assert len(app.screen_stack) == 1


@pytest.mark.parametrize(
    ("graphics", "shown", "gone"),
    [("kitty", "\x1b_Ga=T", "\x1b_Ga=d"), ("iterm", "\x1b]1337;File=", ""), ("sixel", "\x1bP0;1;0q", "")],
)
async def test_a_protocol_draws_once_more_after_each_drawing_and_takes_away_what_stays(
    running: Running, until: Until, tmp_path: Path, graphics: Graphics, shown: str, gone: str
) -> None:
    (tmp_path / "a.png").write_bytes(png((1280, 800)))
    sent: list[str] = []

    class Recording(RoomcodeApp):
        def write_to_terminal(self, data: str) -> None:
            sent.append(data)

    backend = ReplayBackend(past=served("1", 5173, str(tmp_path / "a.png")))
    async with running(backend, terminal=Terminal(graphics=graphics), kind=Recording) as pilot:
        app = app_of(pilot)
        await pilot.press("tab", "p")
        await until(lambda: any(shown in data for data in sent))
        place = re.match(r"\x1b7\x1b\[(\d+);(\d+)H", sent[-1])
        assert place
        assert (int(place[1]), int(place[2])) == (2, 6)
        assert sent[-1].endswith("\x1b8")
        before = len(sent)
        app.refresh(layout=True)
        await until(lambda: len(sent) > before and shown in sent[-1])
        await pilot.press("escape")
        await until(lambda: len(app.screen_stack) == 1)
        await pilot.pause()
        assert sent[-1].startswith(gone) if gone else shown in sent[-1]


def test_a_sixel_picture_is_never_larger_than_what_terminals_take() -> None:
    drawn = prepared(png((1280, 800)), (300, 100), Terminal(graphics="sixel"), (11, 22))
    assert (drawn.columns, drawn.rows) == (90, 28)
    assert unpacked(drawn.sequence).size == (990, 616)


def test_a_real_screenshot_is_ready_soon() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (800, 1280, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "PNG")
    for graphics in ("blocks", "dots", "sixel", "kitty", "iterm"):
        began = time.process_time()
        drawn = prepared(file.getvalue(), (120, 38), Terminal(graphics=graphics), None)
        assert drawn.columns == (100 if graphics == "sixel" else 120)
        assert bool(drawn.strips) != bool(drawn.sequence)
        assert time.process_time() - began < 10


async def test_in_linear_mode_the_path_is_printed(shelf: Any, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    for screenshot, said in ((str(tmp_path / "a.png"), str(tmp_path / "a.png")), ("", "no browser looked at it")):
        out = io.StringIO()
        lines = iter(["/picture"])

        def ask(question: str, out: io.StringIO = out, lines: Iterator[str] = lines) -> "asyncio.Future[str | None]":
            out.write(question)
            future: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
            future.set_result(next(lines, None))
            return future

        backend = ReplayBackend(past=served("1", 5173, screenshot))
        assert await Plain(backend, shelf, ask, out, edit=lambda _name, _text: None).run() == 0
        assert said in out.getvalue().split("> ", 1)[1]
