"""Every kind of memory under the whole agent: stopped answers, rejected changes and shortened conversations never cost
more than what is new and the way back to the last checkpoint."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from roomcode.agent import Agent, AgentSettings, Conversation, Hooks, announced
from roomcode.calls import CallConstraint
from roomcode.chat import ChatTemplate
from roomcode.engine.llama import LlamaEngine, LlamaOptions
from roomcode.engine.slot import common_prefix
from roomcode.protocol.approval import ApprovalRequest, Decision
from roomcode.protocol.engine import Answer, Constraint, Generation, OnText, Sampling
from roomcode.protocol.events import CallArgs, CallOpened, Event, Note, Result, Usage
from roomcode.tools import Toolset, file_tools
from roomcode.workspace import Workspace
from tests.support.tiny_gguf import write_hybrid, write_llama, write_mamba, write_sliding

KINDS: dict[str, Callable[[Path], Path]] = {
    "attention": write_llama,
    "recurrent": write_mamba,
    "hybrid": write_hybrid,
    "sliding window": write_sliding,
}
UNCUTTABLE = ("recurrent", "hybrid")
CONTEXT = 2048
_PATHS = {"write_file": "page.txt"}
"""A random model would name files that cannot be."""


@dataclass(frozen=True)
class Call:
    """One model call: its prompt, how many of its tokens are the prefix, its cost, and what memory held afterwards."""

    prompt: list[int]
    prefix: int
    usage: Usage
    memory: list[int]


@dataclass
class Watched(LlamaEngine):
    """An engine that remembers each model call."""

    inner: LlamaEngine
    calls: list[Call] = field(default_factory=list)

    def __getattribute__(self, name: str) -> object:
        if name in ("inner", "calls", "generate", "__class__"):
            return object.__getattribute__(self, name)
        return getattr(object.__getattribute__(self, "inner"), name)

    async def generate(self, generation: Generation, on_text: OnText) -> Answer:
        answer = await self.inner.generate(generation, on_text)
        call = Call(list(generation.tokens), generation.prefix, answer.usage, list(self.inner._slot.tokens))
        self.calls.append(call)
        return answer


class Scene:
    """An agent on a tiny model in a folder with one file. Each answer has to begin with a call of `tool`."""

    def __init__(self, engine: LlamaEngine, folder: Path) -> None:
        self.engine = Watched(engine)
        self.tool = "read_file"
        self.events: list[Event] = []
        self.stops_at: type[Event] | None = None
        (folder / "notes.txt").write_text("a line of the file\n" * 12)
        self.workspace = Workspace(folder, versions=False)
        self.tools = Toolset(file_tools(self.workspace))
        self.conversation = Conversation(
            self.engine, ChatTemplate(engine.info.template), "You are good at this. " * 4, [], engine.info.end_tokens
        )
        self.agent = Agent(
            self.engine,
            self.conversation,
            self.tools,
            announced(self.reject, self.emit),
            self.emit,
            AgentSettings(
                "xml", sampling=Sampling(temperature=2.0, top_k=0, top_p=1.0, seed=5), max_steps=1, answer_cap=400
            ),
            Hooks(constraint=lambda *_: self.constraint()),
        )

    async def reject(self, _request: ApprovalRequest) -> Decision:
        return Decision(False, "not like this")

    def emit(self, event: Event) -> None:
        self.events.append(event)
        if self.stops_at is not None and isinstance(event, self.stops_at):
            self.agent.stop()

    def constraint(self) -> Constraint:
        engine = self.engine
        return CallConstraint(
            "xml",
            self.tools.specs,
            engine,
            engine.matcher,
            end_tokens=engine.info.end_tokens,
            choices=lambda tool, parameter: (_PATHS.get(tool, "notes.txt"),) if parameter == "path" else None,
            first=(self.tool,),
        )

    def results(self) -> list[str]:
        return [event.state for event in self.events if isinstance(event, Result)]

    def notes(self, topic: str) -> int:
        return sum(isinstance(event, Note) and event.topic == topic for event in self.events)


async def load(file: Path, checkpoints: int) -> LlamaEngine:
    options = LlamaOptions(context=CONTEXT, threads=1, batch=64, checkpoints=checkpoints)
    return await LlamaEngine.load(file, "tiny", options)


def check_costs(calls: Sequence[Call], *, cuttable: bool, checkpoints: int) -> int:
    """Each call computed what is new in it and at most the way back to the last checkpoint; returns how many calls
    departed from what was there."""
    marks: list[int] = []
    departed = 0
    for before, now in pairwise(calls):
        # A mark behind the prefix, and one before the last token of each prompt.
        marks = [*marks, len(before.prompt) - 1][-checkpoints:] if checkpoints else []
        common = common_prefix(before.memory, now.prompt)
        usage = now.usage
        assert usage.new + usage.reused == len(now.prompt)
        if common == len(before.memory):
            assert usage.reused == common
            continue
        departed += 1
        if cuttable:
            assert usage.reused == common
        elif checkpoints:
            assert usage.reused == max(mark for mark in (now.prefix, *marks) if mark <= common)
        else:
            assert usage.reused == 0
        marks = [mark for mark in marks if mark <= usage.reused]
    return departed


@pytest.mark.parametrize("kind", KINDS)
async def test_only_new_tokens_are_computed_whatever_happens(kind: str, tmp_path: Path) -> None:
    file = KINDS[kind](tmp_path / "tiny.gguf")
    project = tmp_path / "project"
    project.mkdir()
    engine = await load(file, 8)
    scene = Scene(engine, project)
    await scene.agent.run("read it")
    scene.stops_at = CallArgs
    await scene.agent.run("and stop in the middle of a call")
    scene.stops_at = CallOpened
    await scene.agent.run("and where it begins")
    scene.stops_at = None
    scene.tool = "write_file"
    for _ in range(8):  # a random text may be cut by the cap
        await scene.agent.run("write what is not wanted")
        if "rejected" in scene.results():
            break
    assert scene.results()[0] == "ok"
    assert {"stopped", "rejected"} <= set(scene.results())
    scene.tool = "read_file"
    for number in range(12):
        await scene.agent.run(f"read it once more, for the time number {number}")
    assert scene.notes("compaction"), "the test is too small"
    departed = check_costs(scene.engine.calls, cuttable=kind not in UNCUTTABLE, checkpoints=8)
    # What a model repeats is taken out of its answer, which is a departure, too.
    assert scene.notes("compaction") <= departed <= scene.notes("compaction") + scene.notes("repeat")
    tokens = list(scene.conversation.tokens)
    logits = await engine.next_token_logits(tokens)
    await engine.close()
    fresh = await load(file, 8)
    assert np.allclose(logits, await fresh.next_token_logits(tokens), atol=2e-2)
    await fresh.close()


@pytest.mark.parametrize("kind", UNCUTTABLE)
async def test_without_checkpoints_a_shortened_conversation_is_computed_as_a_whole(kind: str, tmp_path: Path) -> None:
    file = KINDS[kind](tmp_path / "tiny.gguf")
    project = tmp_path / "project"
    project.mkdir()
    engine = await load(file, 0)
    scene = Scene(engine, project)
    for number in range(8):
        await scene.agent.run(f"read it, for the time number {number}")
    await engine.close()
    departed = check_costs(scene.engine.calls, cuttable=False, checkpoints=0)
    assert 0 < scene.notes("compaction") <= departed <= scene.notes("compaction") + scene.notes("repeat")
