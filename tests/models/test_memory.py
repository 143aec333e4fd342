"""Default context sizes and the memory that is there."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.models import available_memory, default_context, memory_needed, total_memory
from roomcode.models.memory import _cgroup_limit


@pytest.mark.parametrize(
    ("parameters", "context"),
    [
        (135_000_000, 8192),
        (1_777_088_000, 8192),
        (2_000_000_000, 8192),
        (2_030_000_000, 8192),
        (3_090_000_000, 16384),
        (30_000_000_000, 16384),
        (30_530_000_000, 16384),
        (32_800_000_000, 32768),
        (70_000_000_000, 32768),
    ],
)
def test_the_context_follows_the_size_of_the_model(parameters: int, context: int) -> None:
    assert default_context(parameters) == context


def test_never_more_than_the_model_was_trained_on() -> None:
    assert default_context(1_500_000_000, 4096) == 4096
    assert default_context(1_500_000_000, 131_072) == 8192
    assert default_context(1_500_000_000, 0) == 8192


@given(
    parameters=st.integers(1, 10**11),
    training=st.integers(0, 200_000),
    weights=st.integers(0, 10**11),
    kv=st.integers(0, 10**6),
    memory=st.integers(0, 10**12),
)
def test_what_was_shrunk_for_memory_fits_or_is_the_smallest(
    parameters: int, training: int, weights: int, kv: int, memory: int
) -> None:
    free = default_context(parameters, training)
    context = default_context(parameters, training, weights=weights, kv_bytes_per_token=kv, memory=memory)
    assert context <= free
    if context < free:
        assert memory_needed(weights, kv, context) <= memory or context == 2048
        assert memory_needed(weights, kv, free) > memory


def test_a_container_limit_counts_without_cached_files(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("700\n")
    (tmp_path / "memory.stat").write_text("anon 200\ninactive_file 400\nactive_file 100\n")
    assert _cgroup_limit(tmp_path) == (1000, 200)


def test_no_container_limit(tmp_path: Path) -> None:
    assert _cgroup_limit(tmp_path) is None
    (tmp_path / "memory.max").write_text("max\n")
    assert _cgroup_limit(tmp_path) is None


def test_this_machine_has_memory() -> None:
    assert 0 < available_memory() <= total_memory()
