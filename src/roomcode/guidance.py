"""How a model is guided in a project: what its profile and the settings say, with the files, the checks and the grammar
of calls at hand."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from roomcode.agent import AgentSettings, Conversation, Hooks, Place, Wanted, conversation_budget
from roomcode.briefing import Briefing, Level
from roomcode.calls import CallConstraint, Edited, Levels
from roomcode.chat import Form
from roomcode.checks import ProjectChecks
from roomcode.config import Settings
from roomcode.cures import Unfinished, belongs
from roomcode.limits import kept_files, no_new_files
from roomcode.moves import moved_text
from roomcode.protocol.engine import Constraint, Engine, Sampling
from roomcode.protocol.tools import ToolSpec
from roomcode.tools.grounding import existing_paths, text_to_edit, text_to_make
from roomcode.wording import wants_library
from roomcode.workspace import Workspace

if TYPE_CHECKING:
    from roomcode.models import Profile

__all__ = ["Guidance"]

_PLAN = 72
"""Tokens in which a model may say what it is going to do, before a call that it has to make."""
_FROM_NETWORK = re.compile(r"<script\b[^<>]*\bsrc\s*=\s*[\"']?(?:https?:)?//", re.IGNORECASE)
_AROUND = 192
"""Tokens of an answer that are not the text of the file that it writes."""


class Guidance:
    """Guides one loaded model. `profile` is the catalogue's, None where nothing is known of the model; `unasked` says
    whether the person is not asked about each change."""

    def __init__(
        self,
        settings: Settings,
        profile: "Profile | None",
        engine: Engine,
        workspace: Workspace,
        checks: ProjectChecks,
        specs: Sequence[ToolSpec],
        *,
        unasked: Callable[[], bool],
    ) -> None:
        self._settings = settings
        self._profile = profile
        self._engine = engine
        self._workspace = workspace
        self._checks = checks
        self._specs = specs
        self._unasked = unasked
        self._kept: frozenset[str] = frozenset()
        """Files that the running request does not want to be changed."""
        self._new_files = True
        """Whether it may make new ones."""
        self._moved: Mapping[str, str] = {}
        self._offline = False
        """The texts of new files into which it moves what stands in a page, by path."""
        self._moves_asked = 0
        """Answers that had to write one of them."""

    def form(self, wanted: Literal["auto", "xml", "json"], native: Form | None) -> Form:
        """How calls are written; `native` is the form that the chat template names."""
        if wanted != "auto":
            return wanted
        if self._profile is not None and self._profile.form != "auto":
            return self._profile.form
        return native or "xml"

    def settings(self, form: Form) -> AgentSettings:
        """What the loop is told."""
        known, profile = self._settings, self._profile
        return AgentSettings(
            form=form,
            sampling=self._sampling(),
            max_steps=known.max_steps,
            hints=known.switches.hints,
            repairs=known.switches.repairs,
            first_call=self._first_call() != "off",
            attempts=known.attempts or (profile.attempts if profile is not None else 1),
        )

    def hooks(self, form: Form, conversation: Conversation) -> Hooks:
        """How the loop looks at the project."""
        engine, checks = self._engine, self._checks
        briefing = Briefing(
            self._workspace,
            level=self._supply(),
            count=lambda text: len(engine.encode(text)),
            room=lambda: conversation_budget(engine.info.context),
            held=conversation.said,
            faults=checks.before_start,
        )
        hooks = Hooks(
            constraint=lambda wanted, freely, vain: self._constraint(form, briefing, wanted, freely, vain),
            notices=lambda request, prompt: self._begin(briefing, request, prompt),
        )
        if not self._settings.switches.finish_check:
            return hooks
        return replace(
            hooks,
            after_change=checks.after_change,
            complete=lambda: checks.complete,
            mendable=checks.mendable,
            whole=lambda: checks.complete and checks.anew and self._first_call() != "off",
            before_end=self._before_end,
            files=self,
        )

    @property
    def undoable(self) -> bool:
        """What a person said yes to is not taken back behind their back."""
        return self._unasked()

    async def take_back(self) -> int | None:
        """Undo what the running request wrote, where the person is not asked about each change."""
        if not self.undoable:
            return None
        taken = await asyncio.to_thread(self._workspace.take_back)
        if taken is not None:
            self._checks.begin_again()
            self._moves_asked = 0
        return taken

    async def bring_back(self, number: int) -> bool:
        brought = await asyncio.to_thread(self._workspace.bring_back, number)
        if brought:
            self._checks.begin_again(kept=True)
        return brought

    async def _begin(self, briefing: Briefing, request: int, prompt: str) -> Sequence[str]:
        await asyncio.to_thread(self._checks.begin, prompt)
        names = await asyncio.to_thread(self._workspace.names)
        self._kept = await asyncio.to_thread(kept_files, prompt, names)
        self._new_files = not no_new_files(prompt, names)
        self._moved = await asyncio.to_thread(self._moved_text, prompt, names)
        self._offline = not self._settings.network and await asyncio.to_thread(self._stays_here, prompt, names)
        self._moves_asked = 0
        return await briefing.begin(request, prompt)

    def _stays_here(self, prompt: str, names: Sequence[str]) -> bool:
        """Whether neither the request nor a page of the project speaks of anything on the network."""
        pages = (self._workspace.text_of(name) for name in names if name.lower().endswith((".html", ".htm")))
        return not wants_library(prompt) and not any(_FROM_NETWORK.search(text) for text in pages if text)

    def _moved_text(self, prompt: str, names: Sequence[str]) -> Mapping[str, str]:
        """What new files have to hold; nothing where that is longer than an answer may be."""
        pages = (name for name in names if name.lower().endswith((".html", ".htm")))
        texts = {name: text for name in pages if (text := self._workspace.text_of(name)) is not None}
        context = self._engine.info.context
        room = context - conversation_budget(context) - _AROUND
        moved = moved_text(prompt, texts, names)
        fits = all(len(self._engine.encode(json.dumps(text, ensure_ascii=False))) <= room for text in moved.values())
        return moved if fits else {}

    def _to_make(self) -> tuple[str, ...]:
        """Files of known texts that the next answer has to write. Each is asked for once: the person may say no."""
        if self._first_call() == "off" or self._moves_asked >= len(self._moved):
            return ()
        left = tuple(path for path in self._moved if self._workspace.text_of(path) is None)
        self._moves_asked += bool(left)
        return left

    async def _before_end(self, prompt: str, changed: Sequence[str], answer: str) -> Sequence[str]:
        """What was changed and changed back counts as never touched."""
        now = await asyncio.to_thread(self._workspace.still_changed, changed)
        return await self._checks.before_end(prompt, now, answer)

    def _sampling(self) -> Sampling:
        sampling = self._profile.sampling if self._profile is not None else Sampling()
        if self._settings.temperature is not None:
            sampling = replace(sampling, temperature=self._settings.temperature)
        if self._settings.seed >= 0:
            sampling = replace(sampling, seed=self._settings.seed)
        return sampling

    def _supply(self) -> Level:
        if self._settings.supply != "auto":
            return self._settings.supply
        if self._profile is None:
            return "names"
        from roomcode.models import supply_for

        return supply_for(self._profile, self._engine.info.parameters)

    def _pieces(self) -> Literal["words", "lines"]:
        if self._settings.pieces != "auto":
            return self._settings.pieces
        return self._profile.pieces if self._profile is not None else "words"

    def _first_call(self) -> Literal["off", "on", "plan"]:
        if self._settings.first_call != "auto":
            return self._settings.first_call
        return self._profile.first_call if self._profile is not None else "off"

    def _constraint(
        self, form: Form, briefing: Briefing, wanted: Wanted, freely: bool, vain: Sequence[Place]
    ) -> Constraint | None:
        switches = self._settings.switches
        if not switches.constraint_syntax and not switches.constraint_opening:
            return None
        engine, info = self._engine, self._engine.info
        first: Sequence[str] = ()
        unfinished = self._checks.to_be_done()
        if wanted == "first":
            first = briefing.first_tools()
            unfinished = unfinished or self._checks.first_change
            unfinished = replace(unfinished, files=briefing.to_write)
        elif wanted == "mend" or (unfinished is not None and self._first_call() != "off"):
            unfinished = unfinished or Unfinished()
            first = briefing.mending_tools(write=bool(unfinished.files), changed=self._checks.changes > 0)
        # A plan was seen to help with files that are there, and only there.
        plans = wanted == "first" and self._first_call() == "plan" and briefing.changes_files
        told = unfinished if unfinished is not None and first else Unfinished()
        if told.edit and set(told.edit) <= self._kept:
            told = Unfinished()  # the cure would be in a file that the request does not want to be changed
        told = replace(told, files=tuple(name for name in told.files if name not in self._kept))
        if switches.constraint_grounding and (wanted == "first" or told.files) and (to_make := self._to_make()):
            # What is to be copied is copied before anything is changed.
            first, plans, told = ("write_file",), False, Unfinished(files=to_make)
        return CallConstraint(
            form,
            self._specs,
            engine,
            engine.matcher,
            end_tokens=info.end_tokens,
            levels=Levels(switches.constraint_syntax, switches.constraint_opening, switches.constraint_grounding),
            choices=existing_paths(
                self._workspace,
                to_write=told.files,
                to_edit=told.edit,
                kept=self._kept,
                new_files=self._new_files,
            ),
            edited=Edited(
                "edit_file",
                text_to_edit(self._workspace),
                wanted=told.texts,
                where=told.edit,
                within=told.within,
                entire=told.entire,
                becomes=told.becomes,
                insert=told.insert,
                vain=tuple(vain),
                belongs=belongs,
                words=self._pieces() != "lines",
                whole="write_file" if self._first_call() != "off" else "",
                maker="write_file",
                known=text_to_make(self._workspace, self._moved),
            ),
            first=first,
            plan=_PLAN if plans else 0,
            on_plan=self._checks.plan,
            greedy=not freely,
            offline=self._offline,
            lead=briefing.lead if wanted == "first" and self._first_call() != "off" else "",
        )
