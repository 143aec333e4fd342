"""Edits that cannot miss, whatever the model: proven on one with random weights and on files of every kind."""

import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from roomcode.calls import CallConstraint, Edited, Levels, parse
from roomcode.chat import Form
from roomcode.engine.llama import LlamaEngine, LlamaOptions
from roomcode.protocol.engine import Answer, Generation, Sampling
from tests.support.one_call import OneCall
from tests.support.samples import SPECS
from tests.support.tiny_gguf import write_llama

RUNS = 100
FILES = {
    "index.html": (
        "<!doctype html>\n<html>\n  <body>\n    <ul>\n      <li>One</li>\n      <li>Two</li>\n      <li>One</li>\n"
        "    </ul>\n    <ul>\n      <li>One</li>\n    </ul>\n  </body>\n</html>\n"
    ),
    "tabs.js": "function a() {\n\treturn 1;\n}\nfunction b() {\n\treturn 1;\n}\n\t\n",
    "blanks.css": "p {  \n  color: red;   \n}\n\n\n   \np {\n  color: red;\n}",
    "world.txt": "日本語 👩🏽‍💻 naïve ✅\nçok güzel\n👩🏽‍💻\n日本\n",
    "long.min.js": "var a=1;" + "".join(f"function f{n}(x){{return x*{n}}};" for n in range(60)) + "\nend\n",
    "markup.md": "Write\n<parameter=old>\ntext\n</parameter>\nand <|im_end|> then </tool_call> or <tool_call>.\n",
    "quotes.json": '{"a": "C:\\\\dir\\\\new", "b": "say \\"hi\\"", "c": "\\\\n", "d": "\\t"}\n',
    "echo.txt": "a\nab\nb\nab\naba\n",
    "one.txt": "x",
}


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[LlamaEngine]:
    """All tokens about equally likely."""
    file = write_llama(tmp_path / "flat.gguf", spread=0.1)
    engine = await LlamaEngine.load(file, "flat", LlamaOptions(context=4096, threads=1))
    yield engine
    await engine.close()


async def edit(engine: LlamaEngine, form: Form, seed: int, files: Mapping[str, str], *, grounded: bool) -> Answer:
    """One answer that is a call of edit_file, sampled wildly."""
    prompt = engine.encode(f"<|im_start|>user\nrequest {seed}<|im_end|>\n<|im_start|>assistant\n", control=True)
    ends = engine.info.end_tokens
    calls = CallConstraint(
        form,
        SPECS,
        engine,
        engine.matcher,
        end_tokens=ends,
        levels=Levels(grounding=grounded),
        choices=lambda tool, name: tuple(files) if (tool, name) == ("edit_file", "path") else None,
        edited=Edited("edit_file", files.get),
        first=["edit_file"],
        greedy=False,
    )
    constraint = OneCall(calls, min(ends), len(await engine.next_token_logits(prompt)))
    sampling = Sampling(temperature=1.0, top_k=0, top_p=1.0, seed=seed)
    return await engine.generate(Generation(tuple(prompt), 3000, sampling, constraint), lambda *_: None)


def places(text: str, piece: str) -> int:
    return len(re.findall(f"(?={re.escape(piece)})", text))


def fits(answer: Answer, files: Mapping[str, str]) -> bool:
    """The call names a piece of its file that is there once, and replaces it by something else."""
    calls = parse(answer.text, SPECS).calls
    assert len(calls) == 1, answer.text
    given = calls[0].arguments
    assert calls[0].complete, answer.text
    assert not calls[0].error, answer.text
    assert set(given) == {"path", "old", "new"}
    return places(files.get(given["path"], ""), given["old"]) == 1 and given["old"] != given["new"]


@pytest.mark.parametrize("form", ["xml", "json"])
async def test_no_edit_misses(engine: LlamaEngine, form: Form) -> None:
    edited = set()
    for seed in range(RUNS):
        answer = await edit(engine, form, seed, FILES, grounded=True)
        assert fits(answer, FILES), (seed, answer.finish, answer.text)
        edited.add(parse(answer.text, SPECS).calls[0].arguments["path"])
    assert edited == set(FILES), "random weights should have tried every file"


@pytest.mark.parametrize("form", ["xml", "json"])
async def test_without_grounding_almost_all_miss(engine: LlamaEngine, form: Form) -> None:
    good = [seed for seed in range(40) if fits(await edit(engine, form, seed, FILES, grounded=False), FILES)]
    assert len(good) <= 4
