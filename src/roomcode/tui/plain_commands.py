"""The `/` commands of the linear mode. What is chosen is chosen by its number; Enter alone chooses nothing."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from roomcode.tui.backend import Backend, NoModelError, Plan, Shelf
from roomcode.tui.changes import changed_files, heading_of, moment, unchanged_text
from roomcode.tui.commands import COMMANDS, Typed
from roomcode.tui.foreign import safe, safe_line
from roomcode.tui.pictures import page_pictured, picture_missing
from roomcode.tui.plain_text import PlainPrinter, change_text, counts_text, model_text

__all__ = ["PlainCommands"]

_AT_REST = frozenset({"new", "undo", "redo", "fork", "sessions", "model", "settings", "files"})
"""Commands that ask something, or that must not come into a running request."""


class PlainCommands:
    """Carries out one command at a time. `ask` gives None when the app is being left."""

    def __init__(
        self,
        backend: Backend,
        shelf: Shelf,
        say: Callable[[str], None],
        ask: Callable[[str], Awaitable[str | None]],
        printer: PlainPrinter,
        *,
        busy: Callable[[], bool],
        send: Callable[[str], Awaitable[None]],
        leave: Callable[[], None],
    ) -> None:
        self._backend = backend
        self._shelf = shelf
        self._say = say
        self._ask = ask
        self._printer = printer
        self._busy = busy
        self._send = send
        self._leave = leave

    async def run(self, typed: Typed) -> None:
        """Carry out a command; what goes wrong is said."""
        if self._busy() and typed.command.name in _AT_REST:
            self._say(f"The agent is at work: stop it first (Ctrl+C), then type /{typed.command.name} again.")
            return
        try:
            await self._run(typed)
        except Exception as error:
            self._say(safe_line(str(error) or type(error).__name__))

    async def _run(self, typed: Typed) -> None:
        backend = self._backend
        match typed.command.name:
            case "help":
                self._say("\n".join(f"{command.usage}: {command.help}" for command in COMMANDS))
            case "quit":
                self._leave()
            case "new":
                await backend.new_task()
                self._say("A new task. Files and served pages stay.")
            case "mode":
                backend.mode = "ask" if backend.mode == "auto" else "auto"
                self._say(f"mode {backend.mode}")
            case "files":
                await self._files()
            case "undo":
                await self._show_and_do(lambda: backend.kept.plan_undo(typed.number))
            case "redo":
                await self._show_and_do(lambda: backend.kept.plan_redo())
            case "console":
                for port in backend.ports():
                    self._say(f"port {port}:\n" + safe("\n".join(await backend.console(port))))
            case "open":
                self._say("\n".join(f"http://127.0.0.1:{port}/" for port in backend.ports()) or "No page yet.")
            case "picture":
                page = page_pictured(self._printer.story)
                self._say(picture_missing(page) or safe_line(page.screenshot if page else ""))
            case "settings":
                await self._settings()
            case "sessions":
                await self._sessions()
            case "fork":
                await self._fork()
            case "model":
                await self._choose_model()
            case _:
                self._say("That is not possible in this mode.")

    # Choosing

    async def _choose(self, what: str, lines: Sequence[str]) -> int | None:
        """The place of the line that the person chose."""
        for number, line in enumerate(lines, 1):
            self._say(f"{number}. {line}")
        answer = (await self._ask(f"Number of the {what} (Enter: none): ") or "").strip()
        if not answer:
            return None
        if not answer.isdecimal() or not 1 <= int(answer) <= len(lines):
            self._say("That is not one of the numbers.")
            return None
        return int(answer) - 1

    async def _yes(self, question: str) -> bool:
        return (await self._ask(question) or "").strip().lower() in ("y", "yes")

    # Files

    async def _files(self) -> None:
        kept = self._backend.kept
        rows = await asyncio.to_thread(changed_files, kept, list(self._printer.story.files.values()))
        if not rows:
            self._say("The agent has not changed a file yet.")
            return
        lines = [f"{counts_text(row.change)}, versions: {row.versions}" for row in rows]
        place = await self._choose("file whose versions to see", lines)
        if place is None:
            return
        path = rows[place].change.path
        versions = await asyncio.to_thread(kept.versions, path)
        lines = [
            f"version {version.number}, {moment(version.time)}, {safe_line(version.deed)}, {safe_line(version.author)}"
            + (f", request {version.operation}" if version.operation is not None else "")
            for version in versions
        ]
        chosen = await self._choose("version to restore", lines)
        if chosen is not None:
            await self._show_and_do(lambda: kept.plan_restore(path, versions[chosen].number))

    async def _show_and_do(self, make: Callable[[], Plan]) -> None:
        """Show what a plan would do; do it when the person says so."""
        plan = await asyncio.to_thread(make)
        self._say(safe_line(heading_of(plan)))
        for file in plan.files:
            self._say(change_text(file.change, full=False))
            if file.conflict:
                self._say(f"  left as it is: {safe_line(file.conflict)}")
        anyway: list[str] = []
        doubtful = [file.path for file in plan.files if file.conflict and file.possible]
        if doubtful and await self._yes("Change what was changed since, too? (y: yes, Enter: leave it) "):
            anyway = doubtful
        if not any(file.goes(anyway) for file in plan.files):
            self._say("No file was changed.")
            return
        if not await self._yes("Do it? (y: yes, Enter: no) "):
            self._say("Nothing was changed.")
            return
        outcome = await self._backend.change_files(plan, anyway)
        if not outcome.done:
            self._say(unchanged_text(outcome.left))

    # Sessions

    async def _sessions(self) -> None:
        rows = await asyncio.to_thread(self._backend.sessions)
        lines = [
            f"{row.when} {safe_line(row.title)} ({row.requests} requests{', open now' if row.present else ''})"
            for row in rows
        ]
        place = await self._choose("session", lines)
        if place is None:
            return
        answer = await self._ask("Enter goes on with it, d deletes it, - neither: ")
        deed = "-" if answer is None else answer.strip().lower()
        if deed == "d":
            if await self._yes(f"Delete session {place + 1} for good? (y: yes, Enter: no) "):
                await self._backend.delete_session(rows[place].id)
                self._say("It is deleted.")
        elif not deed:
            for event in await self._backend.open(rows[place].id):
                self._printer(event)

    async def _fork(self) -> None:
        asked = (await asyncio.to_thread(self._backend.asked))[::-1]
        if not asked:
            self._say("Nothing was asked in this session yet, so there is nothing to fork.")
            return
        place = await self._choose("request before which to go on", [safe_line(text) for _, text in asked])
        if place is None:
            return
        prompt, past = await self._backend.fork(asked[place][0])
        for event in past:
            self._printer(event)
        self._say("A new session; the one before stays as it is, and so do the files. The request was:")
        self._say(safe(prompt))
        answer = await self._ask("Enter asks it again, - does not, any other text is asked instead: ")
        if answer is not None and answer.strip() != "-":
            await self._send(answer if answer.strip() else prompt)

    # Settings

    async def _settings(self) -> None:
        settings = self._backend.settings()
        lines = [f"{setting.name}: {safe_line(setting.value)} ({safe_line(setting.origin)})" for setting in settings]
        place = await self._choose("setting to change", lines)
        if place is None:
            return
        setting = settings[place]
        self._say(f"{setting.description}; {setting.expected}; a new value counts {setting.applies}.")
        text = await self._ask("New value (Enter: leave it, -: take it out of the file): ")
        if not text or not text.strip():
            return
        own, project = map(safe_line, self._backend.config_files)
        where = await self._ask(f"Enter keeps it for you ({own}), p for this project ({project}): ")
        if where is not None:
            value = "" if text.strip() == "-" else text
            whose = where.strip().lower() == "p"
            self._say(safe_line(await self._backend.change_setting(setting.name, value, project=whose)))

    # Models

    async def load(self, model: str = "") -> bool:
        """Load a model (empty: that of the settings), or let the person choose one; whether there is one now."""
        said = ""

        def on_progress(what: str, share: float) -> None:
            nonlocal said
            if what != said:
                said = what
                self._say(f"{what} …")

        try:
            await self._backend.load(on_progress, model)
        except NoModelError as error:
            self._say(str(error))
            return await self._choose_model()
        except Exception as error:
            self._say(str(error))
            return False
        facts = self._backend.facts
        self._say(f"{facts.model} is ready." if facts else "ready")
        return True

    async def _choose_model(self) -> bool:
        rows = await asyncio.to_thread(self._shelf.rows)
        place = await self._choose("model", [model_text(row) for row in rows])
        if place is None:
            return self._backend.facts is not None
        row = rows[place]
        try:
            if not row.here:
                self._say(f"fetching {row.name} …")
                await asyncio.to_thread(self._shelf.pull, row.name, _Quarters(self._say))
                self._say(await self._shelf.prove(row.name))
        except Exception as error:
            self._say(str(error))
            return False
        return await self.load(row.name)


class _Quarters:
    """A line for each quarter of a download."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._next = 0.25

    def __call__(self, stage: str, done: int, total: int) -> None:
        if total and done / total >= self._next:
            self._say(f"{stage}: {done / total:.0%}")
            self._next += 0.25
