"""Completing `@` file names and `/` commands."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Completion", "best", "complete", "plain_mentions"]

_MENTION = re.compile(r"""(?:^|(?<=\s))@(?:"(?P<quoted>[^"\n]*)|(?P<bare>[^\s"]*))$""")
_COMMAND = re.compile(r"^/(?P<word>[\w-]*)$")
_ANY_MENTION = re.compile(r"""(?:^|(?<=\s))@(?:"([^"\n]+)"|([^\s"]+))""")
_MOST = 50


@dataclass(frozen=True, slots=True)
class Completion:
    """What can stand at the cursor. `choices` are pairs of the text to insert and a note beside it."""

    start: int
    """Column where the text to replace begins, on the cursor's line."""
    choices: tuple[tuple[str, str], ...]


def complete(line: str, names: Sequence[str], commands: Mapping[str, str], *, first: bool) -> Completion | None:
    """Completions for the end of `line` (the text before the cursor); `first`: it is the first line of the input."""
    if first and (match := _COMMAND.match(line)):
        found = best(match["word"], list(commands))
        return Completion(0, tuple((f"/{name}", commands[name]) for name in found)) if found else None
    if match := _MENTION.search(line):
        found = best(match["quoted"] if match["quoted"] is not None else match["bare"], names)
        return Completion(match.start(), tuple((_mention(name), "") for name in found)) if found else None
    return None


def best(typed: str, names: Sequence[str]) -> list[str]:
    """Names that fit what was typed, best first: by start, start of the last part, part, letters in order."""
    wanted = typed.lower()
    if not wanted:
        return list(names[:_MOST])
    letters = re.compile(".*?".join(map(re.escape, wanted)))
    ranked = []
    for place, name in enumerate(names):
        lower = name.lower()
        if lower.startswith(wanted):
            rank = 0
        elif lower.rpartition("/")[2].startswith(wanted):
            rank = 1
        elif wanted in lower:
            rank = 2
        elif letters.search(lower):
            rank = 3
        else:
            continue
        ranked.append((rank, len(name) if rank else 0, place, name))
    return [name for *_, name in sorted(ranked)[:_MOST]]


def plain_mentions(text: str, names: Sequence[str]) -> str:
    """`text` with each `@name` of a project file as the bare name, which is what the model can use."""
    known = set(names)

    def bare(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        for end in (len(name), len(name.rstrip(".,;:!?)"))):
            if name[:end] in known:
                return name[:end] + name[end:]
        return match[0]

    return _ANY_MENTION.sub(bare, text)


def _mention(name: str) -> str:
    return f'@"{name}"' if re.search(r"\s", name) else f"@{name}"
