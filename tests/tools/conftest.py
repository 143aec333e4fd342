"""A project for tests of file tools."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.files import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    project = Project(tmp_path)
    project.workspace.begin_request(1)
    yield project
    project.workspace.close()
