"""`roomcode doctor`: is everything here that roomcode needs, and what mends it if not."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click
from rich.console import Console
from rich.text import Text

from roomcode.config import ConfigError, Settings, load
from roomcode.models import (
    Catalogue,
    ModelError,
    available_memory,
    check,
    default_context,
    load_catalogue,
    memory_needed,
    models_dir,
    profile_for,
    resolve,
    size_text,
)

__all__ = [
    "Finding",
    "browser_finding",
    "doctor",
    "engine_finding",
    "folder_finding",
    "model_findings",
    "settings_finding",
    "terminal_finding",
]

State = Literal["ok", "note", "fault"]
_MARKS: dict[State, tuple[str, str]] = {
    "ok": ("ok", "green"),
    "note": ("note", "yellow"),
    "fault": ("FAULT", "bold red"),
}
_ENGINE = """
import llama_cpp.llama_cpp as lib
import llguidance
from importlib.metadata import version
print(version("llama-cpp-python"), lib.llama_print_system_info().decode(), sep="\\n")
"""
_LEAST_COLUMNS, _LEAST_LINES = 40, 12


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check. `mend` is the one command that mends a fault, or empty when there is nothing to run."""

    name: str
    state: State
    text: str
    mend: str = ""


@click.command()
@click.option("--model", default=None, help="Name or path of the model to check (default: the one in the settings).")
@click.pass_context
def doctor(ctx: click.Context, model: str | None) -> None:
    """Check this machine: settings, engine, model, memory, browser, terminal, folders.

    Every fault comes with the one command that mends it. Exit code 0 when nothing is at fault, else 1.
    """
    console = Console(highlight=False)
    faults = 0
    for finding in _findings(model):
        faults += finding.state == "fault"
        mark, style = _MARKS[finding.state]
        console.print(Text.assemble((f"{mark:<6}", style), f"{finding.name:<9}", finding.text), soft_wrap=True)
        if finding.mend:
            console.print(Text.assemble("      mend it with: ", (finding.mend, "bold")), soft_wrap=True)
    console.print(Text("Everything is fine." if not faults else f"{faults} to mend."))
    ctx.exit(1 if faults else 0)


def _findings(model: str | None) -> Iterator[Finding]:
    """All checks, each shown as soon as it is done."""
    settings, finding = settings_finding(Path.cwd(), os.environ)
    yield finding
    yield engine_finding()
    yield from model_findings(
        settings.model if model is None else model, settings.context, models_dir(), load_catalogue(), available_memory()
    )
    yield browser_finding(_start_browser)
    size = shutil.get_terminal_size((0, 0))
    yield terminal_finding(os.environ, sys.stdout.isatty(), sys.stdout.encoding, size.columns, size.lines)
    yield folder_finding("models", models_dir(), "ROOMCODE_MODELS")


def settings_finding(project: Path, environ: Mapping[str, str]) -> tuple[Settings, Finding]:
    """The settings in force in `project` (the defaults when they are wrong)."""
    try:
        resolved = load(project, environ)
    except ConfigError as error:
        return Settings(), Finding("settings", "fault", str(error))
    if resolved.warnings:
        return resolved.settings, Finding("settings", "note", " ".join(resolved.warnings))
    read = ", ".join(map(str, resolved.files)) or "defaults"
    return resolved.settings, Finding("settings", "ok", read)


def engine_finding(python: str = sys.executable, code: str = _ENGINE) -> Finding:
    """Load the native libraries in a process of their own: built for another CPU they would end this one."""
    mend = f"{python} -m pip install --force-reinstall --no-cache-dir --no-binary llama-cpp-python llama-cpp-python"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return Finding("engine", "fault", "llama.cpp does not finish loading.", mend)
    if done.returncode < 0:
        why = f"llama.cpp ends with signal {-done.returncode}; it was built for another processor."
        return Finding("engine", "fault", why, mend)
    if done.returncode > 0:
        lines = done.stderr.strip().splitlines()
        return Finding("engine", "fault", f"llama.cpp cannot be loaded ({lines[-1] if lines else 'no reason'}).", mend)
    version, _, features = done.stdout.partition("\n")
    names = [part.split("=")[0].split(":")[-1].strip() for part in features.split("|") if "= 1" in part]
    return Finding("engine", "ok", f"llama-cpp-python {version} ({', '.join(names) or 'no CPU features'})")


def model_findings(name: str, context: int, folder: Path, catalogue: Catalogue, memory: int) -> Iterator[Finding]:
    """Is the model here, is it whole, and does it fit into memory."""
    pull = f"roomcode models pull {catalogue.default}"
    try:
        path = resolve(name, folder, catalogue)
        facts = check(path, context=context, memory=memory)
    except ModelError as error:
        wanted = catalogue.entries.get(name.lower())
        yield Finding("model", "fault", str(error), f"roomcode models pull {wanted.name}" if wanted else pull)
        yield Finding("memory", "ok", f"{size_text(memory)} free")
        return
    yield Finding("model", "ok", f"{facts.name} ({facts.quantisation}, {size_text(facts.size)}): {path}")
    chosen = (
        context
        or profile_for(facts, catalogue).context
        or default_context(
            facts.parameters,
            facts.training_context,
            weights=facts.size,
            kv_bytes_per_token=facts.kv_bytes_per_token,
            memory=memory,
        )
    )
    needed = memory_needed(facts.size, facts.kv_bytes_per_token, chosen)
    text = f"{size_text(memory)} free, {size_text(needed)} needed with a context of {chosen:,} tokens"
    yield Finding("memory", "ok", text)


def browser_finding(start: Callable[[], str], system: str = sys.platform) -> Finding:
    """Start the headless browser once; `start` gives its version, or raises with the reason."""
    try:
        return Finding("browser", "ok", f"Chromium {start()}")
    except Exception as error:  # whatever goes wrong in there, the answer is the same
        reason = str(error).strip() or type(error).__name__
    if shutil.which("apt-get"):
        mend = "sudo apt-get install chromium"
    elif system == "darwin":
        mend = "brew install --cask chromium"
    else:
        mend = f"{sys.executable} -m playwright install chromium"
    return Finding("browser", "fault", f"Pages cannot be previewed: {reason}.", mend)


def _start_browser() -> str:
    from roomcode.preview.browser import Browser
    from roomcode.preview.types import Limits

    async def start() -> str:
        browser = Browser(network=False, limits=Limits())
        try:
            await browser.tab()
            return browser.version
        finally:
            await browser.close()

    return asyncio.run(start())


def terminal_finding(environ: Mapping[str, str], is_terminal: bool, encoding: str, columns: int, lines: int) -> Finding:
    """Can the app be shown here."""
    name = environ.get("TERM", "")
    if not is_terminal:
        return Finding("terminal", "note", "The output is not a terminal, so nothing can be said about it.")
    if encoding.lower().replace("-", "") != "utf8":
        return Finding("terminal", "fault", f"The terminal's encoding is {encoding}, not UTF-8.", "export LANG=C.UTF-8")
    if name in ("", "dumb"):
        text = f"The terminal ({name or 'TERM is not set'}) cannot show the app."
        return Finding("terminal", "fault", text, "export TERM=xterm-256color")
    size = f"{columns}x{lines}"
    if columns < _LEAST_COLUMNS or lines < _LEAST_LINES:
        text = f"{name}, {size}: make the window at least {_LEAST_COLUMNS}x{_LEAST_LINES}."
        return Finding("terminal", "note", text)
    colours = "true colour" if environ.get("COLORTERM") in ("truecolor", "24bit") else "256 colours or fewer"
    return Finding("terminal", "ok", f"{name}, {size}, {colours}")


def folder_finding(name: str, folder: Path, variable: str) -> Finding:
    """Can files be kept there; the folder itself need not exist yet."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        text = f"{folder} cannot be written ({(error.strerror or str(error)).lower()})."
        return Finding(name, "fault", text, f"export {variable}=/a/folder/of/yours")
    free = shutil.disk_usage(there).free
    return Finding(name, "ok", f"{folder} ({size_text(free)} free)")
