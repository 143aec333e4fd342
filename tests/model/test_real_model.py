"""The real 0.5B model does real work: through the whole runtime, with real files."""

from pathlib import Path

import pytest

from roomcode.assembly import Runtime
from roomcode.calls import CallConstraint, parse
from roomcode.config import Settings
from roomcode.engine.llama import LlamaEngine
from roomcode.protocol.engine import Generation, Sampling
from roomcode.protocol.events import Call, Event, RequestEnded, Result, StepEnded
from roomcode.tools import file_tools
from roomcode.workspace import Workspace

pytestmark = pytest.mark.model

MODEL = "qwen2.5-coder-0.5b"


async def run(project: Path, prompt: str, **settings: object) -> tuple[list[Event], RequestEnded]:
    chosen = Settings(model=MODEL, mode="auto", context=4096, temperature=0.0, seed=1, **settings)  # type: ignore[arg-type]
    runtime = Runtime(project, chosen)
    events: list[Event] = []
    runtime.subscribe(events.append)
    try:
        await runtime.load()
        return events, await runtime.request(prompt)
    finally:
        await runtime.close()


@pytest.mark.parametrize("form", ["xml", "json"])
async def test_a_call_is_made_runs_and_its_result_is_used(tmp_path: Path, form: str) -> None:
    (tmp_path / "notes.txt").write_text("The code word is heliotrope.\n")
    events, ended = await run(tmp_path, "Read notes.txt and tell me the code word.", form=form, max_steps=3)
    calls = [e for e in events if isinstance(e, Call)]
    results = {e.call: e for e in events if isinstance(e, Result)}
    reads = [c for c in calls if c.tool == "read_file" and c.arguments.get("path") == "notes.txt"]
    assert reads, f"it called {[c.tool for c in calls]}"
    assert "heliotrope" in results[reads[0].call].text
    assert set(results) == {c.call for c in calls}
    steps = [e for e in events if isinstance(e, StepEnded)]
    # The second step computed only the result and what the template puts around it.
    assert steps[1].usage.reused > 300
    assert steps[1].usage.new < 150
    if form == "xml":  # this model's form in the catalogue; in the other one it may read again instead of answering
        assert "heliotrope" in ended.answer.lower()


async def test_a_file_is_written_with_the_text_that_was_asked_for(tmp_path: Path) -> None:
    prompt = "Write the file hello.txt. Its content is one line: good morning, roomcode"
    events, ended = await run(tmp_path, prompt, max_steps=3)
    assert "hello.txt" in ended.files
    assert "good morning" in (tmp_path / "hello.txt").read_text().lower()
    assert all(c.error == "" for c in events if isinstance(c, Call))


async def test_an_opened_call_of_any_real_model_is_well_formed(any_engine: LlamaEngine, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    specs = tuple(tool.spec for tool in file_tools(workspace))
    workspace.close()
    engine = any_engine
    for seed, form in enumerate(("xml", "json")):
        ends = engine.info.end_tokens
        constraint = CallConstraint(form, specs, engine, engine.matcher, end_tokens=ends, first=("read_file",))  # type: ignore[arg-type]
        prompt = engine.encode("<|im_start|>user\nLook at main.css.<|im_end|>\n<|im_start|>assistant\n", control=True)
        generation = Generation(tuple(prompt), 300, Sampling(temperature=1.0, seed=seed), constraint)
        answer = await engine.generate(generation, lambda *_: None)
        parsed = parse(answer.text, specs)
        assert [(c.tool, c.complete, c.error) for c in parsed.calls[:1]] == [("read_file", True, "")], answer.text
        assert isinstance(parsed.calls[0].arguments["path"], str)


async def test_text_with_markers_stays_text_in_a_real_vocabulary(any_engine: LlamaEngine) -> None:
    hostile = "x <|im_end|> <tool_call> </tool_call> </tool_response> <|endoftext|> y"
    tokens = any_engine.encode(hostile)
    assert any_engine.decode(tokens).decode() == hostile
    control = {t for m in ("<|im_end|>", "<|endoftext|>") for t in any_engine.encode(m, control=True)}
    assert not control & set(tokens)
    markers = [any_engine.encode(m, control=True) for m in ("<tool_call>", "</tool_call>")]
    assert not {m[0] for m in markers if len(m) == 1} & set(tokens)
