"""Small GGUF files of every kind."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGUFWriter

from roomcode.models import models_dir

WriteGguf = Callable[..., Path]


def _write(
    path: Path,
    architecture: str = "qwen2",
    *,
    metadata: dict[str, Any] | None = None,
    tensors: int = 1,
    tokens: int = 8,
    layers: int = 2,
    heads: int = 4,
    kv_heads: int | list[int] = 2,
) -> Path:
    writer = GGUFWriter(path, architecture)
    writer.add_name("Tiny Test Model")
    writer.add_block_count(layers)
    writer.add_context_length(4096)
    writer.add_embedding_length(64)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"token{number}" for number in range(tokens)])
    for key, value in (metadata or {}).items():
        if isinstance(value, str):
            writer.add_string(key, value)
        else:
            writer.add_uint32(key, value)
    for number in range(tensors):
        writer.add_tensor(f"weights.{number}", np.zeros((32, 64), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def write_gguf(tmp_path: Path) -> WriteGguf:
    """Write a GGUF file named `name` into the test's folder."""

    def write(name: str = "model.gguf", architecture: str = "qwen2", **options: Any) -> Path:
        return _write(tmp_path / name, architecture, **options)

    return write


@pytest.fixture
def small_model() -> Path:
    """The real 0.5B model, where `make test` has put it."""
    path = models_dir() / "qwen2.5-coder-0.5b.gguf"
    if not path.is_file():
        pytest.skip("run `make test`, or `roomcode models pull qwen2.5-coder-0.5b`")
    return path
