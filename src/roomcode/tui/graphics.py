"""Pictures for terminals: in characters, and in the three protocols that terminals know.

Sizes of terminals are cells (columns, rows), sizes of pictures are pixels (width, height).
"""

import base64
import io
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

__all__ = ["fitted", "half_blocks", "iterm", "kitty", "kitty_gone", "opened", "sixel", "spots"]

Size = tuple[int, int]

_KITTY_NUMBER = 5173
"""Our picture among those that other programs showed in the same terminal."""
_KITTY_CHUNK = 4_096
_SIXEL_COLOURS = 128
_SIXELS = [chr(63 + bits) for bits in range(64)]
_END_OF_LINE = 64
_BRAILLE = 0x2800
_SPOT_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]], dtype=np.uint32)


def opened(data: bytes) -> Image.Image:
    """A picture with its transparent parts white, as a page has them. Raises OSError or ValueError for anything else
    than a picture of a reasonable size."""
    try:
        image = Image.open(io.BytesIO(data), formats=("PNG",))
        if image.width * image.height > 80_000_000:
            raise ValueError(f"{image.width} × {image.height} pixels are too many")
        rgba = image.convert("RGBA")
    except SyntaxError as error:
        raise ValueError(str(error)) from error
    white = Image.new("RGBA", rgba.size, "white")
    return Image.alpha_composite(white, rgba).convert("RGB")


def fitted(picture: Size, room: Size, cell: Size) -> Size:
    """The largest box of whole cells in `room` that has about the proportions of the picture; `cell` is in pixels."""
    columns, rows = room
    scale = min(columns * cell[0] / picture[0], rows * cell[1] / picture[1])
    return (
        max(1, min(columns, round(picture[0] * scale / cell[0]))),
        max(1, min(rows, round(picture[1] * scale / cell[1]))),
    )


def half_blocks(image: Image.Image, columns: int, rows: int) -> list[Strip]:
    """Two pixels in each cell, one above the other."""
    pixels = np.asarray(image.resize((columns, rows * 2), Image.Resampling.BOX, reducing_gap=2.0))
    return [Strip(_runs(pixels[2 * row], pixels[2 * row + 1]), columns) for row in range(rows)]


def _runs(upper: npt.NDArray[np.uint8], lower: npt.NDArray[np.uint8]) -> Iterator[Segment]:
    """Cells of equal colours as one segment."""
    colours = [(tuple(above), tuple(below)) for above, below in zip(upper.tolist(), lower.tolist(), strict=True)]
    start = 0
    for place in range(1, len(colours) + 1):
        if place == len(colours) or colours[place] != colours[start]:
            above, below = colours[start]
            yield Segment(("█" if above == below else "▀") * (place - start), _style(above, below))
            start = place


@lru_cache(8_192)
def _style(above: tuple[int, int, int], below: tuple[int, int, int]) -> Style:
    return Style(color=Color.from_rgb(*above), bgcolor=Color.from_rgb(*below))


def spots(image: Image.Image, columns: int, rows: int) -> list[Strip]:
    """Eight dots in each cell, without any colour. Dots stand for what there is less of, dark or light: the writing."""
    grey = image.convert("L").resize((columns * 2, rows * 4), Image.Resampling.BOX, reducing_gap=2.0)
    lit = np.asarray(grey.convert("1"))
    ink = ~lit if lit.mean() > 0.5 else lit
    cells = (ink.reshape(rows, 4, columns, 2).swapaxes(1, 2) * _SPOT_BITS).sum(axis=(2, 3))
    return [Strip([Segment("".join(chr(_BRAILLE + int(bits)) for bits in line), Style())], columns) for line in cells]


def kitty(png: bytes, columns: int, rows: int) -> str:
    """Shows a PNG at the cursor and leaves the cursor there. It stays until `kitty_gone`."""
    data = base64.b64encode(png).decode()
    pieces = [data[at : at + _KITTY_CHUNK] for at in range(0, len(data), _KITTY_CHUNK)]
    head = f"a=T,f=100,t=d,i={_KITTY_NUMBER},p=1,c={columns},r={rows},C=1,q=2,"
    parts = []
    for number, piece in enumerate(pieces):
        more = int(number < len(pieces) - 1)
        parts.append(f"\x1b_G{head if number == 0 else 'q=2,'}m={more};{piece}\x1b\\")
    return "".join(parts)


def kitty_gone() -> str:
    """Takes the picture away and frees its memory in the terminal."""
    return f"\x1b_Ga=d,d=I,i={_KITTY_NUMBER},q=2\x1b\\"


def iterm(png: bytes, columns: int, rows: int) -> str:
    """Shows a PNG at the cursor."""
    data = base64.b64encode(png).decode()
    return (
        f"\x1b]1337;File=inline=1;size={len(png)};width={columns};height={rows};"
        f"preserveAspectRatio=0;doNotMoveCursor=1:{data}\x07"
    )


def sixel(image: Image.Image, size: Size) -> str:
    """Shows a picture at the cursor, in pixels of `size`."""
    resized = image.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
    small = resized.quantize(_SIXEL_COLOURS, dither=Image.Dither.NONE)
    indices = np.asarray(small)
    palette = np.asarray(small.getpalette(), dtype=np.uint32).reshape(-1, 3)
    width, height = size
    parts = [f'\x1bP0;1;0q"1;1;{width};{height}']
    for number in np.unique(indices):
        red, green, blue = (int(part) * 100 // 255 for part in palette[number])
        parts.append(f"#{number};2;{red};{green};{blue}")
    bands = [_band(indices[top : top + 6]) for top in range(0, height, 6)]
    return "".join([*parts, *bands]) + "\x1b\\"


def _band(indices: npt.NDArray[np.uint8]) -> str:
    """Up to six rows of pixels, given as numbers of colours: a line of characters for each colour in them."""
    used, places = np.unique(indices, return_inverse=True)
    width = indices.shape[1]
    # One column more than there are pixels: it ends the line of a colour.
    bits = np.full((len(used), width + 1), _END_OF_LINE, dtype=np.uint8)
    bits[:, :width] = 0
    columns = np.arange(width)
    for row, found in enumerate(places.reshape(indices.shape)):
        bits[found, columns] |= 1 << row
    flat = bits.ravel()
    starts = np.concatenate(([0], np.flatnonzero(np.diff(flat)) + 1))
    lengths = np.diff(np.concatenate((starts, [len(flat)])))
    colours = iter(used.tolist())
    parts = [f"#{next(colours)}"]
    for value, length in zip(flat[starts].tolist(), lengths.tolist(), strict=True):
        if value == _END_OF_LINE:
            parts.append(f"$#{next(colours, 0)}")
        elif length < 4:
            parts.append(_SIXELS[value] * length)
        else:
            parts.append(f"!{length}{_SIXELS[value]}")
    # After the last colour comes the next band.
    parts[-1] = "-"
    return "".join(parts)
