"""What the two sources of model files have in common."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from roomcode.models.catalogue import Entry

__all__ = ["Fetched", "Progress", "Report", "Source", "SourceError"]


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` bytes; `stage` says what is being done with them."""

    stage: Literal["hub", "index", "checksum"]
    done: int
    total: int


Report = Callable[[Progress], None]
"""Called often, from the thread that pulls; must return quickly."""


class SourceError(Exception):
    """This source cannot give the model; the message is a reason that fits after `the hub: ` and may be followed by
    another source's try."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A complete but not yet verified file. `sha256` is what the source itself says, or empty."""

    path: Path
    sha256: str = ""


class Source(Protocol):
    """One place that models come from."""

    @property
    def name(self) -> str:
        """For messages: `the model hub`."""
        ...

    def offers(self, entry: Entry) -> bool:
        """Whether the catalogue has this source for the model."""
        ...

    def fetch(self, entry: Entry, staging: Path, report: Report) -> Fetched:
        """Bring the file into `staging`, going on where an earlier try stopped. Raises SourceError."""
        ...
