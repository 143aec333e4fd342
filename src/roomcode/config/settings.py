"""What can be set, with defaults. One flat record, and a table of switches for comparisons."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

__all__ = ["Settings", "Switches"]


_AT_LOAD, _AT_START = "when the model is loaded again", "at the next start of roomcode"


def _like(expected: str, applies: str = "at once") -> dict[str, Any]:
    """What a right value looks like, for error messages; and from when on a running roomcode goes by a new one."""
    return {"expected": expected, "applies": applies}


_BOOL = _like("true or false")


class Switches(msgspec.Struct, frozen=True, kw_only=True):
    """Parts of the harness that can be switched off, to see what each is worth."""

    constraint_syntax: Annotated[
        bool, Meta(description="calls are well formed while they are sampled", extra=_BOOL)
    ] = True
    constraint_opening: Annotated[
        bool, Meta(description="calls opened the model's own way are put right", extra=_BOOL)
    ] = True
    constraint_grounding: Annotated[bool, Meta(description="paths and edits are held to what exists", extra=_BOOL)] = (
        True
    )
    repairs: Annotated[bool, Meta(description="arguments are mended when the intent is clear", extra=_BOOL)] = True
    hints: Annotated[bool, Meta(description="failed calls come back with a short hint", extra=_BOOL)] = True
    finish_check: Annotated[bool, Meta(description="the result is checked before a request ends", extra=_BOOL)] = True


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings. A 0, -1 or empty text means: decided from the model and the machine."""

    model: Annotated[
        str,
        Meta(
            description="name or path of the model; empty: the default one", extra=_like("a name or a path", _AT_LOAD)
        ),
    ] = ""
    engine: Annotated[
        str,
        Meta(
            description="llama, or scripted:FILE for a script of answers",
            extra=_like("llama or scripted:FILE", _AT_LOAD),
            pattern=r"^(llama|scripted:.+)$",
        ),
    ] = "llama"
    form: Annotated[
        Literal["auto", "xml", "json"],
        Meta(
            description="how calls are written; auto: what suits the model",
            extra=_like("one of auto, xml, json", _AT_LOAD),
        ),
    ] = "auto"
    supply: Annotated[
        Literal["auto", "text", "names", "none"],
        Meta(
            description="what of the project is put beside a request; auto: what suits the model",
            extra=_like("one of auto, text, names, none"),
        ),
    ] = "auto"
    first_call: Annotated[
        Literal["auto", "on", "plan", "off"],
        Meta(
            description="whether a request's first answer has to be a call; plan: one line, then a call",
            extra=_like("one of auto, on, plan, off"),
        ),
    ] = "auto"
    pieces: Annotated[
        Literal["auto", "words", "lines"],
        Meta(
            description="the least that an edit replaces",
            extra=_like("one of auto, words, lines"),
        ),
    ] = "auto"
    attempts: Annotated[
        int,
        Meta(
            description="tries of a request whose checks fail, where edits are not asked about; 0: as suits the model",
            extra=_like("a whole number from 0 to 16"),
            ge=0,
            le=16,
        ),
    ] = 0
    mode: Annotated[
        Literal["ask", "auto"],
        Meta(description="ask before a file changes, or just change it", extra=_like("one of ask, auto")),
    ] = "ask"
    approve: Annotated[
        tuple[str, ...],
        Meta(description="files that may change unasked, like docs/**", extra=_like("a list of path patterns")),
    ] = ()
    context: Annotated[
        int,
        Meta(
            description="tokens of context; 0: by size of the model",
            extra=_like("a whole number, 0 or more", _AT_LOAD),
            ge=0,
        ),
    ] = 0
    threads: Annotated[
        int,
        Meta(
            description="threads to compute with; 0: one for each core",
            extra=_like("a whole number from 0 to 512", _AT_LOAD),
            ge=0,
            le=512,
        ),
    ] = 0
    max_steps: Annotated[
        int,
        Meta(description="steps a request may take", extra=_like("a whole number, 1 or more"), ge=1),
    ] = 30
    seed: Annotated[
        int,
        Meta(
            description="for the same answer again; -1: the model's usual one",
            extra=_like("a whole number from -1 to 4294967295"),
            ge=-1,
            le=2**32 - 1,
        ),
    ] = -1
    temperature: Annotated[
        Annotated[float, Meta(ge=0, le=5)] | None,
        Meta(
            description="how freely words are chosen, 0: always the likeliest; unset: as suits the model",
            extra=_like("a number from 0 to 5"),
        ),
    ] = None
    network: Annotated[
        bool,
        Meta(description="pages in the preview may reach the internet", extra=_like("true or false", _AT_START)),
    ] = False
    checkpoints: Annotated[
        int,
        Meta(
            description="saved states for models whose memory cannot be cut; 0: none",
            extra=_like("a whole number from 0 to 64", _AT_LOAD),
            ge=0,
            le=64,
        ),
    ] = 8
    sessions_keep: Annotated[
        int,
        Meta(
            description="past sessions that are kept of a project, the last ones; 0: all",
            extra=_like("a whole number, 0 or more"),
            ge=0,
        ),
    ] = 200
    sessions_size: Annotated[
        int,
        Meta(
            description="megabytes that the sessions of a project may take together; 0: any",
            extra=_like("a whole number, 0 or more"),
            ge=0,
        ),
    ] = 1000
    theme: Annotated[
        str,
        Meta(description="colours of the app; empty: its usual ones", extra=_like("the name of a theme")),
    ] = ""
    switches: Switches = msgspec.field(default_factory=Switches)
