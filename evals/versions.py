"""What was run on what."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["machine", "versions"]

_PACKAGES = ("roomcode", "llama-cpp-python", "llguidance", "playwright")


def versions() -> dict[str, str]:
    """Python, the packages that matter, and the commit of this copy where there is one (`+` when it has changes)."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    commit = _git("rev-parse", "--short", "HEAD")
    if commit:
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", "src")
        found["commit"] = commit + ("+" if changed else "")
    return found


def machine() -> str:
    """One line about this computer."""
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), processor)
    except OSError:
        pass  # not Linux: the short name has to do
    return f"{processor}, {os.cpu_count()} cores, {platform.system()}"


def _git(*words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *words], cwd=Path(__file__).parent, capture_output=True, text=True, check=False, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
