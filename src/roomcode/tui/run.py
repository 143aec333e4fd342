"""Running the app on a real terminal, from the first paint to the last server that is closed."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from textual.driver import Driver

from roomcode.tui.app import RoomcodeApp
from roomcode.tui.backend import Backend, Shelf
from roomcode.tui.history import History, history_path
from roomcode.tui.remember import Remembered
from roomcode.tui.terminal import Terminal
from roomcode.tui.themes import TERMINAL, fitting_theme

__all__ = ["run_app", "terminal_for_textual"]

_CLOSING = 8.0
"""Seconds that closing servers, browser and engine may take."""


def run_app(
    backend: Backend,
    shelf: Shelf,
    *,
    theme: str,
    warnings: Sequence[str],
    environ: Mapping[str, str],
    told: Callable[[], Terminal] = Terminal,
) -> int:
    """Run the app until it is left; returns the exit code. `sys.stderr` has to be the terminal; `told` gives what it
    said about itself."""
    no_color = "NO_COLOR" in environ
    terminal = told()
    if no_color and terminal.graphics == "blocks":
        terminal = replace(terminal, graphics="dots")
    remembered = Remembered()
    app = RoomcodeApp(
        backend,
        shelf,
        history=History(history_path(backend.project)),
        theme=TERMINAL if no_color else theme or remembered.theme or fitting_theme(environ, terminal.light),
        remember_theme=None if no_color else remembered.save_theme,
        warnings=warnings,
        no_color=no_color,
        driver=_driver(terminal),
        terminal=terminal,
    )
    with terminal_for_textual(sys.stderr):
        return asyncio.run(_run(app, backend))


async def _run(app: RoomcodeApp, backend: Backend) -> int:
    loop = asyncio.get_running_loop()
    vanishing: list[asyncio.Task[None]] = []
    handlers: dict[str, Callable[[], None]] = {
        "SIGTERM": lambda: app.exit(128 + signal.SIGTERM),
        "SIGHUP": lambda: vanishing.append(loop.create_task(_vanish(backend))),
    }
    for name, handler in handlers.items():
        if hasattr(signal, name):
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(getattr(signal, name), handler)
    try:
        code = await app.run_async()
    finally:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(app.conductor.close(), _CLOSING)
    return code if isinstance(code, int) else app.return_code or 0


async def _vanish(backend: Backend) -> None:
    """The terminal is gone: nothing may be written to it any more, so the app cannot end in its own way."""
    try:
        await asyncio.wait_for(backend.close(), _CLOSING)
    finally:
        os._exit(128 + signal.SIGHUP)


def _driver(terminal: Terminal) -> type[Driver] | None:
    """Ours where there is one, else Textual's for this system."""
    if sys.platform == "win32":
        return None
    from roomcode.tui.keyboard import driver_for

    return driver_for(terminal)


@contextlib.contextmanager
def terminal_for_textual(terminal: Any) -> Iterator[None]:
    """Textual draws on `sys.__stderr__` and asks `sys.__stdout__` for the size: both are `terminal` here, while
    descriptor 1 goes where descriptor 2 goes already, so that native libraries cannot write into the picture."""
    sys.stdout.flush()
    kept = os.dup(1)
    before = sys.__stdout__, sys.__stderr__
    os.dup2(2, 1)
    _set_streams(terminal, terminal)
    try:
        yield
    finally:
        _set_streams(*before)
        os.dup2(kept, 1)
        os.close(kept)


def _set_streams(out: Any, err: Any) -> None:
    # These names are declared final, but Textual knows no other way to be told its terminal.
    for name, stream in (("__stdout__", out), ("__stderr__", err)):
        setattr(sys, name, stream)
