from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from roomcode import models
from roomcode.engine.llama import LlamaEngine, LlamaOptions


def model_file(name: str) -> Path:
    """A model of the catalogue on this machine. `make test` fetches those that tests need."""
    return models.resolve(name, models.models_dir(), models.load_catalogue())


@pytest.fixture(scope="module")
def small_file() -> Path:
    return model_file("qwen2.5-coder-0.5b")


@pytest.fixture(scope="module", params=["qwen2.5-coder-0.5b", "smollm2-135m"])
async def any_engine(request: pytest.FixtureRequest) -> AsyncIterator[LlamaEngine]:
    engine = await LlamaEngine.load(model_file(request.param), request.param, LlamaOptions(context=2048))
    yield engine
    await engine.close()
