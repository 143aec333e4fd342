"""An engine that plays answers from a file: exact tests, demos and screenshots of the real program.

    === answer
    I'll look first.
    #! delay 200
    <tool_call>
    ...
    === answer
    Done.

Each answer is the exact text between two `=== answer` lines, without its last line end. Lines that start with `#!` and
a space are instructions, carried out where they stand:

    #! delay MS     wait
    #! error TEXT   the engine fails with this cause
    #! cut          the answer ends here because of the token cap
    #! garbage      the answer ends here because too many tokens in a row were forced

The line end before an instruction belongs to the text. In a file whose lines end in CR LF the text has LF.
"""

import asyncio
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from roomcode.engine.slot import common_prefix
from roomcode.engine.vocabulary import CHAT_MARKERS, Vocabulary
from roomcode.protocol.engine import Answer, EngineError, EngineInfo, Finish, Generation, Matcher, OnText
from roomcode.protocol.events import Usage

__all__ = ["Script", "ScriptStep", "ScriptedEngine", "byte_vocabulary", "parse_script"]

_MARK = "=== answer"
_CRLF = re.compile(rf"(?:^|\n){_MARK}[ \t]*\r\n")
_CONTROL = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
_END = 256 + _CONTROL.index("<|im_end|>")
_SPLIT = re.compile("(" + "|".join(map(re.escape, _CONTROL)) + ")")


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """A run of text to emit, or an instruction with its argument."""

    kind: Literal["text", "delay", "error", "cut", "garbage"]
    text: str = ""


Script = tuple[tuple[ScriptStep, ...], ...]
"""Answers in order, each a row of steps."""


def parse_script(source: str, name: str = "script") -> Script:
    """Read a script. Raises EngineError that names the line which is wrong."""
    answers: list[list[ScriptStep]] = []
    lines: list[str] = []

    def flush(end: str) -> None:
        text = "\n".join(lines) + end if lines else ""
        lines.clear()
        if text:
            answers[-1].append(ScriptStep("text", text))

    if _CRLF.search(source):
        source = source.replace("\r\n", "\n")
    # Not splitlines: that takes form feeds and other separators out of the text.
    for number, line in enumerate(source.removesuffix("\n").split("\n"), 1):
        where = f"{name}, line {number}"
        if line.rstrip() == _MARK:
            flush("")
            answers.append([])
        elif not answers:
            if line.strip():
                raise EngineError(f"{where}: this stands before the first {_MARK!r} line.")
        elif line.startswith("#! "):
            flush("\n")
            answers[-1].append(_instruction(line[3:], where))
        else:
            lines.append(line)
    if not answers:
        raise EngineError(f"{name} has no {_MARK!r} line.")
    flush("")
    return tuple(tuple(steps) for steps in answers)


def _instruction(text: str, where: str) -> ScriptStep:
    kind, _, argument = text.strip().partition(" ")
    argument = argument.strip()
    match kind:
        case "delay" if re.fullmatch("[0-9]{1,9}", argument):
            return ScriptStep("delay", argument)
        case "delay":
            raise EngineError(f"{where}: a delay needs milliseconds, like '#! delay 200'.")
        case "error" | "cut" | "garbage":
            return ScriptStep(kind, argument)
        case _:
            raise EngineError(f"{where}: {kind!r} is no instruction of a script (delay, error, cut, garbage).")


def byte_vocabulary() -> Vocabulary:
    """A vocabulary of single bytes, and the control tokens of the plain chat template behind them."""

    def tokenize(text: bytes, special: bool) -> list[int]:
        if not special:
            return list(text)
        tokens: list[int] = []
        for part in _SPLIT.split(text.decode("utf-8", "replace")):
            tokens += [256 + _CONTROL.index(part)] if part in _CONTROL else part.encode()
        return tokens

    def piece(token: int) -> bytes:
        return bytes([token]) if token < 256 else _CONTROL[token - 256].encode()

    return Vocabulary(tokenize, piece, (*_CONTROL, *CHAT_MARKERS))


class Clock(Protocol):
    """Waiting, so that tests need not."""

    async def sleep(self, seconds: float) -> None: ...


class _RealClock:
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class ScriptedEngine:
    """An `Engine` that plays a script. A request beyond the script's end raises EngineError."""

    def __init__(
        self,
        script: Script,
        *,
        name: str = "scripted",
        context: int = 32768,
        template: str = "",
        devices: int = 1,
        clock: Clock | None = None,
    ) -> None:
        self._answers = iter(script)
        self._played = 0
        self._vocabulary = byte_vocabulary()
        self._clock = clock or _RealClock()
        self._memory: list[int] = []
        self._aborted = asyncio.Event()
        self.requests: list[Generation] = []
        """Every generation that was asked for, for tests."""
        self._info = EngineInfo(
            name=name,
            path=name,
            template=template,
            context=context,
            parameters=0,
            eos="<|im_end|>",
            end_tokens=frozenset({_END}),
            devices=devices,
            constrained=False,
        )

    @classmethod
    def from_file(cls, path: Path) -> "ScriptedEngine":
        """Read a script file. Raises EngineError."""
        try:
            source = path.read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise EngineError(f"The script {path} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise EngineError(f"The script {path} is not UTF-8 text (byte {error.start + 1}).") from error
        return cls(parse_script(source, path.name), name=f"scripted:{path.name}")

    @property
    def info(self) -> EngineInfo:
        return self._info

    def encode(self, text: str, *, control: bool = False) -> list[int]:
        return self._vocabulary.encode(text, control=control)

    def decode(self, tokens: Sequence[int]) -> bytes:
        return self._vocabulary.decode(tokens)

    def matcher(self, grammar: str) -> Matcher:
        raise EngineError("The scripted engine follows no grammar.")

    def abort(self) -> None:
        self._aborted.set()

    async def close(self) -> None:
        self.abort()

    async def generate(self, generation: Generation, on_text: OnText) -> Answer:
        self.requests.append(generation)
        self._aborted.clear()
        started = time.perf_counter()
        steps = next(self._answers, None)
        if steps is None:
            answers = "1 answer" if self._played == 1 else f"{self._played} answers"
            raise EngineError(f"{self._info.name} has only {answers}, and one more was asked for.")
        self._played += 1
        prompt = generation.tokens
        reused = common_prefix(self._memory, list(prompt))
        self._memory = list(prompt)
        text, finish = await self._play(steps, generation.max_tokens, on_text)
        tokens = self.encode(text)
        if finish == "stop":
            tokens.append(_END)
        self._memory += tokens
        usage = Usage(
            new=len(prompt) - reused, reused=reused, sampled=len(tokens), seconds=time.perf_counter() - started
        )
        return Answer(tuple(tokens), text, finish, usage)

    async def _play(self, steps: Sequence[ScriptStep], limit: int, on_text: OnText) -> tuple[str, Finish]:
        said: list[str] = []
        size = 0
        for step in steps:
            match step.kind:
                case "delay":
                    await self._wait(int(step.text) / 1000)
                case "error":
                    raise EngineError(step.text or "the script says so")
                case "cut":
                    return "".join(said), "length"
                case "garbage":
                    return "".join(said), "forced"
                case "text":
                    for piece in _in_pieces(step.text):
                        await asyncio.sleep(0)
                        if self._aborted.is_set():
                            return "".join(said), "aborted"
                        size += len(self.encode(piece))
                        if size > limit:
                            return "".join(said), "length"
                        said.append(piece)
                        on_text(piece, 0)
            if self._aborted.is_set():
                return "".join(said), "aborted"
        return "".join(said), "stop"

    async def _wait(self, seconds: float) -> None:
        """Sleep, but wake up when aborted."""
        sleeping = asyncio.ensure_future(self._clock.sleep(seconds))
        aborted = asyncio.ensure_future(self._aborted.wait())
        try:
            await asyncio.wait({sleeping, aborted}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sleeping, aborted):
                task.cancel()


def _in_pieces(text: str) -> Iterator[str]:
    """Pieces of 1, 2 and 3 characters in turn."""
    position, size = 0, 1
    while position < len(text):
        yield text[position : position + size]
        position += size
        size = size % 3 + 1
