"""Going round in circles: what counts as a repeat, when the model is told, when the request is stuck."""

from roomcode.agent.repeats import RepeatGuard
from roomcode.protocol.tools import Effect, ToolResult

FAILED = ToolResult("failed", "old is not in the file\nmore words")
OK = ToolResult("ok", "text")


def step(
    guard: RepeatGuard, result: ToolResult, *, tool: str = "edit_file", effect: Effect = "write", **arguments: str
):  # type: ignore[no-untyped-def]
    guard.record(tool, effect, arguments, result)
    return guard.end_step()


def page(*errors: str) -> ToolResult:
    return ToolResult("ok", "served", page_errors=errors, port=5173)


def test_the_same_failing_call_is_told_once_before_it_is_stuck() -> None:
    guard = RepeatGuard()
    first, second, third = (step(guard, FAILED, path="a.js") for _ in range(3))
    assert (first.note, first.stuck) == ("", "")
    assert "same edit_file call 2 times" in second.note
    assert third.stuck == "the same edit_file call failed 3 times: old is not in the file"


def test_another_call_in_between_breaks_the_streak() -> None:
    guard = RepeatGuard()
    step(guard, FAILED, path="a.js")
    step(guard, FAILED, path="a.js")
    assert step(guard, FAILED, path="b.js").stuck == ""
    assert step(guard, FAILED, path="a.js").note == ""


def test_a_read_counts_as_a_repeat_only_with_the_same_result() -> None:
    guard = RepeatGuard()
    for n in range(6):
        verdict = step(guard, ToolResult("ok", f"version {n}"), tool="read_file", effect="read", path="a.js")
        assert (verdict.note, verdict.stuck) == ("", "")
    verdicts = [step(guard, OK, tool="read_file", effect="read", path="a.js") for _ in range(4)]
    assert "same read_file call" in verdicts[2].note
    assert verdicts[3].stuck


def test_reading_again_after_a_change_is_no_repeat() -> None:
    guard = RepeatGuard()
    for n in range(5):
        assert step(guard, OK, tool="read_file", effect="read", path="a.js").note == ""
        assert step(guard, ToolResult("ok", "wrote", changed=("a.js",)), path="a.js", new=str(n)).note == ""


def test_where_an_edit_of_the_last_step_came_to_nothing_is_known_until_the_next_one() -> None:
    guard = RepeatGuard()
    step(guard, ToolResult("failed", "old is not there"), tool="edit_file", path="a.js", old="let a;", new="let b;")
    step(guard, OK, tool="read_file", effect="read", path="a.js")
    assert guard.vain == ()
    step(guard, ToolResult("unchanged", "it holds this"), tool="edit_file", path="a.js", old="let a;", new="let b;")
    assert guard.vain == (("a.js", "let a;"),)
    step(guard, ToolResult("failed", "what is old?"), tool="edit_file", path="a.js")
    assert guard.vain == ()
    step(guard, ToolResult("failed", "no such file"), tool="write_file", path="a.js", old="let a;")
    assert guard.vain == ()


def test_an_identical_write_is_not_run_twice_until_something_else_changed_its_file() -> None:
    guard = RepeatGuard()
    arguments = {"path": "a.js", "content": "x"}
    assert guard.already_done("write_file", "write", arguments) is None
    guard.record("write_file", "write", arguments, ToolResult("ok", "wrote", changed=("a.js",)))
    again = guard.already_done("write_file", "write", arguments)
    assert again is not None
    assert again.state == "unchanged"
    assert "a.js" in again.text
    guard.record("write_file", "write", {"path": "b.js", "content": "y"}, ToolResult("ok", "wrote", changed=("b.js",)))
    # A text that is appended again after another file was written would stand in the file twice.
    assert guard.already_done("write_file", "write", arguments) is not None
    guard.record("edit_file", "write", {"path": "a.js", "old": "x"}, ToolResult("ok", "edited", changed=("a.js",)))
    assert guard.already_done("write_file", "write", arguments) is None


def test_a_failed_write_may_be_tried_again_and_a_rejected_one_not() -> None:
    guard = RepeatGuard()
    guard.record("edit_file", "write", {"path": "a"}, FAILED)
    assert guard.already_done("edit_file", "write", {"path": "a"}) is None
    guard.record("edit_file", "write", {"path": "b"}, ToolResult("rejected", "not this file"))
    again = guard.already_done("edit_file", "write", {"path": "b"})
    assert again is not None
    assert again.state == "rejected"
    assert "not this file" in again.text
    guard.record("edit_file", "write", {"path": "b"}, again)
    third = guard.already_done("edit_file", "write", {"path": "b"})
    assert third == again, "the refusal grows each time"


def test_the_same_page_error_is_told_at_the_third_check_and_stuck_at_the_fifth() -> None:
    guard = RepeatGuard()
    notes, stuck = [], []
    for n in range(5):
        guard.record("edit_file", "write", {"path": "a.js", "new": str(n)}, ToolResult("ok", "", changed=("a.js",)))
        verdict = step(guard, page("app.js: x is not defined", "another"), tool="serve", effect="run")
        notes.append(bool(verdict.note))
        stuck.append(bool(verdict.stuck))
    assert notes == [False, False, True, False, False]
    assert stuck == [False, False, False, False, True]


def test_a_check_without_a_change_before_it_is_no_try_but_may_be_a_repeat() -> None:
    guard = RepeatGuard()
    for n in range(7):
        found = ToolResult("ok", f"served, {n}", page_errors=("app.js: x is not defined",), port=5173)
        verdict = step(guard, found, tool="serve", effect="run")
        assert (verdict.note, verdict.stuck) == ("", "")
    verdicts = [step(guard, page("app.js: x is not defined"), tool="serve", effect="run") for _ in range(4)]
    assert [bool(v.note) for v in verdicts] == [False, False, True, False]
    assert verdicts[3].stuck == "the same serve call was repeated 3 times and gave nothing new"


def test_another_first_error_starts_counting_anew() -> None:
    guard = RepeatGuard()
    for n in range(8):
        guard.record("edit_file", "write", {"path": "a.js", "new": str(n)}, ToolResult("ok", "", changed=("a.js",)))
        verdict = step(guard, page(f"error {n // 2}"), tool="serve", effect="run")
        assert (verdict.note, verdict.stuck) == ("", "")


def test_a_call_the_person_stopped_is_no_failure() -> None:
    guard = RepeatGuard()
    for _ in range(5):
        assert step(guard, ToolResult("stopped", "stopped by the user"), path="a.js").stuck == ""


def test_an_edit_that_would_only_go_back_is_not_run_again() -> None:
    guard = RepeatGuard()
    there, back = ({"path": "a", "old": old, "new": new} for old, new in (("x", "y"), ("y", "x")))
    for arguments in (there, back):
        assert guard.already_done("edit_file", "write", arguments) is None
        guard.record("edit_file", "write", arguments, ToolResult("ok", "Edited a.", changed=("a",)))
    again = guard.already_done("edit_file", "write", there)
    assert again is not None
    assert (again.state, "changed it again" in again.text) == ("unchanged", True)
    assert guard.already_done("edit_file", "write", {**there, "path": "b"}) is None
