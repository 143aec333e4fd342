"""The one place that names concrete classes: from settings to a running agent."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from roomcode.agent import Agent, AgentSettings, Conversation, Hooks, announced, system_prompt
from roomcode.calls import CallConstraint, Form, Levels, describe_tools, detect_form
from roomcode.chat import ChatTemplate
from roomcode.checks import ProjectChecks
from roomcode.config import Settings
from roomcode.preview import Preview
from roomcode.protocol.approval import ApprovalGate, ApprovalRequest, Decision, refuse_all
from roomcode.protocol.engine import Constraint, Engine, EngineError, Sampling
from roomcode.protocol.events import Emit, Event, RequestEnded
from roomcode.tools import Approvals, Mode, Toolset, file_tools, preview_tools
from roomcode.tools.grounding import existing_paths
from roomcode.workspace import Workspace

if TYPE_CHECKING:
    from roomcode.models import Profile

__all__ = ["Broadcast", "Runtime"]

FIRST_TOOLS = ("read_file", "write_file")
"""What a model that has to begin with a call may begin with."""

OnProgress = Callable[[str, float], None]
"""(what is being done, share of it from 0 to 1)."""


class Broadcast:
    """Hands each event to every subscriber, in order."""

    def __init__(self) -> None:
        self._subscribers: list[Emit] = []

    def subscribe(self, emit: Emit) -> Callable[[], None]:
        """Add a subscriber; returns what removes it."""
        self._subscribers.append(emit)
        return lambda: self._subscribers.remove(emit)

    def __call__(self, event: Event) -> None:
        for emit in tuple(self._subscribers):
            emit(event)


class Runtime:
    """A project, its settings, and an agent that works in it once `load` has run."""

    def __init__(self, project: Path, settings: Settings) -> None:
        self.project = project.resolve()
        self.settings = settings
        self.gate: ApprovalGate = refuse_all
        """The front end's gate: asked about each change that no rule covers."""
        self.workspace = Workspace(self.project)
        self.preview = Preview(self.project, network=settings.network)
        self.tools = Toolset((*file_tools(self.workspace), *preview_tools(self.preview)))
        self.checks = ProjectChecks(self.project, self.preview)
        self.broadcast = Broadcast()
        self.approvals = Approvals(announced(self._ask, self.broadcast), mode=settings.mode, globs=settings.approve)
        self._engine: Engine | None = None
        self._agent: Agent | None = None
        self._profile: Profile | None = None

    def subscribe(self, emit: Emit) -> Callable[[], None]:
        return self.broadcast.subscribe(emit)

    @property
    def agent(self) -> Agent:
        if self._agent is None:
            raise EngineError("The model is not loaded yet.")
        return self._agent

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            raise EngineError("The model is not loaded yet.")
        return self._engine

    async def load(self, on_progress: OnProgress = lambda _what, _share: None) -> None:
        """Load the model. Raises ModelError or EngineError, each with one sentence for the person."""
        if self.settings.engine.startswith("scripted:"):
            from roomcode.engine.scripted import ScriptedEngine

            self._engine = ScriptedEngine.from_file(Path(self.settings.engine.removeprefix("scripted:")))
        else:
            self._engine = await self._load_llama(on_progress)
        self._agent = self._new_agent()

    async def _load_llama(self, on_progress: OnProgress) -> Engine:
        from roomcode import models

        catalogue = models.load_catalogue()
        path = models.resolve(self.settings.model, models.models_dir(), catalogue)
        on_progress("checking the model file", 0.0)
        facts = await asyncio.to_thread(models.check, path)
        self._profile = models.profile_for(facts, catalogue)
        memory = models.available_memory()
        context = (
            self.settings.context
            or self._profile.context
            or models.default_context(
                facts.parameters,
                facts.training_context,
                weights=facts.size,
                kv_bytes_per_token=facts.kv_bytes_per_token,
                memory=memory,
            )
        )
        models.check_memory(facts, context=context, memory=memory)
        on_progress("loading the engine", 0.0)
        # llama.cpp's library is loaded here and not at the top: it takes a third of a second.
        from roomcode.engine.llama import LlamaEngine, LlamaOptions

        options = LlamaOptions(
            context=context,
            threads=self.settings.threads,
            checkpoints=self.settings.checkpoints,
            states=platformdirs.user_cache_path("roomcode", appauthor=False) / "states",
        )
        return await LlamaEngine.load(path, path.stem, options, lambda share: on_progress("loading the model", share))

    def _new_agent(self) -> Agent:
        engine = self.engine
        template = ChatTemplate(engine.info.template, bos=engine.info.bos, eos=engine.info.eos)
        native = detect_form(engine.info.template)
        form = self._form(native)
        # A template renders tool schemas in the one form that it knows; for any other the system prompt says it.
        own_schemas = form == native and template.traits.tools
        schemas = [spec.schema() for spec in self.tools.specs] if own_schemas else []
        system = system_prompt("" if own_schemas else describe_tools(self.tools.specs, form))
        conversation = Conversation(engine, template, system, schemas, engine.info.end_tokens)
        return Agent(
            engine,
            conversation,
            self.tools,
            self.approvals,
            self.broadcast,
            AgentSettings(
                form=form,
                sampling=self._sampling(),
                max_steps=self.settings.max_steps,
                hints=self.settings.switches.hints,
                first_call=self._profile.first_call if self._profile is not None else False,
            ),
            Hooks(
                constraint=lambda first: self._constraint(form, first),
                notices=self._notices,
                after_change=self.checks.after_change,
                before_end=self.checks.before_end,
            )
            if self.settings.switches.finish_check
            else Hooks(constraint=lambda first: self._constraint(form, first), notices=self._notices),
        )

    def _form(self, native: Form | None) -> Form:
        if self.settings.form != "auto":
            return self.settings.form
        if self._profile is not None and self._profile.form != "auto":
            return self._profile.form
        return native or "xml"

    def _sampling(self) -> Sampling:
        sampling = self._profile.sampling if self._profile is not None else Sampling()
        if self.settings.temperature is not None:
            sampling = replace(sampling, temperature=self.settings.temperature)
        if self.settings.seed >= 0:
            sampling = replace(sampling, seed=self.settings.seed)
        return sampling

    def _constraint(self, form: Form, first: bool) -> Constraint | None:
        switches = self.settings.switches
        if not switches.constraint_syntax and not switches.constraint_opening:
            return None
        engine = self.engine
        return CallConstraint(
            form,
            self.tools.specs,
            engine,
            engine.matcher,
            end_tokens=engine.info.end_tokens,
            levels=Levels(switches.constraint_syntax, switches.constraint_opening, switches.constraint_grounding),
            choices=existing_paths(self.workspace),
            first=FIRST_TOOLS if first else (),
        )

    def _notices(self, request: int) -> Sequence[str]:
        """What the model is told behind the request's text: the files in the first one, changes by hand later."""
        if request == 1:
            names = self.workspace.names(limit=20)
            return [f"(Files in the project: {', '.join(names)})" if names else "(The project folder is empty.)"]
        changed = self.workspace.changes_since_last_request()
        return [f"(Changed by hand since your last answer: {', '.join(changed)})"] if changed else []

    async def _ask(self, request: ApprovalRequest) -> Decision:
        return await self.gate(request)

    @property
    def mode(self) -> Mode:
        """`ask` before each change, or `auto`; may be set at any time."""
        return self.approvals.mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self.approvals.mode = mode

    async def request(self, prompt: str) -> RequestEnded:
        """Run one request to its end."""
        self.approvals.begin_request()
        await asyncio.to_thread(self.workspace.begin_request, self.agent.requests + 1, "agent")
        return await self.agent.run(prompt)

    def stop(self) -> None:
        """End the running request; harmless when none runs."""
        if self._agent is not None:
            self._agent.stop()

    def steer(self, text: str) -> None:
        self.agent.steer(text)

    def take_steering(self) -> list[str]:
        return self.agent.take_steering()

    async def new_task(self) -> None:
        """Start a new conversation; files and served pages stay."""
        self._agent = self._new_agent()
        self.workspace.forget()
        self.approvals.reset()

    async def close(self) -> None:
        """Stop what runs, close the browser, the servers and the engine."""
        self.stop()
        await self.preview.close()
        if self._engine is not None:
            await self._engine.close()
        self.workspace.close()
