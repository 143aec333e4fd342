"""Calls are well formed while they are sampled, whatever the model: proven on one with random weights."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from roomcode.calls import CallConstraint, parse, repair
from roomcode.chat import Form
from roomcode.engine.llama import LlamaEngine, LlamaOptions
from roomcode.protocol.engine import Answer, Generation, Sampling
from tests.support.one_call import OneCall
from tests.support.samples import SPECS
from tests.support.tiny_gguf import write_llama

RUNS = 200
TOOLS = {spec.name: spec for spec in SPECS}


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[LlamaEngine]:
    """All tokens about equally likely."""
    file = write_llama(tmp_path / "flat.gguf", spread=0.1)
    engine = await LlamaEngine.load(file, "flat", LlamaOptions(context=4096, threads=1))
    yield engine
    await engine.close()


async def call(engine: LlamaEngine, form: Form, seed: int, *, constrained: bool) -> Answer:
    """One answer that begins with an opened call; sampled wildly."""
    prompt = engine.encode(f"<|im_start|>user\nrequest {seed}<|im_end|>\n<|im_start|>assistant\n", control=True)
    constraint = None
    if constrained:
        ends = engine.info.end_tokens
        calls = CallConstraint(form, SPECS, engine, engine.matcher, end_tokens=ends, first=[*TOOLS], greedy=False)
        constraint = OneCall(calls, min(ends), len(await engine.next_token_logits(prompt)))
    else:
        prompt += engine.encode("<tool_call>", control=True)
    sampling = Sampling(temperature=1.0, top_k=0, top_p=1.0, seed=seed)
    answer = await engine.generate(Generation(tuple(prompt), 3000, sampling, constraint), lambda *_: None)
    return answer if constrained else Answer(answer.tokens, "<tool_call>" + answer.text, answer.finish, answer.usage)


def well_formed(text: str, form: Form) -> bool:
    """The first call of `text` reads as a valid call, by a reading of its own that knows nothing of near misses."""
    if form == "json":
        match = re.match(r"<tool_call>\n(\{.*\})\n</tool_call>", text)  # no raw line break inside
        if match is None:
            return False
        try:
            found = json.loads(match[1])
        except ValueError:
            return False
        name, arguments = found.get("name"), found.get("arguments")
        kinds = {"string": str, "integer": int, "boolean": bool}
        spec = TOOLS.get(name)
        return (
            spec is not None
            and set(spec.required) <= set(arguments)
            and all(
                (p := spec.parameter(key)) is not None and isinstance(value, kinds[p.type])
                for key, value in arguments.items()
            )
        )
    match = re.match(r"<tool_call>\n<function=(\w+)>\n((?s:.*?))</function>\n</tool_call>", text)
    spec = TOOLS.get(match[1]) if match else None
    if match is None or spec is None:
        return False
    rest = match[2]
    given = []
    while rest:
        part = re.match(r"<parameter=(\w+)>\n((?s:.*?))\n</parameter>\n", rest)
        if part is None or (parameter := spec.parameter(part[1])) is None:
            return False
        if parameter.type == "integer" and not re.fullmatch(r"-?\d+", part[2]):
            return False
        if parameter.type == "boolean" and part[2] not in ("true", "false"):
            return False
        given.append(part[1])
        rest = rest[part.end() :]
    return set(spec.required) <= set(given)


@pytest.mark.parametrize("form", ["xml", "json"])
async def test_every_forced_call_is_valid(engine: LlamaEngine, form: Form) -> None:
    tools = set()
    for seed in range(RUNS):
        answer = await call(engine, form, seed, constrained=True)
        assert well_formed(answer.text, form), (seed, answer.finish, answer.text)
        parsed = parse(answer.text, SPECS)
        assert parsed.calls
        repaired = repair(parsed.calls[0], SPECS, form=form, cut_at=None)
        assert repaired.error == ""
        tools.add(parsed.calls[0].tool)
    assert tools == set(TOOLS), "random weights should have tried every tool"


@pytest.mark.parametrize("form", ["xml", "json"])
async def test_without_the_constraint_almost_none_is(engine: LlamaEngine, form: Form) -> None:
    good = [seed for seed in range(40) if well_formed((await call(engine, form, seed, constrained=False)).text, form)]
    assert len(good) <= 1


async def test_a_forced_run_counts_as_forced_and_not_as_sampled(engine: LlamaEngine) -> None:
    answer = await call(engine, "xml", 1, constrained=True)
    assert answer.usage.forced >= 10
    assert answer.usage.forced + answer.usage.sampled >= len(answer.tokens)
