"""Arguments put right where the intent is clear, and refusals that a small model can act on."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from roomcode.calls.form import render_call
from roomcode.calls.pieces import ParsedCall
from roomcode.calls.values import find_tool, to_boolean, to_list, to_number
from roomcode.chat import Form
from roomcode.protocol.tools import Parameter, ToolSpec

__all__ = ["Repaired", "repair"]

_ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "path": ("file", "filename", "filepath", "filepaths", "pathname", "directory", "dir", "folder"),
    "content": ("contents", "text", "code", "filecontent", "filecontents", "body"),
    "old": ("oldstring", "oldtext", "oldstr", "oldcontent", "oldcode", "search", "find", "original"),
    "new": ("newstring", "newtext", "newstr", "newcontent", "newcode", "replace", "replacement", "replacewith"),
    "pattern": ("query", "regex", "regexp", "search", "searchterm", "text", "q"),
    "code": ("script", "js", "javascript", "source"),
    "start": ("line", "offset", "startline", "from"),
}
"""Other names for a parameter, in lower case without `_` and `-`. Some stand for two; a tool that has both gets
neither."""

_LIKELY: Final[Mapping[str, str]] = {
    "createfile": "write_file",
    "savefile": "write_file",
    "newfile": "write_file",
    "appendfile": "write_file",
    "openfile": "read_file",
    "viewfile": "read_file",
    "cat": "read_file",
    "view": "read_file",
    "ls": "list_dir",
    "listfiles": "list_dir",
    "grep": "search",
    "find": "search",
    "replace": "edit_file",
    "strreplace": "edit_file",
    "replaceinfile": "edit_file",
    "patch": "edit_file",
    "preview": "serve",
    "startserver": "serve",
    "execute": "run_js",
    "eval": "run_js",
}
"""What other agents call these tools."""

_ECHO: Final = 60
"""Characters of a value that an error repeats."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """Arguments ready for the tool (without defaults), or an `error` for the model."""

    arguments: dict[str, Any]
    repairs: tuple[str, ...]
    """One short sentence each, for the model and the person."""
    error: str


def repair(call: ParsedCall, specs: Sequence[ToolSpec], *, cut_at: int | None, form: Form = "xml") -> Repaired:
    """Put the arguments of `call` right, or say why it cannot run.

    A left-out parameter is taken from another usual name, when exactly one is there; one that is given is never
    overridden. Values get the declared type where their text says it; lines of a long text given as a list are
    joined; `./x` becomes `x`; unknown parameters are dropped. A missing text is never taken for an empty one.
    `cut_at`: the cap in tokens at which the answer was cut off, if it was. `form`: how the example in an error is
    written.
    """
    spec = find_tool(specs, call.tool)
    if not call.complete and cut_at is not None:
        return Repaired(dict(call.arguments), call.notes, _cut_off(spec, call.arguments, cut_at))
    if spec is None:
        return Repaired(dict(call.arguments), call.notes, _no_such_tool(call, specs, form))
    if call.error or not call.complete:
        reason = call.error or "the answer ended before the call was complete"
        return Repaired(dict(call.arguments), call.notes, _unreadable(spec, reason, form))
    repairs = list(call.notes)
    given = _name(spec, _taken_out(spec, call.arguments, repairs), repairs)
    arguments: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in given.items():
        parameter = spec.parameter(name)
        if parameter is None:
            repairs.append(f"ignored {name}: {spec.name} has no such parameter")
        elif value is None or (value == "" and not parameter.required and not parameter.raw):
            repairs.append(f"ignored the empty {name}")
        else:
            arguments[name] = _fit(parameter, value, repairs, problems)
    missing = [p.name for p in spec.parameters if p.required and _is_missing(p, arguments)]
    if missing and cut_at is not None:
        return Repaired(arguments, tuple(repairs), _cut_off(spec, call.arguments, cut_at))
    if missing:
        problems.insert(0, f"{spec.name} needs {' and '.join(missing)}")
    error = _refusal(spec, problems, call.arguments, arguments, form) if problems else ""
    return Repaired(arguments, tuple(repairs), error)


# Parameters written into the text of another one


def _taken_out(spec: ToolSpec, arguments: Mapping[str, Any], repairs: list[str]) -> dict[str, Any]:
    """A short parameter that was left out may stand at the end of a long text, as a tag of its own:
    `…<append>true</append>`."""
    taken = {name: _without_stray_tag(spec, name, value, repairs) for name, value in arguments.items()}
    short = [p.name for p in spec.parameters if not p.raw and p.type != "string" and p.name not in taken]
    for parameter in spec.parameters:
        text = taken.get(parameter.name)
        if not parameter.raw or not isinstance(text, str) or not short:
            continue
        tag = re.search(rf"\s*<({'|'.join(short)})>\s*(\w+)\s*</\1>\s*\Z", text)
        if tag is not None:
            taken[parameter.name] = text[: tag.start()]
            taken[tag[1]] = tag[2]
            repairs.append(f"took {tag[1]} out of {parameter.name}")
    return taken


def _without_stray_tag(spec: ToolSpec, name: str, value: Any, repairs: list[str]) -> Any:
    """A long text without a tag of the call's own format at its end, such as `<param>append=true</param>`."""
    if name not in ("new", "content") or spec.parameter(name) is None or not isinstance(value, str):
        return value
    tag = re.search(r"\s*<(param|parameter|argument)\b[^<>]*>\s*append\s*=\s*\w+\s*</\1>\s*\Z", value)
    if tag is None or not tag.start():
        return value
    repairs.append(f"took a tag of the call out of {name}")
    return value[: tag.start()]


# Names


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


def _name(spec: ToolSpec, arguments: Mapping[str, Any], repairs: list[str]) -> dict[str, Any]:
    """The arguments under the tool's own names, where another name clearly stands for one that was left out."""
    named = dict(arguments)
    strangers = [name for name in named if spec.parameter(name) is None]
    wanted = [p.name for p in spec.parameters if p.name not in named]
    stands_for: dict[str, list[str]] = {}
    for stranger in strangers:
        fits = [n for n in wanted if _plain(stranger) == _plain(n)]
        fits = fits or [n for n in wanted if _plain(stranger) in _ALIASES.get(n, ())]
        for name in fits if len(fits) == 1 else ():
            stands_for.setdefault(name, []).append(stranger)
    for name, others in stands_for.items():
        if all(named[other] == named[others[0]] for other in others):
            named[name] = named[others[0]]
            for other in others:
                del named[other]
            repairs.append(f"took {name} from {others[0]}")
    return named


# Values


def _fit(parameter: Parameter, value: Any, repairs: list[str], problems: list[str]) -> Any:
    """The value in the declared type. Adds to `repairs` when it was changed, to `problems` when it does not fit."""
    fitted = _converted(parameter, value)
    if fitted is None:
        wanted = {"string": "text", "integer": "a whole number", "boolean": "true or false", "array": "a list"}
        problems.append(f"{parameter.name} must be {wanted.get(parameter.type, 'a number')}, not {_echo(value)}")
        return value
    if parameter.name == "path" and isinstance(fitted, str):
        fitted = _without_dot(fitted)
    if fitted != value or type(fitted) is not type(value):
        if isinstance(value, list) and isinstance(fitted, str):
            repairs.append(f"joined the lines of {parameter.name}")
        else:
            repairs.append(f"read {parameter.name} {_echo(value)} as {_echo(fitted)}")
    return fitted


def _converted(parameter: Parameter, value: Any) -> Any:
    """The value in the declared type, or None when it says nothing clear in that type."""
    match parameter.type:
        case "string":
            return _to_text(value, parameter.raw)
        case "boolean":
            if isinstance(value, str):
                return to_boolean(value)
            return bool(value) if isinstance(value, int) and value in (0, 1) else None
        case "array":
            return to_list(value) if isinstance(value, str) else value if isinstance(value, list) else None
        case "integer":
            if isinstance(value, str):
                value = to_number(value)
            whole = isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
            return int(value) if whole else None
        case "number":
            if isinstance(value, str):
                return to_number(value)
            return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _to_text(value: Any, raw: bool) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if raw and isinstance(value, list) and all(isinstance(line, str) for line in value):
        with_ends = all(line.endswith("\n") for line in value[:-1])
        return ("" if with_ends else "\n").join(value)
    return None


def _without_dot(path: str) -> str:
    while path.startswith("./"):
        path = path[2:].lstrip("/")
        if not path:
            return "."
    return path


def _is_missing(parameter: Parameter, arguments: Mapping[str, Any]) -> bool:
    value = arguments.get(parameter.name)
    return value is None or (not parameter.raw and isinstance(value, str) and not value.strip())


# Refusals


def _echo(value: Any) -> str:
    text = repr(value) if not isinstance(value, str) else f'"{value}"'
    if len(text) <= _ECHO:
        return text
    return f"{text[: _ECHO - 20]}… ({len(value if isinstance(value, str) else text)} characters)"


def _passed(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_echo(value)}" for name, value in arguments.items()) or "nothing"


def _example(spec: ToolSpec, form: Form, known: Mapping[str, Any] | None = None) -> str:
    """One correct call: short values that were given, examples for what was missing."""
    values: dict[str, Any] = {}
    for parameter in spec.parameters:
        value = (known or {}).get(parameter.name)
        if (
            isinstance(value, str | int | float)
            and not _is_missing(parameter, known or {})
            and len(str(value)) <= _ECHO
        ):
            values[parameter.name] = value
        elif parameter.required:
            values[parameter.name] = _example_value(parameter, spec)
    return render_call(form, spec.name, values)


def _example_value(parameter: Parameter, spec: ToolSpec) -> Any:
    if parameter.type == "string":
        # A writing tool's example names a file that does no harm when the example is copied.
        path = "example.txt" if spec.effect == "write" else "index.html"
        known = {"path": path, "pattern": "getElementById", "code": "console.log(document.title)"}
        return known.get(parameter.name, f"the {parameter.name} text")
    return {"integer": 1, "number": 1.5, "boolean": True, "array": ["one", "two"]}[parameter.type]


def _refusal(
    spec: ToolSpec, problems: Sequence[str], passed: Mapping[str, Any], arguments: Mapping[str, Any], form: Form
) -> str:
    good = {name: value for name, value in arguments.items() if (p := spec.parameter(name)) and _typed(p, value)}
    example = _example(spec, form, good)
    return f"{'; '.join(problems)}. You passed {_passed(passed)}. A correct call:\n{example}"


def _typed(parameter: Parameter, value: Any) -> bool:
    return _converted(parameter, value) is not None


def _unreadable(spec: ToolSpec, reason: str, form: Form) -> str:
    if reason.startswith("unescaped quote"):
        reason += ' (inside a JSON string a quote is written \\")'
    return f"This {spec.name} call was not run: {reason}. Send it again in this format:\n{_example(spec, form)}"


def _cut_off(spec: ToolSpec | None, passed: Mapping[str, Any], cut_at: int) -> str:
    name = spec.name if spec else "tool"
    if spec is not None and spec.parameter("append") is not None:
        advice = "write a shorter file, then add the rest with append: true"
    else:
        advice = "send the call again with shorter values"
    return f"your output was cut at {cut_at} tokens, so this {name} call ({_passed(passed)}) was not run; {advice}"


def _no_such_tool(call: ParsedCall, specs: Sequence[ToolSpec], form: Form) -> str:
    names = [spec.name for spec in specs]
    listed = ", ".join(names) or "none"
    if not call.tool:
        first = next((spec for spec in specs if spec.required), None)
        example = f" A correct call:\n{_example(first, form)}" if first else ""
        return f"The call could not be read: {call.error or 'it names no tool'}. Tools: {listed}.{example}"
    likely = _LIKELY.get(_plain(call.tool), "")
    close = [likely] if likely in names else get_close_matches(call.tool.lower(), names, 1, 0.6)
    hint = f" Did you mean {close[0]}?" if close else ""
    return f'There is no tool "{_short(call.tool)}". Tools: {listed}.{hint}'


def _short(name: str) -> str:
    return name if len(name) <= _ECHO else name[:_ECHO] + "…"
