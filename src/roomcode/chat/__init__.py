"""Chat templates: messages to text, without a model."""

from roomcode.chat.template import ChatTemplate, Message, Piece, Role, TemplateError, Traits

__all__ = ["ChatTemplate", "Message", "Piece", "Role", "TemplateError", "Traits"]
