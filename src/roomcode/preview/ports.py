"""Choosing a port of this machine on which nobody else answers."""

import errno
import socket
import sys
from collections.abc import Iterator

__all__ = ["UNSAFE", "answers", "candidates", "claim"]

UNSAFE = frozenset(
    {1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110}
    | {111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531}
    | {532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190}
    | {5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080}
)
"""Ports that browsers refuse to open, whatever answers there (the Fetch standard's list of bad ports)."""

_TRIES = 30
_ABSENT = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT}


def candidates(wanted: int) -> Iterator[int]:
    """The wanted port, the ones after it, and at last 0: any port the system has free."""
    for port in range(wanted, min(wanted + _TRIES, 65536)):
        if port not in UNSAFE:
            yield port
    yield 0


def claim(wanted: int) -> socket.socket:
    """A listening socket on 127.0.0.1, on the wanted port or the next free one.

    A port counts as taken when anything answers on it under any name of this machine, so also when another program
    listens on ::1 only: `http://localhost:PORT` would show that program's page. Raises OSError when nothing is free.
    """
    last: OSError | None = None
    for port in candidates(wanted):
        # Linux itself refuses a bind beside another's listener; others allow it beside one on all addresses.
        if port and sys.platform != "linux" and answers(port):
            continue
        try:
            claimed = _bind(port)
        except OSError as error:
            last = error
            continue
        if claimed.getsockname()[1] in UNSAFE or not _free_on_ipv6(claimed.getsockname()[1]):
            claimed.close()
            continue
        return claimed
    raise last or OSError(errno.EADDRINUSE, "no free port")


def _bind(port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        _share(sock)
        sock.bind(("127.0.0.1", port))
        sock.listen(128)
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return sock


def _share(sock: socket.socket) -> None:
    # Elsewhere this only skips the waiting time of closed connections; on Windows it would steal a live port.
    if sys.platform == "win32":
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def _free_on_ipv6(port: int) -> bool:
    try:
        probe = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
    except OSError:
        return True
    with probe:
        try:
            _share(probe)
            probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            probe.bind(("::1", port))
        except OSError as error:
            return error.errno in _ABSENT
    return True


def answers(port: int) -> bool:
    """Whether something accepts connections on this port of this machine."""
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        try:
            probe = socket.socket(family, socket.SOCK_STREAM)
        except OSError:
            continue
        with probe:
            probe.settimeout(0.2)
            if probe.connect_ex((host, port)) == 0:
                return True
    return False
