"""The one place that names concrete classes: from settings to a running agent."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from roomcode.additions import additions
from roomcode.agent import Agent, Conversation, announced, system_prompt
from roomcode.calls import describe_tools
from roomcode.chat import ChatTemplate, TemplateError, detect_form
from roomcode.checks import ProjectChecks
from roomcode.computed import Computed
from roomcode.config import Settings
from roomcode.engine.states import StateStore, user_states
from roomcode.guidance import Guidance
from roomcode.preview import Preview, PreviewError
from roomcode.protocol.approval import ApprovalGate, ApprovalRequest, Decision, refuse_all
from roomcode.protocol.engine import Engine, EngineError
from roomcode.protocol.events import Emit, Event, Note, RequestEnded, RequestStarted, StepEnded
from roomcode.resuming import Keeper
from roomcode.session import LAST, NEW, SessionError, SessionFolder, SessionInfo, Snapshot
from roomcode.tools import Approvals, Mode, Toolset, file_tools, preview_tools
from roomcode.workspace import Outcome, Plan, Workspace

if TYPE_CHECKING:
    from roomcode.engine.llama import LlamaEngine
    from roomcode.models import Profile

__all__ = ["Broadcast", "Runtime"]

log = logging.getLogger(__name__)

_STOPPING = 2.0
"""Seconds that a request may take to stop when roomcode is closed."""

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
    """A project, its settings, and an agent that works in it once `load` has run.

    With `sessions` everything is kept there. `load` opens the session `resume`: NEW, LAST, or the beginning of an id;
    `open_session` before `load` does the same, so that a front end can show the past while the model is being loaded.
    With `serve_again` the pages of a session are served again when it is opened. `states` is the folder for what the
    model computed, by default the user's.
    """

    def __init__(
        self,
        project: Path,
        settings: Settings,
        *,
        sessions: SessionFolder | None = None,
        resume: str = NEW,
        serve_again: bool = True,
        states: Path | None = None,
    ) -> None:
        self.project = project.resolve()
        self.settings = settings
        self.gate: ApprovalGate = refuse_all
        """The front end's gate: asked about each change that no rule covers."""
        self.workspace = Workspace(self.project)
        self.preview = Preview(self.project, network=settings.network)
        keep = additions(self.project) if settings.switches.repairs else None
        self.tools = Toolset((*file_tools(self.workspace, keep), *preview_tools(self.preview)))
        self.checks = ProjectChecks(self.project, self.preview)
        self.broadcast = Broadcast()
        self.keeper = Keeper(sessions, self._snapshot)
        # The session comes first: what anybody else was told is in it already.
        self.broadcast.subscribe(self.keeper.record)
        self.approvals = Approvals(announced(self._ask, self.broadcast), mode=settings.mode, globs=settings.approve)
        self._engine: Engine | None = None
        self._computed = Computed()
        self._loading: asyncio.Future[LlamaEngine] | None = None
        self._agent: Agent | None = None
        self._profile: Profile | None = None
        self._resume: str | None = resume
        self._serves_again = serve_again
        self._states = states or user_states()
        self._idle = asyncio.Event()
        self._idle.set()
        self._changing = asyncio.Lock()
        self._form_wanted = settings.form
        self._agent_is_old = False
        self._stop_early = False
        self._to_serve: dict[int, str] = {}
        self._serving: asyncio.Task[None] | None = None

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
        """Load the model, in place of the one before; the conversation goes on with it. `stop` ends it.

        Raises ModelError, EngineError or SessionError, each with one sentence for the person.
        """
        self._stop_early = False
        if self._resume is not None:
            await self.open_session(self._resume)
        self._form_wanted = self.settings.form
        if self.settings.engine.startswith("scripted:"):
            from roomcode.engine.scripted import ScriptedEngine

            engine = ScriptedEngine.from_file(Path(self.settings.engine.removeprefix("scripted:")))
            await self._close_engine()
            self._engine = engine
        else:
            self._engine = await self._load_llama(on_progress)
        async with self._changing:
            self._agent = self._new_agent()
            self._serve_again()
            if self.agent.conversation.turns:
                on_progress("bringing back the conversation", 1.0)
                await self._computed.enter(self._engine, self.keeper.id)

    def prepare(self) -> None:
        """Have the model read what every conversation begins with, so that the first request does not wait for it.
        Returns at once; for when nobody is waiting."""
        self._computed.prepare(self._engine, self.agent.conversation.prefix)

    async def _load_llama(self, on_progress: OnProgress) -> Engine:
        from roomcode import models

        catalogue = models.load_catalogue()
        path = models.resolve(self.settings.model, models.models_dir(), catalogue)
        on_progress("checking the model file", 0.0)
        facts = await asyncio.to_thread(models.check, path)
        # The model before goes first: two at once may not fit.
        await self._close_engine()
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
            states=self._states,
        )
        if not self._stop_early:
            load = LlamaEngine.load(path, path.stem, options, lambda share: on_progress("loading the model", share))
            self._loading = loading = asyncio.ensure_future(load)
            try:
                return await loading
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if not self._stop_early or (task is not None and task.cancelling()):
                    raise
        raise EngineError("The loading of the model was stopped.")

    def _new_agent(self) -> Agent:
        engine = self.engine
        try:
            template = ChatTemplate(engine.info.template, bos=engine.info.bos, eos=engine.info.eos)
        except TemplateError as error:
            raise EngineError(str(error)) from error
        guidance = Guidance(
            self.settings,
            self._profile,
            engine,
            self.workspace,
            self.checks,
            self.tools.specs,
            unasked=lambda: self.mode == "auto",
        )
        native = detect_form(engine.info.template)
        form = guidance.form(self._form_wanted, native)
        # A template renders tool schemas in the one form that it knows; for any other the system prompt says it.
        own_schemas = form == native and template.traits.tools
        schemas = [spec.schema() for spec in self.tools.specs] if own_schemas else []
        system = system_prompt("" if own_schemas else describe_tools(self.tools.specs, form))
        conversation = Conversation(engine, template, system, schemas, engine.info.end_tokens)
        self.keeper.attach(conversation, engine, engine.info, form, self.tools.specs)
        agent = Agent(
            engine,
            conversation,
            self.tools,
            self.approvals,
            self._emit,
            guidance.settings(form),
            guidance.hooks(form, conversation),
        )
        agent.requests = self.keeper.requests
        return agent

    def _emit(self, event: Event) -> None:
        if isinstance(event, StepEnded):
            self._tell_notices()
        self.broadcast(event)
        if isinstance(event, RequestStarted):
            self._tell_notices()

    def _tell_notices(self) -> None:
        """What the session has to say, where the order of events allows a note."""
        for text in self.keeper.take_notices():
            self.broadcast(Note(topic="notice", text=text))

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
        self._stop_early = False
        async with self._changing:
            self._idle.clear()
        try:
            self._computed.works()
            self.approvals.begin_request()
            await asyncio.to_thread(self.workspace.begin_request, self.agent.requests + 1, "agent")
            if self._stop_early:
                # The agent can only be stopped once it runs, so that the request begins and ends in order.
                asyncio.get_running_loop().call_soon(self.agent.stop)
            return await self.agent.run(prompt)
        finally:
            self._idle.set()
            self._renew_agent()

    def stop(self) -> None:
        """End the running request or the loading of a model; harmless when there is neither."""
        self._stop_early = True
        if self._loading is not None:
            self._loading.cancel()
        if self._agent is not None:
            self._agent.stop()

    def steer(self, text: str) -> None:
        self.agent.steer(text)

    def take_steering(self) -> list[str]:
        return self.agent.take_steering()

    def apply(self, settings: Settings) -> None:
        """Go by other settings: those that need the model anew from the next `load` on, the others with the next
        request. The mode stays as it is, since it may have been changed in the meantime; it has its own property."""
        self.settings = settings
        self.approvals.allow(settings.approve)
        self._agent_is_old = self._agent is not None
        if self._idle.is_set():
            self._renew_agent()

    def _renew_agent(self) -> None:
        if self._agent_is_old and self._engine is not None:
            self._agent = self._new_agent()
        self._agent_is_old = False

    async def change_files(self, plan: Plan, anyway: Collection[str] = ()) -> Outcome:
        """Carry out an undo, a redo or a restore of the workspace, and tell everybody what was done; the model is told
        with the next request. Raises SessionError while a request runs, WorkspaceError when nothing can be changed."""
        async with self._at_rest():
            outcome = await asyncio.to_thread(self.workspace.carry_out, plan, anyway)
            if outcome.done:
                self.broadcast(Note(topic="notice", text=plan.told(outcome)))
        return outcome

    async def new_task(self) -> None:
        """Start a new session; files and served pages stay. Raises SessionError while a request runs."""
        await self.open_session(NEW)

    # --- sessions ---

    @property
    def session(self) -> str:
        """Id of the open session; empty when none is kept."""
        return self.keeper.id

    def sessions(self) -> list[SessionInfo]:
        """The sessions of this project, the one that was written last first. Reads the disk; for any thread.

        Raises SessionError.
        """
        return self.keeper.sessions()

    def history_events(self) -> list[Event]:
        """The last 200 items of the open session's timeline as they were when it was opened, to be shown as if they
        happened again: in the order of all events, without `call_args`, and with each text in one piece. What a killed
        roomcode left open is ended here with `stopped`."""
        return list(self.keeper.state.events)

    def take_notices(self) -> list[str]:
        """Sentences for the person about sessions, each once: another roomcode in this folder, a full disk.

        What is not taken is told as a note in the next request.
        """
        return self.keeper.take_notices()

    def asked(self) -> list[tuple[int, str]]:
        """Number and text of each request of the open session, oldest first: those that `fork` knows. Reads the disk;
        for any thread. Raises SessionError."""
        return self.keeper.asked()

    async def open_session(self, wanted: str = LAST) -> None:
        """Go on with another session: the beginning of an id, LAST (a new one where there is none, or where another
        roomcode has it), or NEW. Its conversation is encoded anew if the model is another one; its pages are served
        again in the background. Files stay as they are.

        Raises SessionError, also while a request runs; then the session that was open still is.
        """
        async with self._at_rest():
            before = self.keeper.id
            await asyncio.to_thread(self.keeper.open_session, wanted)
            await self._enter_session(before)

    async def fork(self, request: int) -> str:
        """Go on in a new session that holds all that was before request number `request` of this one; returns the text
        of that request, to be sent again or changed. Files stay as they are. Raises SessionError."""
        async with self._at_rest():
            before = self.keeper.id
            prompt = await asyncio.to_thread(self.keeper.fork, request)
            await self._enter_session(before)
        return prompt

    async def delete_session(self, wanted: str) -> str:
        """Delete the session whose id begins with `wanted`, and what was computed for it; returns its id. Raises
        SessionError, also for one that is open, here or in another roomcode."""
        deleted = await asyncio.to_thread(self.keeper.delete, wanted)
        await asyncio.to_thread(StateStore(self._states).drop, deleted)
        return deleted

    @asynccontextmanager
    async def _at_rest(self) -> AsyncIterator[None]:
        """No request runs, none begins, and nothing else changes. Raises SessionError while a request runs; one that
        is being stopped is waited for."""
        if self._stop_early:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._idle.wait(), _STOPPING)
        async with self._changing:
            if not self._idle.is_set():
                raise SessionError("A request is running: stop it first.")
            yield

    async def _enter_session(self, before: str) -> None:
        """The keeper has another session open now than `before`, or the same one anew."""
        self._resume = None
        if before != self.keeper.id:
            await self._computed.leave(self._engine, before)
            await asyncio.to_thread(self._retire_sessions)
        state = self.keeper.state
        self.workspace.forget()
        self.workspace.restore_known(state.known)
        self.approvals.reset()
        self._to_serve = {port: page for port, page in state.ports.items() if port not in self.preview.ports}
        if self._engine is not None:
            self._agent = self._new_agent()
            self._serve_again()
            if before != self.keeper.id and self._agent.conversation.turns:
                await self._computed.enter(self._engine, self.keeper.id)

    def _retire_sessions(self) -> None:
        settings = self.settings
        for session in self.keeper.retire(settings.sessions_keep, settings.sessions_size * 1_000_000):
            StateStore(self._states).drop(session)

    def _snapshot(self) -> Snapshot:
        return Snapshot({**self._to_serve, **self.preview.ports}, self.workspace.known())

    def _serve_again(self) -> None:
        # What is not served again stays in the session as what was served.
        if self._serves_again and self._to_serve and (self._serving is None or self._serving.done()):
            self._serving = asyncio.get_running_loop().create_task(self._serve_pages())

    async def _serve_pages(self) -> None:
        while self._to_serve:
            port, page = next(iter(self._to_serve.items()))
            try:
                await self.preview.listen(page, port)
            except PreviewError:
                log.info("%s is not served on port %d again: it is gone", page, port)
            except Exception:
                log.exception("serving %s again failed", page)
            self._to_serve.pop(port, None)

    async def close(self) -> None:
        """Stop what runs, keep the session, close the browser, the servers and the engine. Safe to call twice."""
        self.stop()
        if self._loading is not None:
            await asyncio.wait([self._loading])
        async with AsyncExitStack() as stack:
            with suppress(TimeoutError):
                async with asyncio.timeout(_STOPPING):
                    await self._idle.wait()
                    await stack.enter_async_context(self._changing)
            if self._serving is not None:
                self._serving.cancel()
            await self._close_engine()
            await asyncio.to_thread(self.keeper.close)
            await self.preview.close()
            self.workspace.close()

    async def _close_engine(self) -> None:
        """Let go of the model, if there is one; what it computed for this session is kept on disk."""
        engine = self._engine
        self._engine = self._agent = None
        await self._computed.leave(engine, self.keeper.id)
        if engine is not None:
            await engine.close()
