import itertools
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from roomcode.preview.ports import UNSAFE, answers, candidates, claim

from .conftest import free_port


@contextmanager
def listening(family: int, host: str, port: int) -> Iterator[None]:
    with socket.socket(family, socket.SOCK_STREAM) as other:
        if family == socket.AF_INET6:
            other.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        try:
            other.bind((host, port))
        except OSError:
            pytest.skip(f"this machine has no {host}")
        other.listen()
        yield


def test_a_free_port_is_taken_as_wished_on_this_machine_only() -> None:
    port = free_port()
    with claim(port) as sock:
        assert sock.getsockname() == ("127.0.0.1", port)
        assert not sock.get_inheritable()


@pytest.mark.parametrize(
    ("family", "host"),
    [
        (socket.AF_INET, "127.0.0.1"),
        (socket.AF_INET, "0.0.0.0"),
        (socket.AF_INET6, "::1"),
        (socket.AF_INET6, "::"),
    ],
)
def test_a_port_on_which_another_program_answers_is_left_alone(family: int, host: str) -> None:
    port = free_port()
    assert not answers(port)
    with listening(family, host, port), claim(port) as sock:
        got = sock.getsockname()[1]
        assert answers(port)
    assert got != port
    assert port < got < port + 30


def test_a_port_that_is_bound_but_silent_is_left_alone() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        with claim(port) as sock:
            assert sock.getsockname()[1] != port


def test_a_port_can_be_taken_again_at_once() -> None:
    port = free_port()
    with claim(port) as sock, socket.create_connection(("127.0.0.1", port)):
        accepted, _ = sock.accept()
        accepted.close()
    with claim(port) as sock:
        assert sock.getsockname()[1] == port


def test_ports_that_browsers_refuse_are_never_tried() -> None:
    assert next(candidates(6000)) == 6001
    assert next(candidates(6665)) == 6670
    assert not UNSAFE & set(candidates(1))
    assert list(itertools.islice(candidates(65535), 2)) == [65535, 0]
