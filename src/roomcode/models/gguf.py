"""Reading the header of a GGUF file, fast and without trust.

Only the start of the file is read. Long arrays (vocabularies) are stepped over, not built, so that the header of a
model with 150,000 tokens takes about a tenth of a second. Every length in the file is checked against the size of the
file before it is believed. The layout is the public GGUF specification, versions 2 and 3.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from roomcode.models.ggml import TENSOR_TYPES

__all__ = ["Damaged", "Header", "NotGguf", "Scalar", "Tensor", "UnsupportedVersion", "read_header"]

Scalar = int | float | bool | str
"""A single value of the metadata."""

MAGIC = b"GGUF"
_SCALARS: dict[int, struct.Struct] = {
    0: struct.Struct("<B"),
    1: struct.Struct("<b"),
    2: struct.Struct("<H"),
    3: struct.Struct("<h"),
    4: struct.Struct("<I"),
    5: struct.Struct("<i"),
    6: struct.Struct("<f"),
    7: struct.Struct("<?"),
    10: struct.Struct("<Q"),
    11: struct.Struct("<q"),
    12: struct.Struct("<d"),
}
_STRING, _ARRAY = 8, 9
_U32, _U64 = _SCALARS[4], _SCALARS[10]

_KEPT_ARRAY = 4096
"""Number arrays up to this length are kept (values for each layer); longer ones and all string arrays are counted."""
_MAX_KEYS = 100_000
_MAX_TENSORS = 1_000_000
_MAX_STRINGS = 20_000_000
_MAX_KEY_BYTES = 65_535
_MAX_DIMENSIONS = 8
_FIRST_READ = 8 * 1024 * 1024


class NotGguf(Exception):
    """The file does not start with the GGUF magic."""


class UnsupportedVersion(Exception):
    """A GGUF version that llama.cpp does not read; the message says which one."""


class Damaged(Exception):
    """The header ends too early, or holds a length that cannot be."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of the file: `offset` counts from the start of the tensor data, `size` is in bytes.

    `size` is None when the type is not known, `elements` is the number of weights.
    """

    name: str
    type: int
    elements: int
    offset: int
    size: int | None


@dataclass(frozen=True, slots=True)
class Header:
    """What stands before the weights."""

    version: int
    metadata: Mapping[str, Scalar]
    arrays: Mapping[str, tuple[Scalar, ...]]
    """Short arrays of numbers, whole."""
    lengths: Mapping[str, int]
    """Number of entries of every array, also of those that were stepped over."""
    tensors: tuple[Tensor, ...]
    data_start: int
    """Position of the first tensor's data in the file."""

    @property
    def data_end(self) -> int:
        """Bytes the file must have; less means that it was cut short. 0 for a file without tensors."""
        return max((self.data_start + tensor.offset + (tensor.size or 0) for tensor in self.tensors), default=0)


class _Cursor:
    """A position in a file that is read piece by piece, and only as far as needed."""

    def __init__(self, file: BufferedReader, size: int) -> None:
        self.file = file
        self.size = size
        self.data = bytearray(file.read(min(size, _FIRST_READ)))
        self.position = 0

    def need(self, end: int) -> None:
        """Make the bytes before `end` available."""
        if end <= len(self.data):
            return
        if end > self.size:
            raise Damaged("the header is cut short")
        wanted = min(self.size, max(end, 2 * len(self.data)))
        self.data += self.file.read(wanted - len(self.data))
        if end > len(self.data):
            raise Damaged("the header is cut short")

    def skip(self, count: int) -> None:
        self.position += count
        if self.position > self.size:
            raise Damaged("the header is cut short")

    def scalar(self, layout: struct.Struct) -> Scalar:
        start = self.position
        self.position += layout.size
        self.need(self.position)
        value: Scalar = layout.unpack_from(self.data, start)[0]
        return value

    def count(self, layout: struct.Struct, limit: int, what: str) -> int:
        value = int(self.scalar(layout))
        if value > limit:
            raise Damaged(f"the header says {what} {value}, which cannot be")
        return value

    def text(self, limit: int | None = None) -> str:
        length = self.count(_U64, self.size if limit is None else limit, "a text length of")
        start = self.position
        self.position += length
        self.need(self.position)
        return self.data[start : self.position].decode("utf-8", "replace")

    def skip_texts(self, count: int) -> None:
        """Step over `count` strings; the hot loop of the whole reader."""
        unpack = _U64.unpack_from
        data, position = self.data, self.position
        for _ in range(count):
            try:
                (length,) = unpack(data, position)
            except struct.error:
                self.need(position + 8)
                (length,) = unpack(data, position)
            position += 8 + length
            if position > self.size:
                raise Damaged("the header is cut short")
        self.position = position


def read_header(path: Path) -> Header:
    """Read the header of `path`.

    Raises NotGguf, UnsupportedVersion, Damaged, or OSError when the file cannot be read.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        cursor = _Cursor(file, size)
        if bytes(cursor.data[:4]) != MAGIC:
            raise NotGguf
        cursor.skip(4)
        version = int(cursor.scalar(_U32))
        if version not in (2, 3):
            swapped = int.from_bytes(version.to_bytes(4, "little"), "big")
            raise UnsupportedVersion("big-endian GGUF" if swapped in (2, 3) else f"GGUF version {version}")
        tensor_count = cursor.count(_U64, _MAX_TENSORS, "a tensor count of")
        key_count = cursor.count(_U64, _MAX_KEYS, "a key count of")
        metadata: dict[str, Scalar] = {}
        arrays: dict[str, tuple[Scalar, ...]] = {}
        lengths: dict[str, int] = {}
        for _ in range(key_count):
            key = cursor.text(_MAX_KEY_BYTES)
            kind = int(cursor.scalar(_U32))
            if kind == _ARRAY:
                length, kept = _read_array(cursor)
                lengths[key] = length
                if kept:
                    arrays[key] = kept
            else:
                metadata[key] = _read_scalar(cursor, kind)
        tensors = tuple(_read_tensor(cursor) for _ in range(tensor_count))
        alignment = int(metadata.get("general.alignment", 32) or 32)
        if not 0 < alignment <= 1 << 20:
            raise Damaged(f"the header says an alignment of {alignment}, which cannot be")
        return Header(version, metadata, arrays, lengths, tensors, _aligned(cursor.position, alignment))


def _read_scalar(cursor: _Cursor, kind: int) -> Scalar:
    if kind == _STRING:
        return cursor.text()
    layout = _SCALARS.get(kind)
    if layout is None:
        raise Damaged(f"the header holds a value of unknown type {kind}")
    return cursor.scalar(layout)


def _read_array(cursor: _Cursor) -> tuple[int, tuple[Scalar, ...]]:
    """The length of an array, and its values if it is a short one of numbers."""
    kind = int(cursor.scalar(_U32))
    length = cursor.count(_U64, cursor.size, "an array length of")
    if kind == _STRING:
        if length > _MAX_STRINGS:
            raise Damaged(f"the header says an array length of {length}, which cannot be")
        cursor.skip_texts(length)
        return length, ()
    layout = _SCALARS.get(kind)
    if layout is None:
        raise Damaged(f"the header holds an array of unknown type {kind}")
    if length <= _KEPT_ARRAY:
        return length, tuple(cursor.scalar(layout) for _ in range(length))
    cursor.skip(length * layout.size)
    return length, ()


def _read_tensor(cursor: _Cursor) -> Tensor:
    name = cursor.text(_MAX_KEY_BYTES)
    dimensions = cursor.count(_U32, _MAX_DIMENSIONS, "a number of dimensions of")
    elements = 1
    for _ in range(dimensions):
        elements *= int(cursor.scalar(_U64))
    kind = int(cursor.scalar(_U32))
    offset = int(cursor.scalar(_U64))
    known = TENSOR_TYPES.get(kind)
    size = None if known is None else -(-elements // known.block) * known.bytes
    return Tensor(name, kind, elements, offset, size)


def _aligned(position: int, alignment: int) -> int:
    return -(-position // alignment) * alignment
