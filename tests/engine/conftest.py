from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from roomcode.engine.llama import LlamaEngine, LlamaOptions
from tests.support.tiny_gguf import write_llama, write_mamba


@pytest.fixture(scope="session")
def llama_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("models") / "tiny.gguf")


@pytest.fixture(scope="session")
def mamba_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mamba(tmp_path_factory.mktemp("models") / "tiny-mamba.gguf")


@pytest.fixture
async def engine(llama_file: Path) -> AsyncIterator[LlamaEngine]:
    engine = await LlamaEngine.load(llama_file, "tiny", LlamaOptions(context=4096, threads=1, batch=128))
    yield engine
    await engine.close()


@pytest.fixture
async def recurrent(mamba_file: Path) -> AsyncIterator[LlamaEngine]:
    engine = await LlamaEngine.load(mamba_file, "tiny-mamba", LlamaOptions(context=4096, threads=1, batch=128))
    yield engine
    await engine.close()
