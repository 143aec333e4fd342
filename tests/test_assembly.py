"""From settings to a running agent: what the model is told, who is asked, and what the switches do."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from roomcode.assembly import Broadcast, Runtime
from roomcode.config import Settings, Switches
from roomcode.engine.scripted import ScriptedEngine
from roomcode.protocol.approval import ApprovalRequest, Decision
from roomcode.protocol.engine import EngineError
from roomcode.protocol.events import Approval, Event, Note, RequestStarted, Result, StepStarted
from tests.agent.builders import call, check_order

Make = Callable[..., Awaitable["Told"]]


class Told:
    """A loaded runtime and the events it gave."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.events: list[Event] = []
        runtime.subscribe(self.events.append)

    @property
    def engine(self) -> ScriptedEngine:
        assert isinstance(self.runtime.engine, ScriptedEngine)
        return self.runtime.engine

    def prompt(self, number: int) -> str:
        """What the model was sent for its answer number `number` (from 0)."""
        return self.engine.decode(self.engine.requests[number].tokens).decode()

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
async def make(tmp_path: Path, project: Path) -> AsyncIterator[Make]:
    made: list[Runtime] = []

    async def load(*answers: str, folder: Path = project, **settings: Any) -> Told:
        script = tmp_path / f"script{len(made)}.txt"
        script.write_text("".join(f"=== answer\n{answer}\n" for answer in answers))
        made.append(Runtime(folder, Settings(engine=f"scripted:{script}", **settings)))
        told = Told(made[-1])
        await made[-1].load()
        return told

    yield load
    for runtime in made:
        await runtime.close()


async def test_before_a_model_is_loaded_there_is_no_agent(project: Path) -> None:
    runtime = Runtime(project, Settings(engine="scripted:nowhere.txt"))
    with pytest.raises(EngineError, match="not loaded"):
        _ = runtime.agent
    with pytest.raises(EngineError, match=r"nowhere\.txt cannot be read"):
        await runtime.load()
    runtime.stop()
    await runtime.close()
    await runtime.close()


# What the model is told


async def test_the_system_prompt_is_tiny_and_says_how_to_work(make: Make) -> None:
    told = await make("Done.")
    await told.runtime.request("make it")
    system = told.prompt(0).split("<|im_end|>")[0]
    for words in ("HTML, CSS and JavaScript", "no build step", "under about 100 lines", "append: true", "edit_file"):
        assert words in system
    for tool in told.runtime.tools.names:
        assert f"- {tool}(" in system
    assert len(told.runtime.tools.names) == 8
    assert len(system) < 2500


async def test_the_prefix_is_the_same_in_every_folder_and_every_request(make: Make, tmp_path: Path) -> None:
    other = tmp_path / "quite another name"
    other.mkdir()
    (other / "index.html").write_text("<!doctype html>")
    first, second = await make("One.", "Two."), await make("One.", folder=other)
    await first.runtime.request("make it")
    await first.runtime.request("change it")
    await second.runtime.request("something else")
    prefix = first.engine.requests[0].prefix
    assert {told.engine.requests[0].prefix for told in (first, second)} == {prefix}
    starts = {request.tokens[:prefix] for told in (first, second) for request in told.engine.requests}
    assert len(starts) == 1


async def test_the_first_request_names_the_files_and_later_ones_what_changed_by_hand(make: Make, project: Path) -> None:
    (project / "index.html").write_text("<!doctype html>\n")
    told = await make(call("read_file", path="index.html"), "One.", "Two.", "Three.")
    await told.runtime.request("look")
    (project / "index.html").write_text("<!doctype html>\n<p>by hand</p>\n")
    await told.runtime.request("again")
    await told.runtime.request("and again")
    assert "(Files in the project: index.html)\n\nlook<|im_end|>" in told.prompt(0)
    assert "(Changed by hand since your last answer: index.html)\n\nagain<|im_end|>" in told.prompt(2)
    assert "and again<|im_end|>" in told.prompt(3)


async def test_an_empty_folder_is_said_to_be_empty(make: Make) -> None:
    told = await make("Done.")
    await told.runtime.request("make it")
    assert "(Empty project.)\n\nmake it<|im_end|>" in told.prompt(0)


@pytest.mark.parametrize(("form", "mark"), [("auto", "<function="), ("xml", "<function="), ("json", '"arguments":')])
async def test_the_form_of_calls_is_described_as_it_is_set(make: Make, form: str, mark: str) -> None:
    told = await make("Done.", form=form)
    await told.runtime.request("make it")
    assert mark in told.prompt(0)
    assert told.of(RequestStarted)[0].form == ("json" if form == "json" else "xml")


# Settings


async def test_settings_reach_the_model_call(make: Make) -> None:
    told = await make("Done.", temperature=0.0, seed=7)
    await told.runtime.request("make it")
    sampling = told.engine.requests[0].sampling
    assert sampling.temperature == 0.0
    other = await make("Done.", seed=8)
    await other.runtime.request("make it")
    assert other.engine.requests[0].sampling.seed != sampling.seed
    assert other.engine.requests[0].sampling.temperature > 0


async def test_the_limit_of_steps_is_a_setting(make: Make) -> None:
    told = await make(call("list_dir"), call("list_dir"), max_steps=1)
    ended = await told.runtime.request("make it")
    assert (ended.reason, ended.detail) == ("limit", "stopped after 1 step")


async def test_hints_can_be_switched_off(make: Make) -> None:
    for switches, hinted in ((Switches(), True), (Switches(hints=False), False)):
        told = await make(call("nothing"), "Sorry.", switches=switches)
        await told.runtime.request("make it")
        assert ("Hint:" in told.of(Result)[0].text) == hinted


async def test_the_finish_check_can_be_switched_off(make: Make) -> None:
    write = call("write_file", path="notes.txt", content="x")
    told = await make(write, *["Done."] * 5, mode="auto")
    ended = await told.runtime.request("write notes.txt and more.txt")
    assert "Next: write more.txt." in told.of(Result)[0].text
    assert ended.steps == 5
    assert [n.to_model for n in told.of(Note) if n.topic == "check"] == [True, True, True, False]
    told = await make(write, "Done.", mode="auto", switches=Switches(finish_check=False))
    ended = await told.runtime.request("write notes.txt and more.txt")
    assert (ended.steps, told.of(Note)) == (2, [])


# Approvals


async def gate_yes(_request: ApprovalRequest) -> Decision:
    return Decision(True)


def writes(*names: str) -> list[str]:
    return [call("write_file", path=name, content=name) for name in names]


async def test_without_a_front_end_nothing_is_written(make: Make, project: Path) -> None:
    told = await make(*writes("a.txt"), "I may not.")
    await told.runtime.request("make it")
    assert list(project.glob("*.txt")) == []
    assert [e.state for e in told.of(Approval)] == ["asked", "rejected"]


async def test_the_front_ends_gate_is_asked_and_may_be_set_late(make: Make, project: Path) -> None:
    told = await make(*writes("a.txt"), "Done.")
    told.runtime.gate = gate_yes
    ended = await told.runtime.request("make it")
    assert ended.files == ("a.txt",)
    assert (project / "a.txt").read_text() == "a.txt"
    check_order(told.events)


async def test_in_auto_mode_nobody_is_asked(make: Make, project: Path) -> None:
    told = await make(*writes("a.txt"), "Done.", *writes("b.txt"), "I may not.", mode="auto")
    await told.runtime.request("make it")
    assert told.of(Approval) == []
    told.runtime.mode = "ask"
    assert told.runtime.mode == "ask"
    await told.runtime.request("more")
    assert [p.name for p in project.glob("*.txt")] == ["a.txt"]


async def test_files_of_a_rule_are_not_asked_for(make: Make, project: Path) -> None:
    told = await make(*writes("docs/a.md", "b.md"), "Done.", approve=("docs/**",))
    await told.runtime.request("make it")
    assert (project / "docs" / "a.md").exists()
    assert not (project / "b.md").exists()
    assert len([e for e in told.of(Approval) if e.state == "asked"]) == 1


@pytest.mark.parametrize(("remember", "asked"), [("once", 4), ("request", 3), ("session", 2)])
async def test_a_yes_reaches_as_far_as_it_was_meant(make: Make, remember: Any, asked: int) -> None:
    requests: list[ApprovalRequest] = []

    async def gate(request: ApprovalRequest) -> Decision:
        requests.append(request)
        return Decision(True, remember=remember)

    told = await make(*writes("a.txt", "b.txt"), "Done.", *writes("c.txt"), "Done.", *writes("d.txt"), "Done.")
    told.runtime.gate = gate
    await told.runtime.request("one")
    await told.runtime.request("two")
    await told.runtime.new_task()
    await told.runtime.request("three")
    assert len(requests) == asked


CHECKLESS = Switches(finish_check=False)


async def test_nobody_is_asked_for_what_the_request_forbids_and_the_next_request_may_do_it(
    make: Make, project: Path
) -> None:
    (project / "a.txt").write_text("mine\n")
    seen = call("read_file", path="a.txt")
    told = await make(*writes("a.txt"), "I may not.", seen, *writes("a.txt"), "Done.", switches=CHECKLESS)
    told.runtime.gate = gate_yes
    await told.runtime.request("Make it red. Do not change a.txt.")
    assert (project / "a.txt").read_text() == "mine\n"
    assert told.of(Approval) == []
    assert "The request says that a.txt is not to be changed" in told.prompt(1)
    await told.runtime.request("Now change a.txt too.")
    assert (project / "a.txt").read_text() != "mine\n"


async def test_what_a_request_wrote_can_be_taken_back_as_a_whole(make: Make, project: Path) -> None:
    told = await make(*writes("a.txt", "b.txt"), "Done.", mode="auto")
    await told.runtime.request("make it")
    told.runtime.workspace.carry_out(told.runtime.workspace.plan_undo())
    assert list(project.glob("*.txt")) == []


# Sessions and events


async def test_a_new_task_starts_with_an_empty_conversation(make: Make) -> None:
    told = await make("One.", "Two.")
    await told.runtime.request("the first thing")
    await told.runtime.new_task()
    await told.runtime.request("the second thing")
    assert "the first thing" not in told.prompt(1)
    assert told.engine.requests[1].prefix == told.engine.requests[0].prefix


async def test_what_is_said_while_it_runs_reaches_the_model(make: Make) -> None:
    told = await make(call("list_dir"), "Done.")

    def on_event(event: Event) -> None:
        if isinstance(event, StepStarted) and event.step == 1:
            told.runtime.steer("and a footer")

    told.runtime.subscribe(on_event)
    await told.runtime.request("make it")
    assert "and a footer" in told.prompt(1)
    assert told.runtime.take_steering() == []


async def test_a_stop_at_once_ends_the_request_in_order(make: Make) -> None:
    told = await make("Never said.", "Said.")

    def on_event(event: Event) -> None:
        if isinstance(event, RequestStarted) and event.request == 1:
            told.runtime.stop()

    told.runtime.subscribe(on_event)
    assert (await told.runtime.request("make it")).reason == "stopped"
    assert (await told.runtime.request("go on")).reason == "done"
    check_order(told.events)


def test_events_go_to_every_subscriber_in_order_until_it_leaves() -> None:
    broadcast = Broadcast()
    heard: list[tuple[str, int]] = []
    leave = broadcast.subscribe(lambda e: heard.append(("a", e.step)))  # type: ignore[union-attr]
    broadcast.subscribe(lambda e: heard.append(("b", e.step)))  # type: ignore[union-attr]
    broadcast(StepStarted(step=1))
    leave()
    broadcast(StepStarted(step=2))
    assert heard == [("a", 1), ("b", 1), ("b", 2)]


def test_a_subscriber_may_leave_while_it_is_told() -> None:
    broadcast = Broadcast()
    heard: list[int] = []

    def once(event: Event) -> None:
        heard.append(1)
        leave()

    leave = broadcast.subscribe(once)
    broadcast.subscribe(lambda _event: heard.append(2))
    broadcast(StepStarted(step=1))
    broadcast(StepStarted(step=2))
    assert heard == [1, 2, 2]


async def test_another_model_takes_the_place_of_the_one_before_and_closing_twice_is_harmless(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("=== answer\nfirst\n=== answer\nsecond\n")
    made = Runtime(tmp_path, Settings(engine=f"scripted:{script}"))
    await made.load()
    before = made.engine
    assert (await made.request("one")).answer == "first"
    await made.load()
    assert made.engine is not before
    assert "one" in bytes(t for t in made.agent.conversation.tokens if t < 256).decode()
    await made.close()
    await made.close()
    with pytest.raises(EngineError, match="not loaded"):
        _ = made.engine
