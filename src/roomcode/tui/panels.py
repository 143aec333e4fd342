"""Opening the panels, and fetching models in them. Each is imported when it opens: the first picture needs none."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.binding import Binding, BindingType

from roomcode.tui.backend import ModelRow, Setting
from roomcode.tui.prompt import Prompt
from roomcode.tui.timeline import Timeline

if TYPE_CHECKING:
    from roomcode.tui.app import RoomcodeApp
    from roomcode.tui.screens.help import Section
    from roomcode.tui.screens.pickers import ModelsPanel

__all__ = ["Panels"]

_STAGES = {"hub": "from the model hub", "index": "from the package index", "checksum": "checking"}


class _Cancelled(Exception):
    """The person closed the panel while a model was fetched."""


class Panels:
    """Pushes panels on the app's screen."""

    def __init__(self, app: "RoomcodeApp") -> None:
        self._app = app

    def help(self) -> None:
        from roomcode.tui.screens.help import paint_help
        from roomcode.tui.screens.panel import TextPanel

        app = self._app
        sections: list[Section] = [
            ("Everywhere", _bindings(type(app).BINDINGS)),
            ("Input", _bindings(Prompt.BINDINGS)),
            ("Timeline (Tab goes there)", _bindings(Timeline.BINDINGS)),
        ]
        app.push_screen(
            TextPanel("help", lambda width, brush: paint_help(sections, app.get_key_display, width, brush), app.brush)
        )

    def console(self) -> None:
        self._app.errands.run(self._show_console())

    async def _show_console(self) -> None:
        from roomcode.tui.screens.pickers import ConsolePanel

        backend = self._app.backend
        consoles = {port: await backend.console(port) for port in backend.ports()}
        self._app.push_screen(ConsolePanel(consoles, self._app.brush))

    def settings(self) -> None:
        from roomcode.tui.screens.settings import SettingsPanel

        app = self._app
        panel = SettingsPanel(
            self._settings, app.backend.config_files, app.brush, change=self._change, load=lambda: self._use("")
        )
        app.push_screen(panel)

    def _settings(self) -> list[Setting]:
        themes = tuple(sorted(self._app.available_themes))
        return [replace(s, choices=themes) if s.name == "theme" else s for s in self._app.backend.settings()]

    async def _change(self, name: str, text: str, project: bool) -> str:
        said = await self._app.backend.change_setting(name, text, project=project)
        if name == "theme" and text in self._app.available_themes:
            self._app.theme = text
        self._app.displays.show_status()
        return said

    def models(self) -> None:
        self._app.run_worker(self._show_models("models", ""), exit_on_error=False)

    def welcome(self, why: str) -> None:
        from roomcode.tui.screens.pickers import size_text

        memory = size_text(self._app.shelf.memory)
        intro = (
            f"{why}\n\nroomcode runs a model on this machine; nothing leaves it. This machine has {memory} of memory. "
            "Choose a model: it is fetched once, checked, and proved by one test call."
        )
        self._app.run_worker(self._show_models("welcome to roomcode", intro), exit_on_error=False)

    async def _show_models(self, title: str, intro: str) -> None:
        from roomcode.tui.screens.pickers import ModelsPanel

        rows = await asyncio.to_thread(self._app.shelf.rows)
        panel = ModelsPanel(rows, self._app.brush, fetch=self._fetch, title=title, intro=intro)
        self._app.push_screen(panel, self._use)

    def _use(self, model: str | None) -> None:
        app = self._app
        if model is not None and app.errands.idle("a model is loaded"):
            app.conductor.load(model)

    def _fetch(self, row: ModelRow, panel: "ModelsPanel") -> None:
        panel.fetching = row.name
        self._app.run_worker(self._fetch_and_prove(row, panel), exit_on_error=False)

    async def _fetch_and_prove(self, row: ModelRow, panel: "ModelsPanel") -> None:
        from roomcode.tui.screens.pickers import size_text

        app = self._app

        def on_pull(stage: str, done: int, total: int) -> None:
            if panel not in app.screen_stack:
                raise _Cancelled
            what = f"{row.name} {_STAGES.get(stage, stage)}: {size_text(done)} of {size_text(total)}"
            app.call_from_thread(panel.tell, what, done / total if total else 0.0)

        try:
            panel.tell(f"fetching {row.name} …", 0.0)
            await asyncio.to_thread(app.shelf.pull, row.name, on_pull)
            panel.show(await asyncio.to_thread(app.shelf.rows))
            panel.tell(f"{row.name} is here. One test call …")
            said = await app.shelf.prove(row.name)
        except _Cancelled:
            app.say(f"Fetching {row.name} was stopped; it goes on from there next time.")
            return
        except Exception as error:
            if panel in app.screen_stack:
                panel.tell(str(error))
            else:
                app.say(str(error), "engine")
            return
        finally:
            panel.fetching = ""
        app.say(said)
        if panel in app.screen_stack:
            panel.dismiss(row.name)


def _bindings(bindings: Sequence[BindingType]) -> list[Binding]:
    return list(Binding.make_bindings(bindings))
