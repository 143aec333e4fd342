"""The engine beside a raw llama.cpp loop, in one run, on the same model: `python -m benchmarks.engine [MODEL]`."""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.report import Figure, show
from roomcode import models
from roomcode.agent import Conversation, Turn, system_prompt
from roomcode.calls import CallConstraint, describe_tools
from roomcode.chat import ChatTemplate
from roomcode.engine import native
from roomcode.engine.llama import LlamaEngine, LlamaOptions
from roomcode.protocol.engine import Constraint, Generation, Mask, Rewrite, Sampling
from roomcode.protocol.events import Usage
from roomcode.protocol.tools import ToolSpec

__all__ = ["main"]

ROUNDS = 3
TOKENS = 96
CONTEXT = 4096
SAMPLING = Sampling(temperature=0.7, top_k=20, top_p=0.8, seed=7)
ESSAY = "Write a very long and detailed story about a lighthouse keeper. Do not stop early."
CLOCK = "Make a page that shows the time in a div with the id clock."
PAGE = "Make index.html: a page with a heading, three paragraphs of text, a list of ten fruits and a table of prices."


def nothing(_text: str, _retract: int) -> None:
    pass


class Timed:
    """A constraint that measures what its masks cost."""

    def __init__(self, inner: Constraint) -> None:
        self._inner = inner
        self.seconds = 0.0
        self.masks = 0

    @property
    def greedy(self) -> bool:
        return self._inner.greedy

    def mask(self) -> Mask | None:
        started = time.perf_counter()
        mask = self._inner.mask()
        if mask is not None:
            self.seconds += time.perf_counter() - started
            self.masks += 1
        return mask

    def commit(self, token: int) -> Rewrite | None:
        return self._inner.commit(token)

    def forced(self) -> Sequence[int]:
        return self._inner.forced()


@dataclass(frozen=True, slots=True)
class Bench:
    path: Path
    engine: LlamaEngine
    tools: tuple[ToolSpec, ...]

    def prompt(self, request: str) -> tuple[tuple[int, ...], int]:
        """Tokens of a conversation with one request, and how many are its prefix."""
        engine = self.engine
        template = ChatTemplate(engine.info.template, bos=engine.info.bos, eos=engine.info.eos)
        system = system_prompt(describe_tools(self.tools, "xml"))
        talk = Conversation(engine, template, system, [], engine.info.end_tokens)
        talk.add(Turn("request", 1, 0, request))
        return talk.tokens, len(talk.prefix)

    def constraint(self, *first: str) -> CallConstraint:
        engine = self.engine
        return CallConstraint("xml", self.tools, engine, engine.matcher, end_tokens=engine.info.end_tokens, first=first)


def raw_speed(path: Path, prompt: Sequence[int], tokens: int) -> float:
    """Tokens a second of the plainest loop there is: decode one token, sample one token."""
    model = native.Model(str(path), gpu_layers=-1)
    threads = psutil.cpu_count(logical=False) or 1
    context = native.Context(model, native.ContextOptions(CONTEXT, threads), native.AbortFlag())
    sampler = native.Sampler(SAMPLING, model.vocab_size)
    position = 0
    for start in range(0, len(prompt), 512):
        piece = prompt[start : start + 512]
        context.decode(piece, position, 0)
        position += len(piece)
    started = time.perf_counter()
    for _ in range(tokens):
        token = sampler.sample(context)
        context.decode([token], position, 0)
        position += 1
    context.logits()[0]
    speed = tokens / (time.perf_counter() - started)
    sampler.close()
    context.close()
    model.close()
    return speed


async def engine_speed(bench: Bench, prompt: tuple[int, ...], tokens: int, constraint: Constraint | None) -> float:
    """Tokens a second of one answer, forced ones counted, without its prefill."""
    answer = await bench.engine.generate(Generation(prompt, tokens, SAMPLING, constraint), nothing)
    return answer.usage.tok_per_s


async def speeds(bench: Bench) -> list[Figure]:
    """Raw and engine in turn, so that a noisy machine is noisy for both."""
    free, _ = bench.prompt(ESSAY)
    raw, own, calls = [], [], []
    for _ in range(ROUNDS):
        raw.append(await asyncio.to_thread(raw_speed, bench.path, free, TOKENS))
        own.append(await engine_speed(bench, free, TOKENS, bench.constraint()))
        timed = Timed(bench.constraint("write_file"))
        calls.append(await engine_speed(bench, bench.prompt(PAGE)[0], 2 * TOKENS, timed))
    base = statistics.median(raw)
    return [
        Figure("raw llama.cpp decode loop", f"{base:.1f} tok/s"),
        Figure("engine, free text", f"{statistics.median(own):.1f} tok/s"),
        Figure("engine / raw, free text", f"{statistics.median(own) / base:.3f}", "at least 0.97"),
        Figure(
            "engine / raw, in calls (forced tokens counted)", f"{statistics.median(calls) / base:.3f}", "at least 1.0"
        ),
        Figure("a mask", f"{timed.seconds / max(1, timed.masks) * 1e3:.3f} ms a token", "under 0.3 ms"),
    ]


async def reuse(bench: Bench) -> Figure:
    """Tokens computed in the second step against tokens that are new in it."""
    engine = bench.engine
    await engine.forget()
    prompt, _ = bench.prompt(PAGE)
    answer = await engine.generate(Generation(prompt, 40, SAMPLING, bench.constraint()), nothing)
    more = engine.encode("\n<tool_response>\nCreated index.html (20 lines).\n</tool_response>\n" * 3)
    second = await engine.generate(Generation((*prompt, *answer.tokens, *more), 4, SAMPLING), nothing)
    new = len(more) + 1  # the last token of an answer is sampled, never fed back
    return Figure("tokens computed in step 2 / new in step 2", f"{second.usage.new} / {new}", "equal")


async def abort_time(bench: Bench, *, prefill: bool) -> Figure:
    """Time from the wish to stop until the engine is free."""
    engine = bench.engine
    times = []
    for n in range(ROUNDS):
        await engine.forget()
        began = asyncio.Event()
        if prefill:
            prompt = tuple(engine.encode(f"round {n} " + "many different words for a long prompt " * 120))[
                : CONTEXT - 100
            ]
            task = asyncio.ensure_future(engine.generate(Generation(prompt, 50, SAMPLING), nothing))
            await asyncio.sleep(1.0)
        else:
            prompt, _ = bench.prompt(ESSAY)
            generation = Generation(prompt, 2000, SAMPLING)
            task = asyncio.ensure_future(engine.generate(generation, lambda _t, _r, b=began: b.set()))
            await began.wait()
        started = time.perf_counter()
        engine.abort()
        answer = await task
        times.append(time.perf_counter() - started)
        assert answer.finish == "aborted", "the abort came too late to measure anything"
    where = "prefill" if prefill else "decoding"
    return Figure(f"stop in {where}, slowest of {ROUNDS}", f"{max(times) * 1e3:.0f} ms", "under 200 ms")


async def first_request(path: Path, states: Path, tools: tuple[ToolSpec, ...]) -> tuple[float, int, Usage, float]:
    """A start, and its first request at once: seconds until the prefix was there, its tokens, the cost of the request,
    and seconds from the request to its first text, without those of the prefix."""
    engine = await LlamaEngine.load(path, "bench", LlamaOptions(CONTEXT, states=states))
    bench = Bench(path, engine, tools)
    prompt, prefix = bench.prompt(CLOCK)
    constraint = bench.constraint("write_file")
    heard: list[float] = []
    started = time.perf_counter()
    engine.prepare(prompt[:prefix])
    answer = await engine.generate(
        Generation(prompt, 40, SAMPLING, constraint, prefix=prefix),
        lambda _text, _retract: heard.append(time.perf_counter()),
    )
    ready = time.perf_counter() - started - answer.usage.seconds
    await engine.close()
    return ready, prefix, answer.usage, heard[0] - started - ready


async def prefix_on_disk(path: Path, tools: tuple[ToolSpec, ...]) -> list[Figure]:
    """The first request after a start: without and with the prefix on disk."""
    with tempfile.TemporaryDirectory() as folder:
        cold, prefix, usage, _ = await first_request(path, Path(folder), tools)
        warm, _, after, first = await first_request(path, Path(folder), tools)
    speed = prefix / cold
    return [
        Figure("prefix, nothing on disk", f"{cold:.2f} s ({prefix} tokens, {speed:.0f} tok/s)"),
        Figure("prefix from disk", f"{warm:.3f} s"),
        Figure("ratio", f"{cold / warm:.0f} times less", "at least 20 times"),
        Figure("prefill of the request behind it", f"{after.prefill_seconds:.2f} s ({after.new} tokens)"),
        Figure("tokens of the first prefill, without and with", f"{prefix + usage.new} / {after.new}"),
        Figure("first text after the request, with the prefix from disk", f"{warm + first:.2f} s", "under 1.5 s"),
        Figure("the same at 160 tok/s", f"{warm + first - after.prefill_seconds + after.new / 160:.2f} s"),
    ]


def memory(path: Path, engine: LlamaEngine, before: int) -> Figure:
    """Peak memory of this process beyond the model's weights and the context's keys and values."""
    facts = models.inspect(path)
    expected = facts.size + facts.kv_bytes_per_token * engine.info.context
    extra = psutil.Process().memory_info().rss - expected
    return Figure("memory beyond model and KV", f"{extra / 1e6:.0f} MB", "under 300 MB")


async def run(path: Path, say: Callable[[str], None]) -> list[Figure]:
    from roomcode.preview import Preview
    from roomcode.tools import file_tools, preview_tools
    from roomcode.workspace import Workspace

    with tempfile.TemporaryDirectory() as folder:
        workspace, preview = Workspace(Path(folder)), Preview(Path(folder))
        tools = tuple(tool.spec for tool in (*file_tools(workspace), *preview_tools(preview)))
        workspace.close()
    before = psutil.Process().memory_info().rss
    say(f"loading {path.name}")
    engine = await LlamaEngine.load(path, path.stem, LlamaOptions(CONTEXT))
    bench = Bench(path, engine, tools)
    prefix = bench.prompt("x")[1]
    figures = [Figure("prefix (system prompt and tools)", f"{prefix} tokens", "under 900")]
    say("stopping")
    figures += [await abort_time(bench, prefill=True), await abort_time(bench, prefill=False)]
    figures += [await reuse(bench)]
    figures += [memory(path, engine, before)]
    say("speed")
    figures += await speeds(bench)
    await engine.close()
    say("prefix on disk")
    return figures + await prefix_on_disk(path, tools)


def main(arguments: Sequence[str]) -> None:
    catalogue = models.load_catalogue()
    path = models.resolve(arguments[0] if arguments else "", models.models_dir(), catalogue)
    figures = asyncio.run(run(path, lambda text: print(f"… {text}", file=sys.stderr)))
    show(f"Engine ({path.stem})", figures)


if __name__ == "__main__":
    main(sys.argv[1:])
