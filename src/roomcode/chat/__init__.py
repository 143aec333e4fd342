"""Chat templates: messages to text, without a model."""

from roomcode.chat.form import Form, detect_form
from roomcode.chat.template import ChatTemplate, Message, Piece, Role, TemplateError, Traits

__all__ = ["ChatTemplate", "Form", "Message", "Piece", "Role", "TemplateError", "Traits", "detect_form"]
