"""`roomcode config` shows each value and where it comes from."""

import json
import os
import subprocess
import sys
from pathlib import Path

from roomcode.config import keys


def roomcode(project: Path, *args: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "roomcode", "config", "--dir", str(project), *args]
    whole = os.environ | {"ROOMCODE_CONFIG": str(project / "user.toml")} | environ
    return subprocess.run(command, capture_output=True, text=True, check=False, env=whole)


def test_the_table_has_every_setting_with_its_origin(tmp_path: Path) -> None:
    (tmp_path / "user.toml").write_text("max_steps = 7\n")
    done = roomcode(tmp_path, ROOMCODE_SEED="5")
    assert (done.returncode, done.stderr) == (0, "")
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    assert set(keys()) <= set(lines)
    assert "7" in lines["max_steps"]
    assert "5" in lines["seed"]
    assert "ROOMCODE_SEED" in lines["seed"]
    assert "default" in lines["model"]
    assert "(not there)" in done.stdout


def test_json_for_scripts(tmp_path: Path) -> None:
    (tmp_path / ".roomcode").mkdir()
    (tmp_path / ".roomcode" / "config.toml").write_text("[switches]\nhints = false\n")
    values = json.loads(roomcode(tmp_path, "--json").stdout)
    origin = str(tmp_path / ".roomcode" / "config.toml")
    assert values["switches.hints"] == {"value": False, "from": origin}
    assert values["model"] == {"value": "", "from": "default"}


def test_a_wrong_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "user.toml").write_text("max_steps = 'x'\n")
    done = roomcode(tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "max_steps must be a whole number" in done.stderr


def test_a_loosening_project_is_said_on_stderr(tmp_path: Path) -> None:
    (tmp_path / ".roomcode").mkdir()
    (tmp_path / ".roomcode" / "config.toml").write_text('mode = "auto"\n')
    assert "without asking (mode)" in roomcode(tmp_path).stderr
