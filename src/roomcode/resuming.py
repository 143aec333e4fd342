"""The session of a running roomcode: what of it the agent starts with, and how what the agent does gets into it.

Sits between `agent` and `session`, which do not know each other.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from roomcode.agent import Conversation, Outcome, Turn
from roomcode.calls import parse
from roomcode.chat import Form, TemplateError
from roomcode.protocol.engine import Codec, EngineInfo
from roomcode.protocol.events import Event, RequestStarted
from roomcode.protocol.tools import ToolSpec
from roomcode.session import (
    LAST,
    NEW,
    Header,
    Held,
    OutcomeRecord,
    Reason,
    Recorder,
    SessionError,
    SessionFile,
    SessionFolder,
    SessionInfo,
    SessionReader,
    SessionState,
    Setup,
    Snapshot,
    TurnRecord,
    Turns,
    requests_in,
    state_of,
    unsaved_notice,
)

__all__ = ["Keeper", "encode_answer", "setup_of"]

_IDENTITY = 1 << 20
"""Bytes at the start of a model file that tell it from others: they hold its facts and the start of its vocabulary."""

_OTHER = "Another roomcode is open in this folder, so this one has its own session."
_OTHER_TOO = "Another roomcode is open in this folder too, in another session."
_LOST_START = "(The beginning of this conversation was lost.)"
_LOST_PART = "(A part of this conversation was lost.)"


class Keeper:
    """Keeps one session at a time, in `folder`; without a folder nothing is written, and the conversation only outlives
    a change of the model.

    The `open_` methods and `close` block and are for any thread while no request runs; all else is for the event loop.
    """

    def __init__(self, folder: SessionFolder | None, snapshot: Callable[[], Snapshot]) -> None:
        self._folder = folder
        self._snapshot = snapshot
        self._held: Held | None = None
        self._recorder: Recorder | None = None
        self._state = SessionState()
        self._setup: Setup | None = None
        self._conversation: Conversation | None = None
        self._numbers: dict[int, tuple[Turn, int]] = {}
        """By the id() of each turn: the turn, and its number in the session."""
        self._notices: deque[str] = deque()
        self.requests = 0
        """Number of the last request."""

    @property
    def id(self) -> str:
        """The open session; empty when there is none."""
        return self._held.id if self._held is not None else ""

    @property
    def state(self) -> SessionState:
        """The session as it was when it was opened."""
        return self._state

    def take_notices(self) -> list[str]:
        """Sentences for the person, each once."""
        taken: list[str] = []
        while self._notices:
            taken.append(self._notices.popleft())
        return taken

    def sessions(self) -> list[SessionInfo]:
        """All sessions of this project, the last one first. Raises SessionError."""
        return self._folder.sessions() if self._folder is not None else []

    # --- deleting ---

    def delete(self, wanted: str) -> str:
        """Delete the session whose id begins with `wanted`; returns its id. Raises SessionError, also for one that is
        open."""
        if self._folder is None:
            raise SessionError("No sessions are kept here.")
        if self._held is not None and self._folder.find(wanted) == self._held.path:
            raise SessionError(f"Session {self._held.id} is open: start a new task or open another session first.")
        return self._folder.delete(wanted)

    def retire(self, count: int, size: int) -> list[str]:
        """Delete the oldest sessions that are more than `count` or, together, more than `size` bytes (0: no limit);
        returns their ids."""
        return self._folder.retire(count, size) if self._folder is not None else []

    # --- opening ---

    def open_session(self, wanted: str) -> None:
        """Go on with a session: a NEW one, the LAST one (a new one when there is none or when it cannot be had), or the
        one whose id begins with `wanted`. Raises SessionError; then the one that was open still is."""
        if self._folder is None:
            if wanted not in (NEW, LAST):
                raise SessionError("No sessions are kept here.")
            self._enter(None, SessionState(), None)
            return
        if wanted != NEW and self._is_open(self._folder, wanted):
            return
        others = self._held is None and self._folder.others()
        if others:
            self._notices.append(_OTHER_TOO if wanted not in (NEW, LAST) else _OTHER)
        try:
            if wanted not in (NEW, LAST):
                self._enter_file(self._folder.open(wanted))
                return
            if wanted == LAST and not others and self._folder.sessions():
                self._enter_file(self._folder.open(LAST))
                return
        except SessionError as error:
            if wanted != LAST:
                raise
            self._notices.append(f"{error} This is a new session.")
        held = self._folder.new()
        self._enter(held, SessionState(), self._recorder_of(held, header=self._folder.header(held)))

    def _is_open(self, folder: SessionFolder, wanted: str) -> bool:
        if self._held is None:
            return False
        try:
            return folder.find(wanted) == self._held.path
        except SessionError:
            return False

    def _enter_file(self, held: Held) -> None:
        try:
            state = state_of(SessionReader(held.path))
        except SessionError:
            held.release()
            raise
        self._enter(held, state, self._recorder_of(held, state=state))

    def fork(self, request: int) -> str:
        """Go on in a new session that holds all that was before a request of the open one; returns that request's text.

        Raises SessionError; then nothing changed.
        """
        if self._folder is None or self._held is None or self._recorder is None:
            raise SessionError("No sessions are kept here.")
        if not self._recorder.saved:
            raise SessionError("This session is not saved, so it cannot be forked: make room on the disk first.")
        held, prompt = self._folder.fork(self._held, request)
        self._enter_file(held)
        return prompt

    def asked(self) -> list[tuple[int, str]]:
        """Number and text of each request of the open session, oldest first. Reads its file. Raises SessionError."""
        if self._held is None:
            raise SessionError("No sessions are kept here.")
        return requests_in(self._held.path) if self._held.path.exists() else []

    def _recorder_of(self, held: Held, *, header: Header | None = None, state: SessionState | None = None) -> Recorder:
        file = SessionFile(held.path, lambda reason: self._notices.append(unsaved_notice(reason)))
        return Recorder(file, self._snapshot, header=header, state=state, on_notice=self._notices.append)

    def _enter(self, held: Held | None, state: SessionState, recorder: Recorder | None) -> None:
        self.close()
        self._held, self._state, self._recorder = held, state, recorder
        self._setup = state.setup
        self._conversation = None
        self._numbers = {}
        self.requests = state.requests

    def close(self) -> None:
        """Put everything on the disk and let go of the session. Harmless when none is open."""
        recorder, self._recorder = self._recorder, None
        held, self._held = self._held, None
        if recorder is not None and not recorder.close():
            self._notices.append("The end of this session could not be saved.")
        if held is not None:
            held.release()

    # --- the agent's side ---

    def record(self, event: Event) -> None:
        """A subscriber of events."""
        if isinstance(event, RequestStarted):
            self.requests = event.request
        if self._recorder is not None:
            self._recorder(event)

    def attach(
        self, conversation: Conversation, codec: Codec, info: EngineInfo, form: Form, specs: Sequence[ToolSpec]
    ) -> None:
        """Give a new conversation the turns of the session, as they are or, for another model or form, encoded anew;
        from now on the session follows it."""
        setup = setup_of(info, conversation, form)
        same = _fits(setup, self._setup) and (self._conversation is not None or self._state.whole)
        turns, late = self._turns()
        try:
            if same:
                conversation.turns = turns
            else:
                conversation.turns = conversation.encoded(turns, lambda text: encode_answer(codec, text, specs))
        except TemplateError as error:
            self._notices.append(f"The earlier conversation cannot be used with this model: {error}")
            conversation.turns, late = [], None
        before, self._setup, self._conversation = self._setup, setup, conversation
        conversation.journal = self
        if setup != before and self._recorder is not None:
            self._recorder.setup(setup)
        if turns and not same:
            self._keep_all("encoded", conversation.turns, {})
        if late is not None:
            conversation.add(late)

    def _turns(self) -> tuple[list[Turn], Turn | None]:
        """The turns so far, and the results that the last answer still has to be told."""
        if self._conversation is not None:
            self._conversation.journal = None
            return list(self._conversation.turns), None
        state = self._state
        turns = [_turn_of(record) for record in state.turns]
        if state.whole:
            self._numbers = {id(turn): (turn, record.id) for turn, record in zip(turns, state.turns, strict=True)}
        else:
            turns = _mended(turns)
        late = None
        if state.late:
            last = turns[-1]
            outcomes = tuple(map(_outcome_of, state.late))
            late = Turn("results", last.request, last.step, "", outcomes=outcomes)
        return turns, late

    def added(self, turn: Turn) -> None:
        if self._recorder is not None:
            self._numbers[id(turn)] = (turn, self._recorder.turn(_record_of(turn)))

    def replaced(self, turns: Sequence[Turn]) -> None:
        self._keep_all("shortened", turns, self._numbers)

    def _keep_all(self, reason: Reason, turns: Sequence[Turn], known: dict[int, tuple[Turn, int]]) -> None:
        if self._recorder is None:
            return
        records = tuple(known[id(turn)][1] if id(turn) in known else _record_of(turn) for turn in turns)
        numbers = self._recorder.turns(Turns(reason=reason, turns=records))
        self._numbers = {id(turn): (turn, number) for turn, number in zip(turns, numbers, strict=True)}


def setup_of(info: EngineInfo, conversation: Conversation, form: Form) -> Setup:
    """What the tokens of a conversation belong to."""
    return Setup(
        model=info.name,
        file=_identity(Path(info.path)),
        template=_digest(info.template.encode("utf-8", "replace")),
        form=form,
        prefix=_digest(",".join(map(str, conversation.prefix)).encode()),
    )


def _fits(setup: Setup, before: Setup | None) -> bool:
    """Whether tokens of one mean the same to the other. The name of a model does not matter, its file does."""
    return before is not None and replace(setup, model=before.model) == before


def encode_answer(codec: Codec, text: str, specs: Sequence[ToolSpec]) -> list[int]:
    """Tokens of an answer that another model gave.

    The tags around calls become this model's own control tokens where every such tag in the text belongs to a call. An
    answer that writes about them, or writes them into a file, stays plain text.
    """
    tags = ("<tool_call>", "</tool_call>")
    if text.count(tags[0]) != len(parse(text, specs).calls) or text.count(tags[1]) > text.count(tags[0]):
        return codec.encode(text)
    tokens: list[int] = []
    for index, part in enumerate(text.split(tags[0])):
        if index:
            tokens += codec.encode(tags[0], control=True)
        body, tag, rest = part.partition(tags[1])
        tokens += codec.encode(body)
        if tag:
            tokens += [*codec.encode(tag, control=True), *codec.encode(rest)]
    return tokens


def _identity(path: Path) -> str:
    """Size and digest of the start of a model file; empty when there is no such file."""
    try:
        with open(path, "rb") as file:
            return f"{path.stat().st_size}:{_digest(file.read(_IDENTITY))}"
    except OSError:
        return ""


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _mended(turns: Sequence[Turn]) -> list[Turn]:
    """Turns some of which were lost, as a conversation: no answer without something before it that it answers."""
    mended: list[Turn] = []
    for turn in turns:
        gap = mended[-1].kind == "answer" if mended else True
        if (turn.kind == "answer" and gap) or (turn.kind == "results" and not mended):
            mended.append(Turn("note", turn.request, turn.step, _LOST_PART if mended else _LOST_START))
        if turn.kind != "answer" and mended and mended[-1].kind != "answer":
            mended.append(Turn("answer", mended[-1].request, mended[-1].step, ""))
        mended.append(turn)
    return mended


def _record_of(turn: Turn) -> TurnRecord:
    return TurnRecord(
        id=0,
        turn=turn.kind,
        request=turn.request,
        step=turn.step,
        text=turn.text,
        tokens=tuple(map(int, turn.tokens)),
        outcomes=tuple(
            OutcomeRecord(
                call=outcome.call,
                tool=outcome.tool,
                argument=outcome.argument,
                text=outcome.text,
                state=outcome.state,
                changed=outcome.changed,
                created=outcome.created,
                port=outcome.port,
                stubbed=outcome.stubbed,
            )
            for outcome in turn.outcomes
        ),
    )


def _turn_of(record: TurnRecord) -> Turn:
    return Turn(
        record.turn,
        record.request,
        record.step,
        record.text,
        record.tokens,
        tuple(map(_outcome_of, record.outcomes)),
    )


def _outcome_of(record: OutcomeRecord) -> Outcome:
    return Outcome(
        record.call,
        record.tool,
        record.argument,
        record.text,
        record.state,
        record.changed,
        record.created,
        record.port,
        record.stubbed,
    )
