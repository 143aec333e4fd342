"""Each kind of bad file gets one sentence that says which it is and what to do."""

import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from roomcode.models import ModelError, check
from roomcode.models.checks import is_known_architecture, size_text

GB = 1_000_000_000
Make = Callable[[Path, Callable[..., Path]], Path]


def _bytes(name: str, data: bytes) -> Make:
    def make(folder: Path, write_gguf: Callable[..., Path]) -> Path:
        path = folder / name
        path.write_bytes(data)
        return path

    return make


def _gguf(name: str, *args: str, **options: object) -> Make:
    return lambda folder, write_gguf: write_gguf(name, *args, **options)


def _folder(folder: Path, write_gguf: Callable[..., Path]) -> Path:
    inside = folder / "qwen"
    inside.mkdir()
    (inside / "real.gguf").write_bytes(b"GGUF")
    return inside


def _cut(folder: Path, write_gguf: Callable[..., Path]) -> Path:
    path = write_gguf(tensors=4)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 5000)
    return path


def _cut_in_header(folder: Path, write_gguf: Callable[..., Path]) -> Path:
    path = write_gguf(tokens=500)
    with path.open("r+b") as file:
        file.truncate(700)
    return path


def _zip(folder: Path, write_gguf: Callable[..., Path]) -> Path:
    path = folder / "model.gguf"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.pkl", "x")
    return path


def _pipe(folder: Path, write_gguf: Callable[..., Path]) -> Path:
    os.mkfifo(folder / "model.gguf")
    return folder / "model.gguf"


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 1117320768\n"
SAFETENSORS = struct.pack("<Q", 30) + b'{"a":{"dtype":"F32"}}' + b" " * 60

BAD: dict[str, tuple[Make, tuple[str, str]]] = {
    "missing": (lambda folder, _: folder / "none.gguf", ("There is no file", "check the path")),
    "folder": (_folder, ("is a folder", "real.gguf")),
    "empty": (_bytes("a.gguf", b""), ("0 bytes", "fetch it again")),
    "lfs": (_bytes("a.gguf", LFS), ("git-lfs pointer", "git lfs pull")),
    "cut": (_cut, ("cut short", "download it again")),
    "cut in header": (_cut_in_header, ("cut short", "download it again")),
    "safetensors": (_bytes("a.safetensors", SAFETENSORS), ("safetensors", "GGUF version")),
    "zip": (_zip, ("zip or PyTorch", "GGUF version")),
    "web page": (_bytes("a.gguf", b"<!DOCTYPE html><title>404</title>"), ("web page", "fetch the file again")),
    "zeros": (_bytes("a.gguf", b"\0" * 5000), ("only zeros", "fetch it again")),
    "old format": (_bytes("a.bin", b"tjgg" + b"\0" * 100), ("old GGML format", "GGUF version")),
    "text": (_bytes("a.gguf", b"hello"), ("not a GGUF file", "GGUF version")),
    "pipe": (_pipe, ("not a regular file", "give a .gguf file")),
    "version 1": (_bytes("a.gguf", b"GGUF\x01\0\0\0" + b"\0" * 64), ("GGUF version 1", "current GGUF")),
    "big endian": (_bytes("a.gguf", b"GGUF\0\0\0\x03" + b"\0" * 64), ("big-endian", "current GGUF")),
    "architecture": (_gguf("a.gguf", "zzz"), ("'zzz'", "update llama-cpp-python")),
    "vision part": (_gguf("mmproj.gguf", "clip"), ("mmproj", "language model's own")),
    "named vision part": (_gguf("a.gguf", metadata={"general.type": "mmproj"}), ("mmproj", "own GGUF")),
    "adapter": (_gguf("a.gguf", metadata={"general.type": "adapter"}), ("LoRA adapter", "whole model")),
    "embedding": (_gguf("a.gguf", "nomic-bert"), ("no chat model", "roomcode models")),
    "vocabulary": (_gguf("a.gguf", tensors=0), ("no weights", "full model")),
    "second part": (
        _gguf("big-00002-of-00003.gguf", metadata={"split.count": 3, "split.no": 1}),
        ("part 2", "big-00001-of-00003.gguf"),
    ),
    "renamed second part": (
        _gguf("part-two.gguf", metadata={"split.count": 3, "split.no": 1}),
        ("part 2", "give its first part"),
    ),
    "other parts missing": (
        _gguf("big-00001-of-00003.gguf", metadata={"split.count": 3, "split.no": 0}),
        ("big-00002-of-00003.gguf …", "download all parts"),
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_is_named_in_one_sentence(kind: str, tmp_path: Path, write_gguf) -> None:
    make, said = BAD[kind]
    path = make(tmp_path, write_gguf)
    with pytest.raises(ModelError) as caught:
        check(path, memory=GB)
    message = str(caught.value)
    assert all(part in message for part in said), message
    assert str(tmp_path) in message
    assert message.endswith(".")
    assert "\n" not in message


def test_a_file_without_permission_is_named(tmp_path: Path, write_gguf) -> None:
    path = write_gguf()
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        tmp_path.chmod(0o755)
        os.seteuid(65534)
    try:
        with pytest.raises(ModelError, match=r"cannot be read \(permission denied\).*permissions"):
            check(path, memory=GB)
    finally:
        os.seteuid(user)


def test_a_loop_of_links_is_named(tmp_path: Path) -> None:
    path = tmp_path / "loop.gguf"
    path.symlink_to(path)
    with pytest.raises(ModelError, match="cannot be read"):
        check(path, memory=GB)


def test_a_good_file_gives_its_facts(write_gguf) -> None:
    assert check(write_gguf(), memory=GB).architecture == "qwen2"


def test_a_model_larger_than_memory_is_refused(write_gguf) -> None:
    with pytest.raises(
        ModelError, match=r"needs .* of memory .* 50 MB is free: close other programs or choose a smaller"
    ):
        check(write_gguf(), memory=50_000_000)


def test_a_context_larger_than_memory_is_refused_with_the_right_advice(write_gguf) -> None:
    path = write_gguf(layers=200, heads=4, kv_heads=4)
    with pytest.raises(ModelError, match=r"context of 1000000 tokens .* choose a smaller context"):
        check(path, context=1_000_000, memory=GB)
    assert check(path, memory=GB).layers == 200


@pytest.mark.parametrize("name", ["llama", "qwen2", "qwen35moe", "gemma3", "lfm2"])
def test_architectures_that_users_have_are_known(name: str) -> None:
    assert is_known_architecture(name)


@pytest.mark.parametrize("name", ["zzz", "", "qwen2\0", "q" * 5000, "日本"])
def test_invented_architectures_are_not(name: str) -> None:
    assert not is_known_architecture(name)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1500, "2 kB"), (98_362_432, "98 MB"), (1_117_320_768, "1.1 GB"), (22_134_528_992, "22.1 GB")],
)
def test_sizes_for_people(size: int, text: str) -> None:
    assert size_text(size) == text
