"""Leaving the terminal as it was, also when this process is killed or crashes in native code."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator

__all__ = ["RESTORE", "restoring_terminal"]

RESTORE = (
    "\x1b[<u"  # keyboard protocol
    "\x1b[?2004l\x1b[?1004l"  # pasting in brackets, reports of focus
    "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # mouse
    "\x1b[?2048l\x1b[?7h\x1b[?1049l\x1b[?25h\x1b[0m"  # size reports, wrapping, alternate screen, cursor, colours
)
"""Switches off every mode that the app switches on."""

_SENTENCE = "\r\nroomcode was ended from outside or crashed; the log has more (`roomcode doctor` names it).\r\n"


@contextlib.contextmanager
def restoring_terminal() -> Iterator[None]:
    """While this is open a small child process waits; when this process dies without closing it, the child restores
    the terminal. To be entered early: the child is a fork. Without fork or terminal it does nothing."""
    if not hasattr(os, "fork") or not sys.stdin.isatty():
        yield
        return
    import termios

    attributes = termios.tcgetattr(0)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _wait_for_the_end(reader, writer, attributes)
    os.close(reader)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.write(writer, b".")
        os.close(writer)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)


def _wait_for_the_end(reader: int, writer: int, attributes: list[object]) -> None:
    """The child: ends without a return."""
    import termios

    try:
        os.close(writer)
        # Signals of the terminal are for the app; writing to it from the background must not stop the child.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGTTOU, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
        if os.read(reader, 1) == b"":
            terminal = sys.stderr.fileno()
            termios.tcsetattr(0, termios.TCSANOW, attributes)  # type: ignore[arg-type]
            os.write(terminal, (RESTORE + _SENTENCE).encode())
    except BaseException:
        os._exit(1)
    os._exit(0)
