"""What a name means."""

import os
from pathlib import Path

import pytest

from roomcode.models import ModelError, default_model, installed, load_catalogue, models_dir, resolve

CATALOGUE = load_catalogue()


def _put(folder: Path, name: str, size: int = 10) -> Path:
    path = folder / name
    path.write_bytes(b"x" * size)
    return path


def test_the_folder_can_be_chosen() -> None:
    assert models_dir({"ROOMCODE_MODELS": "/srv/models"}) == Path("/srv/models")
    assert models_dir({"ROOMCODE_MODELS": "~/m"}) == Path.home() / "m"
    assert models_dir({}).name == "models"


def test_a_catalogue_name_is_its_file(tmp_path: Path) -> None:
    path = _put(tmp_path, "qwen3-4b.gguf")
    assert resolve("qwen3-4b", tmp_path, CATALOGUE) == path
    assert resolve("Qwen3-4B", tmp_path, CATALOGUE) == path
    assert resolve("qwen3-4b.gguf", tmp_path, CATALOGUE) == path


def test_a_catalogue_model_that_is_not_here_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"`roomcode models pull qwen3-4b` \(2.5 GB\)"):
        resolve("qwen3-4b", tmp_path, CATALOGUE)


def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    assert resolve(f"{tmp_path}/other.gguf", tmp_path, CATALOGUE) == tmp_path / "other.gguf"
    assert resolve("sub/other.gguf", tmp_path, CATALOGUE) == Path("sub/other.gguf")
    assert resolve("~/other.gguf", tmp_path, CATALOGUE) == Path.home() / "other.gguf"


def test_a_file_of_the_person_in_the_folder_has_a_name_too(tmp_path: Path) -> None:
    path = _put(tmp_path, "My-Model.gguf")
    assert resolve("my-model", tmp_path, CATALOGUE) == path
    assert [(model.path, model.entry) for model in installed(tmp_path, CATALOGUE)] == [(path, None)]


@pytest.mark.parametrize(("word", "said"), [("qwn3-4b", "did you mean qwen3-4b"), ("zzzzzz", "path of a .gguf file")])
def test_an_unknown_name_gets_a_guess(tmp_path: Path, word: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        resolve(word, tmp_path, CATALOGUE)


def test_the_default_model_is_the_catalogues_then_the_largest_that_is_here(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"roomcode models pull qwen2\.5-coder-1\.5b"):
        default_model(tmp_path / "missing", CATALOGUE)
    _put(tmp_path, "own.gguf", 1000)
    with pytest.raises(ModelError, match="no model on this machine yet"):
        default_model(tmp_path, CATALOGUE)
    small, large = _put(tmp_path, "smollm2-135m.gguf", 10), _put(tmp_path, "qwen3-4b.gguf", 20)
    assert default_model(tmp_path, CATALOGUE) == large
    large.unlink()
    assert default_model(tmp_path, CATALOGUE) == resolve("", tmp_path, CATALOGUE) == small
    assert default_model(tmp_path, CATALOGUE) != _put(tmp_path, "qwen2.5-coder-1.5b.gguf")
    assert resolve(" ", tmp_path, CATALOGUE).stem == "qwen2.5-coder-1.5b"


def test_a_dangling_link_is_no_model(tmp_path: Path) -> None:
    os.symlink(tmp_path / "gone", tmp_path / "qwen3-4b.gguf")
    assert installed(tmp_path, CATALOGUE) == []
