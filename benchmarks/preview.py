"""What a look at a page costs, and what many looks leave behind: `python -m benchmarks.preview [--loads N] [--json]`.

Runs against the real browser in a temporary folder. Exit code 1 when a goal is missed.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

if not __package__:
    # Also runnable as a file.
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.report import Figure, show
from roomcode.preview import Preview

__all__ = ["main", "measure"]

GOAL_SECONDS = 0.8
"""p50 of a small page, with the browser running."""
GROWTH_LIMIT = 150_000_000
"""Bytes by which the browser may be larger after all loads than after the first twenty."""

PAGE = {
    "index.html": '<!doctype html><title>Counter</title><link rel="stylesheet" href="style.css">'
    '<h1>Counter</h1><button id="more">more</button><p id="count">0</p><script src="app.js"></script>',
    "style.css": "body { font: 16px sans-serif } button { padding: 8px }",
    "app.js": "let n = 0;\nconst count = document.getElementById('count');\n"
    "document.getElementById('more').onclick = () => { count.textContent = ++n; };\nconsole.log('ready');\n",
}


async def measure(loads: int) -> dict[str, float]:
    """All figures: seconds, megabytes, counts."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        for name, text in PAGE.items():
            (root / name).write_text(text, encoding="utf-8")
        preview = Preview(root, screenshots=Path(folder) / "pictures")
        try:
            began = time.perf_counter()
            first = await preview.serve()
            cold = time.perf_counter() - began
            if first.state != "clean":
                raise SystemExit(f"the page did not load: {first.state} {first.reason}")
            times: list[float] = []
            early = most = processes = 0
            for number in range(loads):
                began = time.perf_counter()
                report = await preview.serve()
                times.append(time.perf_counter() - began)
                if report.state != "clean":
                    raise SystemExit(f"load {number}: {report.state} {report.reason} {report.errors}")
                if number % 20 == 19 or number == loads - 1:
                    memory = await asyncio.to_thread(preview.browser.memory)
                    early, most = early or memory, max(most, memory)
                    processes = preview.browser.processes()
            main = preview.browser.process
            family = [main, *main.children(recursive=True)] if main is not None else []
            scripts = []
            for _ in range(10):
                began = time.perf_counter()
                await preview.run_js("document.title")
                scripts.append(time.perf_counter() - began)
        finally:
            began = time.perf_counter()
            await preview.close()
            closing = time.perf_counter() - began
        await asyncio.to_thread(psutil.wait_procs, family, 2)
        left = sum(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in family)
    times.sort()
    return {
        "first serve, browser start included (s)": cold,
        "serve to result, p50 (s)": statistics.median(times),
        "serve to result, p95 (s)": times[int(len(times) * 0.95)],
        "run_js, p50 (s)": statistics.median(scripts),
        "close (s)": closing,
        "browser memory (MB)": early / 1e6,
        "largest (MB)": most / 1e6,
        "browser processes": processes,
        "loads": loads,
        "processes left behind": left,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Figures of the preview.")
    parser.add_argument("--loads", type=int, default=200, help="pages to load in a row")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    options = parser.parse_args(arguments)
    figures = asyncio.run(measure(max(options.loads, 1)))
    p50, growth = figures["serve to result, p50 (s)"], figures["largest (MB)"] - figures["browser memory (MB)"]
    goals = {
        "serve to result, p50 (s)": (f"under {GOAL_SECONDS} s", p50 < GOAL_SECONDS),
        "largest (MB)": (f"at most {GROWTH_LIMIT / 1e6:.0f} MB more than at first", growth * 1e6 <= GROWTH_LIMIT),
        "processes left behind": ("none", figures["processes left behind"] == 0),
    }
    if options.json:
        print(json.dumps(figures))
    else:
        rows = [
            Figure(name, f"{value:.2f}" if isinstance(value, float) else str(value), goals.get(name, ("", True))[0])
            for name, value in figures.items()
        ]
        show("Preview", rows)
    missed = [f"{name}: {goal}" for name, (goal, met) in goals.items() if not met]
    for name in missed:
        print(f"goal missed: {name}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
