from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.runtimes import Bench


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """A project whose runtimes play scripts and keep sessions in a folder of the test."""
    bench = Bench(tmp_path)
    yield bench
    await bench.close()
