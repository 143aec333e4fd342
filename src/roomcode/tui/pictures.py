"""Which picture of a page to show. One is taken each time that a page is loaded."""

from pathlib import Path

from roomcode.protocol.display import PageReport
from roomcode.tui.items import Card, Item
from roomcode.tui.story import Story

__all__ = ["page_pictured", "picture_missing"]


def page_pictured(story: Story, chosen: Item | None = None) -> PageReport | None:
    """The page of the chosen card, else the last one that has a picture, else the last one; None when none was served.
    The picture may be gone."""
    if isinstance(chosen, Card) and isinstance(chosen.display, PageReport):
        return chosen.display
    shown = [item.display for item in story.items if isinstance(item, Card) and isinstance(item.display, PageReport)]
    pages = [*story.pages.values(), *shown]
    return next((page for page in reversed(pages) if page.screenshot), pages[-1] if pages else None)


def picture_missing(page: PageReport | None) -> str:
    """Why there is no picture, in one sentence; empty when there is one. Looks at the disk."""
    if page is None:
        return "There is no picture yet: one is taken each time that the agent serves a page."
    if not page.screenshot:
        return f"There is no picture of {page.url}: no browser looked at it."
    if not Path(page.screenshot).is_file():
        return f"The picture of {page.url} was cleared away; serving the page takes a new one."
    return ""
