"""Run the check of a task on a project folder."""

import asyncio
from pathlib import Path

from evals.site import Failure, open_site
from evals.tabs import Tabs, open_tabs
from evals.tasks import Task, load_check

__all__ = ["check_project", "failure_of"]

_MOST_SECONDS = 60.0


async def failure_of(tabs: Tabs, task: Task, project: Path, answers: tuple[str, ...], *, patience: float = 3.0) -> str:
    """What is wrong with the result, in one sentence; empty when the check passes."""
    from playwright.async_api import Error

    check = load_check(task)
    try:
        async with open_site(tabs, project, task.start, answers, patience=patience) as site:
            try:
                async with asyncio.timeout(_MOST_SECONDS):
                    await check(site)
            except Failure as failure:
                # A script that failed explains more than what is therefore missing.
                error = f" [console: {site.errors[0]}]" if site.errors and site.errors[0] not in str(failure) else ""
                return f"{failure}{error}"
            except Error as error:
                return f"The page could not be used: {_first_lines(str(error))}"
    except TimeoutError:
        return f"The page did not answer within {_MOST_SECONDS:.0f} seconds."
    return ""


async def check_project(task: Task, project: Path, answers: tuple[str, ...]) -> str:
    """The same with a browser of its own, so that a page which breaks the browser breaks no other check."""
    async with open_tabs() as tabs:
        return await failure_of(tabs, task, project, answers)


def _first_lines(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(lines[:4])[:300]
