"""One run of one task as one line of JSON, and files of such lines."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

__all__ = ["Record", "append", "key_of", "read"]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one run. Counts and tokens are sums over all requests of the task."""

    task: str
    family: str
    model: str
    variant: str
    """Which parts of the harness were on; `everything`, or a name of `evals.variants`."""
    seed: int
    passed: bool
    failure: str = ""
    """What the check complained about; empty when it passed."""
    reason: str
    """How the last request that ran ended: a reason of roomcode, or `timeout`, or `crash`."""
    detail: str = ""
    form: str = ""
    steps: int = 0
    calls: int = 0
    tokens: int = 0
    """Tokens of the model's answers."""
    prompt_tokens: int = 0
    """Tokens computed of prompts, without those whose state was still there."""
    seconds: float = 0.0
    """Time of the requests, without starting and loading."""
    wall_seconds: float = 0.0
    started: str = ""
    settings: dict[str, str] = {}
    versions: dict[str, str] = {}
    transcript: str = ""
    project: str = ""


Key = tuple[str, str, str, int]


def key_of(record: Record) -> Key:
    """What makes a run the same run: model, variant, task and seed."""
    return (record.model, record.variant, record.task, record.seed)


def read(path: Path) -> list[Record]:
    """All whole lines of a file; of runs that stand there twice the later one. A missing file holds none.

    A last line that was cut off is left out. Raises ValueError that names a line which is broken otherwise.
    """
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    records: dict[Key, Record] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = msgspec.json.decode(line, type=Record)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if number == len(lines):
                continue
            raise ValueError(f"{path}, line {number}: {error}") from error
        records[key_of(record)] = record
    return list(records.values())


def append(path: Path, records: Iterable[Record] | Sequence[Record]) -> None:
    """Add lines and bring them to the disk. What a crash left of a last line is thrown away first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        file.seek(0)
        whole = file.read()
        if whole and not whole.endswith(b"\n"):
            file.truncate(whole.rfind(b"\n") + 1)
        for record in records:
            file.write(msgspec.json.encode(record) + b"\n")
        file.flush()
        os.fsync(file.fileno())
