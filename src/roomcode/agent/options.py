"""What is handed to the agent: settings, and the hooks through which it looks at the project."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from roomcode.agent.budget import ANSWER_CAP
from roomcode.agent.running import ProjectCheck, no_check
from roomcode.chat import Form
from roomcode.protocol.engine import Constraint, Sampling

__all__ = ["AgentSettings", "Hooks"]


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """What a person or a model's profile may change about the loop."""

    form: Form
    sampling: Sampling = field(default_factory=Sampling)
    max_steps: int = 30
    answer_cap: int = ANSWER_CAP
    hints: bool = True
    repairs: bool = True
    """Arguments are put right where the intent is clear; without it such a call is refused."""
    first_call: bool = False
    """The first answer of a request has to be a call: for models that answer out of nothing."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the loop is handed in. Everything has a default that does nothing."""

    constraint: Callable[[bool], Constraint | None] = lambda _: None
    """(first call wanted) → the constraint of an answer."""
    notices: Callable[[int], Sequence[str]] = lambda _: ()
    """(request) → what is told behind its text."""
    after_change: ProjectCheck = no_check
    """(prompt, files just written) → lines added to that result."""
    before_end: ProjectCheck = no_check
    """(prompt, files written) → what is still wrong when the request is about to end."""
