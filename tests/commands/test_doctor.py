"""`roomcode doctor`: every fault comes with the one command that mends it."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from roomcode.commands.doctor import (
    browser_finding,
    doctor,
    engine_finding,
    folder_finding,
    model_findings,
    settings_finding,
    terminal_finding,
)
from roomcode.models import load_catalogue, models_dir

CATALOGUE = load_catalogue()
GB = 1_000_000_000


def test_an_engine_that_loads() -> None:
    finding = engine_finding(code="print('0.9\\nCPU : AVX2 = 1 | AVX512 = 0 | FMA = 1 | ')")
    assert (finding.state, finding.text, finding.mend) == ("ok", "llama-cpp-python 0.9 (AVX2, FMA)", "")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", "signal 4; it was built for another processor"),
        ("raise ImportError('no llama here')", "cannot be loaded (ImportError: no llama here)"),
        ("raise SystemExit(1)", "cannot be loaded (no reason)"),
    ],
)
def test_an_engine_that_does_not_load_is_a_fault_and_not_a_crash(code: str, said: str) -> None:
    finding = engine_finding(code=code)
    assert finding.state == "fault"
    assert said in finding.text
    assert finding.mend.startswith(f"{sys.executable} -m pip install --force-reinstall")


def test_the_real_engine_loads() -> None:
    assert engine_finding().state == "ok"


def test_a_missing_model_names_the_command(tmp_path: Path) -> None:
    model, memory = model_findings("", 0, tmp_path, CATALOGUE, GB)
    assert (model.state, model.mend) == ("fault", "roomcode models pull qwen2.5-coder-1.5b")
    assert (memory.name, memory.text) == ("memory", "1.0 GB free")
    named, _ = model_findings("qwen3-4b", 0, tmp_path, CATALOGUE, GB)
    assert (named.state, named.mend) == ("fault", "roomcode models pull qwen3-4b")


def test_a_broken_model_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "qwen3-4b.gguf").write_bytes(b"")
    model, _ = model_findings("qwen3-4b", 0, tmp_path, CATALOGUE, GB)
    assert model.state == "fault"
    assert "0 bytes" in model.text


@pytest.mark.model
def test_a_real_model_and_its_memory() -> None:
    path = models_dir() / "qwen2.5-coder-0.5b.gguf"
    if not path.is_file():
        pytest.skip("run `make test`, or `roomcode models pull qwen2.5-coder-0.5b`")
    model, memory = model_findings(str(path), 0, models_dir(), CATALOGUE, 4 * GB)
    assert (model.state, memory.state) == ("ok", "ok")
    assert "context of 8,192 tokens" in memory.text
    too_large, _ = model_findings(str(path), 0, models_dir(), CATALOGUE, GB // 2)
    assert too_large.state == "fault"


def test_a_browser_that_starts() -> None:
    assert browser_finding(lambda: "156").text == "Chromium 156"


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_a_browser_that_does_not_start_names_the_command(system: str) -> None:
    def fail() -> str:
        raise OSError("no browser was found")

    finding = browser_finding(fail, system)
    assert finding.state == "fault"
    assert "no browser was found" in finding.text
    assert "chromium" in finding.mend


@pytest.mark.parametrize(
    ("environ", "is_terminal", "encoding", "size", "state", "said"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, True, "utf-8", (80, 24), "ok", "true colour"),
        ({"TERM": "screen"}, True, "UTF-8", (80, 24), "ok", "screen, 80x24"),
        ({"TERM": "dumb"}, True, "utf-8", (80, 24), "fault", "cannot show the app"),
        ({}, True, "utf-8", (80, 24), "fault", "TERM is not set"),
        ({"TERM": "xterm"}, True, "ascii", (80, 24), "fault", "encoding is ascii"),
        ({"TERM": "xterm"}, True, "utf-8", (20, 8), "note", "make the window at least"),
        ({"TERM": "xterm"}, False, "utf-8", (0, 0), "note", "not a terminal"),
    ],
)
def test_terminals(
    environ: dict[str, str], is_terminal: bool, encoding: str, size: tuple[int, int], state: str, said: str
) -> None:
    finding = terminal_finding(environ, is_terminal, encoding, *size)
    assert finding.state == state
    assert said in finding.text
    assert bool(finding.mend) == (state == "fault")


def test_a_folder_to_be_made_is_fine_and_one_that_cannot_be_is_not(tmp_path: Path) -> None:
    assert folder_finding("models", tmp_path / "a" / "b", "ROOMCODE_MODELS").state == "ok"
    (tmp_path / "file").write_text("x")
    finding = folder_finding("models", tmp_path / "file" / "models", "ROOMCODE_MODELS")
    assert finding.state == "fault"
    assert finding.mend.startswith("export ROOMCODE_MODELS=")


def test_wrong_settings_are_a_fault_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("x = 1")
    settings, finding = settings_finding(tmp_path, {"ROOMCODE_CONFIG": str(tmp_path / "bad.toml")})
    assert finding.state == "fault"
    assert settings.max_steps == 30
    _, fine = settings_finding(tmp_path, {"ROOMCODE_CONFIG": str(tmp_path / "none.toml")})
    assert (fine.state, fine.text) == ("ok", "defaults")


@pytest.mark.browser
@pytest.mark.slow
def test_the_whole_command_finds_the_missing_model_and_nothing_else(tmp_path: Path) -> None:
    environ = {"ROOMCODE_MODELS": str(tmp_path), "ROOMCODE_CONFIG": str(tmp_path / "none.toml")}
    result = CliRunner(env=environ).invoke(doctor)
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines if line[:5] in ("ok   ", "note ", "FAULT")] == [
        "ok",
        "ok",
        "FAULT",
        "ok",
        "ok",
        "note",
        "ok",
    ]
    assert "      mend it with: roomcode models pull qwen2.5-coder-1.5b" in lines
    assert lines[-1] == "1 to mend."
