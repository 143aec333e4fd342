"""Widgets that survive their own bugs.

Textual ends a widget's message loop, and then the app, at the first exception in a handler or while drawing. Here the
exception is handed to the app, which shows and logs it, and the widget goes on.
"""

from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    Base = MessagePump
    WidgetBase = Widget
else:
    Base = object
    WidgetBase = object

__all__ = ["Sturdy", "SturdyWidget"]


class Sturdy(Base):
    """Mixed in before a message pump: an exception in a handler is reported to the app, and the loop goes on."""

    async def _dispatch_message(self, message: Message) -> None:
        try:
            await super()._dispatch_message(message)
        except Exception as error:
            self.app.bug(f"{type(self).__name__} on {type(message).__name__}", error)  # type: ignore[attr-defined]


class SturdyWidget(Sturdy, WidgetBase):
    """Mixed in before a widget: also drawing may fail."""

    def render_lines(self, crop: Region) -> list[Strip]:
        try:
            return super().render_lines(crop)
        except Exception as error:
            self.app.bug(f"drawing {type(self).__name__}", error)  # type: ignore[attr-defined]
            return [Strip.blank(crop.width)] * crop.height
