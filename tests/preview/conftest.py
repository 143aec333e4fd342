import shutil
import socket
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

from roomcode.preview import Limits, LoadReport, Preview, result_lines


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


class Project:
    """One project folder whose files change from test to test, and one preview of it, so one browser for all."""

    def __init__(self, root: Path, preview: Preview) -> None:
        self.root = root
        self.preview = preview
        self.port = free_port()

    def fill(self, files: Mapping[str, str | bytes]) -> None:
        for path in self.root.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        write(self.root, files)

    async def load(self, files: Mapping[str, str | bytes]) -> LoadReport:
        self.fill(files)
        report = await self.preview.serve(".", self.port)
        assert report.port == self.port
        return report

    async def lines(self, files: Mapping[str, str | bytes]) -> list[str]:
        """What the model gets, without the address."""
        lines = result_lines(await self.load(files))
        return [line.replace(f"http://127.0.0.1:{self.port}/", "URL").replace(str(self.port), "PORT") for line in lines]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def project(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Project]:
    root = tmp_path_factory.mktemp("project")
    limits = Limits(script=1.0, rest=0.5, memory=400_000_000, probe=30.0)
    preview = Preview(root, screenshots=tmp_path_factory.mktemp("pictures"), limits=limits)
    try:
        yield Project(root, preview)
    finally:
        await preview.close()
