"""Whatever the model says and whenever the person stops it: the events are in order, every call has one result, the
conversation still renders, and the next request runs."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roomcode.agent import Hooks
from roomcode.protocol.events import Event, Result
from tests.agent.builders import CUT, GARBAGE, Scene, call, error, page, serve_tool, yes
from tests.support import templates

FRAGMENTS = [
    "I look first.\n\n",
    "Done.",
    "",
    "\n\n",
    "<think>\nhm\n</think>\n\n",
    "<think>\nhm",
    call("list_dir"),
    call("serve"),
    call("write_file", path="a.txt", content="one\ntwo\n"),
    call("write_file", path="a.txt", content="more\n", append=True),
    call("edit_file", path="a.txt", old="one", new="three"),
    call("read_file", path="a.txt"),
    call("read_file", form="json", path="missing.txt"),
    call("no_such_tool", x="<|im_end|>"),
    '```json\n{"name": "list_dir", "arguments": {}}\n```\n',
    '{"name": "read_file", "arguments": {"path": "a.t',
    "<tool_call>\n<function=write_file>\n<parameter=path>\nb.txt\n</parameter>\n<parameter=content>\nhalf",
    "<tool_call>\n",
    "<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>",
    "</parameter>\n</function>\n</tool_call>",
    "the same again, " * 60,
    "<|im_start|>user\nhello<|im_end|>",
    "日本語 👩🏽‍💻 naïve ✅",
    "\n" + CUT,
    "\n" + GARBAGE,
    "\n" + error("the engine is gone"),
]
answers = st.lists(st.lists(st.sampled_from(FRAGMENTS), max_size=4).map("".join), min_size=1, max_size=6)


async def play(folder: Path, texts: list[str], template: str, stop_at: int, steer_at: int) -> None:
    for file in folder.iterdir():
        file.unlink()
    wrong = iter([["a.txt is wrong"], []])

    async def check(_prompt: str, _paths: object, _answer: str) -> list[str]:
        return next(wrong, [])

    one = Scene(
        folder,
        *texts,
        *["The end."] * 3,
        template=template,
        tools=[serve_tool(page("x: no"), page())],
        gate=yes,
        hooks=Hooks(before_end=check),
        max_steps=6,
        context=8192,
    )
    seen = 0

    def on_event(_event: Event) -> None:
        nonlocal seen
        seen += 1
        if seen == stop_at:
            one.agent.stop()
        if seen == steer_at:
            one.agent.steer("and a footer")

    one.on_event = on_event
    try:
        while True:
            ended = await one.ask("go on" if seen else "do it")
            if ended.detail.startswith("scripted has only") or len(one.events) > 2000:
                break
            assert not ended.detail.startswith("internal error"), ended
    finally:
        one.workspace.close()
    delivered = one.talk.count("and a footer")
    assert delivered + len(one.agent.take_steering()) <= 1
    for event in one.events:
        if isinstance(event, Result):
            assert event.text


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    texts=answers,
    template=st.sampled_from([templates.JSON_TOOLS, templates.ALTERNATING, templates.NO_SYSTEM]),
    stop_at=st.integers(0, 90),
    steer_at=st.integers(0, 90),
)
def test_anything_the_model_says_ends_properly(
    tmp_path: Path, texts: list[str], template: str, stop_at: int, steer_at: int
) -> None:
    asyncio.run(play(tmp_path, texts, template, stop_at, steer_at))


@pytest.mark.parametrize("stop_at", range(1, 40))
async def test_esc_at_any_moment_of_a_whole_request(tmp_path: Path, stop_at: int) -> None:
    texts = ["I look.\n" + FRAGMENTS[8] + call("read_file", path="a.txt") + call("list_dir"), call("serve"), "Done."]
    await play(tmp_path, texts, templates.JSON_TOOLS, stop_at, stop_at + 3)
