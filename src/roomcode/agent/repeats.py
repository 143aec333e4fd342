"""Noticing that the agent goes round in circles: the same call failing, the same page error coming back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roomcode.protocol.tools import Effect, ToolResult

__all__ = ["CALL_LIMIT", "PAGE_LIMIT", "PAGE_NOTE", "Place", "RepeatGuard", "Verdict", "signature"]

CALL_LIMIT = 3
"""Steps in a row in which the same call failed: then the request is stuck."""
PAGE_LIMIT = 5
"""Checks with the same first error, each after a change: then the request is stuck."""
PAGE_NOTE = 3
GOES_BACK = (
    "You made this same edit before and then changed it again, so it was not run. Do something else: another place, "
    "another file, or the next thing of the request."
)
Place = tuple[str, str]
"""The path and the replaced text of an edit."""


def signature(tool: str, arguments: Mapping[str, Any]) -> str:
    """The same text for the same call."""
    return f"{tool} {json.dumps(arguments, sort_keys=True, ensure_ascii=False, default=str)}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard says after a step: a note for the model, or why the request is stuck."""

    note: str = ""
    stuck: str = ""


@dataclass(frozen=True, slots=True)
class _Vain:
    """A call of this step that did not help: it failed with `error`, or (empty) brought nothing new."""

    tool: str
    error: str


class RepeatGuard:
    """Remembers calls and results of one request."""

    def __init__(self) -> None:
        self._streaks: dict[str, int] = {}
        self._step: dict[str, _Vain] = {}
        self._results: dict[str, str] = {}  # of calls that change nothing, since the last change
        self._writes: dict[str, tuple[frozenset[str], ToolResult]] = {}  # until another call changes these files
        self._made: set[str] = set()  # changes of this request, whatever came after them
        self._changes = 0
        self._page: dict[int, tuple[str, int, int]] = {}  # port → first error, count, changes when last counted
        self._page_note = ""
        self._page_stuck = ""

    def already_done(self, tool: str, effect: Effect, arguments: Mapping[str, Any]) -> ToolResult | None:
        """The result of an identical write, when nothing else changed its file since, or of an identical edit, which
        would only undo what came after it: it is not run twice."""
        if effect != "write":
            return None
        key = signature(tool, arguments)
        _, before = self._writes.get(key, (None, None))
        if before is None:
            return ToolResult("unchanged", GOES_BACK) if tool == "edit_file" and key in self._made else None
        if before.state == "rejected":
            return ToolResult("rejected", f"You sent exactly this before and it was rejected. {before.text}")
        path = arguments.get("path", "the file")
        return ToolResult(
            "unchanged",
            f"This exact {tool} already ran; {path} holds it. Do the next thing: serve the page, fix something else, "
            "or say that you are done.",
        )

    def record(self, tool: str, effect: Effect, arguments: Mapping[str, Any], result: ToolResult) -> None:
        """Take note of one result."""
        key = signature(tool, arguments)
        if result.state != "stopped" and not result.ok:
            self._step[key] = _Vain(tool, result.text.splitlines()[0] if result.text else "no result")
        elif effect == "write" and result.state == "unchanged":
            self._step[key] = _Vain(tool, "")
        elif effect != "write" and result.ok:
            # The person may have edited the file: only the same result counts as a repeat.
            if self._results.get(key) == result.text:
                self._step[key] = _Vain(tool, "")
            self._results[key] = result.text
        if result.changed:
            self._changes += 1
            self._results.clear()
            self._made.add(key)
            changed = frozenset(result.changed)
            self._writes = {k: (files, r) for k, (files, r) in self._writes.items() if not files & changed}
        if effect == "write" and key not in self._writes and (result.ok or result.state == "rejected"):
            self._writes[key] = (frozenset(result.changed) or frozenset({str(arguments.get("path"))}), result)
        if result.page_errors is not None and result.port is not None:
            self._record_page(result.port, result.page_errors)

    def _record_page(self, port: int, errors: tuple[str, ...]) -> None:
        first = errors[0] if errors else ""
        known, count, changes = self._page.get(port, ("", 0, -1))
        if not first:
            self._page.pop(port, None)
            return
        if first != known:
            self._page[port] = (first, 1, self._changes)
            return
        if changes == self._changes:
            return  # nothing was tried in between
        count += 1
        self._page[port] = (first, count, self._changes)
        if count >= PAGE_LIMIT:
            self._page_stuck = f"the page gave the same error {count} times: {first}"
        elif count == PAGE_NOTE:
            self._page_note = (
                f"The page has given this error {count} times now: {first}\n"
                "Your changes do not fix it. Read the file at that line first, then change something else."
            )

    @property
    def vain(self) -> tuple[Place, ...]:
        """Where the edits of the last step changed nothing, so that the next one goes to another place."""
        calls = [json.loads(key.partition(" ")[2]) for key in self._streaks if key.startswith("edit_file ")]
        return tuple(
            (str(one["path"]), one["old"]) for one in calls if "path" in one and isinstance(one.get("old"), str)
        )

    def end_step(self) -> Verdict:
        """What follows from this step. Call once after the results of a step."""
        vain, self._step = self._step, {}
        self._streaks = {key: self._streaks.get(key, 0) + 1 for key in vain}
        page_note, self._page_note = self._page_note, ""
        if self._page_stuck:
            return Verdict(stuck=self._page_stuck)
        for key, count in self._streaks.items():
            tool, error = vain[key].tool, vain[key].error
            if count >= CALL_LIMIT:
                what = f"failed {count} times: {error}" if error else f"was repeated {count} times and gave nothing new"
                return Verdict(stuck=f"the same {tool} call {what}")
        for key, count in self._streaks.items():
            if count == CALL_LIMIT - 1:
                what = "it did not help" if vain[key].error else "it gave nothing new"
                return Verdict(
                    note=f"You sent the same {vain[key].tool} call {count} times and {what}. Do something different: "
                    "other arguments, another tool, or say what is missing."
                )
        return Verdict(note=page_note)
