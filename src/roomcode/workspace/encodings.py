"""Which bytes are text, and which text they are: decoding that can always be undone byte for byte."""

import codecs
import re
from dataclasses import dataclass

from roomcode.workspace.errors import WorkspaceError

__all__ = ["UTF8", "Encoding", "NotText", "decode", "encode"]


class NotText(Exception):
    """These bytes are not text."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file's text is stored. `codec` is Python's name; `bom` stands before the text; `label` is for people."""

    codec: str
    bom: bytes = b""
    label: str = "UTF-8"
    stray: bool = False
    """UTF-8 with some bytes that are not: they are held as private characters (see `decode`)."""


UTF8 = Encoding("utf-8")

_BOMS = (
    Encoding("utf-32-le", codecs.BOM_UTF32_LE, "UTF-32"),
    Encoding("utf-32-be", codecs.BOM_UTF32_BE, "UTF-32"),
    Encoding("utf-8", codecs.BOM_UTF8, "UTF-8 with BOM"),
    Encoding("utf-16-le", codecs.BOM_UTF16_LE, "UTF-16"),
    Encoding("utf-16-be", codecs.BOM_UTF16_BE, "UTF-16"),
)
_STRAY = 0xEE00
"""A byte 0x80..0xFF that is not UTF-8 is held as the character _STRAY + byte, of a private use area: unlike a lone
surrogate it can be printed, sent as JSON, and come back unchanged."""
_TO_SURROGATE = {_STRAY + byte: 0xDC00 + byte for byte in range(0x80, 0x100)}
_FROM_SURROGATE = {value: key for key, value in _TO_SURROGATE.items()}
_HAS_STRAY = re.compile(f"[{chr(_STRAY + 0x80)}-{chr(_STRAY + 0xFF)}]")
_CONTROLS = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_UNDEFINED_IN_1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


def decode(data: bytes) -> tuple[str, Encoding]:
    """The text of `data`, with line endings as they are, and how to get the same bytes back from it.

    UTF-8, UTF-16 and UTF-32 (by their byte order mark; UTF-16 also without), UTF-8 with a few wrong bytes,
    Windows-1252, and any other 8-bit text, whose upper half is then shown as Latin-1. Raises NotText for anything else.
    """
    for encoding in _BOMS:
        if data.startswith(encoding.bom):
            text = _strict(data[len(encoding.bom) :], encoding.codec)
            if text is not None:
                return text, encoding
            if encoding.codec == "utf-8":
                break
    if b"\0" in data:
        return _without_mark(data)
    text = _strict(data, "utf-8")
    if text is not None:
        return text, UTF8
    if len(_CONTROLS.findall(data)) * 50 > len(data):
        raise NotText
    loose = data.decode("utf-8", "surrogateescape")
    wrong = sum(0xDC80 <= ord(char) <= 0xDCFF for char in loose)
    right = sum(not char.isascii() for char in loose) - wrong
    if right >= wrong and not _HAS_STRAY.search(loose):
        label = f"UTF-8 with {wrong} wrong byte{'s' if wrong > 1 else ''}"
        return loose.translate(_FROM_SURROGATE), Encoding("utf-8", label=label, stray=True)
    if _UNDEFINED_IN_1252.search(data):
        return data.decode("latin-1"), Encoding("latin-1", label="8-bit text")
    return data.decode("cp1252"), Encoding("cp1252", label="Windows-1252")


def encode(text: str, encoding: Encoding) -> bytes:
    """The bytes of `text`, with the byte order mark. Raises WorkspaceError naming a character that does not fit."""
    try:
        if encoding.stray:
            return text.translate(_TO_SURROGATE).encode("utf-8", "surrogateescape")
        return encoding.bom + text.encode(encoding.codec)
    except UnicodeEncodeError as error:
        char = text[error.start]
        if 0xD800 <= ord(char) <= 0xDFFF:
            raise WorkspaceError("The text holds half a character. Send it again without it.") from None
        raise WorkspaceError(
            f"The file is {encoding.label} and cannot hold the character {char!r}. Write it in another way."
        ) from None


def _strict(data: bytes, codec: str) -> str | None:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return None
    # A text with NUL characters is data, whatever the codec says; and only what can be undone is good.
    if "\0" in text or text.encode(codec) != data:
        return None
    return text


def _without_mark(data: bytes) -> tuple[str, Encoding]:
    """UTF-16 without its mark: ASCII in it leaves a NUL in every other byte."""
    for codec, zeros in (("utf-16-le", data[1::2]), ("utf-16-be", data[0::2])):
        if len(data) % 2 == 0 and zeros.count(0) * 10 >= len(zeros) * 7:
            text = _strict(data, codec)
            if text is not None and not _CONTROLS.search(text[:4000].encode("utf-8")):
                return text, Encoding(codec, label="UTF-16")
    raise NotText
