"""Typing, sending, steering, queueing and taking back."""

import asyncio
from collections.abc import Callable
from typing import Any

from textual import events
from textual.pilot import Pilot

from roomcode.protocol.events import Event, Note, StepStarted, Text
from roomcode.tui.app import RoomcodeApp
from roomcode.tui.history import History
from roomcode.tui.items import Answer, Remark
from roomcode.tui.replay import Pause, ReplayBackend

Until = Callable[[Callable[[], object]], Any]
Running = Callable[..., Any]


def app_of(pilot: Pilot[Any]) -> RoomcodeApp:
    assert isinstance(pilot.app, RoomcodeApp)
    return pilot.app


async def send(pilot: Pilot[Any], text: str, key: str = "enter") -> None:
    app_of(pilot).prompt.text = text
    await pilot.press(key)


def waiting_scene() -> tuple[asyncio.Event, list[Event | Pause]]:
    gate = asyncio.Event()
    return gate, [StepStarted(step=1), Text(text="working"), Pause(gate)]


async def test_enter_sends_what_was_typed_and_clears_the_input(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        await pilot.press(*"make it")
        await pilot.press("enter")
        await until(lambda: backend.prompts)
        assert backend.prompts == ["make it"]
        assert app_of(pilot).prompt.text == ""


async def test_ctrl_j_and_shift_enter_begin_new_lines(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        await pilot.press("a", "ctrl+j", "b", "shift+enter", "c", "enter")
        await until(lambda: backend.prompts)
        assert backend.prompts == ["a\nb\nc"]


async def test_an_empty_input_is_not_sent(running: Running) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        await pilot.press("enter", "space", "enter")
        await pilot.pause(0.1)
        assert backend.prompts == []


async def test_enter_steers_while_the_agent_works_until_it_is_delivered(running: Running, until: Until) -> None:
    gate, scene = waiting_scene()
    backend = ReplayBackend(scenes=[[*scene, Note(topic="steer", text="also red", to_model=True)]])
    async with running(backend) as pilot:
        await send(pilot, "go")
        await until(lambda: app_of(pilot).conductor.running)
        await send(pilot, "also red")
        await until(lambda: backend.steered)
        assert backend.steered == ["also red"]
        assert app_of(pilot).conductor.steering == ["also red"]
        assert app_of(pilot).displays.waiting.display
        backend.take_steering()
        gate.set()
        await until(lambda: not app_of(pilot).conductor.running)
        assert app_of(pilot).conductor.steering == []
        assert not app_of(pilot).displays.waiting.display
        assert backend.prompts == ["go"]
        assert any(isinstance(item, Remark) and item.topic == "steer" for item in app_of(pilot).story.items)


async def test_what_was_not_delivered_is_sent_once_when_the_request_is_done(running: Running, until: Until) -> None:
    gate, scene = waiting_scene()
    backend = ReplayBackend(scenes=[scene])
    async with running(backend) as pilot:
        await send(pilot, "go")
        await until(lambda: app_of(pilot).conductor.running)
        await send(pilot, "one")
        await send(pilot, "two", "alt+enter")
        await until(lambda: app_of(pilot).conductor.queue)
        gate.set()
        await until(lambda: len(backend.prompts) == 3)
        assert backend.prompts == ["go", "one", "two"]


async def test_esc_stops_and_gives_queued_text_back(running: Running, until: Until) -> None:
    _, scene = waiting_scene()
    backend = ReplayBackend(scenes=[scene])
    async with running(backend) as pilot:
        await send(pilot, "go")
        await until(lambda: app_of(pilot).conductor.running)
        await send(pilot, "one")
        await send(pilot, "two", "alt+enter")
        await until(lambda: app_of(pilot).conductor.queue)
        await pilot.press(*"half a draft")
        await pilot.press("escape")
        await until(lambda: not app_of(pilot).conductor.running)
        assert app_of(pilot).prompt.text == "one\ntwo\nhalf a draft"
        assert backend.prompts == ["go"]
        assert backend.steered == []


async def test_a_half_draft_stays_when_the_request_ends(running: Running, until: Until) -> None:
    gate, scene = waiting_scene()
    backend = ReplayBackend(scenes=[scene])
    async with running(backend) as pilot:
        await send(pilot, "go")
        await until(lambda: app_of(pilot).conductor.running)
        await pilot.press(*"half")
        gate.set()
        await until(lambda: not app_of(pilot).conductor.running)
        await pilot.press(*" a draft")
        assert app_of(pilot).prompt.text == "half a draft"
        assert backend.prompts == ["go"]


async def test_alt_up_takes_back_the_last_text_that_waits(running: Running, until: Until) -> None:
    _, scene = waiting_scene()
    backend = ReplayBackend(scenes=[scene])
    async with running(backend) as pilot:
        await send(pilot, "go")
        await until(lambda: app_of(pilot).conductor.running)
        await send(pilot, "one")
        await send(pilot, "two")
        await send(pilot, "three", "alt+enter")
        await until(lambda: app_of(pilot).conductor.queue)
        await pilot.press("alt+up")
        assert app_of(pilot).prompt.text == "three"
        app_of(pilot).prompt.text = ""
        await pilot.press("alt+up")
        assert app_of(pilot).prompt.text == "two"
        assert backend.steered == ["one"]


async def test_a_request_sent_while_the_model_loads_runs_when_it_is_loaded(running: Running, until: Until) -> None:
    loading = asyncio.Event()
    backend = ReplayBackend(loading=loading)
    async with running(backend) as pilot:
        await send(pilot, "early")
        await until(lambda: app_of(pilot).conductor.queue)
        assert backend.prompts == []
        assert "40%" in str(app_of(pilot).displays.status.render())
        loading.set()
        await until(lambda: backend.prompts)
        assert backend.prompts == ["early"]


async def test_esc_takes_back_what_waits_for_the_model(running: Running, until: Until) -> None:
    loading = asyncio.Event()
    backend = ReplayBackend(loading=loading)
    async with running(backend) as pilot:
        await send(pilot, "early")
        await until(lambda: app_of(pilot).conductor.queue)
        await pilot.press("escape")
        assert app_of(pilot).prompt.text == "early"
        loading.set()
        await pilot.pause(0.1)
        assert backend.prompts == []


async def test_history_walks_with_the_arrows_and_keeps_the_draft(running: Running, until: Until) -> None:
    history = History()
    history.add("first")
    history.add("second\nline")
    async with running(ReplayBackend(), history=history) as pilot:
        prompt = app_of(pilot).prompt
        await pilot.press(*"dra")
        await pilot.press("up")
        assert prompt.text == "second\nline"
        await pilot.press("up", "up")
        assert prompt.text == "first"
        await pilot.press("down", "down", "down")
        assert prompt.text == "dra"


async def test_a_file_is_completed_by_tab_and_sent_by_its_bare_name(running: Running, until: Until) -> None:
    backend = ReplayBackend(files=("index.html", "my notes.txt"))
    async with running(backend) as pilot:
        await until(lambda: app_of(pilot).prompt.names)
        await pilot.press(*"read @my")
        await until(lambda: app_of(pilot).completions.display)
        await pilot.press("tab")
        assert app_of(pilot).prompt.text == 'read @"my notes.txt" '
        await pilot.press("enter")
        await until(lambda: backend.prompts)
        assert backend.prompts == ["read my notes.txt "]


async def test_esc_closes_the_completion_before_it_stops_anything(running: Running, until: Until) -> None:
    _, scene = waiting_scene()
    backend = ReplayBackend(scenes=[scene])
    async with running(backend) as pilot:
        await send(pilot, "go")
        await until(lambda: app_of(pilot).conductor.running)
        await pilot.press("slash")
        await until(lambda: app_of(pilot).completions.display)
        await pilot.press("escape")
        await pilot.pause()
        assert not app_of(pilot).completions.display
        assert app_of(pilot).conductor.running
        await pilot.press("escape")
        await until(lambda: not app_of(pilot).conductor.running)


async def test_the_picked_command_runs_on_enter(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        await pilot.press(*"/mod")
        await until(lambda: app_of(pilot).completions.display)
        await pilot.press("enter")
        await until(lambda: backend.mode == "auto")
        assert app_of(pilot).prompt.text == ""
        assert backend.prompts == []


async def test_an_unknown_command_stays_in_the_input(running: Running) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        await send(pilot, "/nonsense")
        await pilot.pause(0.1)
        assert app_of(pilot).prompt.text == "/nonsense"
        assert backend.prompts == []


async def test_a_bracketed_paste_is_one_draft_and_nothing_is_sent(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        prompt = app_of(pilot).prompt
        prompt.post_message(events.Paste("/new\r\nline two\r\n"))
        await until(lambda: prompt.text)
        assert prompt.text == "/new\nline two"
        assert backend.prompts == []
        await pilot.pause(0.2)
        await pilot.press("enter")
        await until(lambda: backend.prompts)
        assert backend.prompts == ["/new\nline two"]


async def test_a_long_paste_is_a_chip_and_is_sent_whole(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    text = "\n".join(f"line {n} 日本 😀" for n in range(5_000))
    async with running(backend) as pilot:
        prompt = app_of(pilot).prompt
        prompt.post_message(events.Paste(text))
        await until(lambda: prompt.text)
        assert prompt.text == "[pasted 5 000 lines]"
        await pilot.pause(0.2)
        await pilot.press(*" short", "enter")
        await until(lambda: backend.prompts)
        assert backend.prompts == [text + " short"]


async def test_backspace_deletes_a_chip_as_a_whole(running: Running, until: Until) -> None:
    async with running(ReplayBackend()) as pilot:
        prompt = app_of(pilot).prompt
        await pilot.press("a")
        prompt.post_message(events.Paste("x" * 2_000))
        await until(lambda: "pasted" in prompt.text)
        await pilot.press("backspace")
        assert prompt.text == "a"


def burst(prompt: Any, text: str) -> None:
    """Keys as they come from a terminal without bracketed paste: all at one moment."""
    from textual.keys import _character_to_key

    for mark in text:
        key = "enter" if mark == "\n" else _character_to_key(mark)
        prompt.post_message(events.Key(key, None if mark == "\n" else mark))


async def test_lines_that_come_too_fast_for_a_person_are_not_sent(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        prompt = app_of(pilot).prompt
        burst(prompt, "/new\nline two\n")
        await until(lambda: prompt.text.endswith("two\n"))
        await pilot.pause(0.1)
        assert prompt.text == "/new\nline two\n"
        assert backend.prompts == []
        assert backend.tasks == 0


async def test_one_line_with_enter_from_a_script_is_sent(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        burst(app_of(pilot).prompt, "make it\n")
        await until(lambda: backend.prompts)
        assert backend.prompts == ["make it"]


async def test_keys_that_come_with_a_paste_do_not_send_it(running: Running, until: Until) -> None:
    backend = ReplayBackend()
    async with running(backend) as pilot:
        prompt = app_of(pilot).prompt
        prompt.post_message(events.Paste("one"))
        burst(prompt, "two\n")
        await until(lambda: "two" in prompt.text)
        await pilot.pause(0.1)
        assert backend.prompts == []


async def test_text_streams_into_one_answer(running: Running, until: Until) -> None:
    backend = ReplayBackend(scenes=[[StepStarted(step=1), *(Text(text=f"word{n} ") for n in range(50))]])
    async with running(backend) as pilot:
        await send(pilot, "go")
        await until(lambda: backend.prompts and not app_of(pilot).conductor.running)
        answers = [item for item in app_of(pilot).story.items if isinstance(item, Answer)]
        assert len(answers) == 1
        assert answers[0].body.text.split() == [f"word{n}" for n in range(50)]
