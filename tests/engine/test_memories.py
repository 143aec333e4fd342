"""Every kind of memory llama.cpp has: after going back, the next token is what a fresh run would say, and little is
computed twice."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import numpy as np
import pytest

from roomcode.engine.llama import LlamaEngine, LlamaOptions
from roomcode.protocol.engine import Answer, Generation, Sampling
from tests.support.tiny_gguf import write_hybrid, write_llama, write_mamba, write_sliding

KINDS: dict[str, Callable[[Path], Path]] = {
    "attention": write_llama,
    "recurrent": write_mamba,
    "hybrid": write_hybrid,
    "sliding window": write_sliding,
}
UNCUTTABLE = ("recurrent", "hybrid")


async def load(path: Path, checkpoints: int = 8) -> LlamaEngine:
    return await LlamaEngine.load(
        path, "tiny", LlamaOptions(context=2048, threads=1, batch=64, checkpoints=checkpoints)
    )


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def file(kind: str, tmp_path: Path) -> Path:
    return KINDS[kind](tmp_path / "tiny.gguf")


@pytest.fixture
async def engine(file: Path) -> AsyncIterator[LlamaEngine]:
    engine = await load(file)
    yield engine
    await engine.close()


class Talk:
    """A conversation that keeps exact tokens, as the agent does."""

    def __init__(self, engine: LlamaEngine) -> None:
        self.engine = engine
        self.prefix = engine.encode("the system prompt and the tools of a conversation " * 6)
        self.tokens = [*self.prefix]

    async def turn(self, text: str, tokens: int = 12, seed: int = 1) -> Answer:
        self.tokens += self.engine.encode(text)
        generation = Generation(tuple(self.tokens), tokens, Sampling(seed=seed), prefix=len(self.prefix))
        answer = await self.engine.generate(generation, lambda *_: None)
        self.tokens += answer.tokens
        return answer


async def fresh_logits(file: Path, tokens: list[int]) -> np.ndarray:  # type: ignore[type-arg]
    other = await load(file)
    try:
        return await other.next_token_logits(tokens)
    finally:
        await other.close()


async def test_each_turn_computes_only_its_new_tokens(engine: LlamaEngine) -> None:
    talk = Talk(engine)
    first = await talk.turn("one request")
    assert first.usage.new == len(engine.encode("one request")) + len(talk.prefix)
    for text in ("a result of a tool", "another result, somewhat longer than the first", "and a third"):
        answer = await talk.turn(text)
        assert answer.usage.new <= len(engine.encode(text)) + 1, text


async def test_going_back_to_the_prefix_computes_what_follows_it_and_says_the_same(
    engine: LlamaEngine, file: Path
) -> None:
    talk = Talk(engine)
    for text in ("one request", "a result " * 20, "another one " * 20):
        await talk.turn(text)
    folded = [*talk.prefix, *engine.encode("[earlier: wrote index.html] now go on")]
    logits = await engine.next_token_logits(folded)
    assert np.allclose(logits, await fresh_logits(file, folded), atol=2e-2)
    again = [*talk.prefix, *engine.encode("[earlier: wrote index.html] now something else")]
    answer = await engine.generate(Generation(tuple(again), 2, prefix=len(talk.prefix)), lambda *_: None)
    assert answer.usage.reused >= len(talk.prefix)


async def test_sampling_an_answer_anew_computes_one_token(engine: LlamaEngine, file: Path) -> None:
    talk = Talk(engine)
    prompt = [*talk.prefix, *engine.encode("one request")]
    for seed in (1, 2, 3):
        generation = Generation(tuple(prompt), 30, Sampling(seed=seed), prefix=len(talk.prefix))
        answer = await engine.generate(generation, lambda *_: None)
    assert answer.usage.new == 1
    assert np.allclose(await engine.next_token_logits(prompt), await fresh_logits(file, prompt), atol=2e-2)


async def test_after_a_stop_in_the_middle_the_next_turn_starts_where_memory_is_good(
    engine: LlamaEngine, file: Path, kind: str
) -> None:
    talk = Talk(engine)
    await talk.turn("one request")
    before = len(talk.tokens)
    generation = Generation(
        (*talk.tokens, *engine.encode("go on for a long time")), 1500, Sampling(seed=4), prefix=len(talk.prefix)
    )
    answer = await engine.generate(generation, lambda *_: engine.abort())
    assert answer.finish in ("aborted", "stop")
    talk.tokens = [*generation.tokens, *answer.tokens]
    follow = await talk.turn("something else")
    assert follow.usage.reused >= before - 1
    assert np.allclose(await engine.next_token_logits(talk.tokens), await fresh_logits(file, talk.tokens), atol=2e-2)


async def test_checkpoints_can_be_switched_off(kind: str, file: Path) -> None:
    engine = await load(file, checkpoints=0)
    talk = Talk(engine)
    await talk.turn("one request")
    await talk.turn("a result")
    other = [*talk.prefix, *engine.encode("a different request")]
    answer = await engine.generate(Generation(tuple(other), 2, prefix=len(talk.prefix)), lambda *_: None)
    await engine.close()
    if kind in UNCUTTABLE:
        assert answer.usage.reused == 0
    else:
        assert answer.usage.reused >= len(talk.prefix)
