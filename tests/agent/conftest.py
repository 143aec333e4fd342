from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agent.builders import Scene


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder that scenes work in."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def scene(project: Path) -> Iterator[Callable[..., Scene]]:
    """Makes scenes in the project folder."""
    made: list[Scene] = []

    def make(*answers: str, **options: Any) -> Scene:
        made.append(Scene(project, *answers, **options))
        return made[-1]

    yield make
    for one in made:
        one.workspace.close()
