"""Set up roomcode in this folder: virtual environment, packages, browser. Run again, it only looks and changes nothing.

Needs nothing but Python's own library. `scripts/setup.sh` (and with it `make setup`) starts it.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "roomcode-setup.stamp"
COMPILERS = ("c++", "g++", "clang++", "cl")
SHOWN = ("Collecting", "Building wheel", "Installing collected", "Successfully", "ERROR", "error", "WARNING", "note:")
LOOK = """
from importlib.util import find_spec
assert find_spec("llama_cpp") and find_spec("textual") and find_spec("pytest")
print(find_spec("roomcode").origin)
"""
FIND_BROWSER = """
import sys
from roomcode.preview.browser import find_browsers
sys.exit(0 if next(find_browsers(), None) else 3)
"""


def main() -> int:
    """Do what is missing; returns an exit code."""
    wanted = fingerprint()
    if not is_installed(wanted):
        make_environment()
        install_packages()
        STAMP.write_text(wanted)
    install_browser()
    print(f"roomcode is set up: {(BIN / 'roomcode').relative_to(ROOT)}", flush=True)
    return 0


def fingerprint() -> str:
    """What the installation depends on: when it changes, pip runs again."""
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def is_installed(wanted: str) -> bool:
    """Whether all packages are there, and roomcode is the one in this folder (it may have been moved)."""
    try:
        if STAMP.read_text() != wanted:
            return False
    except OSError:
        return False
    answer = subprocess.run([PYTHON, "-c", LOOK], capture_output=True, text=True, cwd=VENV, check=False)
    return answer.returncode == 0 and Path(answer.stdout.strip()).is_relative_to(ROOT) and works(BIN / "roomcode")


def works(*command: str | Path) -> bool:
    try:
        return subprocess.run([*command, "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def make_environment() -> None:
    """Make the virtual environment, or keep the one that is there when it works."""
    if PYTHON.exists() and works(PYTHON, "-m", "pip"):
        return
    say("making the virtual environment in .venv")
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    if run(command) == 0:
        return
    # Debian keeps what makes environments in a package of its own.
    if not may_apt() or apt("python3-venv") != 0 or run(command) != 0:
        stop("Python cannot make a virtual environment; on Debian or Ubuntu: sudo apt-get install python3-venv")


def install_packages() -> None:
    """Install roomcode from this folder, and everything it needs, in the pinned versions."""
    say("installing packages; the first time llama.cpp is compiled, which takes about five minutes")
    command = [
        str(PYTHON),
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "-c",
        "constraints.txt",
        "-e",
        ".[dev]",
    ]
    pip = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert pip.stdout is not None
    lines = []
    for line in pip.stdout:
        lines.append(line)
        if line.strip().startswith(SHOWN) and "WARNING: Location" not in line:
            print(line, end="", flush=True)
    if pip.wait() != 0:
        print("".join(lines[-40:]), flush=True)
        if not any(map(shutil.which, COMPILERS)):
            stop("there is no C++ compiler; on Debian or Ubuntu: sudo apt-get install g++ make")
        stop("pip could not install the packages (its own message is above)")


def install_browser() -> None:
    """Install Chromium where that is simple, else name the command that does; only the preview needs it."""
    if has_browser():
        return
    if may_apt():
        say("installing Chromium for the preview")
        apt("chromium", "fonts-liberation")
        if has_browser():
            return
    if shutil.which("apt-get"):
        command = "sudo apt-get install chromium"
    elif sys.platform == "darwin":
        command = "brew install --cask chromium"
    else:
        command = f"{(BIN / 'playwright').relative_to(ROOT)} install chromium"
    say(f"no Chrome or Chromium was found: pages cannot be previewed until you run: {command}")


def has_browser() -> bool:
    if subprocess.run([PYTHON, "-c", FIND_BROWSER], capture_output=True, check=False).returncode == 0:
        return True
    folders = (Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")), Path.home() / ".cache/ms-playwright")
    return any(folder.is_absolute() and any(folder.glob("chromium-*")) for folder in folders)


def may_apt() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None


def apt(*packages: str) -> int:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    run(["apt-get", "update", "-qq"], environment)
    return run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages], environment)


def run(command: Sequence[str], environment: dict[str, str] | None = None) -> int:
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def say(text: str) -> None:
    print(f"setup: {text}", flush=True)


def stop(text: str) -> NoReturn:
    sys.exit(f"setup: {text}")


if __name__ == "__main__":
    sys.exit(main())
