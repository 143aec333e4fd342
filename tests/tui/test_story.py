"""From events to items."""

from roomcode.protocol.display import FileChange, PageReport
from roomcode.protocol.events import (
    Approval,
    Call,
    CallArgs,
    CallOpened,
    Event,
    Note,
    RequestEnded,
    RequestStarted,
    Result,
    StepEnded,
    StepStarted,
    Text,
    Usage,
)
from roomcode.tui.items import Answer, Card, Remark, Request, Summary, Thought
from roomcode.tui.story import Story


def told(*events: Event) -> Story:
    story = Story()
    for event in events:
        story.apply(event)
    return story


def ended(reason: str = "done") -> RequestEnded:
    return RequestEnded(
        request=1, reason=reason, detail="", answer="", steps=1, calls=0, tokens=0, tok_per_s=0, seconds=0, files=(),
        summary="1 step",
    )  # type: ignore[arg-type]  # fmt: skip


START = RequestStarted(request=1, prompt="make it", model="m", form="xml")


def opened(call: str, tool: str = "read_file") -> tuple[CallOpened, Call]:
    return CallOpened(call=call, tool=tool), Call(call=call, tool=tool, arguments={"path": "a.js"})


def test_a_request_reads_from_its_prompt_to_its_summary() -> None:
    story = told(
        START, StepStarted(step=1), Text(text="Hm.", thought=True), Text(text="I "), Text(text="look."),
        *opened("1.1.1"),
        Result(call="1.1.1", tool="read_file", state="ok", text="x"), Note(topic="hint", text="short"), ended(),
    )  # fmt: skip
    assert [type(item) for item in story.items] == [Request, Thought, Answer, Card, Remark, Summary]
    assert isinstance(story.items[2], Answer)
    assert story.items[2].body.text == "I look."
    assert not story.running


def test_white_space_before_a_call_makes_no_empty_answer() -> None:
    assert [type(item) for item in told(START, Text(text="\n\n"), *opened("1.1.1")).items] == [Request, Card]


def test_calls_of_one_answer_run_one_after_the_other() -> None:
    story = told(START, *opened("1.1.1"), *opened("1.1.2"))
    first, second = story.card("1.1.1"), story.card("1.1.2")
    assert first is not None
    assert second is not None
    assert (first.state, second.state) == ("running", "ready")
    story.apply(Result(call="1.1.1", tool="read_file", state="failed", text="no"))
    assert (first.state, second.state) == ("failed", "running")
    story.apply(Result(call="1.1.2", tool="read_file", state="ok", text="yes"))
    assert story.open_cards == []


def test_no_call_runs_while_the_model_still_writes() -> None:
    story = told(START, *opened("1.1.1"), CallOpened(call="1.1.2", tool=""))
    first = story.card("1.1.1")
    assert first is not None
    assert first.state == "ready"


def test_a_card_gets_its_tool_and_arguments_as_they_come() -> None:
    story = told(
        START, CallOpened(call="1.1.1", tool=""), CallArgs(call="1.1.1", tool="write_file", name="path", text="a"),
        CallArgs(call="1.1.1", tool="write_file", name="path", text=".js"),
    )  # fmt: skip
    card = story.card("1.1.1")
    assert card is not None
    assert (card.tool, card.main, card.state) == ("write_file", "a.js", "writing")


def test_approvals_move_the_card() -> None:
    change = FileChange("a.js", "a", "b")
    story = told(START, *opened("1.1.1"), Approval(call="1.1.1", tool="edit_file", state="asked", change=change))
    card = story.card("1.1.1")
    assert card is not None
    assert (card.state, card.change) == ("waiting", change)
    story.apply(Approval(call="1.1.1", tool="edit_file", state="rejected", comment="no"))
    story.apply(Result(call="1.1.1", tool="edit_file", state="rejected", text="no"))
    assert (card.state, card.comment) == ("rejected", "no")


def test_a_stopped_request_leaves_no_card_open() -> None:
    story = told(START, *opened("1.1.1"), *opened("1.1.2"), ended("stopped"))
    assert {item.state for item in story.items if isinstance(item, Card)} == {"stopped"}


def test_files_are_remembered_from_before_the_first_change_to_after_the_last() -> None:
    results = [
        Result(call=f"1.1.{n}", tool="edit_file", state=state, text="", display=FileChange("a.js", before, after))
        for n, (state, before, after) in enumerate(
            [("ok", "one", "two"), ("failed", "two", "bad"), ("ok", "two", "three")]
        )
    ]  # type: ignore[arg-type]
    file = told(START, *results).files["a.js"]
    assert (file.before, file.after, file.times) == ("one", "three", 2)


def test_usage_and_pages_are_for_the_status_line() -> None:
    usage = Usage(new=10, reused=90, sampled=5, seconds=1.0)
    story = told(
        START, StepStarted(step=3), StepEnded(step=3, usage=usage, context_used=105, context_budget=1_000),
        Result(call="1.3.1", tool="serve", state="ok", text="", display=PageReport("http://x", 5173, "", "clean")),
    )  # fmt: skip
    assert (story.used, story.budget, story.usage.new, story.step) == (105, 1_000, 10, 3)
    assert story.pages[5173].state == "clean"


def test_a_new_task_forgets_the_talk_but_not_the_files() -> None:
    story = told(START, Result(call="1", tool="w", state="ok", text="", display=FileChange("a", None, "x")), ended())
    story.clear()
    assert story.items == []
    assert list(story.files) == ["a"]


def test_only_what_changed_is_handed_out() -> None:
    story = told(START, Text(text="a"))
    assert len(story.take_changed()) >= 2
    assert story.take_changed() == []
    story.apply(Text(text="b"))
    assert {type(item) for item in story.take_changed()} == {Answer}
