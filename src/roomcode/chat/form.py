"""Which form of calls a chat template shows its model."""

from typing import Literal

import regex

__all__ = ["Form", "detect_form"]

Form = Literal["xml", "json"]
"""`xml`: arguments as raw text between tags. `json`: the call is one JSON object. Both stand inside `<tool_call>`."""

_JSON_CALL = regex.compile(r"<tool_call>[^<]{0,24}\{\s{0,8}\\?[\"'](?:name|arguments)\\?[\"']")
_TOOLS = regex.compile(r"\{[%{][^}]{0,400}\btools\b")


def detect_form(template: str) -> Form | None:
    """The form that a chat template (Jinja source) shows the model; None when it knows no tools, or another form."""
    if _TOOLS.search(template) is None:
        return None
    if "<function=" in template:
        return "xml"
    return "json" if _JSON_CALL.search(template) and "arguments" in template else None
