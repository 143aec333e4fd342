"""Linear mode."""

import asyncio
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from roomcode.protocol.approval import Decision
from roomcode.protocol.display import FileChange, PageReport
from roomcode.protocol.events import Approval, Call, CallOpened, Event, Note, Result, StepStarted, Text
from roomcode.tui.backend import NoModelError
from roomcode.tui.foreign import is_safe
from roomcode.tui.plain import Plain, run_plain
from roomcode.tui.replay import Pause, ReplayBackend
from roomcode.workspace import TextFile, Workspace

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
        "",
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


@pytest.fixture
def workspace(project: Path) -> Iterator[Workspace]:
    """One request made app.js and changed index.html."""
    workspace = Workspace(project)
    workspace.begin_request(1)
    for name, text in (("index.html", "<h1>New</h1>\n"), ("app.js", "let a = 1;\n")):
        target = workspace.resolve(name)
        before = workspace.load(target) if target.path.exists() else None
        file = before.file.with_text(text) if before else TextFile(text)
        workspace.save(target, file, before=before, reader="conversation", tool="write_file")
    yield workspace
    workspace.close()


async def test_undo_and_redo_are_shown_and_asked_first(shelf: Any, project: Path, workspace: Workspace) -> None:
    backend = ReplayBackend(project=project, workspace=workspace)
    _, out = await talk(backend, shelf, "/undo", "", "/undo 1", "y", "/redo", "y", "/redo", "/undo x")
    assert out.count("undo 2 files: takes back request 1 of") == 2
    assert "delete: app.js\n- let a = 1;" in out
    assert out.index("Nothing was changed.") < out.index("note: undone: index.html, app.js")
    assert "note: redone: index.html, app.js" in out
    assert "There is nothing to redo." in out
    assert "/undo takes a request's number, not x" in out
    assert (project / "app.js").exists()


@pytest.mark.parametrize(("answers", "text"), [(["", "y"], "mine\n"), (["y", "y"], None)])
async def test_a_file_changed_by_hand_is_left_unless_the_person_says_so(
    shelf: Any, project: Path, workspace: Workspace, answers: list[str], text: str | None
) -> None:
    (project / "app.js").write_text("mine\n")
    backend = ReplayBackend(project=project, workspace=workspace)
    _, out = await talk(backend, shelf, "/undo", *answers)
    assert "left as it is: it was changed by hand since" in out
    assert ((project / "app.js").read_text() if (project / "app.js").exists() else None) == text
    assert "New" not in (project / "index.html").read_text()


async def test_a_version_is_restored_by_its_number(shelf: Any, project: Path, workspace: Workspace) -> None:
    backend = ReplayBackend(project=project, workspace=workspace)
    _, out = await talk(backend, shelf, "/files", "2", "2", "y", "/files", "9", "/files", "1", "")
    assert "2. index.html +1 -2, versions: 2" in out
    assert "restore index.html" in out
    assert "That is not one of the numbers." in out
    assert "Hi" in (project / "index.html").read_text()


async def test_a_fork_asks_the_request_anew_or_another_one(shelf: Any) -> None:
    for answer, asked in (("", "one"), ("something else", "something else"), ("-", None)):
        backend = ReplayBackend(past=[Text(text="what was before\n")])
        _, out = await talk(backend, shelf, "/fork", "one", "two", "/fork", "2", answer)
        assert "nothing to fork" in out
        assert backend.forked == [1]
        assert "1. two\n2. one\n" in out
        assert backend.prompts == ["one", "two", *([asked] if asked else [])]


async def test_settings_are_changed_by_number(shelf: Any) -> None:
    backend = ReplayBackend(values={"mode": "ask", "temperature": "0.7"})
    lines = ("/settings", "2", "0.5", "", "/settings", "2", "-", "p", "/settings", "1", "")
    _, out = await talk(backend, shelf, *lines)
    assert backend.changed_settings == [("temperature", "0.5", False), ("temperature", "", True)]
    assert "temperature is 0.5, at once." in out
    assert "a new value counts at once" in out


async def test_a_session_is_deleted_after_a_question(shelf: Any) -> None:
    backend = ReplayBackend(other={"s1": [], "s2": []})
    await talk(backend, shelf, "/sessions", "1", "d", "", "/sessions", "2", "d", "y", "/sessions", "1", "-")
    assert list(backend.other) == ["s1"]
    assert backend.opened == [""]


async def test_while_the_agent_works_nothing_is_taken_back(shelf: Any, project: Path, workspace: Workspace) -> None:
    gate = asyncio.Event()
    backend = ReplayBackend(project=project, workspace=workspace, scenes=[[Text(text="x"), Pause(gate)]])
    asyncio.get_running_loop().call_later(0.3, gate.set)
    _, out = await talk(backend, shelf, "go", "/undo", "/settings")
    assert "stop it first (Ctrl+C), then type /undo again" in out
    assert backend.steered == []
    assert (project / "app.js").exists()


async def test_leaving_in_the_middle_of_a_question_ends_it(shelf: Any, project: Path, workspace: Workspace) -> None:
    backend = ReplayBackend(project=project, workspace=workspace)
    code, _ = await talk(backend, shelf, "/undo")
    assert code == 0
    assert (project / "app.js").exists()
