"""A project whose runtimes play scripts and keep sessions in a folder of the test."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from roomcode.assembly import Runtime
from roomcode.config import Settings
from roomcode.preview import Preview
from roomcode.protocol.approval import ApprovalGate, ApprovalRequest, Decision
from roomcode.protocol.events import Event
from roomcode.session import NEW, SessionFolder

__all__ = ["Bench", "call", "gate"]


class Bench:
    """Makes runtimes of one project; everything they emit is in `events`."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.sessions = SessionFolder(self.project, folder / "sessions")
        self.events: list[Event] = []
        self.runtimes: list[Runtime] = []
        self._scripts = folder
        self._count = 0

    def runtime(self, *answers: str, resume: str = NEW, form: str = "auto", mode: str = "auto") -> Runtime:
        self._count += 1
        script = self._scripts / f"script{self._count}.txt"
        script.write_text("".join(f"=== answer\n{answer}\n" for answer in answers) or "=== answer\n")
        settings = replace(Settings(), engine=f"scripted:{script}", form=form, mode=mode)
        runtime = Runtime(self.project, settings, sessions=self.sessions, resume=resume)
        # Pages are not looked at in these tests, and no browser has to be started for them.
        runtime.preview = Preview(self.project, browser="no-such-browser")
        runtime.subscribe(self.events.append)
        self.runtimes.append(runtime)
        return runtime

    async def close(self) -> None:
        for runtime in self.runtimes:
            await runtime.close()

    async def loaded(self, *answers: str, resume: str = NEW, form: str = "auto", mode: str = "auto") -> Runtime:
        runtime = self.runtime(*answers, resume=resume, form=form, mode=mode)
        await runtime.load()
        return runtime


def call(tool: str, **arguments: str) -> str:
    """A call in XML form."""
    given = "".join(f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in arguments.items())
    return f"<tool_call>\n<function={tool}>\n{given}</function>\n</tool_call>"


def gate(*steps: Decision | Callable[[], object]) -> ApprovalGate:
    """A gate whose answers are given beforehand; a function in their place is called, and nothing is answered."""
    left = iter(steps)

    async def ask(_: ApprovalRequest) -> Decision:
        step = next(left)
        if isinstance(step, Decision):
            return step
        step()
        await asyncio.Event().wait()
        raise AssertionError("nobody answers")

    return ask
