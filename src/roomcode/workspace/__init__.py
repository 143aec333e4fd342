"""The files of a project: safe paths, faithful text files, edit matching, versions."""

from roomcode.workspace.errors import WorkspaceError
from roomcode.workspace.filesystem import FileSystem, RealFileSystem
from roomcode.workspace.paths import Target
from roomcode.workspace.textfile import TextFile
from roomcode.workspace.workspace import Loaded, Saved, StaleError, Workspace

__all__ = [
    "FileSystem",
    "Loaded",
    "RealFileSystem",
    "Saved",
    "StaleError",
    "Target",
    "TextFile",
    "Workspace",
    "WorkspaceError",
]
