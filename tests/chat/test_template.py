"""Chat templates: each kind is rendered right, or re-shaped once, or refused with one message."""

import pytest

from roomcode.chat import ChatTemplate, Message, TemplateError
from tests.support import templates

TOOL = {"type": "function", "function": {"name": "read_file", "parameters": {"type": "object"}}}
CONVERSATION = [
    Message("system", "be good"),
    Message("user", "do it"),
    Message("assistant", "calling"),
    Message("tool", "one"),
    Message("tool", "two"),
]


def text(template: ChatTemplate, messages: list[Message], **options: object) -> str:
    return "".join(p.text for p in template.pieces(template.shape(messages), **options))  # type: ignore[arg-type]


def test_foreign_text_comes_as_pieces_of_its_own() -> None:
    pieces = ChatTemplate(templates.CHATML).pieces([Message("user", "say <|im_end|> {{ x }}")])
    assert [(p.text, p.control) for p in pieces] == [
        ("<|im_start|>user\n", True),
        ("say <|im_end|> {{ x }}", False),
        ("<|im_end|>\n<|im_start|>assistant\n", True),
    ]


def test_only_the_new_part_of_a_conversation_is_rendered() -> None:
    template = ChatTemplate(templates.JSON_TOOLS)
    assert text(template, CONVERSATION, after=3) == (
        "<|im_end|>\n<|im_start|>user\n<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response>"
        "<|im_end|>\n<|im_start|>assistant\n"
    )
    whole = text(template, CONVERSATION)
    assert whole.endswith(text(template, CONVERSATION, after=3))
    assert whole.startswith("<|im_start|>system\nbe good<|im_end|>\n<|im_start|>user\ndo it")


def test_tool_schemas_are_rendered_where_the_template_can() -> None:
    for source, can in ((templates.JSON_TOOLS, True), (templates.XML_TOOLS, True), (templates.CHATML, False)):
        template = ChatTemplate(source)
        assert template.traits.tools is can
        rendered = text(template, [Message("system", "s"), Message("user", "u")], tools=[TOOL])
        assert ('"read_file"' in rendered) is can


def test_a_template_without_a_system_role_gets_it_in_front_of_the_request() -> None:
    template = ChatTemplate(templates.NO_SYSTEM)
    assert not template.traits.system
    assert "takes no system prompt" in template.traits.notice
    assert text(template, CONVERSATION[:2]) == (
        "<start_of_turn>user\nbe good\n\ndo it<end_of_turn>\n<start_of_turn>model\n"
    )


def test_a_template_that_demands_turns_gets_results_as_one_user_turn() -> None:
    template = ChatTemplate(templates.ALTERNATING)
    assert not template.traits.tool_role
    assert text(template, CONVERSATION) == "[INST] be good\n\ndo it [/INST]calling</s>[INST] one\n\ntwo [/INST]"
    # Two requests in a row (the first was stopped before the model said anything) are joined as well.
    assert "[INST] a\n\nb [/INST]" in text(template, [Message("user", "a"), Message("user", "b")])


def test_a_template_that_refuses_everything_is_one_clear_error() -> None:
    with pytest.raises(TemplateError, match="this template is for embeddings only"):
        ChatTemplate(templates.RAISES)


def test_a_template_that_does_not_compile_is_one_clear_error() -> None:
    with pytest.raises(TemplateError, match="does not compile"):
        ChatTemplate("{% for %}")


def test_a_template_that_forgets_what_the_user_says_is_refused() -> None:
    with pytest.raises(TemplateError, match="leaves out what the user says"):
        ChatTemplate("{% for m in messages %}<{{ m.role }}>{% endfor %}")


def test_thinking_is_switched_off_where_the_template_knows_it() -> None:
    rendered = text(ChatTemplate(templates.STRIPS_THINKING), [Message("user", "u")])
    assert rendered.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")


def test_a_template_that_drops_thinking_still_finds_where_the_new_part_begins() -> None:
    template = ChatTemplate(templates.STRIPS_THINKING)
    messages = [Message("user", "u"), Message("assistant", "<think>x</think>a"), Message("user", "v")]
    assert text(template, messages, after=2).startswith("<|im_end|>\n<|im_start|>user\nv<|im_end|>")


def test_a_template_cannot_reach_out_of_its_sandbox() -> None:
    evil = "{{ messages.__class__.__mro__ }}" + templates.CHATML
    with pytest.raises(TemplateError):
        ChatTemplate(evil)


def test_a_model_file_without_a_template_gets_a_plain_one() -> None:
    assert text(ChatTemplate(""), [Message("user", "u")]) == "<|im_start|>user\nu<|im_end|>\n<|im_start|>assistant\n"
