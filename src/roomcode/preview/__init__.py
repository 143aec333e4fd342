"""Serving the project's pages on this machine and looking at them with a headless browser."""

from roomcode.preview.choosing import AT_THE_END
from roomcode.preview.preview import Preview
from roomcode.preview.report import log_lines, page_errors, probe_lines, result_lines, script_lines
from roomcode.preview.types import (
    Entry,
    Expectation,
    Fault,
    Limits,
    LoadReport,
    LogPage,
    PreviewError,
    ProbeReport,
    ScriptReport,
)

__all__ = [
    "AT_THE_END",
    "Entry",
    "Expectation",
    "Fault",
    "Limits",
    "LoadReport",
    "LogPage",
    "Preview",
    "PreviewError",
    "ProbeReport",
    "ScriptReport",
    "log_lines",
    "page_errors",
    "probe_lines",
    "result_lines",
    "script_lines",
]
