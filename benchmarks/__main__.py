"""All figures: `python -m benchmarks [MODEL]`."""

import subprocess
import sys

PARTS = (
    "benchmarks.startup",
    "benchmarks.sessions",
    "benchmarks.engine",
    "benchmarks.grounding",
    "benchmarks.preview",
    "benchmarks.tui",
)
WITH_MODEL = ("benchmarks.engine", "benchmarks.grounding")

if __name__ == "__main__":
    failed = []
    for part in PARTS:
        # Each in a process of its own, so that memory and imports of one say nothing about another.
        arguments = sys.argv[1:] if part in WITH_MODEL else []
        if subprocess.run([sys.executable, "-m", part, *arguments], check=False).returncode:
            failed.append(part)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")
