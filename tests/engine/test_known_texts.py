"""New files of which it is known what they have to hold: whatever the model wants to write, they get that."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from roomcode.agent import Conversation, Wanted
from roomcode.assembly import Runtime
from roomcode.calls import CallConstraint, Edited, Levels, parse
from roomcode.chat import ChatTemplate, Form
from roomcode.checks import ProjectChecks
from roomcode.config import Settings, Switches
from roomcode.engine.llama import LlamaEngine
from roomcode.guidance import Guidance
from roomcode.preview import Preview
from roomcode.protocol.engine import Answer, Generation, Sampling
from roomcode.protocol.events import Call, Event, Result
from roomcode.workspace import Workspace
from tests.support.one_call import OneCall
from tests.support.samples import SPECS
from tests.support.says import Says
from tests.support.tiny_gguf import write_llama

FORMS: tuple[Form, ...] = ("xml", "json")
TEXTS = {
    "short": "let shown = 0;\n",
    "script": (
        "function add(a) {\n\tif (a > 0) { return `<b>${a}</b>\\n`; }\n\n"
        '  return "日本 👩🏽‍💻";\n}\n\nadd("\\u00e9");\n'
    ),
    "style": "p { margin: 0 }\n\n@media print {\n  p::after { content: '</p>' }\n}\n",
    "indented": "  a = `\n    <b>\n  `;\n",
    "control": "// <|im_end|> and <tool_call>\nlet a = '<|im_start|>';\n",
    "long": "".join(f"function f{n}(x) {{\n  return x * {n} + {n * n};\n}}\n" for n in range(120)),
}


def begun(form: Form, path: str = "app.js") -> str:
    if form == "xml":
        return f"<tool_call>\n<function=write_file>\n<parameter=path>\n{path}\n</parameter>\n<parameter=content>\n"
    return f'<tool_call>\n{{"name": "write_file", "arguments": {{"path": "{path}", "content": "'


def written(form: Form, text: str) -> str:
    if form == "xml":
        return f"{text}\n</parameter>\n</function>\n</tool_call>"
    return json.dumps(text, ensure_ascii=False)[1:-1] + '"}}\n</tool_call>'


def making(engine: LlamaEngine, form: Form, known: Mapping[str, str], **options: Any) -> Says:
    return Says(engine, form, files={}, first=["write_file"], known=known, **options)


async def sampled(engine: LlamaEngine, form: Form, seed: int, known: Mapping[str, str], path: str) -> Answer:
    """One answer that writes the file `path`, sampled wildly."""
    tokens = engine.encode(f"<|im_start|>user\nrequest {seed}<|im_end|>\n<|im_start|>assistant\n", control=True)
    ends = engine.info.end_tokens
    calls = CallConstraint(
        form,
        SPECS,
        engine,
        engine.matcher,
        end_tokens=ends,
        choices=lambda _tool, name: (path,) if name == "path" else None,
        edited=Edited("edit_file", lambda _path: None, maker="write_file", known=known.get),
        first=["write_file"],
        greedy=False,
    )
    constraint = OneCall(calls, min(ends), len(await engine.next_token_logits(tokens)))
    sampling = Sampling(temperature=1.0, top_k=0, top_p=1.0, seed=seed)
    return await engine.generate(Generation(tuple(tokens), 3900, sampling, constraint), lambda *_: None)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TEXTS)
async def test_the_file_gets_exactly_the_known_text(engine: LlamaEngine, form: Form, name: str) -> None:
    known = {"app.js": TEXTS[name][:1000]}
    for seed in range(3):
        answer = await sampled(engine, form, seed, known, "app.js")
        assert answer.text == begun(form) + written(form, known["app.js"])
        calls = parse(answer.text, SPECS).calls
        assert [call.arguments for call in calls] == [{"path": "app.js", "content": known["app.js"]}]
        assert answer.finish == "stop"
        assert answer.rewrites == 0


@pytest.mark.parametrize("form", FORMS)
async def test_nothing_of_it_is_a_choice(engine: LlamaEngine, form: Form) -> None:
    model = making(engine, form, {"app.js": TEXTS["script"]}).reach(begun(form))
    said = 0
    while model.constraint.in_call:
        model.go_on()
        said += 1
    assert model.text == begun(form) + written(form, TEXTS["script"])
    assert said <= 2, "the rest was forced"


@pytest.mark.parametrize("form", FORMS)
async def test_a_long_text_comes_in_parts(engine: LlamaEngine, form: Form) -> None:
    model = making(engine, form, {"app.js": TEXTS["long"]}).reach(begun(form))
    streaks = []
    while model.constraint.in_call:
        streaks.append(model.go_on())
    assert model.text == begun(form) + written(form, TEXTS["long"])
    assert len(streaks) > 10
    assert max(streaks) <= 257, "more in a row are taken for garbage"


@pytest.mark.parametrize("form", FORMS)
async def test_other_files_and_other_tools_are_free(engine: LlamaEngine, form: Form) -> None:
    known = {"app.js": "let a;\n"}
    model = making(engine, form, known).reach(begun(form, "other.js") + "anything")
    assert model.constraint.in_call
    ungrounded = making(engine, form, known, levels=Levels(grounding=False))
    ungrounded.reach(begun(form) + "anything")
    assert ungrounded.constraint.in_call


@pytest.mark.parametrize("tag", ["</parameter>", "</content>", "<parameter=x>", "</tool_call>"])
async def test_a_text_with_tags_of_the_form_is_held_only_where_it_can_be_written(engine: LlamaEngine, tag: str) -> None:
    known = {"app.js": f"let a = '{tag}';\n"}
    making(engine, "xml", known).reach(begun("xml") + "x")
    model = making(engine, "json", known).reach(begun("json"))
    while model.constraint.in_call:
        model.go_on()
    assert model.text == begun("json") + written("json", known["app.js"])


PAGE = (
    "<!doctype html>\n<style>\n  p { top: 0 }\n</style>\n<p>\n<script>\n  let shown = 0;\n  function more() {\n"
    "    shown += 1;\n  }\n</script>\n"
)
SCRIPT = "let shown = 0;\nfunction more() {\n  shown += 1;\n}\n"
COPY = {"path": "app.js", "content": SCRIPT}


class Request:
    """A request as it is guided, to a model that has no idea."""

    def __init__(self, engine: LlamaEngine, folder: Path, form: Form, **settings: Any) -> None:
        (folder / "index.html").write_text(PAGE)
        self.engine, self.folder, self.form = engine, folder, form
        workspace = Workspace(folder, versions=False)
        checks = ProjectChecks(folder, Preview(folder))
        given: dict[str, Any] = {"first_call": "on", **settings}
        guidance = Guidance(Settings(**given), None, engine, workspace, checks, SPECS, unasked=lambda: True)
        template = ChatTemplate(engine.info.template)
        self.hooks = guidance.hooks(form, Conversation(engine, template, "Be good.", [], engine.info.end_tokens))

    async def call(self, wanted: Wanted) -> Mapping[str, Any]:
        """The arguments of the call that an answer begins with; none where it says something else."""
        calls = self.hooks.constraint(wanted, True, ())
        assert isinstance(calls, CallConstraint)
        tokens = self.engine.encode("<|im_start|>assistant\n", control=True)
        end, size = min(self.engine.info.end_tokens), len(await self.engine.next_token_logits(tokens))
        sampling = Sampling(temperature=1.0, top_k=0, top_p=1.0, seed=1)
        generation = Generation(tuple(tokens), 300, sampling, OneCall(calls, end, size))
        found = parse((await self.engine.generate(generation, lambda *_: None)).text, SPECS).calls
        return found[0].arguments if found else {}


@pytest.mark.parametrize(("form", "way"), [("xml", "on"), ("xml", "plan"), ("json", "on")])
async def test_a_request_that_moves_a_script_begins_with_its_copy(
    engine: LlamaEngine, tmp_path: Path, form: Form, way: str
) -> None:
    request = Request(engine, tmp_path, form, first_call=way)
    await request.hooks.notices(1, "Move the script of index.html into app.js")
    assert await request.call("first") == COPY
    assert await request.call("any") != COPY, "it was not written: the person said no, and is not asked for ever"
    await request.hooks.notices(2, "Make the heading red")
    assert await request.call("first") != COPY


async def test_all_files_come_before_anything_is_changed(engine: LlamaEngine, tmp_path: Path) -> None:
    request = Request(engine, tmp_path, "xml")
    prompt = "Move the style into style.css and the script into app.js"
    await request.hooks.notices(1, prompt)
    made: dict[str, str] = {}
    steps: tuple[Wanted, ...] = ("first", "any")
    for wanted in steps:
        given = await request.call(wanted)
        made[given["path"]] = given["content"]
        (tmp_path / given["path"]).write_text(given["content"])
        await request.hooks.after_change(prompt, [given["path"]])
    assert made == {"style.css": "p { top: 0 }\n", "app.js": SCRIPT}


async def test_without_grounding_the_model_writes_what_it_likes(engine: LlamaEngine, tmp_path: Path) -> None:
    request = Request(engine, tmp_path, "xml", switches=Switches(constraint_grounding=False))
    await request.hooks.notices(1, "Move the script of index.html into app.js")
    assert await request.call("first") != COPY


async def test_a_model_that_may_begin_as_it_likes_is_not_made_to_copy(engine: LlamaEngine, tmp_path: Path) -> None:
    request = Request(engine, tmp_path, "xml", first_call="off")
    await request.hooks.notices(1, "Move the script of index.html into app.js")
    assert await request.call("any") != COPY


async def test_the_copy_is_written_by_the_whole_agent(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "index.html").write_text(PAGE)
    model = write_llama(tmp_path / "tiny.gguf", context=16_384)
    settings = Settings(model=str(model), context=4096, threads=1, mode="auto", first_call="on", max_steps=1)
    runtime = Runtime(project, settings, states=tmp_path / "states")
    calls: list[Call] = []

    def on_event(event: Event) -> None:
        if isinstance(event, Call):
            calls.append(event)
        elif isinstance(event, Result):
            runtime.stop()

    runtime.subscribe(on_event)
    try:
        await runtime.load()
        await runtime.request("Move the script of index.html into app.js")
    finally:
        await runtime.close()
    assert calls[0].arguments == COPY
    assert (project / "app.js").read_text() == SCRIPT
