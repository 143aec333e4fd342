"""Where the checks say that the work is not done, a request is tried anew, and the best attempt is kept."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from roomcode.agent import Hooks
from roomcode.protocol.events import Event, Note
from roomcode.workspace import Workspace
from tests.agent.builders import Scene, call, yes
from tests.agent.test_loop_checks import wrong_note

Scenes = Callable[..., Scene]


def write(text: str) -> str:
    return call("write_file", path="a.txt", content=text)


class Files:
    """Takes back what a workspace with versions wrote."""

    def __init__(self, workspace: Workspace, *, may: bool = True) -> None:
        self.workspace = workspace
        self.may = may

    @property
    def undoable(self) -> bool:
        return self.may

    async def take_back(self) -> int | None:
        return self.workspace.take_back() if self.may else None

    async def bring_back(self, number: int) -> bool:
        return self.workspace.bring_back(number)


def play(
    scene: Scenes,
    project: Path,
    *answers: str,
    attempts: int = 3,
    may: bool = True,
    max_steps: int = 30,
    kind: type[Files] = Files,
    complete: Callable[[], bool] = lambda: False,
    mendable: Callable[[Sequence[str]], bool] = lambda _wrong: False,
) -> Scene:
    """A request whose file has one fault for each `x` in it; without the file there is one as well."""

    async def check(_prompt: str, _files: Sequence[str], _answer: str) -> list[str]:
        path = project / "a.txt"
        return [f"fault {n}" for n in range(path.read_text().count("x"))] if path.exists() else ["no file"]

    workspace = Workspace(project)
    workspace.begin_request(1)
    hooks = Hooks(complete=complete, mendable=mendable, before_end=check, files=kind(workspace, may=may))
    return scene(*answers, hooks=hooks, gate=yes, attempts=attempts, workspace=workspace, max_steps=max_steps)


GIVE_UP = ["I am done."] * 2
"""Said after a fault, and after the one note about it that comes while another attempt is left."""
LAST = ["I am done."] * 4
"""The same in the last attempt, which is told three times."""


async def test_another_attempt_begins_where_the_first_one_did(scene: Scenes, project: Path) -> None:
    one = play(scene, project, write("xx"), *GIVE_UP, write("good"), "Now it is.")
    ended = await one.ask("make it")
    assert (ended.reason, ended.answer, ended.files) == ("done", "Now it is.", ("a.txt",))
    assert (project / "a.txt").read_text() == "good"
    assert one.notes("attempt") == ["attempt 1 is taken back (fault 0; fault 1); attempt 2 of 3"]
    assert "I am done." not in one.talk, "the model does not see what was taken back"
    assert one.talk.count("make it") == 1
    assert (ended.steps, ended.calls) == (5, 2)
    first, second = one.engine.requests[0], one.engine.requests[3]
    assert first.tokens == second.tokens
    assert first.sampling.seed != second.sampling.seed


async def test_the_attempt_with_the_fewest_faults_is_kept(scene: Scenes, project: Path) -> None:
    answers = [(write(x), "I am done.", f"made {x}") for x in ("xxx", "x")]
    one = play(scene, project, *answers[0], *answers[1], write("xx"), *LAST)
    ended = await one.ask()
    assert ended.answer == "made x"
    assert (project / "a.txt").read_text() == "x"
    assert one.notes("attempt")[-1] == "attempt 2 was the best and is kept; still wrong: fault 0"
    assert ended.files == ("a.txt",)
    assert "xxx" not in one.talk
    assert "\nx\n" in one.talk
    one.check()


async def test_when_the_best_attempt_cannot_be_brought_back_the_last_one_stays(scene: Scenes, project: Path) -> None:
    class Once(Files):
        """Fails to bring back what is asked for first."""

        failed = False

        async def bring_back(self, number: int) -> bool:
            first, self.failed = not self.failed, True
            return False if first else await super().bring_back(number)

    one = play(scene, project, write("x"), *GIVE_UP, write("xx"), *LAST, attempts=2, kind=Once)
    await one.ask()
    assert (project / "a.txt").read_text() == "xx"
    assert len(one.notes("attempt")) == 1


async def test_the_last_attempt_is_kept_when_none_was_better(scene: Scenes, project: Path) -> None:
    one = play(scene, project, write("xx"), *GIVE_UP, write("xx"), *LAST, attempts=2)
    await one.ask()
    assert (project / "a.txt").read_text() == "xx"
    assert len(one.notes("attempt")) == 1


async def test_an_attempt_that_wrote_nothing_can_be_followed_by_another(scene: Scenes, project: Path) -> None:
    one = play(scene, project, *GIVE_UP, write("good"), "Done.")
    ended = await one.ask()
    assert (ended.steps, (project / "a.txt").read_text()) == (4, "good")


async def test_a_request_that_is_stuck_is_tried_anew(scene: Scenes, project: Path) -> None:
    vain = call("read_file", path="none.txt")
    one = play(scene, project, vain, vain, vain, write("good"), "Done.")
    ended = await one.ask()
    assert (ended.reason, ended.answer) == ("done", "Done.")
    assert one.notes("attempt") == ["attempt 1 is taken back (no file); attempt 2 of 3"]


async def test_a_step_limit_holds_for_each_attempt(scene: Scenes, project: Path) -> None:
    reads = [call("read_file", path=f"{n}.txt") for n in range(4)]
    one = play(scene, project, *reads, attempts=2, max_steps=2)
    ended = await one.ask()
    assert (ended.reason, ended.steps) == ("limit", 4)


@pytest.mark.parametrize(("attempts", "may"), [(1, True), (3, False)])
async def test_there_is_one_attempt_unless_more_are_wanted_and_files_can_be_taken_back(
    scene: Scenes, project: Path, attempts: int, may: bool
) -> None:
    one = play(scene, project, write("x"), *["I am done."] * 4, attempts=attempts, may=may)
    await one.ask()
    assert one.notes("attempt") == []
    assert (project / "a.txt").read_text() == "x"


async def test_a_file_that_was_changed_by_hand_meanwhile_is_left(scene: Scenes, project: Path) -> None:
    one = play(scene, project, write("x"), *GIVE_UP)

    def on_event(event: Event) -> None:
        if isinstance(event, Note) and event.topic == "check":
            (project / "a.txt").write_text("x by hand")

    one.on_event = on_event
    await one.ask()
    assert one.notes("attempt") == []
    assert (project / "a.txt").read_text() == "x by hand"


async def test_esc_ends_the_request_and_no_attempt_follows(scene: Scenes, project: Path) -> None:
    one = play(scene, project, write("x"), *GIVE_UP, write("good"), "Done.")
    one.stop_at(lambda event: isinstance(event, Note) and event.text.startswith("still wrong"))
    await asyncio.wait_for(one.ask(), 30)
    assert one.notes("attempt") == []
    assert (project / "a.txt").read_text() == "x"


# What could be whole is judged at once


async def test_work_that_is_wrong_is_done_anew_before_anything_is_mended(scene: Scenes, project: Path) -> None:
    one = play(scene, project, write("xx"), write("good"), "Done.", complete=lambda: True)
    ended = await one.ask("make it")
    assert (ended.reason, ended.answer, ended.steps) == ("done", "Done.", 3)
    assert one.notes("attempt") == ["attempt 1 is taken back (fault 0; fault 1); attempt 2 of 3"]
    assert one.notes("check") == []
    assert "xx" not in one.talk
    one.check()


async def test_after_the_last_attempt_the_best_one_is_mended(scene: Scenes, project: Path) -> None:
    mend = call("edit_file", path="a.txt", old="x", new="good")
    one = play(scene, project, write("xx"), write("x"), write("xxx"), mend, "It is.", complete=lambda: True)
    ended = await one.ask("make it")
    assert (ended.reason, ended.answer) == ("done", "It is.")
    assert (project / "a.txt").read_text() == "good"
    assert one.notes("attempt")[-1] == "attempt 2 was the best and is kept; still wrong: fault 0"
    assert one.notes("check") == [wrong_note("fault 0")]
    assert one.talk.count(wrong_note("fault 0")) == 1, "it is told with the result of the attempt that is kept"
    assert ended.files == ("a.txt",)
    one.check()


async def test_the_last_attempt_is_mended_when_none_was_better(scene: Scenes, project: Path) -> None:
    mend = call("edit_file", path="a.txt", old="x", new="good")
    one = play(scene, project, write("xx"), write("x"), mend, "It is.", attempts=2, complete=lambda: True)
    ended = await one.ask("make it")
    assert (ended.answer, (project / "a.txt").read_text(), ended.steps) == ("It is.", "good", 4)
    assert one.talk.count(wrong_note("fault 0")) == 1
    one.check()


async def test_what_has_a_clear_cure_is_mended_before_anything_is_done_anew(scene: Scenes, project: Path) -> None:
    one = play(
        scene, project, write("x"), write("good"), "Done.", complete=lambda: True, mendable=lambda wrong: len(wrong) < 2
    )
    ended = await one.ask()
    assert (ended.reason, ended.answer, (project / "a.txt").read_text()) == ("done", "Done.", "good")
    assert one.notes("attempt") == []
    assert [wrong_note("fault 0") in note for note in one.notes("check")][:1] == [True]


async def test_a_cure_that_does_not_help_is_tried_three_times(scene: Scenes, project: Path) -> None:
    answers = [write(text) for text in ("x", "1x", "2x", "3x", "good")]
    one = play(scene, project, *answers, "Done.", complete=lambda: True, mendable=lambda _wrong: True)
    await one.ask()
    assert one.notes("attempt") == ["attempt 1 is taken back (fault 0); attempt 2 of 3"]
    assert (project / "a.txt").read_text() == "good"


async def test_work_that_is_right_is_judged_once(scene: Scenes, project: Path) -> None:
    one = play(scene, project, write("good"), write("x"), *GIVE_UP, write("fine"), "Done.", complete=lambda: True)
    ended = await one.ask("make it")
    assert (project / "a.txt").read_text() == "fine"
    assert len(one.notes("attempt")) == 1, "the fault that came later is only seen at the end"
    assert ended.answer == "Done."


async def test_work_that_is_not_whole_yet_is_not_judged(scene: Scenes, project: Path) -> None:
    whole = iter([False, True])
    one = play(scene, project, write("x"), write("good"), "Done.", complete=lambda: next(whole))
    await one.ask("make it")
    assert one.notes("attempt") == []
    assert (project / "a.txt").read_text() == "good"


async def test_with_one_attempt_work_is_looked_at_in_the_end(scene: Scenes, project: Path) -> None:
    mend = call("edit_file", path="a.txt", old="x", new="good")
    one = play(scene, project, write("x"), "Is it?", mend, "It is.", attempts=1, complete=lambda: True)
    ended = await one.ask("make it")
    assert (ended.answer, (project / "a.txt").read_text()) == ("It is.", "good")
    assert one.notes("attempt") == []


async def test_what_cannot_be_taken_back_is_mended_at_once(scene: Scenes, project: Path) -> None:
    mend = call("edit_file", path="a.txt", old="x", new="good")
    one = play(scene, project, write("x"), mend, "It is.", may=False, complete=lambda: True)
    ended = await one.ask("make it")
    assert (ended.answer, ended.steps, (project / "a.txt").read_text()) == ("It is.", 3, "good")
    assert one.notes("attempt") == []
    assert one.notes("check") == [wrong_note("fault 0")]


async def test_what_cannot_be_taken_back_has_all_steps_and_all_rounds(scene: Scenes, project: Path) -> None:
    """A person who is asked about each change has one attempt, whatever the model's profile says."""
    reads = [call("read_file", path=f"{n}.txt") for n in range(12)]
    one = play(scene, project, *reads, write("good"), "Done.", may=False)
    ended = await one.ask()
    assert (ended.reason, ended.answer, ended.steps) == ("done", "Done.", 14)
    two = play(scene, project, write("x"), *LAST, may=False)
    await two.ask()
    assert len(two.notes("check")) == 4, "told three times, and the person once"


async def test_files_of_which_no_versions_are_kept_are_mended_and_not_left_behind(scene: Scenes, project: Path) -> None:
    class Unversioned(Files):
        async def take_back(self) -> int | None:
            return 0

    mend = call("edit_file", path="a.txt", old="x", new="good")
    one = play(scene, project, write("x"), mend, "It is.", kind=Unversioned, complete=lambda: True)
    ended = await one.ask("make it")
    assert (ended.answer, (project / "a.txt").read_text()) == ("It is.", "good")
    assert one.notes("attempt") == []
