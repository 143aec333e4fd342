"""Computed states on disk: reused at the next start, and never trusted when something is off."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from roomcode.engine.llama import LlamaEngine, LlamaOptions
from roomcode.engine.states import SavedState, StateStore
from roomcode.protocol.engine import Answer, Generation, Sampling
from tests.support.tiny_gguf import write_llama

GREEDY = Sampling(temperature=0)
STATE = SavedState((1, 2, 3), b"state" * 100)


async def open_engine(file: Path, states: Path) -> LlamaEngine:
    return await LlamaEngine.load(file, "tiny", LlamaOptions(context=2048, threads=1, batch=128, states=states))


async def ask(engine: LlamaEngine, request: str = "first request") -> Answer:
    prefix = engine.encode("the system prompt and the tools " * 10)
    prompt = (*prefix, *engine.encode(request))
    return await engine.generate(Generation(prompt, 8, GREEDY, prefix=len(prefix)), lambda *_: None)


@pytest.mark.parametrize("model", ["llama_file", "mamba_file"])
async def test_a_new_start_computes_only_what_follows_the_prefix(
    model: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    file: Path = request.getfixturevalue(model)
    first = await open_engine(file, tmp_path)
    before = await ask(first)
    logits = await first.next_token_logits(first.encode("the system prompt and the tools " * 10 + "x"))
    await first.close()
    second = await open_engine(file, tmp_path)
    after = await ask(second)
    again = await second.next_token_logits(second.encode("the system prompt and the tools " * 10 + "x"))
    size = len(second.encode("the system prompt and the tools " * 10))
    await second.close()
    assert before.usage.reused == 0
    assert before.usage.new > size
    assert after.usage.reused == size
    assert after.usage.new == before.usage.new - size
    assert after.tokens == before.tokens
    assert np.allclose(logits, again, atol=1e-5)


async def test_a_damaged_file_is_ignored_and_written_again(llama_file: Path, tmp_path: Path) -> None:
    first = await open_engine(llama_file, tmp_path)
    good = await ask(first)
    await first.close()
    (file,) = tmp_path.glob("*.state")
    data = bytearray(file.read_bytes())
    data[-50] ^= 0xFF
    file.write_bytes(data)
    second = await open_engine(llama_file, tmp_path)
    answer = await ask(second)
    await second.close()
    assert answer.usage.reused == 0
    assert answer.tokens == good.tokens
    (file,) = tmp_path.glob("*.state")
    third = await open_engine(llama_file, tmp_path)
    assert (await ask(third)).usage.reused > 0
    await third.close()


async def test_another_prefix_or_model_file_never_gets_this_state(
    llama_file: Path, mamba_file: Path, tmp_path: Path
) -> None:
    first = await open_engine(llama_file, tmp_path)
    await ask(first)
    other = first.encode("another system prompt ")
    answer = await first.generate(Generation((*other, 65), 2, GREEDY, prefix=len(other)), lambda *_: None)
    assert answer.usage.new + answer.usage.reused == len(other) + 1
    await first.close()
    second = await open_engine(mamba_file, tmp_path)
    assert (await ask(second)).usage.reused == 0
    await second.close()
    assert len(list(tmp_path.glob("*.state"))) == 3


async def test_a_whole_conversation_comes_back_without_computing(llama_file: Path, tmp_path: Path) -> None:
    first = await open_engine(llama_file, tmp_path)
    answer = await ask(first)
    prompt = first.encode("the system prompt and the tools " * 10 + "first request")
    assert await first.save_slot("session 1")
    await first.close()
    second = await open_engine(llama_file, tmp_path)
    assert await second.load_slot("no such session") == 0
    assert await second.load_slot("session 1") >= len(prompt)
    more = (*prompt, *answer.tokens, 65)
    follow = await second.generate(Generation(more, 2, GREEDY), lambda *_: None)
    await second.close()
    assert follow.usage.new <= 2


@pytest.mark.parametrize("model", ["llama_file", "mamba_file"])
async def test_two_conversations_take_turns_without_computing_anything_again(
    model: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    engine = await open_engine(request.getfixturevalue(model), tmp_path)
    prefix = engine.encode("the system prompt and the tools " * 10)
    talks: dict[str, tuple[int, ...]] = {}
    for name in ("one", "two"):
        answer = await ask(engine, f"request of {name}")
        talks[name] = (*prefix, *engine.encode(f"request of {name}"), *answer.tokens)
        assert await engine.save_slot(name)
    for name in ("one", "two", "one", "one"):
        # What was just given to be written is there for whoever reads it next.
        assert await engine.load_slot(name) > len(prefix)
        prompt = (*talks[name], 65)
        answer = await engine.generate(Generation(prompt, 3, GREEDY, prefix=len(prefix)), lambda *_: None)
        assert answer.usage.new == 2, name
        talks[name] = (*prompt, *answer.tokens)
        assert await engine.save_slot(name)
    await engine.close()


async def test_a_conversation_that_departs_from_its_saved_state_has_its_prefix_from_disk(
    mamba_file: Path, tmp_path: Path
) -> None:
    """Recurrent memory that was brought back whole has no checkpoint behind the prefix."""
    first = await open_engine(mamba_file, tmp_path)
    await ask(first)
    await first.save_slot("one")
    await first.close()
    second = await open_engine(mamba_file, tmp_path)
    size = len(second.encode("the system prompt and the tools " * 10))
    assert await second.load_slot("one") > size
    other = await ask(second, "another request")
    assert other.usage.reused == size
    assert other.usage.new == len(second.encode("another request"))
    await second.close()


async def test_a_prefix_that_was_prepared_costs_the_first_request_nothing(llama_file: Path, tmp_path: Path) -> None:
    for start in ("first", "second"):
        engine = await open_engine(llama_file, tmp_path)
        prefix = engine.encode("the system prompt and the tools " * 10)
        engine.prepare(prefix)
        answer = await ask(engine)
        assert answer.usage.reused == len(prefix), start
        engine.prepare(prefix)
        again = await ask(engine)
        assert again.usage.new == 1, "what is in memory stays there"
        await engine.close()
    assert len(list(tmp_path.glob("*.state"))) == 1


async def test_closing_does_not_wait_for_a_prefix_to_be_prepared(tmp_path: Path) -> None:
    path = write_llama(tmp_path / "long.gguf", context=60_000)
    options = LlamaOptions(context=60_000, threads=1, batch=64, states=tmp_path)
    engine = await LlamaEngine.load(path, "tiny", options)
    engine.prepare([65] * 59_000)
    await asyncio.wait_for(engine.close(), 30)
    await engine.close()
    assert not list(tmp_path.glob("*.state"))


async def test_nothing_to_keep_is_not_kept(llama_file: Path, tmp_path: Path) -> None:
    engine = await open_engine(llama_file, tmp_path)
    assert not await engine.save_slot("one")
    assert await engine.load_slot("one") == 0
    await engine.close()
    engine = await LlamaEngine.load(llama_file, "tiny", LlamaOptions(context=256, threads=1))
    await engine.generate(Generation((65, 66), 2, GREEDY), lambda *_: None)
    assert not await engine.save_slot("one")
    assert await engine.load_slot("one") == 0
    await engine.close()


def test_all_states_of_an_owner_go_at_once_and_no_others(tmp_path: Path) -> None:
    store = StateStore(tmp_path)
    for key, owner in (("a", "0badcafe"), ("b", "0badcafe"), ("a", "feed"), ("a", "")):
        assert store.save(key, SavedState((len(owner),), b"x"), owner)
    assert store.load("a", "0badcafe") == SavedState((8,), b"x")
    assert store.load("a") == SavedState((0,), b"x")
    assert store.drop("0badcafe") == 2
    assert store.drop("0badcafe") == 0
    assert store.load("a", "0badcafe") is None
    assert store.load("a", "feed") == SavedState((4,), b"x")
    assert store.load("a") == SavedState((0,), b"x")
    assert StateStore(tmp_path / "none").drop("x") == 0


def test_what_a_killed_process_was_writing_is_removed(tmp_path: Path) -> None:
    import os

    old, new = tmp_path / "old.tmp", tmp_path / "new.tmp"
    for path in (old, new):
        path.write_bytes(b"half a state")
    os.utime(old, (1, 1))
    StateStore(tmp_path).save("a", STATE)
    assert not old.exists()
    assert new.exists()


def test_a_store_gives_back_what_it_was_given(tmp_path: Path) -> None:
    store = StateStore(tmp_path / "new")
    assert store.load("a") is None
    assert store.save("a", STATE)
    assert store.load("a") == STATE
    assert store.load("b") is None
    assert not list((tmp_path / "new").glob("*.tmp"))


@pytest.mark.parametrize("damage", [b"", b"roomcode-state-1\n", b"something else entirely" * 10])
def test_a_foreign_file_is_no_state(tmp_path: Path, damage: bytes) -> None:
    store = StateStore(tmp_path)
    store.save("a", STATE)
    (file,) = tmp_path.glob("*.state")
    file.write_bytes(damage)
    assert store.load("a") is None
    assert not file.exists()


def test_the_oldest_go_when_the_cap_is_reached(tmp_path: Path) -> None:
    import os

    store = StateStore(tmp_path, cap=1500)
    for age, key in ((300, "old"), (200, "middle")):
        store.save(key, STATE)
        newest = max(tmp_path.glob("*.state"), key=lambda p: p.stat().st_mtime)
        os.utime(newest, (newest.stat().st_mtime - age,) * 2)
    store.save("new", STATE)
    assert store.load("old") is None
    assert store.load("middle") == STATE
    assert store.load("new") == STATE
    assert not store.save("too large", SavedState((), b"x" * 2000))


def test_a_folder_that_cannot_be_written_is_an_empty_cache(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    store = StateStore(blocked / "below")
    assert not store.save("a", STATE)
    assert store.load("a") is None
