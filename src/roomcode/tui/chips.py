"""Long pasted text, shown as a short chip in the input and sent whole."""

import re

from roomcode.tui.foreign import safe

__all__ = ["Chips", "pasted_text"]

_LINES = 8
_CHARACTERS = 1_000


def pasted_text(text: str) -> str:
    """Pasted text without anything a terminal would obey; a last line end is dropped."""
    text = safe(text)
    return text[:-1] if text.endswith("\n") else text


class Chips:
    """The pasted texts that stand behind chips."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """What to put into the input for a pasted text: itself, or a chip when it is long."""
        lines = text.count("\n") + 1
        if lines <= _LINES and len(text) <= _CHARACTERS:
            return text
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        label = f"[pasted {size.replace(',', ' ')}]"
        number = 2
        while label in self._texts and self._texts[label] != text:
            label = f"[pasted {size.replace(',', ' ')} #{number}]"
            number += 1
        self._texts[label] = text
        return label

    def unfold(self, draft: str) -> str:
        """The draft with every chip replaced by its text."""
        if not self._texts:
            return draft
        pattern = re.compile("|".join(re.escape(label) for label in sorted(self._texts, key=len, reverse=True)))
        return pattern.sub(lambda match: self._texts[match[0]], draft)

    def ending(self, text: str) -> str:
        """The chip that `text` ends with, or empty."""
        return next((label for label in self._texts if text.endswith(label)), "")

    def clear(self) -> None:
        self._texts.clear()
