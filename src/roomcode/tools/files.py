"""The tools that work on the files of a project."""

from roomcode.protocol.tools import Tool
from roomcode.tools.editing import EditFile, Keep, keep_nothing
from roomcode.tools.reading import ListDir, ReadFile
from roomcode.tools.searching import Search
from roomcode.tools.writing import WriteFile
from roomcode.workspace import Workspace

__all__ = ["file_tools"]


def file_tools(workspace: Workspace, keep: Keep | None = None) -> list[Tool]:
    """list_dir, read_file, search, write_file and edit_file over one workspace, in this order; `keep` looks at
    edits."""
    return [
        ListDir(workspace),
        ReadFile(workspace),
        Search(workspace),
        WriteFile(workspace),
        EditFile(workspace, keep or keep_nothing),
    ]
