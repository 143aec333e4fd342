"""The header reader believes nothing and reads little."""

import contextlib
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roomcode.models.gguf import Damaged, Header, NotGguf, UnsupportedVersion, read_header


def test_reads_metadata_lengths_and_tensors(write_gguf) -> None:
    header = read_header(write_gguf(metadata={"general.basename": "Tiny"}, tensors=3, tokens=5000))
    assert header.version == 3
    assert header.metadata["general.basename"] == "Tiny"
    assert header.lengths["tokenizer.ggml.tokens"] == 5000
    assert [tensor.elements for tensor in header.tensors] == [2048] * 3
    assert {tensor.size for tensor in header.tensors} == {8192}


def test_the_end_of_the_data_is_the_end_of_the_file(write_gguf) -> None:
    path = write_gguf(tensors=2)
    assert read_header(path).data_end == path.stat().st_size


def test_long_arrays_are_counted_and_short_ones_kept(write_gguf) -> None:
    header = read_header(write_gguf(layers=3, kv_heads=[2, 0, 4]))
    assert header.arrays["qwen2.attention.head_count_kv"] == (2, 0, 4)
    assert "tokenizer.ggml.tokens" not in header.arrays


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_file_cut_anywhere_is_damaged_or_known_to_be_short(write_gguf, tmp_path: Path, share: float) -> None:
    whole = tmp_path / "model.gguf"
    data = (whole if whole.exists() else write_gguf(tensors=2, tokens=200)).read_bytes()
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(data[: int(len(data) * share)])
    try:
        header = read_header(cut)
    except (Damaged, NotGguf):
        return
    assert header.data_end > cut.stat().st_size


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(rest=st.binary(max_size=400))
def test_noise_after_the_magic_never_does_harm(tmp_path: Path, rest: bytes) -> None:
    path = tmp_path / "noise.gguf"
    path.write_bytes(b"GGUF\x03\0\0\0" + rest)
    with contextlib.suppress(Damaged):
        assert isinstance(read_header(path), Header)


@pytest.mark.parametrize(
    "counts",
    [
        struct.pack("<QQ", 0, 2**62),
        struct.pack("<QQ", 2**62, 0),
        struct.pack("<QQQ", 0, 1, 2**63),
        struct.pack("<QQQ1sIIQ", 0, 1, 1, b"a", 9, 8, 2**61),
        struct.pack("<QQQ1sIIQ", 0, 1, 1, b"a", 9, 0, 2**61),
        struct.pack("<QQQ1sIQ", 0, 1, 1, b"a", 8, 2**61),
        struct.pack("<QQQ1sI", 0, 1, 1, b"a", 99),
        struct.pack("<QQQ1sII", 0, 1, 1, b"a", 9, 9),
    ],
    ids=["keys", "tensors", "key length", "strings", "bytes", "string", "type", "nested"],
)
def test_impossible_lengths_are_refused_at_once(tmp_path: Path, counts: bytes) -> None:
    path = tmp_path / "hostile.gguf"
    path.write_bytes(b"GGUF\x03\0\0\0" + counts + b"\0" * 64)
    with pytest.raises(Damaged):
        read_header(path)


@pytest.mark.parametrize(
    ("version", "said"),
    [(b"\x01\0\0\0", "GGUF version 1"), (b"\0\0\0\x03", "big-endian GGUF"), (b"\x09\0\0\0", "GGUF version 9")],
)
def test_versions_that_cannot_be_read_are_named(tmp_path: Path, version: bytes, said: str) -> None:
    path = tmp_path / "old.gguf"
    path.write_bytes(b"GGUF" + version + b"\0" * 64)
    with pytest.raises(UnsupportedVersion, match=said):
        read_header(path)
