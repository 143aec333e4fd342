"""The form of calls that a chat template shows its model."""

import pytest

from roomcode.chat import Form, detect_form

JSON_TEMPLATE = r"""{%- if tools %}
    {{- "<tools>" }}{%- for tool in tools %}{{- tool | tojson }}{%- endfor %}
    {{- "</tools>\n<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>" }}
{%- endif %}
{%- for message in messages %}{{ message.content }}{%- endfor %}"""
XML_TEMPLATE = r"""{%- if tools %}
    {{- "<tools>" }}{%- for tool in tools %}{{- tool.name }}{%- endfor %}
    {{- '<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>' }}
{%- endif %}"""
HERMES = """{% if tools %}<tool_call>
{"arguments": <args-dict>, "name": <function-name>}
</tool_call>{% endif %}"""
PLAIN = "{% for message in messages %}{{ '<|im_start|>' + message['role'] + message['content'] }}{% endfor %}"
OTHER = "{% if tools %}[AVAILABLE_TOOLS]{{ tools | tojson }}[/AVAILABLE_TOOLS]{% endif %}"
OTHER_TAGS = "{% if tools %}<tool_call>{name}\n<arg_key>{k}</arg_key>{{ call.arguments }}</tool_call>{% endif %}"


@pytest.mark.parametrize(
    ("template", "form"),
    [
        (JSON_TEMPLATE, "json"),
        (HERMES, "json"),
        (XML_TEMPLATE, "xml"),
        (PLAIN, None),
        (PLAIN + " about tools and <tool_call> and <function=x>", None),
        (OTHER, None),
        (OTHER_TAGS, None),
        ("", None),
        ("{% if " * 20000, None),
    ],
)
def test_form_of_a_template(template: str, form: Form | None) -> None:
    assert detect_form(template) == form
