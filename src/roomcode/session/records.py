"""What a session file holds: one record a line, each a JSON object with its `kind`.

A session is append-only. The events of its requests are in it as `roomcode run --json` prints them (pieces of text
joined, growing arguments left out). Between them stand the records of this module: what is needed to go on.

    session     first line: which session this is
    setup       the model and form that the following tokens belong to; again whenever one of them changes
    turn        one turn of the conversation, with its exact tokens and its text
    turns       the conversation was shortened or encoded anew: these are its turns from here on
    state       a time; and what changed of the served pages and of the known file versions

A later version of roomcode may add kinds and fields; both are passed over by an older one. What an older one would get
wrong raises `VERSION`.
"""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from roomcode.protocol.events import Event

__all__ = [
    "VERSION",
    "Header",
    "OutcomeRecord",
    "Reason",
    "Record",
    "Setup",
    "State",
    "TurnKind",
    "TurnRecord",
    "Turns",
    "encode_record",
]

VERSION = 1

TurnKind = Literal["request", "answer", "results", "note", "fold"]
Reason = Literal["shortened", "encoded"]
"""`shortened`: to fit the context. `encoded`: from its text, for another model or form."""


class _Record(msgspec.Struct, frozen=True, tag_field="kind", kw_only=True, omit_defaults=True):
    pass


class Header(_Record, frozen=True, kw_only=True, tag="session"):
    """Which session this is. Times are seconds since 1970."""

    version: int
    id: str
    project: str
    created: float
    roomcode: str = ""
    """Version of the program that began it."""
    parent: str = ""
    """The session that this one was forked from."""
    before: int = 0
    """Number of the parent's request before which it was forked."""


class Setup(_Record, frozen=True, kw_only=True, tag="setup"):
    """All that decides which tokens a conversation has. Where two of these differ, tokens of one mean nothing to the
    other."""

    model: str
    file: str
    """Size and digest of the model file; empty for an engine without one."""
    template: str
    """Digest of the chat template."""
    form: str
    prefix: str
    """Digest of the tokens of system prompt and tools."""


class OutcomeRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call and its result, as the model was told."""

    call: str
    tool: str
    argument: str
    text: str
    state: str = "ok"
    changed: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    port: int | None = None
    stubbed: bool = False


class TurnRecord(_Record, frozen=True, kw_only=True, tag="turn"):
    """One turn of the conversation."""

    id: int
    """Counts from 1 in a session."""
    turn: TurnKind
    request: int
    step: int
    text: str
    tokens: tuple[int, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()


class Turns(_Record, frozen=True, kw_only=True, tag="turns"):
    """The conversation from here on, oldest turn first. A number is a turn that stays as it was."""

    reason: Reason
    turns: tuple[int | TurnRecord, ...]


class State(_Record, frozen=True, kw_only=True, tag="state"):
    """What holds at a time; what is not named is as before."""

    time: float
    ports: dict[int, str] | UnsetType = UNSET
    """Port and project-relative page of everything that is served."""
    known: dict[str, str | None] | UnsetType = UNSET
    """Which version (digest) of which file the conversation has seen."""


Record = Header | Setup | TurnRecord | Turns | State | Event

_encoder = msgspec.json.Encoder()


def encode_record(record: Record) -> bytes:
    """The record as one line, with its newline. Half characters (lone surrogates) become question marks."""
    try:
        return _encoder.encode(record) + b"\n"
    except UnicodeEncodeError:
        return _encoder.encode(_encodable(msgspec.to_builtins(record))) + b"\n"


def _encodable(value: object) -> object:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case dict():
            return {_encodable(key): _encodable(item) for key, item in value.items()}
        case list() | tuple():
            return [_encodable(item) for item in value]
        case _:
            return value
