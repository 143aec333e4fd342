"""What of the project is put beside a request, so that a small model need not go and look.

Names of files, the text of a small project, the best-matching files and excerpts of a larger one, and the errors that
its page has right now; all within a share of the conversation's budget. It stands in the request's own turn, behind the
prefix, so nothing that is cached breaks.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["SHARE", "Supplied", "named", "ranked", "supplied"]

SHARE = 0.25
"""Part of the conversation's budget that may go into one request's files."""
MOST_TOKENS = 4000
LARGEST_FILE = 60_000
"""Characters of a file above which only excerpts of it are thought of."""

_NAMES = 20
_WORD = re.compile(r"#[0-9a-fA-F]{3,8}\b|[A-Za-z_$][\w$-]{2,}|\d[\d.,:-]*\d|\d{2,}")
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_COMMON = frozenset(
    """
    add adding adds all also and another any app are but can change changed changes code could css did does doing
    done each every file files find fix for from get gets had has have her here his how html into its javascript
    just keep keeps least less let made make makes may might more most must need needs new not now off old one only
    onto other our out over page pages please project read same set sets shall should show shows site some such text
    than that the their them then there they this two under use uses using very want was web website were what when
    where which who why will with would write you your
    """.split()  # noqa: SIM905
)
"""Words that tell nothing about where to look."""
_AROUND = 4
"""Lines shown before and after one that matches."""
_MOST_HITS = 40
_LONGEST_LINE = 400
"""Characters of a line above which an excerpt leaves it out."""


@dataclass(frozen=True, slots=True)
class Supplied:
    """What is said, the files whose whole text the model has, and whether these are all text files of the project."""

    text: str = ""
    whole: tuple[str, ...] = ()
    complete: bool = False


def named(names: Sequence[str], more: int = 0) -> str:
    """One line with the names of the project's files; `more` are those that nobody counted."""
    if not names:
        return "(Empty project.)"
    left = len(names) - _NAMES + more
    rest = f" and {left} more" if left > 0 else ""
    return f"(Files in the project: {', '.join(names[:_NAMES])}{rest})"


def supplied(
    prompt: str, files: Mapping[str, str], *, count: Callable[[str], int], room: int, held: str = ""
) -> Supplied:
    """Texts of `files` (by name) for a request, at most `room` tokens as `count` counts them.

    A file that stands whole in `held`, what the model was told before, is not told again.
    """
    texts = {name: text.strip("\n") for name, text in files.items() if text.strip()}
    whole = [name for name, text in texts.items() if text in held]
    wanted = {name: text for name, text in texts.items() if name not in whole}
    small = sum(map(len, wanted.values())) // 4 <= room
    blocks: dict[str, str] = {}
    for name, score in ranked(prompt, wanted):
        if not small and score <= 0:
            break
        block = _block(name, name, wanted[name]) if len(wanted[name]) <= LARGEST_FILE else ""
        if block and count(block) <= room:
            whole.append(name)
        else:
            block = _excerpts(prompt, name, wanted[name], count, room)
        if block:
            blocks[name] = block
            room -= count(block)
    text = "\n\n".join(blocks[name] for name in texts if name in blocks)
    return Supplied(text, tuple(whole), len(whole) == len(texts))


def ranked(prompt: str, files: Mapping[str, str]) -> list[tuple[str, float]]:
    """Files by how much they have to do with the words of a request, the best first; 0 means nothing."""
    words = _words(prompt)
    lower = {name: text.casefold() for name, text in files.items()}
    having = Counter(word for word in words for text in lower.values() if word in text)
    spoken = prompt.casefold()
    scores: list[tuple[str, float]] = []
    for name, text in lower.items():
        base = name.rsplit("/", 1)[-1].casefold()
        score = 50.0 if base in spoken else 8.0 if base.rsplit(".", 1)[0] in words else 0.0
        score += sum(
            math.log(1 + len(files) / having[word]) * (1 + math.log(text.count(word))) for word in words if word in text
        )
        scores.append((name, score))
    # Among equals the page comes first, then the shorter file.
    return sorted(scores, key=lambda one: (-one[1], not one[0].endswith((".html", ".htm")), len(files[one[0]])))


def _words(prompt: str) -> list[str]:
    """Words of a request that tell something, folded; parts of words in camel case too."""
    found: list[str] = []
    for match in _WORD.finditer(prompt):
        word = match[0].strip(".,:-")
        found.append(word.casefold())
        found += [hump.casefold() for hump in _HUMP.findall(word) if len(hump) > 3]
    return [word for word in dict.fromkeys(found) if word not in _COMMON and len(word) > 1]


def _block(title: str, name: str, text: str) -> str:
    """A text in a fence that nothing in it can close."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`{3,}", text)), default=0))
    ending = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    return f"{title}\n{fence}{ending}\n{text}\n{fence}"


def _excerpts(prompt: str, name: str, text: str, count: Callable[[str], int], room: int) -> str:
    """The lines of a long file that have most to do with the request, with some around them; "" when none has."""
    words = _words(prompt)
    lines = text.splitlines()
    hits: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        folded = line.casefold() if len(line) <= _LONGEST_LINE else ""
        if found := sum(1 for word in words if word in folded):
            hits.append((-found, number))
    best = ""
    chosen: set[int] = set()
    for _, number in sorted(hits)[:_MOST_HITS]:
        around = range(max(0, number - _AROUND), min(len(lines), number + _AROUND + 1))
        more = chosen | {at for at in around if len(lines[at]) <= _LONGEST_LINE}
        block = _parts(name, lines, sorted(more))
        if count(block) > room:
            break
        chosen, best = more, block
    return best


def _parts(name: str, lines: Sequence[str], numbers: Sequence[int]) -> str:
    """Blocks of lines that follow each other."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return "\n\n".join(
        _block(
            f"{name}, lines {part[0] + 1} to {part[-1] + 1} of {len(lines)}",
            name,
            "\n".join(lines[at] for at in part),
        )
        for part in parts
    )
