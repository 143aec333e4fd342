"""What the model is told of the project when a request begins, and what its first call may be."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from roomcode.supply import MOST_TOKENS, SHARE, Supplied, named, supplied
from roomcode.wording import Intent, answer_lead, intent, not_there, wants_new_file
from roomcode.workspace import CONVERSATION, Workspace, WorkspaceError

__all__ = ["Briefing", "Level"]

Level = Literal["text", "names", "none"]
"""How much of the project is put beside a request."""

_MOST_FILES = 400
"""Files that are looked at for the best-matching ones."""
_MOST_NAMES = 2000
_TEXT = (
    ".html", ".htm", ".css", ".js", ".mjs", ".ts", ".jsx", ".tsx", ".json", ".webmanifest", ".svg", ".xml", ".md",
    ".txt", ".csv", ".yaml", ".yml", ".toml", ".py",
)  # fmt: skip
"""Endings of files whose text may be told."""
_HEAD = "(What the files hold now)"
_LOOK = ("read_file", "search", "list_dir")


class Briefing:
    """Tells about one project. `count` counts tokens, `room` are those of a request's budget, `held` is what the
    conversation says already, `faults` are the errors that the page has now."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        level: Level,
        count: Callable[[str], int],
        room: Callable[[], int],
        held: Callable[[], str],
        faults: Callable[[str], Awaitable[Sequence[str]]],
    ) -> None:
        self._workspace = workspace
        self._level = level
        self._count = count
        self._room = room
        self._held = held
        self._faults = faults
        self._intent: Intent = "unclear"
        self._prompt = ""
        self._supplied = Supplied()
        self._known: list[str] = []
        """The project's files when the request began."""
        self._missing: list[str] = []
        self.empty = False
        """The project had no files when the request began."""
        self._new = False
        """Whether the request seems to want a file that is not there."""

    async def begin(self, request: int, prompt: str) -> Sequence[str]:
        """What is told with request number `request` (from 1): the files in the first one, changes by hand in later
        ones, texts and page errors where the model needs them."""
        self._intent, self._prompt = intent(prompt), prompt
        self._supplied = Supplied()
        told = await asyncio.to_thread(self._names, request, prompt)
        if self._level != "text":
            return told
        self._supplied = await asyncio.to_thread(self._texts, prompt)
        if self._supplied.text:
            told = [*told, f"{_HEAD}\n\n{self._supplied.text}"]
        if self._intent == "change" and (faults := await self._faults(prompt)):
            told = [*told, "(What is wrong now)\n" + "\n".join(f"- {fault}" for fault in faults)]
        return told

    @property
    def changes_files(self) -> bool:
        """The request wants a change where there are files."""
        return self._intent == "change" and not self.empty

    @property
    def lead(self) -> str:
        """How an answer begins that needs no call: a small model would rather tell how one finds out."""
        return answer_lead(self._prompt) if self._supplied.complete and not self.first_tools() else ""

    @property
    def to_write(self) -> tuple[str, ...]:
        """Files that the request names and that were not there when it began."""
        return tuple(self._missing)

    def first_tools(self) -> tuple[str, ...]:
        """Tools of which the first answer has to call one; empty when it may be plain text."""
        if self._intent != "change":
            return () if self.empty or self._supplied.complete else _LOOK
        if self.empty:
            return ("write_file",)
        first = _LOOK if not self._supplied.whole else () if self._supplied.complete else ("read_file",)
        # A small model would rather write a new file than look at the one that it was asked to change.
        edit = ("edit_file",) if self._supplied.whole else ()
        return (*edit, *(("write_file",) if self._new else ()), *first)

    def mending_tools(self, *, write: bool, changed: bool) -> tuple[str, ...]:
        """Tools of which an answer has to call one when it was told that something is still wrong; with `write` a file
        is missing, `changed` says whether the request changed anything.

        A file that is there is edited: asked to mend a page, a small model sends the same page again."""
        if not changed and (self.empty or self._new):
            write = True
        edit = () if self.empty and not changed else ("edit_file",)
        look = () if self._supplied.complete or self.empty else ("read_file",)
        return (*(("write_file",) if write else ()), *edit, *look)

    def _names(self, request: int, prompt: str) -> list[str]:
        names = self._known = self._workspace.names(_MOST_NAMES)
        self.empty = not names
        self._new = wants_new_file(prompt, names)
        self._missing = not_there(prompt, frozenset(names))
        if request == 1:
            return [named(names)] if self._level != "none" else []
        changed = self._workspace.changes_since_last_request()
        return [f"(Changed by hand since your last answer: {', '.join(changed)})"] if changed else []

    def _texts(self, prompt: str) -> Supplied:
        files: dict[str, str] = {}
        for name in self._known[:_MOST_FILES]:
            if name.lower().endswith(_TEXT) and (text := self._workspace.text_of(name)) is not None:
                files[name] = text
        room = min(MOST_TOKENS, int(self._room() * SHARE))
        found = supplied(prompt, files, count=self._count, room=room, held=self._held())
        for name in found.whole:
            try:
                self._workspace.load(self._workspace.resolve(name), reader=CONVERSATION)
            except WorkspaceError:
                continue
        return found
