"""Who says yes to a change: the mode, the rules of the settings, what the person said before, or the person now."""

from collections.abc import Sequence
from typing import Literal

from pathspec import GitIgnoreSpec

from roomcode.protocol.approval import ApprovalGate, ApprovalRequest, Decision, refuse_all

__all__ = ["Approvals", "Mode"]

Mode = Literal["ask", "auto"]


class Approvals:
    """An approval gate in front of the person's own gate `ask`.

    In mode `auto` every change is approved, in mode `ask` only those of files that match one of `globs` (written like
    the lines of a .gitignore, for example `docs/**`), and those that an earlier answer covers. A protected file is
    shown to the model only when the person says so, whatever the mode.
    """

    def __init__(self, ask: ApprovalGate = refuse_all, *, mode: Mode = "ask", globs: Sequence[str] = ()) -> None:
        self.ask = ask
        """The front end's gate; may be replaced at any time."""
        self.mode: Mode = mode
        self.allow(globs)
        self._request_allowed = False
        self._session_allowed = False

    def allow(self, globs: Sequence[str]) -> None:
        """Files that match these may change unasked, in place of those before."""
        self._globs = GitIgnoreSpec.from_lines(globs)

    async def __call__(self, request: ApprovalRequest) -> Decision:
        if request.reading:
            return await self.ask(request)
        if self.mode == "auto" or self._request_allowed or self._session_allowed:
            return Decision(True)
        if self._globs.match_file(request.change.path):
            return Decision(True)
        decision = await self.ask(request)
        if decision.approved:
            self._request_allowed |= decision.remember in ("request", "session")
            self._session_allowed |= decision.remember == "session"
        return decision

    def begin_request(self) -> None:
        """What was allowed for a request ends with it."""
        self._request_allowed = False

    def reset(self) -> None:
        """Ask again from now on: what was allowed for the session ends."""
        self._request_allowed = self._session_allowed = False
