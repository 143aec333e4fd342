"""Linear mode."""

import asyncio
import io
from collections.abc import Callable
from typing import Any

import pytest

from roomcode.protocol.approval import Decision
from roomcode.protocol.display import FileChange, PageReport
from roomcode.protocol.events import Approval, Call, CallOpened, Event, Note, Result, StepStarted, Text
from roomcode.tui.backend import NoModelError
from roomcode.tui.foreign import is_safe
from roomcode.tui.plain import Plain, run_plain
from roomcode.tui.replay import Pause, ReplayBackend

CHANGE = FileChange("app.js", "let a = 1;\n", "let a = 2;\n")


def edit() -> list[Event]:
    return [
        CallOpened(call="1.1.1", tool="edit_file"),
        Call(call="1.1.1", tool="edit_file", arguments={"path": "app.js"}),
        Approval(call="1.1.1", tool="edit_file", state="asked", change=CHANGE),
        Result(call="1.1.1", tool="edit_file", state="ok", text="", display=CHANGE),
    ]


class Person:
    """Answers each question with the next line; then the input ends."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.out = io.StringIO()

    def ask(self, question: str) -> "asyncio.Future[str | None]":
        self.out.write(question)
        future: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def answer() -> None:
            if not future.done():
                future.set_result(self.lines.pop(0) if self.lines else None)

        # A person reads before typing on: what runs gets its turn first.
        asyncio.get_running_loop().call_later(0.02, answer)
        return future


async def talk(
    backend: ReplayBackend, shelf: Any, *lines: str, edited: Callable[[str, str], str | None] = lambda _n, _t: None
) -> tuple[int, str]:
    person = Person(*lines)
    plain = Plain(backend, shelf, person.ask, person.out, edit=edited)
    async with asyncio.timeout(10):
        code = await plain.run()
    return code, person.out.getvalue()


async def test_a_request_reads_as_lines(shelf: Any) -> None:
    page = PageReport("http://127.0.0.1:5173/", 5173, "", "errors", ("app.js:1 boom",))
    scene = [
        StepStarted(step=1), Text(text="I look"), Text(text=" at it.\nThen"), *edit(),
        Result(call="2", tool="serve", state="ok", text="", display=page), Note(topic="hint", text="short"),
    ]  # fmt: skip
    code, out = await talk(ReplayBackend(scenes=[scene], mode="auto"), shelf, "make it")
    assert code == 0
    for line in ("I look at it.", "Then", "[edit_file app.js]", "http://127.0.0.1:5173/ errors", "app.js:1 boom"):
        assert line in out
    assert out.index("I look at it.") < out.index("[edit_file") < out.index("note: short")


@pytest.mark.parametrize(
    ("lines", "decision", "mode"),
    [
        (["y"], Decision(True), "ask"),
        (["n", "too red"], Decision(False, "too red"), "ask"),
        (["n", ""], Decision(False, ""), "ask"),
        (["a"], Decision(True, remember="request"), "ask"),
        (["A"], Decision(True), "auto"),
        (["v", "what?", "y"], Decision(True), "ask"),
        (["e"], Decision(True, content="let a = 3;\n"), "ask"),
    ],
)
async def test_the_same_keys_answer_a_change(shelf: Any, lines: list[str], decision: Decision, mode: str) -> None:
    backend = ReplayBackend(scenes=[edit()])
    _, out = await talk(backend, shelf, "go", *lines, edited=lambda _name, _text: "let a = 3;\n")
    assert backend.decisions == [decision]
    assert backend.mode == mode
    assert "- let a = 1;\n+ let a = 2;" in out


async def test_text_typed_while_the_agent_works_steers_it(shelf: Any) -> None:
    gate = asyncio.Event()
    backend = ReplayBackend(scenes=[[Text(text="x"), Pause(gate)]])
    asyncio.get_running_loop().call_later(0.2, gate.set)
    await talk(backend, shelf, "go", "also red")
    assert backend.prompts == ["go", "also red"]


async def test_an_interrupt_stops_the_agent_and_two_leave(shelf: Any, until: Any) -> None:
    backend = ReplayBackend(scenes=[[Pause(asyncio.Event())]])
    person = Person("go")
    blocked: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
    plain = Plain(
        backend, shelf, lambda q: person.ask(q) if person.lines else blocked, person.out, edit=lambda _n, _t: None
    )
    running = asyncio.ensure_future(plain.run())
    async with asyncio.timeout(5):
        await until(lambda: backend.prompts)
        plain.interrupt()
        await until(lambda: "stopped" in person.out.getvalue())
        plain.interrupt()
        assert await running == 0


async def test_models_are_picked_by_number_when_there_is_none(shelf: Any) -> None:
    backend = ReplayBackend(load_error=NoModelError("There is no model yet."))
    code, out = await talk(backend, shelf, "2", "go")
    assert code == 0
    assert "There is no model yet." in out
    assert "2. good: for web pages (to fetch, 1.1 GB, recommended)" in out
    assert shelf.pulled == ["good"]
    assert backend.loads == ["", "good"]
    assert backend.prompts == ["go"]


async def test_without_a_model_and_without_a_choice_it_ends(shelf: Any) -> None:
    code, _ = await talk(ReplayBackend(load_error=NoModelError("None.")), shelf, "")
    assert code == 1


async def test_commands_work(shelf: Any) -> None:
    served = {5173: ("hello",)}
    backend = ReplayBackend(served=served, scenes=[edit()], mode="auto", other={"s1": [Text(text="old talk\n")]})
    lines = (
        "/help",
        "/mode",
        "/mode",
        "go",
        "/files",
        "",
        "/console",
        "/open",
        "/settings",
        "",
        "/sessions",
        "1",
        "/new",
        "/nope",
    )
    _, out = await talk(backend, shelf, *lines)
    for part in ("/console: ", "mode ask", "app.js +1 -1", "hello", "http://127.0.0.1:5173/", "mode: ", "old talk"):
        assert part in out
    assert "There is no command /nope" in out
    assert backend.tasks == 1


async def test_nothing_in_the_output_steers_the_terminal(shelf: Any) -> None:
    nasty = "\x1b[2J\x1b]0;t\x07 \x00 \u202e x"
    scene = [Text(text=nasty), CallOpened(call="1", tool=nasty), Call(call="1", tool=nasty, arguments={"path": nasty})]
    results = [Result(call="1", tool=nasty, state="failed", text=nasty), Note(topic="hint", text=nasty)]
    _, out = await talk(ReplayBackend(scenes=[[*scene, *results]]), shelf, "go")
    assert all(is_safe(line) for line in out.split("\n"))


async def test_it_reads_from_a_stream_until_its_end(shelf: Any) -> None:
    backend = ReplayBackend(scenes=[[Text(text="hello\n")]])
    out = io.StringIO()
    async with asyncio.timeout(10):
        assert await run_plain(backend, shelf, io.StringIO("go\n"), out) == 0
    assert "hello" in out.getvalue()
    assert backend.closed == 1
