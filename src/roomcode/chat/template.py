"""Chat templates: messages to pieces of text, with the template's own text and foreign text kept apart.

Foreign text (system prompt, requests, results, answers) goes through the template as placeholders and is put in
afterwards, so only the template's own text is ever tokenised with control tokens.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

__all__ = ["PLAIN_TEMPLATE", "ChatTemplate", "Message", "Piece", "Role", "TemplateError", "Traits"]

Role = Literal["system", "user", "assistant", "tool"]

PLAIN_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""For a model whose file holds no template."""

_OPEN, _CLOSE = "\ue000", "\ue001"  # private use: no template tests, trims or splits on them


class TemplateError(Exception):
    """The chat template cannot be used; one sentence with the template's own words."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `more` holds texts of later messages that were joined to it, each after an empty line."""

    role: Role
    text: str
    more: tuple[str, ...] = ()
    name: str = ""
    """Of a tool message: the tool it is from."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text; `control` when it is the template's own."""

    text: str
    control: bool


@dataclass(frozen=True, slots=True)
class Traits:
    """What a template can do, found out by rendering it."""

    system: bool = True
    """Takes a system message; otherwise the system prompt goes in front of the first request."""
    tool_role: bool = True
    """Takes results as `tool` messages; otherwise they go as user messages."""
    tools: bool = False
    """Renders tool schemas."""
    notice: str = ""
    """What had to be re-shaped, for the person; empty if nothing."""


class ChatTemplate:
    """A compiled template. Raises TemplateError when it cannot be compiled or used at all."""

    def __init__(self, source: str, *, bos: str = "", eos: str = "", now: Callable[[], datetime] = datetime.now):
        from jinja2 import TemplateError as JinjaError
        from jinja2.ext import loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        def raise_exception(message: str) -> None:
            raise JinjaError(message)

        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
        environment.filters["tojson"] = _to_json
        environment.globals["raise_exception"] = raise_exception
        environment.globals["strftime_now"] = lambda form: now().strftime(form)
        try:
            self._template = environment.from_string(source or PLAIN_TEMPLATE)
        except JinjaError as error:
            raise TemplateError(f"The model's chat template does not compile: {error}") from error
        self._jinja_error = JinjaError
        self._bos, self._eos = bos, eos
        self.source = source
        self.traits = self._find_traits()

    def _render(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]], *, answer: bool) -> str:
        try:
            return self._template.render(
                messages=list(messages),
                tools=list(tools) or None,
                add_generation_prompt=answer,
                bos_token=self._bos,
                eos_token=self._eos,
                enable_thinking=False,
            )
        except self._jinja_error as error:
            raise TemplateError(f"The model's chat template refuses this conversation: {error}") from error
        except Exception as error:  # a template may fail in any way Python can
            raise TemplateError(f"The model's chat template fails: {error!r}") from error

    def _accepts(self, *messages: tuple[Role, str], tools: Sequence[dict[str, Any]] = ()) -> bool:
        """Whether a conversation renders and every text of it is there exactly once."""
        marked = [{"role": role, "content": f"{_OPEN}{name}{_CLOSE}"} for role, name in messages]
        try:
            text = self._render(marked, tools, answer=True)
        except TemplateError:
            return False
        return all(text.count(m["content"]) == 1 for m in marked)

    def _find_traits(self) -> Traits:
        probe = {"type": "function", "function": {"name": "probe_tool_name", "parameters": {"type": "object"}}}
        if self._accepts(("system", "s"), ("user", "u")):
            system, notice = True, ""
        elif self._accepts(("user", "u")):
            system, notice = False, "This model's template takes no system prompt; it goes in front of your request."
        else:
            self._render([{"role": "user", "content": "hello"}], [], answer=True)  # raises with the template's words
            raise TemplateError("The model's chat template leaves out what the user says; choose another model.")
        start: list[tuple[Role, str]] = [("system", "s"), ("user", "u")] if system else [("user", "u")]
        tool_role = "tool" in self.source and self._accepts(
            *start, ("assistant", "a"), ("tool", "t"), ("tool", "v"), ("assistant", "b"), ("tool", "w"), ("user", "x")
        )
        if not tool_role and not self._accepts(*start, ("assistant", "a"), ("user", "t")):
            raise TemplateError("The model's chat template takes no second request; choose another model.")
        if not tool_role:
            notice = (
                f"{notice} Results of tools go to this model as messages of yours; its template knows none.".strip()
            )
        try:
            with_tools = self._render([{"role": "user", "content": "hello"}], [probe], answer=True)
        except TemplateError:
            with_tools = ""
        return Traits(system, tool_role, "probe_tool_name" in with_tools, notice)

    def pieces(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]] = (), *, after: int = 0, answer: bool = True
    ) -> list[Piece]:
        """Render a conversation; return what follows the text of message `after` - 1, or everything for 0.

        Messages must already fit the template's traits (see `shape`). Raises TemplateError.
        """
        shown = [{"role": m.role, "content": f"{_OPEN}{i}{_CLOSE}"} for i, m in enumerate(messages)]
        text = self._render(shown, tools, answer=answer)
        pieces: list[Piece] = []
        started = after == 0
        for part in text.split(_OPEN):
            head, mark, tail = part.partition(_CLOSE)
            if not mark:
                tail = head
            elif started:
                message = messages[int(head)]
                pieces.append(Piece(message.text, False))
                pieces += [Piece(f"\n\n{text}", False) for text in message.more]
            elif int(head) == after - 1:
                started = True
            if started and tail:
                pieces.append(Piece(tail, True))
        if not started:
            raise TemplateError("The model's chat template drops earlier answers; choose another model.")
        return pieces

    def shape(self, messages: Sequence[Message]) -> list[Message]:
        """The messages as this template takes them: roles it does not know become user messages, neighbours with the
        same role are joined where it asks for turns."""
        shaped: list[Message] = []
        for message in messages:
            role = message.role
            if role == "tool" and not self.traits.tool_role:
                text = f"Result of {message.name}:\n{message.text}" if message.name else message.text
                message = replace(message, role="user", text=text)
            if role == "system" and not self.traits.system:
                message = replace(message, role="user")
            if shaped and shaped[-1].role == message.role == "user":
                shaped[-1] = replace(shaped[-1], more=(*shaped[-1].more, message.text, *message.more))
            else:
                shaped.append(message)
        return shaped


def _to_json(value: Any, indent: int | None = None, **_: Any) -> str:
    """JSON as the templates were trained with: not escaped for HTML, not sorted."""
    return json.dumps(value, ensure_ascii=False, indent=indent)
