"""Running a piece of script with limits, in a page or in an empty worker."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from roomcode.preview.channel import GoneError
from roomcode.preview.console import clip, format_arguments, format_value, one_line
from roomcode.preview.inject import DROPPED, MARK
from roomcode.preview.scripts import parse_script

__all__ = ["NAME", "Place", "Printer", "Verdict", "evaluate", "is_module"]

NAME = "run_js"
"""What the code is called in stacks."""

# A block keeps the code's own names apart from the page's; only with "use strict" are functions held back as well.
_HEAD = '"use strict";void 0;{'
_ASYNC_HEAD = "(async()=>{"
_MODULE = re.compile(
    r"""^[ \t]*(?:import\s*(?:["'{*]|[\w$]+\s*(?:,|from\b))"""
    r"""|export\s+(?:default|const|let|var|function|class|async|[{*]))""",
    re.MULTILINE,
)
_CODE = re.compile(rf"(?:^|/){NAME}(?:\.js\?[^/]*)?$")
_LEVELS = {"error": "error: ", "warning": "warning: ", "assert": "assertion failed: "}
_LATE, _MOST_LATE = 0.3, 10.0
_SILENT = {"clear", "endGroup", "profile", "profileEnd"}
_MOST = 400

Ask = Callable[[str, Mapping[str, Any], float], Awaitable[dict[str, Any]]]


@dataclass(slots=True)
class Printer:
    """Collects what the code prints, bounded."""

    lines: list[str] = field(default_factory=list)
    dropped: int = 0

    def takes(self, params: Mapping[str, Any]) -> bool:
        """Whether a console event comes from the code: it is somewhere in the event's stack."""
        arguments = params.get("args", [])
        if arguments and str(arguments[0].get("value", "")).startswith(MARK):
            return False
        frames = params.get("stackTrace", {}).get("callFrames", ())
        return any(_CODE.search(str(frame.get("url", ""))) for frame in frames)

    def console(self, params: Mapping[str, Any]) -> None:
        kind = str(params.get("type", "log"))
        if kind in _SILENT:
            return
        arguments = params.get("args", [])
        if arguments and arguments[0].get("value") == DROPPED:
            self.dropped += int(arguments[1].get("value", 0))
        elif len(self.lines) >= _MOST:
            self.dropped += 1
        else:
            self.lines.append(_LEVELS.get(kind, "") + format_arguments(arguments))

    def all(self) -> tuple[str, ...]:
        """Equal neighbours folded."""
        folded: list[list[Any]] = []
        for line in self.lines:
            if folded and folded[-1][0] == line:
                folded[-1][1] += 1
            else:
                folded.append([line, 1])
        lines = [line if count == 1 else f"{line} ({count} times)" for line, count in folded]
        return (*lines, f"({self.dropped} more lines left out)") if self.dropped else tuple(lines)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a run ended: a value, or an error."""

    value: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where code runs: beside a page, or in a worker."""

    ask: Ask
    alive: Callable[[], Awaitable[bool]]
    """Whether it still answers, asked after code did not end in time."""
    where: Callable[[Mapping[str, Any]], str] = lambda details: ""
    """Turns exception details into a place in the project, for errors outside the code."""


def is_module(code: str) -> bool:
    """Whether the code has import or export statements and so cannot run as a plain script."""
    return bool(_MODULE.search(code))


async def evaluate(place: Place, code: str, limit: float, *, import_from: str = "") -> Verdict:
    """Run `code` strictly and with names of its own; `await` and `return` work at its top level.

    `import_from` is the address under which the code can be had as a module; its default export is then the value.
    """
    if import_from:
        answer = await _try(place, f'{_HEAD}(await import("{import_from}")).default\n}}', limit)
        if isinstance(answer, dict) and "dynamically imported module" in _description(answer):
            return Verdict(error="an import could not be loaded")
        if isinstance(answer, dict) and (faults := _syntax_faults(answer, code)):
            # The browser does not say where a module does not parse.
            line, text = faults[0]
            return Verdict(error=_at_line(line, f"SyntaxError: {text}", code))
        return _verdict(answer, code, place)
    answer = await _try(place, f"{_HEAD}{code}\n}}", limit)
    if isinstance(answer, dict) and "Illegal return" in _description(answer):
        answer = await _try(place, f"{_ASYNC_HEAD}{code}\n}})()", limit)
    return _verdict(answer, code, place)


async def _try(place: Place, expression: str, limit: float) -> dict[str, Any] | Verdict:
    question = {
        "expression": f"{expression}\n//# sourceURL={NAME}",
        "replMode": expression.startswith(_HEAD),
        "awaitPromise": True,
        "generatePreview": True,
        "userGesture": True,
        # The browser ends a loop by itself after this; its answer may come a little late.
        "timeout": limit * 1000,
    }
    asking = asyncio.ensure_future(place.ask("Runtime.evaluate", question, limit + _MOST_LATE))
    await asyncio.wait({asking}, timeout=limit + _LATE)
    alive = asking.done() or await place.alive()
    # Answers come in order: one that is not here after a later question was answered waits for something else.
    await asyncio.sleep(0)
    if not asking.done():
        asking.cancel()
        return Verdict(error=waiting_error(limit) if alive else loop_error(limit))
    try:
        return asking.result()
    except TimeoutError:
        return Verdict(error=loop_error(limit))
    except GoneError as error:
        # What the browser answers when it ended the code at its time limit.
        if "terminated" in str(error) or "Internal error" in str(error):
            return Verdict(error=loop_error(limit))
        return Verdict(error=str(error))


def loop_error(limit: float) -> str:
    """What is said of code that did not end by itself."""
    return f"stopped after {limit:g} s: the code may be in an endless loop"


def waiting_error(limit: float) -> str:
    """What is said of code that only waits."""
    return f"not done after {limit:g} s: it waits for something that does not come"


def _description(answer: Mapping[str, Any]) -> str:
    return str(answer.get("exceptionDetails", {}).get("exception", {}).get("description", ""))


def _verdict(answer: dict[str, Any] | Verdict, code: str, place: Place) -> Verdict:
    if isinstance(answer, Verdict):
        return answer
    details = answer.get("exceptionDetails")
    if details is None:
        result = answer.get("result", {})
        return Verdict(value="" if result.get("type") == "undefined" else clip(one_line(format_value(result)), 1000))
    exception = details.get("exception", {})
    text = one_line(format_value(exception)) if exception else str(details.get("text", ""))
    if exception.get("subtype") != "error":
        text = f"thrown: {text}"
    line = _line(details)
    if not line:
        return Verdict(error=f"{place.where(details)} {text}".strip())
    return Verdict(error=_at_line(line, text, code))


def _at_line(line: int, text: str, code: str) -> str:
    lines = code.splitlines()
    source = lines[line - 1].strip() if line <= len(lines) else ""
    shown = f"\n    {clip(source, 100)}" if source else ""
    return f"line {line}: {text}{shown}"


def _syntax_faults(answer: Mapping[str, Any], code: str) -> list[tuple[int, str]]:
    return parse_script(code).errors if _description(answer).startswith("SyntaxError") else []


def _line(details: Mapping[str, Any]) -> int:
    """Line (from 1) inside the code, or 0 when the error is elsewhere."""
    frames = details.get("stackTrace", {}).get("callFrames", ())
    for frame in frames:
        if _CODE.search(str(frame.get("url", ""))):
            return int(frame.get("lineNumber", -1)) + 1
        if frame.get("url"):
            return 0
    if not frames and _CODE.search(str(details.get("url", NAME))):
        return int(details.get("lineNumber", -1)) + 1
    return 0
