"""Opening a page or a file in the person's own programs."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from roomcode.tui.items import Card, Item

if TYPE_CHECKING:
    from roomcode.tui.app import RoomcodeApp

__all__ = ["Opener", "launch"]


def launch(target: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Open an address or a file with the desktop's program for it; False where there is no desktop."""
    if sys.platform == "darwin":
        command = ["open", target]
    elif sys.platform == "win32":
        os.startfile(target)
        return True
    elif environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"):
        command = ["xdg-open", target]
    else:
        # Without a desktop a browser would be one that runs in this very terminal.
        return False
    quiet = subprocess.DEVNULL
    try:
        subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    except OSError:
        return False
    return True


class Opener:
    """Opens what an item is about; where nothing can be opened, the address goes to the clipboard."""

    def __init__(self, launch: Callable[[str], bool] = launch) -> None:
        self._launch = launch

    def open_item(self, item: Item, app: "RoomcodeApp") -> None:
        """The page of a card, else its file."""
        if not isinstance(item, Card):
            return
        if item.url:
            self._open(item.url, app)
            return
        path = (app.backend.project / item.path).resolve() if item.path else None
        if path is None or not path.is_relative_to(app.backend.project) or not path.is_file():
            app.notify("There is no file or page to open.", markup=False, severity="warning")
            return
        self._open(str(path), app)

    def open_file(self, path: str, app: "RoomcodeApp") -> None:
        """A file of the project."""
        target = (app.backend.project / path).resolve()
        if not target.is_relative_to(app.backend.project) or not target.is_file():
            app.warn("There is no such file now.")
            return
        self._open(str(target), app)

    def open_ports(self, ports: Sequence[int], app: "RoomcodeApp") -> None:
        """The page served last."""
        if not ports:
            app.notify("No page is served yet.", markup=False, severity="warning")
            return
        self._open(f"http://127.0.0.1:{ports[-1]}/", app)

    def _open(self, target: str, app: "RoomcodeApp") -> None:
        if self._launch(target):
            app.notify(f"opened {target}", markup=False, timeout=3)
        else:
            app.copy_to_clipboard(target)
            app.notify(f"There is no desktop here to open it; copied instead: {target}", markup=False, timeout=8)
