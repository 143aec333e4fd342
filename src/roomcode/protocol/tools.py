"""What a tool is, seen from every side: its specification, its call and its result.

Plain data. `calls/` turns specifications into grammars and prompts, `tools/` implements them, `agent/` runs them, front
ends show the results.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from roomcode.protocol.approval import ApprovalGate
from roomcode.protocol.display import Display

__all__ = [
    "Effect",
    "HintKind",
    "Parameter",
    "ParameterType",
    "ResultState",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolResult",
    "ToolSpec",
]

ParameterType = Literal["string", "integer", "number", "boolean", "array"]
Effect = Literal["read", "write", "run"]
"""`read` changes nothing, `write` changes files of the project, `run` starts something (a server, a script)."""

ResultState = Literal["ok", "failed", "unchanged", "rejected", "stopped", "unknown"]
"""`unchanged`: a write that would change nothing. `rejected`: the person said no. `stopped`: the person stopped the
request before the call had run. `unknown`: a tool the model was not given, or a call that could not be read."""

HintKind = Literal["format", "parts", "copy_old", "one_error"]
"""The hints that a failed result may ask for: the format of a call; long files in parts; how to copy `old`; one error
at a time."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool. A parameter with a default may be left out of a call."""

    name: str
    type: ParameterType
    description: str
    required: bool = True
    default: Any = None
    raw: bool = False
    """Long text over several lines (file content): never stripped, never decoded."""
    filled: bool = False
    """A constrained call never leaves it empty."""

    def schema(self) -> dict[str, Any]:
        """The JSON schema of this parameter's value."""
        schema: dict[str, Any] = {"type": self.type, "description": self.description}
        if self.type == "array":
            schema["items"] = {}
        return schema


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """Name, description and parameters: all that the model is told about a tool."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    effect: Effect

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.parameters if p.required)

    def parameter(self, name: str) -> Parameter | None:
        return next((p for p in self.parameters if p.name == name), None)

    def schema(self) -> dict[str, Any]:
        """The function schema that chat templates with tool support expect."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": {
                    "type": "object",
                    "properties": {p.name: p.schema() for p in self.parameters},
                    "required": list(self.required),
                },
            },
        }


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as it will run: known tool, repaired arguments."""

    id: str
    tool: str
    arguments: Mapping[str, Any]
    repairs: tuple[str, ...] = ()
    """One short sentence for each repair, shown on the card."""
    error: str = ""
    """Why the call cannot run (unknown tool, unreadable, missing argument); empty for a good call."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave: text for the model, display data for the person, facts for the loop."""

    state: ResultState
    text: str
    """For the model. Errors are short, concrete, and name the next action."""
    display: Display | None = None
    changed: tuple[str, ...] = ()
    """Project-relative paths this call wrote."""
    hint: HintKind | None = None
    """The hint that would help the model if it fails like this again."""
    page_errors: tuple[str, ...] | None = None
    """Only from a tool that loaded a page: its errors, most important first; empty when it loaded clean."""
    port: int | None = None
    """The port of the page, from `serve`."""

    @property
    def ok(self) -> bool:
        return self.state in ("ok", "unchanged")


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool is handed with each call."""

    approve: ApprovalGate
    request: int = 0
    call: str = ""
    reader: str = "conversation"
    """Whose knowledge of file versions counts: the conversation, or one subagent."""
    cut_at: int | None = None
    """Set when the answer that holds this call was cut by the token cap: the cap in tokens."""
    progress: Callable[[str], None] = field(default=lambda _: None)
    prompt: str = ""
    """What the request says."""


class Tool(Protocol):
    """A tool of the model. A failure is a result with state `failed`; an exception is a bug."""

    @property
    def spec(self) -> ToolSpec: ...

    def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> Awaitable[ToolResult]:
        """Run one call. `arguments` are repaired, typed and hold defaults for what was left out."""
        ...
