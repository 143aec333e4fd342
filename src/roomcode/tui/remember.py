"""What the app remembers from one start to the next: the theme that was chosen in it."""

import json
import logging
from pathlib import Path

__all__ = ["Remembered"]

log = logging.getLogger(__name__)


def _default_path() -> Path:
    import platformdirs

    return platformdirs.user_state_path("roomcode", appauthor=False) / "app.json"


class Remembered:
    """A small JSON file. It is a convenience: when it cannot be read or written, nothing is lost but that."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or _default_path()

    @property
    def theme(self) -> str:
        """Name of the theme, or empty."""
        try:
            found = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return ""
        theme = found.get("theme") if isinstance(found, dict) else None
        return theme if isinstance(theme, str) else ""

    def save_theme(self, theme: str) -> None:
        part = self._path.with_suffix(".part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps({"theme": theme}), "utf-8")
            part.replace(self._path)
        except OSError as error:
            log.warning("The theme cannot be remembered: %s", error)
