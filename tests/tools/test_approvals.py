"""Who says yes: mode, rules, earlier answers, the person."""

import pytest

from roomcode.protocol.approval import ApprovalRequest, Decision
from roomcode.protocol.display import FileChange
from roomcode.tools.approvals import Approvals
from tests.support.files import Gate


def request(path: str = "a.js", *, reading: bool = False) -> ApprovalRequest:
    return ApprovalRequest("1.1.1", "write_file", FileChange(path, None, "x"), reading)


async def test_no_person_means_no():
    decision = await Approvals()(request())
    assert not decision.approved
    assert decision.comment


async def test_mode_ask_asks_and_passes_the_answer_on():
    gate = Gate(Decision(False, "because"))
    assert await Approvals(gate)(request()) == Decision(False, "because")
    assert len(gate.asked) == 1


async def test_mode_auto_approves_and_can_be_changed():
    gate = Gate(Decision(False))
    approvals = Approvals(gate, mode="auto")
    assert (await approvals(request())).approved
    approvals.mode = "ask"
    assert not (await approvals(request())).approved


@pytest.mark.parametrize(
    ("path", "approved"),
    [("docs/a.md", True), ("docs/deep/b.md", True), ("docs/secret.md", False), ("src/a.js", False), ("a.css", True)],
)
async def test_rules_of_the_settings(path: str, approved: bool):
    approvals = Approvals(Gate(Decision(False)), globs=["docs/**", "*.css", "!docs/secret.md"])
    assert (await approvals(request(path))).approved == approved


async def test_a_yes_can_cover_the_request():
    gate = Gate(Decision(True, remember="request"))
    approvals = Approvals(gate)
    for _ in range(3):
        assert (await approvals(request())).approved
    assert len(gate.asked) == 1
    approvals.begin_request()
    await approvals(request())
    assert len(gate.asked) == 2


async def test_a_yes_can_cover_the_session_until_it_is_taken_back():
    gate = Gate(Decision(True, remember="session"))
    approvals = Approvals(gate)
    await approvals(request())
    approvals.begin_request()
    await approvals(request())
    assert len(gate.asked) == 1
    approvals.reset()
    await approvals(request())
    assert len(gate.asked) == 2


async def test_a_no_is_never_remembered():
    gate = Gate(Decision(False, remember="session"))
    approvals = Approvals(gate)
    await approvals(request())
    await approvals(request())
    assert len(gate.asked) == 2


async def test_a_protected_file_is_shown_only_by_the_person():
    gate = Gate(Decision(True, remember="session"))
    approvals = Approvals(gate, mode="auto", globs=["**"])
    await approvals(request(".env", reading=True))
    await approvals(request(".env", reading=True))
    assert len(gate.asked) == 2
    assert not (await Approvals(mode="auto")(request(".env", reading=True))).approved
