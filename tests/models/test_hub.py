"""The hub client against a stand-in server on this machine."""

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from roomcode.models import Entry, HubSource, Profile, Progress, SourceError
from roomcode.models.hub import HubClient

DATA = bytes(range(256)) * 60_000
"""Longer than the 10 MB pieces in which the client writes."""
SHA256 = hashlib.sha256(DATA).hexdigest()
REVISION = "a" * 40
PATH = f"/me/tiny-GGUF/resolve/{REVISION}/tiny.gguf"
ENTRY = Entry(
    name="tiny",
    title="Tiny",
    parameters=1,
    kv_bytes_per_token=1,
    size=len(DATA),
    sha256=SHA256,
    license="MIT",
    about="for tests",
    profile=Profile("generic"),
    hub=HubSource("me/tiny-GGUF", "tiny.gguf", REVISION),
)


@dataclass
class Hub:
    """What the stand-in does, and what it was asked."""

    address: str = ""
    cut_after: int | None = None
    """Break the next download off after so many bytes."""
    status: int = 200
    ranges: bool = True
    size: int = len(DATA)
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


def _handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(False)

        def do_GET(self) -> None:
            self._answer(True)

        def _answer(self, body: bool) -> None:
            hub.asked.append((self.command, self.path, self.headers.get("Range")))
            hub.headers.append({name.lower(): value for name, value in self.headers.items()})
            if hub.status != 200 or self.path.partition("?")[0] != PATH:
                self.send_error(hub.status if hub.status != 200 else 404)
                return
            start = 0
            if hub.ranges and (wanted := self.headers.get("Range")):
                start = int(wanted.removeprefix("bytes=").partition("-")[0])
            data = DATA[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(data)))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(DATA) - 1}/{len(DATA)}")
            self.send_header("X-Repo-Commit", REVISION)
            self.send_header("X-Linked-Etag", f'"{SHA256}"')
            self.send_header("X-Linked-Size", str(hub.size))
            self.send_header("ETag", '"short"')
            self.end_headers()
            if body:
                cut, hub.cut_after = hub.cut_after, None
                self.wfile.write(data[:cut])
                if cut is not None:
                    self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub))
    hub.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield hub
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_file_comes_whole_with_the_hubs_checksum_and_progress(hub: Hub, tmp_path: Path) -> None:
    seen: list[Progress] = []
    fetched = HubClient(hub.address).fetch(ENTRY, tmp_path, seen.append)
    assert fetched.path.read_bytes() == DATA
    assert fetched.sha256 == SHA256
    assert (seen[0].stage, seen[0].done, seen[-1].done, seen[-1].total) == ("hub", 0, len(DATA), len(DATA))
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)


def test_no_credentials_are_sent(hub: Hub, tmp_path: Path) -> None:
    HubClient(hub.address).fetch(ENTRY, tmp_path, lambda progress: None)
    assert len(hub.headers) == 2
    assert not any("authorization" in headers or "cookie" in headers for headers in hub.headers)


def test_an_earlier_part_is_not_fetched_again(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "hub.part").write_bytes(DATA[:300_000])
    seen: list[Progress] = []
    fetched = HubClient(hub.address).fetch(ENTRY, tmp_path, seen.append)
    assert fetched.path.read_bytes() == DATA
    assert hub.asked[-1] == ("GET", PATH, "bytes=300000-")
    assert seen[0].done == 300_000


def test_a_complete_part_is_not_fetched_at_all(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "hub.part").write_bytes(DATA)
    assert HubClient(hub.address).fetch(ENTRY, tmp_path, lambda progress: None).path.read_bytes() == DATA
    assert [method for method, _, _ in hub.asked] == ["HEAD"]


def test_a_part_that_is_too_long_is_thrown_away(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "hub.part").write_bytes(DATA + b"more")
    assert HubClient(hub.address).fetch(ENTRY, tmp_path, lambda progress: None).path.read_bytes() == DATA


@pytest.mark.slow
def test_a_broken_connection_goes_on_where_it_broke(hub: Hub, tmp_path: Path) -> None:
    hub.cut_after = 12_000_000
    assert HubClient(hub.address).fetch(ENTRY, tmp_path, lambda progress: None).path.read_bytes() == DATA
    assert hub.asked[-1] == ("GET", PATH, "bytes=10485760-")


def test_a_hub_that_ignores_ranges_starts_anew(hub: Hub, tmp_path: Path) -> None:
    hub.ranges = False
    (tmp_path / "hub.part").write_bytes(b"x" * 1000)
    assert HubClient(hub.address).fetch(ENTRY, tmp_path, lambda progress: None).path.read_bytes() == DATA


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_a_refusal_names_the_status(hub: Hub, tmp_path: Path, status: int) -> None:
    hub.status = status
    with pytest.raises(SourceError, match=f"answered {status} for me/tiny-GGUF"):
        HubClient(hub.address).fetch(ENTRY, tmp_path, lambda progress: None)


def test_a_file_of_another_size_is_refused_before_the_download(hub: Hub, tmp_path: Path) -> None:
    hub.size = 5
    with pytest.raises(SourceError, match="a file of 5 bytes where 15360000 are expected"):
        HubClient(hub.address).fetch(ENTRY, tmp_path, lambda progress: None)
    assert [method for method, _, _ in hub.asked] == ["HEAD"]


def test_a_hub_that_is_not_there_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be reached"):
        HubClient("http://127.0.0.1:9", timeout=2).fetch(ENTRY, tmp_path, lambda progress: None)
