"""One short hint on a failed call, each only a few times a request."""

from roomcode.agent.prompts import HINTS
from roomcode.calls import render_call
from roomcode.chat import Form
from roomcode.protocol.tools import HintKind, ToolResult

__all__ = ["Hints"]

_TIMES: dict[HintKind, int] = {"format": 2, "parts": 2, "copy_old": 2, "one_error": 1}


class Hints:
    """Counts the hints of one request."""

    def __init__(self, form: Form, *, enabled: bool = True) -> None:
        self._form = form
        self._enabled = enabled
        self._given: dict[HintKind, int] = {}

    def hint_for(self, result: ToolResult) -> str:
        """The hint to add to this result, or nothing."""
        kind = result.hint if not result.ok else None
        if result.page_errors is not None and len(result.page_errors) > 1:
            kind = "one_error"
        if kind == "format" and "<tool_call>" in result.text:
            return ""  # the error shows the format already, for the very call that was meant
        if not self._enabled or kind is None or self._given.get(kind, 0) >= _TIMES[kind]:
            return ""
        self._given[kind] = self._given.get(kind, 0) + 1
        if kind == "format":
            return "Hint: a call looks exactly like this:\n" + render_call(self._form, "read_file", {"path": "FILE"})
        return HINTS[kind]
