"""Keeping what native libraries write to file descriptor 2 off the terminal."""

import logging
import os
import sys
from pathlib import Path

import platformdirs

__all__ = ["divert_native_stderr", "log_path"]

_LARGEST_LOG = 1_000_000


def log_path() -> Path:
    """The file that native log lines and roomcode's own go to."""
    return platformdirs.user_log_path("roomcode", appauthor=False) / "roomcode.log"


def divert_native_stderr(log: Path) -> None:
    """From now on `sys.stderr` is the terminal and descriptor 2 is `log`; child processes write there too.

    `logging` goes to the log as well. llama.cpp and drivers print to descriptor 2 whatever their log callback says.
    Where the log cannot be written, descriptor 2 goes nowhere.
    """
    sys.stderr.flush()
    terminal = os.dup(2)
    target = _open_log(log)
    os.dup2(target, 2)
    handler = logging.StreamHandler(os.fdopen(target, "a", encoding="utf-8", errors="replace"))
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    sys.stderr = os.fdopen(terminal, "w", buffering=1, encoding="utf-8", errors="replace")


def _open_log(log: Path) -> int:
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        if log.exists() and log.stat().st_size > _LARGEST_LOG:
            log.replace(log.with_suffix(".old.log"))
        return os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)
