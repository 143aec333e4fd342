"""What holds for every call of one answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from roomcode.calls.grammar import Choices
from roomcode.chat import Form
from roomcode.protocol.engine import Codec, Matcher
from roomcode.protocol.tools import ToolSpec

__all__ = ["CallRules", "Edited"]


@dataclass(frozen=True, slots=True)
class Edited:
    """A tool that replaces `old`, a piece that stands in a text once, by `new`; `path` says in which text.

    These three are the names of its parameters."""

    tool: str
    text: Callable[[str], str | None]
    """From the value of `path` to the text as it is now, with `\\n` line ends; None where `old` may be anything."""
    wanted: tuple[str, ...] = ()
    """Texts of which `new` has to hold one, as they stand in a file."""
    where: tuple[str, ...] = ()
    """Paths of texts that they belong into; empty: any."""
    belongs: Callable[[str, str], bool] = lambda _path, _text: True
    """Whether one of them may stand in that file."""
    within: str = ""
    """A pattern: where it matches a text, `old` is held to its first group or, without one, to all that it matches."""
    entire: bool = False
    """`old` is all that the pattern matches."""
    becomes: tuple[str, str] = ("", "")
    """A pattern and its replacement that turn all of that piece into what `new` has to be; no pattern: it is free."""
    insert: str = ""
    """What goes behind `old`, which is kept, where `new` brings in no wanted text and none was likely anywhere."""
    vain: tuple[tuple[str, str], ...] = ()
    """Paths and pieces whose edits came to nothing: the next `old` begins with something else where it can."""
    whole: str = ""
    """The tool that writes a whole file, if it may not send a text again that is there."""
    words: bool = True
    """`old` may be words within a line, not only lines and their segments."""
    path: str = "path"
    old: str = "old"
    new: str = "new"
    content: str = "content"
    """The parameter of `whole` and `maker` that holds the text."""
    maker: str = ""
    """The tool that makes a new text, if it is known what that has to be."""
    known: Callable[[str], str | None] = lambda _path: None
    """From the value of `path` to the text that `maker` has to write there; None where it may be any."""


@dataclass(frozen=True, slots=True)
class CallRules:
    """The tools, the form and the levels of the constraint."""

    form: Form
    tools: Mapping[str, ToolSpec]
    codec: Codec
    matcher: Callable[[str], Matcher]
    """Starts following a grammar."""
    choices: Choices
    edited: Edited | None
    syntax: bool
    """Whether only tokens that keep the call valid are allowed."""
    closings: bool
    """Whether a text that is ended in another way is ended properly."""
    close_tokens: Sequence[int]
    offline: bool
    """Whether no raw value may load a script from the network."""
    wishes: frozenset[int]
    """Tokens that in the middle of a raw value say that the model is done with it."""

    @property
    def close_is_token(self) -> bool:
        return len(self.close_tokens) == 1
