"""A session of a real model that is closed and opened again computes nothing anew."""

from pathlib import Path

import pytest

from roomcode.assembly import Runtime
from roomcode.config import Settings
from roomcode.protocol.events import Event, StepEnded
from roomcode.session import LAST, NEW, SessionFolder

pytestmark = pytest.mark.model
SETTINGS = Settings(model="qwen2.5-coder-0.5b", mode="auto", context=4096, temperature=0.0, max_steps=2)


def runtime(project: Path, sessions: Path, resume: str) -> tuple[Runtime, list[Event]]:
    made = Runtime(project, SETTINGS, sessions=SessionFolder(project, sessions), resume=resume)
    events: list[Event] = []
    made.subscribe(events.append)
    return made, events


async def test_reopening_reuses_the_whole_conversation(tmp_path: Path) -> None:
    project, sessions = tmp_path / "project", tmp_path / "sessions"
    project.mkdir()
    (project / "notes.txt").write_text("The code word is heliotrope.\n")
    first, events = runtime(project, sessions, NEW)
    await first.load()
    await first.request("Read notes.txt.")
    before = first.agent.conversation.tokens
    await first.close()
    second, events = runtime(project, sessions, LAST)
    await second.load()
    assert second.agent.conversation.tokens == before
    await second.request("What is the code word?")
    await second.close()
    step = next(e for e in events if isinstance(e, StepEnded))
    assert step.usage.reused >= len(before) - 2
    assert step.usage.new < 120
