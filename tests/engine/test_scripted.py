"""The engine that plays a script: exactly its text, in small pieces, and its mistakes are loud."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.engine.scripted import ScriptedEngine, parse_script
from roomcode.protocol.engine import Answer, EngineError, Generation
from tests.agent.builders import Patient


class Heard:
    def __init__(self) -> None:
        self.pieces: list[str] = []

    def __call__(self, text: str, retract: int) -> None:
        assert retract == 0
        self.pieces.append(text)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class Count:
    """A clock that does not wait, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def generation(engine: ScriptedEngine, prompt: str = "hello", most: int = 10_000) -> Generation:
    return Generation(tuple(engine.encode(prompt)), most)


async def play(script: str, *, most: int = 10_000, clock: Count | None = None) -> tuple[Answer, Heard]:
    engine = ScriptedEngine(parse_script(script), clock=clock or Count())
    heard = Heard()
    return await engine.generate(generation(engine, most=most), heard), heard


# Reading scripts


def texts(script: str) -> list[list[tuple[str, str]]]:
    return [[(step.kind, step.text) for step in steps] for steps in parse_script(script)]


def test_answers_are_the_text_between_their_lines_without_the_last_line_end() -> None:
    assert texts("=== answer\nI look.\n\n<p>\n=== answer\nDone.\n") == [
        [("text", "I look.\n\n<p>")],
        [("text", "Done.")],
    ]


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("=== answer\n", []),
        ("=== answer", []),
        ("=== answer\n\n", []),
        ("=== answer\n\n\n", [("text", "\n")]),
        ("=== answer\nno line end", [("text", "no line end")]),
        ("=== answer  \n  two  \n", [("text", "  two  ")]),
        ("\n\n=== answer\nlate\n", [("text", "late")]),
        ("=== answer\n==== answer\n=== answers\n", [("text", "==== answer\n=== answers")]),
    ],
)
def test_the_ends_of_an_answer_are_exact(script: str, text: list[tuple[str, str]]) -> None:
    assert texts(script) == [text]


@given(st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])))
def test_any_text_is_kept_as_it_is(text: str) -> None:
    lines = text.split("\n")
    if any(line.startswith("#! ") or line.rstrip() == "=== answer" for line in lines):
        return
    assert "".join(t for _, t in texts(f"=== answer\n{text}\n")[0]) == text


def test_form_feeds_and_other_separators_are_text() -> None:
    text = "a\x0cb\u2028c\x1cd\x85e\rf"
    assert texts(f"=== answer\n{text}\n") == [[("text", text)]]


def test_a_file_with_windows_line_ends_says_the_same() -> None:
    script = "=== answer\none\ntwo\n#! delay 5\n=== answer\nthree\n"
    assert texts(script.replace("\n", "\r\n")) == texts(script)
    assert texts("=== answer\none\r\ntwo\r\n") == [[("text", "one\r\ntwo\r")]]


def test_instructions_stand_where_they_are_carried_out() -> None:
    assert texts("=== answer\n#! delay 200\none\n#! delay 5\ntwo\n#! error the cause: x\n") == [
        [("delay", "200"), ("text", "one\n"), ("delay", "5"), ("text", "two\n"), ("error", "the cause: x")]
    ]
    assert texts("=== answer\nhalf\n#! cut\n=== answer\n#! garbage\n") == [
        [("text", "half\n"), ("cut", "")],
        [("garbage", "")],
    ]


def test_a_shebang_is_text() -> None:
    assert texts("=== answer\n#!/bin/sh\n#!/usr/bin/env node\n") == [[("text", "#!/bin/sh\n#!/usr/bin/env node")]]


@pytest.mark.parametrize(
    ("script", "line", "word"),
    [
        ("=== answer\none\n#! wait 3\n", 3, "'wait'"),
        ("=== answer\n#! delay\n", 2, "milliseconds"),
        ("=== answer\n#! delay soon\n", 2, "milliseconds"),
        ("=== answer\n#! delay ²\n", 2, "milliseconds"),
        ("=== answer\n#! delay -5\n", 2, "milliseconds"),
        ("=== answer\n#! \n", 2, "instruction"),
        ("\n\nhello\n=== answer\n", 3, "before the first"),
        ("#! delay 5\n=== answer\n", 1, "before the first"),
    ],
)
def test_a_mistake_names_its_line(script: str, line: int, word: str) -> None:
    with pytest.raises(EngineError) as caught:
        parse_script(script, "demo.txt")
    assert str(caught.value).startswith(f"demo.txt, line {line}: ")
    assert word in str(caught.value)


@pytest.mark.parametrize("script", ["", "\n\n", "   \n"])
def test_a_script_without_answers_is_a_mistake(script: str) -> None:
    with pytest.raises(EngineError, match=r"demo\.txt has no '=== answer' line"):
        parse_script(script, "demo.txt")


def test_files_are_read_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_bytes("\ufeff=== answer\nnaïve 日本\n".encode())
    assert ScriptedEngine.from_file(path).info.name == "scripted:s.txt"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: None, "cannot be read: No such file"),
        (lambda p: p.mkdir(), "cannot be read: Is a directory"),
        (lambda p: p.write_bytes(b"=== answer\n\xff\n"), r"is not UTF-8 text \(byte 12\)"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, make: object, words: str) -> None:
    path = tmp_path / "s.txt"
    make(path)  # type: ignore[operator]
    with pytest.raises(EngineError, match=words) as caught:
        ScriptedEngine.from_file(path)
    assert "s.txt" in str(caught.value)


# Playing them


async def test_text_comes_in_pieces_of_one_to_three_characters() -> None:
    text = "Done ✅ 日本語 👩🏽‍💻 naïve"
    answer, heard = await play(f"=== answer\n{text}\n")
    assert heard.text == answer.text == text
    assert {len(piece) for piece in heard.pieces} == {1, 2, 3}
    assert answer.finish == "stop"


async def test_tokens_are_those_of_the_text_and_the_end_of_the_turn() -> None:
    engine = ScriptedEngine(parse_script("=== answer\n<|im_end|> is text\n"))
    answer = await engine.generate(generation(engine), Heard())
    assert engine.decode(answer.tokens) == b"<|im_end|> is text<|im_end|>"
    assert answer.tokens[-1] in engine.info.end_tokens
    assert not set(answer.tokens[:-1]) & engine.info.end_tokens
    assert answer.usage.sampled == len(answer.tokens)


async def test_usage_counts_what_the_prompt_shares_with_what_was_there() -> None:
    engine = ScriptedEngine(parse_script("=== answer\nyes\n=== answer\nno\n"))
    first = await engine.generate(generation(engine, "hello"), Heard())
    assert (first.usage.new, first.usage.reused) == (5, 0)
    prompt = (*engine.encode("hello"), *first.tokens, *engine.encode("more"))
    second = await engine.generate(Generation(prompt, 100), Heard())
    assert (second.usage.new, second.usage.reused) == (4, 5 + len(first.tokens))


@pytest.mark.parametrize("most", range(8))
async def test_the_cap_holds_to_the_token(most: int) -> None:
    answer, heard = await play("=== answer\na日本\n", most=most)
    assert len(answer.tokens) <= most or answer.finish == "stop"
    assert answer.finish == ("stop" if most >= 7 else "length")
    assert "a日本".startswith(heard.text)
    assert heard.text == answer.text


async def test_a_cut_answer_says_so() -> None:
    answer, heard = await play("=== answer\nhalf\n#! cut\nnever\n")
    assert (answer.text, answer.finish, heard.text) == ("half\n", "length", "half\n")


async def test_garbage_says_so() -> None:
    answer, _ = await play("=== answer\nxxx\n#! garbage\n")
    assert (answer.text, answer.finish) == ("xxx\n", "forced")


async def test_an_error_comes_after_what_was_said_before_it() -> None:
    engine = ScriptedEngine(parse_script("=== answer\nhalf\n#! error the card is gone\n=== answer\nok\n"))
    heard = Heard()
    with pytest.raises(EngineError, match=r"^the card is gone$"):
        await engine.generate(generation(engine), heard)
    assert heard.text == "half\n"
    assert (await engine.generate(generation(engine), Heard())).text == "ok"


async def test_delays_are_waited_for_where_they_stand() -> None:
    clock = Count()
    _, heard = await play("=== answer\none\n#! delay 200\ntwo\n#! delay 1500\n", clock=clock)
    assert clock.slept == [0.2, 1.5]
    assert heard.text == "one\ntwo\n"


@pytest.mark.parametrize(("count", "words"), [(1, "only 1 answer,"), (2, "only 2 answers,")])
async def test_a_script_that_runs_out_is_a_loud_error(count: int, words: str) -> None:
    engine = ScriptedEngine(parse_script("=== answer\nyes\n" * count), name="demo")
    for _ in range(count):
        await engine.generate(generation(engine), Heard())
    for _ in range(2):
        with pytest.raises(EngineError, match=f"demo has {words} and one more was asked for"):
            await engine.generate(generation(engine), Heard())


async def test_an_abort_ends_a_delay_at_once() -> None:
    clock = Patient()
    engine = ScriptedEngine(parse_script("=== answer\none\n#! delay 60000\ntwo\n=== answer\nthree\n"), clock=clock)
    heard = Heard()
    running = asyncio.ensure_future(engine.generate(generation(engine), heard))
    await clock.waiting.wait()
    engine.abort()
    answer = await running
    assert (answer.text, answer.finish, heard.text) == ("one\n", "aborted", "one\n")
    assert engine.info.end_tokens.isdisjoint(answer.tokens)
    assert (await engine.generate(generation(engine), Heard())).text == "three"


@pytest.mark.parametrize("after", [1, 2, 5])
async def test_an_abort_ends_the_text_behind_the_piece(after: int) -> None:
    engine = ScriptedEngine(parse_script("=== answer\nabcdefghijklmnopq\n"))
    heard = Heard()

    def on_text(text: str, retract: int) -> None:
        heard(text, retract)
        if len(heard.pieces) == after:
            engine.abort()

    answer = await engine.generate(generation(engine), on_text)
    assert answer.finish == "aborted"
    assert answer.text == heard.text
    assert len(heard.pieces) == after


async def test_an_abort_before_a_call_does_not_touch_it() -> None:
    engine = ScriptedEngine(parse_script("=== answer\nyes\n"))
    engine.abort()
    assert (await engine.generate(generation(engine), Heard())).finish == "stop"


async def test_a_cancelled_wait_leaves_no_task_behind() -> None:
    clock = Patient()
    engine = ScriptedEngine(parse_script("=== answer\n#! delay 60000\n"), clock=clock)
    before = asyncio.all_tasks()
    running = asyncio.ensure_future(engine.generate(generation(engine), Heard()))
    await clock.waiting.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    for _ in range(3):
        await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


async def test_every_request_is_kept_for_tests_and_no_grammar_is_followed() -> None:
    engine = ScriptedEngine(parse_script("=== answer\nyes\n"), devices=2, context=1024, template="t")
    wanted = generation(engine)
    await engine.generate(wanted, Heard())
    assert engine.requests == [wanted]
    assert (engine.info.devices, engine.info.context, engine.info.template) == (2, 1024, "t")
    assert not engine.info.constrained
    with pytest.raises(EngineError, match="grammar"):
        engine.matcher("start: /a/")
    await engine.close()
