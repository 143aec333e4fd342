"""The tools that show the model its page: `serve`, `preview_logs`, `run_js`."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from roomcode.preview import Preview, PreviewError, log_lines, page_errors, result_lines, script_lines
from roomcode.protocol.display import PageReport, TextBlock
from roomcode.protocol.tools import Parameter, Tool, ToolContext, ToolResult, ToolSpec

__all__ = ["preview_tools"]

_SERVE = ToolSpec(
    "serve",
    "Serve a folder and get the errors of its page.",
    (
        Parameter("path", "string", "folder or .html file", required=False, default="."),
        Parameter("port", "integer", "port", required=False, default=5173),
    ),
    "run",
)
_LOGS = ToolSpec(
    "preview_logs",
    "Console output of a served page.",
    (
        Parameter("port", "integer", "port of the page"),
        Parameter("since", "integer", "cursor of the last call", required=False, default=0),
    ),
    "read",
)
_RUN_JS = ToolSpec(
    "run_js",
    "Run a script beside the served page; shows what it prints.",
    (
        Parameter("code", "string", "JavaScript", raw=True),
        Parameter("port", "integer", "port of the page, 0 for none", required=False, default=None),
    ),
    "run",
)

Action = Callable[[Mapping[str, Any]], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class _PreviewTool:
    spec: ToolSpec
    action: Action

    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            return await self.action(arguments)
        except PreviewError as error:
            return ToolResult("failed", str(error))


def preview_tools(preview: Preview) -> list[Tool]:
    """The three tools over one preview, which the caller closes."""

    async def serve(arguments: Mapping[str, Any]) -> ToolResult:
        report = await preview.serve(arguments.get("path", "."), arguments.get("port", 5173))
        lines = result_lines(report)
        display = PageReport(report.url, report.port, report.title, report.state, lines, report.screenshot)
        return ToolResult("ok", "\n".join(lines), display, page_errors=page_errors(report), port=report.port)

    async def logs(arguments: Mapping[str, Any]) -> ToolResult:
        lines = log_lines(await preview.logs(arguments["port"], arguments.get("since", 0)))
        return ToolResult("ok", text := "\n".join(lines), TextBlock(text))

    async def run_js(arguments: Mapping[str, Any]) -> ToolResult:
        report = await preview.run_js(arguments["code"], arguments.get("port"))
        text = "\n".join(script_lines(report))
        return ToolResult("ok" if report.ok else "failed", text, TextBlock(text))

    return [_PreviewTool(_SERVE, serve), _PreviewTool(_LOGS, logs), _PreviewTool(_RUN_JS, run_js)]
