"""How long the program takes to answer: `python -m benchmarks.startup`."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.report import Figure, show

__all__ = ["main"]

ROUNDS = 7


def seconds(*command: str) -> float:
    """Median wall time of a command."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main() -> None:
    program = str(Path(sys.executable).parent / "roomcode")
    python = sys.executable
    bare = seconds(python, "-c", "pass")
    show(
        "Start",
        [
            Figure("python alone", f"{bare * 1e3:.0f} ms"),
            Figure("roomcode --help", f"{seconds(program, '--help') * 1e3:.0f} ms", "under 300 ms"),
            Figure("import of the app", f"{(seconds(python, '-c', 'import roomcode.tui.app') - bare) * 1e3:.0f} ms"),
            Figure(
                "import of the runtime", f"{(seconds(python, '-c', 'import roomcode.assembly') - bare) * 1e3:.0f} ms"
            ),
        ],
    )


if __name__ == "__main__":
    main()
