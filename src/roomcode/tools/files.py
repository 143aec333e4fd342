"""The tools that work on the files of a project."""

from roomcode.protocol.tools import Tool
from roomcode.tools.editing import EditFile
from roomcode.tools.reading import ListDir, ReadFile
from roomcode.tools.searching import Search
from roomcode.tools.writing import WriteFile
from roomcode.workspace import Workspace

__all__ = ["file_tools"]


def file_tools(workspace: Workspace) -> list[Tool]:
    """list_dir, read_file, search, write_file and edit_file over one workspace, in this order."""
    return [
        ListDir(workspace),
        ReadFile(workspace),
        Search(workspace),
        WriteFile(workspace),
        EditFile(workspace),
    ]
