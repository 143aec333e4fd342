"""A served project and a page of it, used as a person would: look, click, type, and see what it shows."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evals.tabs import Tabs
from roomcode.preview.server import StaticServer

if TYPE_CHECKING:
    from playwright.async_api import ConsoleMessage, Dialog, Error, Locator, Page

__all__ = ["Failure", "Site", "expect", "open_site"]

_STEP = 0.03
"""Seconds between two looks at the page."""
_LOAD = 10.0
_ACTION = 2.0
"""Seconds that a page may take to load, and a click or typing at least."""
_FIRST_PORT = 5600
_OWN_FOLDER = ".roomcode"

# One look is one call of the browser: a check looks hundreds of times.
_VISIBLE = """
const visible = (e) => {
  const box = e.getBoundingClientRect();
  return e.checkVisibility({visibilityProperty: true, opacityProperty: true}) && box.width > 0 && box.height > 0;
};
"""
_READ = f"""(selector) => {{
  {_VISIBLE}
  const e = document.querySelector(selector);
  if (!e) return '';
  if (['INPUT', 'TEXTAREA', 'SELECT'].includes(e.tagName)) return e.value;
  if (!visible(e) && e !== document.body) return '';
  // A button is a thing of its own, also where no space parts it from a text.
  const spaces = [...e.querySelectorAll('button, [role=button]')].flatMap(one => {{
    const around = [document.createTextNode(' '), document.createTextNode(' ')];
    one.before(around[0]);
    one.after(around[1]);
    return around;
  }});
  const text = e.innerText;
  spaces.forEach(one => one.remove());
  return text;
}}"""
_COUNT = f"""(selector) => {{
  {_VISIBLE}
  return [...document.querySelectorAll(selector)].filter(visible).length;
}}"""


class Failure(AssertionError):
    """The result is not what was asked for; the message says in one sentence what a person would complain about."""


def expect(holds: object, complaint: str) -> None:
    """Raise Failure with the complaint unless it holds."""
    if not holds:
        raise Failure(complaint)


def flat(text: str) -> str:
    """Text without the differences that nobody sees: case, runs of spaces, kinds of dashes, e-mail."""
    plain = " ".join(text.replace("\u2212", "-").replace("\u2013", "-").split()).casefold()
    return plain.replace("e-mail", "email")


@dataclass
class Site:
    """What a check gets. Everything that waits waits for `patience` seconds at most."""

    root: Path
    """The project after the last request."""
    start: Path
    """The files it began with; the folder may be missing."""
    answers: tuple[str, ...]
    """What the agent said at the end of each request."""
    origin: str
    patience: float
    tabs: Tabs
    errors: list[str] = field(default_factory=list)
    """Console errors and uncaught errors since the page was opened."""
    dialogs: list[str] = field(default_factory=list)
    """Texts of the boxes that popped up; each was confirmed."""
    tab: "Page | None" = None
    """The tab, once a page was opened."""
    clock: bool = False
    """Whether the tab's time is moved by hand."""

    # --- files ---

    def read(self, path: str) -> str:
        """The text of a project file."""
        file = self.root / path
        expect(file.is_file(), f"There is no file {path}.")
        return file.read_text("utf-8", "replace")

    def unchanged(self, *paths: str) -> None:
        """These files are byte for byte as they were."""
        for path in paths:
            expect((self.root / path).is_file(), f"{path} is gone.")
            expect((self.root / path).read_bytes() == (self.start / path).read_bytes(), f"{path} was changed.")

    def only_changed(self, *paths: str) -> None:
        """Every start file but these is as it was. New files do not matter."""
        self.unchanged(*(path for path in _files(self.start) if path not in paths))

    def nothing_changed(self) -> None:
        """Every file is as it was, and none is new."""
        self.only_changed()
        new = sorted(set(_files(self.root)) - set(_files(self.start)))
        expect(not new, f"A question was asked, and {', '.join(new)} was written.")

    # --- the answer ---

    def says(self, *facts: str, request: int = -1) -> None:
        """One of these facts stands in the answer, as words of its own."""
        answer = flat(self.answers[request]) if self.answers else ""
        found = any(re.search(rf"(?<![\w]){re.escape(flat(fact))}(?!\w|[.,]\d)", answer) for fact in facts)
        expect(found, f"The answer does not say {facts[0]!r}: {answer[:200] or '(nothing)'}")

    # --- the page ---

    @property
    def page(self) -> "Page":
        """The open page, for what the methods here do not do."""
        if self.tab is None:
            raise RuntimeError("a check has to open a page before it uses one")
        return self.tab

    async def open(self, path: str = "index.html", *, clock: bool = False) -> None:
        """Load a page anew; what was collected before is forgotten. The tab keeps its storage.

        With `clock` its time can be moved by `site.page.clock.run_for(milliseconds)`.
        """
        expect((self.root / path.partition("?")[0]).is_file(), f"There is no page {path}.")
        if self.tab is None:
            self.clock = clock
            self.tab = await self._new_tab()
        self.errors.clear()
        self.dialogs.clear()
        await self.tab.goto(f"{self.origin}/{path}", wait_until="load", timeout=_LOAD * 1000)

    async def _new_tab(self) -> "Page":
        page = await self.tabs.take(fresh=self.clock)
        page.set_default_timeout(max(self.patience, _ACTION) * 1000)
        page.on("pageerror", self._uncaught)
        page.on("console", self._console)
        page.on("dialog", self._confirm)
        if self.clock:
            await page.clock.install()
        return page

    def _uncaught(self, error: "Error") -> None:
        self.errors.append(str(error))

    def _console(self, line: "ConsoleMessage") -> None:
        address = line.location.get("url", "")
        if line.type == "error" and "favicon" not in address:
            self.errors.append(f"{line.text} ({address})")

    async def _confirm(self, dialog: "Dialog") -> None:
        self.dialogs.append(dialog.message)
        await dialog.accept()

    async def close(self) -> None:
        """Give the tab back."""
        page, self.tab = self.tab, None
        if page is not None:
            page.remove_listener("pageerror", self._uncaught)
            page.remove_listener("console", self._console)
            page.remove_listener("dialog", self._confirm)
            # The clock of a tab cannot be set going again.
            await self.tabs.give_back(page, self.origin, fresh=self.clock)

    async def until(self, holds: Callable[[], Awaitable[object]], complaint: str | Callable[[], str]) -> None:
        """Look until it holds. Raises Failure when it does not in time."""
        end = time.monotonic() + self.patience
        while not await holds():
            if time.monotonic() >= end:
                raise Failure(complaint if isinstance(complaint, str) else complaint())
            await asyncio.sleep(_STEP)

    async def text(self, selector: str = "body") -> str:
        """What a person reads there: the value of a field, else the visible text; empty when nothing is there."""
        read: str = await self.page.evaluate(_READ, selector)
        return read

    async def _seen(self, selector: str) -> int:
        """How many of these elements can be seen."""
        number: int = await self.page.evaluate(_COUNT, selector)
        return number

    async def shows(self, text: str, where: str = "body", *, after: str = "") -> None:
        """The text can be read there (in the whole page also in a box that popped up)."""
        seen = ""

        async def holds() -> bool:
            nonlocal seen
            seen = await self.text(where)
            if where == "body":
                seen = " ".join([seen, *self.dialogs])
            return _stands(text, seen)

        await self.until(holds, lambda: f"{_place(where, after)} {text!r} should be shown, but it reads {_cut(seen)}.")

    async def hides(self, text: str, where: str = "body", *, after: str = "") -> None:
        """The text cannot be read there (any more)."""

        async def holds() -> bool:
            return not _stands(text, await self.text(where))

        await self.until(holds, f"{_place(where, after)} {text!r} should not be shown, but it is.")

    async def visible(self, selector: str, wanted: bool = True, *, after: str = "") -> None:
        """One such element at least can be seen, or (`wanted=False`) none can."""

        async def holds() -> bool:
            return bool(await self._seen(selector)) == wanted

        word = "should" if wanted else "should not"
        await self.until(holds, f"{_place(selector, after)} the element {word} be visible.")

    async def count(self, selector: str, number: int, *, after: str = "") -> None:
        """So many of these elements can be seen."""
        seen = -1

        async def holds() -> bool:
            nonlocal seen
            seen = await self._seen(selector)
            return seen == number

        await self.until(holds, lambda: f"{_place(selector, after)} {number} should be visible, but {seen} are.")

    async def find(self, what: str) -> "Locator":
        """A selector (`#id`, `.class`, `[…]`, with `>>` any of Playwright's) or what stands on a button or link."""
        if re.match(r"[#.\[]", what) or ">>" in what:
            found = self.page.locator(what)
            await self.until(found.count, f"There is no element {what}.")
            return found.first
        exact = re.compile(rf"^\s*{re.escape(what)}\s*$", re.IGNORECASE)
        loose = re.compile(re.escape(what), re.IGNORECASE)
        choices = [
            self.page.get_by_role(role, name=name) for name in (exact, loose) for role in ("button", "tab", "link")
        ]
        chosen = choices[0]

        async def holds() -> bool:
            nonlocal chosen
            for choice in choices:
                if await choice.count():
                    chosen = choice
                    return True
            return False

        await self.until(holds, f"There is no button {what!r}.")
        return chosen.first

    async def click(self, what: str, *, times: int = 1) -> None:
        """Click a button (by its text) or an element (by its selector)."""
        found = await self.find(what)
        for _ in range(times):
            await found.click()

    async def fill(self, what: str, text: str) -> None:
        """Type into a field, found by selector, label, placeholder or name; what it held is replaced."""
        if re.match(r"[#.\[]", what):
            found = await self.find(what)
        else:
            word = re.compile(re.escape(what), re.IGNORECASE)
            choices = [
                self.page.get_by_label(word),
                self.page.get_by_placeholder(word),
                self.page.locator(f"[name={what!r} i], [id={what!r} i]"),
            ]
            counts = [await choice.count() for choice in choices]
            found = choices[next((place for place, number in enumerate(counts) if number), 0)].first
            await self.until(found.count, f"There is no field {what!r}.")
        await found.fill(text)

    async def style(self, selector: str, name: str) -> str:
        """A computed style, like `rgb(255, 0, 0)`."""
        found = await self.find(selector)
        value: str = await found.evaluate("(e, name) => getComputedStyle(e).getPropertyValue(name)", name)
        return value

    def no_errors(self) -> None:
        """The console is clean since the page was opened."""
        expect(not self.errors, f"The console shows an error: {self.errors[0] if self.errors else ''}")


def _files(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in paths if path.parts[0] != _OWN_FOLDER)


def _stands(text: str, seen: str) -> bool:
    """Whether the text stands there and is not the middle of a longer number or word."""
    wanted = flat(text)
    before = r"(?<![\w.,-])" if wanted[:1].isdigit() else r"(?<!\w)" if wanted[:1].isalnum() else ""
    behind = r"(?![\w]|[.,]\d)" if wanted[-1:].isdigit() else r"(?!\w)" if wanted[-1:].isalnum() else ""
    return re.search(before + re.escape(wanted) + behind, flat(seen)) is not None


def _place(where: str, after: str) -> str:
    place = "On the page" if where == "body" else f"In {where}"
    return f"{place} {after}:" if after else f"{place}:"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 160 else line[:159] + "…")


@asynccontextmanager
async def open_site(
    tabs: Tabs, root: Path, start: Path, answers: tuple[str, ...] = (), *, patience: float = 3.0
) -> AsyncIterator[Site]:
    """Serve a project; a tab is opened when the check opens a page."""
    server = StaticServer(root)
    await server.start(_FIRST_PORT)
    site = Site(root, start, answers, server.origin, patience, tabs)
    try:
        yield site
    finally:
        await site.close()
        await server.close()
