"""What git would ignore, and the walk through a project that never enters it.

The rules are git's: a .gitignore counts for its folder and everything below, the deepest one first, the last matching
line of it; a folder that is ignored is not entered, so nothing below it can be taken back. When the project lies in a
git repository, the .gitignore files above it and .git/info/exclude count too.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

__all__ = ["ALWAYS_IGNORED", "Found", "Ignore", "LeftOut", "walk"]

ALWAYS_IGNORED = frozenset(
    [
        ".git",
        ".hg",
        ".svn",
        ".roomcode",
        "node_modules",
        "bower_components",
        "__pycache__",
        ".venv",
        "venv",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".DS_Store",
    ]
)


def _spec(path: Path) -> GitIgnoreSpec | None:
    """The rules of one file; a line that git would not understand is left out."""
    try:
        lines = path.read_bytes().decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        good = []
        for line in lines:
            try:
                GitIgnoreSpec.from_lines([line])
            except ValueError:
                continue
            good.append(line)
        return GitIgnoreSpec.from_lines(good)


@dataclass(slots=True)
class Ignore:
    """The ignore rules of the project at `root`, read as they are needed and kept for the life of this object.

    With `below` only rules of that folder and the folders in it count: for a folder that is ignored itself but was
    asked for by name.
    """

    root: Path
    below: str = "."
    _specs: dict[str, GitIgnoreSpec | None] = field(default_factory=dict)
    _above: list[tuple[str, GitIgnoreSpec]] | None = None

    def ignores(self, rel: str, *, folder: bool) -> bool:
        """Whether this path, or a folder that it lies in, is ignored. `rel` is relative to the root, with `/`."""
        parts = rel.split("/")
        return any(
            self.ignores_entry("/".join(parts[:count]), folder=folder or count < len(parts))
            for count in range(1, len(parts) + 1)
        )

    def ignores_entry(self, rel: str, *, folder: bool) -> bool:
        """Like `ignores`, for a path whose folder is known not to be ignored."""
        parts = rel.split("/")
        if parts[-1] in ALWAYS_IGNORED:
            return True
        mark = "/" if folder else ""
        for count in range(len(parts) - 1, -1, -1):
            base = "/".join(parts[:count]) or "."
            spec = self._rules(base)
            if spec is not None:
                verdict = spec.check_file("/".join(parts[count:]) + mark).include
                if verdict is not None:
                    return verdict
            if base == self.below != ".":
                return False
        for prefix, spec in self._rules_above():
            verdict = spec.check_file(prefix + rel + mark).include
            if verdict is not None:
                return verdict
        return False

    def _rules(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            self._specs[folder] = _spec(self.root / folder / ".gitignore")
        return self._specs[folder]

    def _rules_above(self) -> list[tuple[str, GitIgnoreSpec]]:
        """Rules of the folders above the root up to the top of the repository, with the root's path from there."""
        if self._above is None:
            self._above = []
            folders = [self.root, *self.root.parents]
            top = next((index for index, folder in enumerate(folders) if (folder / ".git").exists()), None)
            if top is not None:
                candidates = [(folder, folder / ".gitignore") for folder in folders[1 : top + 1]]
                candidates.append((folders[top], folders[top] / ".git" / "info" / "exclude"))
                for folder, file in candidates:
                    spec = _spec(file)
                    if spec is not None:
                        prefix = "" if folder == self.root else self.root.relative_to(folder).as_posix() + "/"
                        self._above.append((prefix, spec))
        return self._above


@dataclass(slots=True)
class LeftOut:
    """What a walk left out because it is ignored: how many entries, and the names of the first few.

    roomcode's own folder is not worth a word.
    """

    count: int = 0
    names: list[str] = field(default_factory=list)

    def add(self, name: str) -> None:
        if name == ".roomcode/":
            return
        self.count += 1
        if len(self.names) < 5:
            self.names.append(name)


@dataclass(frozen=True, slots=True)
class Found:
    """A file met on a walk; `rel` is relative to the project."""

    rel: str
    entry: "os.DirEntry[str]"


def walk(ignore: Ignore, start: str, left_out: LeftOut, stop: Callable[[], bool] = lambda: False) -> Iterator[Found]:
    """All files below `start` (relative, "." for the root) that are not ignored, folder by folder, sorted by name.

    Links are not followed: what they lead to in the project is met where it lies. A folder that cannot be listed is
    passed over. Ends early once `stop()` is true.
    """
    folders = [start]
    while folders and not stop():
        folder = folders.pop()
        try:
            with os.scandir(ignore.root / folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        deeper: list[str] = []
        for entry in entries:
            rel = entry.name if folder == "." else f"{folder}/{entry.name}"
            is_folder = entry.is_dir(follow_symlinks=False)
            if ignore.ignores_entry(rel, folder=is_folder):
                left_out.add(rel + ("/" if is_folder else ""))
            elif is_folder:
                deeper.append(rel)
            elif entry.is_file(follow_symlinks=False):
                yield Found(rel, entry)
        folders += reversed(deeper)
