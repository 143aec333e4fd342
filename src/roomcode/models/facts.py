"""What a GGUF file is, read from its header: nothing is loaded."""

import os
import re
import stat
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from roomcode.chat import Form, detect_form
from roomcode.models.errors import ModelError
from roomcode.models.ggml import FILE_TYPES, TENSOR_TYPES
from roomcode.models.gguf import Damaged, Header, NotGguf, Scalar, UnsupportedVersion, read_header

__all__ = ["ModelFacts", "inspect"]

_SPLIT_NAME = re.compile(r"^(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf$", re.IGNORECASE)
_LFS = b"version https://git-lfs"


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """One model on disk. Sizes are in bytes, of all parts together when the model is split over several files."""

    path: Path
    architecture: str
    kind: str
    """`general.type` of the file: `model`, `adapter`, `mmproj`, …"""
    name: str
    basename: str
    """Family name without the size, for example `Qwen2.5-Coder`; empty when the file does not say."""
    quantisation: str
    size: int
    expected_size: int
    """What the headers say all parts must hold at least; more than `size` when the file was cut short."""
    parameters: int
    training_context: int
    kv_bytes_per_token: int
    """Memory of one token in a 16-bit KV cache; 0 for models without attention."""
    layers: int
    embedding: int
    vocabulary: int
    tokenizer: str
    template: str = field(repr=False)
    """Jinja source of the chat template, or empty."""
    form: Form | None
    recurrent: bool
    """Part of the state cannot be cut back token by token (recurrent or hybrid layers)."""
    parts: tuple[Path, ...]
    """All files of the model, in order; the first is `path`."""
    missing_parts: tuple[str, ...]
    part: int
    """Which part of a split model `path` is, from 1; 1 for a model in one file."""
    weights: int
    """Number of tensors."""
    version: int
    metadata: Mapping[str, Scalar] = field(repr=False)


def inspect(path: Path) -> ModelFacts:
    """Read the facts of a GGUF file. Raises ModelError when `path` is no readable GGUF file."""
    header = _read(path)
    split = _SPLIT_NAME.match(path.name)
    part, count = _part(header, split)
    if count > 1 and part == 1:
        parts, missing = _siblings(path, split, count)
    else:
        parts, missing = (path,), ()
    headers = [header, *(_read(other) for other in parts[1:])]
    return _facts(path, headers, parts, missing, part)


def _read(path: Path) -> Header:
    """The header of one file, with every way of not being a model said in one sentence."""
    try:
        status = path.stat()
    except FileNotFoundError:
        raise ModelError(f"There is no file {path}: check the path, or see `roomcode models`.") from None
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({_reason(error)}): check the path and its permissions.") from None
    if stat.S_ISDIR(status.st_mode):
        raise ModelError(f"{path} is a folder: give the .gguf file inside it{_inside(path)}.")
    if not stat.S_ISREG(status.st_mode):
        raise ModelError(f"{path} is not a regular file: give a .gguf file.")
    if status.st_size == 0:
        raise ModelError(f"{path} is empty (0 bytes): the download failed, fetch it again.")
    try:
        return read_header(path)
    except NotGguf:
        raise ModelError(_not_gguf(path)) from None
    except UnsupportedVersion as error:
        raise ModelError(f"{path} is a {error} file, which llama.cpp does not read: get a current GGUF file.") from None
    except Damaged as error:
        raise ModelError(f"{path} is cut short or damaged ({error}): download it again.") from None
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({_reason(error)}): check its permissions.") from None
    except MemoryError:
        raise ModelError(f"{path} is damaged (its header does not fit into memory): download it again.") from None


def _not_gguf(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(1024)
    text = start.lstrip().lower()
    if start.startswith(_LFS):
        return f"{path} is a git-lfs pointer, not the model itself: run `git lfs pull`, or download the real file."
    if start.startswith(b"PK\x03\x04"):
        what = "a zip or PyTorch file"
    elif start[8:9] == b"{" and int.from_bytes(start[:8], "little") < 1 << 32:
        what = "a safetensors file"
    elif start.startswith((b"ggml", b"lmgg", b"ggjt", b"tjgg", b"fmgg", b"ggmf", b"algg", b"ggla")):
        what = "a model in the old GGML format"
    elif text.startswith((b"<!doctype", b"<html", b"<?xml")):
        return f"{path} is a web page, not a model: the download got an error page, fetch the file again."
    elif start.strip(b"\0") == b"":
        return f"{path} holds only zeros where a model should start: the download did not finish, fetch it again."
    else:
        what = "not a GGUF file"
    return f"{path} is {what}: roomcode runs GGUF files, look for a GGUF version of the model."


def _inside(folder: Path) -> str:
    try:
        found = sorted(entry.name for entry in os.scandir(folder) if entry.name.lower().endswith(".gguf"))
    except OSError:
        found = []
    return f", for example {found[0]}" if found else ""


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _part(header: Header, split: re.Match[str] | None) -> tuple[int, int]:
    """(part from 1, number of parts), from the header, or from the file name where the header does not say."""
    count = header.metadata.get("split.count")
    if isinstance(count, int) and count > 1:
        return int(header.metadata.get("split.no", 0)) + 1, count
    if split is not None:
        return int(split["number"]), int(split["count"])
    return 1, 1


def _siblings(path: Path, split: re.Match[str] | None, count: int) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """The parts that are there, and the names of those that are not."""
    if split is None or count > 99_999:
        return (path,), (f"the other {count - 1} parts",)
    width_name = "{stem}-{number:05d}-of-{count:05d}.gguf"
    names = [width_name.format(stem=split["stem"], number=number, count=count) for number in range(2, count + 1)]
    there = [path.with_name(name) for name in names if path.with_name(name).is_file()]
    return (path, *there), tuple(name for name in names if not path.with_name(name).is_file())


def _facts(
    path: Path, headers: list[Header], parts: tuple[Path, ...], missing: tuple[str, ...], part: int
) -> ModelFacts:
    first = headers[0]
    metadata = first.metadata
    architecture = str(metadata.get("general.architecture", ""))
    tensors = [tensor for header in headers for tensor in header.tensors]
    template = str(metadata.get("tokenizer.chat_template", ""))
    vocabulary = first.lengths.get("tokenizer.ggml.tokens", 0)
    size = sum(file.stat().st_size for file in parts)
    return ModelFacts(
        path=path,
        architecture=architecture,
        kind=str(metadata.get("general.type", "model")),
        name=str(metadata.get("general.name", "")) or path.stem,
        basename=str(metadata.get("general.basename", "")),
        quantisation=_quantisation(headers),
        size=size,
        expected_size=size + sum(_missing_bytes(*pair) for pair in zip(headers, parts, strict=True)),
        parameters=sum(tensor.elements for tensor in tensors),
        training_context=_number(first, architecture, "context_length"),
        kv_bytes_per_token=_kv_bytes(first, architecture),
        layers=_number(first, architecture, "block_count"),
        embedding=_number(first, architecture, "embedding_length"),
        vocabulary=vocabulary or _number(first, architecture, "vocab_size"),
        tokenizer="/".join(
            str(metadata[key]) for key in ("tokenizer.ggml.model", "tokenizer.ggml.pre") if key in metadata
        ),
        template=template,
        form=detect_form(template),
        recurrent=_is_recurrent(first, architecture),
        parts=parts,
        missing_parts=missing,
        part=part,
        weights=len(tensors),
        version=first.version,
        metadata=metadata,
    )


def _missing_bytes(header: Header, file: Path) -> int:
    return max(0, header.data_end - file.stat().st_size)


def _number(header: Header, architecture: str, key: str, default: int = 0) -> int:
    """A number of the architecture; for a value per layer its largest."""
    full = f"{architecture}.{key}"
    if full in header.arrays:
        return max(int(value) for value in header.arrays[full])
    value = header.metadata.get(full, default)
    return int(value) if isinstance(value, (int, float)) else default


def _kv_bytes(header: Header, architecture: str) -> int:
    """Bytes of one token's keys and values at 16 bits each, summed over the layers that keep them.

    Layers with a sliding window are counted as if they kept everything, so the sum is never too small.
    """
    layers = _number(header, architecture, "block_count")
    heads = _number(header, architecture, "attention.head_count")
    if not layers or not heads:
        return 0
    latent = _number(header, architecture, "attention.kv_lora_rank")
    if latent:
        return 2 * layers * (latent + _number(header, architecture, "rope.dimension_count"))
    head_size = _number(header, architecture, "embedding_length") // heads
    width = _number(header, architecture, "attention.key_length", head_size) + _number(
        header, architecture, "attention.value_length", head_size
    )
    return 2 * width * sum(_kv_heads(header, architecture, layers, heads))


def _kv_heads(header: Header, architecture: str, layers: int, heads: int) -> list[int]:
    """Number of KV heads of each layer; 0 for a layer that keeps no keys."""
    per_layer = header.arrays.get(f"{architecture}.attention.head_count_kv")
    if per_layer:
        return [int(value) for value in per_layer[:layers]]
    count = _number(header, architecture, "attention.head_count_kv", heads)
    interval = _number(header, architecture, "full_attention_interval")
    full = layers // interval if interval > 1 else layers
    return [count] * full


def _is_recurrent(header: Header, architecture: str) -> bool:
    return f"{architecture}.ssm.state_size" in header.metadata or architecture.startswith(("rwkv", "arwkv", "lfm2"))


def _quantisation(headers: list[Header]) -> str:
    file_type = headers[0].metadata.get("general.file_type")
    if isinstance(file_type, int) and file_type in FILE_TYPES:
        return FILE_TYPES[file_type]
    sizes: Counter[str] = Counter()
    for header in headers:
        for tensor in header.tensors:
            known = TENSOR_TYPES.get(tensor.type)
            sizes[known.name if known else "unknown"] += tensor.elements
    return sizes.most_common(1)[0][0] if sizes else "unknown"
