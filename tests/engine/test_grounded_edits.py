"""Edits that cannot miss, whatever the model: proven on one with random weights and on files of every kind."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from roomcode.calls import CallConstraint, Edited, Levels, parse, render_call
from roomcode.chat import Form
from roomcode.engine.llama import LlamaEngine, LlamaOptions
from roomcode.protocol.engine import Answer, Generation, Mask, Rewrite, Sampling
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


class Copies(OneCall):
    """A model that writes `text` and thinks of a question mark at each place. What follows a rewrite is free."""

    def __init__(self, inner: CallConstraint, end: int, engine: LlamaEngine, vocabulary: int, text: str) -> None:
        super().__init__(inner, end, vocabulary)
        self._engine = engine
        self._text = text
        self._written = ""
        self.rewrites: list[Rewrite] = []

    def mask(self) -> Mask | None:
        allowed = super().mask()
        if self.rewrites or allowed is None or not self._text.startswith(self._written):
            return allowed
        only = np.zeros_like(allowed)
        token = self._engine.encode(self._text[len(self._written)])[0]
        only[token // 32] = np.uint32(1 << token % 32).view(np.int32)
        return only

    def weigh(self, logits: npt.NDArray[np.float32]) -> None:
        other = logits.copy()
        other[self._engine.encode("?")[0]] = logits.max() - 1
        super().weigh(other)

    def commit(self, token: int) -> Rewrite | None:
        rewrite = super().commit(token)
        self._written += self._engine.decode([token]).decode("utf-8", "ignore")
        if rewrite is not None:
            self.rewrites.append(rewrite)
        return rewrite

    def forced(self) -> Sequence[int]:
        tokens = super().forced()
        self._written += self._engine.decode(tokens).decode("utf-8", "ignore")
        return tokens


def prompt(engine: LlamaEngine, seed: int) -> list[int]:
    return engine.encode(f"<|im_start|>user\nrequest {seed}<|im_end|>\n<|im_start|>assistant\n", control=True)


async def edit(engine: LlamaEngine, form: Form, seed: int, files: Mapping[str, str], *, grounded: bool) -> Answer:
    """One answer that is a call of edit_file, sampled wildly."""
    tokens = prompt(engine, seed)
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
    constraint = OneCall(calls, min(ends), len(await engine.next_token_logits(tokens)))
    sampling = Sampling(temperature=1.0, top_k=0, top_p=1.0, seed=seed)
    return await engine.generate(Generation(tuple(tokens), 3000, sampling, constraint), lambda *_: None)


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


@pytest.mark.parametrize("form", ["xml", "json"])
async def test_a_copy_is_taken_back_while_the_answer_is_made(engine: LlamaEngine, form: Form) -> None:
    tokens = prompt(engine, 0)
    size = len(await engine.next_token_logits(tokens))
    given = {"path": "a.txt", "old": "red", "new": "red"}
    ends = engine.info.end_tokens
    calls = CallConstraint(
        form,
        SPECS,
        engine,
        engine.matcher,
        end_tokens=ends,
        edited=Edited("edit_file", {"a.txt": "a red rose\n"}.get),
        first=["edit_file"],
    )
    constraint = Copies(calls, min(ends), engine, size, render_call(form, "edit_file", given))
    seen = ""

    def on_text(text: str, retract: int) -> None:
        nonlocal seen
        seen = seen[: len(seen) - retract] + text

    sampling = Sampling(temperature=1.0, top_k=0, top_p=1.0, seed=1)
    answer = await engine.generate(Generation(tuple(tokens), 3000, sampling, constraint), on_text)
    assert len(constraint.rewrites) == answer.rewrites
    assert constraint.rewrites[0].tokens == tuple(engine.encode("?"))
    call = parse(answer.text, SPECS).calls[0]
    assert call.complete
    assert call.arguments["path"] == "a.txt"
    assert call.arguments["old"] == "red"
    assert "?" in call.arguments["new"][:4], "the other way was taken"
    assert call.arguments["new"] != "red"
    assert seen == answer.text
    again = await engine.next_token_logits((*tokens, *answer.tokens))
    await engine.forget()
    fresh = await engine.next_token_logits((*tokens, *answer.tokens))
    assert int(again.argmax()) == int(fresh.argmax()), "memory agrees with the answer"
