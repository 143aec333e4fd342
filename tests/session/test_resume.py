"""A roomcode that is opened again goes on where the last one was, however that one ended."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roomcode.agent import Conversation
from roomcode.agent.compaction import compact
from roomcode.assembly import Runtime
from roomcode.engine.scripted import ScriptedEngine
from roomcode.protocol.approval import Decision
from roomcode.protocol.events import Note, RequestEnded, RequestStarted, Result
from roomcode.session import LAST, NEW, SessionError, SessionReader
from roomcode.session.records import State, encode_record
from tests.support.runtimes import Bench, call, gate
from tests.support.sessions import shape, well_ordered

THREE = "\n".join(
    ["I write three files.", *(call("write_file", path=f"{name}.js", content=f"let {name};") for name in "abc")]
)
ONE = call("write_file", path="a.js", content="let a;")


def text_of(runtime: Runtime) -> str:
    return runtime.engine.decode(runtime.agent.conversation.tokens).decode()


def talk(runtime: Runtime) -> Conversation:
    return runtime.agent.conversation


def prompt_of(runtime: Runtime) -> tuple[int, ...]:
    """The tokens of the last model call."""
    engine = runtime.engine
    assert isinstance(engine, ScriptedEngine)
    return engine.requests[-1].tokens


async def test_the_conversation_goes_on_token_for_token(bench: Bench) -> None:
    first = await bench.loaded(ONE, "Done.")
    await first.request("make a.js")
    tokens, turns = talk(first).tokens, talk(first).turns
    session = first.session
    await first.close()
    second = await bench.loaded("Nothing to do.", resume=LAST)
    assert second.session == session
    assert talk(second).turns == turns
    ended = await second.request("go on")
    assert ended.request == 2
    assert prompt_of(second)[: len(tokens)] == tokens
    await second.close()
    assert well_ordered(bench.events)
    (info,) = bench.sessions.sessions()
    assert (info.id, info.requests, info.title) == (session, 2, "make a.js")


async def test_the_past_is_told_again_before_a_model_is_loaded(bench: Bench) -> None:
    first = await bench.loaded(ONE, "Done.")
    await first.request("make a.js")
    await first.close()
    second = bench.runtime(resume=LAST)
    await second.open_session()
    events = second.history_events()
    assert well_ordered(events)
    assert shape(events).replace("n", "") == "rsoclesteE"
    started, ended = events[0], events[-1]
    assert isinstance(started, RequestStarted)
    assert isinstance(ended, RequestEnded)
    assert (started.prompt, ended.reason, ended.files) == ("make a.js", "done", ("a.js",))
    assert second.session == bench.sessions.sessions()[0].id


async def test_opening_and_leaving_keeps_nothing(bench: Bench) -> None:
    runtime = await bench.loaded(resume=LAST)
    await runtime.close()
    assert bench.sessions.sessions() == []
    assert list(bench.sessions.path.iterdir()) == []


async def test_a_run_without_sessions_writes_nothing(bench: Bench) -> None:
    runtime = Runtime(bench.project, bench.runtime("Hello.").settings)
    await runtime.load()
    ended = await runtime.request("hello")
    await runtime.close()
    assert ended.reason == "done"
    assert (runtime.session, runtime.sessions(), runtime.history_events()) == ("", [], [])
    assert not bench.sessions.path.exists()


async def test_a_stop_in_the_second_of_three_calls_leaves_a_session_that_goes_on(bench: Bench) -> None:
    first = await bench.loaded(THREE, "unused", mode="ask")
    first.gate = gate(Decision(True), first.stop)
    ended = await first.request("make three files")
    assert ended.reason == "stopped"
    await first.close()

    second = await bench.loaded("All is well.", resume=LAST)
    results = [event for event in second.history_events() if isinstance(event, Result)]
    assert [(event.call, event.state) for event in results] == [
        ("1.1.1", "ok"),
        ("1.1.2", "stopped"),
        ("1.1.3", "stopped"),
    ]
    outcomes = talk(second).turns[-1].outcomes
    assert [outcome.state for outcome in outcomes] == ["ok", "stopped", "stopped"]
    assert (await second.request("go on")).reason == "done"
    said = text_of(second)
    assert said.count("stopped by the user") == 2
    assert said.index("stopped by the user") < said.index("go on") < said.index("All is well.")
    assert (bench.project / "a.js").exists()
    assert not (bench.project / "b.js").exists()

    talk(second).replace(
        compact(talk(second).turns, lambda turns: sum(len(turn.tokens) for turn in turns), talk(second).rendered, 400)
    )
    assert "[earlier: wrote a.js]" in text_of(second)
    shortened = talk(second).tokens
    await second.close()
    third = await bench.loaded("Still well.", resume=LAST)
    assert talk(third).tokens == shortened
    assert (await third.request("and now?")).reason == "done"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1))
async def test_a_session_cut_at_any_byte_goes_on(tmp_path_factory: pytest.TempPathFactory, share: float) -> None:
    bench = Bench(tmp_path_factory.mktemp("cut"))
    first = await bench.loaded(THREE, call("read_file", path="a.js"), "Done.")
    await first.request("make three files")
    await first.close()
    path = bench.sessions.find(LAST)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])

    second = await bench.loaded("Going on.", resume=LAST)
    assert well_ordered(second.history_events())
    kinds = [turn.kind for turn in talk(second).turns]
    assert all(kind == "answer" for kind in kinds[1::2]), kinds
    assert all(kind != "answer" for kind in kinds[::2]), kinds
    for turn in talk(second).turns:
        if turn.kind == "results":
            assert all(outcome.text for outcome in turn.outcomes)
    ended = await second.request("go on")
    assert (ended.reason, ended.answer) == ("done", "Going on.")
    assert text_of(second).count("<|im_start|>assistant") == [t.kind for t in talk(second).turns].count("answer")
    tokens = talk(second).tokens
    await second.close()

    third = await bench.loaded(resume=LAST)
    assert talk(third).tokens == tokens, "what was mended stays mended"
    assert third.history_events()[-1] == second_end(bench)
    await bench.close()


def second_end(bench: Bench) -> RequestEnded:
    return [event for event in bench.events if isinstance(event, RequestEnded)][-1]


async def test_another_form_encodes_the_conversation_anew_from_its_text(bench: Bench) -> None:
    first = await bench.loaded(ONE, "Done.", form="xml")
    await first.request("make a.js")
    before, tokens, prefix = talk(first).turns, talk(first).tokens, talk(first).prefix
    await first.close()
    second = await bench.loaded("Hello.", resume=LAST, form="json")
    assert talk(second).prefix != prefix
    assert [(turn.kind, turn.text, turn.outcomes) for turn in talk(second).turns] == [
        (turn.kind, turn.text, turn.outcomes) for turn in before
    ]
    await second.request("hello")
    again = talk(second).tokens
    assert again != tokens
    await second.close()
    third = await bench.loaded(resume=LAST, form="json")
    assert talk(third).tokens == again, "encoded once, kept from then on"


async def test_a_lost_turn_makes_the_rest_readable_again(bench: Bench) -> None:
    first = await bench.loaded(ONE, call("read_file", path="a.js"), "Done.")
    await first.request("make a.js")
    await first.close()
    path = bench.sessions.find(LAST)
    lines = path.read_bytes().splitlines(keepends=True)
    (lost,) = [line for line in lines if line.startswith(b'{"kind":"turn","id":3,')]
    path.write_bytes(b"".join(line if line != lost else b"\0rubbish\n" for line in lines))
    second = await bench.loaded("Hello.", resume=LAST)
    said = text_of(second)
    assert "(A part of this conversation was lost.)" in said
    assert "Created a.js" not in said
    assert (await second.request("hello")).reason == "done"


async def test_what_was_changed_by_hand_meanwhile_is_neither_lost_nor_untold(bench: Bench) -> None:
    first = await bench.loaded(ONE, "Done.")
    await first.request("make a.js")
    await first.close()
    (bench.project / "a.js").write_text("let mine;\n")
    second = await bench.loaded(call("write_file", path="a.js", content="let b;"), "Done.", resume=LAST)
    await second.request("change it")
    assert "Changed by hand" in text_of(second)
    third = await bench.loaded(resume=NEW)
    await third.close()


async def test_a_new_task_is_a_new_session_and_the_old_one_stays(bench: Bench) -> None:
    runtime = await bench.loaded("One.", "Two.", "Three.")
    await runtime.request("first")
    old = runtime.session
    await runtime.new_task()
    assert runtime.session != old
    assert talk(runtime).turns == []
    assert (await runtime.request("second")).request == 1
    assert [info.title for info in runtime.sessions()] == ["second", "first"]
    await runtime.open_session(old[:5])
    assert runtime.session == old
    assert (await runtime.request("third")).request == 2
    assert "first" in text_of(runtime)
    assert "second" not in text_of(runtime)


async def test_a_fork_goes_on_from_before_a_request(bench: Bench) -> None:
    runtime = await bench.loaded("One.", "Two.", "Other two.")
    await runtime.request("first")
    await runtime.request("second")
    parent = runtime.session
    assert await runtime.fork(2) == "second"
    assert runtime.session != parent
    assert shape(runtime.history_events()).replace("n", "") == "rsteE"
    assert (await runtime.request("the other second")).request == 2
    said = text_of(runtime)
    assert "One." in said
    assert "Two." not in said
    by_id = {info.id: info for info in runtime.sessions()}
    assert by_id[runtime.session].parent == parent
    assert by_id[parent].requests == 2
    with pytest.raises(SessionError, match="no request 7"):
        await runtime.fork(7)


async def test_nothing_is_opened_while_a_request_runs(bench: Bench) -> None:
    runtime = await bench.loaded("#! delay 60000\nlate")
    running = asyncio.create_task(runtime.request("wait"))
    await asyncio.sleep(0)
    for attempt in (runtime.new_task(), runtime.fork(1), runtime.open_session(LAST)):
        with pytest.raises(SessionError, match="stop it first"):
            await attempt
    await runtime.close()
    assert (await running).reason == "stopped"
    assert [type(e).__name__ for e in SessionReader(bench.sessions.find(LAST))][-2:] == ["RequestEnded", "State"]


async def test_a_second_roomcode_is_told_and_gets_its_own_session(bench: Bench) -> None:
    first = await bench.loaded("One.", "Two.")
    await first.request("first")
    second = await bench.loaded("Hello.", resume=LAST)
    assert second.session != first.session
    bench.events.clear()
    await second.request("hello")
    notes = [event.text for event in bench.events if isinstance(event, Note)]
    assert notes.count("Another roomcode is open in this folder, so this one has its own session.") == 1
    assert well_ordered(bench.events)
    with pytest.raises(SessionError, match="open in another roomcode"):
        await second.open_session(first.session)
    assert (await second.request("still here?")).reason == "error", "the script has ended, the session has not"
    session = first.session
    await first.close()
    await second.open_session(session)
    assert second.session == session == bench.sessions.sessions()[-1].id


async def test_a_session_of_a_newer_roomcode_is_left_alone_and_told(bench: Bench) -> None:
    first = await bench.loaded("One.")
    await first.request("first")
    await first.close()
    path = bench.sessions.find(LAST)
    newer = path.read_bytes().replace(b'"version":1', b'"version":99', 1)
    path.write_bytes(newer)
    second = await bench.loaded("Hello.", resume=LAST)
    (notice,) = second.take_notices()
    assert "newer roomcode" in notice
    assert notice.endswith("This is a new session.")
    await second.request("hello")
    await second.close()
    assert path.read_bytes() == newer
    with pytest.raises(SessionError, match="newer roomcode"):
        await (await bench.loaded()).open_session(path.stem[-8:])


async def test_a_last_session_that_cannot_be_read_does_not_keep_the_app_from_starting(bench: Bench) -> None:
    first = await bench.loaded("One.")
    await first.request("first")
    await first.close()
    path = bench.sessions.find(LAST)
    lock = path.with_suffix(".lock")
    path.rename(path.with_suffix(".kept"))
    path.mkdir()
    (path / "x").write_text("a folder is no session")
    second = await bench.loaded("Hello.", resume=LAST)
    assert second.session not in ("", path.stem[-8:])
    assert (await second.request("hello")).reason == "done"
    assert not lock.is_dir()


async def test_a_folder_that_cannot_be_written_is_told_once_and_made_up_for(bench: Bench) -> None:
    bench.sessions.path.parent.mkdir(exist_ok=True)
    bench.sessions.path.write_text("in the way")
    runtime = await bench.loaded(ONE, "Done.", "More.")
    await runtime.request("make a.js")
    notes = [event.text for event in bench.events if isinstance(event, Note) and event.topic == "notice"]
    assert len([text for text in notes if text.startswith("This session cannot be saved")]) == 1
    assert well_ordered(bench.events)
    bench.sessions.path.unlink()
    await runtime.request("more")
    tokens = talk(runtime).tokens
    await runtime.close()
    assert runtime.take_notices() == []
    second = await bench.loaded(resume=LAST)
    assert talk(second).tokens == tokens


async def test_a_session_that_is_never_saved_says_so_at_the_end(bench: Bench) -> None:
    bench.sessions.path.write_text("in the way")
    runtime = await bench.loaded("Done.")
    await runtime.request("hello")
    runtime.take_notices()
    await runtime.close()
    assert runtime.take_notices() == ["The end of this session could not be saved."]


async def test_pages_are_served_again_on_their_ports(bench: Bench) -> None:
    (bench.project / "index.html").write_text("<!doctype html><title>t</title>")
    first = await bench.loaded("Done.", "More.")
    report = await first.preview.serve(".", 5431)
    await first.request("hello")
    await first.new_task()
    await first.request("still served")
    await first.close()
    second = await bench.loaded(resume=LAST)
    assert second._serving is not None
    await second._serving
    assert second.preview.ports == {report.port: "index.html"}


async def test_a_page_that_is_gone_is_not_served_again(bench: Bench) -> None:
    first = await bench.loaded("Done.")
    await first.request("hello")
    await first.close()
    path = bench.sessions.find(LAST)
    path.write_bytes(path.read_bytes() + encode_record(State(time=1.0, ports={5432: "gone.html"})))
    second = await bench.loaded("More.", resume=LAST)
    assert second._serving is not None
    await second._serving
    assert second.preview.ports == {}
    await second.request("go on")
    await second.close()
    states = [record for record in SessionReader(bench.sessions.find(LAST)) if isinstance(record, State)]
    assert any(state.ports == {} for state in states)


async def test_the_model_may_change_within_a_session(bench: Bench, tmp_path: Path) -> None:
    from msgspec.structs import replace

    runtime = await bench.loaded("One.")
    await runtime.request("first")
    script = tmp_path / "other.txt"
    script.write_text("=== answer\nTwo.\n")
    runtime.settings = replace(runtime.settings, engine=f"scripted:{script}", form="json")
    await runtime.load()
    assert (await runtime.request("second")).request == 2
    said = text_of(runtime)
    assert said.index("first") < said.index("One.") < said.index("second") < said.index("Two.")
    await runtime.close()
    third = await bench.loaded(resume=LAST, form="json")
    assert text_of(third) == said
