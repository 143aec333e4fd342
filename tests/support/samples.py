"""Tool specifications like the real ones, for tests of what surrounds tools."""

from roomcode.protocol.tools import Parameter, ToolSpec

__all__ = ["SPECS"]

SPECS = (
    ToolSpec(
        "list_dir", "List a folder.", (Parameter("path", "string", "folder", required=False, default="."),), "read"
    ),
    ToolSpec(
        "read_file",
        "Read a file.",
        (
            Parameter("path", "string", "file"),
            Parameter("start", "integer", "first line", required=False, default=1),
        ),
        "read",
    ),
    ToolSpec(
        "write_file",
        "Create or replace a file.",
        (
            Parameter("path", "string", "file"),
            Parameter("content", "string", "text", raw=True),
            Parameter("append", "boolean", "add to the end", required=False, default=False),
        ),
        "write",
    ),
    ToolSpec(
        "edit_file",
        "Replace old by new.",
        (
            Parameter("path", "string", "file"),
            Parameter("old", "string", "text", raw=True),
            Parameter("new", "string", "text", raw=True),
        ),
        "write",
    ),
    ToolSpec(
        "serve",
        "Open the page.",
        (
            Parameter("path", "string", "folder", required=False, default="."),
            Parameter("port", "integer", "port", required=False, default=5173),
        ),
        "run",
    ),
)
