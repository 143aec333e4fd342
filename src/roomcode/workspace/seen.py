"""Who has seen which state of which file: the memory behind "never overwrite a change you have not seen".

Pure bookkeeping on digests of content, so that a file that was only touched, or written twice in one second, is told
apart rightly.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["PERSON", "Seen"]

PERSON = "you"
"""The author of changes that no tool made."""


@dataclass(slots=True)
class Seen:
    """For each reader (the conversation, a subagent) the digest of each file it last read or wrote; None: no file."""

    _readers: dict[str, dict[str, str | None]] = field(default_factory=dict)
    _last: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    """For each file its last known state in this session, and who made it."""
    _refused: set[tuple[str, str]] = field(default_factory=set)
    """(reader, file) that were refused once in this request."""

    def saw(self, reader: str, rel: str, digest: str | None) -> None:
        """`reader` was shown this state of the file."""
        self._readers.setdefault(reader, {})[rel] = digest

    def wrote(self, reader: str, author: str, rel: str, digest: str | None) -> None:
        """`reader` made this state of the file; its own write counts as a read."""
        self.saw(reader, rel, digest)
        self._last[rel] = (digest, author)

    def changed_by_person(self, rel: str, digest: str | None) -> None:
        self._last[rel] = (digest, PERSON)

    def stale(self, reader: str, rel: str, digest: str | None) -> str:
        """Who made the state `digest` that `reader` has not seen, or "" when it may write.

        A file that nobody touched in this session may be written without reading it: it holds no change.
        """
        known = self._readers.get(reader, {})
        last = self._last.get(rel)
        if rel in known:
            if known[rel] == digest:
                return ""
            return last[1] if last is not None and last[0] == digest else PERSON
        if last is None or digest is None:
            return ""
        return last[1] if last[0] == digest else PERSON

    def refused_before(self, reader: str, rel: str) -> bool:
        """Whether this was asked before in this request; from now on it was."""
        before = (reader, rel) in self._refused
        self._refused.add((reader, rel))
        return before

    def new_request(self) -> None:
        self._refused.clear()

    def known(self, reader: str) -> Mapping[str, str | None]:
        """What one reader knows; to keep with a session and to give back to `restore`."""
        return dict(self._readers.get(reader, {}))

    def restore(self, reader: str, known: Mapping[str, str | None]) -> None:
        self._readers[reader] = dict(known)

    def files(self) -> frozenset[str]:
        """Every file that some reader knows."""
        return frozenset(rel for known in self._readers.values() for rel in known)
