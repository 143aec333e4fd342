"""Tools to call in these tests, shaped like the agent's, and one that takes a list."""

from roomcode.protocol.tools import Effect, Parameter, ToolSpec

__all__ = ["SPECS", "TOOLS"]


def _text(name: str, *, raw: bool = False) -> Parameter:
    return Parameter(name, "string", f"the {name}", raw=raw)


def _folder() -> Parameter:
    return Parameter("path", "string", "a folder", required=False, default=".")


def _tool(name: str, description: str, *parameters: Parameter, effect: Effect = "read") -> ToolSpec:
    return ToolSpec(name, description, parameters, effect)


TOOLS = (
    _tool("list_dir", "lists a folder", _folder()),
    _tool(
        "read_file",
        "shows a text file with line numbers",
        _text("path"),
        Parameter("start", "integer", "first line", required=False, default=1),
    ),
    _tool("search", "finds a regular expression in the project's files", _text("pattern"), _folder()),
    _tool(
        "write_file",
        "creates or replaces a file; append adds to its end",
        _text("path"),
        _text("content", raw=True),
        Parameter("append", "boolean", "add to the end", required=False, default=False),
        effect="write",
    ),
    _tool(
        "edit_file",
        "replaces the text old, which must be in the file exactly once, by new",
        _text("path"),
        _text("old", raw=True),
        _text("new", raw=True),
        effect="write",
    ),
    _tool(
        "serve",
        "serves a folder and returns the page's first errors",
        _folder(),
        Parameter("port", "integer", "port", required=False, default=5173),
        effect="run",
    ),
    _tool(
        "preview_logs",
        "console output of a served page since a cursor",
        Parameter("port", "integer", "port"),
        Parameter("since", "integer", "cursor"),
    ),
    _tool(
        "run_js",
        "runs a JavaScript module beside the served page, returns what it printed",
        _text("code", raw=True),
        Parameter("port", "integer", "port", required=False),
        effect="run",
    ),
)
"""The eight tools of a session."""

SPECS = (
    *TOOLS,
    _tool("plan", "sets the plan", Parameter("steps", "array", "the steps")),
    _tool("wait", "waits", Parameter("seconds", "number", "how long")),
)
