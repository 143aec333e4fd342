"""Markdown that grows."""

from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.tui.brush import Brush
from roomcode.tui.foreign import is_safe
from roomcode.tui.markdown import GrowingMarkdown
from roomcode.tui.markdown_drawing import markdown_strips

SOURCE = """# Title

Some *text* that goes on
over two lines.

- one
- two

```js
const a = 1;

const b = 2;
```

| a | b |
|---|---|
| 1 | 2 |

The end.
"""


def lines(body: GrowingMarkdown, brush: Brush, width: int = 60) -> list[str]:
    return [strip.text.rstrip() for strip in body.strips(width, brush)]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=80))
def test_text_in_pieces_looks_like_the_same_text_at_once(sizes: list[int]) -> None:
    from roomcode.tui.palette import Palette
    from roomcode.tui.themes import own_themes

    brush = Brush(Palette.from_theme(own_themes()[0].to_color_system().generate(), ansi=False))
    grown, at = GrowingMarkdown(), 0
    for size in [*sizes, len(SOURCE)]:
        grown.append(SOURCE[at : at + size])
        at += size
    whole = GrowingMarkdown()
    whole.append(SOURCE)
    assert grown.text == SOURCE
    assert lines(grown, brush) == lines(whole, brush)


def test_finished_blocks_are_not_drawn_again(brush: Brush) -> None:
    body = GrowingMarkdown()
    body.append("First paragraph.\n\nSecond one grows")
    before = body.strips(60, brush)
    body.append(" and grows.")
    after = body.strips(60, brush)
    assert after[0] is before[0]
    assert after[-1] is not before[-1]


def test_tags_that_a_model_writes_without_quotes_are_shown(brush: Brush) -> None:
    body = GrowingMarkdown()
    body.append("Put a <div> and a <h1 class='x'> there.\n\n<section>\nblock\n</section>\n")
    text = "\n".join(lines(body, brush))
    assert "<div>" in text
    assert "<h1 class='x'>" in text
    assert "</section>" in text


def test_square_brackets_are_text(brush: Brush) -> None:
    body = GrowingMarkdown()
    body.append("[bold]x[/bold] [/] [link=http://x]y")
    assert lines(body, brush) == ["  [bold]x[/bold] [/] [link=http://x]y"]


def test_addresses_are_shown_and_never_become_terminal_links(brush: Brush) -> None:
    strips = markdown_strips("[here](https://example.org/a)", 60, brush)
    assert strips[0].text.strip() == "here (https://example.org/a)"
    assert all(segment.style is None or segment.style.link is None for strip in strips for segment in strip)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=200), st.integers(4, 60))
def test_any_text_at_any_width_gives_safe_lines_of_that_width(text: str, width: int) -> None:
    from roomcode.tui.palette import Palette
    from roomcode.tui.themes import own_themes

    brush = Brush(Palette.from_theme(own_themes()[1].to_color_system().generate(), ansi=False))
    body = GrowingMarkdown()
    body.append(text)
    for strip in body.strips(width, brush):
        assert strip.cell_length == width
        assert is_safe(strip.text)
