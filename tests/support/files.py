"""A project on disk for tests of files, a gate that remembers what it was asked, and a file system that fails."""

import errno
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from roomcode.protocol.approval import ApprovalRequest, Decision
from roomcode.protocol.tools import ToolContext, ToolResult
from roomcode.tools.files import file_tools
from roomcode.tools.registry import Toolset
from roomcode.workspace import FileSystem, RealFileSystem, Workspace

__all__ = ["FailingFileSystem", "Gate", "Project", "Step", "snapshot"]


class Gate:
    """Answers every question with `decision`, and keeps the questions."""

    def __init__(self, decision: Decision | None = None) -> None:
        self.decision = decision or Decision(True)
        self.asked: list[ApprovalRequest] = []
        self.meanwhile: Callable[[], object] = lambda: None
        """What happens while the person thinks."""

    async def __call__(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        self.meanwhile()
        return self.decision


class Project:
    """A workspace in a folder with its file tools, called by name."""

    def __init__(self, root: Path, *, files: FileSystem | None = None, gate: Gate | None = None) -> None:
        self.root = root
        self.gate = gate or Gate()
        self.workspace = Workspace(root, session="test", files=files)
        self.tools = Toolset(tuple(file_tools(self.workspace)))

    async def call(
        self, tool: str, *, reader: str = "conversation", cut_at: int | None = None, prompt: str = "", **given: Any
    ) -> ToolResult:
        found = self.tools.get(tool)
        assert found is not None
        arguments: Mapping[str, Any] = {p.name: p.default for p in found.spec.parameters if not p.required} | given
        return await found(arguments, ToolContext(self.gate, 1, "1.1.1", reader, cut_at, prompt=prompt))

    def put(self, name: str, data: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def bytes(self, name: str) -> bytes:
        return (self.root / name).read_bytes()


def snapshot(root: Path) -> dict[str, bytes | str]:
    """Everything in a folder apart from the history: files with their bytes, folders, links with their goal."""
    found: dict[str, bytes | str] = {}
    for folder, folders, names in os.walk(root):
        if ".roomcode" in folders:
            folders.remove(".roomcode")
        for name in [*names, *folders]:
            path = Path(folder, name)
            key = path.relative_to(root).as_posix()
            if path.is_symlink():
                found[key] = os.readlink(path)
            elif path.is_file():
                found[key] = path.read_bytes()
            else:
                found[key] = "folder"
    return found


Step = str
"""The name of a method of FileSystem."""


class FailingFileSystem(RealFileSystem):
    """The real file system, whose method `step` fails with `code` at its `at`-th call.

    A failing `write` first writes `partly` bytes; with `short` every write takes at most so many bytes.
    """

    def __init__(
        self, step: Step = "", code: int = errno.ENOSPC, *, at: int = 1, partly: int = 0, short: int = 0
    ) -> None:
        self.step = step
        self.code = code
        self.at = at
        self.partly = partly
        self.short = short
        self.calls: list[Step] = []

    def _count(self, step: Step) -> bool:
        self.calls.append(step)
        return step == self.step and self.calls.count(step) == self.at

    def _fail(self, step: Step) -> None:
        if self._count(step):
            raise OSError(self.code, os.strerror(self.code))

    def read(self, path: Path) -> bytes:
        self._fail("read")
        return super().read(path)

    def make_folder(self, path: Path) -> None:
        self._fail("make_folder")
        super().make_folder(path)

    def create(self, path: Path, mode: int) -> int:
        self._fail("create")
        return super().create(path, mode)

    def write(self, handle: int, data: memoryview) -> int:
        if self._count("write"):
            if self.partly:
                super().write(handle, data[: self.partly])
            raise OSError(self.code, os.strerror(self.code))
        return super().write(handle, data[: self.short] if self.short else data)

    def set_mode(self, handle: int, mode: int) -> None:
        self._fail("set_mode")
        super().set_mode(handle, mode)

    def set_owner(self, handle: int, user: int, group: int) -> None:
        self._fail("set_owner")
        super().set_owner(handle, user, group)

    def sync(self, handle: int) -> None:
        self._fail("sync")
        super().sync(handle)

    def close(self, handle: int) -> None:
        super().close(handle)
        self._fail("close")

    def replace(self, source: Path, target: Path) -> None:
        self._fail("replace")
        super().replace(source, target)

    def remove(self, path: Path) -> None:
        self._fail("remove")
        super().remove(path)

    def sync_folder(self, path: Path) -> None:
        self._fail("sync_folder")
        super().sync_folder(path)
