"""What is handed to the agent: settings, and the hooks through which it looks at the project."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from roomcode.agent.attempts import Files, no_files
from roomcode.agent.budget import ANSWER_CAP
from roomcode.agent.repeats import Place
from roomcode.agent.running import ProjectCheck, no_check
from roomcode.chat import Form
from roomcode.protocol.engine import Constraint, Sampling

__all__ = ["AgentSettings", "Hooks", "Wanted"]

Wanted = Literal["any", "first", "mend"]
"""What an answer is to be: anything, a call because it is the first, or a call because something is still wrong."""


async def _nothing_told(_request: int, _prompt: str) -> Sequence[str]:
    return ()


async def _nothing_wrong(_prompt: str, _paths: Sequence[str], _answer: str) -> Sequence[str]:
    return ()


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
    """The first answer of a request has to be a call, and so has one that was told what is still wrong: for models that
    answer out of nothing."""
    attempts: int = 1
    """How often a request may be tried, where checks say that its work is not done."""

    def sampling_for(self, salt: int, *, freely: bool) -> Sampling:
        """How the tokens of one answer are drawn; the same `salt` gives the same answer again."""
        temperature = max(self.sampling.temperature, 0.7) + 0.4 if freely else self.sampling.temperature
        seed = (self.sampling.seed * 1_000_003 + salt) & 0x7FFFFFFF
        return replace(self.sampling, temperature=temperature, seed=seed)


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the loop is handed in. Everything has a default that does nothing."""

    constraint: Callable[[Wanted, bool, Sequence[Place]], Constraint | None] = lambda _wanted, _freely, _vain: None
    """(what the answer is to be, whether the structure of calls is sampled as freely as text, where edits came to
    nothing)"""
    notices: Callable[[int, str], Awaitable[Sequence[str]]] = _nothing_told
    """(request, prompt) → what is told with its text."""
    after_change: ProjectCheck = no_check
    """(prompt, files just written) → lines added to that result."""
    complete: Callable[[], bool] = lambda: False
    """Whether what the last change left could be the whole work, so that it can be judged."""
    mendable: Callable[[Sequence[str]], bool] = lambda _wrong: False
    """Whether work with these faults is better gone on with than done anew."""
    whole: Callable[[], bool] = lambda: False
    """Whether a page that was made and loads clean is all that there is to do, if the checks agree."""
    before_end: Callable[[str, Sequence[str], str], Awaitable[Sequence[str]]] = _nothing_wrong
    """(prompt, files written, the last answer) → what is still wrong when the request is about to end."""
    files: Files = no_files
    """What a request wrote, to be taken back for another attempt."""
