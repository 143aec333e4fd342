"""What was typed before in this project: one JSON string a line, oldest first."""

import hashlib
import json
import logging
import os
from pathlib import Path

__all__ = ["History", "history_path"]

log = logging.getLogger(__name__)

_KEPT = 500
_LONGEST = 20_000
"""Characters; longer requests are not worth keeping here."""


def history_path(project: Path) -> Path:
    """The history file of a project, in the user's state folder."""
    import platformdirs

    key = hashlib.sha256(str(project.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return platformdirs.user_state_path("roomcode", appauthor=False) / "history" / f"{key}.jsonl"


class History:
    """Walks back and forth through earlier texts. Without a path it lives in memory only."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._texts = self._read()
        self._at = len(self._texts)
        self._draft = ""

    def add(self, text: str) -> None:
        """Remember a text that was sent, and go to the end."""
        if text.strip() and (not self._texts or self._texts[-1] != text) and len(text) <= _LONGEST:
            self._texts.append(text)
            self._write(text)
        self._at = len(self._texts)
        self._draft = ""

    def before(self, draft: str) -> str | None:
        """The text before the one shown; None at the start. The first step keeps `draft` to come back to."""
        if self._at == 0:
            return None
        if self._at == len(self._texts):
            self._draft = draft
        self._at -= 1
        return self._texts[self._at]

    def after(self) -> str | None:
        """The text after the one shown, in the end the draft; None beyond it."""
        if self._at >= len(self._texts):
            return None
        self._at += 1
        return self._draft if self._at == len(self._texts) else self._texts[self._at]

    def _read(self) -> list[str]:
        if self._path is None:
            return []
        try:
            lines = self._path.read_text("utf-8", "replace").splitlines()
        except OSError:
            return []
        texts = []
        for line in lines:
            try:
                text = json.loads(line)
            except ValueError:
                continue
            if isinstance(text, str):
                texts.append(text)
        if len(texts) > 2 * _KEPT:
            texts = texts[-_KEPT:]
            self._rewrite(texts)
        return texts[-_KEPT:]

    def _write(self, text: str) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(self._path, "a", encoding="utf-8", opener=_private) as file:
                file.write(json.dumps(text) + "\n")
        except OSError as error:
            log.warning("The input history cannot be saved: %s", error)

    def _rewrite(self, texts: list[str]) -> None:
        assert self._path is not None
        part = self._path.with_suffix(".part")
        try:
            with open(part, "w", encoding="utf-8", opener=_private) as file:
                file.writelines(json.dumps(text) + "\n" for text in texts)
            part.replace(self._path)
        except OSError as error:
            log.warning("The input history cannot be shortened: %s", error)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
