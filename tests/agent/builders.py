"""A request loop to test with: a scripted model, real file tools in a folder, fake pages, events in a short form."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from roomcode.agent import Agent, AgentSettings, Conversation, Hooks, announced
from roomcode.calls import render_call
from roomcode.chat import ChatTemplate, Form
from roomcode.engine.scripted import ScriptedEngine, parse_script
from roomcode.protocol.approval import ApprovalGate, ApprovalRequest, Decision, refuse_all
from roomcode.protocol.engine import EngineInfo
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
)
from roomcode.protocol.tools import Parameter, Tool, ToolContext, ToolResult, ToolSpec
from roomcode.tools import Toolset, file_tools
from roomcode.workspace import Workspace
from tests.support import templates

__all__ = [
    "CUT",
    "GARBAGE",
    "FakeTool",
    "Patient",
    "Scene",
    "call",
    "check_order",
    "error",
    "page",
    "serve_tool",
    "story",
    "waiting_tool",
    "yes",
]

CUT = "#! cut\n"
GARBAGE = "#! garbage\n"

_LETTERS: dict[type, str] = {
    RequestStarted: "R",
    StepStarted: "S",
    Text: "t",
    CallOpened: "o",
    CallArgs: "a",
    Call: "c",
    Approval: "p",
    Result: "r",
    Note: "n",
    StepEnded: "s",
    RequestEnded: "E",
}
_ORDER = re.compile(r"(?:Rn*(?:S[toac]*[ocpr]*n*sn*)*E)+")


def error(text: str) -> str:
    """The line of a script at which the engine fails."""
    return f"#! error {text}\n"


def call(tool: str, *, form: Form = "xml", **arguments: Any) -> str:
    """The text of one call."""
    return render_call(form, tool, arguments)


def page(*errors: str, port: int = 5173) -> ToolResult:
    """What `serve` gives for a page with these errors."""
    text = "\n".join(errors) or "loaded with no errors"
    return ToolResult("ok", f"http://127.0.0.1:{port}/ {text}", page_errors=errors, port=port)


async def yes(_request: ApprovalRequest) -> Decision:
    """The gate of a person who agrees to everything."""
    return Decision(True)


Play = Callable[[Mapping[str, Any], ToolContext], Awaitable[ToolResult]]


@dataclass
class FakeTool:
    """A tool that plays results; `calls` are the arguments it was given."""

    spec: ToolSpec
    play: Play
    calls: list[Mapping[str, Any]] = field(default_factory=list)

    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self.calls.append(arguments)
        return await self.play(arguments, context)


_SERVE = ToolSpec(
    "serve",
    "Serve a folder.",
    (
        Parameter("path", "string", "folder", required=False, default="."),
        Parameter("port", "integer", "port", required=False, default=5173),
    ),
    "run",
)


def serve_tool(*results: ToolResult) -> FakeTool:
    """A `serve` that gives these results in turn, the last one for ever."""
    left = list(results)

    async def play(_arguments: Mapping[str, Any], _context: ToolContext) -> ToolResult:
        return left.pop(0) if len(left) > 1 else left[0]

    return FakeTool(_SERVE, play)


def waiting_tool(name: str = "wait") -> tuple[FakeTool, asyncio.Event]:
    """A tool that never ends by itself, and an event that is set once it runs."""
    started = asyncio.Event()

    async def play(_arguments: Mapping[str, Any], _context: ToolContext) -> ToolResult:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError("not reached")

    return FakeTool(ToolSpec(name, "Waits.", (), "run"), play), started


class Patient:
    """A clock on which time stands still: waiting ends only when the wait is given up."""

    def __init__(self) -> None:
        self.waiting = asyncio.Event()

    async def sleep(self, _seconds: float) -> None:
        self.waiting.set()
        await asyncio.Event().wait()


def check_order(events: Sequence[Event]) -> None:
    """The documented order of events, and: each call opened once, told once, with one result, all with the same id."""
    letters = "".join(_LETTERS[type(e)] for e in events)
    assert _ORDER.fullmatch(letters), letters
    opened = [e.call for e in events if isinstance(e, CallOpened)]
    called = [e.call for e in events if isinstance(e, Call)]
    results = [e.call for e in events if isinstance(e, Result)]
    assert len(set(opened)) == len(opened), opened
    assert called == opened, (opened, called)
    assert sorted(results) == sorted(opened), (opened, results)
    for event in events:
        if isinstance(event, CallArgs | Approval):
            assert event.call in opened


def story(events: Sequence[Event]) -> list[str]:
    """Events in a short form, one text for each; texts in a row are joined, arguments that grow are left out."""
    told: list[str] = []
    for event in events:
        match event:
            case RequestStarted(request=number):
                told.append(f"request {number}")
            case StepStarted(step=step):
                told.append(f"step {step}")
            case Text(text=text, thought=thought):
                kind = "thought" if thought else "text"
                if told and told[-1].startswith(f"{kind}: "):
                    told[-1] += text
                else:
                    told.append(f"{kind}: {text}")
            case CallOpened(call=number, tool=tool):
                told.append(f"opened {number} {tool}")
            case Call(call=number, tool=tool):
                told.append(f"call {number} {tool}")
            case Approval(call=number, state=state):
                told.append(f"approval {number} {state}")
            case Result(call=number, state=state):
                told.append(f"result {number} {state}")
            case Note(topic=topic):
                told.append(f"note {topic}")
            case StepEnded(step=step):
                told.append(f"step {step} ended")
            case RequestEnded(reason=reason):
                told.append(f"ended {reason}")
            case _:
                pass
    return told


compiled = cache(ChatTemplate)


class ConstrainedEngine(ScriptedEngine):
    """Says that it keeps to constraints, so that it is asked which ones there are."""

    @property
    def info(self) -> EngineInfo:
        return replace(super().info, constrained=True)


class Scene:
    """An agent with a scripted model in a folder. `answers` are texts of the model, or lines of a script."""

    def __init__(
        self,
        folder: Path,
        *answers: str,
        tools: Sequence[Tool] = (),
        gate: ApprovalGate | None = None,
        context: int = 32768,
        devices: int = 1,
        template: str = templates.JSON_TOOLS,
        system: str = "be good",
        form: Form = "xml",
        hooks: Hooks | None = None,
        clock: Any = None,
        engine: type[ScriptedEngine] = ScriptedEngine,
        workspace: Workspace | None = None,
        **settings: Any,
    ) -> None:
        script = "".join(f"=== answer\n{answer}\n" for answer in answers) or "=== answer\n"
        self.engine = engine(parse_script(script), context=context, devices=devices, clock=clock, template=template)
        self.events: list[Event] = []
        self.on_event: Callable[[Event], None] = lambda _event: None
        info = self.engine.info
        self.conversation = Conversation(self.engine, compiled(template), system, [], info.end_tokens)
        self.workspace = workspace or Workspace(folder, versions=False)
        self.agent = Agent(
            self.engine,
            self.conversation,
            Toolset((*file_tools(self.workspace), *tools)),
            announced(gate or refuse_all, self._emit),
            self._emit,
            AgentSettings(form, **settings),
            hooks,
        )

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        self.on_event(event)

    async def ask(self, prompt: str = "do it") -> RequestEnded:
        """One request. The order of all events so far is checked, and that the conversation still renders."""
        ended = await self.agent.run(prompt)
        self.check()
        return ended

    def check(self) -> None:
        check_order(self.events)
        conversation = self.conversation
        for at, turn in list(enumerate(conversation.turns))[-8:]:
            if turn.kind != "answer":
                assert turn.tokens == conversation.rendered(conversation.turns[:at], turn).tokens, turn
        assert len(conversation.tokens) == len(conversation)

    def stop_at(self, wanted: Callable[[Event], bool]) -> None:
        """Press Esc at the first event that is wanted."""

        def on_event(event: Event) -> None:
            if wanted(event):
                self.on_event = lambda _event: None
                self.agent.stop()

        self.on_event = on_event

    @property
    def story(self) -> list[str]:
        return story(self.events)

    @property
    def talk(self) -> str:
        """The text of the conversation behind the prefix."""
        tokens = self.conversation.tokens[len(self.conversation.prefix) :]
        return self.engine.decode(tokens).decode()

    @property
    def steps_told(self) -> list[str]:
        """What the model was sent in each step, new in it: the turn before the answer."""
        prompts = [self.engine.decode(r.tokens).decode() for r in self.engine.requests]
        return [p[p.rfind("<|im_end|>", 0, p.rfind("<|im_end|>")) :] for p in prompts]

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def results(self) -> list[str]:
        """Texts of all results."""
        return [e.text for e in self.of(Result)]

    def notes(self, topic: str = "") -> list[str]:
        """Texts of all notes, of one topic if given."""
        return [e.text for e in self.of(Note) if topic in ("", e.topic)]
