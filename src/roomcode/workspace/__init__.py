"""The files of a project: safe paths, faithful text files, edit matching, versions."""

from roomcode.workspace.errors import WorkspaceError
from roomcode.workspace.filesystem import FileSystem, RealFileSystem
from roomcode.workspace.paths import Target
from roomcode.workspace.records import Operation, Row
from roomcode.workspace.textfile import TextFile
from roomcode.workspace.undo import Outcome, Plan, PlannedFile
from roomcode.workspace.workspace import CONVERSATION, Loaded, Saved, StaleError, Workspace

__all__ = [
    "CONVERSATION",
    "FileSystem",
    "Loaded",
    "Operation",
    "Outcome",
    "Plan",
    "PlannedFile",
    "RealFileSystem",
    "Row",
    "Saved",
    "StaleError",
    "Target",
    "TextFile",
    "Workspace",
    "WorkspaceError",
]
