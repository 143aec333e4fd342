"""Putting a model in its place: checked, atomic, never over a file in use."""

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from roomcode.models import (
    Entry,
    Fetched,
    HubSource,
    ModelError,
    Profile,
    Progress,
    Report,
    SourceError,
    is_complete,
    pull,
)

DATA = bytes(range(256)) * 40


def make_entry(data: bytes = DATA, sha256: str | None = None) -> Entry:
    return Entry(
        name="tiny",
        title="Tiny",
        parameters=1,
        kv_bytes_per_token=1,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest() if sha256 is None else sha256,
        license="MIT",
        about="for tests",
        profile=Profile("generic"),
        hub=HubSource("me/tiny", "tiny.gguf", "main"),
    )


class FakeSource:
    """Writes `data`, or fails; counts its calls."""

    def __init__(self, name: str, data: bytes = DATA, *, fails: str = "", sha256: str = "") -> None:
        self.name = name
        self.data = data
        self.fails = fails
        self.sha256 = sha256
        self.calls = 0
        self.during: Callable[[Path], None] = lambda staging: None

    def offers(self, entry: Entry) -> bool:
        return True

    def fetch(self, entry: Entry, staging: Path, report: Report) -> Fetched:
        self.calls += 1
        self.during(staging)
        if self.fails:
            raise SourceError(self.fails)
        path = staging / f"{self.name}.part"
        path.write_bytes(self.data)
        report(Progress("hub", len(self.data), entry.size))
        return Fetched(path, self.sha256)


def plenty(path: Path) -> int:
    return 10**12


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def test_a_pulled_model_is_whole_and_alone(tmp_path: Path) -> None:
    seen: list[Progress] = []
    path = pull(make_entry(), tmp_path, sources=[FakeSource("hub")], report=seen.append, free_space=plenty)
    assert path.read_bytes() == DATA
    assert visible(tmp_path) == ["tiny.gguf"]
    assert [progress.stage for progress in seen] == ["hub", "checksum"]
    assert seen[-1].done == seen[-1].total == len(DATA)


def test_a_model_that_is_here_is_not_fetched_again(tmp_path: Path) -> None:
    source = FakeSource("hub")
    entry = make_entry()
    for _ in range(3):
        pull(entry, tmp_path, sources=[source], free_space=plenty)
    assert source.calls == 1


def test_a_model_put_there_by_hand_is_checked_once(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(DATA)
    stages: list[str] = []
    for _ in range(2):
        assert is_complete(make_entry(), tmp_path / "tiny.gguf", lambda progress: stages.append(progress.stage))
    assert stages == ["checksum"]
    (tmp_path / "tiny.gguf").write_bytes(DATA[::-1])
    assert not is_complete(make_entry(), tmp_path / "tiny.gguf")


def test_the_next_source_is_tried_and_the_person_told(tmp_path: Path) -> None:
    lines: list[str] = []
    bad, good = FakeSource("the hub", fails="cannot be reached (no route)"), FakeSource("the index")
    path = pull(make_entry(), tmp_path, sources=[bad, good], say=lines.append, free_space=plenty)
    assert path.read_bytes() == DATA
    assert lines == ["The hub cannot be reached (no route)."]
    assert (bad.calls, good.calls) == (1, 1)


def test_all_reasons_are_in_the_error(tmp_path: Path) -> None:
    sources = [FakeSource("the hub", fails="is closed"), FakeSource("the index", fails="is empty")]
    with pytest.raises(ModelError, match="could not be fetched: the hub is closed; the index is empty"):
        pull(make_entry(), tmp_path, sources=sources, free_space=plenty)
    assert visible(tmp_path) == []


@pytest.mark.parametrize(
    ("data", "said"),
    [(DATA[::-1], "another checksum"), (DATA[:-1], "only 10239 of 10240"), (DATA + b"x", "another checksum")],
)
def test_a_wrong_file_never_gets_into_place(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        pull(make_entry(), tmp_path, sources=[FakeSource("hub", data)], free_space=plenty)
    assert visible(tmp_path) == []
    assert pull(make_entry(), tmp_path, sources=[FakeSource("hub")], free_space=plenty).read_bytes() == DATA


def test_without_a_known_checksum_the_sources_own_counts(tmp_path: Path) -> None:
    entry = make_entry(sha256="")
    with pytest.raises(ModelError, match="does not say a checksum"):
        pull(entry, tmp_path, sources=[FakeSource("hub")], free_space=plenty)
    with pytest.raises(ModelError, match="another checksum"):
        pull(entry, tmp_path, sources=[FakeSource("hub", sha256="0" * 64)], free_space=plenty)
    good = FakeSource("hub", sha256=hashlib.sha256(DATA).hexdigest())
    for _ in range(2):
        assert pull(entry, tmp_path, sources=[good], free_space=plenty).read_bytes() == DATA
    assert good.calls == 1


def test_a_full_disk_is_noticed_before_the_download(tmp_path: Path) -> None:
    source = FakeSource("hub")
    with pytest.raises(ModelError, match=r"needs 300 MB of disk space and 5 MB is free in .*ROOMCODE_MODELS"):
        pull(make_entry(), tmp_path, sources=[source], free_space=lambda path: 5_000_000)
    assert source.calls == 0


def test_a_foreign_file_is_kept_unless_forced(tmp_path: Path) -> None:
    place = tmp_path / "tiny.gguf"
    place.write_bytes(b"mine")
    with pytest.raises(ModelError, match=r"is not tiny .* --force"):
        pull(make_entry(), tmp_path, sources=[FakeSource("hub")], free_space=plenty)
    assert place.read_bytes() == b"mine"
    pull(make_entry(), tmp_path, sources=[FakeSource("hub")], force=True, free_space=plenty)
    assert place.read_bytes() == DATA


def test_a_file_in_use_is_replaced_beside_its_reader(tmp_path: Path) -> None:
    place = tmp_path / "tiny.gguf"
    place.write_bytes(b"old" * 1000)
    with place.open("rb") as reader:
        pull(make_entry(), tmp_path, sources=[FakeSource("hub")], force=True, free_space=plenty)
        assert reader.read() == b"old" * 1000
    assert place.read_bytes() == DATA


def test_two_pulls_of_one_model_wait_for_each_other(tmp_path: Path) -> None:
    source, second = FakeSource("hub"), FakeSource("hub")
    said = threading.Event()
    results: list[Path] = []

    def other() -> None:
        results.append(pull(make_entry(), tmp_path, sources=[second], say=lambda line: said.set(), free_space=plenty))

    thread = threading.Thread(target=other)

    def while_fetching(staging: Path) -> None:
        thread.start()
        assert said.wait(10)
        assert not results

    source.during = while_fetching
    path = pull(make_entry(), tmp_path, sources=[source], free_space=plenty)
    thread.join(10)
    assert results == [path]
    assert (source.calls, second.calls) == (1, 0)


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ModelError, match=r"cannot be stored in .*\(not a directory\).*ROOMCODE_MODELS"):
        pull(make_entry(), tmp_path / "file", sources=[FakeSource("hub")], free_space=plenty)


def test_a_stopped_pull_leaves_what_it_has(tmp_path: Path) -> None:
    source = FakeSource("hub")

    def stop(staging: Path) -> None:
        (staging / "hub.part").write_bytes(DATA[:100])
        raise KeyboardInterrupt

    source.during = stop
    with pytest.raises(KeyboardInterrupt):
        pull(make_entry(), tmp_path, sources=[source], free_space=plenty)
    assert (tmp_path / ".partial" / "tiny" / "hub.part").read_bytes() == DATA[:100]
    assert visible(tmp_path) == []
    source.during = lambda staging: None
    assert pull(make_entry(), tmp_path, sources=[source], free_space=plenty).read_bytes() == DATA
    assert not (tmp_path / ".partial" / "tiny").exists()
