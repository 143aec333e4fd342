import asyncio
import contextlib
import mimetypes
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from roomcode.preview.server import StaticServer

from .conftest import free_port, write

FILES: dict[str, str | bytes] = {
    "index.html": "<!doctype html>\n<title>Home</title>\n<body><p>café</p></body>\n",
    "main.mjs": "export {}",
    "app.js": "1",
    "style.css": "a{}",
    "pic.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "m.wasm": b"\0asm",
    "d.json": "{}",
    "app.webmanifest": "{}",
    "old.html": "<p>caf\xe9</p>".encode("latin-1"),
    "digits.txt": "0123456789",
    "sub/index.html": "<p>sub</p>",
    "empty/x.txt": "",
    "zero.js": "",
    "spa ce%.txt": "odd",
    ".env": "SECRET",
    ".git/config": "SECRET",
    "sub/.hidden/x.txt": "SECRET",
    "app.js.gz": b"not what was asked for",
}


@pytest_asyncio.fixture
async def server(tmp_path: Path) -> AsyncIterator[StaticServer]:
    write(tmp_path, {f"site/{name}": content for name, content in FILES.items()})
    write(tmp_path, {"secret.txt": "SECRET"})
    one = StaticServer((tmp_path / "site").resolve())
    await one.start(free_port())
    try:
        yield one
    finally:
        await one.close()


async def raw(port: int, request: str) -> str:
    """The whole answer to bytes that no well-behaved client would send."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request.encode("latin-1"))
        await writer.drain()
        return (await asyncio.wait_for(reader.read(), 5)).decode("latin-1")
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def ask(server: StaticServer, target: str, *headers: str, method: str = "GET", host: str | None = None) -> str:
    host = f"127.0.0.1:{server.port}" if host is None else host
    lines = [f"{method} {target} HTTP/1.1", *([f"Host: {host}"] if host else []), "Connection: close", *headers]
    return await raw(server.port, "\r\n".join(lines) + "\r\n\r\n")


def status(answer: str) -> int:
    return int(answer.split(" ", 2)[1])


def header(answer: str, name: str) -> str | None:
    head = answer.partition("\r\n\r\n")[0].split("\r\n")[1:]
    return next((line.partition(": ")[2] for line in head if line.lower().startswith(f"{name.lower()}:")), None)


def body(answer: str) -> str:
    return answer.partition("\r\n\r\n")[2]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/main.mjs", "text/javascript; charset=utf-8"),
        ("/app.js", "text/javascript; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/pic.svg", "image/svg+xml; charset=utf-8"),
        ("/m.wasm", "application/wasm"),
        ("/d.json", "application/json; charset=utf-8"),
        ("/app.webmanifest", "application/manifest+json; charset=utf-8"),
        ("/old.html", "text/html"),
        ("/zero.js", "text/javascript; charset=utf-8"),
    ],
)
async def test_types_are_right_whatever_the_host_says(server: StaticServer, path: str, kind: str) -> None:
    before = {ending: mimetypes.guess_type(f"a{ending}")[0] for ending in (".js", ".css", ".html")}
    for ending in before:
        mimetypes.add_type("text/plain", ending)
    try:
        answer = await ask(server, path)
    finally:
        for ending, known in before.items():
            mimetypes.add_type(known or "text/plain", ending)
    assert (status(answer), header(answer, "Content-Type")) == (200, kind)
    assert header(answer, "Cache-Control") == "no-store"
    assert header(answer, "ETag") is None
    assert header(answer, "Last-Modified") is None


async def test_the_file_itself_is_sent_also_when_the_client_takes_compressed_ones(server: StaticServer) -> None:
    answer = await ask(server, "/app.js", "Accept-Encoding: gzip, br")
    assert (body(answer), header(answer, "Content-Encoding")) == ("1", None)
    answer = await ask(server, "/", method="HEAD")
    assert (status(answer), body(answer)) == (200, "")
    assert header(answer, "Content-Length") == str(len(str(FILES["index.html"]).encode()))


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "evil.example", "evil.example:{port}", "127.0.0.1:1", "", "127.0.0.1.evil.example:{port}"]
)
async def test_other_names_are_refused(server: StaticServer, host: str) -> None:
    answer = await ask(server, "/", host=host.format(port=server.port))
    assert status(answer) in (400, 403)
    assert "caf" not in answer


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}"])
async def test_its_own_names_are_answered(server: StaticServer, host: str) -> None:
    assert status(await ask(server, "/", host=host.format(port=server.port))) == 200


@pytest.mark.parametrize(
    "target",
    [
        "/.env", "/.git/config", "/sub/.hidden/x.txt", "/%2eenv", "/%2E%65nv", "/sub/../.env", "/../secret.txt",
        "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/sub/..%2f..%2fsecret.txt", "/..%5csecret.txt",
        "/%2e%2e%2fsecret.txt",
        "//secret.txt", "/sub//index.html", "/index.html%00.txt", "/%c0%ae%c0%ae/secret.txt", "/%ff",
        "/empty", "/empty/", "/nothing.html", "/index.html/", "/index.html/x", "/" + "a" * 3000,
    ],
)  # fmt: skip
async def test_nothing_hidden_or_outside_is_served(server: StaticServer, target: str) -> None:
    answer = await ask(server, target)
    assert status(answer) in (302, 404)
    assert "SECRET" not in answer
    if status(answer) == 302:
        assert status(await ask(server, header(answer, "Location") or "")) == 404


@pytest.mark.parametrize("target", ["http://evil.example/", "secret.txt", "*", "/a b"])
async def test_malformed_targets_do_not_harm(server: StaticServer, target: str) -> None:
    assert status(await ask(server, target)) in (400, 404)
    assert status(await ask(server, "/")) == 200


async def test_links_out_of_the_folder_pipes_and_sockets_are_not_served(server: StaticServer, tmp_path: Path) -> None:
    site = server.folder
    (site / "out.txt").symlink_to(tmp_path / "secret.txt")
    (site / "up").symlink_to(tmp_path)
    (site / "env.txt").symlink_to(site / ".env")
    (site / "in.txt").symlink_to(site / "digits.txt")
    os.mkfifo(site / "pipe.txt")
    for target in ("/out.txt", "/up/secret.txt", "/env.txt", "/pipe.txt"):
        answer = await ask(server, target)
        assert status(answer) == 404, target
        assert "SECRET" not in answer
    assert body(await ask(server, "/in.txt")) == "0123456789"


@pytest.mark.parametrize(
    ("wanted", "code", "content", "told"),
    [
        ("bytes=2-4", 206, "234", "bytes 2-4/10"),
        ("bytes=7-", 206, "789", "bytes 7-9/10"),
        ("bytes=-3", 206, "789", "bytes 7-9/10"),
        ("bytes=-99", 200, "0123456789", None),
        ("bytes=0-99", 200, "0123456789", None),
        ("bytes=5-99", 206, "56789", "bytes 5-9/10"),
        ("bytes=10-", 416, "", "bytes */10"),
        ("bytes=4-2", 416, "", "bytes */10"),
        ("bytes=-0", 416, "", "bytes */10"),
        ("bytes=0-1,3-4", 200, "0123456789", None),
        ("bytes=a-b", 200, "0123456789", None),
        ("bytes=--5", 200, "0123456789", None),
        ("lines=1-2", 200, "0123456789", None),
        ("bytes=²-3", 200, "0123456789", None),
    ],
)
async def test_ranges(server: StaticServer, wanted: str, code: int, content: str, told: str | None) -> None:
    answer = await ask(server, "/digits.txt", f"Range: {wanted}")
    assert (status(answer), body(answer), header(answer, "Content-Range")) == (code, content, told)
    if code != 416:
        assert header(answer, "Content-Length") == str(len(content))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
async def test_only_reading_is_allowed(server: StaticServer, method: str) -> None:
    answer = await ask(server, "/", "Content-Length: 0", method=method)
    assert (status(answer), header(answer, "Allow")) == (405, "GET, HEAD")


async def test_folders_get_their_slash_and_odd_names_work(server: StaticServer) -> None:
    answer = await ask(server, "/sub?x=1")
    assert (status(answer), header(answer, "Location")) == (302, "/sub/")
    assert "sub" in body(await ask(server, "/sub/"))
    assert body(await ask(server, "/spa%20ce%25.txt")) == "odd"


async def test_a_missing_page_names_the_nearest_one_without_running_it(server: StaticServer) -> None:
    answer = await ask(server, "/indx.html")
    assert "Did you mean index.html?" in body(answer)
    assert "<script>" not in body(await ask(server, "/%3Cscript%3E.html"))


async def test_what_was_missed_and_given_is_remembered_until_the_next_load(server: StaticServer) -> None:
    await ask(server, "/app.js", "User-Agent: one")
    await ask(server, "/nope.js", "User-Agent: one")
    assert server.missed == [("one", f"{server.origin}/nope.js")]
    assert not server.given.changed()
    server.folder.joinpath("nope.js").write_text("now")
    assert server.given.changed()
    server.forget()
    assert server.missed == []
    assert not server.given.changed()
    await ask(server, "/app.js")
    server.folder.joinpath("app.js").write_text("something longer")
    assert server.given.changed()


async def test_a_large_file_arrives_whole(server: StaticServer) -> None:
    content = os.urandom(3_000_001)
    server.folder.joinpath("big.bin").write_bytes(content)
    async with aiohttp.ClientSession() as client, client.get(f"{server.origin}/big.bin") as answer:
        assert await answer.read() == content


async def test_an_answer_that_nobody_reads_does_not_block_others_or_the_end(server: StaticServer) -> None:
    server.folder.joinpath("big.bin").write_bytes(bytes(30_000_000))
    with socket.create_connection(("127.0.0.1", server.port)) as lazy:
        lazy.sendall(f"GET /big.bin HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        assert status(await ask(server, "/")) == 200
        await asyncio.wait_for(server.close(), 10)


async def test_after_closing_nothing_listens_and_the_port_is_free(tmp_path: Path) -> None:
    first = StaticServer(tmp_path.resolve())
    port = await first.start(free_port())
    await first.close()
    await first.close()
    with pytest.raises(OSError, match=r"refused|Connect call failed"):
        await asyncio.open_connection("127.0.0.1", port)
    second = StaticServer(tmp_path.resolve())
    try:
        assert await second.start(port) == port
    finally:
        await second.close()


async def test_two_servers_never_share_a_port(tmp_path: Path) -> None:
    servers = [StaticServer(tmp_path.resolve()) for _ in range(3)]
    wanted = free_port()
    try:
        ports = [await server.start(wanted) for server in servers]
        assert len(set(ports)) == 3
        assert ports[0] == wanted
    finally:
        await asyncio.gather(*(server.close() for server in servers))


PERSON = "User-Agent: Mozilla/5.0 (X11; Linux x86_64)"


async def test_live_reload_adds_its_script_for_a_person_only_and_moves_no_line(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    before = tmp_path.joinpath("index.html").read_bytes()
    server = StaticServer(tmp_path.resolve(), live_reload=True)
    await server.start(free_port())
    try:
        person, checker = await ask(server, "/", PERSON), await ask(server, "/", f"{PERSON} roomcode/3")
        assert body(checker).encode("latin-1") == before
        assert "EventSource" in body(person)
        lines = body(person).encode("latin-1").split(b"\n")
        assert [line.partition(b"<script>")[0] for line in lines[:2]] == before.split(b"\n")[:2]
        assert len(lines) == len(before.split(b"\n"))
        assert "EventSource" not in body(await ask(server, "/app.js", PERSON))
        assert tmp_path.joinpath("index.html").read_bytes() == before
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(f"GET /__roomcode/changes HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
        tmp_path.joinpath("app.js").write_text("changed now")
        assert await asyncio.wait_for(reader.readuntil(b"event: change"), 5)
        writer.close()
        await writer.wait_closed()
    finally:
        await asyncio.wait_for(server.close(), 5)
