"""Shortening a conversation: in the documented order, no further than needed, the current request untouched."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roomcode.agent.budget import answer_room, conversation_budget
from roomcode.agent.compaction import compact, fold_line, stub
from roomcode.agent.conversation import Outcome, Turn

LONG = "x" * 600


def render(_before: Sequence[Turn], turn: Turn) -> Turn:
    """One token a character, so that sizes are easy to see."""
    text = turn.text + "".join(o.text for o in turn.outcomes)
    return replace(turn, tokens=tuple(map(ord, text)) or (0,))


def size(turns: Sequence[Turn]) -> int:
    return sum(len(t.tokens) for t in turns)


def request(number: int, text: str, *steps: str, changed: tuple[str, ...] = ()) -> list[Turn]:
    turns = [Turn("request", number, 0, text)]
    for i, result in enumerate(steps, 1):
        call = "c" * 20
        turns.append(Turn("answer", number, i, call, tuple(map(ord, call))))
        outcome = Outcome(f"{number}.{i}.1", "read_file", f"f{i}.js", result, changed=changed if i == 1 else ())
        turns.append(Turn("results", number, i, "", outcomes=(outcome,)))
    answer = f"answer {number}"
    turns.append(Turn("answer", number, len(steps) + 1, answer, tuple(map(ord, answer))))
    return [t if t.tokens else render([], t) for t in turns]


def test_the_budgets_are_those_of_the_documentation() -> None:
    assert [conversation_budget(c) for c in (8192, 16384, 32768)] == [6080, 12224, 24512]
    assert conversation_budget(65536) == 65536 - 8192 - 64
    assert answer_room(8192, 8000) == 191
    assert answer_room(32768, 10) == 8192
    assert answer_room(100, 100) == 0


def test_old_results_become_stubs_first_and_the_last_two_steps_stay() -> None:
    turns = request(1, "do it", LONG, LONG, "short", LONG, LONG)[:-1]
    shortened = compact(turns, size, render, size(turns) - 500)
    texts = [t.outcomes[0].text for t in shortened if t.kind == "results"]
    assert texts == [
        "(output of read_file f1.js dropped; run it again if needed)",
        "(output of read_file f2.js dropped; run it again if needed)",
        "short",
        LONG,
        LONG,
    ]
    assert shortened[0] is turns[0]


def test_then_earlier_requests_fold_oldest_first_with_their_answer() -> None:
    first = request(1, "make it " * 40, LONG, changed=("index.html",))
    turns = [*first, *request(2, "change it " * 40, LONG), *request(3, "now this", LONG)[:-1]]
    stubbed = size(compact(turns, size, render, 10**6))
    shortened = compact(turns, size, render, stubbed - 100)
    assert [(t.kind, t.request) for t in shortened[:3]] == [("fold", 1), ("answer", 1), ("request", 2)]
    assert shortened[0].text == "[earlier: wrote index.html]"
    assert shortened[1].text == "answer 1"
    assert any(t.kind == "results" and t.request == 2 for t in shortened)


def test_an_earlier_request_that_was_never_answered_keeps_its_text() -> None:
    unfinished = request(1, "five wishes", LONG, LONG, LONG, changed=("index.html",))[:-1]
    turns = [*unfinished, *request(2, "go on", LONG)[:-1]]
    shortened = compact(turns, size, render, 900)
    assert [(t.kind, t.request, t.text) for t in shortened[:3]] == [
        ("fold", 1, "five wishes\n\n[earlier: wrote index.html]"),
        ("answer", 1, ""),
        ("request", 2, "go on"),
    ]
    again = compact(shortened, size, render, 890)
    assert again[0].text == shortened[0].text, "what is folded is not folded again"
    # The conversation puts an empty answer between two turns of others.
    empty = Turn("answer", 1, 3, "")
    assert compact([*unfinished, empty, *turns[len(unfinished) :]], size, render, 900)[:3] == shortened[:3]


def test_then_the_oldest_requests_go_and_the_current_one_is_never_folded() -> None:
    turns = [*request(1, "a" * 300, LONG), *request(2, "b" * 300, LONG), *request(3, "five wishes", LONG)[:-1]]
    shortened = compact(turns, size, render, 10)
    assert {t.request for t in shortened} == {3}
    assert shortened[0].text == "five wishes"
    assert shortened[-1].outcomes[0].text == LONG


def test_a_request_that_follows_another_one_now_is_rendered_again() -> None:
    seen: list[int] = []

    def watching(before: Sequence[Turn], turn: Turn) -> Turn:
        seen.append(len(before))
        return render(before, turn)

    turns = [*request(1, "a" * 900), *request(2, "b")[:-1]]
    shortened = compact(turns, size, watching, 5)
    assert [t.request for t in shortened] == [2]
    assert seen[-1] == 0


def test_the_fold_line_says_what_happened_in_a_few_words() -> None:
    outcomes = (
        Outcome("1", "write_file", "index.html", "", changed=("index.html",)),
        Outcome("2", "write_file", "game.js", "", changed=("game.js",)),
        Outcome("3", "edit_file", "game.js", "", changed=("game.js",)),
        Outcome("4", "edit_file", "style.css", "", changed=("style.css",)),
        Outcome("5", "serve", ".", "", port=5173),
        Outcome("6", "serve", ".", "", port=5173),
    )
    turn = Turn("results", 1, 1, "", outcomes=outcomes)
    assert fold_line([turn]) == "[earlier: wrote index.html, game.js; edited style.css; served :5173]"
    assert fold_line([]) == "[earlier: no files changed]"


def test_a_stub_is_never_stubbed_again() -> None:
    once = stub(Outcome("1", "search", "TODO", LONG))
    assert once.stubbed
    turns = [render([], Turn("results", 1, i, "", outcomes=(once,))) for i in range(4)]
    again = compact(turns, size, render, 1)
    assert [t.outcomes[0].text for t in again] == [once.text] * 4


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(st.integers(0, 900), max_size=4), min_size=1, max_size=5), st.integers(1, 4000))
def test_shortening_never_grows_never_loses_the_request_and_keeps_order(shape: list[list[int]], target: int) -> None:
    turns = [t for n, steps in enumerate(shape, 1) for t in request(n, f"request {n}", *("y" * s for s in steps))]
    shortened = compact(turns, size, render, target)
    assert size(shortened) <= size(turns) + 200  # a fold line may be longer than a tiny request
    assert any(t.kind == "request" and t.request == len(shape) for t in shortened)
    assert [t.request for t in shortened] == sorted(t.request for t in shortened)
    if size(shortened) > target:
        assert {t.request for t in shortened} == {len(shape)}
