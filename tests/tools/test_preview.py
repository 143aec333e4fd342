"""The three preview tools: what the model is told about them and what it gets back."""

import inspect
import shutil
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from roomcode.preview import Preview
from roomcode.protocol.approval import refuse_all
from roomcode.protocol.display import PageReport, TextBlock
from roomcode.protocol.tools import ToolContext, ToolResult
from roomcode.tools.preview import preview_tools

NO_BROWSER = "/nonexistent/browser"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Tools:
    def __init__(self, preview: Preview) -> None:
        self._tools = {tool.spec.name: tool for tool in preview_tools(preview)}

    async def __call__(self, name: str, **arguments: Any) -> ToolResult:
        tool = self._tools[name]
        defaults: Mapping[str, Any] = {p.name: p.default for p in tool.spec.parameters if not p.required}
        return await tool({**defaults, **arguments}, ToolContext(refuse_all))


def test_the_specifications_are_these(tmp_path: Path) -> None:
    shapes = {
        tool.spec.name: [(p.name, p.type, "required" if p.required else p.default, p.raw) for p in tool.spec.parameters]
        for tool in preview_tools(Preview(tmp_path, browser=NO_BROWSER))
    }
    assert shapes == {
        "serve": [("path", "string", ".", False), ("port", "integer", 5173, False)],
        "preview_logs": [("port", "integer", "required", False), ("since", "integer", 0, False)],
        "run_js": [("code", "string", "required", True), ("port", "integer", None, False)],
    }


def test_descriptions_are_short_and_effects_are_honest(tmp_path: Path) -> None:
    tools = preview_tools(Preview(tmp_path, browser=NO_BROWSER))
    assert [tool.spec.effect for tool in tools] == ["run", "read", "run"]
    for tool in tools:
        texts = [tool.spec.description, *(parameter.description for parameter in tool.spec.parameters)]
        assert all(0 < len(text) <= 70 for text in texts)
        assert tool.spec.schema()["function"]["name"] == tool.spec.name
        assert inspect.iscoroutinefunction(type(tool).__call__)


async def test_without_a_browser_serving_works_and_is_no_clean_page(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<h1>a</h1>")
    preview = Preview(tmp_path, browser=NO_BROWSER)
    tools, port = Tools(preview), free_port()
    try:
        result = await tools("serve", port=port)
        assert (result.state, result.port, result.page_errors) == ("ok", port, None)
        assert isinstance(result.display, PageReport)
        assert (result.display.state, result.display.screenshot) == ("no_browser", "")
        assert result.text.splitlines()[0] == f"Serving at http://127.0.0.1:{port}/."
        logs = await tools("preview_logs", port=port)
        assert logs.text == f"Nothing new.\nnext: preview_logs(port={port}, since=0)"
        script = await tools("run_js", code="1")
        assert script.state == "failed"
        assert script.text.startswith("run_js needs a browser: ")
    finally:
        await preview.close()


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("serve", {}, "There is no HTML file in the project folder. Write index.html first, then call serve."),
        (
            "serve",
            {"path": "../x"},
            '../x is outside the project. Call serve(path=".") or name a folder of the project.',
        ),
        ("serve", {"port": 99999}, "Port 99999 does not exist. Leave port out, or use one from 1024 to 65535."),
        ("preview_logs", {"port": 5173}, 'Nothing is served yet. Call serve(path=".") first.'),
        ("run_js", {"code": "1", "port": 5173}, 'Nothing is served yet. Call serve(path=".") first.'),
        ("run_js", {"code": ""}, "code is empty. Give the script to run, like console.log(document.title)."),
    ],
)
async def test_a_call_that_cannot_work_fails_with_the_next_action(
    tmp_path: Path, name: str, arguments: dict[str, Any], text: str
) -> None:
    preview = Preview(tmp_path, browser=NO_BROWSER)
    try:
        result = await Tools(preview)(name, **arguments)
    finally:
        await preview.close()
    assert (result.state, result.text) == ("failed", text)
    assert result.page_errors is None


@pytest.mark.browser
async def test_one_page_from_fault_to_fix(tmp_path: Path) -> None:
    preview = Preview(tmp_path, screenshots=tmp_path / ".pictures")
    tools, port = Tools(preview), free_port()
    (tmp_path / "index.html").write_text("<title>T</title><h1>a</h1><script src=app.js></script>")
    (tmp_path / "app.js").write_text("\nstart();\n")
    try:
        broken = await tools("serve", port=port)
        assert broken.state == "ok"
        assert broken.page_errors == ("app.js: ReferenceError: start is not defined",)
        assert broken.text.splitlines() == [
            f"http://127.0.0.1:{port}/ has 1 error:",
            "app.js:2 ReferenceError: start is not defined",
            "    2 | start();",
            "    Fix: no script defines start(): write function start() in app.js",
        ]
        (tmp_path / "app.js").write_text("\n\n\nstart();\n")
        same = await tools("serve", port=port)
        assert same.page_errors == broken.page_errors
        (tmp_path / "app.js").write_text("function start() { console.log('started') }\nstart();\n")
        fixed = await tools("serve", port=port)
        assert fixed.page_errors == ()
        display = fixed.display
        assert isinstance(display, PageReport)
        assert (display.title, display.state, display.port) == ("T", "clean", port)
        assert display.lines == tuple(fixed.text.splitlines())
        assert Path(display.screenshot).read_bytes().startswith(b"\x89PNG")
        logs = await tools("preview_logs", port=port)
        assert logs.text.splitlines()[0] == "app.js:1 started"
        assert isinstance(logs.display, TextBlock)
        ran = await tools("run_js", code="console.log(document.title)\nstart()")
        assert (ran.state, ran.text) == ("ok", "T\nstarted")
        failed = await tools("run_js", code="nope()")
        assert (failed.state, failed.text) == ("failed", "line 1: ReferenceError: nope is not defined\n    nope()")
    finally:
        await preview.close()
        shutil.rmtree(tmp_path / ".pictures", ignore_errors=True)
